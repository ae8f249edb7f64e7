/**
 * The truth behind a fake: additive facts by hour. Each report is a sum of facts, and so are the totals that tests compare with
 * the connector's. Everything follows from the seed.
 */
import { DAY, HOUR, formatDay } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import { createRandom, mix } from "../reference_provider/prng.ts";

/** Values of dimensions by name; null is a value of its own, as the providers' reports have it. */
export type Dimensions = Readonly<Record<string, string | null>>;

/** Something that was used, or that money was charged for, in one hour. Facts of one group are added up. */
export interface Fact {
  /** The report that shows it, e.g. `completions` or `costs`. */
  readonly report: string;
  /** Start of the hour, or of the day where the provider knows only days. */
  readonly at: Instant;
  /** The instant from which the provider's reports show it: later than `at` if data comes late or is corrected. */
  readonly visibleFrom: Instant;
  /** The instant from which they show it no more; absent if they always do. */
  readonly visibleUntil?: Instant;
  readonly dimensions: Dimensions;
  /** Whole numbers by name; money in units of 10^-12 dollars. */
  readonly metrics: Readonly<Record<string, bigint>>;
}

/** Digits after the point of an amount of money in a fact's metrics. */
export const MONEY_SCALE = 12;

/** Numbers and choices drawn from the seed, for one day. */
export interface Draw {
  /** A whole number from `least` to `most`. */
  int(least: number, most: number): number;
  pick<Value>(values: readonly Value[]): Value;
  chance(probability: number): boolean;
  /** An hour of the day, and the instant from which its fact is shown: one in ten comes one to three days late. */
  when(day: Instant): { readonly at: Instant; readonly visibleFrom: Instant };
}

function drawOf(seed: number): Draw {
  const random = createRandom(seed);
  const int = (least: number, most: number): number =>
    least + Math.floor(random() * (most - least + 1));
  const chance = (probability: number): boolean => random() < probability;
  return {
    int,
    chance,
    pick: (values) => {
      const value = values[int(0, values.length - 1)];
      if (value === undefined) throw new RangeError("nothing to pick from");
      return value;
    },
    when: (day) => {
      const at = day + int(0, 23) * HOUR;
      return { at, visibleFrom: chance(0.1) ? at + int(24, 72) * HOUR : at };
    },
  };
}

/** Makes the facts of one day. */
export type DayMaker = (day: Instant, draw: Draw) => Fact[];

/** The facts of a provider, made day by day when they are asked for. */
export class Facts {
  readonly #make: DayMaker;
  readonly #seed: number;
  readonly #days = new Map<Instant, readonly Fact[]>();

  constructor(make: DayMaker, seed: number) {
    this.#make = make;
    this.#seed = seed;
  }

  /** The facts with `start <= at < end`, and before `now`, that are visible at `now`. */
  *between(start: Instant, end: Instant, now: Instant): Generator<Fact> {
    const last = Math.min(end, now + 1);
    for (let day = Math.floor(start / DAY) * DAY; day < last; day += DAY) {
      for (const fact of this.#ofDay(day)) {
        const isVisible = fact.visibleFrom <= now && now < (fact.visibleUntil ?? Infinity);
        if (fact.at >= start && fact.at < last && isVisible) yield fact;
      }
    }
  }

  #ofDay(day: Instant): readonly Fact[] {
    const known = this.#days.get(day);
    if (known !== undefined) return known;
    const facts = this.#make(day, drawOf(mix(this.#seed, day / DAY)));
    this.#days.set(day, facts);
    return facts;
  }
}

/** Facts of one bucket and one group, added up. */
export interface Group {
  /** Start of the bucket. */
  readonly bucket: Instant;
  /** The requested ones of the facts' dimensions. */
  readonly dimensions: Dimensions;
  readonly metrics: Record<string, bigint>;
}

/** Adds up facts by bucket and by the named dimensions; in the order in which groups first appear. */
export function grouped(
  facts: Iterable<Fact>,
  bucketOf: (at: Instant) => Instant,
  names: readonly string[],
): Group[] {
  const groups = new Map<string, Group>();
  for (const { at, dimensions, metrics } of facts) {
    const values = names.map((name) => dimensions[name] ?? null);
    const bucket = bucketOf(at);
    const key = JSON.stringify([bucket, values]);
    let group = groups.get(key);
    if (group === undefined) {
      const entries = names.map((name, index) => [name, values[index] ?? null] as const);
      group = { bucket, dimensions: Object.fromEntries(entries), metrics: {} };
      groups.set(key, group);
    }
    for (const [name, value] of Object.entries(metrics)) {
      group.metrics[name] = (group.metrics[name] ?? 0n) + value;
    }
  }
  return [...groups.values()];
}

/** A sum over one day, one model and one meter (or currency); exact. */
export interface Total {
  /** `YYYY-MM-DD` */
  readonly day: string;
  readonly model: string | null;
  /** The usage type in the words of the interface; the currency for costs. */
  readonly meter: string;
  /** A decimal without trailing zeros. */
  readonly sum: string;
}

/** Sums for {@link Total}s; those that come to 0 are left out. */
export class Totals {
  readonly #sums = new Map<string, { at: Omit<Total, "sum">; units: bigint; scale: number }>();

  /** @param scale digits after the point in `units` */
  add(at: Instant, model: string | null, meter: string, units: bigint, scale = 0): void {
    const place = { day: formatDay(at), model, meter };
    const key = JSON.stringify(place);
    const sum = this.#sums.get(key) ?? { at: place, units: 0n, scale };
    sum.units += units;
    this.#sums.set(key, sum);
  }

  /** In the order of day, model and meter. */
  list(): Total[] {
    return [...this.#sums]
      .filter(([, { units }]) => units !== 0n)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { at, units, scale }]) => ({ ...at, sum: decimal(units, scale) }));
  }
}

/** `units` × 10^-`scale` in plain digits, without trailing zeros after the point. */
export function decimal(units: bigint, scale: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - scale);
  return scale === 0 || fraction === "" ? sign + whole : `${sign}${whole}.${fraction}`;
}

/** A decimal as servers print small numbers: `1.095e-05` below 0.0001, else plain digits. */
export function scientific(units: bigint, scale: number): string {
  const digits = String(units);
  const exponent = digits.length - 1 - scale;
  if (units <= 0n || exponent >= -4) return decimal(units, scale);
  const fraction = digits.slice(1).replace(/0+$/, "");
  const mantissa = fraction === "" ? digits.slice(0, 1) : `${digits.slice(0, 1)}.${fraction}`;
  return `${mantissa}e-${String(-exponent).padStart(2, "0")}`;
}
