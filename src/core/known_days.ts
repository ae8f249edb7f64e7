/**
 * Known days: the days that a stream has read completely, with the digest of each (R6, R8, P6). Pure: every function returns
 * a new value.
 *
 *     ranges        [────────────────────────)        [──────)      read completely
 *     entries           │  │ │    │││ │                  │ │         days inside the ranges that have records
 *                   a day without an entry is empty   a day outside is unknown
 */
import { type DayDigest, EMPTY_DIGEST } from "./digests.ts";
import { DAY, HOUR } from "./time.ts";
import { clip, type Range, subtract, union } from "./window.ts";

/** A reading showed less than half of a day's records, and no later reading has confirmed this yet (R8). */
export interface Shrinkage {
  readonly records: number;
  readonly digest: string;
  /** The start of the first reading with this digest, in milliseconds since 1970 on the provider's clock. */
  readonly at: number;
}

/** A day that has records. */
export interface KnownDay extends DayDigest {
  /** The reading whose rows stand for the day: `rows_reading_id` of its report. */
  readonly readingId: string;
  /** Whether the digest is proven: the listing did not move during the reading, or two readings agree (P6). */
  readonly confirmed: boolean;
  readonly shrinkage: Shrinkage | null;
}

export interface KnownDays {
  /** The ranges that were read completely: on whole days, sorted, disjoint. */
  readonly ranges: readonly Range[];
  readonly days: ReadonlyMap<number, KnownDay>;
}

export const NOTHING_KNOWN: KnownDays = { ranges: [], days: new Map() };

/** The verdict on a day that a complete reading returned. */
export type DayVerdict =
  /** The day was unknown: its rows were written while it was read. */
  | "unknown"
  /** The content has not changed: no row is written. */
  | "same"
  /** The content differs: every row of the day is written. */
  | "differs"
  /** Less than half of the records is left, and an hour has not confirmed it yet: no row is written (R8). */
  | "shrunk";

/** A day with fewer known records than this may shrink without suspicion (R8). */
const SUSPICIOUS_FROM = 10;

/** Whether the day was read completely before, so that the next reading is compared with its digest. */
export function isKnown(known: KnownDays, day: number): boolean {
  return known.ranges.some(({ start, end }) => start <= day && day < end);
}

/**
 * Compares a day, as a complete reading returned it, with the known days.
 *
 * @param now the start of the reading, in milliseconds since 1970 on the provider's clock
 */
export function judgeDay(known: KnownDays, seen: DayDigest, now: number): DayVerdict {
  if (!isKnown(known, seen.day)) return "unknown";
  const entry = known.days.get(seen.day);
  if (seen.digest === (entry?.digest ?? EMPTY_DIGEST) && seen.records === (entry?.records ?? 0)) {
    return "same";
  }
  if (entry === undefined || !hasShrunk(entry, seen)) return "differs";
  const { shrinkage } = entry;
  const isConfirmed =
    shrinkage !== null && shrinkage.digest === seen.digest && now - shrinkage.at >= HOUR;
  return isConfirmed ? "differs" : "shrunk";
}

const hasShrunk = (entry: KnownDay, seen: DayDigest): boolean =>
  entry.records >= SUSPICIOUS_FROM && 2 * seen.records < entry.records;

/** Returns the known days after a reading has written a day with this content, or has found the day empty. */
export function learn(
  known: KnownDays,
  { day, records, digest }: DayDigest,
  written: Pick<KnownDay, "readingId" | "confirmed">,
): KnownDays {
  const days = new Map(known.days);
  if (records === 0) days.delete(day);
  else days.set(day, { day, records, digest, ...written, shrinkage: null });
  return { ranges: union([...known.ranges, { start: day, end: day + DAY }]), days };
}

/** Returns the known days after a reading has found a day unchanged: the day is confirmed (P6), and no longer suspected (R8). */
export function confirm(known: KnownDays, day: number): KnownDays {
  const entry = known.days.get(day);
  if (entry === undefined || (entry.confirmed && entry.shrinkage === null)) return known;
  const days = new Map(known.days).set(day, { ...entry, confirmed: true, shrinkage: null });
  return { ...known, days };
}

/** Returns the known days after a reading has shown less than half of a day. Keeps the start of the first such reading (R8). */
export function suspect(known: KnownDays, seen: DayDigest, now: number): KnownDays {
  const entry = known.days.get(seen.day);
  if (entry === undefined) return known;
  const { records, digest } = seen;
  const before = entry.shrinkage?.digest === digest ? entry.shrinkage.at : now;
  const shrinkage = { records, digest, at: before };
  return { ...known, days: new Map(known.days).set(seen.day, { ...entry, shrinkage }) };
}

/** Returns the known days without the days in `gone`. The next reading writes those days again. */
export function forget(known: KnownDays, gone: readonly number[]): KnownDays {
  if (gone.length === 0) return known;
  const days = new Map(known.days);
  for (const day of gone) days.delete(day);
  const removed = gone.map((day) => ({ start: day, end: day + DAY }));
  return { ranges: subtract(known.ranges, removed), days };
}

/** Returns the known days in a range of whole days. */
export function prune(known: KnownDays, { start, end }: Range): KnownDays {
  const isInside = (range: Range): boolean => range.start >= start && range.end <= end;
  if (known.ranges.every(isInside)) return known;
  return {
    ranges: clip(known.ranges, { start, end }),
    days: new Map([...known.days].filter(([day]) => day >= start && day < end)),
  };
}
