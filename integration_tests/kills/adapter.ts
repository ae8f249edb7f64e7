/**
 * Lives of `read` over an adapter: the real process reads a fake's reports, and is killed at drawn points while the fake limits and
 * fails requests and late rows appear. A seed decides the whole life before anything runs.
 */
import { createFake, type Fake, serve } from "../../fake_providers/index.ts";
import type { Total } from "../../fake_providers/facts.ts";
import { DAY, HOUR, TYPES } from "../../src/adapters/testing.ts";
import { labelsSchema } from "../../src/catalog/labels_schema.ts";
import { STREAM_NAMES } from "../../src/catalog/stream_names.ts";
import { Random } from "../../simulation/random.ts";
import type { Config } from "../support/config.ts";
import type { Catalog, CatalogStream } from "../support/protocol.ts";
import { runAttempt } from "./attempt.ts";
import { judgeCalm, judgeChains, judgeSums, judgeTables, makeJudges, sumOf } from "./judge.ts";
import { Platform } from "./platform.ts";
import type { Ended, Subject } from "./run.ts";
import type { End } from "./strike.ts";
import { addDeduped, type Dataset, DATASETS, DEDUPED, type KeptRow, tablesOf } from "./tables.ts";

/** The APIs, in turn by seed. */
const APIS = [
  { name: "anthropic", legacy: false },
  { name: "anthropic", legacy: true },
  { name: "openai", legacy: false },
  { name: "openrouter", legacy: false },
] as const;

/** The id of one API key of each fake. Each attempt gives this key another name. */
const RENAMED = { anthropic: "apikey_a1", openai: "key_a1", openrouter: "a1".repeat(32) };

/** One process. */
interface Attempt {
  /** Whether no signal ends it. */
  readonly decisive: boolean;
  /** Hours by which the fake's clock moves on before the attempt. */
  readonly pause: number;
  /** The fake answers its first requests with an error: so many with 429, then so many with 503. */
  readonly limited: number;
  readonly failing: number;
  readonly end: End | null;
  /** Whether the destination keeps rows that arrived after the last STATE. */
  readonly keepsRows: boolean;
  readonly config: Config;
}

/** The account, and the attempts of each sync. */
interface Schedule {
  readonly api: (typeof APIS)[number];
  /** The first day that is read. */
  readonly first: number;
  readonly syncs: readonly (readonly Attempt[])[];
}

export async function drawAdapter(seed: number, catalog: Catalog): Promise<Subject<Attempt>> {
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
  const syncs = [draw(0, random.int(1, 3)), later, draw(50, 0)];
  // Days of twelve groups need Anthropic's page tokens where pages are small, and a pause of some hours ends the tokens.
  const dense = seed % 8 === 0 ? { groupsADay: 12 } : {};
  const fake = createFake(api.name, { now, seed, legacy: api.legacy, ...dense });
  const served = await serve(fake, 0, false);
  const streams = { streams: [...catalog.streams, LABELS] };
  return new Adapter({ schedule: { api, first, syncs }, fake, served, catalog: streams });
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
    decisive: index === killed,
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

/** Sums by day and model, as the fakes tell theirs. */
const SUMS: Readonly<Record<Dataset, string>> = {
  usage: `day, model_id, usage_type, ${sumOf("consumed_quantity")}`,
  costs: `day, model_id, billing_currency, ${sumOf("billed_cost")}`,
};

interface Setting {
  readonly schedule: Schedule;
  readonly fake: Fake;
  readonly served: Awaited<ReturnType<typeof serve>>;
  readonly catalog: Catalog;
}

class Adapter implements Subject<Attempt> {
  readonly syncs: Schedule["syncs"];
  readonly #setting: Setting;
  readonly #platform = new Platform();
  #renamed = 0;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.syncs = setting.schedule.syncs;
  }

  async attempt(attempt: Attempt): Promise<Ended> {
    const { fake, served, schedule, catalog } = this.#setting;
    const { key } = fake.api;
    fake.clock.advance(attempt.pause * HOUR);
    // Each attempt meets a new name, so that each sync has a name to write (N1).
    fake.rename(RENAMED[schedule.api.name], `Renamed ${this.#renamed++}`);
    fake.limit(attempt.limited, 1);
    fake.fail(attempt.failing, 503);
    const credentials = { auth_type: TYPES[schedule.api.name], api_key: key };
    const outcome = await runAttempt({
      config: { base_url: served.baseUrl, credentials, ...attempt.config },
      mode: "incremental",
      streams: STREAM_NAMES,
      states: this.#platform.states,
      end: attempt.end,
      catalog,
      host: new URL(served.baseUrl).host,
      secret: key,
    });
    const own = this.#platform.take(outcome, { keepsRows: attempt.keepsRows });
    return { ...outcome, faults: [...outcome.faults, ...own] };
  }

  /**
   * The first sync of a day finds late rows of earlier days (R2), and a resumed sync keeps its plan. So only the last sync, which nobody
   * kills, must have all rows.
   */
  async judge(isLast: boolean): Promise<readonly string[]> {
    const { fake, schedule } = this.#setting;
    const { rows } = this.#platform;
    const database = await tablesOf(rows);
    try {
      await addDeduped(database);
      await makeJudges(database);
      const faults = [...(await judgeTables(database)), ...(await judgeChains(database))];
      if (!isLast) return faults;
      faults.push(...judgeNames(fake, rows), ...(await judgeCalm(database)));
      const { usage, costs } = fake.totals(schedule.first, fake.clock.now() + DAY);
      const wanted = { usage: usage.map(textOf), costs: costs.map(textOf) };
      for (const dataset of DATASETS) {
        if (wanted[dataset].length === 0) faults.push(`the fake has no ${dataset}`);
      }
      for (const account of [accountOf(rows), DEDUPED]) {
        faults.push(...(await judgeSums(database, account, wanted, SUMS, isNotZero)));
      }
      return faults;
    } finally {
      database.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#setting.served[Symbol.asyncDispose]();
  }
}

const textOf = ({ day, model, meter, sum: amount }: Total): string =>
  [day, model, meter, amount].map(String).join(" ");

/** A fake tells no sum of 0. */
const isNotZero = (sum: string): boolean => !sum.endsWith(" 0");

/** The adapter's name of the account; empty if it knows none. */
function accountOf(rows: readonly KeptRow[]): string {
  const account = rows.find(({ stream }) => stream === "export_windows")?.data["account"];
  return typeof account === "string" ? account : "";
}

/** N1: the newest row of each id has the name of today. */
function judgeNames(fake: Fake, rows: readonly KeptRow[]): string[] {
  const own = rows.flatMap(({ stream, data }) => (stream === "labels" ? [data] : []));
  const sorted = own.toSorted(
    (a, b) => Date.parse(String(a["read_at"])) - Date.parse(String(b["read_at"])),
  );
  const newest = new Map(sorted.map((row) => [row["id"], row]));
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
