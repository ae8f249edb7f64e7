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
 * The slice that is due. A slice that would fill no window waits for the next day, so that a small account pays one
 * request for many days; the last day of a turn leaves nothing over.
 */
export function planScrub(stored: Scrub | null, input: ScrubInput): ScrubPlan {
  const { now, days, history } = input;
  const today = floorTo(DAY, now);
  if (days === 0 || history.start >= history.end) return { slice: null, after: stored };
  const scrub = continued(stored, today, input);
  const elapsed = (today - scrub.began) / DAY + 1;
  const isLastDay = elapsed >= days;
  const length = (history.end - history.start) / DAY;
  const due = history.start + Math.ceil((length * Math.min(elapsed, days)) / days) * DAY;
  const start = Math.max(scrub.through, history.start);
  const end = isLastDay || !input.byMonth ? due : Math.max(start, monthStart(due));
  const slice = { start, end: Math.min(end, history.end) };
  const isWorthIt = slice.start < slice.end && (isLastDay || fillsWindow(slice, input));
  if (!isWorthIt) return { slice: null, after: scrub };
  return { slice, after: { ...scrub, through: slice.end } };
}

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
