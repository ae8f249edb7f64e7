/**
 * The planner: pure functions from (state, capabilities, config, now) to the windows of a sync (W1 to W4, R1, R2, S3, S7).
 * Instants are milliseconds since 1970 on the provider's clock.
 */
import {
  completePass,
  coveredDays,
  emptyPass,
  type FullRefreshState,
  type IncrementalState,
  knownWithout,
  type SyncPass,
  type StreamState,
  readsFrom,
  withoutStale,
} from "./state.ts";
import { straysOfState } from "./awaited.ts";
import { dueDays, withDue } from "./due.ts";
import { type Limits, LIMITS } from "./limits.ts";
import { NOTHING_KNOWN, prune, withFirstChances } from "./known_days.ts";
import { type ProvisionalDay, underRetention } from "./provisional.ts";
import type { Reading } from "./reading.ts";
import { isWhole, type PlanInput, wholeMonths, windowsAgain, windowsOf } from "./plan_windows.ts";
import { type Bounds, boundsOf, cutOff } from "./plan_bounds.ts";
import { returned } from "./retention.ts";
import { planScrub, type Scrub } from "./scrub.ts";
import { ceilTo, DAY, floorTo, formatDay, monthStart } from "./time.ts";
import { clip, cut, dayRange, daysIn, overlaps, type Range, subtract, union } from "./window.ts";

export interface Plan<State> {
  /** The state at the start of the run. */
  readonly state: State;
  /** Readings that an earlier process began, in the order of time. */
  readonly resumed: readonly Reading[];
  /** Windows to read from their first page, in the order of time. */
  readonly windows: readonly Range[];
  /** Start of the re-read range before the position (R1). The position advances only after all of this range is read. */
  readonly rereadFrom: number;
  /** The earliest instant that the plan covers, and the end of all its windows. */
  readonly from: number;
  readonly end: number;
  /** `state.start` on completion; unchanged if an end date cuts the gap before it. */
  readonly start: number;
  /** The day of the deep re-read, to be recorded on completion (R2); null if none is due. */
  readonly reconciledOn: string | null;
  /** The progress of the scrub on completion (R7). */
  readonly scrub: Scrub | null;
  /** The range that this pass reads for the scrub (R7); null if none is due. */
  readonly slice: Range | null;
  /** Ranges that were due but have left retention (W3). */
  readonly lost: readonly Range[];
  /** Provisional costs that left retention before they were final (R2). */
  readonly lostProvisional: readonly ProvisionalDay[];
  /** The state's position lies in the future: the plan is empty and the state is kept (S1). */
  readonly positionInFuture: boolean;
}

export { type PlanInput, windowOfDay } from "./plan_windows.ts";

/** Start of the deep re-read of costs on the day of an instant. It goes back by months, because a correction carries its old charge period (R2). */
export function costsReconcileFrom(now: number): number {
  return monthStart(now, 2);
}

/** Start of usage's deep re-read, or of a configured one: `days` whole UTC days before the day of an instant (R2). */
export function reconcileFromDays(now: number, days: number): number {
  return floorTo(DAY, now) - days * DAY;
}

/**
 * The plan of an incremental sync. The order matters: first the state is clamped to today's bounds, then the ranges that are due
 * are collected, then the ranges that this pass has already read are subtracted. Only the rest is cut into windows.
 */
