/** The records and pages that a reading of a window shows. */
import type { Exchange } from "./http.ts";
import type { JsonObject } from "./json.ts";

/** One listing of records: usage at one granularity, or costs. */
export interface Series {
  readonly name: "usage 1h" | "usage 1d" | "costs";
  readonly dataset: "usage" | "costs";
  /** As asked for; undefined for costs, which have no such parameter. */
  readonly granularity: "1h" | "1d" | undefined;
  /** Path under the base URL. */
  readonly path: string;
}

/** Half-open, in milliseconds since 1970. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** A record as a page showed it. */
export interface Seen {
  readonly series: Series;
  /** Undefined if the record is no JSON object. */
  readonly value: JsonObject | undefined;
  /** `x_RecordId`; undefined if it is no text. */
  readonly id: string | undefined;
  readonly start: number | undefined;
  readonly end: number | undefined;
  /** Equal for equal records. */
  readonly text: string;
  readonly page: number;
  readonly exchange: Exchange;
}

/** One page as it came. */
export interface Page {
  /** From 1. */
  readonly number: number;
  readonly exchange: Exchange;
  /** Undefined if the answer is no page at all. */
  readonly envelope: JsonObject | undefined;
  readonly records: readonly Seen[];
}

/** Why a chain of pages ended. Only `last` is the end of the listing. */
export type End = "last" | "no cursor" | "cycle" | "refused" | "too long";

/** A reading: of the whole window, or of the pages before a fault. */
export interface Reading {
  readonly series: Series;
  readonly window: Window;
  readonly limit: number | undefined;
  readonly pages: readonly Page[];
  readonly records: readonly Seen[];
  readonly end: End;
}
