/** For tests: the database of a sync with costs that `close` can close. */
import { literal } from "./columns.ts";
import { Database } from "./database.ts";
import { openEmpty, prepareTables } from "./testing_refresh.ts";

/** A reading and its records. Days are texts such as 2026-10-01; `end` is the day after the last one. */
interface Reading {
  readonly id: string;
  readonly at: string;
  readonly first: string;
  readonly end: string;
  /** A query of `id`, `day`, `category`, `cost` and `status` of records. */
  readonly records: string;
  /** The label of the account; absent for an account without one. */
  readonly account?: string;
}

/** A query of records for {@link Reading}: a record of 20.00 for each day of a range, whose id is the month and the day. */
export const usageOf = (first: string, end: string, cost = "20"): string =>
  `SELECT strftime(day, '%m-%d') AS id, day, 'Usage' AS category, '${cost}' AS cost, 'final' AS status
   FROM range(TIMESTAMP '${first}', TIMESTAMP '${end}', INTERVAL 1 DAY) AS days(day)`;

/** October of 2026 without its last day: 20.00 a day, all final except for 50.00 of October 20. */
const addOctober = (database: Database): Promise<void> =>
  addReading(database, {
    id: "r1",
    at: "2026-11-03",
    first: "2026-10-01",
    end: "2026-10-31",
    records: `${usageOf("2026-10-01", "2026-10-31")}
      UNION ALL SELECT 'open', TIMESTAMP '2026-10-20', 'Purchase', '50', 'provisional'`,
  });

/** Writes that October into a new file. */
export async function october(path: string): Promise<void> {
  const database = await Database.open(path, "write");
  await prepareTables(database, "");
  await addOctober(database);
  database.close();
}

/** Opens a database with that October, in a folder of its own. */
export async function openOctober(): ReturnType<typeof openEmpty> {
  const opened = await openEmpty("");
  await addOctober(opened.database);
  return opened;
}

/** Adds the rows and the reports of a reading that wrote every day of its range. */
export async function addReading(
  database: Database,
  { id, at, first, end, records, account }: Reading,
): Promise<void> {
  await database.run(`
    INSERT INTO costs BY NAME
    SELECT id AS "x_RecordId", '${id}' AS "x_ReadingId", TIMESTAMP '${at}' AS "x_RecordUpdatedAt", '1d' AS "x_Granularity",
           day AS "ChargePeriodStart", day + INTERVAL 1 DAY AS "ChargePeriodEnd", 'A' AS "ServiceProviderName",
           'AI and Machine Learning' AS "ServiceCategory", 'Inference' AS "ServiceName", 'p' AS "x_ProjectId",
           date_trunc('month', day)::TIMESTAMP AS "BillingPeriodStart",
           (date_trunc('month', day) + INTERVAL 1 MONTH)::TIMESTAMP AS "BillingPeriodEnd", 'A' AS "InvoiceIssuerName",
           category AS "ChargeCategory", 'tokens' AS "ChargeDescription", 'USD' AS "BillingCurrency", cost AS "BilledCost",
           cost AS "EffectiveCost", status AS "x_CostStatus", TIMESTAMP '${at}' AS "_airbyte_extracted_at"
    FROM (${records})`);
  await database.run(`
    INSERT INTO export_windows BY NAME
    SELECT '${id}-' || strftime(day, '%m-%d') AS id, '${id}' AS reading_id, '${id}' AS rows_reading_id, 'c' AS chain,
           'costs' AS dataset, '1d' AS granularity, 'https://a.example' AS base_url, ${account === undefined ? "NULL" : literal(account)} AS account, TIMESTAMP '${first}' AS window_start,
           TIMESTAMP '${end}' AS window_end, day::DATE AS "day", true AS inside_window, true AS whole_window,
           TIMESTAMP '${first}' AS covered_from, TIMESTAMP '${end}' AS covered_through, TIMESTAMP '${at}' AS began_at,
           TIMESTAMP '${at}' AS ended_at, TIMESTAMP '${at}' AS pass_began_at, false AS resumed, TIMESTAMP '${at}' AS first_as_of,
           TIMESTAMP '${at}' AS last_as_of, false AS moved, false AS shrunk, true AS confirmed, sum(records) AS records,
           sum(records) AS "rows",
           to_json(list({currency: 'USD', charge_category: category, cost_status: status, records: records, billed: billed,
                         effective: billed})) AS totals,
           TIMESTAMP '${at}' AS "_airbyte_extracted_at"
    FROM (
      SELECT day, category, status, count(*) AS records, sum(cost::DECIMAL(38, 2))::VARCHAR AS billed
      FROM (${records}) GROUP BY ALL)
    GROUP BY day`);
}
