import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { STREAM_NAMES } from "../src/catalog/stream_names.ts";
import { Database } from "./database.ts";
import { dropInternal, inputTables, makeModels, modelNames } from "./models.ts";
import { refreshModels } from "./refresh.ts";
import { prepare } from "./store.ts";

let folder: string;
let database: Database;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "made-"));
  database = await Database.open(join(folder, "billing.duckdb"), "write");
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

const OWNER = { name: "a", base_url: "https://a.example", account: "", granularity: "1d" };
const begin = () => prepare(database, [OWNER]);

async function run(...statements: readonly string[]): Promise<void> {
  for (const sql of statements) await database.run(sql);
}

async function syncOnce(): Promise<void> {
  await begin();
  for (const table of await inputTables()) await database.run(table);
  await refreshModels(database);
}

const noted = (how: string) =>
  database.query(`SELECT name FROM source_ai_billing.made WHERE how = '${how}' ORDER BY 1`);

const held = () =>
  database.query(`
    SELECT schema_name, table_name, sql FROM duckdb_tables()
    UNION ALL SELECT schema_name, view_name, sql FROM duckdb_views() WHERE NOT internal ORDER BY ALL`);

describe("a file of somebody else", () => {
  it("is refused with all tables and views whose names we need, and stays as it is", async () => {
    await run(
      "CREATE TABLE prices AS SELECT 'keep me' AS mine",
      'CREATE TABLE "Costs" (mine VARCHAR)',
      "CREATE VIEW showback AS SELECT 42 AS mine",
      "CREATE VIEW ai_billing_budgets AS SELECT 1 AS mine",
      // No names of ours: another schema, another name, and a step, which is a temporary table.
      "CREATE SCHEMA other",
      "CREATE TABLE other.usage (mine VARCHAR)",
      "CREATE TABLE costs_as_text (mine VARCHAR)",
      "CREATE TABLE ai_billing__rows_costs (mine VARCHAR)",
    );
    const before = await held();
    const failed = begin();
    await expect(failed).rejects.toMatchObject({ code: "database", failureType: "config_error" });
    await expect(failed).rejects.toThrow(
      `The database "${database.path}" holds the table "Costs", the table "prices", the view "showback", the view "ai_billing_budgets". ` +
        "This program did not make them, and needs these names for tables of its own. Nothing was changed. Rename them, or name " +
        "another file with --database. A view of sql/duckdb.sql can be dropped: a sync makes a table instead.",
    );
    expect(await held()).toEqual(before);
    expect(await database.query("FROM prices")).toEqual([["keep me"]]);
  });

  it.each(STREAM_NAMES)("gets no rows of ours in its table %s", async (name) => {
    await run(`CREATE TABLE ${name} (id INTEGER)`);
    await expect(begin()).rejects.toThrow(
      `holds the table "${name}". This program did not make it, and needs this name for tables of its own. Nothing was changed. ` +
        "Rename it, or name another file with --database.",
    );
  });

  it("may hold what sql/duckdb.sql has made beside the inputs, as long as it is empty", async () => {
    for (const table of await inputTables()) await database.run(table);
    await run("INSERT INTO labels (name) VALUES ('keep me')");
    await expect(begin()).rejects.toThrow('holds the table "labels".');
    await run("DELETE FROM labels", "ALTER TABLE labels RENAME read_at TO mine");
    await expect(begin()).rejects.toThrow('holds the table "labels".');
    await run("ALTER TABLE labels RENAME mine TO read_at");
    await begin();
    await begin();
    expect(await noted("made")).toContainEqual(["labels"]);
  });

  it("may hold inputs that a person has made, and tables of other names", async () => {
    await run(
      "CREATE TABLE ai_billing_teams (label VARCHAR, value VARCHAR, team VARCHAR)",
      "INSERT INTO ai_billing_teams VALUES ('project_id', 'p', 'Search')",
      // No statement alters this one, so that a view does, too.
      "CREATE VIEW ai_billing_exchange_rates AS SELECT 'EUR' AS from_currency, 'USD' AS to_currency, '2026-01-01' AS valid_from, '2' AS rate",
      "CREATE TABLE sales AS SELECT 7 AS mine",
      "CREATE TABLE ai_billing__rows_costs AS SELECT 7 AS mine",
    );
    await syncOnce();
    expect(await database.query("SELECT team FROM ai_billing_teams")).toEqual([["Search"]]);
    expect(await database.query("FROM sales")).toEqual([["7"]]);
    expect(await database.query("FROM main.ai_billing__rows_costs")).toEqual([["7"]]);
  });
});

