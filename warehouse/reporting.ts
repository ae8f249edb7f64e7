/** The reporting currency: the one in which costs of several currencies are added up, beside their own amounts. */
import { literal } from "./columns.ts";
import type { Asked, Database } from "./database.ts";
import { plain } from "./decimals.ts";
import { HAS_GAPS } from "./report/clock.ts";
import type { Reporting, ReportingBudget } from "./report/model.ts";
import { costWords } from "./report/words.ts";

/** The table that holds the currency: one row, or none. The models read it. */
export const CURRENCY_TABLE = "ai_billing_reporting_currency";

/** Turns the conversion off. */
export const NO_CURRENCY = "none";

/** Keeps the currency for this sync and those after it. Without one, that of an earlier sync stays. */
export async function storeCurrency(
  database: Database,
  currency: string | undefined,
): Promise<void> {
  if (currency === undefined) return;
  await database.run(`DELETE FROM ${CURRENCY_TABLE}`);
  if (currency !== NO_CURRENCY) await database.append(CURRENCY_TABLE, [[currency]]);
}

/**
 * The costs of all currencies in the reporting currency; null without one, and where all costs are in it already. Reads the clock of
 * the report.
 */
export async function reportingOf(database: Asked): Promise<Reporting | null> {
  const [row = []] = await database.query(`
    SELECT any_value(reporting_currency), count(*) FILTER (billing_currency IS DISTINCT FROM reporting_currency),
           coalesce(sum(converted_billed_cost) FILTER (day BETWEEN month AND through_day), 0),
           coalesce(sum(converted_billed_cost) FILTER (day > through_day AND day <= last_day(month)), 0),
           coalesce(sum(converted_billed_cost), 0)
    FROM converted_costs CROSS JOIN report_clock`);
  const [currency = "null", others = "0", toDate = "0", later = "0", all = "0"] = row;
  if (currency === "null" || others === "0") return null;
  const rows = await database.query(`
    SELECT coalesce(billing_currency, ''), sum(billed_cost), min(first_day), max(last_day) FROM costs_without_rate
    GROUP BY 1 ORDER BY 1`);
  return {
    currency,
    toDate: plain(toDate),
    later: plain(later),
    all: plain(all),
    budgets: await budgetsOf(database),
    missing: rows.map(([of = "", billed = "0", firstDay = "", lastDay = ""]) => ({
      currency: of,
      billed: plain(billed),
      firstDay,
      lastDay,
    })),
  };
}

/**
 * The budgets in the reporting currency whose month or fiscal year is running. They count the costs of all accounts, so none has a
 * forecast while an account is behind.
 */
async function budgetsOf(database: Asked): Promise<ReportingBudget[]> {
  const rows = await database.query(`
    SELECT label, coalesce(shown, value, ''),
           coalesce(', FY' || fiscal_year, '') || coalesce(', not all read before ' || strftime(known_from, '%B %-d, %Y'), ''),
           budget, billed_cost, CASE WHEN NOT ${HAS_GAPS} THEN forecast_cost END
    FROM budget_status JOIN report_clock AS clock ON clock.month BETWEEN first_month AND last_month
    LEFT JOIN (SELECT label, value, shown FROM label_names) AS names USING (label, value)
    WHERE is_converted ORDER BY budget = 0 AND billed_cost > 0 DESC, billed_cost / nullif(budget, 0) DESC, 1, 2, 3`);
  return rows.map(
    ([label = "", value = "", period = "", budget = "0", billed = "0", forecast = "null"]) => ({
      name: `${costWords(label, value)}${period}`,
      budget: plain(budget),
      billed: plain(billed),
      forecast: forecast === "null" ? null : plain(forecast),
    }),
  );
}

/** Whether the costs of a period are in several currencies, so that a sum in the reporting currency says something new. */
export const reportingWithin = async (
  database: Asked,
  { from, through }: { readonly from: string; readonly through: string },
): Promise<string | null> => {
  const [[currency = "null"] = []] = await database.query(`
    SELECT any_value(reporting_currency) FROM converted_costs
    WHERE day BETWEEN DATE ${literal(from)} AND DATE ${literal(through)} AND billing_currency IS DISTINCT FROM reporting_currency`);
  return currency === "null" ? null : currency;
};
