import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Database } from "./database.ts";
import { allModels, inputTables, makeTables, withoutSteps } from "./models.ts";
import { prepare } from "./store.ts";

/** Rows of each dataset: fifty on each of forty days, of one service, with few models and many keys. The year before them has no row. */
const ROWS = 2000;

/** A step of a model may have this many rows for each row of a dataset. A join of all rows of a service with each other has thousands. */
const MOST = 25;

const row = `
  SELECT 'r' || n AS "x_RecordId", 'r1' AS "x_ReadingId", TIMESTAMP '2026-11-03' AS "x_RecordUpdatedAt", '1d' AS "x_Granularity",
         day AS "ChargePeriodStart", day + INTERVAL 1 DAY AS "ChargePeriodEnd", 'A' AS "ServiceProviderName",
         'AI and Machine Learning' AS "ServiceCategory", 'Inference' AS "ServiceName",
         'm' || n % 5 AS "x_ModelId", 'k' || n % 500 AS "x_ApiKeyId",
         TIMESTAMP '2026-11-03' AS "_airbyte_extracted_at"`;
const from = `
  FROM (SELECT n, TIMESTAMP '2026-09-20' + to_days(CAST(n // 50 AS INTEGER)) AS day FROM range(${ROWS}) AS numbers(n))`;

async function fill(database: Database): Promise<void> {
  await prepare(database, [
    { name: "a", base_url: "https://a.example", account: "", granularity: "1d" },
  ]);
  for (const table of await inputTables()) await database.run(table);
  await database.run(`
    INSERT INTO usage BY NAME ${row}, 'tokens' AS "ConsumedUnit", '7' AS "ConsumedQuantity", 'input' AS "x_UsageType" ${from}`);
  await database.run(`
    INSERT INTO costs BY NAME ${row}, 'Usage' AS "ChargeCategory", 'tokens' AS "ChargeDescription", 'USD' AS "BillingCurrency",
           '2' AS "BilledCost", '2' AS "EffectiveCost", 'final' AS "x_CostStatus", 'A' AS "InvoiceIssuerName",
           date_trunc('month', day) AS "BillingPeriodStart", date_trunc('month', day) + INTERVAL 1 MONTH AS "BillingPeriodEnd"
    ${from}`);
  await database.run(`
    INSERT INTO export_windows BY NAME
    SELECT 'r1-' || dataset || day AS id, 'r1' AS reading_id, 'r1' AS rows_reading_id, 'c' AS chain, dataset, '1d' AS granularity,
           'https://a.example' AS base_url, TIMESTAMP '2025-09-20' AS window_start, TIMESTAMP '2026-10-30' AS window_end,
           day::DATE AS day, true AS inside_window, true AS whole_window, TIMESTAMP '2025-09-20' AS covered_from,
           TIMESTAMP '2026-10-30' AS covered_through, TIMESTAMP '2026-11-03' AS began_at, TIMESTAMP '2026-11-03' AS ended_at,
           TIMESTAMP '2026-11-03' AS pass_began_at, false AS resumed, TIMESTAMP '2026-11-03' AS first_as_of,
           TIMESTAMP '2026-11-03' AS last_as_of, false AS moved, false AS shrunk, true AS confirmed,
           if(day < TIMESTAMP '2026-09-20', 0, 50) AS records, records AS "rows",
           '[]'::JSON AS totals, TIMESTAMP '2026-11-03' AS "_airbyte_extracted_at"
    FROM (SELECT unnest(['usage', 'costs']) AS dataset) AS datasets,
         range(TIMESTAMP '2025-09-20', TIMESTAMP '2026-10-30', INTERVAL 1 DAY) AS days(day)`);
}

interface Step {
  readonly operator_cardinality?: number;
  readonly operator_name?: string;
  readonly children?: readonly Step[];
}

const stepsOf = (step: Step): readonly Step[] => [step, ...(step.children ?? []).flatMap(stepsOf)];

it("no step of a model has many more rows than the datasets: neither amounts of one service nor days are joined pair by pair", async () => {
  const folder = await mkdtemp(join(tmpdir(), "growth-"));
  const database = await Database.open(join(folder, "billing.duckdb"), "write");
  try {
    await fill(database);
    const large: string[] = [];
    for (const model of await allModels()) {
      await makeTables(database, [model]);
      const [[, plan = "{}"] = []] = await database.query(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${withoutSteps(model.body)}`,
      );
      for (const { operator_cardinality: rows = 0, operator_name: name } of stepsOf(
        JSON.parse(plan) as Step,
      )) {
        if (rows > MOST * ROWS) large.push(`${model.name}: ${name ?? ""} of ${rows} rows`);
      }
    }
    expect(large).toEqual([]);
    const [[rows] = []] = await database.query("SELECT count(*) FROM unit_costs");
    expect(Number(rows)).toBeGreaterThan(0);
  } finally {
    database.close();
    await rm(folder, { recursive: true, force: true });
  }
});
