/**
 * The day that holds for the whole page, and the days that may be compared. Queries of the page read the tables that are made here:
 *
 * - `report_days`: each known day of costs of each account, and whether a reading covers all of it
 * - `report_unread`: the accounts of which no day of costs was ever read; `reported`: the places of their other rows
 * - `report_asked`: the accounts that the last sync was to read, where the database knows them
 * - `report_accounts`: each account with its newest complete day, and whether it takes part in comparisons
 * - `report_clock`: the running month and its last day on the page; one row
 * - `report_shared_ids`: the projects, workspaces and keys whose id several accounts have, and the name of each of these accounts
 * - `report_pairs`: the days of each account that were read in this month and in the month before
 * - `report_costs`: the costs of one currency, by day and label, with their team
 */
import { belongs } from "../accounts.ts";
import { literal } from "../columns.ts";
import type { Asked, Database } from "../database.ts";
import { plain } from "../decimals.ts";
import { modelQuery } from "../models.ts";
import type { Ahead, Behind, Comparison, Reach, Unread } from "./model.ts";

/** An account that is more days behind the others leaves the comparisons, because otherwise it would hold up all of them. */
const DAYS_BEHIND = 3;

/** Account and address in one, for joins. */
export const PLACE = "coalesce(base_url, '') || ' ' || coalesce(account, '')";

/** The name of an account in a table: its label, or its address without one. If two addresses have one label, they have both. */
export const nameIn = (table: string): string => `CASE
  WHEN account IN (SELECT account FROM ${table} WHERE account IS NOT NULL GROUP BY account HAVING count(DISTINCT base_url) > 1)
  THEN account || ' at ' || base_url ELSE coalesce(account, base_url, '') END`;

/** Makes `report_days`, `report_unread` and `report_asked`, of which all other tables of this file and the models are made. */
export async function makeDays(database: Database): Promise<void> {
  await database.run(`
    CREATE OR REPLACE TEMP TABLE report_days AS
    SELECT ${PLACE} AS place, any_value(${nameIn("completeness")}) AS name, day,
           coalesce(bool_or(status <> 'incomplete' AND covered_through >= CAST(day + 1 AS TIMESTAMP)), false) AS is_complete,
           bool_and(status = 'proven') AS is_proven
    FROM completeness WHERE dataset = 'costs' GROUP BY place, day`);
  // Only the file of a sync knows the accounts that it was to read; the file of an earlier version knows not all of this.
  const known = await database.query(`
    SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'source_ai_billing'`);
  const isKnown = (name: string): boolean => known.some(([table]) => table === name);
  const hasAccounts = isKnown("accounts") && isKnown("states");
  await database.run(
    `CREATE OR REPLACE TEMP TABLE report_unread AS ${hasAccounts ? UNREAD : "SELECT '' AS place, '' AS name, [''] AS reported WHERE false"}`,
  );
  await database.run(
    `CREATE OR REPLACE TEMP TABLE report_asked AS ${hasAccounts && isKnown("asked") ? ASKED : "SELECT '' AS place WHERE false"}`,
  );
}

/**
 * A query of the accounts of `source_ai_billing` of which no day of costs was ever read. An account without any state counts; the state
 * of an account without a stream of costs has other streams only.
 */
export const UNREAD_ACCOUNTS = `
  SELECT accounts.* FROM source_ai_billing.accounts AS accounts
  WHERE NOT EXISTS (
      FROM completeness AS known WHERE known.dataset = 'costs' AND ${belongs("known", "accounts")})
    AND coalesce((
      SELECT bool_or(stream = 'costs') FROM source_ai_billing.states AS held
      WHERE held.base_url = accounts.base_url AND held.account = accounts.account), true)`;

const UNREAD = `
  SELECT ${PLACE} AS place, coalesce(nullif(account, ''), nullif(name, ''), base_url) AS name, (
           SELECT list(DISTINCT concat(reported.base_url, ' ', reported.account)) FROM completeness AS reported
           WHERE ${belongs("reported", "unread")}) AS reported
  FROM (${UNREAD_ACCOUNTS}) AS unread`;

/** An account that has rows under several names, such as a label of earlier times, has the one of its newest day. */
const ASKED = `
  SELECT DISTINCT max_by(place, known_day) AS place
  FROM source_ai_billing.asked AS accounts, (
    SELECT ${PLACE} AS place, base_url, account, max(day) AS known_day FROM completeness WHERE dataset = 'costs' GROUP BY ALL) AS held
  WHERE ${belongs("held", "accounts")} GROUP BY accounts.base_url, accounts.account`;

