/** The forecast of the running month over all accounts, and the range in which the month will probably end. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { plain } from "../decimals.ts";
import { PLACE } from "./clock.ts";
import type { Headline } from "./model.ts";

/** The condition for rows of active accounts: those with costs in the two newest months. The other accounts have no forecast. */
export const ACTIVE = `${PLACE} IN (SELECT place FROM report_accounts WHERE is_active)`;

export const nullable = (text: string | undefined): string | null =>
  text === undefined || text === "null" ? null : plain(text);

/** Complete days of the month that a forecast needs, as in the model `monthly_costs`. */
const FORECAST_DAYS = 7;

type Forecast = Pick<Headline, "forecast" | "forecastMethod" | "range">;

interface Month extends Pick<Headline, "month" | "throughDay" | "toDate" | "isOver"> {
  readonly currency: string;
}

const noForecast = (forecastMethod: string): Forecast => ({
  forecast: null,
  forecastMethod,
  range: null,
});

/** Why no forecast holds: accounts that are behind, or that lack the first days of the month. Empty if there are none. */
function gapWords({ behind, unread }: Pick<Headline, "behind" | "unread">): string {
  const none = behind.filter(({ isUnread }) => isUnread).map(({ name }) => name);
  const late = behind.filter(({ isUnread }) => !isUnread).map(({ name }) => name);
  return [
    ...(none.length === 0 ? [] : [`the costs of ${none.join(", ")} were never read`]),
    ...(late.length === 0 ? [] : [`${late.join(", ")} ${late.length === 1 ? "is" : "are"} behind`]),
    ...(unread.length === 0 ? [] : ["not all days of the month were read"]),
  ].join(", and ");
}

/** The forecast of all accounts together; of a month that is over its sum. There is none if a cost of it is not known. */
export async function forecastOf(
  database: Asked,
  { currency, month, throughDay, toDate, isOver }: Month,
  gaps: Pick<Headline, "behind" | "unread" | "isWhole">,
): Promise<Forecast> {
  const why = gapWords(gaps);
  if (why !== "") return noForecast(why);
  if (isOver) {
    return gaps.isWhole
      ? { forecast: toDate, forecastMethod: "the month is over", range: null }
      : noForecast("not all days of the month were read");
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
 * the model. An account that has finished the month already, while others have not, has no width.
 */
async function rangeOf(database: Asked, where: string): Promise<Headline["range"]> {
  const [[low, high] = []] = await database.query(`
    WITH sides AS (
      SELECT forecast_cost, forecast_cost - forecast_low AS below, forecast_high - forecast_cost AS above, 1 AS running
      FROM month_forecasts WHERE ${where}
      UNION ALL
      SELECT sum(forecast_cost), 0, 0, 0 FROM monthly_costs WHERE ${where} AND NOT is_running),
    widths AS (
      SELECT sum(forecast_cost) AS forecast,
             CASE sum(running) WHEN 1 THEN sum(below) ELSE sqrt(sum(below::DOUBLE ** 2))::DECIMAL(38, 6)::DECIMAL(38, 18) END AS below,
             CASE sum(running) WHEN 1 THEN sum(above) ELSE sqrt(sum(above::DOUBLE ** 2))::DECIMAL(38, 6)::DECIMAL(38, 18) END AS above
      FROM sides WHERE forecast_cost IS NOT NULL OR running = 1
      HAVING sum(running) > 0 AND count(*) = count(below))
    SELECT forecast - below, forecast + above FROM widths`);
  return low === undefined || high === undefined ? null : { low: plain(low), high: plain(high) };
}