export function planIncremental(
  stored: IncrementalState | null,
  at: PlanInput,
  { dueWindows }: Pick<Limits, "dueWindows"> = LIMITS,
): Plan<IncrementalState> {
  const bounds = boundsOf(at, stored?.longestRetention);
  if (stored !== null && stored.position > at.now) return emptyPlan(stored);
  const { state, lost } =
    stored === null ? freshStart(at, bounds) : clampStored(stored, at, bounds);
  const { from, end, floor, keepFrom, longestRetention } = bounds;
  const rereadFrom = Math.max(from, floorTo(DAY, state.position - at.lookback));
  const isDeep = at.reconcileFrom !== null && state.reconciledOn !== formatDay(at.now);
  const { lostProvisional, provisional, left } = underRetention(state, bounds);
  const { slice, after } = scrubOf(state, at, { isDeep, from, rereadFrom });
  const within = { start: from, end };
  const { strays, awaited, coming } = straysOfState(state, at, { floor, keepFrom, within });
  const dueNow = union([...dueDays(state, at.reports), ...coming]);
  const again = windowsAgain(dueNow, state.known, within, at).slice(0, dueWindows);
  const deep = isDeep ? deepRanges(at, provisional, slice, end) : { due: [], stale: [] };
  const stale = [{ start: rereadFrom, end: state.position }, ...again, ...deep.stale];
  const pass = passOf(state, at, stale, bounds);
  const gap = { start: from, end: state.start };
  const ranges = clip([gap, { start: rereadFrom, end }, ...again, ...deep.due], within);
  // A day of which the pass has read a part is read whole: the part that is left would prove nothing, and lower the day's number (R8).
  const covered = pass.reads.flatMap((read) => coveredDays(read, at.bucket));
  const missing = wholeMonths(subtract(ranges, covered), within, at);
  const resumed = pass.open
    .filter((reading) => mayGoOn(reading, at))
    .filter((reading) => isWhole(reading, missing, at));
  const fewer = state.fewer.filter(({ day }) => day >= keepFrom);
  const shown = knownWithout(state, resumed);
  const known = withFirstChances(prune(shown, knownRange(resumed, keepFrom, at.now)));
  // Also ranges that this pass read on an earlier day: a row may have moved there since.
  const outdated = [...coming, ...subtract(state.pass?.reads ?? [], pass.reads)];
  const due = clip(withDue(state.due, outdated, at.now), { start: keepFrom, end: Infinity });
  const kept = {
    provisional,
    left,
    known,
    due,
    unreported: clip(state.unreported, { start: keepFrom, end: Infinity }),
    strays,
    fewer,
    awaited,
    longestRetention,
  };
  return {
    state: { ...state, ...kept, pass: { ...pass, open: resumed } },
    resumed,
    windows: windowsOf(subtract(missing, resumed), known, at),
    rereadFrom,
    from,
    end,
    start: end < state.start ? state.start : Math.min(from, state.start),
    reconciledOn: isDeep ? formatDay(at.now) : null,
    scrub: after,
    slice,
    lost,
    lostProvisional,
    positionInFuture: false,
  };
}

/**
 * R4: a process that reports may have begun this reading, and have reported it. Only a report takes such a proof back when other records
 * come under the same id, so that a sync without reports begins the window again.
 */
const mayGoOn = ({ isReported }: Reading, { reports }: PlanInput): boolean =>
  reports || !isReported;

/**
 * The days that stay known: from the retention floor to tomorrow, because the provider's clock may go back over midnight (R8). The days
 * of a resumed reading also stay known until the reading ends, even if the floor has passed them, because the reading has written no rows
 * of its known days.
 */
const knownRange = (resumed: readonly Reading[], floor: number, now: number): Range => ({
  start: Math.min(floor, ...resumed.map(({ start }) => floorTo(DAY, start))),
  end: Math.max(ceilTo(DAY, now) + DAY, ...resumed.map(({ end }) => ceilTo(DAY, end))),
});

/**
 * The ranges that are read once a day beside the lookback: R2 and the slice of R7. `stale`: those of them that a pass of an earlier day
 * reads again although it has read them.
 */
function deepRanges(
  at: PlanInput,
  provisional: readonly ProvisionalDay[],
  slice: Range | null,
  end: number,
): { readonly due: readonly Range[]; readonly stale: readonly Range[] } {
  const others = [
    ...provisional.map(({ day }) => dayRange(day)),
    ...(slice === null ? [] : [slice]),
  ];
  const staleFrom = at.staleFrom ?? at.reconcileFrom ?? end;
  return {
    due: [{ start: at.reconcileFrom ?? end, end }, ...others],
    stale: [{ start: staleFrom, end }, ...others],
  };
}