/** A query of the accounts with a cost since the first day of the month before that of `day`. The others ended before. */
export const spendingSince = (day: string): string => `
  SELECT DISTINCT ${PLACE} AS place FROM daily_costs
  WHERE records > 0 AND daily_costs.day >= date_trunc('month', ${day}) - INTERVAL 1 MONTH`;

/** The statements that make the other tables that are the same for all currencies. */
const CLOCK: readonly string[] = [
  // An account without costs in the two newest months says nothing about them. If that is true of all accounts, each of them counts.
  // Nobody knows whether an account that was never read has costs. So such an account counts, without any day. So does one that the
  // last sync was to read, and that had costs in the last two months of its own, but was read no more since.
  `
    CREATE OR REPLACE TEMP TABLE report_accounts AS
    WITH known AS (
      SELECT place, any_value(name) AS name, min(day) AS first_day, max(day) FILTER (is_complete) AS through_day, max(day) AS known_day
      FROM report_days GROUP BY place),
    newest AS (SELECT coalesce(max(through_day), max(known_day)) AS day FROM known),
    spending AS (
      ${spendingSince("(SELECT newest.day FROM newest)")}
      UNION
      SELECT place FROM known SEMI JOIN report_asked USING (place)
      JOIN (SELECT ${PLACE} AS place, max(day) AS last_cost FROM daily_costs WHERE records > 0 GROUP BY 1) AS costs USING (place)
      WHERE coalesce(through_day, known_day) < (SELECT newest.day FROM newest) - ${DAYS_BEHIND}
        AND last_cost >= date_trunc('month', known_day) - INTERVAL 1 MONTH),
    judged AS (
      SELECT *, (place IN (FROM spending) OR NOT EXISTS (FROM known SEMI JOIN spending USING (place))) AS is_active FROM known
      UNION ALL
      SELECT place, name, NULL, NULL, NULL, true FROM report_unread)
    SELECT *, is_active AND max(through_day) FILTER (is_active) OVER () IS NOT NULL
             AND (through_day IS NULL OR through_day < max(through_day) FILTER (is_active) OVER () - ${DAYS_BEHIND}) AS is_behind
    FROM judged`,
  `
    CREATE OR REPLACE TEMP TABLE report_clock AS
    WITH ends AS (
      SELECT coalesce(min(through_day), min(known_day)) AS through_day, bool_and(through_day IS NOT NULL) AS has_complete_day
      FROM report_accounts WHERE is_active AND NOT is_behind)
    SELECT through_day, coalesce(has_complete_day, false) AS has_complete_day,
           date_trunc('month', through_day)::DATE AS month,
           (date_trunc('month', through_day) - INTERVAL 1 MONTH)::DATE AS previous_month
    FROM ends`,
  // A day that the month before does not have, such as the 31st, is compared with all of that month. So it takes part only if every
  // account was read on all days of both months: the days of a part of the month before would stand against more days of this one.
  `
    CREATE OR REPLACE TEMP TABLE report_pairs AS
    WITH paired AS (
      SELECT now.place, now.day, earlier.day AS previous_day, clock.through_day - clock.month + 1 AS days
      FROM report_clock AS clock
      JOIN report_days AS now ON now.day BETWEEN clock.month AND clock.through_day
      JOIN report_accounts AS accounts ON accounts.place = now.place AND NOT accounts.is_behind
      LEFT JOIN report_days AS earlier
        ON earlier.place = now.place AND earlier.is_complete AND earlier.day < clock.month
        AND earlier.day = clock.previous_month + (now.day - clock.month)::INTEGER
      WHERE now.is_complete
        AND (earlier.day IS NOT NULL OR clock.previous_month + (now.day - clock.month)::INTEGER >= clock.month)),
    uneven AS (
      SELECT 1 FROM report_accounts AS accounts LEFT JOIN paired USING (place)
      WHERE is_active AND NOT is_behind GROUP BY accounts.place HAVING count(paired.day) < coalesce(max(days), 1))
    SELECT place, day, previous_day FROM paired WHERE previous_day IS NOT NULL OR NOT EXISTS (FROM uneven)`,
  // An id is unique within an account only.
  `
    CREATE OR REPLACE TEMP TABLE report_shared_ids AS
    WITH rows_ AS (SELECT DISTINCT ${PLACE} AS place, project_id, workspace_id, api_key_id FROM daily_costs WHERE records > 0),
    ids AS (
      SELECT DISTINCT place, label, value FROM (
        SELECT place, unnest(['project_id', 'workspace_id', 'api_key_id']) AS label, unnest([project_id, workspace_id, api_key_id]) AS value
        FROM rows_)
      WHERE value IS NOT NULL)
    SELECT label, value, place, accounts.name FROM ids JOIN report_accounts AS accounts USING (place)
    QUALIFY count(*) OVER (PARTITION BY label, value) > 1`,
];

