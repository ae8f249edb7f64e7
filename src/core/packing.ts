/**
 * Windows of usage (W2). Known days are packed into windows of about one page, because such a window costs one request, and
 * its days are compared and written at once (R6). Unknown days are cut into enough windows to keep the lanes busy.
 */
import { isKnown, type KnownDays } from "./known_days.ts";
import { DAY, floorTo } from "./time.ts";
import { cut, daysIn, type Range, union } from "./window.ts";

export interface PackingInput {
  readonly known: KnownDays;
  /** The number of records in a full page, >= 1. */
  readonly pageSize: number;
  /** `maximum_window_days` of the dataset, >= 1. */
  readonly maximumDays: number;
  /** Unknown ranges are cut into at least this many windows, if they have that many days. */
  readonly atLeast: number;
}

/** This many unknown days after the known days get an estimate. They are usually the days since the last sync. */
const GUESSED_DAYS = 3;

/** The estimate is the largest number of records in this many days before the unknown ones. */
const GUESS_FROM = 7;

/** A day, or a part of a day, with its expected number of records. */
interface Slot extends Range {
  readonly records: number;
}

/** Cuts ranges into windows, in the order of time. Each window begins and ends at the edge of a range or of a day. */
export function pack(ranges: readonly Range[], input: PackingInput): Range[] {
  const slots = union(ranges).flatMap((range) => slotsOf(range, input.known));
  const unknown = slots.filter(({ records }) => Number.isNaN(records));
  const known = slots.filter(({ records }) => !Number.isNaN(records));
  return [...cut(unknown, input.maximumDays, input.atLeast), ...joined(known, input)].toSorted(
    (a, b) => a.start - b.start,
  );
}

/** The days of a range. `records` is NaN for an unknown day without an estimate. */
function slotsOf(range: Range, known: KnownDays): Slot[] {
  const slots: Slot[] = [];
  for (let day = floorTo(DAY, range.start); day < range.end; day += DAY) {
    const slot = { start: Math.max(day, range.start), end: Math.min(day + DAY, range.end) };
    slots.push({ ...slot, records: expected(day, known) });
  }
  return slots;
}

function expected(day: number, known: KnownDays): number {
  if (isKnown(known, day)) return known.days.get(day)?.records ?? 0;
  const forgotten = known.forgotten.get(day);
  if (forgotten !== undefined) return forgotten.most;
  const last = known.ranges.findLast(({ end }) => end <= day)?.end ?? -Infinity;
  if (day - last >= GUESSED_DAYS * DAY) return Number.NaN;
  const recent = Array.from({ length: GUESS_FROM }, (_, index) => last - (index + 1) * DAY);
  return Math.max(...recent.map((each) => known.days.get(each)?.records ?? 0));
}

/**
 * Joins neighboring days while their records fit a page. A day with more records is a window of its own. A month start does not
 * end such a window: only costs have monthly charges (W1).
 */
function joined(slots: readonly Slot[], { pageSize, maximumDays }: PackingInput): Range[] {
  const windows: Slot[] = [];
  for (const slot of slots) {
    const last = windows.at(-1);
    const records = (last?.records ?? 0) + slot.records;
    const fits =
      last !== undefined &&
      last.end === slot.start &&
      daysIn({ start: last.start, end: slot.end }) <= maximumDays &&
      records <= pageSize;
    if (fits) windows[windows.length - 1] = { start: last.start, end: slot.end, records };
    else windows.push(slot);
  }
  return windows.map(({ start, end }) => ({ start, end }));
}
