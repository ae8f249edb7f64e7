/**
 * One schedule: three syncs on different days into one database. In each of the first two, processes are killed by SIGKILL
 * at drawn points, and then one is left alone. After each sync the rows and sums must be the provider's. A seed determines
 * the schedule, except for the instants within the writes of a file.
 */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { watch } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { startScript } from "../../bin/process.ts";
import { currentSums } from "../../demo/figures.ts";
import { sumsOf } from "../../demo/provider.ts";
import { compare, type Comparison } from "../../demo/reconciliation.ts";
import { DAY, HOUR } from "../../reference_provider/instants.ts";
import { createProvider, type Provider } from "../../reference_provider/provider.ts";
import { Random } from "../../simulation/random.ts";
import { Database } from "../../warehouse/database.ts";
import { makeAllModels } from "../../warehouse/models.ts";
import { drawRecords } from "../kills/records.ts";
import { bearerConfig } from "../support/config.ts";
import { dayAfter, world } from "../support/world.ts";

const LABELS = ["one", "two"];

const VICTIM = fileURLToPath(new URL("victim.ts", import.meta.url));

/** Node's diagnostics channel for each request that reaches an HTTP server of this process. */
const REQUESTS = "http.server.request.start";

/** The point of a kill: so many requests that reached the provider, or so many writes to the files of the database. */
export interface Point {
  readonly of: "requests" | "writes";
  readonly count: number;
}

/** The result of a schedule. */
interface Report {
  /** The broken promises; empty if all are kept. */
  readonly faults: readonly string[];
  readonly log: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

/** Small counts more often than great ones: most syncs are short. */
function drawKills(random: Random): Point[] {
  return Array.from({ length: random.pick([0, 1, 1, 2, 3]) }, () =>
    random.chance(0.3)
      ? { of: "requests", count: random.int(1, random.pick([4, 10, 40])) }
      : { of: "writes", count: random.int(1, random.pick([10, 15, 60])) },
  );
}

export async function runSyncSchedule(seed: number): Promise<Report> {
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
  const labels = seed % 2 === 1 ? LABELS : undefined;
  const second = labels === undefined ? [] : [{ ...world({ ...drawn(), limits }), id: "two" }];
  const provider = createProvider({
    accounts: [{ ...world({ ...records, limits }), id: "one" }, ...second],
    now: new Date(now).toISOString(),
    seed,
  });
  const { baseUrl } = await provider.listen();
  const folder = await mkdtemp(join(tmpdir(), "sync-kills-"));
  try {
    const page_size = random.pick([2, 10, 1000]);
    const configOf = (account: string) =>
      bearerConfig(baseUrl, provider.issueToken({ account }).token, {
        start_date: first,
        // Each day's sync reads again everything that may change.
        reconcile_days: 60,
        page_size,
      });
    const config =
      labels === undefined
        ? configOf("one")
        : { accounts: labels.map((name) => ({ ...configOf(name), name, account: name })) };
    await writeFile(join(folder, "config.json"), JSON.stringify(config));
    return await live(provider, { folder, host: new URL(baseUrl).host, labels }, [
      drawKills(random),
      drawKills(random),
      [],
    ]);
  } finally {
    await provider.close();
    await rm(folder, { recursive: true, force: true });
  }
}

export interface Place {
  readonly folder: string;
  /** The provider's host and port. */
  readonly host: string;
  /** The accounts of the provider, by their labels in the config; absent for one without a label. */
  readonly labels?: readonly string[] | undefined;
}

async function live(
  provider: Provider,
  place: Place,
  syncs: readonly (readonly Point[])[],
): Promise<Report> {
  const faults: string[] = [];
  const log: string[] = [];
  let killed = 0;
  for (const [day, kills] of syncs.entries()) {
    for (const point of [...kills, null]) {
      const { code, errors, requests, writes } = await attempt(place, point);
      const passed = `${requests} requests, ${writes} writes`;
      const number = log.push(
        `day ${day}, ${JSON.stringify(point)}: ${String(code)} after ${passed} ${errors}`,
      );
      if (code === null) killed += 1;
      else if (code !== 0) faults.push(`attempt ${number} failed: ${errors}`);
    }
    faults.push(...(await judge(provider, place)).map((fault) => `day ${day}: ${fault}`));
    provider.clock.advance(1.5 * DAY);
  }
  return { faults, log, figures: { processes: log.length, killed } };
}

/** The end of a process, and what happened before it. */
export interface Attempt {
  /** Null if the process was killed. */
  readonly code: number | null;
  readonly errors: string;
  readonly requests: number;
  readonly writes: number;
}

/** Runs one process, and kills it at the point if it gets there. */
export async function attempt({ folder, host }: Place, point: Point | null): Promise<Attempt> {
  const args = [join(folder, "billing.duckdb"), join(folder, "config.json")];
  const { child, ended } = startScript(VICTIM, args, { stdio: ["ignore", "ignore", "pipe"] });
  const passed = { requests: 0, writes: 0 };
  const pass = (of: Point["of"]): void => {
    passed[of] += 1;
    if (point?.of === of && passed[of] === point.count) child.kill("SIGKILL");
  };
  const onRequest = (message: unknown): void => {
    if (hostOf(message) === host) pass("requests");
  };
  subscribe(REQUESTS, onRequest);
  const watcher = watch(folder, () => pass("writes"));
  try {
    const errors = child.stderr === null ? "" : await text(child.stderr);
    return { code: (await ended).code, errors, ...passed };
  } finally {
    watcher.close();
    unsubscribe(REQUESTS, onRequest);
  }
}

/** The host that a request of {@link REQUESTS} names. */
function hostOf(message: unknown): unknown {
  if (typeof message !== "object" || message === null || !("request" in message)) return null;
  const { request } = message;
  if (typeof request !== "object" || request === null || !("headers" in request)) return null;
  const { headers } = request;
  return typeof headers === "object" && headers !== null && "host" in headers ? headers.host : null;
}

/** Compares the views with the provider, and looks for chains and rows that are there twice. */
export async function judge(provider: Provider, { folder, labels }: Place): Promise<string[]> {
  const database = await Database.open(join(folder, "billing.duckdb"), "write");
  try {
    await makeAllModels(database);
    const differing: Comparison[] = [];
    for (const label of labels ?? [undefined]) {
      const current = await currentSums(database, label);
      const sides = { naive: [], current, provider: sumsOf(provider, label) };
      differing.push(...compare(sides).filter(({ equal }) => !equal));
    }
    const doubled = await database.query(`
      SELECT 'costs', x_RecordId FROM costs GROUP BY x_RecordId, x_ReadingId, x_RecordUpdatedAt HAVING count(*) > 1
      UNION ALL SELECT 'usage', x_RecordId FROM usage GROUP BY x_RecordId, x_ReadingId, x_RecordUpdatedAt HAVING count(*) > 1
      UNION ALL SELECT 'export_windows', id FROM export_windows WHERE id IS NOT NULL GROUP BY id, ended_at HAVING count(*) > 1`);
    // R9: the rows of one database have one chain, however often a process died.
    const disputed = await database.query(
      "SELECT dataset, day, why FROM completeness WHERE why LIKE '%set account%'",
    );
    return [
      ...disputed.map((row) => `two accounts: ${row.join(" ")}`),
      ...differing.map((comparison) => `not the provider's sums: ${JSON.stringify(comparison)}`),
      ...doubled.map((row) => `there twice: ${row.join(" ")}`),
    ];
  } finally {
    database.close();
  }
}