export async function makeClock(database: Database): Promise<void> {
  for (const statement of CLOCK) await database.run(statement);
}

/** The source of {@link makeCosts} for all currencies together: the costs that have a rate, in the reporting currency. */
export const CONVERTED = `
  SELECT * REPLACE (converted_billed_cost AS billed_cost) FROM converted_costs WHERE converted_billed_cost IS NOT NULL`;

/** The source of {@link makeCosts} for one currency. */
export const ofCurrency = (currency: string): string =>
  `SELECT * FROM daily_costs WHERE billing_currency = ${literal(currency)}`;

/**
 * The costs of a source with their teams. The team of a key comes before that of its project, and this before that of its workspace,
 * each on the day of the cost, as in the model `team_costs`.
 */
const withTeams = (source: string): string => `
  SELECT daily.*, ${PLACE} AS place, coalesce(by_key.team, by_project.team, by_workspace.team) AS team
  FROM (${source}) AS daily
  LEFT JOIN report_teams AS by_key
    ON by_key.label = 'api_key_id' AND by_key.value = daily.api_key_id
    AND daily.day >= by_key.first_day AND daily.day < by_key.end_day
  LEFT JOIN report_teams AS by_project
    ON by_project.label = 'project_id' AND by_project.value = daily.project_id
    AND daily.day >= by_project.first_day AND daily.day < by_project.end_day
  LEFT JOIN report_teams AS by_workspace
    ON by_workspace.label = 'workspace_id' AND by_workspace.value = daily.workspace_id
    AND daily.day >= by_workspace.first_day AND daily.day < by_workspace.end_day`;

const withoutTeams = (source: string): string =>
  `SELECT daily.*, ${PLACE} AS place, NULL::VARCHAR AS team FROM (${source}) AS daily`;

/** A source of costs in which an id that several accounts have shows with the account: two keys are never one. */
function withAccounts(source: string): string {
  const labels = ["project", "workspace", "api_key"];
  const names = labels.map(
    (label) =>
      `coalesce(daily.${label}_name || ' of ' || by_${label}.name, daily.${label}_name) AS ${label}_name`,
  );
  const joins = labels.map(
    (label) => `
    LEFT JOIN report_shared_ids AS by_${label}
      ON by_${label}.label = '${label}_id' AND by_${label}.value = daily.${label}_id AND by_${label}.place = ${PLACE}`,
  );
  return `SELECT daily.* REPLACE (${names.join(", ")}) FROM (${source}) AS daily ${joins.join("")}`;
}

/** All that the tables of this file follow from, besides `report_days`, `report_unread`, `report_asked` and the models. */
export const DEFINITIONS = [...CLOCK, withTeams(""), withoutTeams(""), withAccounts("")].join("\n");

/**
 * Makes one currency's costs, and shows them as `report_costs`. Without a team, and without an id of several accounts, nothing is copied.
 *
 * @param number tells the tables of several currencies apart
 */
export async function makeCosts(database: Database, source: string, number = 0): Promise<void> {
  await database.run(
    `CREATE OR REPLACE TEMP TABLE report_teams AS ${await modelQuery("ai_billing__teams")}`,
  );
  const hasTeams = (await database.query("SELECT 1 FROM report_teams LIMIT 1")).length > 0;
  const isShared = (await database.query("SELECT 1 FROM report_shared_ids LIMIT 1")).length > 0;
  const named = isShared ? withAccounts(source) : source;
  const whole = hasTeams ? withTeams(named) : withoutTeams(named);
  const table = `report_costs_of_teams_${number}`;
  const isCopied = hasTeams || isShared;
  if (isCopied) await database.run(`CREATE OR REPLACE TEMP TABLE ${table} AS ${whole}`);
  await database.run(
    `CREATE OR REPLACE TEMP VIEW report_costs_${number} AS ${isCopied ? `FROM ${table}` : whole}`,
  );
  await showCosts(database, number);
}

