/** The models after each sync of random histories: those that a refresh leaves as they are equal those of a whole refresh, row by row. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProvider } from "../reference_provider/provider.ts";
import { Random } from "../simulation/random.ts";
import { seedsOf } from "../simulation/seeds.ts";
import { run } from "../src/connector.ts";
import { hostOf } from "../src/testing_host.ts";
import { Database } from "../warehouse/database.ts";
import { deliver } from "../warehouse/delivery.ts";
import { makeAllModels, modelNames } from "../warehouse/models.ts";
import { hasFreshModels, refreshModels } from "../warehouse/refresh.ts";
import { prepare } from "../warehouse/store.ts";
import { hostWith } from "../warehouse/testing.ts";
import { bearerConfig } from "./support/config.ts";
import { cost, dayAfter, type Life, usage, world } from "./support/world.ts";

const FIRST = "2026-03-05";
const DAYS = 3;
/** Each step costs two refreshes. */
const STEPS = process.env["SEEDS"] === "all" || process.env["SEED"] !== undefined ? 8 : 3;
const HOUR = 3_600_000;

const iso = (instant: number): string => new Date(instant).toISOString().replace(".000Z", "Z");

/** Records of which some come late, change, or vanish. */
const lives = (random: Random, make: typeof usage, name: string, goes: number): Life[] =>
  Array.from({ length: DAYS * 2 }, (_, number) => {
    const day = dayAfter(FIRST, number % DAYS);
    const begins = Date.parse(day);
    return make(`${name}-${number}`, day, "1.5", {
      visible_from: iso(begins + random.pick([0, 1, 30]) * HOUR),
      ...(random.chance(goes) ? { withdrawn_at: iso(begins + random.int(31, 80) * HOUR + 1) } : {}),
    });
  });

/** Columns of a report that says otherwise than the newest one of its day; the first says the same once more. */
const OTHERWISE = [
  "moved AS moved",
  "moved AS moved",
  "moved AS moved",
  "false AS confirmed",
  "true AS moved",
  "true AS shrunk",
  "'zzzzz' AS chain",
  "'second' AS account",
  "covered_through - INTERVAL 6 HOUR AS covered_through",
  "rows + 1 AS rows",
  "false AS inside_window",
  "reading_id || '~' AS rows_reading_id",
  "began_at + INTERVAL 1 DAY AS began_at",
] as const;

/** What a person may do to the tables by hand. */
const BY_HAND = [
  "DELETE FROM costs WHERE x_RecordId = (SELECT min(x_RecordId) FROM costs)",
  "UPDATE usage SET ConsumedQuantity = '7.25' WHERE x_RecordId = (SELECT max(x_RecordId) FROM usage)",
  "UPDATE costs SET BilledCost = 'much' WHERE x_RecordId = (SELECT max(x_RecordId) FROM costs)",
  "INSERT INTO ai_billing_teams (label, value, team) VALUES ('project_id', 'p', 'Search')",
  "DELETE FROM export_windows WHERE day = (SELECT max(day) FROM export_windows)",
  "DROP TABLE current_costs",
] as const;

/** A newer report of some days, or a change by hand. Its reading comes before all later ones. */
function disturbance(random: Random, step: number): string {
  if (step > 1 && random.chance(0.15)) return random.pick(BY_HAND);
  const columns = step === 1 ? OTHERWISE[0] : random.pick(OTHERWISE);
  const [name = ""] = /\w+$/.exec(columns) ?? [];
  const others = [
    "id || '-STEP' AS id",
    "reading_id || '~STEP' AS reading_id",
    "began_at + INTERVAL 1 MINUTE AS began_at",
    "ended_at + INTERVAL 1 MINUTE AS ended_at",
    "pass_began_at + INTERVAL 1 MINUTE AS pass_began_at",
  ].filter((each) => !each.endsWith(` AS ${name}`));
  return `
    INSERT INTO export_windows BY NAME
    SELECT * REPLACE (${[columns, ...others].join(", ").replaceAll("STEP", String(step))}) FROM export_windows
    WHERE day >= DATE '${dayAfter(FIRST, random.int(0, DAYS))}' AND dataset <> '${random.pick(["usage", "costs", ""])}'
    QUALIFY row_number() OVER (PARTITION BY dataset, day, inside_window ORDER BY reading_id DESC) = 1`;
}

