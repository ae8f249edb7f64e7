/** States, tables and databases of older versions go on with the present one, also if it is killed on the way. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProvider, type Provider } from "../reference_provider/provider.ts";
import { Database } from "../warehouse/database.ts";
import { Truth } from "./kills/truth.ts";
import { bearerConfig } from "./support/config.ts";
import { Shell } from "./support/shell.ts";
import { judgeDoubles } from "./kills/judge.ts";
import { type Point } from "./kills/strike.ts";
import { judgeFile, killSync, type Place } from "./kills/sync.ts";
import { account, AFTER, FIRST } from "./upgrade/account.ts";
import { makeDatabase, makeTables, type Version } from "./upgrade/older.ts";

interface Begun extends Place, AsyncDisposable {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly database: string;
}

/** The provider as it is after the upgrade, and a folder with a config for it. */
async function begin(): Promise<Begun> {
  const provider = createProvider({ accounts: [account()], now: AFTER, seed: 1 });
  const { baseUrl } = await provider.listen();
  const folder = await mkdtemp(join(tmpdir(), "upgrade-"));
  const config = bearerConfig(baseUrl, provider.issueToken().token, {
    start_date: FIRST,
    // Each day's sync reads again everything that may change.
    reconcile_days: 60,
    page_size: 2,
  });
  await writeFile(join(folder, "config.json"), JSON.stringify(config));
  return {
    provider,
    baseUrl,
    folder,
    host: new URL(baseUrl).host,
    database: join(folder, "billing.duckdb"),
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * Kills a process at each point, and lets one more process end by itself. Gives the number of killed processes. The clock goes on between
 * two processes: otherwise readings of a slow process would seem to end while the next process reads (R10).
 */
async function goOn(begun: Begun, points: readonly Point[]): Promise<number> {
  let killed = 0;
  for (const point of [...points, null]) {
    const { code, errors } = await killSync(begun, point);
    if (code === null) killed += 1;
    else expect(code, errors).toBe(0);
    begun.provider.clock.advance(60_000);
  }
  return killed;
}

async function rowsOf(begun: Begun, sql: string): Promise<(readonly string[])[]> {
  const database = await Database.open(begun.database, "read");
  try {
    return await database.query(sql);
  } finally {
    database.close();
  }
}

const costsOf = async (begun: Begun): Promise<(string | undefined)[]> =>
  (await rowsOf(begun, "SELECT x_RecordId FROM costs ORDER BY ALL")).map(([id]) => id);

/**
 * Sums and rows are the provider's, and every day before the position is proven. The cost that the provider has withdrawn since the older
 * version read it is listed as removed.
 */
async function expectProven(begun: Begun, before: readonly (string | undefined)[]): Promise<void> {
  const truths = { "": new Truth(account(), "1d") };
  expect(await judgeFile(begun.provider, begun, truths, [judgeDoubles])).toEqual([]);
  const unproven = await rowsOf(
    begun,
    "SELECT dataset, day, status, why FROM completeness WHERE status <> 'proven' AND day < '2026-03-11'",
  );
  expect(unproven).toEqual([]);
  const gone = before.filter((id) => id === "c-6").map((id) => [id]);
  expect(await rowsOf(begun, "SELECT record_id FROM removed_rows")).toEqual(gone);
  expect(await costsOf(begun)).toEqual(expect.arrayContaining([...before]));
}

/** −6.25 + 0.50 − 0.249999999999999999 + 0.75 + 10.25 + 11.25 */
const CHANGE = "16.250000000000000001";

const REQUESTS: readonly Point[] = [
  { of: "requests", count: 3 },
  { of: "requests", count: 9 },
];

describe.each<Version>(["0.1.0", "0.2.0"])("tables and states of %s", (version) => {
  test.each([1, 0.4])("go on, after a share of %d of its messages", async (share) => {
    await using begun = await begin();
    await makeTables(begun.database, { version, share, baseUrl: begun.baseUrl });
    const before = await costsOf(begun);
    expect(await goOn(begun, REQUESTS)).toBe(2);
    if (version === "0.1.0") {
      // R10: its state knows no rows, so the sync cannot tell that c-6 is missing. The deep re-read of the next day proves the days.
      begun.provider.clock.advance(24 * 3_600_000);
      expect(await goOn(begun, [])).toBe(0);
    }
    await expectProven(begun, before);
  });
});

test("a database of 0.2.0 goes on and keeps every row, also if its conversion is killed", async () => {
  await using begun = await begin();
  await makeDatabase(begun.database, begun.baseUrl);
  const before = await costsOf(begun);
  expect(before).toContain("c-6");
  expect(await goOn(begun, [...REQUESTS, { of: "writes", count: 4 }])).toBeGreaterThan(1);
  await expectProven(begun, before);
});

test("`sync` and `report` themselves take a database of 0.2.0", async () => {
  await using begun = await begin();
  await using shell = await Shell.open();
  await makeDatabase(begun.database, begun.baseUrl);
  const before = await costsOf(begun);
  const named = ["--database", begun.database];
  const report = ["report", "--out", "r.html", ...named];
  expect(await shell.run(report)).toMatchObject({ end: 0 });
  const config = join(begun.folder, "config.json");
  const said = await shell.run(["sync", "--config", config, "--json", ...named]);
  expect(said).toMatchObject({ end: 0 });
  // The change since the bill that 0.2.0 kept: c-6 is gone, c-5 and c-7 are restated, c-late and two days are new.
  expect(JSON.parse(said.stdout)).toMatchObject({
    bills: [{ currency: "USD", month: "2026-03-01", change: CHANGE }],
    unusable: { rows: 0 },
  });
  await expectProven(begun, before);
  expect(await shell.run(report)).toMatchObject({ end: 0 });
});