/** Shows a table of {@link makeCosts} as `report_costs`. */
export const showCosts = (database: Database, number: number): Promise<void> =>
  database.run(`CREATE OR REPLACE TEMP VIEW report_costs AS FROM report_costs_${number}`);

/** The costs of both months on the days that were read in both, each with `billed` or `previous`. Without costs it has no rows. */
export const COMPARED = `(
  SELECT costs.*, billed_cost AS billed, 0::DECIMAL(38, 18) AS previous
  FROM report_costs AS costs JOIN report_pairs AS pairs ON pairs.place = costs.place AND pairs.day = costs.day
  WHERE records > 0
  UNION ALL
  SELECT costs.*, 0, billed_cost
  FROM report_costs AS costs JOIN report_pairs AS pairs ON pairs.place = costs.place AND pairs.previous_day = costs.day
  WHERE records > 0)`;

/** The costs of the running month up to the day of the page. */
export const TO_DATE =
  "(SELECT costs.* FROM report_costs AS costs JOIN report_clock AS clock ON costs.day BETWEEN clock.month AND clock.through_day)";

/** The first of the two months whose costs make an account concerned. One that was not read in them has those of its own end. */
const CONCERNED_SINCE = `CASE WHEN known_day < clock.previous_month AND is_active
  THEN date_trunc('month', known_day) - INTERVAL 1 MONTH ELSE clock.previous_month END`;

/** Accounts with costs of the currency in the two months; if there are none, all that the page is about. Those never read may have some. */
const CONCERNED = `(
  WITH spending AS (
    SELECT DISTINCT costs.place FROM report_costs AS costs JOIN report_accounts AS accounts ON accounts.place = costs.place
    JOIN report_clock AS clock ON costs.day BETWEEN ${CONCERNED_SINCE} AND clock.through_day WHERE records > 0)
  FROM spending
  UNION ALL
  SELECT place FROM report_accounts
  WHERE is_active AND (NOT EXISTS (FROM spending) OR known_day IS NULL))`;

/**
 * The accounts that are concerned, each with the days of the month up to that of the page, and what was read of them. `is_unread` is true for
 * a day that was never read although later ones were: before the first day, or in a gap that a provider's retention leaves.
 */
export const DAYS_CONCERNED = `(
  SELECT accounts.place, days.day, coalesce(is_complete, false) AS is_complete, coalesce(is_proven, false) AS is_proven,
         coalesce(known.day IS NULL AND days.day < coalesce(accounts.through_day, known_day), false) AS is_unread,
         known_day IS NOT NULL AS is_known
  FROM (
    SELECT unnest(generate_series(month::TIMESTAMP, through_day::TIMESTAMP, INTERVAL 1 DAY))::DATE AS day FROM report_clock) AS days
  CROSS JOIN (FROM report_accounts SEMI JOIN ${CONCERNED} AS concerned USING (place)) AS accounts
  LEFT JOIN report_days AS known ON known.place = accounts.place AND known.day = days.day)`;

/** A condition: an account is behind, or lacks days of the running month. Then no forecast of any budget holds. */
export const HAS_GAPS = `EXISTS (
  SELECT 1 FROM report_accounts AS accounts CROSS JOIN report_clock AS running
  LEFT JOIN report_days AS days ON days.place = accounts.place AND days.day BETWEEN running.month AND running.through_day
  WHERE is_active GROUP BY accounts.place, is_behind, known_day, running.month, running.through_day
  HAVING is_behind OR known_day IS NULL OR count(days.day) <= running.through_day - running.month)`;

/** The comparison of the two months; null if no day of an account with costs was read in both. */
export async function comparison(database: Asked): Promise<Comparison | null> {
  const [row = []] = await database.query(`
    WITH expected AS (
      SELECT place, (SELECT through_day - month + 1 FROM report_clock) AS days, count(pairs.day) AS paired,
             count(pairs.previous_day) AS both_
      FROM ${CONCERNED} LEFT JOIN report_pairs AS pairs USING (place) GROUP BY place),
    taking AS (FROM expected ANTI JOIN (FROM report_accounts WHERE is_behind) USING (place))
    SELECT (SELECT coalesce(sum(both_), 0) FROM taking), (SELECT coalesce(bool_and(paired = days), true) FROM taking),
           (SELECT CASE WHEN min(paired) = max(paired) THEN max(paired) END FROM taking),
           (SELECT coalesce(sum(billed), 0) FROM ${COMPARED}), (SELECT coalesce(sum(previous), 0) FROM ${COMPARED}),
           (SELECT CASE WHEN through_day - month >= day(last_day(previous_month)) THEN day(last_day(previous_month)) END
            FROM report_clock)`);
  const [paired = "0", isWhole, days = "null", billed = "0", previous = "0", longer = "null"] = row;
  if (Number(paired) === 0) return null;
  return {
    billed: plain(billed),
    previous: plain(previous),
    isWhole: isWhole === "true",
    days: days === "null" ? null : Number(days),
    previousDays: longer === "null" ? null : Number(longer),
  };
}

