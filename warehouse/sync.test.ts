import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ConnectorError } from "../src/errors.ts";
import { type Output, state } from "../src/protocol.ts";
import { Database } from "./database.ts";
import { inputTables } from "./models.ts";
import { prepare } from "./store.ts";
import { sync, type SyncOptions } from "./sync.ts";
import { hostWith } from "./testing.ts";
import { addReading, usageOf } from "./testing_costs.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sync-"));
});
afterAll(() => rm(folder, { recursive: true }));

const credentials = { auth_type: "scoped_bearer_token", access_token: "s3cr3t" };

const stopped = new ConnectorError("aborted", "The test has seen enough.");

const OPTIONS: SyncOptions = {
  configs: ["config.json"],
  only: [],
  database: "",
  report: undefined,
  every: undefined,
  json: false,
  memory: undefined,
  reset: [],
  inputs: {
    teams: undefined,
    budgets: undefined,
    "exchange-rates": undefined,
    invoices: undefined,
    shared: undefined,
  },
  currency: undefined,
  fiscalYearStart: undefined,
};

/** Syncs `times` times. The engine moves the position to the number of its run. Gives the positions with which the runs began. */
async function positionsOf(options: Partial<SyncOptions>, times: number): Promise<unknown[]> {
  const begun: unknown[] = [];
  let waits = 0;
  const host = hostWith({
    readJson: () => Promise.resolve({ base_url: "https://a.example", credentials }),
    sleep: () => ((waits += 1) < times ? Promise.resolve() : Promise.reject(stopped)),
    // Each look at the clock is an hour later, so that one wait is enough.
    now: () => (waits + 1) * 3_600_000,
    async *engine(command, { readJson }): AsyncGenerator<Output, boolean> {
      if (command.kind === "read") {
        begun.push(await readJson("", "state"));
        yield state("usage", { version: 3, position: "2026-03-0" + String(begun.length) }, 0);
      } else {
        yield { type: "CATALOG", catalog: { streams: [] } };
      }
      return true;
    },
  });
  const run = sync({ ...OPTIONS, database: join(folder, "billing.duckdb"), ...options }, host);
  if (options.every === undefined) await run;
  else await expect(run).rejects.toBe(stopped);
  return begun.map((states) => JSON.stringify(states).match(/"position":("[^"]*"|null)/)?.[1]);
}

test(
  "--reset with --every reads from the beginning in the first sync only",
  { timeout: 120_000 },
  async () => {
    expect(await positionsOf({}, 1)).toEqual([undefined]);
    expect(await positionsOf({ every: 3_600_000, reset: ["usage"] }, 3)).toEqual([
      undefined,
      '"2026-03-01"',
      '"2026-03-02"',
    ]);
  },
);

const HOLD = `
  const { DuckDBInstance } = await import("@duckdb/node-api");
  await DuckDBInstance.create(process.argv[1]);
  console.log("held");
  process.stdin.resume();`;

/** Runs `sync --every 1h` on a file that another process has until the wait with the number `freedAt`. Stops it at the wait `stoppedAt`. */
async function syncBesideAnother(
  freedAt: number,
  stoppedAt: number,
): Promise<{ reads: number; warnings: readonly string[] }> {
  const database = join(folder, `held-until-${freedAt}.duckdb`);
  const other = spawn(process.execPath, ["--input-type=module", "-e", HOLD, database]);
  await once(other.stdout, "data");
  const warnings: string[] = [];
  let [waits, reads, time] = [0, 0, 0];
  const host = hostWith({
    readJson: () => Promise.resolve({ base_url: "https://a.example", credentials }),
    warn: (text) => void warnings.push(text),
    now: () => time,
    sleep: async (ms) => {
      time += ms;
      waits += 1;
      if (waits === stoppedAt) throw stopped;
      if (waits === freedAt && other.kill()) await once(other, "exit");
    },
    async *engine(command): AsyncGenerator<Output, boolean> {
      if (command.kind === "discover") yield { type: "CATALOG", catalog: { streams: [] } };
      if (command.kind === "read") reads += 1;
      return true;
    },
  });
  try {
    await expect(sync({ ...OPTIONS, database, every: 3_600_000 }, host)).rejects.toBe(stopped);
  } finally {
    other.kill();
  }
  return { reads, warnings };
}

test("with --every, a sync waits for another process to close the file, and says so once", async () => {
  const { reads, warnings } = await syncBesideAnother(3, 4);
  expect(reads).toBe(1);
  expect(warnings).toEqual([
    expect.stringMatching(/open in another process \(PID \d+\).* tries to open it for a minute\.$/),
  ]);
});

test("with --every, a file that stays open elsewhere ends no later sync", async () => {
  // 29 waits within the first sync, one until the second one, and two within it.
  const { reads, warnings } = await syncBesideAnother(32, 33);
  expect(reads).toBe(1);
  expect(warnings).toEqual([
    expect.stringContaining("for a minute."),
    expect.stringMatching(/Wait until that process ends, or close it\.$/),
    expect.stringContaining("for a minute."),
  ]);
});

test("a bill of an account whose config is gone keeps its name beside an account without a label", async () => {
  const path = join(folder, "gone.duckdb");
  const database = await Database.open(path, "write");
  const base_url = "https://a.example";
  await prepare(
    database,
    ["", "eu"].map((account) => ({ name: `my ${account}`, base_url, account, granularity: "1d" })),
  );
  for (const table of await inputTables()) await database.run(table);
  const days = { first: "2026-10-01", end: "2026-10-02" };
  const records = usageOf(days.first, days.end);
  await addReading(database, { id: "r", at: days.end, ...days, account: "eu", records });
  await database.run(`INSERT INTO export_windows BY NAME
    SELECT * REPLACE ('own' AS id, 'own' AS reading_id, NULL AS account, 'own' AS chain, 0 AS records, 0 AS rows, '[]' AS totals) FROM export_windows`);
  database.close();
  const said: string[] = [];
  await sync(
    { ...OPTIONS, database: path, json: true },
    hostWith({
      readJson: () => Promise.resolve({ name: "main", base_url, credentials }),
      say: (text) => Promise.resolve(void said.push(text)),
      async *engine(command): AsyncGenerator<Output, boolean> {
        if (command.kind === "discover") yield { type: "CATALOG", catalog: { streams: [] } };
        return true;
      },
    }),
  );
  expect(JSON.parse(said.join(""))).toMatchObject({ bills: [{ name: "my eu", account: "eu" }] });
});
