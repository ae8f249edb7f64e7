/** The figures of the summary: what a person reads first of each currency, at the end of a sync. */
import type { Asked } from "../database.ts";
import { plain } from "../decimals.ts";
import type { Answers } from "./answers.ts";
import { TO_DATE } from "./clock.ts";
import type { Largest, MonthSum, Overview, Screen } from "./model.ts";
import { claimOf } from "./words.ts";

/** Models, and keys, that the summary names. */
const LARGEST = 3;

/** Adds the figures that the page has in its charts and tables. */
export async function overviewsOf(
  answers: Answers,
  screens: readonly Screen[],
): Promise<Overview[]> {
  const overviews: Overview[] = [];
  for (const screen of screens) {
    answers.about(screen.currency);
    overviews.push({
      ...screen,
      claim: claimOf(screen),
      months: await monthsOf(answers),
      ...(await totalsOf(answers)),
      models: await largestOf(answers, "model_id"),
      keys: await largestOf(answers, "api_key_name"),
    });
  }
  return overviews;
}

/**
 * The running month up to the day of the page, and the two months before it. An account that ended, with no cost in a month and the one
 * before it, says nothing about the month, as in the headline.
 */
async function monthsOf(database: Asked): Promise<MonthSum[]> {
  const rows = await database.query(`
    WITH months AS (
      SELECT unnest([month, previous_month, (previous_month - INTERVAL 1 MONTH)::DATE]) AS month, through_day FROM report_clock),
    spans AS (
      SELECT months.month, least(last_day(months.month), through_day) AS last_day FROM months),
    spending AS (SELECT place, max(day) AS last_cost FROM report_costs WHERE records > 0 GROUP BY place),
    known AS (
      SELECT month, accounts.place, is_active, count(days.day) AS days, last_day - month + 1 AS expected,
             CASE WHEN is_active THEN last_cost IS NOT NULL OR known_day IS NULL
                  ELSE coalesce(last_cost >= month - INTERVAL 1 MONTH, false) END AS is_concerned
      FROM spans CROSS JOIN report_accounts AS accounts LEFT JOIN spending USING (place)
      LEFT JOIN report_days AS days ON days.place = accounts.place AND days.day BETWEEN month AND last_day AND days.is_complete
      GROUP BY ALL),
    read AS (
      SELECT month, bool_and(days = expected) AS is_whole, bool_and(days = 0) AS is_unread FROM known
      -- If a currency has costs of none of them, each account may have some.
      WHERE is_concerned OR (is_active AND month NOT IN (SELECT month FROM known WHERE is_concerned))
      GROUP BY month)
    SELECT spans.month, (
             SELECT coalesce(sum(billed_cost), 0) FROM report_costs WHERE records > 0 AND day BETWEEN spans.month AND spans.last_day),
           is_whole, is_unread
    FROM spans LEFT JOIN read USING (month) WHERE spans.month IS NOT NULL ORDER BY spans.month DESC`);
  return rows.map(([month = "", amount = "0", isWhole, isUnread]) => {
    const billed = plain(amount);
    if (isWhole === "true") return { month, billed, read: "whole" };
    return { month, billed, read: isUnread === "true" && billed === "0" ? "none" : "part" };
  });
}

/** All costs, and those after the day with which the page ends. */
async function totalsOf(database: Asked): Promise<Pick<Overview, "all" | "later">> {
  const [[billed = "0", since = "null", later = "0"] = []] = await database.query(`
    SELECT coalesce(sum(billed_cost), 0), min(day), coalesce(sum(billed_cost) FILTER (day > through_day), 0)
    FROM report_costs CROSS JOIN report_clock WHERE records > 0`);
  return {
    all: { since: since === "null" ? null : since, billed: plain(billed) },
    later: plain(later),
  };
}

/** The values of a label with the largest costs in the running month. */
async function largestOf(database: Asked, column: string): Promise<Largest[]> {
  const rows = await database.query(`
    SELECT ${column}, sum(billed_cost) FROM ${TO_DATE} WHERE ${column} IS NOT NULL
    GROUP BY 1 HAVING sum(billed_cost) <> 0 ORDER BY 2 DESC, 1 LIMIT ${LARGEST}`);
  return rows.map(([value = "", billed = "0"]) => ({ value, billed: plain(billed) }));
}
