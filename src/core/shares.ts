/**
 * How many of the unknown days a lane takes as its next window (W2), so that the lanes end together. Pure.
 *
 * It is guided self-scheduling (Polychronopoulos and Kuck, 1987): a lane takes a share of the days that are left, divided by the
 * number of lanes, so that windows become shorter towards the end. If so few days hold less than a page, the lane takes more of
 * them: windows of a part of a page cost as many requests as windows of a page.
 */
import { DAY, floorTo } from "./time.ts";
import type { Range } from "./window.ts";

export interface ShareInput {
  /** Requests at once, >= 1. */
  readonly lanes: number;
  /** Records of a page, >= 1. */
  readonly pageSize: number;
  /** The unknown days of the plan, and those of them that no lane has taken yet. */
  readonly planned: number;
  readonly left: number;
  /** The number of records a day in the windows so far, >= 0: at least this, because some windows are not read to their end. */
  readonly perDay: number;
}

/** The number of shares for each lane: at the end each lane takes one more, so that late lanes find something to do. */
const SHARES = 2;

/** Usage grows: later days may have this many times the records of earlier days. */
const GROWTH = 2;

/** Small accounts are read in at least this many windows, because nobody knows the days that are left. */
const FEWEST = 16;

/** The first part of a range of unknown days, which a lane reads as a window, and the rest; null if no day is left. */
export function share(range: Range, input: ShareInput): { first: Range; rest: Range | null } {
  const { lanes, pageSize, planned, left, perDay } = input;
  const inPage = Math.floor(pageSize / (GROWTH * perDay)); // Infinity where no record came
  const most = Math.max(
    Math.ceil(left / (SHARES * lanes)),
    Math.min(inPage, Math.ceil(planned / FEWEST)),
  );
  const edge = floorTo(DAY, range.start) + fullest(most, perDay / pageSize) * DAY;
  if (edge >= range.end) return { first: range, rest: null };
  return { first: { start: range.start, end: edge }, rest: { start: edge, end: range.end } };
}

/** The number of days, from half of `most` to `most`, whose pages are the fullest. */
function fullest(most: number, pagesADay: number): number {
  const least = Math.ceil(most / 2);
  const costOf = (days: number): number => Math.ceil(days * pagesADay) / days;
  const choices = Array.from({ length: most - least + 1 }, (_, index) => most - index);
  return choices.reduce((best, days) => (costOf(days) < costOf(best) ? days : best), most);
}
