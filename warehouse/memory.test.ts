import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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
  /** The folder of temporary files. */
  let temporary: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "memory-"));
    temporary = join(folder, "temporary");
    await mkdir(temporary);
    vi.stubEnv("TMPDIR", temporary);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  const path = () => join(folder, "billing.duckdb");
  const beside = () => join(folder, "billing.duckdb.tmp");
  /** The temporary folders of databases, each with the number of its files. */
  const folders = () => readdirSync(temporary).map((name) => filesIn(join(temporary, name)));
  const filesIn = (of: string) => readdirSync(of).length;

  const LARGE =
    "CREATE TEMP TABLE large AS SELECT range AS number, md5(range::VARCHAR) AS text FROM range(800000)";
  const open = (mode: "read" | "write") => Database.open(path(), mode, 16 * MIB);

  it("goes to a folder beside the database, and is removed when the database is closed", async () => {
    const database = await open("write");
    await database.run(LARGE);
    expect(filesIn(beside())).toBeGreaterThan(0);
    expect(folders()).toEqual([]);
    database.close();
    expect(existsSync(beside())).toBe(false);
  });

  it("goes to a folder of its own for each reader and for a database in memory, and is removed when they are closed", async () => {
    (await open("write")).close();
    const databases = [await open("read"), await open("read"), await Database.inMemory(16 * MIB)];
    for (const database of databases) {
      await database.lock();
      await database.run(LARGE);
    }
    expect(folders().map((files) => files > 0)).toEqual([true, true, true]);
    for (const database of databases) {
      const [[right] = []] = await database.query(
        "SELECT count(*) FROM large WHERE text = md5(number::VARCHAR)",
      );
      expect(right).toBe("800000");
      database.close();
    }
    expect(folders()).toEqual([]);
    expect(existsSync(beside())).toBe(false);
  });

  it("leaves no folder if DuckDB cannot read the database", async () => {
    const file = Buffer.alloc(12_288);
    file.write("DUCK", 8);
    await writeFile(path(), file);
    await expect(open("read")).rejects.toThrow("billing.duckdb");
    expect(folders()).toEqual([]);
  });

  it("needs no folder where none can be made, as long as the memory is enough", async () => {
    (await open("write")).close();
    vi.stubEnv("TMPDIR", join(folder, "none"));
    for (const database of [await open("read"), await Database.inMemory(16 * MIB)]) {
      expect(await database.query("SELECT 1")).toEqual([["1"]]);
      await expect(database.run(LARGE)).rejects.toThrow("DuckDB needs more memory");
      database.close();
    }
  });

  /** Kills a process that has spilled rows of a database. */
  async function killed(mode: "read" | "write"): Promise<void> {
    const code = `
      import { Database } from ${JSON.stringify(fileURLToPath(new URL("database.ts", import.meta.url)))};
      const database = await Database.open(${JSON.stringify(path())}, "${mode}", ${16 * MIB});
      await database.run(${JSON.stringify(LARGE)});
      console.log("spilled");
      setInterval(() => database, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const hasEnded = once(child, "exit");
    child.kill("SIGKILL");
    await hasEnded;
  }

  it.each(["read", "write"] as const)(
    "is removed at the next start to %s if a reader was killed",
    async (mode) => {
      (await open("write")).close();
      await killed("read");
      expect(folders().map((files) => files > 0)).toEqual([true]);
      (await open(mode)).close();
      expect(folders()).toEqual([]);
    },
  );

  it("is removed at the next start to write if a writer was killed, unless a file of anyone else lies there", async () => {
    await killed("write");
    expect(filesIn(beside())).toBeGreaterThan(0);
    (await open("read")).close();
    expect(filesIn(beside())).toBeGreaterThan(0);
    await writeFile(join(beside(), "notes.txt"), "mine");
    (await open("write")).close();
    expect(filesIn(beside())).toBeGreaterThan(1);
    await rm(join(beside(), "notes.txt"));
    (await open("write")).close();
    expect(existsSync(beside())).toBe(false);
  });

  it("is removed if its process has ended, also one with the same id, and stays if the process runs", async () => {
    const database = await Database.inMemory();
    const [inUse] = readdirSync(temporary);
    // No process has this id: it is above the greatest one that Linux gives.
    const ended = "source-ai-billing-99999999-a";
    const ofSameId = `source-ai-billing-${process.pid}-a`;
    const running = `source-ai-billing-${process.ppid}-a`;
    const another = "source-ai-billing-99999999";
    for (const name of [ended, ofSameId, running, another]) await mkdir(join(temporary, name));
    await writeFile(join(temporary, ended, "duckdb_temp_block-1.block"), "rows");
    removeSpilledOfOthers();
    expect(new Set(readdirSync(temporary))).toEqual(new Set([another, running, inUse]));
    database.close();
  });
});
