/** Checks that the plan of a state leaves nothing out, and that a state is the same when it is read back. */
import { isDeepStrictEqual } from "node:util";
import { retentionFloor } from "../../src/core/retention.ts";
import type { StreamState } from "../../src/core/state.ts";
import { DAY, ceilTo, floorTo } from "../../src/core/time.ts";
import type { StateInput, Taken } from "./states.ts";

/** The faults of the plan of a state. */
export function judgePlan({ state, plan, again }: Taken, { at }: StateInput): string[] {
  const faults: string[] = [];
  const { windows, resumed, positionInFuture } = plan;
  const floor = retentionFloor(at.now, at.retentionDays);
  for (const [index, { start, end }] of windows.entries()) {
    const before = windows[index - 1];
    if (!(start < end)) faults.push(`W1: an empty window at ${start}`);
    if (before !== undefined && before.end > start) faults.push(`W1: two windows at ${start}`);
    if (end - start > at.maximumWindowDays * DAY) faults.push(`W2: too long a window at ${start}`);
    if (end > at.now + 2 * DAY) faults.push(`S7: a window far ahead of now, up to ${end}`);
    if (start < floor) faults.push(`W3: a window before the floor at ${start}`);
    const overlap = resumed.find((reading) => reading.start < end && start < reading.end);
    if (overlap !== undefined) faults.push(`S3: ${start} is read and resumed`);
  }
  if (!positionInFuture && plan.state.mode === "incremental")
    faults.push(...gaps(plan, state, at, floor));
  if (!isDeepStrictEqual(again, plan.state))
    faults.push(`S3: ${JSON.stringify(plan.state)} is read back as ${JSON.stringify(again)}`);
  return faults;
}

/** R1: all days from position − lookback to the end are planned, or the pass that continues has read them already. */
function gaps(
  plan: Taken["plan"],
  stored: StreamState | null,
  at: StateInput["at"],
  floor: number,
): string[] {
  if (plan.state.mode !== "incremental") return [];
  const today = ceilTo(at.bucket, at.now);
  const end = at.endDate === null ? today : Math.min(ceilTo(at.bucket, at.endDate), today);
  const start = at.startDate === null ? floor : floorTo(DAY, at.startDate);
  const from = Math.max(floor, start, floorTo(DAY, plan.state.position - at.lookback));
  const reads = stored?.pass?.reads ?? [];
  const covered = [...plan.windows, ...plan.resumed, ...reads];
  const missing: string[] = [];
  for (let day = from; day < end; day += DAY) {
    if (!covered.some((range) => range.start <= day && day < range.end))
      missing.push(`R1: nothing reads ${new Date(day).toISOString()}`);
  }
  return missing;
}
