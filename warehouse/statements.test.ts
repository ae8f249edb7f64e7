import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Database } from "./database.ts";
import { query } from "./query.ts";
import { partsOf } from "./testing.ts";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "statements-"));
  path = join(folder, "books.duckdb");
  const database = await Database.open(path, "write");
  await database.run("CREATE TABLE numbers AS SELECT 1 AS number");
  database.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const asked = async (sql: string): Promise<string> =>
  (await partsOf(query(path, sql, "json"))).join("");

it.each([
  "COPY (SELECT 1) TO '$' (USE_TMP_FILE false)",
  "COPY (SELECT 1) TO '$.wal'",
  "COPY (SELECT 'x'::BLOB) TO '$.wal' (FORMAT blob, USE_TMP_FILE false)",
  "SELECT 1; COPY (SELECT 1) TO '$' (USE_TMP_FILE false)",
  "COPY (SELECT 1) TO '$' (USE_TMP_FILE false); SELECT 1",
  "PREPARE p AS COPY (SELECT 1) TO '$' (USE_TMP_FILE false); EXECUTE p",
  "EXPLAIN ANALYZE COPY (SELECT 1) TO '$' (USE_TMP_FILE false)",
  "EXPLAIN (ANALYZE, FORMAT json) COPY (SELECT 1) TO '$' (USE_TMP_FILE false)",
  "EXPLAIN /**/ ANALYZE COPY (SELECT 1) TO '$' (USE_TMP_FILE false)",
  "SELECT 1; EXPLAIN ANALYZE COPY (SELECT 1) TO '$' (USE_TMP_FILE false)",
  "/* /* */ EXPLAIN SELECT 1 -- */ EXPLAIN ANALYZE COPY (SELECT 1) TO '$' (USE_TMP_FILE false)",
])("writes neither its database nor the log of it: %s", async (sql) => {
  const before = readFileSync(path);
  await expect(asked(sql.replaceAll("$", path))).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(["books.duckdb"]);
  expect(readFileSync(path).equals(before)).toBe(true);
});

it("says how to keep a result in a file", async () => {
  await expect(asked(`COPY (SELECT 1) TO '${path}' (USE_TMP_FILE false)`)).rejects.toThrow(
    /none that only reads\. To keep a result in a file, take --csv/,
  );
});

it.each([
  "CREATE TEMP TABLE mine AS FROM numbers; FROM mine",
  "SET VARIABLE n = 1; SELECT getvariable('n')::INTEGER AS number;",
  "SHOW TABLES",
  "DESCRIBE numbers",
  "PRAGMA database_list",
  "EXPLAIN FROM numbers",
  "explain analyze (SELECT 1);",
  "EXPLAIN (FORMAT json) SELECT 1",
])("answers what only reads: %s", async (sql) => {
  expect(await asked(sql)).toContain("{");
});
