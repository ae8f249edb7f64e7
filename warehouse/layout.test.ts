import { expect, test } from "vitest";
import { Database } from "./database.ts";
import { assertLayout, LAYOUT } from "./layout.ts";
import { bringTablesUp } from "./store.ts";

const numbers = (database: Database): Promise<unknown> =>
  database.query("SELECT number FROM source_ai_billing.layout");

test("a file gets the layout of this version once", async () => {
  const database = await Database.inMemory();
  await assertLayout(database);
  await assertLayout(database);
  expect(await numbers(database)).toEqual([[String(LAYOUT)]]);
  database.close();
});

test("a file of an older layout is brought up", async () => {
  const database = await Database.inMemory();
  await database.run(
    "CREATE SCHEMA source_ai_billing; CREATE TABLE source_ai_billing.layout AS SELECT 0 AS number",
  );
  await assertLayout(database);
  expect(await numbers(database)).toEqual([[String(LAYOUT)]]);
  database.close();
});

test("a file of a newer layout is refused before anything is changed", async () => {
  const database = await Database.inMemory();
  await database.run(
    `CREATE SCHEMA source_ai_billing; CREATE TABLE source_ai_billing.layout AS SELECT ${LAYOUT + 1} AS number`,
  );
  await expect(database.transaction(() => bringTablesUp(database))).rejects.toThrow(
    new RegExp(
      `^A newer version of this program has written to the database .*: its layout is ${LAYOUT + 1}, .* Nothing was changed`,
    ),
  );
  expect(await database.query("SELECT table_name FROM duckdb_tables()")).toEqual([["layout"]]);
  database.close();
});
