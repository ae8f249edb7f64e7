import type { Instant } from "../instants.ts";
import type { Life } from "../lives.ts";
import type { BillingRecord } from "../model.ts";
import type { Segment, Shown } from "../store.ts";

/**
 * The functions that compute a segment's records. Each bucket holds `slots` records; the last bucket may hold fewer.
 */
export interface Recipe {
  readonly length: number;
  readonly slots: number;
  /** Length of a charge period in milliseconds. */
  readonly width: number;
  readonly prefix: string;
  /** Start of the n-th bucket. */
  startOf(bucket: number): Instant;
  /** Instants at which the record appears or changes, in order. */
  events(bucket: number, slot: number): readonly Instant[];
  /** The record after the latest event at or before `at`. */
  record(id: string, bucket: number, slot: number, at: Instant): BillingRecord;
}

/** Records that are computed when they are read, so that millions cost no memory. */
export function createSegment(recipe: Recipe): Segment {
  const { length, slots, width, prefix } = recipe;
  const place = (index: number) => [Math.floor(index / slots), index % slots] as const;
  const idAt = (index: number) => `${prefix}-${String(index).padStart(10, "0")}`;
  function shownAt(index: number, at: Instant): Shown | undefined {
    const [bucket, slot] = place(index);
    const latest = recipe.events(bucket, slot).findLast((event) => event <= at);
    if (latest === undefined) return undefined;
    return {
      record: recipe.record(idAt(index), bucket, slot, latest),
      end: recipe.startOf(bucket) + width,
    };
  }
  function lifeOf(id: string): Life | undefined {
    const index = id.startsWith(`${prefix}-`) ? Number(id.slice(prefix.length + 1)) : Number.NaN;
    if (!(index < length) || idAt(index) !== id) return undefined;
    const steps = recipe.events(...place(index)).flatMap((at) => {
      const shown = shownAt(index, at);
      return shown === undefined ? [] : [{ at, changes: { ...shown.record } }];
    });
    const [first, ...changes] = steps;
    return first === undefined
      ? undefined
      : { record: first.changes, visibleFrom: first.at, changes };
  }
  return {
    length,
    longest: width,
    startAt: (index) => recipe.startOf(place(index)[0]),
    idAt,
    shownAt,
    lifeOf,
  };
}
