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

const WITHOUT_PASS =
  "src/streams/stored_plan.test.ts: R10 R8: a pass of which reports are missing does not go on, and the numbers of records that its half-read windows have shown stay";

export const REPORTED: readonly Mutant[] = [
  {
    rule: "R10",
    file: "src/streams/export_windows.ts",
    from: 'hasLost ? "some" : "none"',
    to: '"none"',
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
    from: "now === null ? kept : now()",
    to: "now?.() ?? null",
    test: KEPT,
  },
  {
    rule: "S6",
    file: "src/streams/reported.ts",
    from: "return isSame ? kept : present;",
    to: "return present;",
    test: KEPT,
  },
  {
    rule: "R10",
    file: "src/streams/reported.ts",
    from: "if (kept === null || kept[0] !== present?.[0]) return present;",
    to: "if (kept === null) return present;",
    test: "src/streams/reported.test.ts: R10: a STATE has the new number if the count has begun anew, so that later syncs miss nothing any more",
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
  {
    rule: "R10",
    file: "src/streams/stored_plan.ts",
    from: 'missing === "some" ? withoutPass(state) : state',
    to: "state",
    test: WITHOUT_PASS,
  },
  {
    rule: "R10",
    file: "src/streams/stored_plan.ts",
    from: 'missing === "some" ? withoutPass(state)',
    to: "missing ? withoutPass(state)",
    test: WITHOUT_PASS,
  },
  {
    rule: "R8",
    file: "src/streams/stored_plan.ts",
    from: "pass: null, known: knownWithout(state, [])",
    to: "pass: null",
    test: WITHOUT_PASS,
  },
  {
    rule: "R10",
    file: "src/streams/stored_plan.ts",
    from: 'if (state.mode !== "incremental") return state;\n  return { ...state, pass: null',
    to: 'if (state.mode !== "incremental") return { ...state, pass: null };\n  return { ...state, pass: null',
    test: "src/streams/stored_plan.test.ts: R10: a full refresh goes on with its pass although reports are missing",
  },
];
