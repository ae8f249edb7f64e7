/** Queries for the first screen: the running month, what moved and why, and unit costs. Each is about one currency. */
import { literal } from "../columns.ts";
import type { Database } from "../database.ts";
import { plain, ratio } from "../decimals.ts";
import type {
  Anomaly,
  Budget,
  Headline,
  LateChange,
  Mover,
  TeamBudget,
  UnitCost,
} from "./model.ts";

/** Days before the newest complete day in which an anomaly or a change is news. */
const NEWS_DAYS = 35;

/** Entries of each kind on the first screen. */
const MOVERS = 8;
const PER_LABEL = 3;
const ANOMALIES = 3;
const CHANGES = 6;

/** Models in the chart of unit costs, and its weeks. */
const UNIT_MODELS = 6;
const WEEKS = 26;

const nullable = (text: string | undefined): string | null =>
  text === undefined || text === "null" ? null : plain(text);

/**
 * The running month over all accounts, also of a currency that has no cost in this month. If accounts stand in different months,
 * the latest month counts; the accounts that are behind add the costs that they have.
 */
export async function headline(database: Database, currency: string): Promise<Headline> {
  const [row = []] = await database.query(`
    WITH clock AS (
      SELECT coalesce(max(month) FILTER (is_running), max(month)) AS month FROM monthly_costs),
    standing AS (
      SELECT month, coalesce(min(through_day), last_day(month)) AS through_day,
             coalesce(min(days_counted) FILTER (is_running), 1) > 0 AS has_complete_day
      FROM clock LEFT JOIN monthly_costs USING (month) GROUP BY month),
    latest AS (
      SELECT monthly_costs.* FROM monthly_costs SEMI JOIN clock USING (month)
      WHERE billing_currency = ${literal(currency)})
    SELECT (SELECT month FROM standing), (SELECT through_day FROM standing),
           (SELECT has_complete_day FROM standing), sum(to_date_cost), sum(coalesce(previous_to_date_cost, 0)),
           CASE WHEN count(*) = count(forecast_cost) THEN coalesce(sum(forecast_cost), 0) END,
           any_value(forecast_method),
           (SELECT day(last_day(month)) FROM standing), max(days_provisional), max(days_not_proven)
    FROM latest`);
  const [
    month = "",
    through = "",
    hasCompleteDay,
    toDate = "0",
    previous = "0",
    forecast,
    method = "",
    ...days
  ] = row;
  // A currency without a cost in the month and the one before has null here.
  const [daysInMonth = 0, daysProvisional = 0, daysNotProven = 0] = days.map(
    (text) => Number(text) || 0,
  );
  const costs = { toDate: nullable(toDate) ?? "0", forecast: nullable(forecast) };
  return {
    month,
    throughDay: through,
    hasCompleteDay: hasCompleteDay === "true",
    ...costs,
    previousToDate: nullable(previous) ?? "0",
    forecastMethod: method === "null" ? "" : method,
    daysInMonth,
    daysProvisional,
    daysNotProven,
    budget: await budgetOf(database, { currency, month, ...costs }),
  };
}

/**
 * The budget of the whole organization; without one, those of the teams added up, beside the costs of the same teams only.
 *
 * @param all all costs of the month
 */