/** The models whose rows are others than those of a whole refresh, which is made here. */
async function differing(database: Database): Promise<string[]> {
  const names = await modelNames();
  for (const name of names) {
    await database.run(`CREATE OR REPLACE TEMP TABLE before_${name} AS FROM main.${name}`);
  }
  await makeAllModels(database);
  const found: string[] = [];
  for (const name of names) {
    const [[rows = ""] = []] = await database.query(`
      SELECT count(*) FROM (
        (FROM main.${name} EXCEPT ALL FROM before_${name}) UNION ALL (FROM before_${name} EXCEPT ALL FROM main.${name}))`);
    if (rows !== "0") found.push(`${name}: ${rows}`);
  }
  return found;
}

/** A database and a provider of random records. `sync` reads all that the provider has, and lets hours pass. */
async function withDatabase<T>(
  random: Random,
  seed: number,
  work: (database: Database, sync: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const goes = random.pick([0, 0.2]);
  const provider = createProvider({
    accounts: [
      world({
        usage: lives(random.fork(), usage, "u", goes),
        costs: lives(random.fork(), cost, "c", goes),
        limits: { freshness_lag_minutes: 0, settlement_lag_hours: random.pick([0, 24]) },
      }),
    ],
    now: `${FIRST}T20:30:00Z`,
    seed,
  });
  const { baseUrl } = await provider.listen();
  const folder = await mkdtemp(join(tmpdir(), "refresh-"));
  const config = bearerConfig(baseUrl, provider.issueToken().token, { start_date: FIRST });
  const engine = hostOf({ config });
  const host = hostWith({
    now: () => 0,
    readJson: () => Promise.resolve(config),
    engine: (command, edges) => run(command, { ...engine, ...edges }),
  });
  const account = {
    name: "a",
    base_url: baseUrl,
    account: "",
    granularity: "1d",
    path: "config",
    entry: undefined,
  };
  const database = await Database.open(join(folder, "billing.duckdb"), "write");
  try {
    await prepare(database, [account]);
    return await work(database, async () => {
      await deliver(account, database, host);
      provider.clock.advance(random.pick([1, 9, 24]) * HOUR);
    });
  } finally {
    database.close();
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Lives one history. @returns for each refresh whether all models were made */
async function lived(seed: number): Promise<boolean[]> {
  const random = new Random(seed);
  return await withDatabase(random, seed, async (database, sync) => {
    const whole: boolean[] = [];
    for (let step = 0; step < STEPS; step++) {
      if (step === 0 || (step > 1 && random.chance(0.4))) await sync();
      else await database.run(disturbance(random, step));
      whole.push(await refreshModels(database));
      expect(await differing(database), `seed ${seed}, step ${step}`).toEqual([]);
    }
    return whole;
  });
}

test("models are fresh after a refresh, and no longer when a row of any table was changed", async () => {
  await withDatabase(new Random(1), 1, async (database, sync) => {
    await sync();
    expect(await hasFreshModels(database)).toBe(false);
    const report = "INSERT INTO export_windows FROM export_windows LIMIT 1";
    for (const change of [report, ...BY_HAND.toReversed()]) {
      await refreshModels(database);
      expect(await hasFreshModels(database), `before ${change}`).toBe(true);
      await database.run(change);
      expect(await hasFreshModels(database), `after ${change}`).toBe(false);
    }
  });
});

test(
  "a refresh that leaves models as they are ends with the rows of a whole one",
  { timeout: 900_000 },
  async () => {
    const kinds = new Set<boolean>();
    for (const seed of seedsOf(process.env, { few: 1, all: 40 })) {
      for (const isWhole of await lived(seed)) kinds.add(isWhole);
    }
    expect(kinds).toEqual(new Set([true, false]));
  },
);
