import { expect, it } from "vitest";
import { labels } from "../../src/generated/labels.ts";
import { Database } from "../database.ts";
import type { PriceChanges, UnitCost } from "./model.ts";
import { changeWords, priceChanges, savingsOf, savingsWords, unitCosts } from "./prices.ts";

const LABELS = labels.prices.map(({ name }) => name).filter((name) => name !== "model_id");

/** Changes of the price of a model in March: its account, the day and the new price. Before it was 10. */
async function found(accounts: string, rows: string): Promise<PriceChanges> {
  const database = await Database.inMemory();
  try {
    await database.run(`
      CREATE TABLE report_accounts AS SELECT ' ' || name AS place, name FROM (VALUES ${accounts}) AS given (name);
      CREATE TABLE prices AS
      SELECT NULL::VARCHAR AS base_url, account, DATE '2026-03-01' + number AS day, 'm1' AS model_id, 'input_tokens' AS usage_type,
             'USD' AS billing_currency, 'tokens' AS unit, 10::DECIMAL(38, 18) AS effective_price_before,
             price::DECIMAL(38, 18) AS effective_price, true AS is_effective_price_change,
             ${LABELS.map((name) => `NULL::VARCHAR AS ${name}`).join(", ")}
      FROM (VALUES ${rows}) AS given (account, number, price)`);
    return await priceChanges(database, "USD");
  } finally {
    database.close();
  }
}

const saidOf = ({ found: all }: PriceChanges): string[] =>
  all.map((each) => changeWords(each, "USD"));

it("names the accounts in which a price changed, if there are several", async () => {
  const rows = "('a', 0, 12), ('b', 1, 11), ('a', 1, 11)";
  expect(saidOf(await found("('a'), ('b')", rows))).toEqual([
    "m1 input tokens of a, b: 10.00 until then, 11.00 USD from March 2, 2026 on (+10%).",
    "m1 input tokens of a: 10.00 until then, 12.00 USD from March 1, 2026 on (+20%).",
  ]);
  expect(saidOf(await found("('a')", "('a', 0, 12)"))).toEqual([
    "m1 input tokens: 10.00 until then, 12.00 USD from March 1, 2026 on (+20%).",
  ]);
});

it("shows small prices with as many digits as tell them apart", () => {
  const words = (before: string, now: string): string =>
    changeWords({ day: "2026-03-02", name: "m1", accounts: null, before, now }, "USD");
  expect(words("0.075", "0.08")).toContain(
    ": 0.075 until then, 0.080 USD from March 2, 2026 on (+7%)",
  );
  expect(words("0.301", "0.3045")).toContain(": 0.301 until then, 0.305 USD");
  expect(words("10.013333", "12")).toContain(": 10.01 until then, 12.00 USD");
  expect(words("0", "0.0375")).toContain(": 0.0000 until then, 0.0375 USD");
});

it("counts cached tokens of another currency in the view of that currency", async () => {
  const database = await Database.inMemory();
  try {
    await database.run(`
      CREATE TABLE report_clock AS SELECT DATE '2026-03-01' AS month;
      CREATE TABLE cache_savings AS
      SELECT DATE '2026-03-01' AS month, account, 'https://a.example' AS base_url, 'A' AS service_provider_name, 'm1' AS model_id,
             currency AS billing_currency, 1000 AS cached_tokens, tokens AS priced_tokens, 3.0 AS saved_cost, 1.0 AS write_surcharge,
             NULL::DECIMAL(38, 18) AS possible_saved_cost
      FROM (VALUES ('a', 'USD', 1000), ('b', 'EUR', 1000), ('c', NULL, NULL)) AS given (account, currency, tokens)`);
    expect(await savingsOf(database, "USD")).toMatchObject({ cachedTokens: "2000", saved: "2" });
    await database.run("DELETE FROM cache_savings WHERE account = 'c'");
    const own = await savingsOf(database, "USD");
    expect(own === null ? "" : savingsWords(own, "USD")).toBe(
      "Caching saved 2.00 USD in March 2026. That is about 100% of the cached tokens that have no price in another currency.",
    );
    expect(await savingsOf(database, "GBP")).toBeNull();
  } finally {
    database.close();
  }
});

it("counts the changes that are not among the newest six", async () => {
  const rows = Array.from({ length: 8 }, (_, day) => `('a', ${day}, 12)`).join(", ");
  const all = await found("('a')", rows);
  expect([all.found.length, all.more, all.found[0]?.day]).toEqual([6, 2, "2026-03-08"]);
});

/** Unit costs of a model through March 9, a Monday. Rows are days of March, each with its cost, its millions of tokens and its status. */
async function unitsOf(rows: string): Promise<readonly UnitCost[]> {
  const database = await Database.inMemory();
  try {
    await database.run(`
      CREATE TABLE report_clock AS SELECT DATE '2026-03-09' AS through_day;
      CREATE TABLE prices AS
      SELECT DATE '2026-02-28' + number AS day, 'm1' AS model_id, 'input_tokens' AS usage_type, 'USD' AS billing_currency,
             'Tokens' AS unit, cost::DECIMAL(38, 18) AS effective_cost, 1000000 * millions::DECIMAL(38, 18) AS quantity, day_status,
             ${LABELS.map((name) => `NULL::VARCHAR AS ${name}`).join(", ")}
      FROM (VALUES ${rows}) AS given (number, cost, millions, day_status)`);
    return await unitCosts(database, "USD");
  } finally {
    database.close();
  }
}

it("has no unit cost of a day of which usage and costs are known in part", async () => {
  const name = "m1 input tokens";
  const days = "(8, 48, 24, 'proven'), (9, 40, 20, 'unproven')";
  const weeks = [
    { week: "2026-03-02", name, perMillion: "2" },
    { week: "2026-03-09", name, perMillion: "2" },
  ];
  expect(await unitsOf(days)).toEqual(weeks);
  // March 10 was read through noon for costs, and through the evening for usage.
  expect(await unitsOf(`${days}, (10, 16, 20, 'unproven')`)).toEqual(weeks);
  expect(await unitsOf(`${days}, (7, 16, 20, 'incomplete')`)).toEqual(weeks);
});
