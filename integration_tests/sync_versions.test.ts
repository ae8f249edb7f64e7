/** Hourly syncs drop some versions of records. Only `restatements` would show these; the kept ones tell every change. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createProvider } from "../reference_provider/provider.ts";
import { Random } from "../simulation/random.ts";
import { seedsOf } from "../simulation/seeds.ts";
import { STREAM_NAMES } from "../src/catalog/stream_names.ts";
import { run } from "../src/connector.ts";
import { hostOf } from "../src/testing_host.ts";
import { Database } from "../warehouse/database.ts";
import { deliver } from "../warehouse/delivery.ts";
import { modelNames, makeAllModels } from "../warehouse/models.ts";
import { prepare } from "../warehouse/store.ts";
import { hostWith } from "../warehouse/testing.ts";
import { foldVersions } from "../warehouse/versions.ts";
import { bearerConfig } from "./support/config.ts";
import { cost, dayAfter, usage, world, type Life } from "./support/world.ts";

const FIRST = "2026-03-05";
const DAYS = 3;
const HOUR = 3_600_000;

const iso = (instant: number): string => new Date(instant).toISOString().replace(".000Z", "Z");

/** Records that grow from hour to hour on their day, and change, vanish, or come late after it. */
function growing(random: Random, make: typeof usage, name: string): Life[] {
  return Array.from({ length: DAYS * 2 }, (_, number) => {
    const day = dayAfter(FIRST, number % DAYS);
    const begins = Date.parse(day);
    const restated = Array.from({ length: random.int(0, 30) }, (_each, step) => {
      const amount = `${step + 2}.${random.int(0, 99)}`;
      const changes =
        name === "u" ? { ConsumedQuantity: amount } : { BilledCost: amount, EffectiveCost: amount };
      return { at: iso(begins + (random.int(1, 3) + step * random.pick([1, 2])) * HOUR), changes };
    }).filter(({ at }, index, all) => index === 0 || at > (all[index - 1]?.at ?? ""));
    const gone = random.chance(0.2)
      ? { withdrawn_at: iso(begins + random.int(1, 60) * HOUR + 1) }
      : {};
    const visible_from = iso(begins + random.pick([0, 1, 5, 30]) * HOUR);
    const kept = restated.filter(({ at }) => at > visible_from);
    return make(`${name}-${number}`, day, "1.5", { visible_from, restated: kept, ...gone });
  });
}

/** The rows of a table, sorted as text. */
async function rowsOf(database: Database, table: string): Promise<string> {
  const rows = await database.query(`FROM ${table}`);
  return rows
    .map((row) => JSON.stringify(row))
    .toSorted()
    .join("\n");
}

test.for(seedsOf(process.env, { few: 1, all: 1 }))(
  "no model but restatements shows a version that an hourly sync lets go (seed %i)",
  { timeout: 300_000 },
  async (seed) => {
    const random = new Random(seed);
    const lag = random.pick([0, 240]);
    const provider = createProvider({
      accounts: [
        world({
          usage: growing(random.fork(), usage, "u"),
          costs: [
            ...growing(random.fork(), cost, "c"),
            cost("settled", FIRST, "2", {
              finalized: { at: `${dayAfter(FIRST, 2)}T09:00:00Z`, changes: { BilledCost: "2.5" } },
            }),
          ],
          limits: { freshness_lag_minutes: lag, settlement_lag_hours: random.pick([0, 24]) },
        }),
      ],
      now: `${FIRST}T00:30:00Z`,
      seed,
    });
    const { baseUrl } = await provider.listen();
    const folder = await mkdtemp(join(tmpdir(), "versions-"));
    const [path, whole] = [join(folder, "billing.duckdb"), join(folder, "whole.duckdb")];
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
    const database = await Database.open(path, "write");
    try {
      await prepare(database, [account]);
      await database.run(`ATTACH '${whole}' AS whole`);
      for (const table of STREAM_NAMES) {
        await database.run(`CREATE TABLE whole.${table} AS FROM ${table} LIMIT 0`);
      }
      for (let hours = 0; hours < (DAYS + 2) * 24;) {
        expect(await deliver(account, database, host)).toMatchObject({ ok: true, errors: [] });
        for (const table of STREAM_NAMES) {
          await database.run(
            `INSERT INTO whole.${table} FROM (FROM ${table} EXCEPT FROM whole.${table})`,
          );
        }
        await foldVersions(database, "usage");
        await foldVersions(database, "costs");
        const step = random.pick([1, 1, 2, 5, 9]);
        provider.clock.advance(step * HOUR);
        hours += step;
      }
      await makeAllModels(database);
      await database.run("USE whole");
      await makeAllModels(database);
      await database.run("USE billing");
      const [[all = "0", kept = "0"] = []] = await database.query(
        "SELECT (SELECT count(*) FROM whole.costs), (SELECT count(*) FROM costs)",
      );
      expect(Number(kept)).toBeLessThan(Number(all));
      const [[changes = "0"] = []] = await database.query("SELECT count(*) FROM cost_changes");
      expect(Number(changes)).toBeGreaterThan(0);
      const differing: string[] = [];
      for (const name of await modelNames()) {
        const rows = await rowsOf(database, name);
        if (rows !== (await rowsOf(database, `whole.${name}`))) differing.push(name);
      }
      expect(differing.filter((name) => name !== "restatements")).toEqual([]);
    } finally {
      database.close();
      await provider.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
);
