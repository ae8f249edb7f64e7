/**
 * The scrub (R7): each deep re-read also reads a slice of the older history, so that the whole history is compared once in
 * `scrub_days`. Such a passage through the history is a turn. Pure: instants are milliseconds since 1970.
 *
 *     from                through        target                until = where the deep re-read begins
 *       [──── done ─────────)[── slice ────)[────── later ───────)
 */
import { DAY, floorTo, monthStart } from "./time.ts";
import type { Range } from "./window.ts";

/** The progress of the scrub. `began`: the day on which the present turn began. `through`: the end of the last slice. */
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
  /** Usage and costs get their slices on alternate days: a slice is due if the day's number modulo 2 is this value. */
  readonly turn: 0 | 1;
  /** The longest window of the dataset, in days. */
  readonly maximumWindowDays: number;
  /** The number of records on the known days of a range. */
  readonly recordsIn: (range: Range) => number;
  /** The number of records in a full page. */
  readonly pageSize: number;
}

export interface ScrubPlan {
  /** The range to read with this deep re-read; null if nothing is due. */
  readonly slice: Range | null;
  /** The scrub once the slice has been read. */
  readonly after: Scrub | null;
}

/**
 * Plans the slice that is due. A slice that is too small to fill a window waits for a later day, so that a small account pays
 * one request for many days. For the same reason a slice ends at a month start, which no window crosses (W1), if its records
 * fit a page. On the last day of a turn the slice is all the rest of the history.
 */
export function planScrub(stored: Scrub | null, input: ScrubInput): ScrubPlan {
  const { now, days, history } = input;
  const today = floorTo(DAY, now);
  if (days === 0 || history.start >= history.end) return { slice: null, after: stored };
  const scrub = continued(stored, today, input);
  const elapsed = (today - scrub.began) / DAY + 1;
  const isLastDay = elapsed >= days;
  const start = Math.max(scrub.through, history.start);
  const slice = { start, end: isLastDay ? history.end : endOf(start, elapsed, input) };
  const isDue = isLastDay || (isOwnDay(today, input) && fillsWindow(slice, input));
  if (slice.start >= slice.end || !isDue) return { slice: null, after: scrub };
  return { slice, after: { ...scrub, through: slice.end } };
}

/** The end of the slice: the share of the history up to this end equals the share of the turn's days that have passed. */
function endOf(start: number, elapsed: number, input: ScrubInput): number {
  const { days, history, byMonth, recordsIn, pageSize } = input;
  const length = (history.end - history.start) / DAY;
  const due = Math.min(history.start + Math.ceil((length * elapsed) / days) * DAY, history.end);
  const fitsPage = recordsIn({ start, end: due }) <= pageSize;
  return byMonth || fitsPage ? Math.max(start, monthStart(due)) : due;
}

const isOwnDay = (today: number, { turn, days }: ScrubInput): boolean =>
  days < 4 || (today / DAY) % 2 === turn;

/** The present turn, or a new one if none has begun or the last one is over. */
function continued(stored: Scrub | null, today: number, { days, history }: ScrubInput): Scrub {
  const fresh = { began: today, through: history.start };
  if (stored === null || stored.began > today) return fresh;
  const isOver = today - stored.began >= days * DAY && stored.through >= history.end;
  return isOver ? fresh : stored;
}

function fillsWindow(
  slice: Range,
  { recordsIn, pageSize, maximumWindowDays }: ScrubInput,
): boolean {
  const longest = Math.min(maximumWindowDays, 28) * DAY;
  return slice.end - slice.start >= longest || 2 * recordsIn(slice) >= pageSize;
}
