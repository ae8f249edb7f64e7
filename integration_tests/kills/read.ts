/** Lives of `read`, the real process, against a provider that misbehaves. */
import type { FaultInput } from "../../reference_provider/faults/schema.ts";
import { createProvider, type Provider } from "../../reference_provider/provider.ts";
import type { Database } from "../../warehouse/database.ts";
import { bearerConfig } from "../support/config.ts";
import type { Catalog } from "../support/protocol.ts";
import { world } from "../support/world.ts";
import { type Outcome, runAttempt } from "./attempt.ts";
import {
  type Expected,
  judgeCalm,
  judgeChains,
  judgeExactly,
  judgeProofs,
  judgeRows,
  judgeTables,
  makeJudges,
  type Side,
} from "./judge.ts";
import { Platform } from "./platform.ts";
import type { Ended, Subject } from "./run.ts";
import { type Attempt, drawSchedule, type Schedule } from "./schedule.ts";
import { addDeduped, type Dataset, DATASETS, DEDUPED, tablesOf } from "./tables.ts";
import { type Rows, sumsOf, Truth, versionsOf } from "./truth.ts";

export async function drawRead(seed: number, catalog: Catalog): Promise<Subject<Attempt>> {
  const schedule = drawSchedule(seed);
  const account = world(schedule.world);
  const provider = createProvider({ accounts: [account], now: schedule.now, seed });
  const { baseUrl } = await provider.listen();
  const truth = new Truth(account, schedule.granularity);
  return new Read({ schedule, catalog, provider, truth, baseUrl });
}

interface Setting {
  readonly schedule: Schedule;
  readonly catalog: Catalog;
  readonly provider: Provider;
  readonly truth: Truth;
  readonly baseUrl: string;
}

