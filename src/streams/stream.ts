/** The contract of a stream: everything that the engine needs to know about a dataset. */
import type { NamedValue } from "../core/names.ts";
import type { ProvisionalDay } from "../core/provisional.ts";
import type { Amounts } from "../core/totals.ts";
import type { Bucket } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import type { Edges } from "../edges.ts";
import type { Capabilities } from "../generated/capabilities.d.ts";
import type { Fields } from "../records/fields.ts";
import type { PageRecords } from "../records/page_records.ts";
import type { RecordSchema } from "../records/record_schema.ts";

export type Granularity = "1h" | "1d";

export type { Capabilities } from "../generated/capabilities.d.ts";

/** Interface section 2.3; both datasets have the same shape. */
export type DatasetCapabilities = Capabilities["datasets"]["usage"];

export interface StreamDefinition {
  readonly name: "usage" | "costs";
  /** The schema of its records (V1). */
  readonly schema: RecordSchema;
  /** Whether windows are whole calendar months if the dataset allows it (W2). */
  readonly byMonth: boolean;
  /** The `granularity` parameter of the query (interface 4.2), which each record must repeat; null if the stream has none. */
  granularityOf(configured: Granularity): Granularity | null;
  /** Width of the buckets that the position counts in. */
  bucketOf(configured: Granularity): Bucket;
  /** The dataset's own lag in milliseconds (R1): how long after its charge period a record may still change. */
  lagOf(dataset: DatasetCapabilities): number;
  /** Start of the default deep re-read of a day (R2), in milliseconds since 1970. `now`: an instant of this day. */
  reconcileFrom(now: number): number;
  /** The provisional cost of one record, for R2; null if its cost is final. */
  provisionalOf(record: Fields): Omit<ProvisionalDay, "day"> | null;
  /** The record's part in the control totals (R5); null if it holds no exact decimals that can be added up. */
  amountsOf(record: Fields): Amounts | null;
}

/** One page as the client of the interface gives it (interface section 2.6.1). */
export interface FetchedPage {
  /** Not yet checked. */
  readonly records: PageRecords;
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly asOf: string;
  /** Milliseconds since 1970. */
  readonly availableThrough: number;
}

/** The frozen query of a window (S3); instants in milliseconds since 1970. */
export interface WindowQuery {
  readonly start: number;
  readonly end: number;
  readonly limit: number;
}

/** The pages of a window, one request after the other. */
export interface WindowPages {
  /**
   * Requests the next page. To be called again only after the page has come, and not after the last one.
   *
   * @param parseAfter defers parsing: until it resolves, the body stays as the bytes that came
   * @throws ConnectorError `cursor_refused` for a 400 on a request that carried a cursor, `bad_request` for one that did not,
   *   and the error that the client of the interface gives up with
   */
  next(parseAfter: Promise<void>): Promise<FetchedPage>;
  /**
   * Called after each page. `broken` is the rule that the listing breaks (L3), or null: see `Listing.endPage` in core/listing.ts.
   *
   * @throws ConnectorError `provider_fault` if a rule is broken and the page is not the last one
   */
  wrote(broken: string | null, page: FetchedPage): void;
}

/** Opens the pages of a window at `cursor` (null: at the first one). Sends no request yet. */
export type OpenPages = (
  query: WindowQuery,
  cursor: string | null,
  signal: AbortSignal,
  onWarning: (kind: string, message: string) => void,
) => WindowPages;

/**
 * The notes of a source on its answers, if an adapter stands between the connector and the provider's own reports. Instants are
 * milliseconds since 1970.
 */
export interface SourceNotes {
  /** Gives the source the note that the stored state keeps, before the first request for the dataset. */
  readonly recall: (dataset: StreamDefinition["name"], note: string) => void;
  /** The note that the next state keeps: at most 2,000 characters; null if there is none. */
  readonly note: (dataset: StreamDefinition["name"]) => string | null;
  /**
   * R11: null if the source has shown all that it has so far. Else the readings that end now prove nothing, and rows may be missing on
   * the days before this instant.
   */
  readonly unprovenBefore: (dataset: StreamDefinition["name"]) => number | null;
  /** R11: the days that earlier syncs have read without a report that was refused. */
  readonly lacking: (dataset: StreamDefinition["name"]) => readonly Range[];
  /** R2: at `now`, the dataset may still change from this instant on; null if only the lags of capabilities tell. */
  readonly changesFrom: (dataset: StreamDefinition["name"], now: number) => number | null;
}

/** Names as a source gives them, a page for each request (N1). */
export interface NamesPage {
  /** Not yet judged. */
  readonly names: readonly NamedValue[];
  /** The names that the source cannot show, for the log: `API keys (HTTP 403)`; null if none is missing. */
  readonly missing: string | null;
}

/**
 * A source of names beside the transport. Undefined for a provider of the interface, which has no operation for names. Each call lists all
 * names anew, and throws a ConnectorError if the provider cannot be asked.
 */
export type NameSource = () => AsyncIterable<NamesPage>;

/** The part of the outside world that streams need. */
export interface RunEdges extends Pick<Edges, "clock" | "random"> {
  /** Resolves in the next turn of the event loop, when requests have left and answers have come in. */
  readonly nextTurn: () => Promise<void>;
  /** Ends the reading of all streams. */
  readonly stop: AbortSignal;
}
