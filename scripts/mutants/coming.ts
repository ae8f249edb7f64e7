import { SQL, within } from "./models_sql.ts";
import type { Mutant } from "./mutant.ts";

const END = `"ai_billing__sums_costs"
  where not is_reconciled`;
/** The steps that find the strays of costs which may come again: those of usage have the same words. */
const STEPS = SQL.slice(
  SQL.lastIndexOf("passes as (", SQL.indexOf(END)),
  SQL.indexOf(END) + END.length,
);

const inSteps = (from: string, to: string): Omit<Mutant, "rule" | "test"> =>
  within(STEPS, from, to);

const TESTS = "simulation/strays_to_come.test.ts";

/** Strays that a report has taken for gone, and that may come again (P5, R10). */
export const STRAYS_TO_COME: readonly Mutant[] = [
  {
    rule: "P5",
    ...inSteps("where removed.is_stray or not removed.is_reported", "where false"),
    test: `${TESTS}: P5: nor is it if the state has forgotten the day, the stray is restated, and the next process %s`,
  },
  {
    rule: "P5",
    ...inSteps("passes.next_tells = 1", "passes.tells = 1"),
    test: `${TESTS}: P5: nor is it if the state has forgotten the day, the stray is restated, and the next process %s`,
  },
  {
    rule: "P5",
    ...inSteps(" or not removed.is_reported", ""),
    test: `${TESTS}: P5: nor is it if a full refresh without reports wrote the stray, and the next one dies behind the report of the stray's window`,
  },
  {
    rule: "P5",
    ...inSteps("where removed.is_stray", "where not removed.is_replaced and removed.is_stray"),
    test: `${TESTS}: P5: nor is it if a full refresh %s, and the next one dies, too`,
  },
  {
    rule: "R10",
    ...inSteps("passes.next_tells = 1", "false"),
    test: `${TESTS}: R10: listings move, and each sync reads a part of the window of a withdrawn stray: the whole of it is read twice (reconcile_days: %i)`,
  },
  {
    rule: "P5",
    ...inSteps("passes.next_tells = 1", "passes.next_tells is not null"),
    test: `${TESTS}: P5: nor is it if the whole state is lost behind that process, and the next one dies, too`,
  },
  {
    rule: "P5",
    ...inSteps("passes.tells is null", "true"),
    test: `${TESTS}: P5: nor is it if the passes after that end without the window (states lost before: %j)`,
  },
  {
    rule: "P5",
    ...inSteps(" and not coalesce(noted.reading_id > judge.reading_id, false)", ""),
    test: `${TESTS}: P5: the day of a withdrawn stray is proven once two passes have ended after one that was given up behind the stray's window`,
  },
  {
    rule: "P5",
    ...inSteps("ended.is_ended and ", ""),
    test: `${TESTS}: P5: nor is it if no refresh has a state of the reports, and two of them die`,
  },
  {
    rule: "P5",
    file: "src/streams/stored_plan.ts",
    from: "at.earlierEnded && known !== null",
    to: "at.earlierEnded",
    test: `${TESTS}: P5: nor is it if the whole state is lost behind that process, and the next one dies, too`,
  },
  {
    rule: "P5",
    file: "src/streams/stored_plan.ts",
    from: 'at.earlierEnded && missing === "none"',
    to: "at.earlierEnded",
    test: `${TESTS}: P5: nor is it if no refresh has a state of the reports, and two of them die`,
  },
  {
    rule: "P5",
    file: "src/core/plan.ts",
    from: "at.earlierEnded && hasEndedBefore(state.pass)",
    to: "at.earlierEnded",
    test: "src/core/plan.test.ts: P5: a pass knows whether the one before it has ended; a pass that was given up has not",
  },
  {
    rule: "P5",
    file: "src/core/plan.ts",
    from: "pass.earlierEnded && pass.reads.length + pass.open.length === 0",
    to: "pass.earlierEnded",
    test: "src/core/plan.test.ts: P5: a pass knows whether the one before it has ended; a pass that was given up has not",
  },
  {
    rule: "P5",
    file: "src/core/plan.ts",
    from: "pass.earlierEnded && pass.reads.length + pass.open.length === 0",
    to: "pass.reads.length + pass.open.length === 0",
    test: "src/core/plan.test.ts: P5: a pass in place of one that has shown no window knows what that one knew of the pass before it",
  },
  {
    rule: "P5",
    file: "src/core/plan.ts",
    from: "pass === null || (pass.earlierEnded && pass.reads.length + pass.open.length === 0)",
    to: "pass === null",
    test: `${TESTS}: P5: a row that no report names and that the provider withdrew: its day is proven, although the process of the next pass dies before it shows a window`,
  },
  {
    rule: "P5",
    file: "src/streams/read.ts",
    from: "manifest?.isUnderWay(stream.name) === false",
    to: "manifest !== null",
    test: `${TESTS}: P5: nor is it if a full refresh %s, and the next one dies, too`,
  },
  {
    rule: "P5",
    file: "src/streams/reader.ts",
    from: "reports?.passEnded();\n    }",
    to: "}\n    reports?.passEnded();",
    test: `${TESTS}: P5: nor is it if a full refresh %s, and the next one dies, too`,
  },
  {
    rule: "P5",
    file: "src/streams/reader.ts",
    from: "reports?.passEnded();",
    to: "",
    test: `${TESTS}: P5: the full refresh after the one that finds a stray withdrawn proves its day, if it has the state of the reports`,
  },
  {
    rule: "P5",
    file: "src/streams/export_windows.ts",
    from: "this.isNewFor(dataset) || !this.isUnderWay(dataset)",
    to: "this.isNewFor(dataset)",
    test: "src/streams/export_windows.test.ts: P5: a STATE names the streams whose pass is under way, before the first report of the pass",
  },
  {
    rule: "P5",
    file: "src/streams/export_windows.ts",
    from: "this.#pending > 0 || this.#hasEnded",
    to: "this.#pending > 0",
    test: "src/streams/export_windows.test.ts: P5: a STATE names the streams whose pass is under way, before the first report of the pass",
  },
  {
    rule: "P5",
    file: "src/streams/pass_codec.ts",
    from: "earlier_ended: z.boolean().default(false)",
    to: "earlier_ended: z.boolean().default(true)",
    test: "src/streams/state_codec.test.ts: S5 P5: a pass of a state that does not say so may follow one that has not ended",
  },
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "(others(day) ? strays : [])",
    to: "(others(day) ? [] : [])",
    test: `${TESTS}: P5: no report proves a day without a new stray, once %s has read the stray's window and its day (%i, shown by %i)`,
  },
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "for (const pending of [...ofOthers, ...own])",
    to: "for (const pending of ofOthers)",
    test: `${TESTS}: P5: no report proves a day without a new stray, once %s has read the stray's window and its day (%i, shown by %i)`,
  },
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "if (!owns(pending.id)) this.#await(pending);",
    to: "this.#await(pending);",
    test: "src/streams/awaited_days.test.ts: P5: days that were read await the strays that no window has returned as its own",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "if (this.#isRefresh) return;",
    to: "",
    test: `${TESTS}: P5: a full refresh proves the day of a stray that it writes`,
  },
  {
    rule: "R10",
    file: "src/streams/stray_reads.ts",
    from: "new Set([...awaited, ...lacking].flatMap(wholeOf).map(nameOf))",
    to: "new Set(awaited.flatMap(wholeOf).map(nameOf))",
    test: `${TESTS}: R10: listings move, and each sync reads a part of the window of a withdrawn stray: the whole of it is read twice (reconcile_days: %i)`,
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "[...awaited, ...lacking].flatMap(wholeOf)",
    to: "[...awaited, ...lacking]",
    test: "src/streams/stray_reads.test.ts: P5 P6: a window %s whose strays are awaited is read as a whole, and a second time if its listing moves",
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "own : this.#movedIn(own)",
    to: "own : []",
    test: `${TESTS}: P5: listings move, and an awaited window of %i days is longer than the %i that the provider allows by now: its parts are read twice`,
  },
  {
    rule: "P5",
    file: "src/core/awaited.ts",
    from: "const month = monthStart(entry.window.start);",
    to: "const month = 0;",
    test: `${TESTS}: P5: more days await strays than a state names, and one window leaves retention: the days of later months are proven`,
  },
  {
    rule: "R10",
    file: "src/core/awaited.ts",
    from: "Math.max(day + DAY, window.end)",
    to: "window.end",
    test: `${TESTS}: R10: the window of a stray leaves retention before the stray's day, and takes the proof from no other day`,
  },
  {
    rule: "S8",
    file: "src/streams/bounded_state.ts",
    from: "unreported: [], strays: toldStrays(state, true)",
    to: "unreported: []",
    test: `${TESTS}: S8 R10: a STATE leaves out of which days no report tells, and a stray of such a day that %s is written again`,
  },
  {
    rule: "P5",
    file: "src/streams/pending_strays.ts",
    from: "addToMonth(this.#refused, { days: dayRange(stray.day), window });",
    to: "",
    test: `${TESTS}: P5 L1: no report proves a day without a new stray that finds no room, and the next sync writes it (its day is %s, %s)`,
  },
  {
    rule: "P5",
    file: "src/streams/reporter.ts",
    from: `state.mode === "full_refresh" || isKnown(known, day)`,
    to: "isKnown(known, day)",
    test: `${TESTS}: P5 L1: no report proves a day without a new stray that finds no room, and the next sync writes it (its day is %s, %s)`,
  },
  {
    rule: "P5",
    ...inSteps("noted.day = coalesce(numbers.day, reported_days.day)", "noted.day = numbers.day"),
    test: "simulation/proven.test.ts: P5 R10: one stray of a group is withdrawn, the next sync writes the other one again, and then the state is %s",
  },
  {
    rule: "P5",
    ...inSteps(
      "cast(judge.window_start as date) <= reported_days.day",
      "cast(judge.window_start as date) < reported_days.day",
    ),
    test: "simulation/cut_strays.test.ts: P5: a process dies behind the report that takes a group for gone, and no other reading has its window: later ones of these days close it",
  },
  {
    rule: "P5",
    ...inSteps(
      "judge.window_end > cast(reported_days.day",
      "timestamp '9999-12-31' > cast(reported_days.day",
    ),
    test: "simulation/cut_strays.test.ts: P5: a process dies behind the report that takes a group for gone, and no other reading has its window: later ones of these days close it",
  },
];
