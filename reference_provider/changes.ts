import type { Account } from "./accounts.ts";
import { putLife } from "./data.ts";
import type { Instant } from "./instants.ts";
import type { Life } from "./lives.ts";
import type { DatasetName } from "./model.ts";
import { lifeOf } from "./store.ts";
import type { Listing } from "./store.ts";

/** A change of the data: a record with its life, or the restatement or withdrawal of a record that its id names. */
export type RecordChange = {
  readonly dataset: DatasetName;
  readonly account?: string | undefined;
} & (
  | { readonly life: Life }
  | {
      readonly restate: string;
      readonly at?: Instant | undefined;
      readonly changes: Readonly<Record<string, unknown>>;
    }
  | { readonly withdraw: string; readonly at?: Instant | undefined }
);

function find(
  account: Account,
  dataset: DatasetName,
  id: string,
): { listing: Listing; life: Life } {
  const { costs, "usage-1h": hours, "usage-1d": days } = account.listings;
  for (const listing of dataset === "costs" ? [costs] : [hours, days]) {
    const life = lifeOf(listing, id);
    if (life !== undefined) return { listing, life };
  }
  throw new RangeError(`there is no ${dataset} record ${id}`);
}

/**
 * Makes a change of the data. `restate` and `withdraw` name the record's first id and take effect at `at`,
 * by default now. Throws a RangeError if there is no such record, a TypeError if a version would be invalid.
 */
export function changeRecord(account: Account, change: RecordChange, now: Instant): void {
  if ("life" in change) {
    putLife(account, change.dataset, change.life);
    return;
  }
  const at = change.at ?? now;
  const { life, listing } = find(
    account,
    change.dataset,
    "restate" in change ? change.restate : change.withdraw,
  );
  if ("withdraw" in change) {
    listing.stored.put({ ...life, withdrawnAt: at });
    return;
  }
  const changes = [...life.changes, { at, changes: change.changes }].toSorted(
    (a, b) => a.at - b.at,
  );
  listing.stored.put({ ...life, changes });
}
