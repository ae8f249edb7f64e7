/**
 * The records of one page, whichever way they were read. A plain page stays as the bytes that came (scan.ts). Every other page is
 * parsed, and its records are written as JSON again (parsed.ts). `interface/pages.ts` makes both; everything behind it sees
 * only what stands here.
 */
import type { PageRecord } from "./page_record.ts";
import type { RecordSchema } from "./record_schema.ts";

export interface PageRecords {
  readonly length: number;
  /**
   * Calls `visit` for each record, in the order of the page.
   *
   * @param warn receives what was changed in a record so that it can be written (V4)
   * @returns the memory to which `start` and `end` of the records refer
   * @throws ConnectorError `invalid_record` if a record is nested too deeply to be written
   */
  each(schema: RecordSchema, visit: VisitRecord, warn: Warn): Buffer;
  /** Gives the memory of the page's body back. Nobody may read the records after this call. */
  release(): void;
}

/** `index` is the record's place in the page, from 0. */
export type VisitRecord = (record: PageRecord, index: number) => void;

/** Receives a warning of a kind. */
export type Warn = (kind: string, message: string) => void;
