import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import { query } from "./query.ts";

let path: string;
beforeEach(async () => {
  path = join(await mkdtemp(join(tmpdir(), "query-")), "raw.duckdb");
});
afterEach(async () => {
  await rm(join(path, ".."), { recursive: true, force: true });
});

/** Makes a database with these statements, and queries a model of it. */
async function asked(statements: string, sql = "SELECT * FROM Current_Costs"): Promise<string> {
  const database = await Database.open(path, "write");
  await database.run(statements);
  database.close();
  return await query(path, sql, false);
}

const tablesIn = (schema: string): string =>
  ["usage", "costs", "export_windows"]
    .map((table) => `CREATE TABLE ${schema}.${table} (id VARCHAR);`)
    .join("\n");

describe("a query of a model in a database of raw tables", () => {
  it("says how to make the models", async () => {
    await expect(asked(tablesIn("main"))).rejects.toThrow(
      /raw\.duckdb" has no current_costs yet: .* Make them with: duckdb \S+raw\.duckdb < \S+sql\/duckdb\.sql$/,
    );
  });

  it("names the schema of the raw tables", async () => {
    const statements = `CREATE SCHEMA airbyte; ${tablesIn("airbyte")}`;
    const sql = "SELECT * FROM airbyte.current_costs";
    await expect(asked(statements, sql)).rejects.toThrow("duckdb -cmd 'USE \"airbyte\"' ");
  });

  it("names the sync, if its first one has not ended", async () => {
    const statements = `CREATE SCHEMA source_ai_billing; CREATE TABLE source_ai_billing.states (id VARCHAR); ${tablesIn("main")}`;
    await expect(asked(statements)).rejects.toThrow(/: run sync again\.$/);
  });

  it("leaves DuckDB its words about other tables", async () => {
    await expect(asked(tablesIn("main"), "SELECT * FROM sales")).rejects.toThrow(
      "Table with name sales does not exist",
    );
  });

  it("leaves DuckDB its words where there are no raw tables, or models elsewhere", async () => {
    await expect(asked("CREATE TABLE sales (id VARCHAR)")).rejects.toThrow(
      "Table with name Current_Costs does not exist",
    );
    const statements = `${tablesIn("main")} CREATE SCHEMA dbt; CREATE TABLE dbt.current_costs (id VARCHAR)`;
    await expect(asked(statements)).rejects.toThrow("dbt.current_costs");
  });
});
