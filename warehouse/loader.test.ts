import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { state } from "../src/protocol.ts";
import { Database } from "./database.ts";
import { Loader } from "./loader.ts";
import { LEAST_MEMORY } from "./memory.ts";
import { query } from "./query.ts";
import { partsOf } from "./testing.ts";
import { prepare, storedStates, storeState } from "./store.ts";

const OWNER = { name: "a", base_url: "https://a.example", account: "", granularity: "1d" };

let folder: string;
let database: Database;
let loader: Loader;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loader-"));
  database = await Database.open(join(folder, "billing.duckdb"), "write");
  await prepare(database, [OWNER]);
  loader = new Loader(database, OWNER, () => 0);
});
afterEach(async () => {
  database.close();
  await rm(folder, { recursive: true, force: true });
});

async function stage(...rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  const lines = rows.map((data) =>
    JSON.stringify({ type: "RECORD", record: { stream: "costs", data, emitted_at: 1 } }),
  );
  await loader.stage("costs", Buffer.from(`${lines.join("\n")}\n`), rows.length);
}

/** Commits rows that a state covers. */
async function load(...rows: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  await stage(...rows);
  await loader.take(state("costs", {}, rows.length));
  await loader.commit();
}

const costs = () =>
  database.query("SELECT x_RecordId, x_ReadingId, BilledCost FROM costs ORDER BY ALL");

const row = (id: string, reading: string, cost: string) => ({
  x_RecordId: id,
  x_ReadingId: reading,
  BilledCost: cost,
});

