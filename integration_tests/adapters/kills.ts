/**
 * Schedules of kills over an adapter: the real process reads a fake's reports, and is killed at drawn points while the fake
 * limits and fails requests and late rows appear. A seed decides the whole schedule before anything runs.
 */
import { createFake, type Fake, serve } from "../../fake_providers/index.ts";
import { DAY, HOUR, sumsOf, TYPES } from "../../src/adapters/testing.ts";
import { labelsSchema } from "../../src/catalog/labels_schema.ts";
import { STREAM_NAMES } from "../../src/catalog/stream_names.ts";
import { Random } from "../../simulation/random.ts";
import { type Outcome, runAttempt } from "../kills/attempt.ts";
import { DATASETS, Platform } from "../kills/platform.ts";
import type { End } from "../kills/schedule.ts";
import type { Row } from "../support/warehouse.ts";
import type { Config } from "../support/config.ts";
import type { Catalog, CatalogStream } from "../support/protocol.ts";

/** The APIs, in turn by seed. */
const APIS = [
  { name: "anthropic", legacy: false },
  { name: "anthropic", legacy: true },
  { name: "openai", legacy: false },
  { name: "openrouter", legacy: false },
] as const;

/** A key of each fake. */
const RENAMED = { anthropic: "apikey_a1", openai: "key_a1", openrouter: "a1".repeat(32) };

/** One process. */
interface Attempt {
  /** Hours by which the fake's clock moves on before the attempt. */
  readonly pause: number;
  /** The fake answers its first requests with an error: so many with 429, then so many with 503. */
  readonly limited: number;
  readonly failing: number;
  /** Null for an attempt that must succeed. */
  readonly end: End | null;
  /** Whether the destination keeps rows that arrived after the last STATE. */
  readonly keepsRows: boolean;
  readonly config: Config;
}

/** The account, and the attempts of each sync; the last attempt of a sync must succeed. */
export interface FakeSchedule {
  readonly seed: number;
  readonly api: (typeof APIS)[number];
  /** The fake's clock at first, milliseconds since 1970. */
  readonly now: number;
  /** The first day that is read. */
  readonly first: number;
  readonly syncs: readonly (readonly Attempt[])[];
}

export function drawFakeSchedule(seed: number): FakeSchedule {
  const random = new Random(seed);
  const api = APIS[seed % APIS.length] ?? APIS[0];
  // Never on the hour: a fake shows an hour from its first instant on, but no sync reads the day that begins at this instant.
  const now = Date.UTC(2026, 6, 1) + random.int(0, 150) * DAY + (random.int(0, 23) + 0.3) * HOUR;
  // OpenRouter shows 30 days, and the last sync comes three days later.
  const days = api.name === "openrouter" ? random.int(3, 25) : random.int(3, 50);
  const first = Math.floor(now / DAY) * DAY - days * DAY;
  const granularity = api.name !== "openrouter" && random.chance(0.2) ? "1h" : "1d";
  const start = { start_date: new Date(first).toISOString().slice(0, 10), granularity };
  const draw = (pause: number, killed: number): Attempt[] =>
    drawSync(random, { pause, killed, days, start });
  const later = draw(random.pick([3, 26]), random.int(0, 2));
  return { seed, api, now, first, syncs: [draw(0, random.int(1, 3)), later, draw(50, 0)] };
}

/** Attempts that are killed, and one that must succeed. */
function drawSync(
  random: Random,
  { pause, killed, days, start }: { pause: number; killed: number; days: number; start: Config },
): Attempt[] {
  return Array.from({ length: killed + 1 }, (_, index) => ({
    pause: index === 0 ? pause : random.pick([0.2, 0.2, 2, 7]),
    limited: random.chance(0.15) ? 1 : 0,
    failing: random.chance(0.15) ? random.int(1, 2) : 0,
    end: index === killed ? null : drawEnd(random, days),
    keepsRows: random.chance(0.5),
    config: {
      ...start,
      page_size: random.pick([40, 40, 200, 1000]),
      concurrency: random.int(1, 4),
    },
  }));
}

/** Small counts more often than great ones: later attempts read less. */
function drawEnd(random: Random, days: number): End {
  const of = random.pick(["lines", "lines", "states", "characters", "requests"]);
  const most = { lines: 20 + days * 30, states: 12, characters: days * 15_000, requests: 40 };
  const signal = random.pick(["SIGKILL", "SIGKILL", "SIGTERM"]);
  const count = Math.ceil(most[of] * random.next() ** 1.5);
  const cut = signal === "SIGKILL" && of !== "requests" && random.chance(0.5);
  return { signal, at: { of, count }, cut };
}

const LABELS: CatalogStream = {
  name: "labels",
  json_schema: labelsSchema,
  supported_sync_modes: ["incremental"],
};

