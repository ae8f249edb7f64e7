import { expect, it } from "vitest";
import { Database } from "../database.ts";
import type { Anomalies } from "./model.ts";
import { anomalies, subjectOf, usualWords, whyOf } from "./unusual.ts";

/**
 * Rows as the model `cost_anomalies` has them: the account, the label, its value, the cost and the kind. Each usual cost is 10.
 *
 * @param later a value whose rows are of the next day
 */
async function found(accounts: string, rows: string, later = ""): Promise<Anomalies> {
  const database = await Database.inMemory();
  try {
    await database.run(`
      CREATE TABLE report_clock AS SELECT DATE '2026-03-18' AS through_day;
      CREATE TABLE report_accounts AS SELECT ' ' || name AS place, name FROM (VALUES ${accounts}) AS given (name);
      CREATE TABLE label_names (label VARCHAR, value VARCHAR, name VARCHAR, shown VARCHAR);
      CREATE TABLE cost_anomalies AS
      SELECT DATE '2026-03-10' AS day, NULL::VARCHAR AS base_url, account, label, value, 'USD' AS billing_currency,
             cost::DECIMAL(38, 18) AS billed_cost, 10::DECIMAL(38, 18) AS usual_cost, 0::DECIMAL(38, 18) AS usual_spread,
             8 AS days_compared, 9.0 AS score, 10::DECIMAL(38, 18) AS own_usual_cost, 10::DECIMAL(38, 18) AS own_largest_cost,
             8 AS own_days, 10::DECIMAL(38, 18) AS account_usual_cost, true AS is_anomaly, kind, 'proven' AS day_status
      FROM (VALUES ${rows}) AS given (account, label, value, cost, kind);
      UPDATE cost_anomalies SET day = DATE '2026-03-11' WHERE value = '${later}'`);
    return await anomalies(database, "USD");
  } finally {
    database.close();
  }
}

const saidOf = ({ found: all }: Anomalies): string[] =>
  all.map((each) => `${subjectOf(each)}: ${usualWords(each)}`);

it("tells the leaked key of each account, although both leaked on one day", async () => {
  const all = await found(
    "('a'), ('b')",
    `('a', 'all', NULL, 9010, 'account'), ('a', 'api_key_id', 'ka', 9010, 'account'),
     ('b', 'all', NULL, 5010, 'account'), ('b', 'api_key_id', 'kb', 5010, 'account')`,
  );
  expect(saidOf(all)).toEqual([
    "key ka of a: usual for a Tuesday: 10.00",
    "key kb of b: usual for a Tuesday: 10.00",
  ]);
});

it("names the account to which all costs belong, and in which a value is new; no account where there is only one", async () => {
  const rows = "('b', 'all', NULL, 50, 'account'), ('b', 'model_id', 'm1', 30, 'new')";
  const several = await found("('a'), ('b')", rows);
  expect(saidOf(several)).toEqual([
    "all costs of b: usual for a Tuesday: 10.00",
    "model m1 of b: new in b; all costs of b are usually 10.00",
  ]);
  expect(several.found.map(whyOf)[1]).toBe(
    "new in b: it had no cost in the weeks before; all costs of b on a Tuesday are usually 10.00",
  );
  expect(saidOf(await found("('b')", rows))).toEqual([
    "all costs: usual for a Tuesday: 10.00",
    "model m1: new; all costs are usually 10.00",
  ]);
});

it("has one subject for a value, also if a further account comes, and another for the same value there", async () => {
  const own = "('b', 'model_id', 'm1', 30, 'new')";
  const [alone] = (await found("('b')", own)).found;
  const both = await found("('a'), ('b')", `${own}, ('a', 'model_id', 'm1', 40, 'new')`);
  const subjects = both.found.map(({ subject }) => subject);
  expect(subjects[1]).toBe(alone?.subject);
  expect(new Set(subjects).size).toBe(2);
});

it("names three keys that leaked together instead of their model, and counts the others", async () => {
  const keys = (number: number): string =>
    Array.from(
      { length: number },
      (_, key) => `('a', 'api_key_id', 'k${key}', ${510 - key}, 'account')`,
    ).join(", ");
  const three = await found("('a')", `('a', 'model_id', 'm1', 1510, 'account'), ${keys(3)}`);
  expect(three.found.map(subjectOf)).toEqual(["key k0", "key k1", "key k2"]);
  expect(three.found.map(({ others }) => others)).toEqual([0, 0, 0]);
  const five = await found("('a')", `('a', 'model_id', 'm1', 2500, 'account'), ${keys(5)}`);
  expect(five.found.map(({ others }) => others)).toEqual([0, 0, 2]);
  expect(five.found.map(whyOf)[2]).toMatch(/; and 2 other keys on this day$/);
  expect(five.number).toBe(3);
});

it("tells the model where no three keys explain half of it, as where all keys grow", async () => {
  const keys = Array.from(
    { length: 9 },
    (_, key) => `('a', 'api_key_id', 'k${key}', 110, 'account')`,
  ).join(", ");
  const all = await found("('a')", `('a', 'model_id', 'm1', 1000, 'account'), ${keys}`);
  expect(all.found.map(subjectOf)).toEqual(["model m1"]);
});

it("counts the unusual days that are more than the page holds", async () => {
  const models = Array.from(
    { length: 60 },
    (_, account) => `('a${account}', 'model_id', 'm', 500, 'account')`,
  ).join(", ");
  const all = await found("('a')", models);
  expect([all.found.length, all.number]).toEqual([50, 60]);
  const later = await found("('a')", `${models}, ('a', 'model_id', 'new', 20, 'account')`, "new");
  expect(later.found.at(-1)).toMatchObject({ day: "2026-03-11", value: "new" });
});
