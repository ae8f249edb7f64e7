/**
 * The parts of models that changed days can change, while the same days are known and complete.
 *
 * `cost_anomalies` (dbt/models/finance/cost_anomalies.sql) compares a day with days before it. All days of a value follow from the first
 * and the last day on which it is charged, and from no amount of a later day. So while the same values are charged on the same days, no
 * row before the first changed day changes.
 *
 * A month of `monthly_costs` and `team_costs` (dbt/macros/months.sql) follows from its own costs and those of the month before. The
 * forecast of a running month follows from the two months before it, and from the weeks before it.
 */

/** The columns that tell the values that are charged on a day, and whether they are compared at all. */
const CHARGED =
  "day, account, base_url, billing_currency, model_id, project_id, workspace_id, api_key_id, charge_category, charge_period_end, is_counted";

/** A query of what is charged in some rows of `current_costs`, each once. */
export const charged = (rows: string): string => `SELECT DISTINCT ${CHARGED} ${rows}`;

/** The condition of the model on the days that have rows. */
const SCORED = "where calendar.day > calendar.scored_after";

/** A value is new on one of its first seven days only. The model needs all seven to find this day. */
const NEW_DAYS = 7;

/**
 * The query of the model for the rows from `day` on. It also makes rows of the six days before. These may be wrong, because they
 * lack the days before them.
 *
 * @throws TypeError if the model has another condition
 */
export function unusualSince(query: string, day: string): string {
  const [before, after, ...more] = query.split(SCORED);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new TypeError("cost_anomalies has another condition on its days");
  }
  return `${before}${SCORED} AND calendar.day > DATE '${day}' - ${NEW_DAYS}${after}`;
}

/** Models of months. */
export const OF_MONTHS: readonly string[] = ["monthly_costs", "team_costs"];

/** A running month is that of the newest complete day of an account. */
const MADE_MONTHS = `
  SELECT unnest([month, month + INTERVAL 1 MONTH])::DATE AS month
  FROM (SELECT DISTINCT date_trunc('month', day) AS month FROM shown_days)
  UNION ALL SELECT DISTINCT date_trunc('month', through_day)::DATE FROM ai_billing__calendar_costs`;

/** Whether a row is of a month that the days of `shown_days` can change. */
export const IN_MADE_MONTHS = `month IN (${MADE_MONTHS})`;

const COSTS = '"ai_billing__owned_costs"';

/** The query of a model of months, which makes at least the months that changed. @throws TypeError if it reads no costs */
export function ofSomeMonths(query: string): string {
  if (!query.includes(COSTS)) throw new TypeError(`a model of months reads no ${COSTS}`);
  const costs = `(
    SELECT * FROM ${COSTS}
    WHERE date_trunc('month', day) IN (
      SELECT unnest([month, month - INTERVAL 1 MONTH, month - INTERVAL 2 MONTH]) FROM (${MADE_MONTHS})))`;
  return query.replaceAll(COSTS, costs);
}
