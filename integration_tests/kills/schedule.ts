/**
 * A schedule: an account, and attempts to read it that are killed at drawn points. The provider misbehaves during them,
 * and time passes between them. One seed determines the whole schedule before anything runs.
 */
import { DAY, HOUR } from "../../reference_provider/instants.ts";
import type { FaultInput } from "../../reference_provider/faults/schema.ts";
import { Random } from "../../simulation/random.ts";
import type { Config, SyncMode } from "../support/config.ts";
import { dayAfter, type World } from "../support/world.ts";
import { drawRecords } from "./records.ts";
import type { End, Step } from "./strike.ts";
import { final, hanging, harmless, moving, passing } from "./troubles.ts";

/** One process. */
export interface Attempt {
  /** Minutes by which the provider's clock moves on before the attempt. */
  readonly pause: number;
  /** Seconds by which the provider's `Date` is ahead of its clock. The next attempt may see an earlier one. */
  readonly ahead: number;
  readonly faults: readonly FaultInput[];
  /** Null if no signal ends the attempt. */
  readonly end: End | null;
  /** Whether the attempt must succeed. */
  readonly decisive: boolean;
  /** Whether the destination keeps rows that arrived after the last STATE. */
  readonly keepsRows: boolean;
  readonly config: Config;
}

export interface Schedule {
  readonly seed: number;
  readonly mode: SyncMode;
  readonly streams: readonly string[];
  readonly granularity: "1d" | "1h";
  readonly world: World;
  readonly now: string;
  /** The faults of the provider that are set during all attempts. */
  readonly nature: readonly FaultInput[];
  /** The syncs. Each is a list of attempts, and the last attempt must succeed. */
  readonly syncs: readonly (readonly Attempt[])[];
}

/** The last sync is long after the last change, so that the deep re-read is due and every changed day is over (R2). */
const QUIET_MINUTES = 3 * 24 * 60;

export function drawSchedule(seed: number): Schedule {
  const random = new Random(seed);
  const now = Date.UTC(2026, 2, 1) + random.int(0, 45) * DAY + random.int(0, 23 * 60) * 60_000;
  const mode: SyncMode = random.chance(0.25) ? "full_refresh" : "incremental";
  const granularity = random.pick(["1d", "1h"]);
  const isDeep = random.chance(0.5);
  const isWide = random.chance(0.25);
  const today = new Date(now).toISOString().slice(0, 10);
  const first = dayAfter(today, -random.pick([3, 7, 14, 24]));
  const records = drawRecords(random.fork(), {
    first,
    now,
    // The last sync comes within five days and reads usage of seven days again, or all of it.
    changing: isDeep ? first : dayAfter(today, -1),
    until: now + 36 * HOUR,
    granularity,
    note: isWide ? random.pick([2000, 6000]) : 0,
    monthly: random.chance(0.3),
  });
  const limits = {
    maximum_window_days: random.pick([1, 3, 10, 31]),
    freshness_lag_minutes: random.pick([0, 90, 26 * 60]),
  };
  const common = {
    start_date: first,
    granularity,
    ...(isDeep ? { reconcile_days: 60 } : {}),
    lookback_days: random.pick([null, null, null, 0, 4]),
  };
  const shown = [...records.usage, ...records.costs].filter(
    ({ visible_from: from = "" }) => Date.parse(from) <= now,
  );
  const basis = {
    time: random.pick(["goes on", "goes on", "stands still", "steps back"] as const),
    isDeep,
    isWide,
    mode,
    days: (Date.parse(today) - Date.parse(first)) / DAY + 1,
    longest: limits.maximum_window_days,
    records: shown.length,
    characters: shown.reduce((sum, { record }) => sum + JSON.stringify(record).length, 0),
  };
  const syncs = drawSyncs(new AttemptDraw(random.fork(), common, basis));
  return {
    seed,
    mode,
    streams: ["usage", "costs", ...(mode === "incremental" ? ["export_windows"] : [])],
    granularity,
    world: { ...records, limits },
    now: new Date(now).toISOString(),
    nature: drawNature(random),
    syncs,
  };
}

/** The way in which windows select records: the same in every attempt. */
function drawNature(random: Random): FaultInput[] {
  const by = random.pick(["start", "start", "start", "closed", "overlap"]);
  return by === "start" ? [] : [{ kind: "selection", by }];
}

/** One interrupted sync, perhaps a second one, and a last one without any fault. */
function drawSyncs(draw: AttemptDraw): Attempt[][] {
  const { random, basis } = draw;
  const first = draw.sync(random.pick([1, 1, 2, 2, 3]), 0);
  const later = random.pick([60, 11 * 60, 22 * 60]);
  const second =
    basis.mode === "incremental" && random.chance(0.4) ? [draw.sync(random.int(0, 2), later)] : [];
  return [first, ...second, [draw.calm(QUIET_MINUTES)]];
}

interface Limits {
  readonly page_size: number;
  /** Null: the connector finds the number. */
  readonly concurrency: number | null;
}

/** The parameters for drawing attempts. */
interface Basis {
  /**
   * The provider's clock between the attempts of one sync. It may stand still, or its `Date` may be ahead during an attempt and
   * step back after it.
   */
  readonly time: "goes on" | "stands still" | "steps back";
  /** Whether every sync on another day reads everything again. */
  readonly isDeep: boolean;
  /** Whether records are so long that a page does not fit into a pipe. */
  readonly isWide: boolean;
  readonly mode: SyncMode;
  /** The number of days to read, and the longest window that the provider allows, in days. */
  readonly days: number;
  readonly longest: number;
  /** The number of records at first, and their total length in characters. */
  readonly records: number;
  readonly characters: number;
}

