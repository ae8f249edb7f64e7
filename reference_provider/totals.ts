import type { Account } from "./accounts.ts";
import { ZERO, add, formatDecimal, parseDecimal } from "./decimals.ts";
import type { Decimal } from "./decimals.ts";
import { formatDay, formatInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import type { BillingRecord, CostRecord, UsageRecord } from "./model.ts";
import { scan } from "./store.ts";
import type { Listing } from "./store.ts";

/** The records to add up: their charge periods start in [start, end), and exports at `at` show them. */
export interface TotalsRange {
  readonly at: Instant;
  readonly start?: Instant | undefined;
  readonly end?: Instant | undefined;
}

/** Rows and exact sums of one group; the other fields are the group's key. */
type Group = Readonly<Record<string, string | number>>;

/** Sums by key, in the order in which the keys first appear. */
class Sums {
  readonly #groups = new Map<
    string,
    { key: Record<string, string>; rows: number; sums: Decimal[] }
  >();
  readonly #names: readonly string[];

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  add(key: Record<string, string>, values: readonly Decimal[]): void {
    const name = Object.values(key).join("\n");
    const group = this.#groups.get(name) ?? { key, rows: 0, sums: values.map(() => ZERO) };
    group.rows += 1;
    group.sums = group.sums.map((sum, index) => add(sum, values[index] ?? ZERO));
    this.#groups.set(name, group);
  }

  list(): Group[] {
    return [...this.#groups.values()].map(({ key, rows, sums }) => ({
      ...key,
      rows,
      ...Object.fromEntries(
        this.#names.map((name, index) => [name, formatDecimal(sums[index] ?? ZERO)]),
      ),
    }));
  }
}

function isCost(record: BillingRecord): record is CostRecord {
  return "BilledCost" in record;
}

function* recordsOf(
  listing: Listing,
  range: TotalsRange,
): Generator<{ day: string; record: BillingRecord }> {
  const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY, at } = range;
  for (const listed of scan(listing, { start, end, at, select: "start" })) {
    yield { day: formatDay(listed.start), record: listed.record };
  }
}

function usageTotals(listing: Listing, range: TotalsRange) {
  const overall = new Sums(["quantity"]);
  const days = new Sums(["quantity"]);
  let rows = 0;
  for (const { day, record } of recordsOf(listing, range)) {
    if (isCost(record)) continue;
    rows += 1;
    const key = usageKey(record);
    const quantity = [parseDecimal(record.ConsumedQuantity)];
    overall.add(key, quantity);
    days.add({ day, ...key }, quantity);
  }
  return { rows, totals: overall.list(), days: days.list() };
}

function usageKey(record: UsageRecord): Record<string, string> {
  return { usage_type: record.x_UsageType, unit: record.ConsumedUnit };
}

function costTotals(listing: Listing, range: TotalsRange) {
  const names = ["billed_cost", "effective_cost"];
  const currencies = new Sums(names);
  const overall = new Sums(names);
  const categories = new Sums(names);
  const days = new Sums(names);
  let rows = 0;
  for (const { day, record } of recordsOf(listing, range)) {
    if (!isCost(record)) continue;
    rows += 1;
    const currency = record.BillingCurrency;
    const status = record.x_CostStatus;
    const costs = [parseDecimal(record.BilledCost), parseDecimal(record.EffectiveCost)];
    currencies.add({ currency }, costs);
    overall.add({ currency, status }, costs);
    categories.add({ currency, category: record.ChargeCategory }, costs);
    days.add({ day, currency, status }, costs);
  }
  return {
    rows,
    currencies: currencies.list(),
    totals: overall.list(),
    categories: categories.list(),
    days: days.list(),
  };
}

/**
 * The true totals of an account: rows and exact sums of all records that exports at `range.at` show, without retention,
 * by dataset, granularity, day, currency and status. Decimals are text without trailing zeros.
 */
export function totalsOf(account: Account, range: TotalsRange) {
  return {
    account: account.id,
    at: formatInstant(range.at),
    usage: {
      "1h": usageTotals(account.listings["usage-1h"], range),
      "1d": usageTotals(account.listings["usage-1d"], range),
    },
    costs: costTotals(account.listings.costs, range),
  };
}

export type Totals = ReturnType<typeof totalsOf>;
