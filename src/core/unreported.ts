/**
 * Days that no report tells of (R10). The models know a day from its reports alone, so a day that a sync without `export_windows` has
 * read, or written again, is not proven. These days are not in the list of due days: only a sync that reports reads them again.
 */
import { dueDays } from "./due.ts";
import { hasChanged } from "./known_days.ts";
import { daysAbout, type Reading } from "./reading.ts";
import type { DayReport } from "./settle.ts";
import { type IncrementalState, knownOf, type KnownStray, type StreamState } from "./state.ts";
import { withoutContent } from "./stray_group.ts";
import { DAY } from "./time.ts";
import {
  dayRange,
  includes,
  intersect,
  type Range,
  rangesOf,
  subtract,
  union,
  wholeDays,
} from "./window.ts";

/** The state in which no report tells of these ranges, widened to whole days. A full refresh has no next sync. */
export function withUnreported(state: StreamState, ranges: readonly Range[]): StreamState {
  if (state.mode !== "incremental" || ranges.length === 0) return state;
  return { ...state, unreported: union([...state.unreported, ...ranges.map(wholeDays)]) };
}

export const hasUnreported = (state: StreamState): state is IncrementalState =>
  state.mode === "incremental" && state.unreported.length > 0;

/**
 * Whether reports tell of a day of which none has told since the day may have lost rows. The models then take the first of these reports
 * for the reading that found the loss, so that earlier readings of the pass prove nothing.
 *
 * @param reports null if there are none
 */
export function tellsLate(
  state: StreamState,
  reports: readonly Pick<DayReport, "day">[] | null,
): boolean {
  return (
    reports !== null &&
    hasUnreported(state) &&
    intersect(state.unreported, rangesOf(reports)).length > 0
  );
}

/**
 * The strays of a state that go on in a sync. No report has told of the reading that wrote a stray if none tells of its whole window: the
 * models cannot place its row. A sync that reports forgets the content of such strays, so that they are written and reported like new ones.
 * Their ids stand in place of it: the old rows stand until then. A stray without an id is forgotten.
 */
export function toldStrays(
  { strays, unreported }: Pick<IncrementalState, "strays" | "unreported">,
  reports: boolean,
): readonly KnownStray[] {
  if (!reports || unreported.length === 0) return strays;
  return strays.flatMap((stray) => {
    const { readingId, window } = stray;
    if (readingId === null || subtract([window], unreported).length > 0) return stray;
    return withoutContent(stray);
  });
}

/** A reading, as far as its report matters. */
interface Told {
  readonly reading: Reading;
  /** Null if the catalog does not select `export_windows`. A reading without totals is not reported either. */
  readonly reports: readonly Pick<DayReport, "day" | "confirmed">[] | null;
  /** The days of the reports that these do not cover (R5): a report tells nothing of them. */
  readonly uncovered: readonly number[];
  /** Whether a day has fewer rows than before, and the days that a later reading has still to prove. */
  readonly hasLost?: boolean;
  readonly waiting?: readonly number[];
  /** Whether the reading misses strays that were written. */
  readonly misses?: boolean;
  /** Days of which earlier syncs have not shown all rows (R11), so that the reports of those days prove nothing. */
  readonly lacking: readonly Range[];
}

/**
 * The state after a reading. If the reading is reported, its reports tell of their days. The models see a loss once more in the first
 * report that proves the day: so a day that may have lost rows, and that a later reading has to prove, counts as one that no report tells of.
 * If the reading is not reported, no report tells of those of its days that were unknown, due, not over or not shown whole before, or that
 * it has changed; and of none, if it misses strays.
 *
 * @param after the state after the reading, without its report
 */
export function afterReport(
  after: StreamState,
  before: StreamState,
  { reading, reports, hasLost = false, waiting = [], misses = false, lacking, uncovered }: Told,
): StreamState {
  if (after.mode !== "incremental") return after;
  if (reports !== null && reading.totals !== null) {
    const open = reports.filter(({ day, confirmed }) => !confirmed && waiting.includes(day));
    const told = reports.filter((one) => !uncovered.includes(one.day) && !open.includes(one));
    const state = hasUnreported(after)
      ? { ...after, unreported: subtract(after.unreported, rangesOf(told)) }
      : after;
    return hasLost ? withUnreported(state, rangesOf(open)) : state;
  }
  if (misses) return withUnreported(after, [reading]);
  const [known, earlier] = [after.known, knownOf(before)];
  const due = before.mode === "incremental" ? dueDays(before, false) : [];
  const position = before.mode === "incremental" ? before.position : Infinity;
  const untold = daysAbout(reading).filter(
    (day) =>
      hasChanged(earlier, known, day) ||
      includes(due, day) ||
      day + DAY > position ||
      includes(lacking, day),
  );
  return withUnreported(after, untold.map(dayRange));
}
