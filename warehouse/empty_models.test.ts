import { expect, it } from "vitest";
import { Database } from "./database.ts";
import { withoutEmpty } from "./empty_models.ts";
import { allModels, inputTables, makeAllModels, makeTables, modelNames } from "./models.ts";
import { prepare } from "./store.ts";

async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
  const database = await Database.inMemory();
  try {
    await prepare(database, []);
    for (const table of await inputTables()) await database.run(table);
    await work(database);
  } finally {
    database.close();
  }
}

const columnsOf = (database: Database) =>
  database.query(`
    SELECT table_name, column_name, data_type FROM duckdb_columns()
    WHERE schema_name = 'main' AND table_name IN (${names.map((name) => `'${name}'`).join(", ")})
    ORDER BY table_name, column_index`);

const names = await modelNames();

it("models of empty tables have the columns that their own queries give, and no row", async () => {
  await withDatabase(async (database) => {
    await makeAllModels(database);
    const columns = await columnsOf(database);
    const rows = names.map((name) => `(SELECT count(*) FROM ${name})`);
    const [[made] = []] = await database.query(`SELECT ${rows.join(" + ")}`);
    await makeTables(database, await allModels());
    const [[own] = []] = await database.query(`SELECT ${rows.join(" + ")}`);
    expect(columns).toEqual(await columnsOf(database));
    expect(made).toBe(own);
  });
});

it("a model keeps its own query from the first row of a table that it follows from", async () => {
  await withDatabase(async (database) => {
    const models = await allModels();
    const replaced = async (only?: readonly string[]): Promise<readonly string[]> => {
      const found = await withoutEmpty(database, models, only);
      return found.filter((model, index) => model !== models[index]).map(({ name }) => name);
    };
    expect(await replaced()).toContain("budget_status");
    expect(await replaced(["ai_billing_teams"])).toEqual([
      "ai_billing__teams",
      "team_map_findings",
    ]);
    await database.run("INSERT INTO ai_billing_budgets (month) VALUES ('2026-11')");
    expect(await replaced()).not.toContain("budget_status");
    expect(await replaced()).not.toContain("invalid_inputs");
    expect(await replaced()).toContain("team_map_findings");
  });
});
