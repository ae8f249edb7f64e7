/** Findings for finance: places where inputs and costs do not go together. */
import type { Asked } from "./database.ts";
import { plain } from "./decimals.ts";
import { decimal } from "./report/format.ts";
import { costWords } from "./report/words.ts";

/** The most findings of each kind that a summary and the report show. */
const SHOWN = 100;

/** All findings in words. Reads the models `team_map_findings` and `budget_status`. */
export const findingsOf = async (database: Asked): Promise<readonly string[]> => [
  ...(await spentBudgets(database)),
  ...(await teamMapFindings(database)),
];

/**
 * The exceeded budgets of the running month or fiscal year. Monthly budgets of teams and of all costs are left out: the first
 * screen shows them.
 */
async function spentBudgets(database: Asked): Promise<readonly string[]> {
  const rows = await database.query(`
    SELECT budgets.label, coalesce(shown, budgets.value, ''), coalesce('FY' || fiscal_year, strftime(first_month, '%Y-%m')),
           billing_currency, billed_cost, budget
    FROM budget_status AS budgets
    LEFT JOIN label_names AS names ON names.label = budgets.label AND names.value = budgets.value
    WHERE is_over AND (fiscal_year IS NOT NULL OR budgets.label NOT IN ('all', 'team'))
      AND (SELECT date_trunc('month', max(through_day)) FROM monthly_costs) BETWEEN first_month AND last_month
    ORDER BY 3, billed_cost - budget DESC, 1, 2, 4 LIMIT ${SHOWN}`);
  return rows.map(
    ([label = "", value = "", period = "", currency = "", billed = "0", budget = "0"]) =>
      `${costWords(label, value)} of ${period} came to ${decimal(plain(billed))} ${currency}, ` +
      `more than the budget of ${decimal(plain(budget))}`,
  );
}

/** Days on which the team map is not clear; those of the most money first. */
async function teamMapFindings(database: Asked): Promise<readonly string[]> {
  const rows = await database.query(`
    SELECT finding, label, coalesce(shown, value), coalesce(first_day::VARCHAR, ''), coalesce(last_day::VARCHAR, ''),
           coalesce(team, ''), coalesce(other_team, ''), coalesce(billing_currency, ''), billed_cost
    FROM team_map_findings LEFT JOIN label_names USING (label, value)
    ORDER BY abs(billed_cost) DESC, 1, 2, 3, 4, 5, 8 LIMIT ${SHOWN}`);
  return rows.map(
    ([
      finding = "",
      label = "",
      value = "",
      first = "",
      last = "",
      team = "",
      otherTeam = "",
      currency = "",
      billed = "0",
    ]) => {
      const what = `${label} ${value}`;
      const days = daysOf(first, last);
      const cost = currency === "" ? "" : `${decimal(plain(billed))} ${currency}`;
      const lost = cost === "" ? "" : `; ${cost} of these days belong to no team`;
      if (finding === "overlap")
        return `${what} has the teams ${team} and ${otherTeam} ${days}, so neither counts${lost}`;
      if (finding === "gap")
        return `${what} has no team ${days}, between two rows of the team map${lost}`;
      return `${what} costs ${cost} ${days}, outside the days of its rows of the team map`;
    },
  );
}

/** Days in words. An empty `first` or `last` means that there is no bound. */
function daysOf(first: string, last: string): string {
  if (first === last && first !== "") return `on ${first}`;
  if (first === "") return `through ${last}`;
  return last === "" ? `from ${first} on` : `from ${first} through ${last}`;
}
