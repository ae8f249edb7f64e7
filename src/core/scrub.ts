/**
 * The scrub (R7): each deep re-read also reads a slice of the older history, so that the whole history is compared once in
 * `scrub_days`. Such a passage through the history is a turn. Pure: instants are milliseconds since 1970.
 *
 *     history.start       through        slice.end               history.end = where the deep re-read begins
 *       [──── compared ─────)[── slice ────)[────── later ───────)
 *
 * An idle sync shall cost few requests (W2). So a slice consists of whole windows: a month of costs, or as many days of usage as
 * fit a page and the longest window. The days of the calendar alternate between usage and costs, so that the two streams together
 * add one request a day as long as that is enough. If the history is longer, a slice has more windows.
 */
import { DAY, floorTo, nextMonthStart } from "./time.ts";
import type { Range } from "./window.ts";

/**
 * The progress of the scrub. `began`: the first day of the turn. After the last slice of a turn it is the day after.
 * `through`: the end of the last slice.
 */
export interface Scrub {
  readonly began: number;
  readonly through: number;
}

export interface ScrubInput {
  readonly now: number;
  /** `scrub_days`, >= 0; 0 turns the scrub off. */
  readonly days: number;
  /** All history before the deep re-read, on whole days. */
  readonly history: Range;
  /** Costs are compared by calendar months (W2). */
  readonly byMonth: boolean;
  /** 0 or 1: the stream's own days have an even or an odd number since 1970. The other days belong to the other stream. */
  readonly turn: 0 | 1;
  /** The longest window of the dataset, in days. */
  readonly maximumWindowDays: number;
  /** The number of records on a known day; 0 if the day is unknown. */
  readonly recordsOn: (day: number) => number;
  /** The number of records in a full page. */
  readonly pageSize: number;
}

export interface ScrubPlan {
  /** The range to read with this deep re-read; null if nothing is due. */
  readonly slice: Range | null;
  /** The scrub once the slice has been read. */
  readonly after: Scrub | null;
}

/** Plans the slice that is due. On the stream's last day of a turn, or later, the slice is all the rest of the history. */
export function planScrub(stored: Scrub | null, input: ScrubInput): ScrubPlan {
  const { now, days, history } = input;
  if (days === 0) return { slice: null, after: stored };
  if (history.start >= history.end) return { slice: null, after: null };
  const today = floorTo(DAY, now);
  const isFresh = stored === null || stored.began > today;
  const scrub = isFresh ? { began: today, through: history.start } : stored;
  const start = Math.max(scrub.through, history.start);
  const isLast = today >= lastDay(scrub.began, input);
  const end = isLast ? history.end : endOf(start, scrub.began, input);
  const next = { began: today + DAY, through: history.start };
  return {
    slice: start < end ? { start, end } : null,
    after: isLast ? next : { ...scrub, through: Math.max(scrub.through, end) },
  };
}

/** The days from one own day of a stream to the next. */
const OWN_EVERY = 2;

const isOwn = (day: number, { turn }: ScrubInput): boolean => (day / DAY) % OWN_EVERY === turn;

/** In a turn of fewer days than this, each day belongs to both streams. */
const ALTERNATES_FROM = 4;

/** The last day of a turn that belongs to the stream. */
function lastDay(began: number, input: ScrubInput): number {
  const last = began + (input.days - 1) * DAY;
  return input.days < ALTERNATES_FROM || isOwn(last, input) ? last : last - DAY;
}

/** The end of a slice of whole windows that begins at `start`. */
function endOf(start: number, began: number, input: ScrubInput): number {
  const windows = wholeWindows(start, input);
  const rest = (windows.at(-1)?.end ?? start) < input.history.end ? 1 : 0;
  const count = Math.max(
    numberDue(windows.length + rest, began, input),
    numberLate(windows, began, input),
  );
  return windows[Math.min(count, windows.length) - 1]?.end ?? start;
}

/**
 * The number of windows of a slice, if `left` windows are left: one on each of the stream's own days if that is enough. If not,
 * all days have windows: own days round the number up, other days round it down.
 */
function numberDue(left: number, began: number, input: ScrubInput): number {
  const today = floorTo(DAY, input.now);
  const daysLeft = (lastDay(began, input) - today) / DAY + 1;
  const ownDaysLeft = Math.ceil(daysLeft / OWN_EVERY);
  if (isOwn(today, input)) return left <= ownDaysLeft ? 1 : Math.ceil(left / daysLeft);
  return left <= ownDaysLeft ? 0 : Math.floor(left / daysLeft);
}

/** A scrub that is this many windows behind has missed days, because there were days without a sync. */
const MISSED = 3;

/**
 * The number of windows of a slice that catches up. After the slice, the compared share of the history is the share of the turn's
 * days that have passed.
 */
function numberLate(windows: readonly Range[], began: number, input: ScrubInput): number {
  const { now, days, history } = input;
  const elapsed = (floorTo(DAY, now) - began) / DAY + 1;
  const due = history.start + ((history.end - history.start) * elapsed) / days;
  return windows.filter(({ end }) => end <= due).length - MISSED;
}

/**
 * Cuts the history from `start` on into windows, as the plan will cut it. The rest, if it is no whole window, waits for the last
 * day of the turn, because it may still grow: so it costs one request instead of one for each day that it grows by.
 */
function wholeWindows(start: number, input: ScrubInput): Range[] {
  const windows: Range[] = [];
  for (let from = start; ;) {
    const end = input.byMonth ? nextMonthStart(from) : usageWindowEnd(from, input);
    if (end > input.history.end) return windows;
    windows.push({ start: from, end });
    from = end;
  }
}

/**
 * The end of a window of as many days as fit a page. Infinity if the window reaches the end of the history and has room for the
 * days until the stream's next own day.
 */
function usageWindowEnd(start: number, input: ScrubInput): number {
  const { history, maximumWindowDays, recordsOn, pageSize } = input;
  let records = 0;
  for (let end = start; end < history.end + OWN_EVERY * DAY; end += DAY) {
    records += recordsOn(end);
    const isFull = end - start >= maximumWindowDays * DAY || records > pageSize;
    if (isFull && end > start) return Math.min(end, Math.max(history.end, start + DAY));
  }
  return Infinity;
}
