/**
 * What an adapter is made of: the reports of a provider, how to ask for them, and how their rows are told in the words of
 * the interface. A provider is one file with a {@link ProviderReports}.
 */
import type { JsonObject } from "./exact.ts";

export type Dataset = "usage" | "costs";
export type Granularity = "1h" | "1d";

/** What the interface's client asks for. Instants are milliseconds since 1970. */
export interface Query {
  readonly dataset: Dataset;
  /** Inclusive. */
  readonly start: number;
  /** Exclusive, after `start`. */
  readonly end: number;
  /** `1d` for costs. */
  readonly granularity: Granularity;
  /** 1 to 1,000 records. */
  readonly limit: number;
}

/** Where in a report a page begins. */
export interface Place {
  /** Start of the first bucket, milliseconds since 1970. */
  readonly start: number;
  /** How many buckets or rows to ask for; what it counts is the report's business. */
  readonly size: number;
  /** The provider's own token of the page, where the report cannot begin at any bucket. */
  readonly page: string | null;
}

/** A GET of the provider's. */
export interface ReportRequest {
  /** Path under the base URL, e.g. `/v1/organization/costs`. */
  readonly path: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
}

/** A record of the interface without what is the same for all of them. */
export interface Draft {
  /** Start of its bucket, milliseconds since 1970. */
  readonly start: number;
  /** What tells it apart from the other records of its bucket: every grouped dimension, and its meter. Never an amount. */
  readonly identity: readonly (string | null)[];
  /** Its members, by the interface's names. */
  readonly members: Readonly<Record<string, string | null>>;
  /** Its members that are added up where a report has a group twice: decimals. */
  readonly sums: Readonly<Record<string, string>>;
}

/** A page of a report, understood. */
export interface ReportPage {
  readonly drafts: readonly Draft[];
  /** Where the next page begins; null after the last. Its size is chosen by whoever asks. */
  readonly next: Omit<Place, "size"> | null;
  /** Until when the report's data is complete, where it says so; milliseconds since 1970. */
  readonly refreshedAt?: number | undefined;
}

/** One report of a provider: an endpoint that gives rows by time. */
export interface Report {
  /** Part of the records' identity, e.g. `completions`. */
  readonly name: string;
  /**
   * `buckets`: a page holds whole buckets, and may begin at any; what does not fit our page is asked for again from its
   * bucket. `rows`: a page is told by the provider's token, and asked for again as a whole.
   */
  readonly pages: "buckets" | "rows";
  /** The size to begin with, and the most. */
  readonly sizes: (query: Query) => { readonly first: number; readonly most: number };
  readonly request: (place: Place, query: Query) => ReportRequest;
  /** @throws ConnectorError `provider_fault` by the readers of `shape.ts` */
  readonly read: (body: JsonObject, place: Place, query: Query) => ReportPage;
  /** Whether a 400 to a request for `start` only says that the day is not over; `now` is the provider's clock. */
  readonly isBeyond?: (start: number, now: number) => boolean;
}

/** One API of a provider; a provider may have a newer and an older one. */
export interface Api {
  /** Part of the datasets' endpoints: `/v1/finops/usage` for the empty name, else `/v1/finops/NAME/usage`. */
  readonly name: string;
  /** For people: `the analytics API`. */
  readonly title: string;
  /** The smallest request that shows whether the key may use it; `now` in milliseconds since 1970. */
  readonly probe: (now: number) => ReportRequest;
  readonly usage: readonly Report[];
  readonly costs: readonly Report[];
  readonly granularities: readonly [Granularity, ...Granularity[]];
  /** Days that can be asked for; `now` in milliseconds since 1970. */
  readonly retentionDays: (now: number) => number;
  /** Nothing before it is asked for; milliseconds since 1970. */
  readonly earliest?: number;
  readonly maximumWindowDays: number;
  /** Dimensions that records carry (interface section 2.1). */
  readonly dimensions: Readonly<Record<Dataset, readonly string[]>>;
}

/** A provider's reports: all that an adapter needs to know of it. */
export interface ProviderReports {
  /** `ServiceProviderName` and `InvoiceIssuerName`. */
  readonly title: string;
  /** Headers that carry the key and whatever else each request needs. Lower-case names. */
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** Tried in this order until one takes the key. */
  readonly apis: readonly [Api, ...Api[]];
  /** A scope that a 403 may lack, where keys have scopes. */
  readonly scope?: string;
  /** A request whose answer names the account as `id`; keys that may not send it go without. */
  readonly account?: ReportRequest;
  /** When a cost is taken to be final, from its bucket's start and end; the config's days come on top. */
  readonly finalAt: (start: number, end: number) => number;
}

/** What the config says of the provider's habits, since the provider does not. */
export interface Assumptions {
  /** Whole hours until usage is complete. */
  readonly usageLagHours: number;
  /** Whole hours until costs are complete. */
  readonly costsLagHours: number;
  /** Days after the end of the billing period until costs are final. */
  readonly finalAfterDays: number;
}
