/**
 * The description of a provider for its adapter: its reports, the requests for them, and the map from their rows to records of
 * the interface. Each provider is one file with a {@link ProviderReports}.
 */
import type { NamedValue } from "../core/names.ts";
import type { JsonObject } from "./exact.ts";

/** Providers whose own reports the connector reads. */
export type ProviderName = "anthropic" | "openai" | "openrouter";

export type Dataset = "usage" | "costs";
export type Granularity = "1h" | "1d";

/** A query of the interface. Instants are milliseconds since 1970. */
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

/** The beginning of a page in a report. */
export interface Place {
  /** Start of the first bucket, milliseconds since 1970. */
  readonly start: number;
  /** The number of buckets or rows to request; each report counts one of them. */
  readonly size: number;
  /** The provider's own token of the page, if the report cannot begin at any bucket. */
  readonly page: string | null;
}

/** A GET request to the provider. */
export interface ReportRequest {
  /** Path under the base URL, e.g. `/v1/organization/costs`. */
  readonly path: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Headers that replace those of the provider with the same names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A group that a report has only since some instant, in milliseconds since 1970; Infinity if the report does not have it. */
export interface MissingGroup {
  readonly group: string;
  readonly since: number;
}

/** A record of the interface, without the columns that are the same for all records. */
export interface Draft {
  /** Start of its bucket, milliseconds since 1970. */
  readonly start: number;
  /** Identifies the record in its bucket: every grouped dimension, and the meter. Never an amount. */
  readonly identity: readonly (string | null)[];
  /** Its members, by the interface's names. */
  readonly members: Readonly<Record<string, string | null>>;
  /** Its decimals. */
  readonly sums: Readonly<Record<string, string>>;
  /** The provider's row. It tells a row that comes twice from one that differs in a member without a place in the record. */
  readonly row?: JsonObject;
}

/** A page of a report, as drafts. */
export interface ReportPage {
  readonly drafts: readonly Draft[];
  /** The beginning of the next page; null after the last page. */
  readonly next: Omit<Place, "size"> | null;
  /** The instant up to which the data is complete, in milliseconds since 1970; absent if the report names none, null if it has no data yet. */
  readonly refreshedAt?: number | null | undefined;
}

/** One report of a provider: an endpoint that gives rows by time. */
export interface Report {
  /** Part of the records' identity, e.g. `completions`. */
  readonly name: string;
  /**
   * `buckets`: a page holds whole buckets and may begin at any of them; a bucket that does not fit into our page is requested
   * again. `rows`: a page holds a number of rows, and is requested again as it was.
   */
  readonly pages: "buckets" | "rows";
  /** The size to begin with, and the most. */
  readonly sizes: (query: Query) => { readonly first: number; readonly most: number };
  readonly request: (place: Place, query: Query) => ReportRequest;
  /** @throws ConnectorError `provider_fault` by the readers of `shape.ts` */
  readonly read: (body: JsonObject, place: Place, query: Query) => ReportPage;
  /** Tells if a provider refuses `start` (400) because the day is not over; `now` is its clock. Such a day is not asked for. */
  readonly isBeyond?: (start: number, now: number) => boolean;
}

/** One API of a provider; a provider may have a newer and an older one. */
export interface Api {
  /** Part of the datasets' endpoints: `/v1/finops/usage` for the empty name, else `/v1/finops/NAME/usage`. */
  readonly name: string;
  /** For people: `the analytics API`. */
  readonly title: string;
  /** The smallest request that shows if the key may use the API; `now` in milliseconds since 1970. */
  readonly probe: (now: number) => ReportRequest;
  readonly usage: readonly Report[];
  readonly costs: readonly Report[];
  readonly granularities: readonly [Granularity, ...Granularity[]];
  /** Days that can be asked for; `now` in milliseconds since 1970. */
  readonly retentionDays: (now: number) => number;
  /** The first instant that the API has; milliseconds since 1970. */
  readonly earliest?: number;
  readonly maximumWindowDays: number;
  /** The money that is in the reports of the first API but not in those of this one: `the costs of …`. */
  readonly leavesOut?: string;
  /** Dimensions that records carry (interface section 2.1). */
  readonly dimensions: Readonly<Record<Dataset, readonly string[]>>;
}

/** A page of a list of names. */
export interface ListPage {
  readonly names: readonly Omit<NamedValue, "label">[];
  /** The token of the next page; null after the last one. */
  readonly next: string | null;
}

/** A list of things that have names. */
export interface NameList {
  /** The dimension whose values are listed. */
  readonly label: string;
  /** For people: `API keys`. */
  readonly title: string;
  /** Another dimension, if each of its values has such a list; an earlier list shows the values. Absent if there is one list. */
  readonly of?: string;
  /** @param after the token of the page; null for the first one */
  readonly request: (after: string | null, parent: string) => ReportRequest;
  /** @throws ConnectorError `provider_fault` by the readers of `shape.ts` */
  readonly read: (body: JsonObject, after: string | null) => ListPage;
}

/** A provider: all that its adapter needs. */
export interface ProviderReports {
  /** `ServiceProviderName` and `InvoiceIssuerName`. */
  readonly title: string;
  /** The headers of each request, with the key. Lower-case names. */
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  /** The adapter tries them in this order until one accepts the key. */
  readonly apis: readonly [Api, ...Api[]];
  /** The scope that a key needs, if keys have scopes; a 403 names it. */
  readonly scope?: string;
  /** A request whose answer has the account's `id`. Some keys may not send it; then no account is known. */
  readonly account?: ReportRequest;
  /** Costs count as final some days after the end of their day, or of their calendar month (UTC); the config gives the days. */
  readonly finalAfter: "day" | "month";
  /** A remark about the amounts that a person should know, for the log. */
  readonly remark?: string;
  /** A request whose answer has a total of all that the account ever used, and the sentence that says it. */
  readonly control?: {
    readonly request: ReportRequest;
    readonly sentence: (body: JsonObject) => string;
  };
  /** The lists of names, in the order in which they are requested (N1). */
  readonly names: readonly NameList[];
  /** Usage, too, changes until costs are final. */
  readonly usageSettlesByMonth?: boolean;
}

/** Assumptions of the config, because the provider does not tell. */
export interface Assumptions {
  /** Whole hours until usage is complete. */
  readonly usageLagHours: number;
  /** Whole hours until costs are complete. */
  readonly costsLagHours: number;
  /** Days, 0 to 365, until costs are final, counted as {@link ProviderReports.finalAfter} says. */
  readonly finalAfterDays: number;
}
