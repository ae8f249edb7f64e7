/** What finance has to look at: places where inputs and costs do not go together. */
import type { Database } from "./database.ts";
import { plain } from "./decimals.ts";
import { decimal } from "./report/format.ts";

/** Findings of which a summary and the report show the words. */
const SHOWN = 100;

/** All findings in words, those of the most money first. Reads the model `team_map_findings`. */
export async function findingsOf(database: Database): Promise<readonly string[]> {
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

/** Days in words; an empty one is open. */
function daysOf(first: string, last: string): string {
  if (first === last && first !== "") return `on ${first}`;
  if (first === "") return `through ${last}`;
  return last === "" ? `from ${first} on` : `from ${first} through ${last}`;
}
