/** The days that a provider keeps (W3). Pure; instants are milliseconds since 1970 on the provider's clock. */
import type { PlanInput } from "./plan_windows.ts";
import { daysAbout, type Reading } from "./reading.ts";
import { coverageOf, type IncrementalState, type StreamState } from "./state.ts";
import { ceilTo, DAY, floorTo, HOUR } from "./time.ts";
import { clip, dayRange, type Range, subtract } from "./window.ts";

/** The first whole day at least an hour inside retention, so that it stays inside while a slow sync runs (W3). */
export function retentionFloor(now: number, retentionDays: number): number {
  return ceilTo(DAY, retentionEdge(now, retentionDays) + HOUR);
}

/** The most days of retention that a plan covers (L3): ten years. So a plan has 3,654 windows at most. */
export const MAXIMUM_RETENTION_DAYS = 3653;

/** The start of retention: the earliest instant that the provider keeps, not before 1970, at most ten years back (L3). */
export function retentionEdge(now: number, retentionDays: number): number {
  return Math.max(0, now - Math.min(retentionDays, MAXIMUM_RETENTION_DAYS) * DAY);
}

/**
 * The days that lie before the floor of a retention that was longer before. The state keeps what it knows of them, because retention may
 * grow again (W3). Empty if no sync has seen a longer retention.
 */
export function leftDays(now: number, retentionDays: number, longestRetention: number): Range {
  const end = retentionFloor(now, retentionDays);
  return { start: Math.min(end, retentionFloor(now, longestRetention)), end };
}

/**
 * The days that had left every retention so far, and that a longer retention shows again (W3). The state knows nothing of them, and
 * no gap before the start contains them, so they are due (R10). So is the first day that it knows, because no report has covered it (R5).
 */
export function returned(
  { longestRetention, known }: Pick<IncrementalState, "longestRetention" | "known">,
  at: Pick<PlanInput, "now" | "retentionDays">,
  read: Range,
): Range[] {
  if (longestRetention === 0 || at.retentionDays <= longestRetention) return [];
  const left = { start: 0, end: retentionFloor(at.now, longestRetention) };
  const floor = retentionFloor(at.now, at.retentionDays);
  const edges = known.ranges
    .slice(0, 1)
    .map(({ start }) => dayRange(floorTo(DAY, start)))
    .filter(({ start }) => floor < start && start <= left.end);
  return [
    ...subtract(clip([read], left), known.ranges),
    ...edges.flatMap((edge) => clip([edge], read)),
  ];
}

/**
 * The days of a reading that no report of this reading covers (R5), and that no later sync reads again because of R1. Some end behind the
 * available data, and lie before the position. Others lie near the retention floor, if retention was longer before, and may be so again.
 */
export function uncoveredDays(
  state: StreamState,
  reading: Reading,
  { bucket, retentionDays }: Pick<PlanInput, "bucket" | "retentionDays">,
  now: number,
): number[] {
  if (state.mode !== "incremental") return [];
  const { end } = coverageOf(reading, bucket);
  const from = retentionFloor(now, retentionDays) + DAY;
  const mayReturn = retentionDays < state.longestRetention;
  return daysAbout(reading).filter((day) =>
    day < from ? mayReturn : end < day + DAY && day + DAY <= state.position,
  );
}
