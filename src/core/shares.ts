/**
 * How many of the unknown days a lane takes as its next window (W2), so that the lanes end together. Pure.
 *
 * It is guided self-scheduling (Polychronopoulos and Kuck, 1987): a lane takes a share of the days that are left, divided by the
 * number of lanes, so that windows become shorter towards the end. If so few days hold less than a page, the lane takes more of
 * them: windows of a part of a page cost as many requests as windows of a page. For the same reason a lane takes a longer share if
 * its pages are much fuller.
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
  /** The fewest records a day that the windows so far can have, >= 0. They may have more: some windows are not read to their end. */
  readonly perDay: number;
}

/** The shares into which each lane's part of the days is cut. With more than one share, lanes that end late still find days. */
const SHARES = 2;

/** Usage grows: later days may have this many times the records of earlier days. */
const GROWTH = 2;

/** Small accounts are read in at least this many windows, because the records of the days that are left are not known yet. */
const FEWEST = 16;

/** A lane takes all its shares at once if it then needs less than this part of the requests a day. */
const WORTH = 0.8;

/** The first part of a range of unknown days, which a lane reads as a window, and the rest; null if no day is left. */
export function share(range: Range, input: ShareInput): { first: Range; rest: Range | null } {
  const { lanes, pageSize, planned, left, perDay } = input;
  const inPage = Math.floor(pageSize / (GROWTH * perDay)); // Infinity where no record came
  const guided = Math.ceil(left / (SHARES * lanes));
  const most = Math.max(guided, Math.min(inPage, Math.ceil(planned / FEWEST)));
  const days = lengthOf(most, Math.max(most, SHARES * guided), perDay / pageSize);
  const edge = floorTo(DAY, range.start) + days * DAY;
  if (edge >= range.end) return { first: range, rest: null };
  return { first: { start: range.start, end: edge }, rest: { start: edge, end: range.end } };
}

/** The number of days of a share: from half of `most` to `most`, or up to `longest` if that saves many requests. */
function lengthOf(most: number, longest: number, pagesADay: number): number {
  const least = Math.ceil(most / 2);
  const requestsADay = (days: number): number => Math.ceil(days * pagesADay) / days;
  const fullest = (upTo: number): number => {
    const choices = Array.from({ length: upTo - least + 1 }, (_, index) => upTo - index);
    return choices.reduce((best, days) => (requestsADay(days) < requestsADay(best) ? days : best));
  };
  const [usual, longer] = [fullest(most), fullest(longest)];
  return requestsADay(longer) < WORTH * requestsADay(usual) ? longer : usual;
}
