import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Database } from "./database.ts";
import { LEAST_MEMORY, memoryOf, removeSpilledOfOthers } from "./memory.ts";

const MIB = 1_048_576;

it("DuckDB takes a quarter of what the process may have, at least 128 MiB and at most 384 MiB", () => {
  expect(memoryOf(1024 * MIB)).toBe(256 * MIB);
  expect(memoryOf(200 * MIB)).toBe(LEAST_MEMORY);
  expect(memoryOf(64 * 1024 * MIB)).toBe(384 * MIB);
});

describe("what DuckDB cannot keep in memory", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "memory-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const path = () => join(folder, "billing.duckdb");
  const spilled = (name: string) => join(folder, "billing.duckdb.tmp", name);

  it("goes to a folder beside the database, and is removed when the database is closed", async () => {
    const database = await Database.open(path(), "write", 16 * MIB);
    await database.run(
      "CREATE TEMP TABLE large AS SELECT md5(range::VARCHAR) AS a FROM range(800000)",
    );
    expect(existsSync(join(folder, "billing.duckdb.tmp"))).toBe(true);
    database.close();
    expect(existsSync(join(folder, "billing.duckdb.tmp"))).toBe(false);
  });

  it("is removed at the next start if the process was killed, unless a file of anyone else lies there", async () => {
    await mkdir(join(folder, "billing.duckdb.tmp"));
    await writeFile(spilled("duckdb_temp_storage_DEFAULT-0.tmp"), "rows");
    (await Database.open(path(), "read", LEAST_MEMORY).catch(() => undefined))?.close();
    expect(existsSync(spilled("duckdb_temp_storage_DEFAULT-0.tmp"))).toBe(true);
    await writeFile(spilled("notes.txt"), "mine");
    (await Database.open(path(), "write")).close();
    expect(existsSync(spilled("notes.txt"))).toBe(true);
    await rm(spilled("notes.txt"));
    (await Database.open(path(), "write")).close();
    expect(existsSync(join(folder, "billing.duckdb.tmp"))).toBe(false);
  });

  it("of a database in memory is removed once its process has ended", async () => {
    // No process has this id: it is above the greatest one that Linux gives.
    const ended = join(tmpdir(), "source-ai-billing-99999999.tmp");
    const own = join(tmpdir(), `source-ai-billing-${process.pid}.tmp`);
    for (const each of [ended, own]) {
      await mkdir(each, { recursive: true });
      await writeFile(join(each, "duckdb_temp_block-1.block"), "rows");
    }
    removeSpilledOfOthers();
    expect([existsSync(ended), existsSync(own)]).toEqual([false, true]);
    await rm(own, { recursive: true });
  });
});
