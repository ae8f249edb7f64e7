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
];
