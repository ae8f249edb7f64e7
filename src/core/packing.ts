/**
 * Windows of usage (W2): days whose number of records is known are put together into windows of about a page, because a
 * window that fits a page costs one request and is compared and written in one go (R6). Days that nothing is known of
 * are cut into enough windows to keep the lanes busy.
 */
import { isKnown, type KnownDays } from "./known_days.ts";
import { ceilTo, DAY, floorTo, monthStart } from "./time.ts";
import { cut, type Range, union } from "./window.ts";

export interface PackingInput {
  readonly known: KnownDays;
  /** Records of a page, >= 1. */
  readonly pageSize: number;
  /** `maximum_window_days` of the dataset, >= 1. */
  readonly maximumDays: number;
  /** Unknown ranges are cut into at least so many windows, where they have as many days. */
  readonly atLeast: number;
}

/** A run of unknown days that is no longer is guessed from the days before it: the days since the last sync. */
const GUESSED_DAYS = 3;

/** Days whose records the guess looks at. */
const GUESS_FROM = 7;

/** A day, or the part of it that a range covers, and the records to expect. */
interface Slot extends Range {
  readonly records: number;
}

/** The windows of some ranges, in the order of time; each begins and ends where a range or a day does. */
export function pack(ranges: readonly Range[], input: PackingInput): Range[] {
  const slots = union(ranges).flatMap((range) => slotsOf(range, input.known));
  const unknown = slots.filter(({ records }) => Number.isNaN(records));
  const known = slots.filter(({ records }) => !Number.isNaN(records));
  return [...cut(unknown, input.maximumDays, input.atLeast), ...joined(known, input)].toSorted(
    (a, b) => a.start - b.start,
  );
}

/** The days of a range; `records` is NaN where nothing is known and nothing can be guessed. */
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
  const last = known.ranges.findLast(({ end }) => end <= day)?.end ?? -Infinity;
  if (day - last >= GUESSED_DAYS * DAY) return Number.NaN;
  const recent = Array.from({ length: GUESS_FROM }, (_, index) => last - (index + 1) * DAY);
  return Math.max(...recent.map((each) => known.days.get(each)?.records ?? 0));
}

/** Neighboring days of one month, as many as fit a page; a day with more records is a window of its own. */
function joined(slots: readonly Slot[], { pageSize, maximumDays }: PackingInput): Range[] {
  const windows: Slot[] = [];
  for (const slot of slots) {
    const last = windows.at(-1);
    const records = (last?.records ?? 0) + slot.records;
    const fits =
      last !== undefined &&
      last.end === slot.start &&
      last.end % DAY === 0 &&
      monthStart(last.start) === monthStart(slot.start) &&
      ceilTo(DAY, slot.end) - floorTo(DAY, last.start) <= maximumDays * DAY &&
      records <= pageSize;
    if (fits) windows[windows.length - 1] = { start: last.start, end: slot.end, records };
    else windows.push(slot);
  }
  return windows.map(({ start, end }) => ({ start, end }));
}
