/** The provider's own data: the rows of its listings at an instant, all records that ever exist, and its sums. */
import { type Account, listingOf } from "../../reference_provider/accounts.ts";
import { DAY, HOUR } from "../../reference_provider/instants.ts";
import { parseLife, rowsOfLife } from "../../reference_provider/lives.ts";
import { scan } from "../../reference_provider/store.ts";
import type { Totals } from "../../reference_provider/totals.ts";
import type { World } from "../support/world.ts";
import type { Dataset } from "./tables.ts";

/** A row as the provider shows it. Its id and the instant of its last change name one version. */
export interface Version {
  readonly day: string;
  /** Milliseconds since 1970. */
  readonly updatedAt: number;
}

/** The versions that are shown at one instant, by record id. */
export type Rows = ReadonlyMap<string, Version>;

export class Truth {
  readonly #account: Account;
  readonly #granularity: "1d" | "1h";

  constructor(account: Account, granularity: "1d" | "1h") {
    this.#account = account;
    this.#granularity = granularity;
  }

  /** The rows of a listing at an instant. */
  rows(dataset: Dataset, at: number): Rows {
    const listing = listingOf(this.#account, dataset, this.#granularity);
    const always = { start: 0, end: Number.MAX_SAFE_INTEGER, at, select: "start" } as const;
    return new Map(
      [...scan(listing, always)].map(({ id, record }) => [
        id,
        {
          day: record.ChargePeriodStart.slice(0, 10),
          updatedAt: Date.parse(record.x_RecordUpdatedAt),
        },
      ]),
    );
  }

  /** The provider's `available_through` at an instant, without faults: in whole buckets. */
  declared(dataset: Dataset, at: number): number {
    const isUsage = dataset === "usage";
    const minutes = this.#account.capabilities.datasets.usage.freshness_lag_minutes ?? 0;
    const bucket = isUsage && this.#granularity === "1h" ? HOUR : DAY;
    return Math.floor((at - (isUsage ? minutes * 60_000 : DAY)) / bucket) * bucket;
  }
}

/** All records as JSON that a provider of a world ever shows. */
export function versionsOf(world: World): Readonly<Record<string, ReadonlySet<string>>> {
  const all = (dataset: Dataset): Set<string> =>
    new Set(
      (world[dataset] ?? [])
        .flatMap((life) => rowsOfLife(dataset, parseLife(life)))
        .flatMap(({ versions }) => versions.map(({ record }) => JSON.stringify(record))),
    );
  return { usage: all("usage"), costs: all("costs") };
}

/** The sums of `GET /control/totals` by day, as `judgeSums` finds them with the models. */
export function sumsOf(
  { usage, costs }: Totals,
  granularity: "1d" | "1h",
): Record<Dataset, string[]> {
  const texts = (groups: readonly Readonly<Record<string, unknown>>[]): string[] =>
    groups.map((group) => Object.values(group).join(" "));
  return { usage: texts(usage[granularity].days), costs: texts(costs.days) };
}