describe("the loader", () => {
  it("keeps every version of a row, and counts rows that are new and rows that changed", async () => {
    await load(row("a", "2", "1.5"), row("a", "1", "9"), row("b", "1", "1"), row("b", "1", "2"));
    expect(await costs()).toEqual([
      ["a", "1", "9"],
      ["a", "2", "1.5"],
      ["b", "1", "1"],
      ["b", "1", "2"],
    ]);
    expect(loader.counts("costs")).toEqual({ read: 4, added: 2, changed: 0 });
    await load(row("a", "1", "7"), row("b", "2", "2"), row("c", "2", "0.000000000000000001"));
    expect(await costs()).toHaveLength(7);
    // The new row of b has the content of the old one, and the new row of a is older than the newest one of a.
    expect(loader.counts("costs")).toEqual({ read: 7, added: 3, changed: 0 });
  });

  it("commits a long window with the least memory that DuckDB may have", async () => {
    database.close();
    database = await Database.open(join(folder, "billing.duckdb"), "write", LEAST_MEMORY);
    loader = new Loader(database, OWNER, () => 0);
    const long = "x".repeat(5000);
    for (let page = 0; page < 200; page++) {
      const ids = Array.from({ length: 150 }, (_, index) => `${page}-${index}`);
      await stage(...ids.map((id) => ({ ...row(id, "1", "1"), ChargeDescription: long })));
    }
    await loader.take(state("costs", {}, 30_000));
    await loader.commit();
    expect(loader.counts("costs")).toEqual({ read: 30_000, added: 30_000, changed: 0 });
    expect(
      await database.query("SELECT count(*), sum(length(ChargeDescription)) FROM costs"),
    ).toEqual([["30000", "150000000"]]);
  });

  it("counts a row whose content differs as changed", async () => {
    await load(row("a", "1", "1"));
    await load(row("a", "2", "1.1"));
    expect(loader.counts("costs")).toEqual({ read: 2, added: 1, changed: 1 });
  });

  it.each([
    ["of the newest reading", [row("a", "3", "7"), row("a", "2", "1")]],
    ["that came last of one reading", [row("a", "2", "1"), row("a", "2", "7")]],
  ])("compares the version %s", async (_which, versions) => {
    await load(row("a", "1", "1"));
    await load(...versions);
    expect(loader.counts("costs").changed).toBe(1);
  });

  it("counts the changed rows of each account", async () => {
    const accounts = ["one00", "two00"];
    await load(...accounts.map((account) => row("a", `m0000000a${account}`, "1")));
    await load(...accounts.map((account) => row("a", `m0000000b${account}`, "2")));
    expect(loader.counts("costs")).toEqual({ read: 4, added: 2, changed: 2 });
  });

  it("does not take the rows of another account with equal ids for older versions", async () => {
    await load(row("a", "m0000000aone00", "1"));
    await load(row("a", "m0000000btwo00", "5"));
    expect(loader.counts("costs")).toEqual({ read: 2, added: 2, changed: 0 });
    expect(await costs()).toHaveLength(2);
  });

  it("stores a state with the rows before it, and neither without a commit", async () => {
    await stage(row("a", "1", "1"));
    await loader.take(state("costs", { position: "2026-01-01T00:00:00Z" }, 1));
    expect([await costs(), await storedStates(database, OWNER)]).toEqual([[], []]);
    await loader.commit();
    expect(await costs()).toHaveLength(1);
    expect(await storedStates(database, OWNER)).toMatchObject([
      { stream: { stream_state: { position: "2026-01-01T00:00:00Z" } } },
    ]);
  });

  it("stores no row that the state of its stream does not cover: it is read again", async () => {
    await load(row("a", "1", "1"));
    await stage(row("b", "1", "2"));
    await loader.take(state("usage", {}, 0));
    await loader.commit();
    expect(await costs()).toEqual([["a", "1", "1"]]);
    await loader.take(state("costs", {}, 1));
    await loader.commit();
    expect(await costs()).toHaveLength(2);
    await loader.commit();
    expect(await costs()).toHaveLength(2);
  });

  it("cuts a part where the newest state ends: the lines behind it wait for theirs", async () => {
    await stage(row("a", "1", "1"));
    await loader.take(state("costs", {}, 1));
    await stage(row("b", "1", "2"));
    await loader.commit();
    expect(await costs()).toEqual([["a", "1", "1"]]);
    await loader.take(state("costs", {}, 1));
    await stage(row("c", "1", "3"));
    await loader.commit();
    expect(await costs()).toHaveLength(2);
    await loader.take(state("costs", {}, 1));
    await loader.commit();
    expect(await costs()).toEqual([
      ["a", "1", "1"],
      ["b", "1", "2"],
      ["c", "1", "3"],
    ]);
    expect(await database.query("FROM duckdb_tables() WHERE table_name LIKE 'lines%'")).toEqual([]);
  });

  it("keeps the instant at which each row was written", async () => {
    await load(row("a", "1", "1"));
    expect(await database.query("SELECT _airbyte_extracted_at FROM costs")).toEqual([
      ["1970-01-01 00:00:00.001"],
    ]);
  });

  it("commits by itself five seconds after the last commit", async () => {
    let now = 1000;
    loader = new Loader(database, OWNER, () => now);
    await stage(row("a", "1", "1"));
    now += 4999;
    await loader.take(state("costs", {}, 1));
    expect(await costs()).toEqual([]);
    now += 1;
    await loader.take(state("costs", {}, 0));
    expect(await costs()).toHaveLength(1);
    await stage(row("b", "1", "1"));
    await loader.take(state("costs", {}, 1));
    expect(await costs()).toHaveLength(1);
  });

  it("commits by itself after 32 megabytes of lines", async () => {
    const long = "x".repeat(1_000_000);
    for (let number = 0; number < 33; number++) {
      await stage({ ...row(`${number}`, "1", "1"), ChargeDescription: long });
      await loader.take(state("costs", {}, 1));
    }
    // A line is a little longer than its text.
    expect(await costs()).toHaveLength(32);
  });

  it("writes no row again that a killed process of 0.2.0 wrote beyond its state", async () => {
    await load(row("a", "1", "1.5"), row("b", "1", "2"));
    await load(row("a", "1", "1.50"), row("b", "1", "3"), row("c", "1", "1"));
    expect(await costs()).toEqual([
      ["a", "1", "1.5"],
      ["b", "1", "2"],
      ["b", "1", "3"],
      ["c", "1", "1"],
    ]);
    expect(loader.counts("costs")).toEqual({ read: 5, added: 3, changed: 1 });
  });

  it("rolls back all of a commit that fails", async () => {
    await load(row("a", "1", "1"));
    await stage(row("b", "2", "1"));
    await loader.take(state("costs", { position: "later" }, 1));
    await database.run("DROP TABLE source_ai_billing.states");
    await expect(loader.commit()).rejects.toThrow("states");
    expect(await costs()).toHaveLength(1);
  });

  it.each(["much", `9${"0".repeat(99)}`, "0.1234567890123456789"])(
    "keeps an amount as it came, also one that no sum holds: %s",
    async (amount) => {
      await load(row("a", "1", amount));
      expect(await costs()).toEqual([["a", "1", amount]]);
    },
  );

  it("counts a row as changed if its amount is another one, not if it has more zeros", async () => {
    await load(row("a", "1", "1.5"), row("b", "1", "much"), row("c", "1", "7"));
    await load(row("a", "2", "1.50"), row("b", "2", "more"), row("c", "2", "70"));
    expect(loader.counts("costs")).toEqual({ read: 6, added: 3, changed: 2 });
  });

  it("refuses rows of a stream that has no table", async () => {
    await expect(loader.stage("other", Buffer.from("{}\n"), 1)).rejects.toThrow("other");
  });
});

