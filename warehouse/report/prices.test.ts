import { expect, it } from "vitest";
import { labels } from "../../src/generated/labels.ts";
import { Database } from "../database.ts";
import type { PriceChanges } from "./model.ts";
import { changeWords, priceChanges } from "./prices.ts";

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

it("counts the changes that are not among the newest six", async () => {
  const rows = Array.from({ length: 8 }, (_, day) => `('a', ${day}, 12)`).join(", ");
  const all = await found("('a')", rows);
  expect([all.found.length, all.more, all.found[0]?.day]).toEqual([6, 2, "2026-03-08"]);
});
