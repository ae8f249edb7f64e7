/** The provider's own data: the rows of its listings at an instant, and all versions that ever exist. */
import { DAY, HOUR } from "../../reference_provider/instants.ts";
import { type Account, listingOf } from "../../reference_provider/accounts.ts";
import { parseLife, rowsOfLife } from "../../reference_provider/lives.ts";
import { scan } from "../../reference_provider/store.ts";
import type { Dataset } from "../support/warehouse.ts";
import type { World } from "../support/world.ts";

/** Records as JSON by their ids. */
export type Rows = ReadonlyMap<string, string>;

export class Truth {
  readonly #account: Account;
  readonly #granularity: "1d" | "1h";
  readonly #versions: Readonly<Record<Dataset, ReadonlySet<string>>>;

  constructor(account: Account, granularity: "1d" | "1h", world: World) {
    this.#account = account;
    this.#granularity = granularity;
    this.#versions = {
      usage: versionsOf("usage", world.usage),
      costs: versionsOf("costs", world.costs),
    };
  }

  /** The rows of a listing at an instant. */
  rows(dataset: Dataset, at: number): Rows {
    const listing = listingOf(this.#account, dataset, this.#granularity);
    const always = { start: 0, end: Number.MAX_SAFE_INTEGER, at, select: "start" } as const;
    return new Map(
      [...scan(listing, always)].map(({ id, record }) => [id, JSON.stringify(record)]),
    );
  }

  /** The provider's `available_through` at an instant, without faults: in whole buckets. */
  declared(dataset: Dataset, at: number): number {
    const isUsage = dataset === "usage";
    const minutes = this.#account.capabilities.datasets.usage.freshness_lag_minutes ?? 0;
    const bucket = isUsage && this.#granularity === "1h" ? HOUR : DAY;
    return Math.floor((at - (isUsage ? minutes * 60_000 : DAY)) / bucket) * bucket;
  }

  /** Whether a record, as JSON, is one that the provider shows at any time. */
  isVersion(dataset: Dataset, record: string): boolean {
    return this.#versions[dataset].has(record);
  }
}

function versionsOf(dataset: Dataset, lives: World["usage"] = []): Set<string> {
  return new Set(
    lives
      .flatMap((life) => rowsOfLife(dataset, parseLife(life)))
      .flatMap(({ versions }) => versions.map(({ record }) => JSON.stringify(record))),
  );
}
