/** The range that a sync may read, from its capabilities and its config (W1, W3). Pure; instants are milliseconds on the provider's clock. */
import type { PlanInput } from "./plan_windows.ts";
import { MAXIMUM_RETENTION_DAYS, retentionFloor } from "./retention.ts";
import { ceilTo, DAY, floorTo } from "./time.ts";
import { type Range, union } from "./window.ts";

export interface Bounds {
  readonly floor: number;
  /**
   * The longest retention that a sync has seen, and its floor. The state keeps days from this floor on, because a retention that shrinks
   * may grow again.
   */
  readonly longestRetention: number;
  readonly keepFrom: number;
  /** The earliest instant to read: the later one of start date and floor. May lie in the future. */
  readonly from: number;
  readonly end: number;
  /** The earliest position: `from`, or today if `from` lies in the future. */
  readonly earliestPosition: number;
}

export function boundsOf(at: PlanInput, seenRetention = 0): Bounds {
  const floor = retentionFloor(at.now, at.retentionDays);
  const longestRetention = Math.min(
    Math.max(at.retentionDays, seenRetention),
    MAXIMUM_RETENTION_DAYS,
  );
  const keepFrom = retentionFloor(at.now, longestRetention);
  const wanted = at.startDate === null ? floor : floorTo(DAY, at.startDate);
  const today = ceilTo(at.bucket, at.now);
  // Hourly usage is read by whole days too: fewer hours of a day than before would look like withdrawn records (R6).
  const end = at.endDate === null ? today : Math.min(ceilTo(DAY, at.endDate), today);
  const from = Math.max(floor, wanted);
  const earliestPosition = Math.min(from, floorTo(DAY, at.now));
  return { floor, longestRetention, keepFrom, from, end, earliestPosition };
}

/** The part of a range that lies before the floor. */
export function cutOff(start: number, end: number, floor: number): Range[] {
  return union([{ start, end: Math.min(end, floor) }]);
}