async function budgetOf(
  database: Database,
  all: { currency: string; month: string; toDate: string; forecast: string | null },
): Promise<Budget | null> {
  const where = `billing_currency = ${literal(all.currency)} AND month = TRY_CAST(${literal(all.month)} AS DATE)`;
  const [row = []] = await database.query(`
    WITH budgets AS (SELECT team, budget FROM budget_status WHERE ${where}),
    spent AS (SELECT * FROM team_costs SEMI JOIN budgets USING (team) WHERE ${where})
    SELECT sum(budget) FILTER (team IS NULL), sum(budget) FILTER (team IS NOT NULL), count(*) FILTER (team IS NOT NULL),
           (SELECT coalesce(sum(to_date_cost), 0) FROM spent),
           (SELECT CASE WHEN count(*) = count(forecast_cost) THEN coalesce(sum(forecast_cost), 0) END FROM spent)
    FROM budgets`);
  const [whole, ofTeams, number = "0", toDate = "0", forecast] = row;
  const amount = nullable(whole) ?? nullable(ofTeams);
  if (amount === null) return null;
  const { toDate: allToDate, forecast: allForecast } = all;
  if (nullable(whole) !== null)
    return { amount, teams: null, toDate: allToDate, forecast: allForecast, isOfAll: true };
  // Without a complete day there is no forecast, not even for teams without costs.
  const own = {
    toDate: plain(toDate),
    forecast: allForecast === null ? null : nullable(forecast),
  };
  const isOfAll = own.toDate === allToDate && own.forecast === allForecast;
  return { amount, teams: Number(number), ...own, isOfAll };
}

const LABEL_NAMES = `CASE label WHEN 'model_id' THEN 'model' WHEN 'project_id' THEN 'project'
  WHEN 'api_key_id' THEN 'key' WHEN 'workspace_id' THEN 'workspace' ELSE label END`;

/**
 * The largest changes since the month before, up to the same day: at most three of each label. Labels with the same two amounts,
 * such as a project and its only key, stand together.
 */
export async function movers(database: Database, currency: string): Promise<Mover[]> {
  const rows = await database.query(`
    WITH latest AS (
      SELECT * FROM cost_movers
      WHERE comparison = 'month_to_date' AND billing_currency = ${literal(currency)}
        AND label IN ('model_id', 'project_id', 'api_key_id', 'team')
      QUALIFY period_start = max(period_start) OVER ()),
    summed AS (
      SELECT label, value, sum(billed_cost) AS billed, sum(previous_billed_cost) AS previous, sum(change) AS change
      FROM latest WHERE value IS NOT NULL GROUP BY label, value),
    ranked AS (
      SELECT *, row_number() OVER (PARTITION BY label ORDER BY abs(change) DESC, value) AS place FROM summed WHERE change <> 0)
    SELECT ${LABEL_NAMES}, value, billed, previous, change FROM ranked
    WHERE place <= ${PER_LABEL} ORDER BY abs(change) DESC, label, value LIMIT ${MOVERS}`);
  const found = new Map<string, Mover>();
  for (const [label = "", value = "", billed = "0", previous = "0", change = "0"] of rows) {
    const key = `${billed} ${previous}`;
    const named = `${label} ${value}`;
    const same = found.get(key)?.names ?? [];
    const amounts = { billed: plain(billed), previous: plain(previous), change: plain(change) };
    found.set(key, { names: [...same, named], ...amounts });
  }
  return [...found.values()];
}

/**
 * Days of the last weeks that cost far from what their weekday used to cost: the largest differences first. Of a day only the
 * finest label is shown that explains at least half of the largest difference.
 */
export async function anomalies(database: Database, currency: string): Promise<Anomaly[]> {
  const rows = await database.query(`
    WITH found AS (
      SELECT *, abs(billed_cost - usual_cost) AS difference,
             max(abs(billed_cost - usual_cost)) OVER (PARTITION BY day) AS largest
      FROM cost_anomalies
      WHERE is_anomaly AND billing_currency = ${literal(currency)} AND (value IS NOT NULL OR label = 'all')
        AND day > (SELECT max(day) FROM cost_anomalies WHERE billing_currency = ${literal(currency)}) - ${NEWS_DAYS}),
    news AS (
      FROM found WHERE 2 * difference >= largest
      QUALIFY row_number() OVER (
        PARTITION BY day
        ORDER BY list_position(['api_key_id', 'project_id', 'model_id', 'team', 'all'], label), difference DESC, value) = 1)
    SELECT day, ${LABEL_NAMES}, coalesce(value, ''), billed_cost, usual_cost, coalesce(why, '') FROM news
    ORDER BY difference DESC, day DESC LIMIT ${ANOMALIES}`);
  return rows.map(([day = "", label = "", value = "", billed = "0", usual = "0", why = ""]) => ({
    day,
    label,
    value,
    billed: plain(billed),
    usual: plain(usual),
    why,
  }));
}