function scrubOf(
  { scrub, known }: IncrementalState,
  at: PlanInput,
  plan: { readonly isDeep: boolean; readonly from: number; readonly rereadFrom: number },
): ReturnType<typeof planScrub> {
  if (!plan.isDeep) return { slice: null, after: scrub };
  const end = floorTo(DAY, Math.min(at.reconcileFrom ?? plan.rereadFrom, plan.rereadFrom));
  return planScrub(scrub, {
    now: at.now,
    days: at.scrubDays,
    history: { start: plan.from, end },
    byMonth: at.byMonth,
    turn: at.byMonth ? 1 : 0,
    maximumWindowDays: at.maximumWindowDays,
    recordsOn: (day) => known.days.get(day)?.records ?? 0,
    pageSize: at.pageSize,
  });
}

function emptyPlan(state: IncrementalState): Plan<IncrementalState> {
  return {
    state,
    resumed: [],
    windows: [],
    rereadFrom: state.position,
    from: state.start,
    end: state.start,
    start: state.start,
    reconciledOn: null,
    scrub: state.scrub,
    slice: null,
    lost: [],
    lostProvisional: [],
    positionInFuture: true,
  };
}

interface Start {
  readonly state: IncrementalState;
  readonly lost: readonly Range[];
}

function freshStart(at: PlanInput, { earliestPosition, end, floor }: Bounds): Start {
  const state: IncrementalState = {
    mode: "incremental",
    chain: at.newChain,
    newestId: at.newestId,
    start: earliestPosition,
    position: earliestPosition,
    reconciledOn: null,
    provisional: [],
    known: NOTHING_KNOWN,
    due: [],
    unreported: [],
    longestRetention: at.retentionDays,
    left: [],
    strays: [],
    fewer: [],
    awaited: [],
    scrub: null,
    pass: null,
  };
  return {
    state,
    lost: at.startDate === null ? [] : cutOff(floorTo(DAY, at.startDate), end, floor),
  };
}

/**
 * A stored state under today's bounds. If the start date lies after the state's start, the state starts at that date; if the date
 * moves back later, the range between the two dates is a gap. If the floor or the start date lies after the position, the state
 * begins anew there. If no window was finished yet, an earlier start date is the new start: a gap before a position that has
 * never moved would hold the position there (S1).
 */
function clampStored(
  stored: IncrementalState,
  at: PlanInput,
  { earliestPosition, end, floor }: Bounds,
): Start {
  const wanted = at.startDate === null ? -Infinity : floorTo(DAY, at.startDate);
  const lost = [
    ...cutOff(Math.max(stored.position, wanted), end, floor),
    ...(at.startDate === null ? [] : cutOff(wanted, Math.min(stored.start, end), floor)),
  ];
  const isUnread = stored.position === stored.start && earliestPosition < stored.start;
  const begins = stored.position < earliestPosition || isUnread;
  const start = begins
    ? earliestPosition
    : Math.max(stored.start, Math.min(wanted, earliestPosition));
  const position = begins ? earliestPosition : stored.position;
  const chain = stored.chain === "" ? at.newChain : stored.chain;
  const due = union([...stored.due, ...returned(stored, at, { start, end: position })]);
  return { state: { ...stored, chain, start, position, due }, lost: union(lost) };
}

/**
 * The pass to resume. An interrupted pass of today stays as it is. A pass of an earlier day loses the ranges that today's re-reads
 * would read even if all earlier ones had been made, and its newest days, which may have changed since.
 */
