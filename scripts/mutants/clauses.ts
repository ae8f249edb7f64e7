/** The mutants of clauses that no other mutant breaks, mostly of R8 and R10. */
import type { Mutant } from "./mutant.ts";

export const CLAUSES: readonly Mutant[] = [
  {
    rule: "R10",
    file: "src/core/plan_windows.ts",
    from: "Math.min(bounds.end, floorTo(DAY, at.now))",
    to: "bounds.end",
    test: "src/streams/confirmations.test.ts: R10: today is not read once more, because each sync reads it: a clock that went back may have left it in the list",
  },
  {
    rule: "R10",
    file: "src/core/due.ts",
    from: "Math.min(ceilTo(DAY, end), floorTo(DAY, now))",
    to: "ceilTo(DAY, end)",
    test: "src/core/due.test.ts: R10: whole days that are over are due, never today",
  },
  {
    rule: "P5",
    file: "src/streams/completion.ts",
    from: "    for (const window of next) this.strays.listings.judgeNext(window);\n",
    to: "",
    test: "src/streams/posted.test.ts: P5 R10: a window of strays of which the pass reads only a part is due if the sync has no room to read it as a whole",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "this.#options.report === null ? [job.window] : []",
    to: "[]",
    test: "src/streams/posted.test.ts: R10: no report tells of the days and the windows of strays that a sync without export_windows writes",
  },
  {
    rule: "R10",
    file: "src/core/known_days.ts",
    from: " ||\n  before.forgotten.get(day) !== after.forgotten.get(day)",
    to: "",
    test: "src/core/unreported.test.ts: R10: of a reading that is not reported, no report tells of the days that were unknown or have changed",
  },
  {
    rule: "R4",
    file: "src/streams/open_window.ts",
    from: "[...job.written.keys(), ...reading.digests.map(({ day }) => day)]",
    to: "reading.digests.map(({ day }) => day)",
    test: "src/streams/reader_days.test.ts: R4: so does one of which only the first passage has written rows",
  },
  {
    rule: "R10",
    file: "src/core/retention.ts",
    from: "day + DAY <= state.position",
    to: "day + DAY < state.position",
    test: "src/core/retention.test.ts: R5 R10: no report covers the days before the position, up to the position itself, that end behind the available data",
  },
  {
    rule: "R4",
    file: "src/streams/ended_reading.ts",
    from: "new Set([...written.keys(), ...digests.map(({ day }) => day)])",
    to: "new Set(digests.map(({ day }) => day))",
    test: "src/streams/reader_days.test.ts: R4: so does a restart that returns nothing of the day: the day is not proven empty",
  },
  {
    rule: "R4",
    file: "src/streams/ended_reading.ts",
    from: "new Set([...written.keys(), ...digests.map(({ day }) => day)])",
    to: "new Set(written.keys())",
    test: "src/streams/reader.test.ts: W3 S4 R4 P5: a window that has partly left retention when it begins again is a new reading of what is left",
  },
];
