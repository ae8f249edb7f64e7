import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Database } from "./database.ts";
import { databaseError } from "./failures.ts";
import { inputTables, makeAllModels, makeOnDemand, modelNames } from "./models.ts";
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

  it("are made in one transaction, and the steps under them before it", async () => {
    await database.run("INSERT INTO costs (\"x_RecordId\") VALUES ('c-1')");
    const run = vi.spyOn(database, "run");
    await makeAllModels(database);
    const statements = run.mock.calls.map(([sql]) => sql);
    const placeOf = (begin: string) => statements.findIndex((sql) => sql.startsWith(begin));
    const places = [
      "CREATE OR REPLACE TEMP TABLE ai_billing__rows_costs",
      "CREATE OR REPLACE TEMP TABLE ai_billing__judged_costs",
      "BEGIN",
      "CREATE OR REPLACE TABLE current_costs",
      // This step reads current_costs.
      "CREATE OR REPLACE TEMP TABLE ai_billing__owned_costs",
      "COMMIT",
    ].map(placeOf);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it("are made by one thread if several need more memory than there is", async () => {
    let times = 0;
    const run = async () => {
      const reason = new Error("Out of Memory Error: 383.9 MiB/384.0 MiB used");
      if ((times += 1) === 1) throw databaseError(reason, "x.duckdb");
    };
    const useThreads = vi.spyOn(database, "useThreads");
    await makeAllModels(database, { reads: () => Promise.resolve([]), run });
    expect(times).toBe(2);
    expect(useThreads.mock.calls.at(-1)).toEqual([0]);
    const other = async () => {
      throw databaseError(new Error("No space left on device"), "x.duckdb");
    };
    useThreads.mockClear();
    await expect(
      makeAllModels(database, { reads: () => Promise.resolve([]), run: other }),
    ).rejects.toThrow("disk");
    expect(useThreads).toHaveBeenCalledTimes(1);
  });

  it("leave out steps that neither a model nor the further work reads", async () => {
    await database.run("INSERT INTO costs (\"x_RecordId\") VALUES ('c-1')");
    let steps: readonly string[] = [];
    const run = async () => {
      const found = "SELECT table_name FROM duckdb_tables() WHERE temporary";
      steps = (await database.query(found)).flat();
    };
    await makeAllModels(database, { reads: () => Promise.resolve([]), run });
    expect(steps).toContain("ai_billing__rows_costs");
    expect(steps).not.toContain("ai_billing__book_rules");
    expect(steps).not.toContain("ai_billing__book_newest");
    await makeAllModels(database, {
      reads: () => Promise.resolve(["ai_billing__book_rules"]),
      run,
    });
    expect(steps).toContain("ai_billing__book_rules");
    await database.run("INSERT INTO ai_billing_closes (close_id) VALUES ('c-1')");
    await makeAllModels(database, { reads: () => Promise.resolve([]), run });
    expect(steps).toContain("ai_billing__book_newest");
    expect(await tables("ai\\_billing\\_\\_%' ESCAPE '\\")).toEqual([]);
  });
});

describe("models that are made on demand", () => {
  beforeEach(async () => {
    for (const statement of await inputTables()) await database.run(statement);
  });
  const made = async () => (await database.query("SELECT table_name FROM duckdb_tables()")).flat();

  it("are made once a statement names them, with those that they read, and no others", async () => {
    await database.run("INSERT INTO costs (\"x_RecordId\") VALUES ('c-1')");
    await makeOnDemand(database);
    expect(await made()).not.toContain("daily_costs");
    await database.query("SELECT count(*) FROM costs -- not daily_costs");
    expect(await made()).not.toContain("daily_costs");
    await database.query("SELECT count(*) FROM daily_costs");
    expect(await made()).toEqual(expect.arrayContaining(["daily_costs", "current_costs"]));
    for (const name of ["restatements", "unit_costs", "focus_cost_and_usage"])
      expect(await made()).not.toContain(name);
    await database.run("CREATE TEMP TABLE kept AS FROM daily_costs");
    await expect(database.query("SELECT count(*) FROM kept")).resolves.toEqual([["0"]]);
  });

  it("are those that all models make together", async () => {
    await database.run("INSERT INTO costs (\"x_RecordId\") VALUES ('c-1')");
    await makeAllModels(database);
    const names = await modelNames();
    const rowsOf = async () => {
      const rows: unknown[] = [];
      for (const name of names)
        rows.push(await database.query(`SELECT * FROM ${name} ORDER BY ALL`));
      return rows;
    };
    const whole = await rowsOf();
    for (const name of names) await database.run(`DROP TABLE ${name}`);
    await makeOnDemand(database);
    expect(await rowsOf()).toEqual(whole);
  });
});