/** About this share of all records is written by a later sync: the records of days that have changed (R6). */
const WRITTEN_AGAIN = 0.2;

/** Faults that may make `available_through` too late. */
const LATE: ReadonlySet<string> = new Set(["available_through", "moving_listing"]);

class AttemptDraw {
  readonly random: Random;
  readonly basis: Basis;
  readonly #common: Config;
  #config: Config & Limits;

  constructor(random: Random, common: Config, basis: Basis) {
    this.random = random;
    this.basis = basis;
    this.#common = common;
    this.#config = this.#limits();
  }

  /** A number of attempts that may fail, and one that must succeed. */
  sync(interrupted: number, pause: number): Attempt[] {
    const pauses = Array.from({ length: interrupted }, () => this.#pause());
    const share = pause === 0 ? 1 : WRITTEN_AGAIN;
    const attempts = [pause, ...pauses].map((minutes, index) =>
      index < interrupted ? this.#interrupted(minutes, share) : this.#decisive(minutes),
    );
    return attempts;
  }

  /** An attempt against a provider without a fault. */
  calm(pause: number): Attempt {
    const whole = { faults: [], end: null, decisive: true, keepsRows: true };
    return { ...whole, pause, ahead: 0, config: this.#config };
  }

  #decisive(pause: number): Attempt {
    const { random } = this;
    const faults = [
      ...(random.chance(0.5) ? [passing(random)] : []),
      ...(random.chance(0.4) ? [harmless(random)] : []),
      ...this.#moving(),
    ];
    return { ...this.calm(pause), config: this.#next(), faults };
  }

  #interrupted(pause: number, share: number): Attempt {
    const { random } = this;
    const base = { ...this.calm(pause), decisive: false, config: this.#next() };
    const keepsRows = random.chance(0.5);
    if (random.chance(0.15)) return { ...base, keepsRows, faults: [final(random)] };
    const end = this.#end(share);
    const faults = [
      ...(random.chance(0.4) ? [passing(random)] : []),
      ...(random.chance(0.3) ? [harmless(random)] : []),
      ...(random.chance(0.1) ? [final(random)] : []),
      ...this.#moving(),
      ...(end.at.of === "requests" && random.chance(0.5)
        ? [hanging(random, end.at.count - 1)]
        : []),
    ];
    // With such a fault and a `Date` ahead, a position could lie ahead of the clock, and the next attempts would fail (L3).
    const isLate = faults.some(({ kind }) => LATE.has(kind));
    const ahead = this.basis.time === "steps back" && !isLate ? random.pick([0, 5, 3600]) : 0;
    return { ...base, ahead, keepsRows, end, faults };
  }

  /** @param share the part of all records that the attempt writes, about */
  #end(share: number): End {
    const { random } = this;
    const signal = random.pick(["SIGKILL", "SIGKILL", "SIGTERM"]);
    const of = random.pick(["lines", "lines", "states", "characters", "requests"]);
    // A later attempt reads less, so small counts are more likely to be reached.
    const count = Math.ceil(this.#most(share)[of] * random.next() ** 1.3);
    const isWithin = of === "characters" || (of !== "requests" && random.chance(0.5));
    const cut = signal === "SIGKILL" && isWithin;
    return { signal, at: { of, count }, cut };
  }

  /** The approximate output and requests of a first attempt without a signal. */
  #most(share: number): Readonly<Record<Exclude<Step, "writes">, number>> {
    const { mode, days, longest } = this.basis;
    const [records, characters] = [this.basis.records * share, this.basis.characters * share];
    const { concurrency, page_size: size } = this.#config;
    const windows = 2 * Math.min(days, Math.max(Math.ceil(days / longest), 4 * (concurrency ?? 4)));
    const states = mode === "incremental" ? windows + 4 : 4;
    return {
      lines: 15 + records + 2 * states,
      states,
      characters: 5000 + characters + 150 * records + 1500 * states,
      requests: 1 + windows + Math.floor(this.basis.records / size),
    };
  }

  /**
   * A listing moves only if every later sync reads everything again, and only if the clock goes on: else the next attempt's listing has
   * the same `as_of` as the one that moved, and the connector cannot tell them apart (P6).
   */
  #moving(): FaultInput[] {
    const { isDeep, time } = this.basis;
    return isDeep && time === "goes on" && this.random.chance(0.12) ? [moving(this.random)] : [];
  }

  /** Minutes between two attempts: none, or shorter or longer than a cursor's lifetime, or hours. */
  #pause(): number {
    if (this.basis.time === "stands still") return 0;
    if (this.basis.time === "steps back") return this.random.pick([0, 1]);
    return this.random.pick([1, 1, 1, 10, 20, 90, 6 * 60]);
  }

  /** A change of the config between two attempts. */
  #next(): Config {
    if (this.random.chance(0.2)) this.#config = this.#limits();
    return this.#config;
  }

  #limits(): Config & Limits {
    const { random } = this;
    return {
      ...this.#common,
      page_size: this.basis.isWide ? random.pick([20, 60]) : random.pick([1, 2, 3, 7, 1000]),
      concurrency: random.pick([1, 1, 2, 3, 6, null, null]),
    };
  }
}