class Read implements Subject<Attempt> {
  readonly syncs: Schedule["syncs"];
  readonly #setting: Setting;
  readonly #token: string;
  readonly #platform = new Platform();
  readonly #versions: ReturnType<typeof versionsOf>;
  /** The provider's rows before each attempt. */
  #snapshots: Record<Dataset, Rows[]> = { usage: [], costs: [] };
  /** The largest number of milliseconds by which a fault has made the provider's `available_through` too late. */
  #ahead = 0;
  /** Whether rows may be missing until a later sync finds them. */
  #moved = false;
  /** Whether listings have moved under one `as_of`, which no reader can tell from listings that stand still. */
  #hidden = false;
  /** Whether listings have come in random orders. */
  #shuffled = false;
  #strict = false;
  #last: Attempt | undefined;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.syncs = setting.schedule.syncs;
    this.#versions = versionsOf(setting.schedule.world);
    this.#token = setting.provider.issueToken().token;
  }

  begin(attempts: readonly Attempt[]): void {
    this.#strict = isStrict(this.#setting.schedule, attempts);
    this.#last = attempts.at(-1);
    if (this.#isIncremental) return;
    this.#platform.overwrite();
    this.#snapshots = { usage: [], costs: [] };
    this.#moved = false;
  }

  get #isIncremental(): boolean {
    return this.#setting.schedule.mode === "incremental";
  }

  async attempt(attempt: Attempt): Promise<Ended> {
    const { outcome, faults } = await this.#run(attempt);
    return { ...outcome, faults: [...outcome.faults, ...faults] };
  }

  async #run(attempt: Attempt): Promise<{ outcome: Outcome; faults: readonly string[] }> {
    const { provider, schedule, catalog, truth, baseUrl } = this.#setting;
    provider.clock.advance(attempt.pause * 60_000);
    for (const dataset of DATASETS) {
      this.#snapshots[dataset].push(truth.rows(dataset, provider.clock.now()));
    }
    provider.faults.clear();
    provider.fault(...schedule.nature, ...attempt.faults, ...dateOf(attempt, provider));
    this.#moved ||= attempt.faults.some(({ kind }) => kind === "moving_listing");
    this.#hidden ||= attempt.faults.some(
      (fault) => fault.kind === "moving_listing" && fault.step === 0,
    );
    this.#shuffled ||= attempt.faults.some(
      (fault) => fault.kind === "moving_listing" && fault.shuffle === true,
    );
    this.#ahead = Math.max(this.#ahead, ...attempt.faults.map(aheadBy));
    const outcome = await runAttempt({
      config: bearerConfig(baseUrl, this.#token, attempt.config),
      mode: schedule.mode,
      streams: schedule.streams,
      states: this.#platform.states,
      end: attempt.end,
      catalog,
      host: new URL(baseUrl).host,
      secret: this.#token,
    });
    const { keepsRows } = attempt;
    const terms = { keepsRows, strict: this.#strict, versions: this.#versions };
    const faults = [...this.#platform.take(outcome, terms), ...this.#positionFaults(outcome)];
    return { outcome, faults };
  }

  /** S1: the position of an attempt never passes the instant that the provider declared available. */
  #positionFaults({ messages }: Outcome): string[] {
    const { provider, truth } = this.#setting;
    const now = provider.clock.now();
    return messages.flatMap(({ state }) => {
      const dataset = DATASETS.find((name) => name === state?.stream.stream_descriptor.name);
      const position = state?.stream.stream_state["position"];
      if (dataset === undefined || typeof position !== "string") return [];
      const limit = Math.min(truth.declared(dataset, now) + this.#ahead, now);
      return Date.parse(position) > limit
        ? [`S1: ${dataset}: position ${position} beyond ${new Date(limit).toISOString()}`]
        : [];
    });
  }

  async judge(isLast: boolean): Promise<readonly string[]> {
    const database = await tablesOf(this.#platform.rows);
    try {
      if (this.#isIncremental) await addDeduped(database);
      await makeJudges(database);
      const faults = isLast
        ? await this.#judgeEnd(database)
        : await judgeRows(database, this.#standing());
      if (!this.#isIncremental) return [...faults, ...(await this.#idle())];
      faults.push(...(await judgeTables(database)), ...(await judgeChains(database)));
      // The last sync reads every day again.
      if (isLast || !this.#hidden) {
        faults.push(...(await judgeProofs(database, this.#sides(), this.#shuffled && !isLast)));
      }
      return faults;
    } finally {
      database.close();
    }
  }

  /** After an undisturbed sync long after the last change. */
  async #judgeEnd(database: Database): Promise<string[]> {
    const { provider, truth } = this.#setting;
    const now = provider.clock.now();
    const faults = await judgeExactly(database, this.#sides(), now);
    if (!this.#isIncremental) return [...faults, ...this.#doubles()];
    // An upsert cannot delete rows that were withdrawn or issued again under another id.
    const least = { usage: truth.rows("usage", now), costs: truth.rows("costs", now) };
    faults.push(...(await judgeRows(database, [{ account: "newest", least }])));
    return [...faults, ...(await judgeCalm(database))];
  }

  /** The provider's data for each table: for the one that keeps all rows and, if there are reports, for the deduplicated one. */
  #sides(): Readonly<Record<string, Side>> {
    const { provider, truth, schedule } = this.#setting;
    const side = { truth, sums: sumsOf(provider.totals(), schedule.granularity) };
    return this.#isIncremental ? { "": side, [DEDUPED]: side } : { "": side };
  }

  /** The rows that must stand after any sync: those that have not changed since the first attempt. */
  #standing(): Expected[] {
    if (this.#moved) return [];
    const { usage, costs } = this.#snapshots;
    const least = { usage: standing(usage), costs: standing(costs) };
    const views = this.#isIncremental ? ["", DEDUPED, "newest"] : [""];
    return views.map((account) => ({ account, least }));
  }

  /** An undisturbed full refresh has each row once. */
  #doubles(): string[] {
    const names = this.#platform.rows.map(
      ({ stream, data }) => `${stream} ${String(data["x_RecordId"])}`,
    );
    const [all, distinct] = [names.length, new Set(names).size];
    return all === distinct ? [] : [`${all} rows of ${distinct} records`];
  }

  /** S7: after a full refresh is done, another attempt emits no record. */
  async #idle(): Promise<readonly string[]> {
    if (this.#last === undefined) return [];
    this.#strict = false;
    const attempt = { ...this.#last, pause: 0, faults: [], end: null };
    const { outcome, faults } = await this.#run(attempt);
    const more = outcome.messages.filter(({ type }) => type === "RECORD").length;
    return [
      ...outcome.faults,
      ...faults,
      ...(more > 0 ? [`S7: ${more} records after it was done`] : []),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#setting.provider.close();
  }
}

/** The rows that are equal in all of these snapshots. */
function standing([first = new Map(), ...later]: readonly Rows[]): Rows {
  return new Map(
    [...first].filter(([id, { updatedAt }]) =>
      later.every((rows) => rows.get(id)?.updatedAt === updatedAt),
    ),
  );
}

/** The `Date` of an attempt's answers, if it is ahead of the provider's clock. */
function dateOf({ ahead }: Attempt, provider: Provider): FaultInput[] {
  if (ahead === 0) return [];
  const date = new Date(provider.clock.now() + ahead * 1000).toUTCString();
  return [{ kind: "headers", set: { date } }];
}

/** The number of milliseconds by which a fault makes `available_through` too late. */
function aheadBy(fault: FaultInput): number {
  // Each page of a moving listing may be a minute later than the previous one.
  if (fault.kind === "moving_listing") return Infinity;
  return fault.kind === "available_through" ? Math.max(0, (fault.shift ?? 0) * 1000) : 0;
}

/** Kinds of faults that make a provider send a record twice, or the connector read a window from its first page again (V1). */
const REPEATING = new Set([
  "page",
  "record",
  "cursor_expired",
  "cursor_refused",
  "duplicate",
  "long_page",
  "moving_listing",
  "next_cursor",
  "maximum_exclusive",
  "redirect",
]);

/** Other statuses below 500, such as 404, cost the window its cursor too (V1). */
const repeats = (fault: FaultInput): boolean =>
  REPEATING.has(fault.kind) || (fault.kind === "status" && fault.status < 500);

/** A cursor expires after 15 minutes. The connector then reads its window again from the first page. */
const CURSOR_MINUTES = 15;

/** Whether no committed row may come again (S7). A new process does not know which records an older one emitted (P5). */
function isStrict({ mode, nature }: Schedule, attempts: readonly Attempt[]): boolean {
  const minutes = attempts.slice(1).reduce((sum, { pause }) => sum + pause, 0);
  const faults = attempts.flatMap((attempt) => attempt.faults);
  return (
    mode === "full_refresh" &&
    nature.length === 0 &&
    minutes < CURSOR_MINUTES &&
    !faults.some(repeats)
  );
}