describe("the database", () => {
  it("gets the columns that it does not have yet, and keeps its rows", async () => {
    await load(row("a", "1", "1"));
    await database.run("ALTER TABLE costs DROP COLUMN InvoiceId");
    await prepare(database, [OWNER]);
    expect(await database.query("SELECT x_RecordId, InvoiceId FROM costs")).toEqual([
      ["a", "null"],
    ]);
  });

  it("of version 0.2.0, which kept decimals as numbers, keeps every amount as text", async () => {
    const amounts = ["1.5", "-100", "0", "0.000000000000000001", "20.05", "90000000000000000000"];
    await load(...amounts.map((amount, index) => row(`c-${index}`, "1", amount)));
    for (const column of ["BilledCost", "EffectiveCost", "PricingCurrencyBilledCost"]) {
      await database.run(`ALTER TABLE costs ALTER ${column} TYPE DECIMAL(38,18)`);
    }
    await database.run("ALTER TABLE usage ALTER ConsumedQuantity TYPE DECIMAL(38,18)");
    await prepare(database, [OWNER]);
    expect((await costs()).map((found) => found[2])).toEqual(amounts);
    expect(
      await database.query(
        "SELECT DISTINCT data_type FROM information_schema.columns WHERE regexp_matches(column_name, 'Cost$|Quantity$') AND table_schema = 'main'",
      ),
    ).toEqual([["VARCHAR"]]);
  });

  it.each([0, 4096, 8192])("is made again if its maker was killed after %i bytes", async (size) => {
    await database.run("CHECKPOINT");
    database.close();
    const [whole, cut] = [join(folder, "billing.duckdb"), join(folder, "cut.duckdb")];
    await writeFile(cut, (await readFile(whole)).subarray(0, size));
    database = await Database.open(cut, "write");
    await prepare(database, [OWNER]);
    expect(await costs()).toEqual([]);
  });

  it("never replaces a file that is none", async () => {
    const path = join(folder, "notes.txt");
    await writeFile(path, "some notes");
    await expect(Database.open(path, "write")).rejects.toThrow("no DuckDB database");
    expect(await readFile(path, "utf8")).toBe("some notes");
  });

  it("belongs to nobody before its first row: a wrong address in the first sync is forgotten", async () => {
    await storeState(database, OWNER, "costs", "{}");
    const other = { ...OWNER, base_url: "https://other.example" };
    await prepare(database, [other]);
    expect(await database.query("FROM source_ai_billing.states")).toEqual([]);
    loader = new Loader(database, other, () => 0);
    await load(row("a", "1", "1"));
    await expect(prepare(database, [OWNER])).rejects.toThrow("another address");
    await expect(prepare(database, [other])).resolves.toBeUndefined();
  });

  it("belongs to one address, account and granularity", async () => {
    await load(row("a", "1", "1"));
    await expect(prepare(database, [{ ...OWNER, granularity: "1h" }])).rejects.toThrow(
      "another granularity",
    );
    await expect(prepare(database, [{ ...OWNER, base_url: "x", account: "y" }])).rejects.toThrow(
      "another address and another account label",
    );
  });
});

const said = async (parts: AsyncIterable<string>): Promise<string> =>
  (await partsOf(parts)).join("");

it("`query` gives decimals as text and whole numbers with all their digits", async () => {
  const path = join(folder, "billing.duckdb");
  database.close();
  const sql =
    "SELECT 1.50::DECIMAL(38,18) AS d, 9007199254740993::BIGINT AS b, NULL AS n, 'x' AS t, true AS f";
  expect(await said(query(path, sql, "json"))).toBe(
    '[\n{"d":"1.5","b":9007199254740993,"n":null,"t":"x","f":true}\n]\n',
  );
  expect(await said(query(path, `${sql} WHERE false`, "json"))).toBe("[]\n");
  expect(await said(query(path, sql, "text"))).toBe(
    "  d                 b  n  t  f\n1.5  9007199254740993     x  true\n",
  );
  await expect(said(query(path, "SELECT nothing", "text"))).rejects.toThrow("nothing");
});
