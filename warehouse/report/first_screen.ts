/** Queries for the first screen: the running month, what moved and why, and unit costs. Each is about one currency. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { add, plain, subtract } from "../decimals.ts";
import { ahead, behind, comparison, DAYS_CONCERNED, TO_DATE, unread } from "./clock.ts";
import { ACTIVE, forecastOf, nullable } from "./forecast.ts";
import type { Budget, Headline, LateChanges, TeamBudget } from "./model.ts";
import { NEWS_DAYS } from "./unusual.ts";

/** Late changes on the first screen. The others are added up. */
const CHANGES = 6;

/** The running month over all accounts, also of a currency that has no cost in this month. */
export async function headline(database: Asked, currency: string): Promise<Headline> {
  const [row = []] = await database.query(`
    SELECT month, through_day, has_complete_day, day(last_day(month)), through_day = last_day(month),
           (SELECT coalesce(sum(billed_cost), 0) FROM ${TO_DATE}),
           (SELECT count(DISTINCT day) FROM ${TO_DATE} WHERE cost_status = 'provisional'),
           (SELECT count(DISTINCT day) FROM ${DAYS_CONCERNED} WHERE is_known AND NOT is_unread AND NOT is_proven),
           (SELECT count(*) FROM ${DAYS_CONCERNED} WHERE NOT is_complete),
           (SELECT count(DISTINCT (base_url, account, record_id)) FROM invalid_rows
            WHERE dataset = 'costs' AND billing_currency = ${literal(currency)} AND day BETWEEN clock.month AND clock.through_day)
    FROM report_clock AS clock WHERE month IS NOT NULL`);
  const [
    month = "",
    throughDay = "",
    hasCompleteDay,
    daysInMonth = "0",
    isLast,
    billed = "0",
    ...counts
  ] = row;
  const [daysProvisional = 0, daysNotProven = 0, daysMissing = 0, unsummed = 0] =
    counts.map(Number);
  const toDate = plain(billed);
  const gaps = {
    behind: await behind(database),
    unread: await unread(database),
    isWhole: daysMissing === 0,
  };
  const isOver = isLast === "true" && hasCompleteDay === "true" && gaps.behind.length === 0;
  const of = { currency, month, throughDay, toDate, isOver };
  const { forecast, forecastMethod, range } = await forecastOf(database, of, gaps);
  return {
    month,
    throughDay,
    hasCompleteDay: hasCompleteDay === "true",
    isOver,
    ...gaps,
    toDate,
    comparison: await comparison(database),
    ahead: await ahead(database),
    forecast,
    range,
    forecastMethod,
    daysInMonth: Number(daysInMonth),
    daysProvisional,
    daysNotProven,
    unsummed,
    budget: await budgetOf(database, { currency, month, toDate, forecast, isOver }),
  };
}

/**
 * The budget of the whole organization; without one, those of the teams added up, beside the costs of the same teams only.
 *
 * @param all all costs of the month
 */
async function budgetOf(
  database: Asked,
  all: {
    currency: string;
    month: string;
    toDate: string;
    forecast: string | null;
    isOver: boolean;
  },
): Promise<Budget | null> {
  const where = `billing_currency = ${literal(all.currency)} AND month = TRY_CAST(${literal(all.month)} AS DATE)`;
  const [row = []] = await database.query(`
    WITH budgets AS (SELECT team, budget FROM budget_status WHERE label IN ('all', 'team') AND NOT is_converted AND ${where}),
    spent AS (SELECT * FROM team_costs SEMI JOIN budgets USING (team) WHERE ${where} AND ${ACTIVE})
    SELECT sum(budget) FILTER (team IS NULL), sum(budget) FILTER (team IS NOT NULL), count(*) FILTER (team IS NOT NULL),
           (SELECT coalesce(sum(billed_cost), 0) FROM ${TO_DATE} SEMI JOIN budgets USING (team)),
           (SELECT CASE WHEN count(*) = count(forecast_cost) THEN coalesce(sum(forecast_cost), 0) END FROM spent)
    FROM budgets`);
  const [whole, ofTeams, number = "0", toDate = "0", forecast] = row;
  const amount = nullable(whole) ?? nullable(ofTeams);
  if (amount === null) return null;
  const { toDate: allToDate, forecast: allForecast } = all;
  if (nullable(whole) !== null)
    return { amount, teams: null, toDate: allToDate, forecast: allForecast, isOfAll: true };
  // If all costs together have no forecast, no part of them has one, not even that of teams without costs.
  const spent = plain(toDate);
  const own = {
    toDate: spent,
    forecast: allForecast === null ? null : all.isOver ? spent : nullable(forecast),
  };
  const isOfAll = own.toDate === allToDate && own.forecast === allForecast;
  return { amount, teams: Number(number), ...own, isOfAll };
}

/**
 * Money of earlier days that changed in the last weeks before the newest reading, the largest change first. Changes that look alike are
 * added up, and so are all those that are not among the first ones.
 */
