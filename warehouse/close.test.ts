import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { close, type CloseOptions, rangesOf } from "./close.ts";
import { Database } from "./database.ts";
import { query } from "./query.ts";
import { prepare } from "./store.ts";
import { hostWith, partsOf } from "./testing.ts";
import { inputTables } from "./models.ts";

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "close-")), "billing.duckdb");
});
afterEach(async () => {
  await rm(join(path, ".."), { recursive: true, force: true });
});

/** October of 2026 but for its last day: 20.00 a day, all final but for 50.00 of October 20. */
async function october(): Promise<void> {
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

async function closed(options: Partial<CloseOptions> = {}): Promise<string> {
  const said: string[] = [];
  const host = hostWith({
    now: () => Date.parse("2026-11-03T12:00:00Z"),
    say: (text) => Promise.resolve(void said.push(text)),
  });
  const given = {
    database: path,
    month: "2026-10",
    view: "month",
    accrue: false,
    why: undefined,
  } as const;
  await close({ ...given, json: false, ...options }, host);
  return said.join("");
}

const asked = async (sql: string): Promise<string> =>
  (await partsOf(query(path, sql, "json"))).join("");

describe("close", () => {
  it("refuses a month that is not certain, and names the days", { timeout: 120_000 }, async () => {
    await october();
    await expect(closed()).rejects.toThrow(
      "2026-10 by month is not closed, and nothing was written: not read: 2026-10-31; provisional: 2026-10-20. Sync again later, or",
    );
    expect(JSON.parse(await asked("FROM ai_billing_closes"))).toEqual([]);
  });

  it("writes a book with accruals, which reopening keeps", { timeout: 240_000 }, async () => {
    await october();
    const text = await closed({ accrue: true });
    expect(text.replace(/\w{64}/, "…")).toBe(
      [
        "Closed  month 2026-10 v1",
        "month    kind     reason       currency  amount",
        "2026-10  accrual  estimate     USD           20",
        "2026-10  accrual  provisional  USD           50",
        "2026-10  actual   final        USD          600",
        "book                           USD          670",
        "Digest  …",
        "",
      ].join("\n"),
    );
    await expect(closed({ accrue: true })).rejects.toThrow("it is closed already (--reopen --why");
    const again: unknown = JSON.parse(
      await closed({ accrue: true, why: "it's wrong", json: true }),
    );
    expect(again).toMatchObject({ id: "month 2026-10 v2", before_the_books: [] });
    expect(
      JSON.parse(await asked("SELECT version, why, is_newest, is_intact FROM closes ORDER BY 1")),
    ).toEqual([
      { version: 1, why: null, is_newest: false, is_intact: true },
      { version: 2, why: "it's wrong", is_newest: true, is_intact: true },
    ]);
  });

  it("leaves nothing if it fails midway", { timeout: 120_000 }, async () => {
    await october();
    const database = await Database.open(path, "write");
    await database.run("DROP TABLE ai_billing_close_lines");
    await database.run(
      "CREATE TABLE ai_billing_close_lines AS SELECT * EXCLUDE method, 1 AS extra FROM (SELECT NULL AS method)",
    );
    database.close();
    await expect(closed({ accrue: true })).rejects.toThrow();
    expect(await asked("FROM ai_billing_closes")).toBe("[]\n");
    expect(await asked("FROM ai_billing_close_entries")).toBe("[]\n");
  });

  it("makes no database, and takes none of anybody else", async () => {
    await expect(closed()).rejects.toThrow("there is no such file");
    const database = await Database.open(path, "write");
    database.close();
    await expect(closed()).rejects.toThrow("No sync has written to");
  });
});

it("days that follow one another are a range", () => {
  expect(rangesOf(["2026-02-28", "2026-03-01", "2026-03-03"])).toEqual([
    "2026-02-28 to 2026-03-01",
    "2026-03-03",
  ]);
});
