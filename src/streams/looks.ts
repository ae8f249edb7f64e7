/** The windows that a sync reads to find the owners of strays (P5). */
import { daysOf } from "../core/digests.ts";
import { type PlanInput, windowOfDay } from "../core/plan.ts";
import type { Range } from "../core/window.ts";
import type { Purpose } from "./record_filter.ts";

export interface Looks {
  readonly looks: readonly Range[];
  /**
   * Days outside the plan. They have to leave the state: a stray that is written may replace a row of its day and give the row
   * another reading id, so the next reading must write the day again.
   */
  readonly left: readonly number[];
  /** Days beyond the limit of windows, which are left to the next sync with their strays. A full refresh has no next sync. */
  readonly leftToNext: ReadonlySet<number>;
}

/**
 * The purpose of reading a day that strays start on. Usually the whole day is compared, because the stray may be a new record of that
 * day: the window that is read today may show only the end of a charge that comes late. In two cases the reading only looks for owners
 * and writes nothing: a full refresh compares no days, and a day that this read has written is not written twice (P5).
 *
 * @param days the days that strays start on
 */
export function lookPurpose(
  window: Range,
  days: readonly number[],
  read: { readonly isRefresh: boolean; readonly written: ReadonlySet<number> },
): Purpose {
  const about = daysOf(window);
  const isWritten = about.some((day) => read.written.has(day));
  return read.isRefresh || isWritten
    ? { kind: "look", days: days.filter((day) => about.includes(day)) }
    : { kind: "window", withStrays: false };
}

/**
 * Sorts the days of strays.
 *
 * @param days the days that strays start on, the earliest first
 * @param plan the range that the sync may read
 * @param limit.most the largest number of windows
 */
export function looksAt(
  days: readonly number[],
  plan: Range,
  input: PlanInput,
  limit: { readonly most: number; readonly isRefresh: boolean },
): Looks {
  const windows = new Map<number, Range>();
  const left: number[] = [];
  const leftToNext = new Set<number>();
  for (const day of days) {
    const window = windowOfDay(day, plan, input);
    const isWithin = window !== undefined && window.start <= day && day < window.end;
    if (!isWithin) left.push(day);
    else if (windows.has(window.start) || windows.size < limit.most)
      windows.set(window.start, window);
    else if (!limit.isRefresh) leftToNext.add(day);
  }
  return { looks: [...windows.values()], left, leftToNext };
}
