/** Runs one schedule: the real process, attempt by attempt, against a provider in this process. */
import type { FaultInput } from "../../reference_provider/faults/schema.ts";
import { createProvider, type Provider } from "../../reference_provider/provider.ts";
import { bearerConfig } from "../support/config.ts";
import type { Catalog } from "../support/protocol.ts";
import type { Dataset } from "../support/warehouse.ts";
import { world } from "../support/world.ts";
import { type Outcome, runAttempt } from "./attempt.ts";
import { DATASETS, Platform } from "./platform.ts";
import { judgeProofs } from "./proofs.ts";
import type { Attempt, Schedule } from "./schedule.ts";
import { type Rows, Truth } from "./truth.ts";
import { type Judged, judgeExactly, judgeOnce, judgePositions, judgeStanding } from "./verdict.ts";

/** The result of a schedule. */
interface Report {
  /** The broken rules; empty if all rules hold. */
  readonly faults: readonly string[];
  /** One line for each attempt, for finding the cause of a failure. */
  readonly log: readonly string[];
  readonly figures: Readonly<Record<string, number>>;
}

export async function runSchedule(schedule: Schedule, catalog: Catalog): Promise<Report> {
  const account = world(schedule.world);
  const provider = createProvider({ accounts: [account], now: schedule.now, seed: schedule.seed });
  const { baseUrl } = await provider.listen();
  try {
    const truth = new Truth(account, schedule.granularity, schedule.world);
    const run = new ScheduleRun({ schedule, catalog, provider, truth, baseUrl });
    await run.run();
    return run.report();
  } finally {
    await provider.close();
  }
}

interface Setting {
  readonly schedule: Schedule;
  readonly catalog: Catalog;
  readonly provider: Provider;
  readonly truth: Truth;
  readonly baseUrl: string;
}

class ScheduleRun {
  readonly #setting: Setting;
  readonly #token: string;
  readonly #platform = new Platform();
  readonly #faults: string[] = [];
  readonly #log: string[] = [];
  readonly #outcomes: { readonly outcome: Outcome; readonly attempt: Attempt }[] = [];
  /** The provider's rows before each attempt. */
  #snapshots: Record<Dataset, Rows[]> = { usage: [], costs: [] };
  /** The largest number of milliseconds by which a fault has made the provider's `available_through` too late. */
  #ahead = 0;
  /** Whether rows may be missing until a later sync finds them. */
  #moved = false;

  constructor(setting: Setting) {
    this.#setting = setting;
    this.#token = setting.provider.issueToken().token;
  }

