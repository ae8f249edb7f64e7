/** Counts the rows of a reference provider that change between two instants, read from its data and not from its pages. */
import type { Account } from "../reference_provider/accounts.ts";
import { DAY, floorTo, type Instant } from "../reference_provider/instants.ts";
import { type Listing, scan } from "../reference_provider/store.ts";
import { type Dataset, datasets } from "./customer.ts";

/** Days back from now within which the generator's records change. */
const REACH = 130 * DAY;

/** Rows of one dataset. */
export interface Changed {
  /** Rows that are new or changed between two consecutive syncs. */
  readonly changed: number;
  /** Rows of the days that had at least one change: the least that a rewrite of whole days writes. */
  readonly wholeDays: number;
}

/** The records of a listing by day, each under its id. */
type Days = ReadonlyMap<Instant, ReadonlyMap<string, string>>;

export class Changes {
  readonly #listings: Readonly<Record<Dataset, Listing>>;
  readonly #sums: Record<Dataset, Changed> = {
    usage: { changed: 0, wholeDays: 0 },
    costs: { changed: 0, wholeDays: 0 },
  };
  #last: Readonly<Record<Dataset, Days>>;

  /** `at` is the instant of the first sync, whose rows do not count. */
  constructor({ listings }: Account, at: Instant) {
    this.#listings = { usage: listings["usage-1d"], costs: listings.costs };
    this.#last = this.#shownAt(at);
  }

  /** Adds the changes since the last call. */
  follow(at: Instant): void {
    const shown = this.#shownAt(at);
    for (const name of datasets) {
      const { changed, wholeDays } = this.#sums[name];
      const more = changedBetween(this.#last[name], shown[name]);
      this.#sums[name] = {
        changed: changed + more.changed,
        wholeDays: wholeDays + more.wholeDays,
      };
    }
    this.#last = shown;
  }

  of(dataset: Dataset): Changed {
    return this.#sums[dataset];
  }

  #shownAt(at: Instant): Readonly<Record<Dataset, Days>> {
    const { usage, costs } = this.#listings;
    return { usage: daysOf(usage, at), costs: daysOf(costs, at) };
  }
}

function daysOf(listing: Listing, at: Instant): Days {
  const days = new Map<Instant, Map<string, string>>();
  const range = { start: floorTo(at, DAY) - REACH, end: at + DAY, at, select: "start" } as const;
  for (const { start, id, record } of scan(listing, range)) {
    const day = floorTo(start, DAY);
    const rows = days.get(day) ?? new Map<string, string>();
    days.set(day, rows.set(id, JSON.stringify(record)));
  }
  return days;
}

function changedBetween(before: Days, after: Days): Changed {
  let [changed, wholeDays] = [0, 0];
  for (const [day, rows] of after) {
    const known = before.get(day);
    const fresh = [...rows].filter(([id, text]) => known?.get(id) !== text).length;
    const isGone = [...(known?.keys() ?? [])].some((id) => !rows.has(id));
    changed += fresh;
    if (fresh > 0 || isGone) wholeDays += rows.size;
  }
  return { changed, wholeDays };
}
