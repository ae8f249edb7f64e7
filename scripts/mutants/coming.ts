import type { Mutant } from "./mutant.ts";

/** The conditions of the step that finds the strays of costs which may come again: that of usage has the same words. */
const [SAME_PASS, NOT_ENDED] = [
  "days.pass_began_at <= judge.pass_began_at",
  "not coalesce(newest_pass.pass_began_at > judge.pass_began_at, false)",
];
const COMING = `where gone.is_stray
    and ${SAME_PASS}
    and ${NOT_ENDED}
),
mismatches as (
  select scope, day, count(*) as groups_
  from "ai_billing__sums_costs"`;
const PASSES = `where number_ > 1
  group by scope
),
-- A connector reads a window before it writes the strays that the window shows. So a stray that a reading no longer lists may come again
-- until the pass of the reading has ended: the provider has restated it, or the connector has lost its state.
coming as (
  select distinct gone.scope, gone.day
  from gone
  inner join readings as judge on gone.scope = judge.scope and gone.judge_reading_id = judge.reading_id
  inner join days on gone.scope = days.scope and gone.day = days.day
  left join newest_pass on gone.scope = newest_pass.scope
  ${COMING}`;
const TESTS = "simulation/strays_to_come.test.ts";

/** Strays that a report has taken for gone, and that may come again (P5, R10). */
export const STRAYS_TO_COME: readonly Mutant[] = [
  {
    rule: "P5",
    file: "sql/duckdb.sql",
    from: COMING,
    to: COMING.replace("where gone.is_stray", "where false"),
    test: `${TESTS}: P5: nor is it if the state has forgotten the day, the stray is restated, and the next process %s`,
  },
  {
    rule: "P5",
    file: "sql/duckdb.sql",
    from: COMING,
    to: COMING.replace(SAME_PASS, "days.pass_began_at < judge.pass_began_at"),
    test: `${TESTS}: P5: the day of a stray is not proven without the stray after its stream was cleared, if the next process %s (cursors: %s)`,
  },
  {
    rule: "R10",
    file: "sql/duckdb.sql",
    from: COMING,
    to: COMING.replace(NOT_ENDED, "true"),
    test: `${TESTS}: R10: listings move, and each sync reads a part of the window of a withdrawn stray: the whole of it is read twice (reconcile_days: %i)`,
  },
  {
    rule: "P5",
    file: "sql/duckdb.sql",
    from: PASSES,
    to: PASSES.replace("number_ > 1", "number_ > 0"),
    test: `${TESTS}: P5: nor is it if the whole state is lost behind that process, and the next one dies, too`,
  },
  {
    rule: "R10",
    file: "src/streams/stray_reads.ts",
    from: "new Set([...awaited, ...lacking].map(nameOf))",
    to: "new Set(awaited.map(nameOf))",
    test: `${TESTS}: R10: listings move, and each sync reads a part of the window of a withdrawn stray: the whole of it is read twice (reconcile_days: %i)`,
  },
  {
    rule: "P5",
    file: "src/streams/stray_reads.ts",
    from: "own : this.#movedIn(own)",
    to: "own : []",
    test: `${TESTS}: P5: listings move, and an awaited window of %i days is longer than the %i that the provider allows by now: its parts are read twice`,
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
];
