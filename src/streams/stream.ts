/** The contract of a stream: all that the engine needs to know of a dataset. */
import type { ProvisionalDay } from "../core/state.ts";
import type { Amounts } from "../core/totals.ts";
import type { Bucket } from "../core/time.ts";
import type { Capabilities } from "../generated/capabilities.d.ts";
import type { Validator } from "../generated/validators.js";
import type { Message } from "../protocol.ts";
import type { PageRecords } from "../interface/scan.ts";

export type Granularity = "1h" | "1d";

export type { Capabilities } from "../generated/capabilities.d.ts";

/** Interface section 2.3; both datasets have the same shape. */
export type DatasetCapabilities = Capabilities["datasets"]["usage"];

/** RECORD lines on their way to stdout, in UTF-8, each ended by a line feed; `bytes` are written as they are, and used anew after. */
export interface RecordLines {
  readonly type: "RECORD_LINES";
  readonly stream: string;
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** What the connector puts out: messages, and records that are lines already. */
export type Output = Message | RecordLines;

/** A record's members, not yet known to be what the schema says. */
export type Fields = Readonly<Record<string, unknown>>;

export interface StreamDefinition {
  readonly name: "usage" | "costs";
  /** Checks one record against its schema (V1). */
  readonly validate: Validator;
  /** The properties that the schema names; any other may hide a number (V3). */
  readonly properties: ReadonlySet<string>;
  /** The `granularity` parameter of the query (interface 4.2), and what each record must have; null where there is none. */
  granularityOf(configured: Granularity): Granularity | null;
  /** Width of the buckets that the position counts in. */
  bucketOf(configured: Granularity): Bucket;
  /** The dataset's own lag in milliseconds (R1): how long after its charge period a record may still change. */
  lagOf(dataset: DatasetCapabilities): number;
  /** Where the deep re-read begins by default (R2), in milliseconds since 1970. */
  reconcileFrom(now: number): number;
  /** The provisional costs of one record that keeps its schema, for R2; null where it is none. */
  provisionalOf(record: Fields): Omit<ProvisionalDay, "day"> | null;
  /** What a record adds to the control totals (R5); null where it holds no exact decimals. */
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

/**
 * The pages of a window from `cursor` on (null: from the first), the next one already requested while one is worked on.
 * Throws ConnectorError: `cursor_refused` for a 400 on a request that carried a cursor, `bad_request` for one that did
 * not, and whatever the client of the interface gives up with.
 */
export type PageSource = (
  query: WindowQuery,
  cursor: string | null,
  signal: AbortSignal,
  place: LanePlace,
) => AsyncIterable<FetchedPage>;

/** Where a window stands among those of its lane. */
export interface LanePlace {
  /** Resolves once the window before has been handed over: until then only one page is asked for (C3). Never rejects. */
  readonly before: Promise<void>;
  /** Called when the last page has come, before it is written: nothing more is asked for. */
  readonly onLastPage: () => void;
}
