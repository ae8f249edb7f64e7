/** For tests: the database of a sync with costs that `close` can close. */
import { Database } from "./database.ts";
import { inputTables } from "./models.ts";
import { prepare } from "./store.ts";

/** October of 2026 but for its last day: 20.00 a day, all final but for 50.00 of October 20. */
export async function october(path: string): Promise<void> {
  const database = await Database.open(path, "write");
  await prepare(database, [
    { name: "a", base_url: "https://a.example", account: "", granularity: "1d" },
  ]);
  for (const table of await inputTables()) await database.run(table);
  const days = "range(TIMESTAMP '2026-10-01', TIMESTAMP '2026-10-31', INTERVAL 1 DAY) AS days(day)";
  await database.run(`
    INSERT INTO costs BY NAME
    SELECT id AS "x_RecordId", 'r1' AS "x_ReadingId", TIMESTAMP '2026-11-03' AS "x_RecordUpdatedAt", '1d' AS "x_Granularity",
           day AS "ChargePeriodStart", day + INTERVAL 1 DAY AS "ChargePeriodEnd", 'A' AS "ServiceProviderName",
           'AI and Machine Learning' AS "ServiceCategory", 'Inference' AS "ServiceName",
           TIMESTAMP '2026-10-01' AS "BillingPeriodStart", TIMESTAMP '2026-11-01' AS "BillingPeriodEnd", 'A' AS "InvoiceIssuerName",
           category AS "ChargeCategory", 'tokens' AS "ChargeDescription", 'USD' AS "BillingCurrency", cost AS "BilledCost",
           cost AS "EffectiveCost", status AS "x_CostStatus", TIMESTAMP '2026-11-03' AS "_airbyte_extracted_at"
    FROM (
      SELECT strftime(day, '%d') AS id, day, 'Usage' AS category, '20' AS cost, 'final' AS status FROM ${days}
      UNION ALL SELECT 'open', TIMESTAMP '2026-10-20', 'Purchase', '50', 'provisional')`);
  const group = (category: string, cost: string, status: string): string =>
    `{"currency":"USD","charge_category":"${category}","cost_status":"${status}","records":1,"billed":"${cost}","effective":"${cost}"}`;
  const usage = group("Usage", "20", "final");
  await database.run(`
    INSERT INTO export_windows BY NAME
    SELECT 'r1-' || strftime(day, '%d') AS id, 'r1' AS reading_id, 'r1' AS rows_reading_id, 'c' AS chain, 'costs' AS dataset,
           '1d' AS granularity, 'https://a.example' AS base_url, TIMESTAMP '2026-10-01' AS window_start,
           TIMESTAMP '2026-10-31' AS window_end, day::DATE AS "day", true AS inside_window, true AS whole_window,
           TIMESTAMP '2026-10-01' AS covered_from, TIMESTAMP '2026-10-31' AS covered_through, TIMESTAMP '2026-11-03' AS began_at,
           TIMESTAMP '2026-11-03' AS ended_at, TIMESTAMP '2026-11-03' AS pass_began_at, false AS resumed,
           TIMESTAMP '2026-11-03' AS first_as_of, TIMESTAMP '2026-11-03' AS last_as_of, false AS moved, false AS shrunk,
           true AS confirmed, CASE WHEN day = TIMESTAMP '2026-10-20' THEN 2 ELSE 1 END AS records,
           CASE WHEN day = TIMESTAMP '2026-10-20' THEN 2 ELSE 1 END AS "rows",
           CASE WHEN day = TIMESTAMP '2026-10-20' THEN '[${usage},${group("Purchase", "50", "provisional")}]'
             ELSE '[${usage}]' END::JSON AS totals, TIMESTAMP '2026-11-03' AS "_airbyte_extracted_at"
    FROM ${days}`);
  database.close();
}
