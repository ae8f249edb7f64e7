import { mkdtempSync, rmSync } from "node:fs";
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