function passOf(
  state: IncrementalState,
  at: PlanInput,
  rereads: readonly Range[],
  { from, end, keepFrom }: Bounds,
): SyncPass {
  const fresh = emptyPass(at.now, at.passBeganAt, at.earlierEnded && hasEndedBefore(state.pass));
  if (state.pass === null) return fresh;
  const sameDay = state.pass.day === fresh.day;
  const kept = sameDay ? state.pass : withoutStale(state.pass, rereads, at.lookback);
  const open = kept.open.filter((reading) => overlaps(reading, { start: from, end }));
  // A killed process may have reported days without a STATE behind them: they are no days of the new pass (R10).
  if (kept.reads.length + open.length === 0) return fresh;
  const resumed = open.map((reading) => ({ ...reading, resumed: true }));
  return { ...kept, day: fresh.day, reads: readsFrom(kept, keepFrom), open: resumed };
}

/**
 * P5: whether the last pass that was reported has ended. To be asked only if the stored pass was not reported. If the stored pass has no
 * window, this pass knows of the one before it.
 */
const hasEndedBefore = (pass: SyncPass | null): boolean =>
  pass === null || (pass.earlierEnded && pass.reads.length + pass.open.length === 0);

/**
 * The plan of a full refresh: the range that its first attempt froze, without the finished windows (S7). The plan ends at most
 * one day after today, because a wrong clock may have frozen a range that ends in thousands of years.
 */
export function planFullRefresh(
  stored: FullRefreshState | null,
  at: PlanInput,
): Plan<FullRefreshState> {
  const { floor, from, end } = boundsOf(at);
  const wanted = at.startDate === null ? from : floorTo(DAY, at.startDate);
  const state: FullRefreshState = stored ?? {
    mode: "full_refresh",
    chain: at.newChain,
    newestId: at.newestId,
    start: from,
    end: Math.max(from, end),
    done: false,
    pass: null,
  };
  const known = state.pass ?? emptyPass(at.now, at.passBeganAt, at.earlierEnded);
  const open = known.open.filter((reading) => mayGoOn(reading, at));
  const pass = { ...known, open: open.map((reading) => ({ ...reading, resumed: true })) };
  const missing = state.done ? [] : subtract([state], [...pass.reads, ...pass.open]);
  const ahead = ceilTo(DAY, at.now) + DAY;
  const unread = stored === null ? [{ start: wanted, end: state.end }] : missing;
  return {
    state: { ...state, chain: state.chain === "" ? at.newChain : state.chain, pass },
    resumed: state.done ? [] : pass.open,
    windows: windowsOf(
      clip(missing, { start: floor, end: Math.min(state.end, ahead) }),
      NOTHING_KNOWN,
      at,
    ),
    rereadFrom: state.start,
    from: state.start,
    end: state.end,
    start: state.start,
    reconciledOn: null,
    scrub: null,
    slice: null,
    lost: state.done ? [] : union(unread.flatMap((range) => cutOff(range.start, range.end, floor))),
    lostProvisional: [],
    positionInFuture: false,
  };
}

/** The state after all planned windows were read. */
export function completed(state: StreamState, plan: Plan<StreamState>): StreamState {
  return state.mode === "incremental"
    ? completePass(state, plan.start, plan)
    : { ...state, done: true, pass: null };
}

/** The windows that replace a window which begins again, under today's floor and limits (S4): one window if the limits allow. */
export function replan(window: Range, at: PlanInput): { windows: Range[]; lost: Range[] } {
  const { floor } = boundsOf(at);
  const left = clip([window], { start: floor, end: window.end });
  const isTooLong = left.some((range) => daysIn(range) > at.maximumWindowDays);
  return {
    windows: isTooLong ? cut(left, at.maximumWindowDays, 1) : left,
    lost: cutOff(window.start, window.end, floor),
  };
}

/**
 * W4: the window up to the last whole bucket, for a provider that refuses a window which reaches past now. Null if the window does
 * not reach past now; an empty list if it has no whole bucket.
 */
export function withoutFuture(window: Range, at: PlanInput): Range[] | null {
  if (window.end <= at.now) return null;
  return union([{ start: window.start, end: floorTo(at.bucket, at.now) }]);
}