export async function changes(database: Asked, currency: string): Promise<LateChanges> {
  const rows = await database.query(`
    WITH of_currency AS (
      SELECT changes.*, coalesce(model_id, shown, project_id, 'no model') AS what
      FROM cost_changes AS changes
      LEFT JOIN label_names AS names ON names.label = 'project_id' AND names.value = changes.project_id
      WHERE billing_currency = ${literal(currency)} AND amount_change <> 0),
    alike AS (
      SELECT found_at, kind, day, what, count(*) AS records, sum(amount_change) AS change
      FROM of_currency
      WHERE found_at > (SELECT max(CAST(ended_at AS TIMESTAMP)) FROM export_windows) - INTERVAL ${NEWS_DAYS} DAY
      GROUP BY found_at, kind, day, what)
    SELECT strftime(found_at, '%Y-%m-%dT%H:%M:%SZ'), kind, day, what, records, change, count(*) OVER (), sum(change) OVER ()
    FROM alike ORDER BY abs(change) DESC, found_at DESC, day, what, kind LIMIT ${CHANGES}`);
  const found = rows.map(
    ([foundAt = "", kind = "", day = "", what = "", records = "0", change = "0"]) => ({
      foundAt,
      kind,
      day,
      what,
      records: Number(records),
      change: plain(change),
    }),
  );
  const [, , , , , , number = "0", all = "0"] = rows[0] ?? [];
  const others = Number(number) - found.length;
  const shown = add(found.map(({ change }) => change));
  const rest = others === 0 ? null : { number: others, change: subtract(plain(all), shown) };
  return { found, rest, reread: await rereadDays(database) };
}

/**
 * The verdict of the readings of the last weeks on complete days: each day had the rows of an earlier reading, or some days were
 * written again, or there is no verdict, because no complete day was read again. `cost_changes` alone is no proof that days are
 * unchanged: a table in dedup mode forgets the earlier versions. A reading of an empty day names itself, because no row stands for the
 * day: if the reading before it found no row either, nothing was written.
 */
async function rereadDays(database: Asked): Promise<LateChanges["reread"]> {
  const [[again = "0", same = "0"] = []] = await database.query(`
    WITH readings AS (
      SELECT *, CAST(ended_at AS TIMESTAMP) > max(CAST(ended_at AS TIMESTAMP)) OVER () - INTERVAL ${NEWS_DAYS} DAY AS is_news,
             lag(CAST("rows" AS BIGINT)) OVER (PARTITION BY base_url, account, day ORDER BY reading_id) AS rows_before,
             min(reading_id) FILTER (
               CAST(covered_from AS TIMESTAMP) <= CAST(day AS TIMESTAMP)
               AND CAST(covered_through AS TIMESTAMP) >= CAST(CAST(day AS DATE) + 1 AS TIMESTAMP))
               OVER (PARTITION BY base_url, account, day) AS covered_by
      FROM export_windows WHERE dataset = 'costs')
    SELECT count(*), count(*) FILTER (
             (rows_reading_id <= covered_by OR (CAST("rows" AS BIGINT) = 0 AND rows_before = 0)) AND inside_window AND NOT shrunk)
    FROM readings WHERE is_news AND reading_id > covered_by`);
  if (again === "0") return "none";
  return again === same ? "unchanged" : "rewritten";
}

/** The running month so far of each team, beside its budget, and of the costs without a team. Empty if no team is known. */
export async function teams(
  database: Asked,
  currency: string,
  { month, isOver, forecast: all }: Headline,
): Promise<TeamBudget[]> {
  const where = `billing_currency = ${literal(currency)} AND month = TRY_CAST(${literal(month)} AS DATE)`;
  const rows = await database.query(`
    WITH spent AS (SELECT team, sum(billed_cost) AS billed FROM ${TO_DATE} GROUP BY team),
    forecasts AS (
      SELECT team, CASE WHEN count(*) = count(forecast_cost) THEN sum(forecast_cost) END AS forecast
      FROM team_costs WHERE ${where} AND ${ACTIVE} GROUP BY team),
    running AS (
      SELECT forecasts.team, coalesce(billed, 0) AS billed, forecast
      FROM forecasts LEFT JOIN spent ON forecasts.team IS NOT DISTINCT FROM spent.team),
    budgets AS (SELECT team, budget FROM budget_status WHERE team IS NOT NULL AND NOT is_converted AND ${where})
    SELECT coalesce(running.team, budgets.team, 'no team'), coalesce(billed, 0), forecast, budget
    FROM running FULL JOIN budgets ON running.team = budgets.team
    WHERE EXISTS (FROM ai_billing_teams) OR EXISTS (FROM budgets)
    ORDER BY coalesce(running.team, budgets.team) IS NULL, coalesce(billed, 0) DESC, 1`);
  return rows.map(([team = "", spent = "0", forecast, budget]) => {
    const billed = plain(spent);
    const own = isOver ? billed : nullable(forecast);
    return { team, billed, forecast: all === null ? null : own, budget: nullable(budget) };
  });
}
