/**
 * The scrub (R7): with each deep re-read goes a slice of the older history, so that all of it is compared once in
 * `scrub_days`. Pure: instants are milliseconds since 1970.
 *
 *     from                through        target                until = where the deep re-read begins
 *       [──── done ─────────)[── slice ────)[────── later ───────)
 */
import { DAY, floorTo, monthStart } from "./time.ts";
import type { Range } from "./window.ts";

/** Where the scrub stands. `began`: the day on which this turn through the history began. */
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
  /** The streams take turns: a slice is due on days whose number has this remainder by two. */
  readonly turn: 0 | 1;
  /** The longest window of the dataset, in days. */
  readonly maximumWindowDays: number;
  /** How many records the known days of a range have, and how many fit a page. */
  readonly recordsIn: (range: Range) => number;
  readonly pageSize: number;
}

export interface ScrubPlan {
  /** To be compared with this deep re-read; null where nothing is due. */
  readonly slice: Range | null;
  /** The scrub once the slice has been read. */
  readonly after: Scrub | null;
}

/**
 * The slice that is due. A slice that would fill no window waits for a later day, so that a small account pays one request
 * for many days; for the same reason slices end at month starts, which no window crosses (W1), where a month fits a page.
 * The last day of a turn leaves nothing over.
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

/** Where the slice ends that keeps pace: that much of the history is compared after so many days. */
function endOf(start: number, elapsed: number, input: ScrubInput): number {
  const { days, history, byMonth, recordsIn, pageSize } = input;
  const length = (history.end - history.start) / DAY;
  const due = Math.min(history.start + Math.ceil((length * elapsed) / days) * DAY, history.end);
  const fitsPage = recordsIn({ start, end: due }) <= pageSize;
  return byMonth || fitsPage ? Math.max(start, monthStart(due)) : due;
}

const isOwnDay = (today: number, { turn, days }: ScrubInput): boolean =>
  days < 4 || (today / DAY) % 2 === turn;

/** The turn that goes on; a new one where none began, or where the last one is over. */
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