/** Money of earlier days that changed in the last weeks, the newest change first. Changes that look alike are added up. */
export async function changes(database: Database, currency: string): Promise<LateChange[]> {
  const rows = await database.query(`
    WITH of_currency AS (
      SELECT * FROM cost_changes WHERE billing_currency = ${literal(currency)} AND amount_change <> 0)
    SELECT strftime(max(found_at), '%Y-%m-%dT%H:%M:%SZ'), kind, day, coalesce(model_id, project_id, 'no model'),
           count(*), sum(amount_change)
    FROM of_currency
    WHERE found_at > (SELECT max(found_at) FROM of_currency) - INTERVAL ${NEWS_DAYS} DAY
    GROUP BY found_at, kind, day, coalesce(model_id, project_id, 'no model')
    ORDER BY found_at DESC, abs(sum(amount_change)) DESC, day, 4 LIMIT ${CHANGES}`);
  return rows.map(
    ([foundAt = "", kind = "", day = "", what = "", records = "0", change = "0"]) => ({
      foundAt,
      kind,
      day,
      what,
      records: Number(records),
      change: plain(change),
    }),
  );
}

/** Effective cost per million tokens by week, of the models that cost most. */
export async function unitCosts(database: Database, currency: string): Promise<UnitCost[]> {
  const rows = await database.query(`
    WITH priced AS (
      SELECT date_trunc('week', day)::DATE AS week, model_id, effective_cost, quantity FROM unit_costs
      WHERE billing_currency = ${literal(currency)} AND lower(unit) = 'tokens' AND model_id IS NOT NULL
        AND effective_cost IS NOT NULL AND quantity > 0),
    latest AS (SELECT * FROM priced WHERE week > (SELECT max(week) FROM priced) - ${7 * WEEKS}),
    largest AS (
      SELECT model_id FROM latest GROUP BY 1 ORDER BY sum(effective_cost) DESC, 1 LIMIT ${UNIT_MODELS}),
    weeks AS (
      SELECT week, model_id, sum(effective_cost) AS cost, sum(quantity) AS tokens
      FROM latest SEMI JOIN largest USING (model_id) GROUP BY ALL)
    SELECT week, model_id, cost, tokens FROM weeks ORDER BY model_id, week`);
  return rows.map(([week = "", model = "", cost = "0", tokens = "1"]) => ({
    week,
    model,
    perMillion: ratio(cost, tokens, 1_000_000),
  }));
}

/** The running month so far of each team, beside its budget, and of the costs without a team. Empty if no team is known. */
export async function teams(database: Database, currency: string): Promise<TeamBudget[]> {
  const rows = await database.query(`
    WITH clock AS (
      SELECT max(month) AS month FROM monthly_costs WHERE is_running AND billing_currency = ${literal(currency)}),
    running AS (
      SELECT team, sum(to_date_cost) AS billed, CASE WHEN count(*) = count(forecast_cost) THEN sum(forecast_cost) END AS forecast
      FROM team_costs SEMI JOIN clock USING (month)
      WHERE billing_currency = ${literal(currency)} GROUP BY team),
    budgets AS (
      SELECT team, budget FROM budget_status SEMI JOIN clock USING (month)
      WHERE team IS NOT NULL AND billing_currency = ${literal(currency)})
    SELECT coalesce(running.team, budgets.team, 'unallocated'), coalesce(billed, 0), forecast, budget
    FROM running FULL JOIN budgets ON running.team = budgets.team
    WHERE EXISTS (FROM ai_billing_teams) OR EXISTS (FROM budgets)
    ORDER BY coalesce(running.team, budgets.team) IS NULL, coalesce(billed, 0) DESC, 1`);
  return rows.map(([team = "", billed = "0", forecast, budget]) => ({
    team,
    billed: plain(billed),
    forecast: nullable(forecast),
    budget: nullable(budget),
  }));
}
