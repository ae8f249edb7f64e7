/** The mutants of reports that a platform has lost behind a STATE of their stream (R10). */
import type { Mutant } from "./mutant.ts";

const LOST =
  "simulation/proven.test.ts: R10: a platform keeps a STATE of a stream, and loses half of the reports before it";
const EMPTY =
  "simulation/proven.test.ts: R10: a platform keeps a STATE that knows a day to be empty, and loses the report";
const MISSING =
  "src/streams/reported.test.ts: R10: reports are missing or not if the state of export_windows has %s";
const KEPT =
  "src/streams/reported.test.ts: R10 S6: a STATE keeps the number of reports if it is otherwise as the sync has found it, or the sync reports nothing";

export const REPORTED: readonly Mutant[] = [
  {
    rule: "R10",
    file: "src/streams/export_windows.ts",
    from: "this.#counts.lack(stream, stored) || this.isNewFor(stream)",
    to: "this.isNewFor(stream)",
    test: LOST,
  },
  {
    rule: "R10",
    file: "src/streams/export_windows.ts",
    from: "this.#counts.add(dataset, reading.id);",
    to: "",
    test: EMPTY,
  },
  {
    rule: "R10",
    file: "src/streams/reported.ts",
    from: "since === relied[0] && ",
    to: "",
    test: MISSING,
  },
  {
    rule: "R10",
    file: "src/streams/reported.ts",
    from: "reports >= relied[1]",
    to: "true",
    test: MISSING,
  },
  {
    rule: "R10",
    file: "src/streams/reported.ts",
    from: "if (!isThere) this.#counts.delete(stream);",
    to: "",
    test: MISSING,
  },
  {
    rule: "R10",
    file: "src/streams/reported.ts",
    from: "const isSame = now === null || ",
    to: "const isSame = now === null || false && ",
    test: KEPT,
  },
  {
    rule: "R10",
    file: "src/streams/reported.ts",
    from: 'next["pass"] === null && ',
    to: "",
    test: KEPT,
  },
  {
    rule: "R10",
    file: "src/streams/reader.ts",
    from: "      reported: options.reported,\n",
    to: "",
    test: LOST,
  },
];
