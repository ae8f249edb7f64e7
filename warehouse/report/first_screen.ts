/** Queries for the first screen: the running month, what moved and why, and unit costs. Each is about one currency. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { add, plain, subtract } from "../decimals.ts";
import { ahead, behind, comparison, PLACE, TO_DATE } from "./clock.ts";
import type { Behind, Budget, Headline, LateChanges, TeamBudget } from "./model.ts";

/** A change is news for so many days up to the newest reading. */
const NEWS_DAYS = 35;

/** Late changes on the first screen. The others are added up. */
const CHANGES = 6;

/** The condition for rows of active accounts: those with costs in the two newest months. The other accounts have no forecast. */
const ACTIVE = `${PLACE} IN (SELECT place FROM report_accounts WHERE is_active)`;

const nullable = (text: string | undefined): string | null =>
  text === undefined || text === "null" ? null : plain(text);

/** The running month over all accounts, also of a currency that has no cost in this month. */
export async function headline(database: Asked, currency: string): Promise<Headline> {
  const [row = []] = await database.query(`
    SELECT month, through_day, has_complete_day, day(last_day(month)), through_day = last_day(month),
           (SELECT coalesce(sum(billed_cost), 0) FROM ${TO_DATE}),
           (SELECT count(DISTINCT day) FROM ${TO_DATE} WHERE cost_status = 'provisional'),
           through_day - month + 1 - (
             SELECT count(*) FROM (
               SELECT day FROM report_days SEMI JOIN (FROM report_accounts WHERE is_active AND NOT is_behind) USING (place)
               WHERE is_proven AND day BETWEEN clock.month AND clock.through_day
               GROUP BY day HAVING count(*) = (SELECT count(*) FROM report_accounts WHERE is_active AND NOT is_behind))),
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
  const [daysProvisional = 0, daysNotProven = 0, unsummed = 0] = counts.map(Number);
  const isOver = isLast === "true" && hasCompleteDay === "true";
  const toDate = plain(billed);
  const left = await behind(database);
  const { forecast, forecastMethod, range } = isOver
    ? { forecast: toDate, forecastMethod: "the month is over", range: null }
    : await forecastOf(database, { currency, month, throughDay }, left);
  return {
    month,
    throughDay,
    hasCompleteDay: hasCompleteDay === "true",
    isOver,
    toDate,
    comparison: await comparison(database),
    behind: left,
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

/** Complete days of the month that a forecast needs, as in the model `monthly_costs`. */
const FORECAST_DAYS = 7;

type Forecast = Pick<Headline, "forecast" | "forecastMethod" | "range">;

const noForecast = (forecastMethod: string): Forecast => ({
  forecast: null,
  forecastMethod,
  range: null,
});

/** The forecast of all accounts together. There is none if an account is behind, or if an account has no forecast. */
async function forecastOf(
  database: Asked,
  { currency, month, throughDay }: { currency: string; month: string; throughDay: string },
  left: readonly Behind[],
): Promise<Forecast> {
  if (left.length > 0) {
    const names = left.map(({ name }) => name).join(", ");
    return noForecast(`${names} ${left.length === 1 ? "is" : "are"} behind`);
  }
  const where = `month = TRY_CAST(${literal(month)} AS DATE) AND billing_currency = ${literal(currency)} AND ${ACTIVE}`;
  const [[forecast, method = "", methods = "0", counted = "null"] = []] = await database.query(`
    SELECT CASE WHEN count(*) = count(forecast_cost) THEN coalesce(sum(forecast_cost), 0) END,
           coalesce(any_value(forecast_method ORDER BY forecast_cost IS NOT NULL), ''), count(DISTINCT forecast_method),
           min(days_counted)
    FROM monthly_costs WHERE ${where}`);
  // All of the page ends with the day of the account that was read least far.
  const days = Math.min(
    Number(throughDay.slice(8)),
    counted === "null" ? Number.POSITIVE_INFINITY : Number(counted),
  );
  if (days > 0 && days < FORECAST_DAYS) {
    return noForecast(
      `none: it needs ${FORECAST_DAYS} complete days, and ${days} of this month ${days === 1 ? "is" : "are"} known`,
    );
  }
  const amount = nullable(forecast);
  if (amount === null) return noForecast(method);
  const isMixed = Number(methods) > 1;
  return {
    forecast: amount,
    forecastMethod: isMixed
      ? "the forecasts of the accounts, each from its own complete days"
      : method,
    range: await rangeOf(database, where),
  };
}

/**
 * The range of the forecast of all accounts together. If one account spends more than expected, another one may spend less. So the
 * width of the range is the root of the sum of squares of the accounts' widths, not their sum. A single account has exactly the range of
 * the model.
 */
async function rangeOf(database: Asked, where: string): Promise<Headline["range"]> {
  const [[low, high] = []] = await database.query(`
    WITH sides AS (
      SELECT forecast_cost, forecast_cost - forecast_low AS below, forecast_high - forecast_cost AS above
      FROM month_forecasts WHERE ${where}),
    widths AS (
      SELECT sum(forecast_cost) AS forecast,
             CASE count(*) WHEN 1 THEN sum(below) ELSE sqrt(sum(below::DOUBLE ** 2))::DECIMAL(38, 6)::DECIMAL(38, 18) END AS below,
             CASE count(*) WHEN 1 THEN sum(above) ELSE sqrt(sum(above::DOUBLE ** 2))::DECIMAL(38, 6)::DECIMAL(38, 18) END AS above
      FROM sides HAVING count(*) > 0 AND count(*) = count(below))
    SELECT forecast - below, forecast + above FROM widths`);
  return low === undefined || high === undefined ? null : { low: plain(low), high: plain(high) };
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
