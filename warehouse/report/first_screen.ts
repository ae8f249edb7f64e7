/** Queries for the first screen: the running month, what moved and why, and unit costs. Each is about one currency. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { plain } from "../decimals.ts";
import { ahead, behind, comparison, DAYS_CONCERNED, TO_DATE, unread } from "./clock.ts";
import { ACTIVE, forecastOf, nullable } from "./forecast.ts";
import type { Anomalies, Anomaly, Budget, Headline, LateChanges, TeamBudget } from "./model.ts";

/** An anomaly is news for so many days up to the day of the page. A change is news for so many days up to the newest reading. */
const NEWS_DAYS = 35;

/** The largest number of anomalies. Notices tell all of them; the page shows the first ones. */
const ANOMALIES = 50;

/** The largest number of late changes on the first screen. */
const CHANGES = 6;

/** The running month over all accounts, also of a currency that has no cost in this month. */
export async function headline(database: Asked, currency: string): Promise<Headline> {
  const [row = []] = await database.query(`
    SELECT month, through_day, has_complete_day, day(last_day(month)), through_day = last_day(month),
           (SELECT coalesce(sum(billed_cost), 0) FROM ${TO_DATE}),
           (SELECT count(DISTINCT day) FROM ${TO_DATE} WHERE cost_status = 'provisional'),
           (SELECT count(DISTINCT day) FROM ${DAYS_CONCERNED} WHERE day >= first_day AND NOT is_proven),
           (SELECT count(*) FROM ${DAYS_CONCERNED} WHERE NOT is_complete),
           (SELECT count(DISTINCT record_id) FROM invalid_rows
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

const LABEL_NAMES = `CASE label WHEN 'model_id' THEN 'model' WHEN 'project_id' THEN 'project'
  WHEN 'api_key_id' THEN 'key' WHEN 'workspace_id' THEN 'workspace' ELSE label END`;

const KINDS = new Map<string, Anomaly["kind"]>([
  ["label", "label"],
  ["new", "new"],
]);

/**
 * Unusual days of the last weeks: the largest differences first. For a day and a kind only one label is shown: the finest one
 * that explains at least half of the largest difference.
 */
export async function anomalies(database: Asked, currency: string): Promise<Anomalies> {
  const latest = `(
    SELECT cost_anomalies.* FROM cost_anomalies
    JOIN report_clock ON day <= through_day AND day > through_day - ${NEWS_DAYS}
    WHERE billing_currency = ${literal(currency)})`;
  const rows = await database.query(`
    WITH found AS (
      SELECT *, CASE kind WHEN 'account' THEN usual_cost WHEN 'label' THEN own_usual_cost ELSE account_usual_cost END AS usual,
             CASE kind WHEN 'label' THEN own_largest_cost ELSE coalesce(usual_spread, 0) END AS spread,
             CASE kind WHEN 'label' THEN own_days ELSE days_compared END AS compared,
             CASE kind WHEN 'new' THEN billed_cost ELSE abs(billed_cost - usual) END AS difference,
             max(difference) OVER (PARTITION BY day, kind) AS largest
      FROM ${latest}
      WHERE is_anomaly AND (value IS NOT NULL OR label = 'all')),
    news AS (
      FROM found WHERE 2 * difference >= largest
      QUALIFY row_number() OVER (
        PARTITION BY day, kind
        ORDER BY list_position(['api_key_id', 'project_id', 'model_id', 'team', 'all'], label), difference DESC, value) = 1)
    SELECT day, ${LABEL_NAMES}, coalesce(shown, value, ''), billed_cost, usual, spread, compared,
           day_status = 'proven', kind FROM news LEFT JOIN label_names USING (label, value)
    ORDER BY difference DESC, day DESC LIMIT ${ANOMALIES}`);
  const [counts = []] = await database.query(`
    SELECT count(*) FILTER (score IS NOT NULL OR own_days >= 8), count(*) FILTER (days_compared = 8 OR own_days >= 8), count(*)
    FROM ${latest}`);
  const [judged = 0, known = 0, all = 0] = counts.map(Number);
  const found = rows.map(
    ([
      day = "",
      label = "",
      value = "",
      billed = "0",
      usual = "0",
      spread = "0",
      compared = "0",
      proven,
      kind = "",
    ]) => ({
      kind: KINDS.get(kind) ?? "account",
      day,
      label,
      value,
      billed: plain(billed),
      usual: plain(usual),
      spread: plain(spread),
      daysCompared: Number(compared),
      isProven: proven === "true",
    }),
  );
  return { found, judged, known, all };
}

/**
 * Money of earlier days that changed in the last weeks before the newest reading, the newest change first. Changes that look alike are
 * added up.
 */
export async function changes(database: Asked, currency: string): Promise<LateChanges> {
  const rows = await database.query(`
    WITH of_currency AS (
      SELECT changes.*, coalesce(model_id, shown, project_id, 'no model') AS what
      FROM cost_changes AS changes
      LEFT JOIN label_names AS names ON names.label = 'project_id' AND names.value = changes.project_id
      WHERE billing_currency = ${literal(currency)} AND amount_change <> 0)
    SELECT strftime(max(found_at), '%Y-%m-%dT%H:%M:%SZ'), kind, day, what,
           count(*), sum(amount_change)
    FROM of_currency
    WHERE found_at > (SELECT max(CAST(ended_at AS TIMESTAMP)) FROM export_windows) - INTERVAL ${NEWS_DAYS} DAY
    GROUP BY found_at, kind, day, what
    ORDER BY found_at DESC, abs(sum(amount_change)) DESC, day, 4 LIMIT ${CHANGES}`);
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
  return { found, reread: await rereadDays(database) };
}

/**
 * The verdict of the readings of the last weeks on complete days: each day had the rows of an earlier reading, or some days were
 * written again, or there is no verdict, because no complete day was read again. `cost_changes` alone is no proof that days are
 * unchanged: a table in dedup mode forgets the earlier versions.
 */
async function rereadDays(database: Asked): Promise<LateChanges["reread"]> {
  const [[again = "0", same = "0"] = []] = await database.query(`
    WITH readings AS (
      SELECT *, CAST(ended_at AS TIMESTAMP) > max(CAST(ended_at AS TIMESTAMP)) OVER () - INTERVAL ${NEWS_DAYS} DAY AS is_news,
             min(reading_id) FILTER (
               CAST(covered_from AS TIMESTAMP) <= CAST(day AS TIMESTAMP)
               AND CAST(covered_through AS TIMESTAMP) >= CAST(CAST(day AS DATE) + 1 AS TIMESTAMP))
               OVER (PARTITION BY base_url, account, day) AS covered_by
      FROM export_windows WHERE dataset = 'costs')
    SELECT count(*), count(*) FILTER (rows_reading_id <= covered_by AND inside_window AND NOT shrunk)
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
    SELECT coalesce(running.team, budgets.team, 'unallocated'), coalesce(billed, 0), forecast, budget
    FROM running FULL JOIN budgets ON running.team = budgets.team
    WHERE EXISTS (FROM ai_billing_teams) OR EXISTS (FROM budgets)
    ORDER BY coalesce(running.team, budgets.team) IS NULL, coalesce(billed, 0) DESC, 1`);
  return rows.map(([team = "", spent = "0", forecast, budget]) => {
    const billed = plain(spent);
    const own = isOver ? billed : nullable(forecast);
    return { team, billed, forecast: all === null ? null : own, budget: nullable(budget) };
  });
}
