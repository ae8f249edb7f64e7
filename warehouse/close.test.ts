import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { close, type CloseOptions, rangesOf } from "./close.ts";
import { Database } from "./database.ts";
import { makeAllModels, modelNames } from "./models.ts";
import { query } from "./query.ts";
import { hasFreshModels, refreshModels } from "./refresh.ts";
import { hostWith, partsOf } from "./testing.ts";
import { addReading, october as makeOctober, usageOf } from "./testing_costs.ts";

let folder: string;
/** The database of October, after a close that was refused. */
let october: string;
/** The words of the refusal. */
let refused: string;
/** The database of the test. */
let path: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "close-"));
  path = join(folder, "october.duckdb");
  october = path;
  await makeOctober(path);
  refused = await closed().then(
    () => "closed",
    (error: unknown) => String(error),
  );
});
beforeEach(async () => {
  path = join(await mkdtemp(join(folder, "own-")), "billing.duckdb");
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function closed(options: Partial<CloseOptions> = {}): Promise<string> {
  const said: string[] = [];
  const host = hostWith({
    now: () => Date.parse("2026-11-03T12:00:00Z"),
    say: (text) => Promise.resolve(void said.push(text)),
  });
  const given = {
    database: path,
    month: "2026-10",
    view: "month",
    accrue: false,
    why: undefined,
  } as const;
  await close({ ...given, json: false, ...options }, host);
  return said.join("");
}

const asked = async (sql: string): Promise<string> =>
  (await partsOf(query(path, sql, "json"))).join("");

describe("close", () => {
  it("refuses a month that is not certain, and names the days", { timeout: 120_000 }, async () => {
    await copyFile(october, path);
    expect(refused).toContain(
      "2026-10 by month cannot be closed, and nothing was written: not read: 2026-10-31; provisional: 2026-10-20. Sync again later, or",
    );
    expect(JSON.parse(await asked("FROM ai_billing_closes"))).toEqual([]);
  });

  it("takes the tables of an older version, before any sync has made them anew", async () => {
    await copyFile(october, path);
    const database = await Database.open(path, "write");
    await database.run("DROP TABLE labels");
    await database.run("DROP TABLE ai_billing_shared");
    await database.run('ALTER TABLE costs DROP COLUMN "x_UpstreamProvider"');
    database.close();
    expect(await closed({ accrue: true })).toContain("Closed  month 2026-10 v1");
  });

  it("refuses a file with a view of somebody else in place of a table", async () => {
    await copyFile(october, path);
    const database = await Database.open(path, "write");
    await database.run("DROP TABLE labels");
    await database.run("CREATE VIEW labels AS SELECT 42 AS mine");
    database.close();
    await expect(closed({ accrue: true })).rejects.toThrow('holds the view "labels".');
  });

  it("leaves models that stay until something is new", { timeout: 240_000 }, async () => {
    await copyFile(october, path);
    await closed({ accrue: true });
    const database = await Database.open(path, "write");
    const names = await modelNames();
    const rowsOf = async (name: string) =>
      (await database.query(`FROM main.${name}`)).map((row) => JSON.stringify(row)).toSorted();
    expect(await hasFreshModels(database)).toBe(true);
    expect(await refreshModels(database)).toBe("none");
    const left = new Map<string, readonly string[]>();
    for (const name of names) left.set(name, await rowsOf(name));
    await makeAllModels(database);
    for (const name of names) expect(await rowsOf(name), name).toEqual(left.get(name));
    await database.run("INSERT INTO export_windows FROM export_windows LIMIT 1");
    expect(await refreshModels(database)).toBe("proofs");
    database.close();
  });

  it("leaves a refresh of what changed after it", { timeout: 240_000 }, async () => {
    await copyFile(october, path);
    await closed({ accrue: true });
    const database = await Database.open(path, "write");
    const pending = () =>
      database.query(
        `SELECT reason, amount::DECIMAL(18, 2), strftime(found_at, '%m-%d %H') FROM adjustments WHERE is_pending AND kind <> 'reversal' ORDER BY 1`,
      );
    expect(await pending()).toEqual([
      ["estimate", "20.00", "null"],
      ["provisional", "50.00", "11-03 00"],
    ]);
    await addReading(database, {
      id: "r2",
      at: "2026-11-05",
      first: "2026-10-05",
      end: "2026-10-06",
      records: usageOf("2026-10-05", "2026-10-06", "25"),
    });
    expect(await refreshModels(database)).toBe("days");
    expect(await pending()).toContainEqual(["corrected", "5.00", "11-05 00"]);
    const readAgain = (day: string): Promise<void> =>
      database.run(`
        INSERT INTO export_windows BY NAME
        SELECT * REPLACE (id || '+' AS id, 'r3' AS reading_id, TIMESTAMP '2026-11-05 06:00' AS began_at, TIMESTAMP '2026-11-05 06:00' AS ended_at)
        FROM export_windows WHERE day = DATE '${day}'`);
    await readAgain("2026-10-06");
    const run = vi.spyOn(database, "run");
    expect(await refreshModels(database)).toBe("proofs");
    expect(run.mock.calls.filter(([sql]) => sql.includes("TABLE main.adjustments"))).toEqual([]);
    // The first reading after a close that proves a day settles those of its rows that have not changed since.
    await readAgain("2026-10-20");
    expect(await refreshModels(database)).toBe("proofs");
    expect(await pending()).toContainEqual(["provisional", "50.00", "11-05 06"]);
    await database.run(`UPDATE costs SET "BilledCost" = '21' WHERE "x_RecordId" = '10-07'`);
    expect(await refreshModels(database)).toBe("days");
    expect(await pending()).toContainEqual(["not proven", "1.00", "11-03 00"]);
    database.close();
  });

  it("writes a book with accruals, which reopening keeps", { timeout: 240_000 }, async () => {
    await copyFile(october, path);
    const text = await closed({ accrue: true });
    expect(text.replace(/\w{64}/, "…")).toBe(
      [
        "Closed  month 2026-10 v1",
        "month    kind     reason       currency  amount",
        "2026-10  accrual  estimate     USD           20",
        "2026-10  accrual  provisional  USD           50",
        "2026-10  actual   final        USD          600",
        "book                           USD          670",
        "Digest  …",
        "",
      ].join("\n"),
    );
    await expect(closed({ accrue: true })).rejects.toThrow("it is closed already (--reopen --why");
    const again: unknown = JSON.parse(
      await closed({ accrue: true, why: "it's wrong", json: true }),
    );
    expect(again).toMatchObject({ id: "month 2026-10 v2", before_the_books: [] });
    expect(
      JSON.parse(await asked("SELECT version, why, is_newest, is_intact FROM closes ORDER BY 1")),
    ).toEqual([
      { version: 1, why: null, is_newest: false, is_intact: true },
      { version: 2, why: "it's wrong", is_newest: true, is_intact: true },
    ]);
  });

  it(
    "refuses a month while the costs of an account were never read",
    { timeout: 120_000 },
    async () => {
      await copyFile(october, path);
      const database = await Database.open(path, "write");
      // The first sync of b was refused at its costs, that of d at once. The provider of c offers usage only.
      await database.run(`INSERT INTO source_ai_billing.accounts VALUES
      ('a', 'https://a.example', '', '1d'), ('b', 'https://b.example', 'b', '1d'), ('c', 'https://c.example', 'c', '1d'),
      ('d', 'https://d.example', '', '1d')`);
      await database.run(`INSERT INTO source_ai_billing.states VALUES
      ('https://a.example', '', 'costs', '{}'), ('https://b.example', 'b', 'costs', '{}'), ('https://c.example', 'c', 'usage', '{}')`);
      database.close();
      await expect(closed()).rejects.toThrow(
        "not read (account b): 2026-10-01 to 2026-10-31; not read (account https://a.example): 2026-10-31; " +
          "not read (account https://d.example): 2026-10-01 to 2026-10-31; provisional (account https://a.example): 2026-10-20.",
      );
      const said = await closed({ accrue: true });
      expect(said).toContain(
        "Not in it: account b, 2026-10-01 to 2026-10-31, which were not read, without an estimate\n",
      );
      expect(said).not.toContain("2026-10-31, which was");
    },
  );

  it(
    "names the days that no estimate stands for, also of an account that has estimates of another month",
    { timeout: 240_000 },
    async () => {
      await copyFile(october, path);
      const database = await Database.open(path, "write");
      await addReading(database, {
        id: "b1",
        at: "2026-10-02",
        first: "2026-09-05",
        end: "2026-09-26",
        records: usageOf("2026-09-05", "2026-09-26"),
        account: "b",
      });
      database.close();
      expect(await closed({ month: "2026-09", accrue: true })).toContain(
        "Not in it: account https://a.example, 2026-09-01 to 2026-09-30, which were not read, without an estimate\n",
      );
      const said = await closed({ accrue: true });
      expect(said).toMatch(/2026-09 {2}reversal +estimate +USD +-180\n/);
      // The days of September are estimated again, and October 31 of the other account is.
      expect(said.split("\n").filter((line) => line.startsWith("Not in it"))).toEqual([
        "Not in it: account b, 2026-10-01 to 2026-10-31, which were not read, without an estimate",
      ]);
    },
  );

  it("leaves nothing if it fails midway", { timeout: 120_000 }, async () => {
    await copyFile(october, path);
    const database = await Database.open(path, "write");
    await database.run("DROP TABLE ai_billing_close_lines");
    await database.run(
      "CREATE TABLE ai_billing_close_lines AS SELECT * EXCLUDE method, 1 AS extra FROM (SELECT NULL AS method)",
    );
    database.close();
    await expect(closed({ accrue: true })).rejects.toThrow();
    expect(await asked("FROM ai_billing_closes")).toBe("[]\n");
    expect(await asked("FROM ai_billing_close_entries")).toBe("[]\n");
  });

  it("makes no database, and takes none of anybody else", async () => {
    await expect(closed()).rejects.toThrow("there is no such file");
    const database = await Database.open(path, "write");
    database.close();
    await expect(closed()).rejects.toThrow("No sync has written to");
  });
});

it("days that follow one another are a range", () => {
  expect(rangesOf(["2026-02-28", "2026-03-01", "2026-03-03"])).toEqual([
    "2026-02-28 to 2026-03-01",
    "2026-03-03",
  ]);
});
