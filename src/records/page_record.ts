import type { RecordFingerprint } from "../core/identity.ts";

/**
 * The present record of a page. One object stands at many records, one after the other: an object for each would keep the garbage
 * collector busy. So whatever is needed later has to be copied.
 */
export interface PageRecord {
  /** The record as JSON.parse gives it, not checked. Its members are decoded when they are read. */
  readonly value: unknown;
  /** The start of the bytes that a RECORD line repeats. */
  readonly start: number;
  /** Their end (exclusive), before the record's closing brace. */
  readonly end: number;
  /** The members that the interface does not name, as JSON (R3); null if there are none. */
  readonly columns: string | null;
  /** `ChargePeriodStart` in milliseconds since 1970; NaN if it is no instant. */
  readonly chargeStart: number;
  /** `x_RecordUpdatedAt` in the same form. */
  readonly updatedAt: number;
  /** Whether the record keeps its schema (V1). If not, the schema's `violation` tells the rule. */
  isValid(): boolean;
  /**
   * Makes the hashes of the record, over the same bytes for every way of reading: its members as they are written, in their usual
   * order (R6).
   *
   * @param withFormer whether to make the hash of 0.2.0 too
   */
  hashInto(print: RecordFingerprint, withFormer: boolean): void;
}
