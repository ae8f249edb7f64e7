/**
 * How ranges that are due become windows (W1, W2): costs by whole calendar months, usage packed by pages. Pure; instants are
 * milliseconds since 1970.
 */
import type { KnownDays } from "./known_days.ts";
import { pack } from "./packing.ts";
import type { Reading } from "./reading.ts";
import { type Bucket, ceilTo, DAY, floorTo, monthStart, nextMonthStart } from "./time.ts";
import { clip, cut, dayRange, type Range, subtract } from "./window.ts";

/** The inputs of a stream's plan besides its state. */
export interface PlanInput {
  /** The provider's clock at the start of the sync. */
  readonly now: number;
  /** The beginning of a pass that this sync begins: no earlier pass that was reported has the same one (R5). */
  readonly passBeganAt: number;
  /** False if the states are new, or that of `export_windows` tells of a pass of the stream that has not ended (P5). */
  readonly earlierEnded: boolean;
  readonly bucket: Bucket;
  /** `retention_days` and `maximum_window_days` of the dataset, >= 1. */
  readonly retentionDays: number;
  readonly maximumWindowDays: number;
  /** `start_date` and `end_date` of the config. */
  readonly startDate: number | null;
  readonly endDate: number | null;
  /** The lookback (R1) in milliseconds: whole UTC days. */
  readonly lookback: number;
  /** The start of a deep re-read (R2); null if the deep re-read is turned off. */
  readonly reconcileFrom: number | null;
  /** A pass of an earlier UTC day reads its days from here on again, because of R2; by default the whole range of a deep re-read. */
  readonly staleFrom?: number | null;
  /** Whole days in which all retained history is compared once (R7); 0 turns it off. */
  readonly scrubDays: number;
  /** Requests at once, >= 1. */
  readonly lanes: number;
  /** Records of a page, >= 1. */
  readonly pageSize: number;
  /** Whether windows are whole calendar months if the dataset allows it (W2): true for costs. */
  readonly byMonth: boolean;
  /** The chain of a state that has none yet: five base-36 digits, drawn at random (R4). */
  readonly newChain: string;
  /** Whether the sync reports its readings, so that it reads the days again that no report tells of (R10). */
  readonly reports: boolean;
  /** The newest reading id of rows that are in the tables although there is no state (R4); null if there is none. */
  readonly newestId: string | null;
}

/** The number of windows that keeps the lanes busy to the end (W2). */
const windowsFor = (lanes: number): number => 4 * lanes;

/** Windows are whole months only if the dataset allows windows of this many days. */
const MONTH_DAYS = 31;

/** The window for reading a single day: for costs its calendar month (W2), for usage the day itself; within the bounds. */
export function windowOfDay(day: number, bounds: Range, at: PlanInput): Range | undefined {
  return wholeMonths([dayRange(day)], bounds, at)[0];
}

/**
 * Widens ranges of costs to whole calendar months within the bounds, because a provider that selects by containment returns a
 * monthly charge only in a window that contains the whole month (W2). Ranges of usage are only clipped.
 */
export function wholeMonths(ranges: readonly Range[], bounds: Range, at: PlanInput): Range[] {
  if (!at.byMonth || at.maximumWindowDays < MONTH_DAYS) return clip(ranges, bounds);
  const months = ranges.map((range) => ({
    start: monthStart(range.start),
    end: nextMonthStart(range.end - 1),
  }));
  return clip(months, bounds);
}

/**
 * Whether an open reading can be resumed: outside its window, nothing is missing of the same month (costs) or of the same day
 * (usage). Two readings of one month would both miss a monthly charge. Two readings of one day would leave rows of both ids.
 */
export function isWhole(reading: Reading, missing: readonly Range[], at: PlanInput): boolean {
  const isMonthly = at.byMonth && at.maximumWindowDays >= MONTH_DAYS;
  const unit = isMonthly
    ? { start: monthStart(reading.start), end: nextMonthStart(reading.end - 1) }
    : { start: floorTo(DAY, reading.start), end: ceilTo(DAY, reading.end) };
  return subtract(clip(missing, unit), [reading]).length === 0;
}

/** Cuts ranges into windows, in the order of time. */
export function windowsOf(ranges: readonly Range[], known: KnownDays, at: PlanInput): Range[] {
  const { maximumWindowDays: maximumDays, pageSize } = at;
  if (at.byMonth) return cut(ranges, maximumDays, 1);
  return pack(ranges, { known, pageSize, maximumDays, atLeast: windowsFor(at.lanes) });
}

/** The windows that read days again (R10), the earliest first. Every sync reads today anyway. */
export function windowsAgain(
  days: readonly Range[],
  known: KnownDays,
  bounds: Range,
  at: PlanInput,
): Range[] {
  const over = { start: bounds.start, end: Math.min(bounds.end, floorTo(DAY, at.now)) };
  return windowsOf(wholeMonths(clip(days, over), bounds, at), known, at);
}
