import { DAY, floorTo, requireInstant } from "../instants.ts";
import type { Instant } from "../instants.ts";
import { mix } from "../prng.ts";

/** The options of the generator. Counts are exact; rates are shares of the rows, 0 to 1. */
export interface GeneratorOptions {
  /** Usage records of granularity `1d`. There are `hours` times as many of `1h`. Default 1000. */
  readonly usage?: number;
  /** Cost records of category Usage, without the monthly ones (below). Default 500. */
  readonly costs?: number;
  /** Days that the records are spread over evenly. Default 30. */
  readonly days?: number;
  /** First day (an instant or a date). By default the last day is the day before `now`. */
  readonly from?: string;
  /** The provider's clock at the start; only `from` depends on it. */
  readonly now: string;
  /** Hours of a day that have usage, 1 to 24. Default 4. */
  readonly hours?: number;
  /** Default 1. The same options and seed make the same records. */
  readonly seed?: number;
  /** Billing currencies. Default USD. */
  readonly currencies?: readonly string[];
  /** Share of the rows that are published 12 to 24 hours late. Default 0.02. */
  readonly late?: number;
  /** Share of the rows that are restated within three days. Default 0.05. */
  readonly restated?: number;
  /** The method of correcting a closed billing period. Default `delta`. */
  readonly corrections?: "delta" | "ledger" | "replacement" | "none";
  /** Whether each month has its Purchase, Credit, Tax and zero-length Adjustment. Default true. */
  readonly monthly?: boolean;
  /** Number of cost rows that become final under another id. Default 0. */
  readonly reissued?: number;
  /** Number of cost rows that are withdrawn two days after their day. Default 0. */
  readonly withdrawn?: number;
  /** Number of cost rows that move to the next day when they become final. Default 0. */
  readonly moved?: number;
  /** Retention of both datasets in days. Default 400, or more where the records need it. */
  readonly retention?: number;
  /** Largest window of both datasets in days. Default 31. */
  readonly window?: number;
}

/** The options with their defaults, and the first day as an instant. */
export interface Plan extends Required<Omit<GeneratorOptions, "from" | "now">> {
  readonly first: Instant;
  readonly last: Instant;
}

function whole(name: string, value: number, minimum: number, maximum: number): number {
  if (Number.isInteger(value) && value >= minimum && value <= maximum) return value;
  throw new RangeError(`generator: ${name} must be an integer between ${minimum} and ${maximum}`);
}

function share(name: string, value: number): number {
  if (value >= 0 && value <= 1) return value;
  throw new RangeError(`generator: ${name} must be between 0 and 1`);
}

/** Fills in the defaults. Throws a RangeError for options out of range. */
export function createPlan(options: GeneratorOptions): Plan {
  const days = whole("days", options.days ?? 30, 1, 10_000);
  const now = requireInstant(options.now);
  const from = options.from ?? "";
  const first =
    from === ""
      ? floorTo(now, DAY) - days * DAY
      : requireInstant(from.length === 10 ? `${from}T00:00:00Z` : from);
  const age = Math.ceil((now - first) / DAY) + 1;
  return {
    usage: whole("usage", options.usage ?? 1000, 0, 1e9),
    costs: whole("costs", options.costs ?? 500, 0, 1e9),
    days,
    first: floorTo(first, DAY),
    last: floorTo(first, DAY) + (days - 1) * DAY,
    hours: whole("hours", options.hours ?? 4, 1, 24),
    seed: whole("seed", options.seed ?? 1, 0, 2 ** 32 - 1),
    currencies: options.currencies ?? ["USD"],
    late: share("late", options.late ?? 0.02),
    restated: share("restated", options.restated ?? 0.05),
    corrections: options.corrections ?? "delta",
    monthly: options.monthly ?? true,
    reissued: whole("reissued", options.reissued ?? 0, 0, 1e5),
    withdrawn: whole("withdrawn", options.withdrawn ?? 0, 0, 1e5),
    moved: whole("moved", options.moved ?? 0, 0, 1e5),
    retention: whole("retention", options.retention ?? Math.max(400, age), 1, 100_000),
    window: whole("window", options.window ?? 31, 1, 100_000),
  };
}

/** A number in [0, 1) that depends only on the seed, a purpose and two numbers. */
export function draw(plan: Plan, purpose: number, a: number, b: number): number {
  return mix(mix(plan.seed, purpose), mix(a, b)) / 2 ** 32;
}

/** One of the items, drawn like `draw`. */
export function pick<Item>(
  plan: Plan,
  purpose: number,
  a: number,
  items: readonly [Item, ...Item[]],
): Item {
  return items[Math.floor(draw(plan, purpose, a, 0) * items.length)] ?? items[0];
}

const NUMBERS = [
  "usage",
  "costs",
  "days",
  "hours",
  "late",
  "restated",
  "reissued",
  "withdrawn",
  "moved",
  "retention",
  "window",
] as const;

/**
 * Reads options written as `usage=10000,costs=500,currencies=USD+EUR,corrections=ledger`. Throws a RangeError that
 * names the offending part.
 */
export function parseGeneratorSpec(spec: string): Omit<GeneratorOptions, "now"> {
  const options: Record<string, unknown> = {};
  for (const item of spec.split(",")) {
    const [name = "", value = ""] = item.split("=");
    const number = NUMBERS.some((known) => known === name)
      ? Number(value || Number.NaN)
      : undefined;
    if (number !== undefined && !Number.isNaN(number)) options[name] = number;
    else if (name === "from") options[name] = value;
    else if (name === "currencies" && /^[A-Z]{3}(\+[A-Z]{3})*$/.test(value))
      options[name] = value.split("+");
    else if (name === "monthly" && /^(true|false)$/.test(value)) options[name] = value === "true";
    else if (name === "corrections" && /^(delta|ledger|replacement|none)$/.test(value))
      options[name] = value;
    else throw new RangeError(`generator: "${item}" is not understood`);
  }
  return options;
}