  async run(): Promise<void> {
    const { mode, syncs } = this.#setting.schedule;
    for (const sync of syncs) {
      if (mode === "full_refresh") this.#beginAnew();
      if (!(await this.#sync(sync))) return; // the later syncs would report the same failure
      this.#judge(sync === syncs.at(-1));
      if (mode === "full_refresh") await this.#nothingMore(sync);
    }
  }

  report(): Report {
    const struck = this.#outcomes.filter(({ outcome }) => outcome.struck);
    const by = (signal: string) => struck.filter(({ attempt }) => attempt.end?.signal === signal);
    const terminations = by("SIGTERM");
    return {
      faults: this.#faults,
      log: this.#log,
      figures: {
        processes: this.#outcomes.length,
        SIGKILL: by("SIGKILL").length,
        SIGTERM: terminations.length,
        "cut within a line": this.#outcomes.filter(({ outcome }) => outcome.partial).length,
        requests: this.#outcomes.reduce((sum, { outcome }) => sum + outcome.requests, 0),
        "most ms from SIGTERM to the end": Math.ceil(
          Math.max(0, ...terminations.map(({ outcome }) => outcome.dying)),
        ),
      },
    };
  }

  /** Runs the attempts of one sync until one succeeds. Resolves to whether one did. */
  async #sync(attempts: readonly Attempt[]): Promise<boolean> {
    const strict = isStrict(this.#setting.schedule, attempts);
    for (const attempt of attempts) {
      const outcome = await this.#attempt(attempt, strict);
      if (outcome.code === 0) return true;
      if (!attempt.decisive) continue;
      const errors = outcome.messages.flatMap(({ trace }) => trace?.error?.internal_message ?? []);
      this.#faults.push(`it must succeed and did not: ${errors.join("; ")}`);
    }
    return false;
  }

  async #attempt(attempt: Attempt, strict: boolean): Promise<Outcome> {
    const { provider, schedule, catalog, truth, baseUrl } = this.#setting;
    provider.clock.advance(attempt.pause * 60_000);
    for (const dataset of DATASETS) {
      this.#snapshots[dataset].push(truth.rows(dataset, provider.clock.now()));
    }
    provider.faults.clear();
    provider.fault(...schedule.nature, ...attempt.faults, ...dateOf(attempt, provider));
    this.#moved ||= attempt.faults.some(({ kind }) => kind === "moving_listing");
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
    const own = this.#platform.take(outcome, { keepsRows: attempt.keepsRows, strict });
    const positions = judgePositions(outcome, this.#setting, this.#ahead);
    this.#outcomes.push({ outcome, attempt });
    this.#note(attempt, outcome, [...outcome.faults, ...own, ...positions]);
    return outcome;
  }

  #note(attempt: Attempt, outcome: Outcome, faults: readonly string[]): void {
    const { messages, code, signal, requests, partial } = outcome;
    const states = messages.filter(({ state }) => state !== undefined).length;
    const number = this.#log.length + 1;
    this.#log.push(
      `${number}. ${JSON.stringify(attempt)}: ${String(signal ?? code)}, ${requests} requests, ` +
        `${messages.length} lines${partial ? " and a part of one" : ""}, ${states} states`,
    );
    this.#faults.push(...faults.map((fault) => `attempt ${number}: ${fault}`));
  }

  #judge(isLast: boolean): void {
    const { provider, truth, schedule } = this.#setting;
    const judged: Judged = { provider, truth, warehouse: this.#platform.warehouse, schedule };
    if (isLast) this.#faults.push(...judgeExactly(judged));
    else if (!this.#moved) this.#faults.push(...judgeStanding(judged, this.#snapshots));
    if (isLast && schedule.mode === "full_refresh") this.#faults.push(...judgeOnce(judged));
    if (schedule.mode === "incremental")
      this.#faults.push(...judgeProofs(judged, this.#platform.states, { calm: isLast }));
  }

  #beginAnew(): void {
    this.#platform.overwrite();
    this.#snapshots = { usage: [], costs: [] };
    this.#moved = false;
  }

  /** S7: after a full refresh is done, another attempt emits no record. */
  async #nothingMore(sync: readonly Attempt[]): Promise<void> {
    const last = sync.at(-1);
    if (last === undefined) return;
    const attempt = { ...last, pause: 0, faults: [], end: null };
    const { messages } = await this.#attempt(attempt, false);
    const more = messages.filter(({ type }) => type === "RECORD").length;
    if (more > 0) this.#faults.push(`S7: ${more} records after it was done`);
  }
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

/** Kinds of faults that make a provider send a record twice. */
const REPEATING = new Set([
  "cursor_expired",
  "cursor_refused",
  "duplicate",
  "long_page",
  "moving_listing",
  "next_cursor",
  "maximum_exclusive",
]);

/** A cursor expires after 15 minutes. The connector then reads its window again from the first page. */
const CURSOR_MINUTES = 15;

/**
 * Whether no committed row may come again (S7). A new process does not know which records an older one emitted (P5).
 */
function isStrict({ mode, nature }: Schedule, attempts: readonly Attempt[]): boolean {
  const minutes = attempts.slice(1).reduce((sum, { pause }) => sum + pause, 0);
  const faults = attempts.flatMap((attempt) => attempt.faults);
  return (
    mode === "full_refresh" &&
    nature.length === 0 &&
    minutes < CURSOR_MINUTES &&
    !faults.some(({ kind }) => REPEATING.has(kind))
  );
}
