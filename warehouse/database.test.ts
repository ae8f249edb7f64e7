import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { Database } from "./database.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "database-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  { rows: 4999, compressions: ["Uncompressed"] },
  { rows: 5000, compressions: ["BitPacking"] },
])("$rows rows: a table is written with the compressions $compressions", async (given) => {
  const file = join(folder, "books.duckdb");
  const database = await Database.open(file, "write");
  await database.lock();
  await database.useCompression(given.rows);
  await database.run(`CREATE TABLE numbers AS SELECT range AS number FROM range(${given.rows})`);
  database.close();
  const reader = await Database.open(file, "read");
  const found = await reader.query(
    "SELECT DISTINCT compression FROM pragma_storage_info('numbers') WHERE segment_type = 'BIGINT'",
  );
  reader.close();
  expect(found.flat()).toEqual(given.compressions);
});

it.each(["read", "write"] as const)(
  "does not say of a file that it cannot look at what it holds, to %s",
  async (mode) => {
    const path = join(folder, "hidden.duckdb");
    symlinkSync(path, path);
    await expect(Database.open(path, mode)).rejects.toThrow(
      `"${path}" is something that this user may not see: allow it, or name another file with --database.`,
    );
  },
);

it.each([0, 1, 500, 1201])("inserts %i rows, each with its values as they are", async (count) => {
  const database = await Database.inMemory();
  await database.run("CREATE TABLE words (place INTEGER, word VARCHAR)");
  const rows = Array.from({ length: count }, (_, place) => [String(place), `it's ${place}?`]);
  await database.insert("words", "?::INTEGER, nullif(?, 'it''s 0?')", rows);
  const found = await database.query(
    "SELECT place, coalesce(word, 'none') FROM words ORDER BY ALL",
  );
  database.close();
  expect(found).toEqual(
    rows.map(([place = "", word = ""]) => [place, place === "0" ? "none" : word]),
  );
});

/** Leaves no room for rows: neither in memory nor on the disk. */
async function full(): Promise<Database> {
  const database = await Database.inMemory();
  await database.run("CREATE TEMP TABLE lines (lines BLOB, place BIGINT)");
  await database.run("CREATE TABLE words (word VARCHAR)");
  await database.run("SET max_temp_directory_size = '0KiB'");
  await database.run("SET memory_limit = '1MB'");
  return database;
}
const FULL = { code: "database", message: expect.stringContaining("The disk of the database") };

it("says that the disk is full if lines do not fit", async () => {
  const database = await full();
  const appender = await database.appender("lines");
  for (let place = 0; place < 100; place++) appender.append(Buffer.alloc(200_000), BigInt(place));
  expect(() => appender.close()).toThrow(expect.objectContaining(FULL));
});

it("says that memory is short if lines cannot be written to their table", async () => {
  const database = await full();
  const appender = await database.appender("lines");
  appender.append(Buffer.alloc(8_000_000), 0n);
  const short = { code: "database", message: expect.stringContaining("--memory") };
  expect(() => appender.close()).toThrow(expect.objectContaining(short));
});

it("says that the disk is full if rows of texts cannot be appended", async () => {
  const database = await full();
  const rows = Array.from({ length: 100 }, () => ["x".repeat(200_000)]);
  await expect(database.append("words", rows)).rejects.toMatchObject(FULL);
});

it.each([
  ["ALTER TABLE costs ADD PRIMARY KEY (id)", undefined],
  ["CREATE UNIQUE INDEX mine ON costs (id)", undefined],
  ["CREATE UNIQUE INDEX mine ON costs (id)", "CREATE OR REPLACE TABLE costs AS FROM costs"],
])("says that a rule of a person refuses a row: %s, then %s", async (rule, remedy) => {
  const database = await Database.inMemory();
  await database.run("CREATE TABLE costs (id VARCHAR)");
  await database.run(rule);
  if (remedy !== undefined) await database.run(remedy);
  await database.append("costs", [["a"]]);
  const refused = {
    code: "database",
    message: expect.stringContaining("that this program did not make"),
  };
  for (const write of [
    () => database.append("costs", [["a"]]),
    () => database.run("INSERT INTO costs VALUES ('a')"),
  ]) {
    if (remedy === undefined) await expect(write()).rejects.toMatchObject(refused);
    else await write();
  }
  database.close();
});

it("says that a view of a person depends on a table that is to be made again", async () => {
  const database = await Database.inMemory();
  await database.run("CREATE TABLE costs (id VARCHAR)");
  await database.run("SET enable_view_dependencies = true");
  await database.run("CREATE VIEW mine AS FROM costs");
  await expect(database.run("CREATE OR REPLACE TABLE costs AS FROM costs")).rejects.toMatchObject({
    code: "database",
    message: expect.stringContaining('depends on the table "costs"'),
  });
  database.close();
});
