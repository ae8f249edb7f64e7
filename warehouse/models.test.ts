import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import { makeAllModels } from "./models.ts";
import { prepare } from "./store.ts";

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "models-"));
  database = await Database.open(join(folder, "billing.duckdb"), "write");
  await prepare(database, [
    { name: "a", base_url: "https://a.example", account: "", granularity: "1d" },
  ]);
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

const tables = (like: string) =>
  database.query(
    `SELECT table_name FROM duckdb_tables() WHERE table_name LIKE '${like}' ORDER BY 1`,
  );

describe("the models of sql/duckdb.sql", () => {
  it("read tables that the user fills, whose rows stay when the models are made again", async () => {
    await makeAllModels(database);
    expect(await tables("ai\\_billing%' ESCAPE '\\")).toEqual([
      ["ai_billing_budgets"],
      ["ai_billing_close_entries"],
      ["ai_billing_close_inputs"],
      ["ai_billing_close_lines"],
      ["ai_billing_closes"],
      ["ai_billing_exchange_rates"],
      ["ai_billing_fiscal_year_start"],
      ["ai_billing_invoice_totals"],
      ["ai_billing_reporting_currency"],
      ["ai_billing_shared"],
      ["ai_billing_teams"],
    ]);
    await database.run(
      "INSERT INTO ai_billing_budgets (month, billing_currency, budget) VALUES ('2026-11', 'USD', '12.5')",
    );
    await database.run(
      "INSERT INTO ai_billing_teams (label, value, team) VALUES ('color', 'red', 'Search')",
    );
    await makeAllModels(database);
    expect(await database.query("SELECT budget, billed_cost FROM budget_status")).toEqual([
      ["12.500000000000000000", "0.000000000000000000"],
    ]);
    expect(await database.query("SELECT input, given FROM invalid_inputs")).toEqual([
      ["teams", "color, red, Search"],
    ]);
  });

  it("add the columns that a table of an older version lacks, and keep its rows", async () => {
    await database.run(
      "CREATE TABLE ai_billing_teams (label VARCHAR, value VARCHAR, team VARCHAR)",
    );
    await database.run("INSERT INTO ai_billing_teams VALUES ('project_id', 'p', 'Search')");
    await makeAllModels(database);
    expect(await database.query("FROM ai_billing_teams")).toEqual([
      ["project_id", "p", "Search", "null", "null"],
    ]);
    expect(await database.query("FROM invalid_inputs")).toEqual([]);
  });
});
