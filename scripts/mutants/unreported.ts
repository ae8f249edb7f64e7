import type { Mutant } from "./mutant.ts";

/** Days that no report tells of (R10). */
export const UNREPORTED: readonly Mutant[] = [
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "reports !== null && reading.totals !== null",
    to: "reports !== null",
    test: "src/core/unreported.test.ts: R10: a reading that is reported tells of the days of its reports; a reading without totals is not reported",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "earlier.days.get(day) !== known.days.get(day) ||",
    to: "",
    test: "src/core/unreported.test.ts: R10: of a reading that is not reported, no report tells of the days that were unknown or have changed",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "isKnown(earlier, day) !== isKnown(known, day) ||",
    to: "",
    test: "src/core/unreported.test.ts: R10: of a reading that is not reported, no report tells of the days that were unknown or have changed",
  },
  {
    rule: "R10",
    file: "src/core/plan.ts",
    from: "dueDays(state, at.reports)",
    to: "dueDays(state, false)",
    test: "simulation/lost_rows.test.ts: R10: a day whose rows %s before a sync without export_windows is due",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "afterReport(decided, ledger.state, told)",
    to: "decided",
    test: "simulation/lost_rows.test.ts: R10: a day whose rows %s before a sync without export_windows is due",
  },
  {
    rule: "R10",
    file: "src/streams/stored_plan.ts",
    from: "stored && isNew ?",
    to: "stored && false ?",
    test: "simulation/lost_rows.test.ts: R10: all known days are due once export_windows %s",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: "if (misses) return withUnreported(after, [reading]);",
    to: "",
    test: "src/core/unreported.test.ts: R10: of a due day, and of the window of a stray that is missed, no report tells either",
  },
  {
    rule: "R10",
    file: "src/core/unreported.ts",
    from: " ||\n      includes(due, day),",
    to: ",",
    test: "src/core/unreported.test.ts: R10: of a due day, and of the window of a stray that is missed, no report tells either",
  },
  {
    rule: "R10",
    file: "src/core/plan.ts",
    from: "toldStrays(state, at.reports).filter",
    to: "state.strays.filter",
    test: "simulation/lost_rows.test.ts: R5 R10: a stray that a sync without export_windows has written is proven by the next one with it",
  },
  {
    rule: "R10",
    file: "src/streams/completion.ts",
    from: "misses || tellsLate(ledger.state, report && days);",
    to: "misses;",
    test: "simulation/lost_rows.test.ts: R10: a late report of a day makes the days due that the pass has read before",
  },
];