/** The accounts that left the comparisons, with their costs since the first of the month before. */
export async function behind(database: Asked): Promise<Behind[]> {
  const rows = await database.query(`
    SELECT name, accounts.through_day, coalesce(sum(billed_cost) FILTER (costs.day >= clock.previous_month), 0), false
    FROM report_accounts AS accounts
    JOIN report_costs AS costs ON costs.place = accounts.place AND costs.records > 0
    JOIN report_clock AS clock ON costs.day BETWEEN ${CONCERNED_SINCE} AND clock.through_day
    WHERE is_behind GROUP BY ALL
    UNION ALL
    SELECT name, NULL, 0, true FROM report_accounts WHERE known_day IS NULL
    ORDER BY 1, 2`);
  return rows.map(([name = "", through = "null", billed = "0", isUnread]) => ({
    name,
    throughDay: through === "null" ? null : through,
    billed: plain(billed),
    isUnread: isUnread === "true",
  }));
}

/** The days of the running month that were never read, of each account: one row for days that follow one another. */
export async function unread(database: Asked): Promise<Unread[]> {
  const rows = await database.query(`
    WITH numbered AS (
      SELECT place, day, day - row_number() OVER (PARTITION BY place ORDER BY day)::INTEGER AS run
      FROM ${DAYS_CONCERNED} WHERE is_unread)
    SELECT CASE WHEN (SELECT count(*) FROM report_accounts) > 1 THEN name END, min(day), max(day), count(*)
    FROM numbered JOIN report_accounts USING (place) GROUP BY place, name, run ORDER BY 1, 2, 3`);
  return rows.map(([name = "null", from = "", through = "", days = "0"]) => ({
    name: name === "null" ? null : name,
    from,
    through,
    days: Number(days),
  }));
}

/** The accounts at which the page ends, and the costs of complete days that others have after it; null if there are none. */
export async function ahead(database: Asked): Promise<Ahead | null> {
  const [[billed = "null"] = []] = await database.query(`
    SELECT sum(billed_cost) FROM report_costs AS costs
    JOIN report_accounts AS accounts ON accounts.place = costs.place AND NOT is_behind
    JOIN report_days AS days ON days.place = costs.place AND days.day = costs.day AND days.is_complete
    JOIN report_clock AS clock ON costs.day > clock.through_day WHERE records > 0`);
  if (billed === "null") return null;
  const names = await database.query(`
    SELECT name FROM report_accounts AS accounts SEMI JOIN report_clock USING (through_day)
    WHERE is_active ORDER BY 1`);
  return { names: names.map(([name = ""]) => name), billed: plain(billed) };
}

/** The first and last cost of each account, and its unbroken runs of complete days, as offsets from the first day of the page. */
export async function reaches(database: Asked, firstDay: string | undefined): Promise<Reach[]> {
  if (firstDay === undefined) return [];
  const since = `DATE ${literal(firstDay)}`;
  const rows = await database.query(`
    WITH spans AS (
      SELECT place, min(day) - ${since} AS from_, max(day) - ${since} + 1 AS to_ FROM report_costs WHERE records > 0 GROUP BY place),
    numbered AS (
      SELECT place, day, day - row_number() OVER (PARTITION BY place ORDER BY day)::INTEGER AS run
      FROM report_days WHERE is_complete)
    SELECT spans.place, any_value(from_), any_value(to_), min(day) - ${since}, max(day) - ${since} + 1
    FROM spans LEFT JOIN numbered USING (place) GROUP BY spans.place, run ORDER BY 1, 4`);
  const found = new Map<string, Reach>();
  for (const [place = "", ...numbers] of rows) {
    const [from = 0, to = 0, start = NaN, end = NaN] = numbers.map(Number);
    const earlier = found.get(place)?.read ?? [];
    found.set(place, {
      from,
      to,
      read: Number.isNaN(start) ? earlier : [...earlier, { from: start, to: end }],
    });
  }
  return [...found.values()];
}
