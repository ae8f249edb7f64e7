/**
 * P5: strays that wait to be written. A process may have died behind the row of such a stray, and no report names this row. So a reading of
 * the stray's day would prove the day without the stray. A day that awaits strays is not proven until a later process has written them, or
 * their window shows none that waits.
 */
import type { Bounds } from "./plan_bounds.ts";
import type { PlanInput } from "./plan_windows.ts";
import { groupOf, groupsOfCut, hasContent, withoutContent } from "./stray_group.ts";
import type { AwaitedStrays, IncrementalState, KnownStray } from "./state.ts";
import { DAY, monthStart } from "./time.ts";
import { toldStrays } from "./unreported.ts";
import {
  clip,
  contains,
  dayRange,
  daysIn,
  nameOf,
  overlaps,
  type Range,
  subtract,
  wholeDays,
} from "./window.ts";

/** A window that was read as a whole, and whether its listing moved (P6). */
type Read = Range & { readonly moved: boolean };

/**
 * At most so many entries, >= 1. If there are more, one entry stands for all whose windows begin in the same month: for their days, and all
 * days between them. If there are too many months, one entry stands for all.
 */
export function boundedAwaited(
  awaited: readonly AwaitedStrays[],
  most: number,
): readonly AwaitedStrays[] {
  if (awaited.length <= most) return awaited;
  const spans = new Map<number, AwaitedStrays>();
  for (const entry of awaited) addToMonth(spans, entry);
  const [first, ...others] = spans.values();
  if (first === undefined || others.length < most) return [...spans.values()];
  return [others.reduce(spanOf, first)];
}

/** Adds an entry to the one that stands for all whose windows begin in its month. */
export function addToMonth(spans: Map<number, AwaitedStrays>, entry: AwaitedStrays): void {
  const month = monthStart(entry.window.start);
  const span = spans.get(month);
  spans.set(month, span === undefined ? entry : spanOf(span, entry));
}

/** One entry for the days of two, and all days between them. */
const spanOf = (one: AwaitedStrays, other: AwaitedStrays): AwaitedStrays => ({
  days: rangeOver(one.days, other.days),
  window: rangeOver(one.window, other.window),
});

const rangeOver = (one: Range, other: Range): Range => ({
  start: Math.min(one.start, other.start),
  end: Math.max(one.end, other.end),
});

/**
 * The strays of a state that go on in a sync, and the days that await strays: those of the state, and those of strays whose ids stand in
 * place of their contents, because newer versions may have replaced their rows.
 *
 * @param range `within`: the range that the sync may read
 * @returns as `coming` the windows that lie within the range, and their days: whole days, which are due
 */
export function straysOfState(
  state: Pick<IncrementalState, "strays" | "awaited" | "unreported">,
  { reports, maximumWindowDays }: Pick<PlanInput, "reports" | "maximumWindowDays">,
  { floor, keepFrom, within }: Pick<Bounds, "floor" | "keepFrom"> & { readonly within: Range },
): {
  readonly strays: readonly KnownStray[];
  readonly awaited: readonly AwaitedStrays[];
  readonly coming: readonly Range[];
} {
  // A stray may start before the floor: its window shows it as long as a part of the window is kept. Or its day is kept, and its window is
  // not: the next reading of the day takes the stray's row out of the sums (R10).
  const kept = toldStrays(state, reports).filter(
    ({ day, window }) => Math.max(day + DAY, window.end) > keepFrom,
  );
  const cut = groupsOfCut(kept, { floor, within, maximumWindowDays });
  const strays = kept.flatMap((stray) => (cut.has(groupOf(stray)) ? withoutContent(stray) : stray));
  // A provider may no longer show a stray whose day has left retention, and its window would stay due.
  const told = strays
    .filter((stray) => stray.readingId !== null && !hasContent(stray) && stray.day >= floor)
    .map(({ day, window }) => ({ days: dayRange(day), window }));
  const awaited = distinctAwaited([...state.awaited, ...told]).filter(
    ({ days }) => days.end > keepFrom,
  );
  const coming = awaited
    .filter(({ window }) => contains(within, window))
    .flatMap(({ days, window }) => [...clip([days], within), wholeDays(window)]);
  return { strays, awaited, coming };
}

/** Each entry once. */
export const distinctAwaited = (awaited: readonly AwaitedStrays[]): AwaitedStrays[] => [
  ...new Map(awaited.map((one) => [`${nameOf(one.days)} ${nameOf(one.window)}`, one])).values(),
];

/** Whether a day awaits strays. */
export const isAwaited = (awaited: readonly AwaitedStrays[], day: number): boolean =>
  awaited.some(({ days }) => overlaps(days, dayRange(day)));

/** P6: the reads that tell of all strays of their windows: their listings did not move, or the same windows were read again. */
export function sureOf<Some extends Read>(reads: readonly Some[]): Some[] {
  const readings = Map.groupBy(reads, nameOf);
  return reads.filter((read) => !read.moved || (readings.get(nameOf(read)) ?? []).length > 1);
}

/**
 * Whether a read has shown all strays of a window to this process, so that those which still wait are known. Only the whole window tells,
 * or a longer one. Two whole readings count if their listings moved (P6). A window that is longer than the provider allows by now is read
 * in parts.
 */
export function isShownWhole(
  window: Range,
  reads: readonly Read[],
  maximumWindowDays: number,
): boolean {
  const sure = sureOf(reads);
  if (daysIn(window) > maximumWindowDays) return subtract([window], sure).length === 0;
  return (
    sure.some((read) => contains(read, window)) ||
    reads.filter((read) => contains(read, window)).length > 1
  );
}
