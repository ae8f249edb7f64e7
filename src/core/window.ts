/**
 * Half-open ranges of time, and their cut into windows (W1 to W3).
 *
 *     start                                        end
 *       [────────────)[────────────)[───────)[──────)
 *       a window      a window      ▲ month   last: may end on a whole hour
 */
import { ceilTo, DAY, floorTo, nextMonthStart } from "./time.ts";

/** `start <= t < end`, in milliseconds since 1970; `start < end` in every range that these functions return. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The day that begins at `day`, midnight UTC. */
export const dayRange = (day: number): Range => ({ start: day, end: day + DAY });

/** A range, widened to whole days. */
export const wholeDays = ({ start, end }: Range): Range => ({
  start: floorTo(DAY, start),
  end: ceilTo(DAY, end),
});

/** The ranges of some days. */
export const rangesOf = (days: readonly { readonly day: number }[]): Range[] =>
  days.map(({ day }) => dayRange(day));

const isEmpty = (range: Range): boolean => range.start >= range.end;

/** The smallest set of ranges that covers the same instants: sorted, disjoint, never touching. */
export function union(ranges: readonly Range[]): Range[] {
  const joined: Range[] = [];
  const sorted = ranges.filter((range) => !isEmpty(range));
  for (const { start, end } of sorted.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start <= last.end) {
      joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, end) };
    } else {
      joined.push({ start, end });
    }
  }
  return joined;
}

/**
 * The parts of `ranges` that no range of `removed` covers. Both lists may have a range for each day of ten years, so both are passed
 * through once, side by side (L2).
 */
export function subtract(ranges: readonly Range[], removed: readonly Range[]): Range[] {
  const holes = union(removed);
  const left: Range[] = [];
  let passed = 0;
  for (const { start, end } of union(ranges)) {
    let from = start;
    while ((holes[passed]?.end ?? Infinity) <= from) passed += 1;
    for (let next = passed; from < end; next++) {
      const hole = holes[next] ?? { start: Infinity, end: Infinity };
      if (from < hole.start) left.push({ start: from, end: Math.min(end, hole.start) });
      from = Math.max(from, hole.end);
    }
  }
  return left;
}

/** The parts of `ranges` that lie inside `bounds`. */
export function clip(ranges: readonly Range[], bounds: Range): Range[] {
  return union(
    ranges.map(({ start, end }) => ({
      start: Math.max(start, bounds.start),
      end: Math.min(end, bounds.end),
    })),
  );
}

/** The parts that two lists of ranges have in common. Passes through each list once, like {@link subtract}. */
export function intersect(ranges: readonly Range[], others: readonly Range[]): Range[] {
  const bounds = union(others);
  const common: Range[] = [];
  let passed = 0;
  for (const { start, end } of union(ranges)) {
    while ((bounds[passed]?.end ?? Infinity) <= start) passed += 1;
    for (let next = passed; (bounds[next]?.start ?? Infinity) < end; next++) {
      const other = bounds[next] ?? { start, end };
      common.push({ start: Math.max(start, other.start), end: Math.min(end, other.end) });
    }
  }
  return common;
}

/** The key of a window in a map. */
export const nameOf = ({ start, end }: Range): string => `${start} ${end}`;

/** The number of UTC days of a range; a day in part counts. */
export function daysIn({ start, end }: Range): number {
  return (ceilTo(DAY, end) - floorTo(DAY, start)) / DAY;
}

/** Whether two ranges share an instant. */
export function overlaps(a: Range, b: Range): boolean {
  return a.start < b.end && b.start < a.end;
}

/** Whether one of the ranges has the instant. */
export const includes = (ranges: readonly Range[], instant: number): boolean =>
  ranges.some(({ start, end }) => start <= instant && instant < end);

/** Whether the inner range lies within the outer one, edges included. */
export const contains = (outer: Range, inner: Range): boolean =>
  outer.start <= inner.start && inner.end <= outer.end;

/**
 * Cuts ranges into windows: on whole UTC days except for the first start and the last end of a range, never across a
 * month start, none longer than `maximumDays`, evenly long within a month; and at least `atLeast` of them over all
 * if there are as many days (W1, W2).
 *
 * @param maximumDays `maximum_window_days` of the dataset, >= 1
 * @param atLeast how many windows keep the lanes busy to the end, >= 1
 */
export function cut(ranges: readonly Range[], maximumDays: number, atLeast: number): Range[] {
  const whole = union(ranges);
  const days = whole.reduce((sum, range) => sum + Math.ceil((range.end - range.start) / DAY), 0);
  const longest = Math.max(1, Math.min(maximumDays, Math.floor(days / atLeast)));
  return whole.flatMap(byMonth).flatMap((range) => evenly(range, longest));
}

function byMonth(range: Range): Range[] {
  const parts: Range[] = [];
  let { start } = range;
  while (start < range.end) {
    const end = Math.min(range.end, nextMonthStart(start));
    parts.push({ start, end });
    start = end;
  }
  return parts;
}

/** The fewest windows of at most `longest` days each; their lengths differ by a day at most. */
function evenly(range: Range, longest: number): Range[] {
  const firstDay = Math.floor(range.start / DAY);
  const days = daysIn(range);
  const count = Math.ceil(days / longest);
  const edge = (index: number): number => (firstDay + Math.floor((days * index) / count)) * DAY;
  return Array.from({ length: count }, (_, index) => ({
    start: Math.max(range.start, edge(index)),
    end: Math.min(range.end, edge(index + 1)),
  }));
}

/** The UTC day of a range that is nearest to an instant. */
export const nearestDay = ({ start, end }: Range, instant: number): number =>
  floorTo(DAY, Math.min(Math.max(instant, start), end - 1));
