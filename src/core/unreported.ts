/**
 * Days that no report tells of (R10). The models know a day from its reports alone, so a day that a sync without `export_windows` has
 * read, or written again, is not proven. These days are not in the list of due days: only a sync that reports reads them again.
 */
import { isKnown } from "./known_days.ts";
import { daysAbout, type Reading } from "./reading.ts";
import type { DayReport } from "./settle.ts";
import { knownOf, type StreamState } from "./state.ts";
import { dayRange, type Range, subtract, union, wholeDays } from "./window.ts";

/** The state in which no report tells of these ranges, widened to whole days. A full refresh has no next sync. */
export function withUnreported(state: StreamState, ranges: readonly Range[]): StreamState {
  if (state.mode !== "incremental" || ranges.length === 0) return state;
  return { ...state, unreported: union([...state.unreported, ...ranges.map(wholeDays)]) };
}

export const hasUnreported = (state: StreamState): boolean =>
  state.mode === "incremental" && state.unreported.length > 0;

/**
 * The state after a reading. If the reading is reported, its reports tell of their days. Else no report tells of those of its days that
 * were unknown before, or that it has changed.
 *
 * @param after the state after the reading, without its report
 * @param reports null if the catalog does not select `export_windows`; a reading without totals is not reported either
 */
export function afterReport(
  after: StreamState,
  before: StreamState,
  reading: Reading,
  reports: readonly Pick<DayReport, "day">[] | null,
): StreamState {
  if (after.mode !== "incremental") return after;
  if (reports !== null && reading.totals !== null) {
    const told = reports.map(({ day }) => dayRange(day));
    return hasUnreported(after)
      ? { ...after, unreported: subtract(after.unreported, told) }
      : after;
  }
  const [known, earlier] = [after.known, knownOf(before)];
  const changed = daysAbout(reading).filter(
    (day) =>
      isKnown(earlier, day) !== isKnown(known, day) ||
      earlier.days.get(day) !== known.days.get(day) ||
      earlier.forgotten.get(day) !== known.forgotten.get(day),
  );
  return withUnreported(after, changed.map(dayRange));
}