describe("a file of ours", () => {
  it("has a note of each table once it is made, and a sync without news writes none", async () => {
    await begin();
    expect(await noted("made")).toEqual(STREAM_NAMES.toSorted().map((name) => [name]));
    await syncOnce();
    const all = [...STREAM_NAMES, ...(await modelNames())].toSorted();
    expect(await noted("made")).toEqual(all.map((name) => [name]));
    const statements = vi.spyOn(database, "run");
    await syncOnce();
    expect(statements.mock.calls.filter(([sql]) => sql.includes("source_ai_billing.made"))).toEqual(
      [],
    );
  });

  it("has no note of a model that a stopped sync has not made, and a user's table of that name stays", async () => {
    await begin();
    await run("CREATE TABLE prices AS SELECT 'keep me' AS mine");
    await expect(begin()).rejects.toThrow('holds the table "prices".');
    expect(await database.query("FROM prices")).toEqual([["keep me"]]);
    await run("ALTER TABLE prices RENAME TO my_prices");
    await syncOnce();
    expect(await database.query("FROM my_prices")).toEqual([["keep me"]]);
  });

  it("has a note of each model that is made alone, as close makes those of books", async () => {
    await syncOnce();
    await run("DROP TABLE closes", "DELETE FROM source_ai_billing.made WHERE name = 'closes'");
    await database.transaction(async () => {
      await dropInternal(database, await makeModels(database, ["closes"]));
    });
    expect(await noted("made")).toContainEqual(["closes"]);
    await begin();
  });

  it("has no view in place of a table that we made", async () => {
    await syncOnce();
    await run("DROP TABLE prices", "CREATE VIEW prices AS SELECT 42 AS mine");
    await expect(begin()).rejects.toThrow('holds the view "prices".');
  });

  it("makes texts of the decimals of 0.2.0 without the name of a user's table", async () => {
    await begin();
    await run(
      "CREATE TABLE costs_as_text AS SELECT 'keep me' AS mine",
      'ALTER TABLE costs ALTER "BilledCost" TYPE DECIMAL(38, 18)',
      "INSERT INTO costs (\"BilledCost\") VALUES ('1.25')",
    );
    await begin();
    expect(await database.query('SELECT "BilledCost" FROM costs')).toEqual([["1.25"]]);
    expect(await database.query("FROM costs_as_text")).toEqual([["keep me"]]);
  });
});

describe("a file of an earlier version", () => {
  const OF_0_2_0 = [
    "CREATE SCHEMA source_ai_billing",
    "CREATE TABLE source_ai_billing.owner (base_url VARCHAR, account VARCHAR, granularity VARCHAR)",
    "CREATE TABLE source_ai_billing.states (stream VARCHAR, state JSON)",
    "CREATE TABLE costs (x_RecordId VARCHAR)",
    "CREATE TABLE unit_costs (old VARCHAR)",
  ];

  it("0.2.0 gives its tables, and none that it could not have made", async () => {
    await run(...OF_0_2_0);
    await run("CREATE TABLE prices (mine VARCHAR)", "CREATE TABLE labels (mine VARCHAR)");
    await expect(begin()).rejects.toThrow('holds the table "labels", the table "prices". This');
    await run("DROP TABLE prices", "DROP TABLE labels");
    await begin();
    expect(await noted("made by 0.2.0")).toEqual([["costs"], ["unit_costs"]]);
    await syncOnce();
  });

  it.each([
    [
      "with accounts",
      "CREATE TABLE source_ai_billing.accounts AS SELECT '' AS name, '' AS base_url, '' AS account, '' AS granularity LIMIT 0",
    ],
    [
      "with an owner and a refresh",
      "CREATE TABLE source_ai_billing.kept_facts (fact VARCHAR, value VARCHAR)",
    ],
  ])("%s gives all tables of our names that it holds, once", async (title, sql) => {
    await run(
      ...OF_0_2_0.filter((each) => !(title === "with accounts" && /owner|states/.test(each))),
      sql,
    );
    await run("CREATE TABLE prices (old VARCHAR)", "CREATE TABLE sales (mine VARCHAR)");
    await begin();
    const found = "found when names were first noted";
    expect(await noted(found)).toEqual([["costs"], ["prices"], ["unit_costs"]]);
    await run("CREATE TABLE closes (mine VARCHAR)");
    await expect(begin()).rejects.toThrow('holds the table "closes".');
    expect(await noted(found)).toHaveLength(3);
  });

  it("is not one of ours because of its schema alone", async () => {
    await run(
      "CREATE SCHEMA source_ai_billing",
      "CREATE TABLE source_ai_billing.notices (event VARCHAR, sent_at TIMESTAMPTZ)",
      "CREATE TABLE prices (mine VARCHAR)",
    );
    await expect(begin()).rejects.toThrow('holds the table "prices".');
  });
});
