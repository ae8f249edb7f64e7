/**
 * A schedule: an account, and attempts to read it that are killed at drawn points while the provider misbehaves and time
 * goes on between them. All of it is drawn from one seed before anything runs.
 */
import { DAY, HOUR } from "../../reference_provider/instants.ts";
import type { FaultInput } from "../../reference_provider/faults/schema.ts";
import { Random } from "../../simulation/random.ts";
import type { Config, SyncMode } from "../support/config.ts";
import { dayAfter, type World } from "../support/world.ts";
import { drawRecords } from "./records.ts";
import { final, hanging, harmless, moving, passing } from "./troubles.ts";

/** Where a signal falls: once so much has come out of stdout, or so many requests have reached the provider. */
export interface Point {
  readonly of: "lines" | "states" | "characters" | "requests";
  readonly count: number;
}

export interface End {
  readonly signal: "SIGKILL" | "SIGTERM";
  readonly at: Point;
  /** Whatever comes after the point is lost, as where the platform dies with the process; else the pipe is read empty. */
  readonly cut: boolean;
}

/** One process. */
export interface Attempt {
  /** By how much the provider's clock goes on before it, in minutes. */
  readonly pause: number;
  readonly faults: readonly FaultInput[];
  /** Null where nobody ends it. */
  readonly end: End | null;
  /** Whether it must succeed. */
  readonly decisive: boolean;
  /** Whether the destination keeps the rows that came after the last STATE. */
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
  /** What the provider does all the time: part of what it is. */
  readonly nature: readonly FaultInput[];
  /** Each a list of attempts, the last of which must succeed. */
  readonly syncs: readonly (readonly Attempt[])[];
}

/** Long after the last change, so that the deep re-read is due and every day that has changed is over (R2). */
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

/** How windows select, the same in every attempt. */
function drawNature(random: Random): FaultInput[] {
  const by = random.pick(["start", "start", "start", "closed", "overlap"]);
  return by === "start" ? [] : [{ kind: "selection", by }];
}

/** One sync that is interrupted, perhaps another, and a last one that nothing disturbs. */
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
  readonly concurrency: number;
}

/** What attempts are drawn by. */
interface Basis {
  /** Every sync of another day reads everything again. */
  readonly isDeep: boolean;
  /** Records are so long that a page does not fit a pipe. */
  readonly isWide: boolean;
  readonly mode: SyncMode;
  /** How many days there are to read, and the longest window that the provider allows, in days. */
  readonly days: number;
  readonly longest: number;
  /** What the provider shows at first: so many records, of so many characters in all. */
  readonly records: number;
  readonly characters: number;
}

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

  /** So many attempts that come to an end of their own, and one that must succeed. */
  sync(interrupted: number, pause: number): Attempt[] {
    const pauses = Array.from({ length: interrupted }, () => this.#pause());
    const attempts = [pause, ...pauses].map((minutes, index) =>
      index < interrupted ? this.#interrupted(minutes) : this.#decisive(minutes),
    );
    return attempts;
  }

  /** An attempt against a provider without a fault. */
  calm(pause: number): Attempt {
    return { pause, faults: [], end: null, decisive: true, keepsRows: true, config: this.#config };
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

  #interrupted(pause: number): Attempt {
    const { random } = this;
    const base = { ...this.calm(pause), decisive: false, config: this.#next() };
    const keepsRows = random.chance(0.5);
    if (random.chance(0.15)) return { ...base, keepsRows, faults: [final(random)] };
    const end = this.#end();
    const faults = [
      ...(random.chance(0.4) ? [passing(random)] : []),
      ...(random.chance(0.3) ? [harmless(random)] : []),
      ...(random.chance(0.1) ? [final(random)] : []),
      ...this.#moving(),
      ...(end.at.of === "requests" && random.chance(0.5)
        ? [hanging(random, end.at.count - 1)]
        : []),
    ];
    return { ...base, keepsRows, end, faults };
  }

  #end(): End {
    const { random } = this;
    const signal = random.pick(["SIGKILL", "SIGKILL", "SIGTERM"]);
    const of = random.pick(["lines", "lines", "states", "characters", "requests"]);
    // What was read before is not read again, so that small counts strike more often.
    const count = Math.ceil(this.#most()[of] * random.next() ** 1.3);
    const isWithin = of === "characters" || (of !== "requests" && random.chance(0.5));
    const cut = signal === "SIGKILL" && isWithin;
    return { signal, at: { of, count }, cut };
  }

  /** About as much as a first attempt comes to that nobody ends. */
  #most(): Readonly<Record<Point["of"], number>> {
    const { mode, days, longest, records, characters } = this.basis;
    const { concurrency, page_size: size } = this.#config;
    const windows = 2 * Math.min(days, Math.max(Math.ceil(days / longest), 4 * concurrency));
    const states = mode === "incremental" ? windows + 4 : 4;
    return {
      lines: 15 + records + 2 * states,
      states,
      characters: 5000 + characters + 150 * records + 1500 * states,
      requests: 1 + windows + Math.floor(records / size),
    };
  }

  /** Only where every later sync reads all of it again. */
  #moving(): FaultInput[] {
    return this.basis.isDeep && this.random.chance(0.12) ? [moving(this.random)] : [];
  }

  /**
   * Minutes between two attempts: less and more than a cursor lives, hours. Never none: readings are ordered by the
   * provider's clock (R4), which stands still during an attempt.
   */
  #pause(): number {
    return this.random.pick([1, 1, 1, 10, 20, 90, 6 * 60]);
  }

  /** What a user may change between two attempts. */
  #next(): Config {
    if (this.random.chance(0.2)) this.#config = this.#limits();
    return this.#config;
  }

  #limits(): Config & Limits {
    const { random } = this;
    return {
      ...this.#common,
      page_size: this.basis.isWide ? random.pick([20, 60]) : random.pick([1, 2, 3, 7, 1000]),
      concurrency: random.pick([1, 1, 2, 3, 6]),
    };
  }
}
