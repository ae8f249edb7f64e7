/**
 * Lives of `sync`: three syncs on different days into one database. In each of the first two, processes are killed by SIGKILL at drawn
 * points, and then one is left alone. A seed determines the life, except for the instants within the writes of a file.
 */
import { watch } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startScript } from "../../bin/process.ts";
import { DAY, HOUR } from "../../reference_provider/instants.ts";
import { createProvider, type Provider } from "../../reference_provider/provider.ts";
import { Random } from "../../simulation/random.ts";
import { Database } from "../../warehouse/database.ts";
import { bearerConfig } from "../support/config.ts";
import { dayAfter, world } from "../support/world.ts";
import { deliverTo } from "./delivery.ts";
import {
  judgeCalm,
  judgeChains,
  judgeDoubles,
  judgeExactly,
  judgeProofs,
  judgeTables,
  makeJudges,
} from "./judge.ts";
import { drawRecords } from "./records.ts";
import type { Ended, Subject } from "./run.ts";
import { type Point, Strike } from "./strike.ts";
import { sumsOf, Truth } from "./truth.ts";

const VICTIM = fileURLToPath(new URL("victim.ts", import.meta.url));

interface Attempt {
  readonly decisive: boolean;
  readonly pause: number;
  /** Null if the process is left alone. */
  readonly point: Point | null;
}

/** Small counts more often than great ones: most syncs are short. */
function drawKills(random: Random): Point[] {
  return Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () =>
    random.chance(0.3)
      ? { of: "requests", count: random.int(1, random.pick([4, 10, 40])) }
      : { of: "writes", count: random.int(1, random.pick([10, 15, 60])) },
  );
}

export async function drawSync(seed: number): Promise<Subject<Attempt>> {
  const random = new Random(seed);
  const now = Date.UTC(2026, 2, 1) + random.int(0, 45) * DAY + random.int(0, 23 * 60) * 60_000;
  const first = dayAfter(new Date(now).toISOString().slice(0, 10), -random.pick([3, 7, 14, 24]));
  const drawn = () =>
    drawRecords(random.fork(), {
      first,
      now,
      changing: first,
      until: now + 36 * HOUR,
      granularity: "1d",
      note: 0,
      monthly: random.chance(0.3),
    });
  const records = drawn();
  const limits = { maximum_window_days: random.pick([1, 3, 10, 31]), freshness_lag_minutes: 0 };
  // Two accounts at one address, whose records have equal ids.
  const isTwo = seed % 2 === 1;
  const worlds = [records, ...(isTwo ? [drawn()] : [])].map((each) => ({ ...each, limits }));
  const accounts = worlds.map((each, index) => ({
    ...world(each),
    id: ["one", "two"][index] ?? "",
  }));
  const provider = createProvider({ accounts, now: new Date(now).toISOString(), seed });
  const { baseUrl } = await provider.listen();
  const folder = await mkdtemp(join(tmpdir(), "sync-kills-"));
  const page_size = random.pick([2, 10, 1000]);
  const configs = accounts.map(({ id: account }) => ({
    // Each day's sync reads again everything that may change.
    ...bearerConfig(baseUrl, provider.issueToken({ account }).token, {
      start_date: first,
      reconcile_days: 60,
      page_size,
    }),
    ...(isTwo ? { name: account, account } : {}),
  }));
  await writeFile(
    join(folder, "config.json"),
    JSON.stringify(isTwo ? { accounts: configs } : configs[0]),
  );
  const place = { folder, host: new URL(baseUrl).host };
  const truths = accounts.map(
    (account) => [isTwo ? account.id : "", new Truth(account, "1d")] as const,
  );
  return new Sync(provider, place, Object.fromEntries(truths), [
    drawKills(random),
    drawKills(random),
    [],
  ]);
}

class Sync implements Subject<Attempt> {
  readonly syncs: readonly (readonly Attempt[])[];
  readonly #provider: Provider;
  readonly #place: Place;
  readonly #accounts: Readonly<Record<string, Truth>>;

  constructor(
    provider: Provider,
    place: Place,
    accounts: Readonly<Record<string, Truth>>,
    kills: readonly (readonly Point[])[],
  ) {
    this.#provider = provider;
    this.#place = place;
    this.#accounts = accounts;
    this.syncs = kills.map((points, day) =>
      [...points, null].map((point, index) => ({
        decisive: point === null,
        pause: day > 0 && index === 0 ? 1.5 * DAY : 0,
        point,
      })),
    );
  }

  async attempt({ point, pause }: Attempt): Promise<Ended> {
    this.#provider.clock.advance(pause);
    const { code, errors, line } = await killSync(this.#place, point);
    return {
      isDone: code === 0,
      struck: code === null,
      // A process that nobody has killed succeeds.
      faults: code === null || code === 0 ? [] : [`it failed: ${errors}`],
      errors,
      line,
      figures: {},
    };
  }

  async judge(isLast: boolean): Promise<readonly string[]> {
    const further = [judgeChains, judgeDoubles, ...(isLast ? [judgeCalm] : [])];
    return await judgeFile(this.#provider, this.#place, this.#accounts, further);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#provider.close();
    await rm(this.#place.folder, { recursive: true, force: true });
  }
}

export interface Place {
  readonly folder: string;
  /** The provider's host and port. */
  readonly host: string;
}

/** The end of a sync, and what happened before it. */
interface Killed {
  /** Null if the process was killed. */
  readonly code: number | null;
  readonly errors: string;
  /** The end in one line, for the log of the life. */
  readonly line: string;
}

/** Runs one sync: as a process that is killed at the point if it gets there, or in this process, which nobody kills. */
export async function killSync({ folder, host }: Place, point: Point | null): Promise<Killed> {
  const files = [join(folder, "billing.duckdb"), join(folder, "config.json")] as const;
  if (point === null) {
    const errors = await deliverTo(...files);
    const code = errors === undefined ? 0 : 1;
    return { code, errors: errors ?? "", line: `${code} where nobody kills` };
  }
  const { child, ended } = startScript(VICTIM, files, { stdio: ["ignore", "ignore", "pipe"] });
  using strike = new Strike(child, { signal: "SIGKILL", at: point, cut: false }, host);
  const watcher = watch(folder, () => strike.pass("writes"));
  try {
    const errors = child.stderr === null ? "" : await text(child.stderr);
    const { code } = await ended;
    const [requests, writes] = [strike.count("requests"), strike.count("writes")];
    return { code, errors, line: `${code} after ${requests} requests, ${writes} writes` };
  } finally {
    watcher.close();
  }
}

/**
 * Compares the database with the provider.
 *
 * @param truths the accounts of the provider by their labels in the config; `""` is one without a label
 * @param further more judges of the database
 */
export async function judgeFile(
  provider: Provider,
  { folder }: Place,
  truths: Readonly<Record<string, Truth>>,
  further: readonly ((database: Database) => Promise<string[]>)[],
): Promise<string[]> {
  const sides = Object.entries(truths).map(([account, truth]) => {
    const sums = sumsOf(provider.totals(account === "" ? {} : { account }), "1d");
    return [account, { truth, sums }] as const;
  });
  const accounts = Object.fromEntries(sides);
  const database = await Database.open(join(folder, "billing.duckdb"), "write");
  try {
    await makeJudges(database);
    const faults = [
      ...(await judgeTables(database)),
      ...(await judgeExactly(database, accounts, provider.clock.now())),
      ...(await judgeProofs(database, accounts)),
    ];
    for (const judge of further) faults.push(...(await judge(database)));
    return faults;
  } finally {
    database.close();
  }
}
