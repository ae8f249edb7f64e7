/** The part of a provider that `verify` asks: what one run decides, and what it compares with a later run or with an invoice. */
import type { Dataset, ProviderName } from "../src/adapters/report.ts";
import type { Asker } from "./asker.ts";
import type { Judgment } from "./judgment.ts";
import type { Amounts, DaySums } from "./rows.ts";

/** Sums of whole UTC days. A day without rows is not in them. */
export interface Sums {
  readonly days: DaySums;
  /** The instant before which the report calls itself complete; undefined if it names none. Milliseconds since 1970. */
  readonly completeBefore: number | undefined;
}

/** An account whose provider has accepted the key. */
export interface Account {
  readonly provider: ProviderName;
  /** For people: `the analytics API`. */
  readonly api: string;
  /** The provider's clock at its first answer, in milliseconds since 1970. */
  readonly now: number;
  /** The provider's id of the account, if there is one; never shown. */
  readonly id: string | undefined;
  /** Functions that decide an assumption in one run, by the id of the assumption. */
  readonly judges: Readonly<Record<string, () => Promise<Judgment>>>;
  /** The first day that the reports have, in milliseconds since 1970. */
  readonly earliest: number;
  /** Sums of all that the account used or paid in whole days from `start` to `end`, which is exclusive. */
  readonly sums: (dataset: Dataset, start: number, end: number) => Promise<Sums>;
  /** Amounts of costs of one day by the identity of their groups. */
  readonly groups: (day: number) => Promise<ReadonlyMap<string, Amounts>>;
  /** The most days that one request for sums may read. */
  readonly daysARequest: number;
}

/**
 * Sends the first request.
 *
 * @throws ConnectorError `unauthorized` if the provider refuses the key, `unavailable` if no usable answer comes
 */
export type OpenAccount = (asker: Asker) => Promise<Account>;
