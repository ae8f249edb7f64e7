import { SQL, within } from "./models_sql.ts";
import type { Mutant } from "./mutant.ts";

/** The step that finds the lost strays of costs, from its last condition on: that of usage has the same words before these. */
const LOST_OF_COSTS = `,
        false)
    )
  group by strays.scope, strays.day
),
chains as (
  select * from "ai_billing__chains_costs"`;
/** The chains of costs: those of usage have the same words. */
const FROM_CHAINS = SQL.slice(SQL.indexOf("create or replace view ai_billing__chains_costs as"));
const CHAINS_OF_COSTS = FROM_CHAINS.slice(0, FROM_CHAINS.indexOf(";"));
const PUT_BACK =
  "simulation/cleared.test.ts: R9: a stream is cleared, and `Date` is put back %s: its days are proven, and no second account is seen";
const JUDGED = "days.stray_judge_id > strays.listed_by";
const WRITTEN =
  "(days.rows_reading_id > strays.listed_by and days.pass_began_at > strays.listed_in_pass)";
const COUNTS_NO_LONGER = `not coalesce(
        ${JUDGED}
        or ${WRITTEN}${LOST_OF_COSTS}`;

const WHOLE = "      when manifest.is_whole_window and not manifest.is_moved then 1\n";
const NOTED_OF_COSTS = `      else 0
    end as judges_strays
  from "ai_billing__manifest" as manifest
  inner join chains on manifest.place = chains.place and manifest.chain = chains.chain
  where manifest.dataset = 'costs' and manifest.inside_window
`;

const JUDGED_COSTS = "create or replace view ai_billing__judged_costs as";
/** The windows that have shown the rows of a reading again. Those of usage have the same words. */
const SHOWN_AGAIN = SQL.slice(
  SQL.indexOf(JUDGED_COSTS),
  SQL.indexOf("unplaced as (", SQL.indexOf(JUDGED_COSTS)),
);

/** The models that tell which rows count, and which days are proven (P5, R10). */
export const MODELS: readonly Mutant[] = [
  {
    rule: "P5",
    ...within(COUNTS_NO_LONGER, JUDGED, "false"),
    test: "simulation/proven.test.ts: P5: so are strays whose process has died between their report and the next STATE",
  },
  {
    rule: "P5",
    ...within(COUNTS_NO_LONGER, WRITTEN, "false"),
    test: "simulation/strays_to_come.test.ts: P5: the day of a stray is not proven without the stray after its stream was cleared, if the next process %s (cursors: %s)",
  },
  {
    rule: "P5",
    ...within(COUNTS_NO_LONGER, " and days.pass_began_at > strays.listed_in_pass", ""),
    test: "simulation/proven.test.ts: P5: strays that the table has lost take the proof from their day, although it holds no row of their group: %s",
  },
  {
    rule: "P5",
    ...within(COUNTS_NO_LONGER, JUDGED, "true"),
    test: "simulation/proven.test.ts: P5: strays that the table has lost take the proof from their day, although it holds no row of their group: %s",
  },
  {
    rule: "R10",
    file: "sql/duckdb.sql",
    from: `counts.rows_ > 0
      or ${COUNTS_NO_LONGER}`,
    to: `false
      or ${COUNTS_NO_LONGER}`,
    test: "simulation/proven.test.ts: R10: a withdrawn stray whose window the end of retention has cut takes the proof from no other day",
  },
  {
    rule: "P5",
    ...within(WHOLE + NOTED_OF_COSTS, WHOLE, ""),
    test: "simulation/new_strays.test.ts: P5 R10: a day of a withdrawn stray is proven although a day of that report has awaited another stray in the meantime",
  },
  {
    rule: "R10",
    ...within(SHOWN_AGAIN, "where rows_reading_id <> reading_id", "where false"),
    test: "simulation/proven.test.ts: R10: a long charge of a sync without export_windows is withdrawn",
  },
  {
    rule: "R10",
    ...within(SHOWN_AGAIN, "min(window_end)", "max(window_end)"),
    test: "simulation/proven.test.ts: R10: a long charge of a sync without export_windows is withdrawn",
  },
  {
    rule: "R10",
    ...within(SHOWN_AGAIN, "max(window_start)", "min(window_start)"),
    test: "simulation/proven.test.ts: R10: a long charge of a sync without export_windows is withdrawn",
  },
  {
    rule: "R9",
    ...within(
      CHAINS_OF_COSTS,
      "older.first_reading_id < newer.first_reading_id",
      "older.first_reading_id > newer.first_reading_id",
    ),
    test: PUT_BACK,
  },
  {
    rule: "R9",
    ...within(CHAINS_OF_COSTS, "older.last_reading_id > newer.first_reading_id", "true"),
    test: PUT_BACK,
  },
];