/** Runs a schedule. Returns the broken rules, a line for each attempt, and figures. */
export async function runFakeSchedule(schedule: FakeSchedule, catalog: Catalog) {
  const { api, now, seed } = schedule;
  // Days of twelve groups need Anthropic's page tokens where pages are small, and a pause of some hours ends the tokens.
  const dense = seed % 8 === 0 ? { groupsADay: 12 } : {};
  const fake = createFake(api.name, { now, seed, legacy: api.legacy, ...dense });
  await using served = await serve(fake, 0, false);
  const platform = new Platform();
  const [faults, log]: [string[], string[]] = [[], []];
  let struck = 0;
  for (const attempt of schedule.syncs.flat()) {
    fake.clock.advance(attempt.pause * HOUR);
    // The names of each day are other ones.
    fake.rename(RENAMED[api.name], `Renamed ${log.length}`);
    fake.limit(attempt.limited, 1);
    fake.fail(attempt.failing, 503);
    const outcome = await run(fake, served.baseUrl, platform, {
      schedule,
      attempt,
      catalog: { streams: [...catalog.streams, LABELS] },
    });
    const own = platform.take(outcome, { keepsRows: attempt.keepsRows, strict: false });
    const number = log.push(lineOf(attempt, outcome));
    faults.push(...[...outcome.faults, ...own].map((fault) => `attempt ${number}: ${fault}`));
    if (outcome.struck) struck += 1;
    if (attempt.end === null && outcome.code !== 0) faults.push(failureOf(outcome));
  }
  // The first sync of a day finds late rows of earlier days (R2), and a resumed sync keeps its plan. So only the last sync, which
  // nobody kills, must have all rows.
  faults.push(...judge(schedule, fake, platform));
  return { faults, log, figures: { processes: log.length, killed: struck } };
}

async function run(
  fake: Fake,
  baseUrl: string,
  platform: Platform,
  { schedule, attempt, catalog }: { schedule: FakeSchedule; attempt: Attempt; catalog: Catalog },
): Promise<Outcome> {
  const { key } = fake.api;
  const credentials = { auth_type: TYPES[schedule.api.name], api_key: key };
  return await runAttempt({
    config: { base_url: baseUrl, credentials, ...attempt.config },
    mode: "incremental",
    streams: STREAM_NAMES,
    states: platform.states,
    end: attempt.end,
    catalog,
    host: new URL(baseUrl).host,
    secret: key,
  });
}

function failureOf({ messages }: Outcome): string {
  const errors = messages.flatMap(({ trace }) => trace?.error?.internal_message ?? []);
  return `it must succeed and did not: ${errors.join("; ")}`;
}

/** The sums by day and model in every kind of table are the fake's. */
function judge({ first }: FakeSchedule, fake: Fake, { warehouse }: Platform): string[] {
  const truth = fake.totals(first, fake.clock.now() + DAY);
  const faults = judgeNames(fake, warehouse.labels);
  for (const dataset of DATASETS) {
    const wanted = new Set(truth[dataset].map((sum) => JSON.stringify(sum)));
    if (wanted.size === 0) faults.push(`the fake has no ${dataset}`);
    const views = {
      deduped: warehouse.deduped(dataset),
      "standing in an append table": warehouse.latest(dataset, "append"),
      "standing in a deduped table": warehouse.latest(dataset, "dedup"),
    };
    for (const [view, rows] of Object.entries(views)) {
      const sums = new Set(sumsOf(rows).map((sum) => JSON.stringify(sum)));
      for (const sum of sums.symmetricDifference(wanted))
        faults.push(`${dataset}, ${view}: ${wanted.has(sum) ? "missing" : "wrong"} ${sum}`);
    }
  }
  return faults;
}

/** N1: the newest row of each id has the name of today. */
function judgeNames(fake: Fake, rows: readonly Row[]): string[] {
  const newest = new Map<unknown, Row>();
  for (const row of rows.toSorted(
    (a, b) => Date.parse(String(a["read_at"])) - Date.parse(String(b["read_at"])),
  ))
    newest.set(row["id"], row);
  const found = new Map([...newest.values()].map((row) => [row["value"], row["name"]]));
  const { names } = fake.api;
  const truth = (["project", "workspace", "key"] as const).flatMap((kind) => names.of(kind));
  return [
    ...(found.size === truth.length ? [] : [`labels: ${found.size} names of ${truth.length}`]),
    ...truth.flatMap(({ id, name }) =>
      found.get(id) === name ? [] : [`labels: ${id} is ${String(found.get(id))}, not ${name}`],
    ),
  ];
}

function lineOf(attempt: Attempt, { code, signal, requests, messages }: Outcome): string {
  const end = String(signal ?? code);
  return `${JSON.stringify(attempt)}: ${end}, ${requests} requests, ${messages.length} lines`;
}
