/**
 * Days that are due because they are not proven (R10). {@link KnownDays} has two kinds of them: forgotten days, and days that
 * show less than half (R8). The state's list `due` has the others:
 *
 *     a listing moved for the first time since the day was proven (P6)   a second such reading could agree
 *     rows were missing on a day of the pass                              a row may have moved to a day whose reading had begun before
 *
 * A day leaves the list with its next reading, so that no day is due for ever because it cannot be proven. The days that no report
 * tells of have a list of their own (`unreported.ts`).
 */
import { ceilTo, DAY, floorTo } from "./time.ts";
import type { KnownDays } from "./known_days.ts";
import { dayRange, type Range, subtract, union } from "./window.ts";

/**
 * All days that are due.
 *
 * @param reports whether the sync reports its readings: then the days are due, too, that no report tells of
 */
export function dueDays(
  {
    known,
    due,
    unreported,
  }: {
    readonly known: KnownDays;
    readonly due: readonly Range[];
    readonly unreported: readonly Range[];
  },
  reports: boolean,
): Range[] {
  const shrunk = [...known.days.values()].filter(({ shrinkage }) => shrinkage !== null);
  const days = [...known.forgotten.keys(), ...shrunk.map(({ day }) => day)];
  return union([...due, ...(reports ? unreported : []), ...days.map(dayRange)]);
}

/** The list after a reading of some days. `doubtful`: the days among them that the next sync reads again. */
export function afterReading(
  due: readonly Range[],
  days: readonly number[],
  doubtful: readonly number[],
): readonly Range[] {
  if (due.length === 0 && doubtful.length === 0) return due;
  return union([...subtract(due, days.map(dayRange)), ...doubtful.map(dayRange)]);
}

/** Adds ranges to the list, widened to whole days. A day that is not over is not added. */
export function withDue(due: readonly Range[], ranges: readonly Range[], now: number): Range[] {
  const whole = ranges.map(({ start, end }) => ({
    start: floorTo(DAY, start),
    end: Math.min(ceilTo(DAY, end), floorTo(DAY, now)),
  }));
  return union([...due, ...whole]);
}

/**
 * The list for a state of 0.2.0, which had no list: the unconfirmed days, and the unknown days between known days, because a killed
 * sync left them unknown.
 */
export function dueOfOlderState({ ranges, days }: KnownDays): Range[] {
  const unconfirmed = [...days.values()].filter(({ confirmed }) => !confirmed);
  const [first, last] = [ranges[0], ranges.at(-1)];
  const gaps =
    first === undefined || last === undefined
      ? []
      : subtract([{ start: first.start, end: last.end }], ranges);
  return union([...gaps, ...unconfirmed.map(({ day }) => dayRange(day))]);
}
