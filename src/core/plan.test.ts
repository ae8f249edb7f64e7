import fc from "fast-check";
import type { AwaitedStrays, KnownStray } from "./state.ts";
import { expect, test } from "vitest";
import {
  type PlanInput,
  costsReconcileFrom,
  type Plan,
  planFullRefresh,
  planIncremental,
  reconcileFromDays,
  replan,
  withoutFuture,
} from "./plan.ts";
import { retentionFloor } from "./retention.ts";
import {
  advance,
  emptyPass,
  completePass,
  finishWindow,
  type IncrementalState,
  keepOpen,
  settleReading,
} from "./state.ts";
import { forget, type KnownDays, learn, NOTHING_KNOWN } from "./known_days.ts";
import { beginReading, type PageFacts, type Reading, readPage } from "./reading.ts";
import { DAY, HOUR, monthStart, nextMonthStart } from "./time.ts";
import { dayRange, type Range, subtract, union } from "./window.ts";

const NOON = Date.UTC(2026, 5, 15, 12);
const TODAY = NOON - 12 * HOUR;

function atNoon(changes: Partial<PlanInput> = {}): PlanInput {
  return {
    now: NOON,
    passBeganAt: NOON + 7,
    earlierEnded: true,
    bucket: DAY,
    retentionDays: 90,
    maximumWindowDays: 31,
    startDate: TODAY - 30 * DAY,
    endDate: null,
    lookback: 2 * DAY,
    reconcileFrom: TODAY - 7 * DAY,
    scrubDays: 0,
    lanes: 1,
    pageSize: 1000,
    byMonth: false,
    reports: true,
    newChain: "abcde",
    newestId: null,
    ...changes,
  };
}

/** A state that has read everything up to yesterday midnight and made today's deep re-read. */
const settled: IncrementalState = {
  mode: "incremental",
  chain: "abcde",
  newestId: null,
  start: TODAY - 30 * DAY,
  position: TODAY,
  reconciledOn: "2026-06-15",
  provisional: [],
  known: NOTHING_KNOWN,
  due: [],
  unreported: [],
  longestRetention: 0,
  left: [],
  fewer: [],
  awaited: [],
  strays: [],
  scrub: null,
  pass: null,
};

/** The facts of a page without records. */
const NOTHING: Omit<PageFacts, "nextCursor" | "asOf" | "availableThrough" | "records"> = {
  provisional: [],
  totals: [],
  digests: [],
  incomplete: [],
  hasStrays: false,
  standing: [],
};

const covered = ({ windows, resumed }: Plan<unknown>): Range[] => union([...windows, ...resumed]);

/** The state after a window was read to its end. */
function read(
  state: IncrementalState,
  window: Range,
  at: PlanInput,
  { rereadFrom }: Pick<Plan<unknown>, "rereadFrom">,
  availableThrough = at.now,
): IncrementalState {
  const reading = beginReading(window, {
    id: `r${window.start}`,
    limit: 1,
    beganAt: at.now,
    withTotals: false,
  });
  const page = {
    nextCursor: null,
    asOf: "",
    availableThrough,
    records: 0,
    ...NOTHING,
  };
  const complete = readPage(reading, page, at.now);
  const afterReading = settleReading(
    state,
    complete,
    { known: NOTHING_KNOWN, shrunk: [], doubtful: [], rewrites: [] },
    at.now,
  );
  return advance(finishWindow(afterReading, complete, at.now), rereadFrom, at.bucket);
}

/** A reading that stands between two pages. */
function opened(window: Range, at: PlanInput): Reading {
  const reading = beginReading(window, {
    id: `o${window.start}`,
    limit: 1,
    beganAt: at.now,
    withTotals: false,
  });
  const page = {
    nextCursor: "c",
    asOf: "",
    availableThrough: at.now,
    records: 1,
    ...NOTHING,
  };
  return readPage(reading, page, at.now);
}

function readAll(stored: IncrementalState | null, at: PlanInput): IncrementalState {
  const plan = planIncremental(stored, at);
  const state = plan.windows.reduce((known, window) => read(known, window, at, plan), plan.state);
  return completePass(state, plan.start, plan);
}

test("W3: the floor is the first whole day at least an hour inside retention", () => {
  expect(retentionFloor(NOON, 1)).toBe(TODAY);
  expect(retentionFloor(TODAY + 22 * HOUR, 1)).toBe(TODAY);
  expect(retentionFloor(TODAY + 23 * HOUR, 1)).toBe(TODAY);
  expect(retentionFloor(TODAY + 23 * HOUR + 1, 1)).toBe(TODAY + DAY);
  expect(retentionFloor(TODAY - HOUR, 90)).toBe(TODAY - 90 * DAY);
  expect(retentionFloor(Date.UTC(1975, 0, 1), Number.MAX_SAFE_INTEGER)).toBe(DAY);
});

test("W3: a plan begins at the start date or the floor, and what the floor cuts off is named", () => {
  const within = planIncremental(null, atNoon());
  expect(covered(within)).toEqual([{ start: TODAY - 30 * DAY, end: TODAY + DAY }]);
  expect(within.lost).toEqual([]);
  const before = planIncremental(null, atNoon({ retentionDays: 10 }));
  expect(covered(before)[0]?.start).toBe(TODAY - 9 * DAY);
  expect(before.lost).toEqual([{ start: TODAY - 30 * DAY, end: TODAY - 9 * DAY }]);
  expect(planIncremental(null, atNoon({ startDate: null, retentionDays: 10 })).lost).toEqual([]);
});

test("W3: a position that has fallen behind the floor is named, and reading goes on at the floor", () => {
  const stored = { ...settled, position: TODAY - 20 * DAY };
  const plan = planIncremental(stored, atNoon({ retentionDays: 10 }));
  expect(plan.lost).toEqual([{ start: TODAY - 20 * DAY, end: TODAY - 9 * DAY }]);
  expect(plan.state).toMatchObject({ start: TODAY - 9 * DAY, position: TODAY - 9 * DAY });
});

test("W3: a window that has left retention is read from the floor on, the rest is named", () => {
  const window = { start: TODAY - 12 * DAY, end: TODAY - 8 * DAY };
  expect(replan(window, atNoon({ retentionDays: 10 }))).toEqual({
    windows: [{ start: TODAY - 9 * DAY, end: TODAY - 8 * DAY }],
    lost: [{ start: TODAY - 12 * DAY, end: TODAY - 9 * DAY }],
  });
});

test("W3: a start date moved to earlier names the part of the gap that has left retention", () => {
  const plan = planIncremental(settled, atNoon({ startDate: TODAY - 40 * DAY, retentionDays: 35 }));
  expect(plan.lost).toEqual([{ start: TODAY - 40 * DAY, end: TODAY - 34 * DAY }]);
});

test("W3: a full refresh names what has left retention, also between its attempts", () => {
  const short = atNoon({ retentionDays: 10 });
  const first = planFullRefresh(null, short);
  expect(first.lost).toEqual([{ start: TODAY - 30 * DAY, end: TODAY - 9 * DAY }]);
  const begun = planFullRefresh(null, atNoon()).state;
  expect(planFullRefresh(begun, short).lost).toEqual(first.lost);
  expect(planFullRefresh({ ...begun, done: true }, short).lost).toEqual([]);
});

test("W4: the end is now rounded up to a whole bucket, or the end date rounded up to a whole day", () => {
  expect(covered(planIncremental(null, atNoon()))[0]?.end).toBe(TODAY + DAY);
  const hourly = atNoon({ bucket: HOUR, now: NOON + 1 });
  expect(covered(planIncremental(null, hourly))[0]?.end).toBe(NOON + HOUR);
  const ended = atNoon({ endDate: TODAY - 3 * DAY });
  expect(covered(planIncremental(null, ended))[0]?.end).toBe(TODAY - 3 * DAY);
  const within = atNoon({ bucket: HOUR, endDate: TODAY - 3 * DAY + 1 });
  expect(covered(planIncremental(null, within))[0]?.end).toBe(TODAY - 2 * DAY);
  const future = atNoon({ endDate: TODAY + 30 * DAY });
  expect(covered(planIncremental(null, future))[0]?.end).toBe(TODAY + DAY);
});

test("W4: only a window that reaches past now is shortened", () => {
  expect(withoutFuture({ start: TODAY - DAY, end: TODAY }, atNoon())).toBeNull();
  expect(withoutFuture({ start: TODAY - DAY, end: TODAY + DAY }, atNoon())).toEqual([
    { start: TODAY - DAY, end: TODAY },
  ]);
  expect(withoutFuture({ start: TODAY, end: TODAY + DAY }, atNoon())).toEqual([]);
});

test("R5 R10: a pass begins at an instant of its own, and a sync that goes on with the pass keeps this instant", () => {
  const begun = planIncremental(settled, atNoon()).state;
  expect(begun.pass).toMatchObject({ beganAt: NOON + 7, day: "2026-06-15" });
  const later = atNoon({ now: NOON + HOUR, passBeganAt: NOON + HOUR });
  const range = { start: TODAY - 5 * DAY, end: TODAY - 4 * DAY };
  const resumed = finishWindow(begun, { ...range, availableThrough: NOON }, NOON);
  expect(planIncremental(resumed, later).state.pass?.beganAt).toBe(NOON + 7);
  // R10: a pass of which no state knows a window may have reported days. They are no days of the next pass.
  expect(planIncremental(begun, later).state.pass?.beganAt).toBe(NOON + HOUR);
  expect(planFullRefresh(null, atNoon()).state.pass?.beganAt).toBe(NOON + 7);
});

test("P5: a pass knows whether the one before it has ended; a pass that was given up has not", () => {
  const endedBefore = ({ state }: Pick<ReturnType<typeof planIncremental>, "state">): unknown =>
    state.pass?.earlierEnded;
  const unknown = atNoon({ earlierEnded: false });
  const first = planIncremental(settled, atNoon());
  expect(endedBefore(first)).toBe(true);
  expect(endedBefore(planIncremental(settled, unknown))).toBe(false);
  const range = { start: TODAY - 5 * DAY, end: TODAY - 4 * DAY };
  const resumed = finishWindow(first.state, { ...range, availableThrough: NOON }, NOON);
  expect(endedBefore(planIncremental(resumed, unknown))).toBe(true);
  const today = { start: TODAY, end: TODAY + DAY, availableThrough: NOON };
  const givenUp = finishWindow(first.state, today, NOON);
  const replaced = planIncremental(givenUp, atNoon({ now: NOON + DAY })).state.pass;
  expect(replaced).toMatchObject({ reads: [], earlierEnded: false });
  expect(planFullRefresh(null, atNoon()).state.pass?.earlierEnded).toBe(true);
  expect(planFullRefresh(null, unknown).state.pass?.earlierEnded).toBe(false);
});

test("P5: a pass in place of one that has shown no window knows what that one knew of the pass before it", () => {
  const next = ({ state }: { readonly state: IncrementalState }, at = atNoon()): unknown =>
    planIncremental(state, at).state.pass?.earlierEnded;
  const first = planIncremental(settled, atNoon());
  const unknown = atNoon({ earlierEnded: false });
  expect(next(first)).toBe(true);
  expect(next(first, unknown)).toBe(false);
  expect(next(planIncremental(settled, unknown))).toBe(false);
});

test("R1: a sync re-reads from position − lookback, on whole days", () => {
  expect(covered(planIncremental(settled, atNoon()))).toEqual([
    { start: TODAY - 2 * DAY, end: TODAY + DAY },
  ]);
  expect(covered(planIncremental(settled, atNoon({ lookback: 0 })))).toEqual([
    { start: TODAY, end: TODAY + DAY },
  ]);
  const hourly = { ...settled, position: NOON - 3 * HOUR };
  expect(planIncremental(hourly, atNoon({ bucket: HOUR })).rereadFrom).toBe(TODAY - 2 * DAY);
});

test("R1 S6: idle syncs leave the state as it is: lookback is subtracted in the plan only", () => {
  let state = readAll(null, atNoon());
  for (const later of [1, 2, 3, 4, 5]) {
    const next = readAll(state, atNoon({ now: NOON + later }));
    expect(next).toEqual(state);
    state = next;
  }
  expect(state.position).toBe(TODAY);
});

test("R2: the deep re-read is due once a UTC day, a first sync counts, 0 turns it off", () => {
  expect(planIncremental(null, atNoon()).reconciledOn).toBe("2026-06-15");
  expect(planIncremental(settled, atNoon()).reconciledOn).toBeNull();
  const tomorrow = atNoon({ now: NOON + DAY, reconcileFrom: TODAY - 6 * DAY });
  const plan = planIncremental(settled, tomorrow);
  expect(plan.reconciledOn).toBe("2026-06-16");
  expect(covered(plan)[0]?.start).toBe(TODAY - 6 * DAY);
  const off = planIncremental(settled, { ...tomorrow, reconcileFrom: null });
  expect(off.reconciledOn).toBeNull();
  expect(covered(off)[0]?.start).toBe(TODAY - 2 * DAY);
});

test("R2: usage is re-read by days, costs by calendar months", () => {
  expect(reconcileFromDays(NOON, 7)).toBe(TODAY - 7 * DAY);
  expect(costsReconcileFrom(NOON)).toBe(Date.UTC(2026, 3, 1));
  expect(costsReconcileFrom(Date.UTC(2026, 0, 31, 23))).toBe(Date.UTC(2025, 10, 1));
});

test("R2: days with provisional costs are re-read however old, until they leave retention", () => {
  const day = (back: number) => ({ day: TODAY - back * DAY, records: 2, billed: { USD: "1.5" } });
  const stored = {
    ...settled,
    start: TODAY - 80 * DAY,
    reconciledOn: null,
    provisional: [day(95), day(60), day(25)],
  };
  const plan = planIncremental(stored, atNoon({ startDate: null }));
  expect(plan.lostProvisional).toEqual([day(95)]);
  expect(plan.state.provisional).toEqual([day(60), day(25)]);
  for (const back of [60, 25]) {
    const start = TODAY - back * DAY;
    expect(subtract([{ start, end: start + DAY }], covered(plan))).toEqual([]);
  }
});

test("S1: a position ahead of now reads nothing and is kept", () => {
  const future = { ...settled, position: TODAY + 5 * DAY };
  expect(planIncremental(future, atNoon())).toMatchObject({
    windows: [],
    resumed: [],
    positionInFuture: true,
    state: future,
  });
});

test("S3: a start date moved to earlier plans the gap; to later, what was read counts from there", () => {
  const earlier = planIncremental(settled, atNoon({ startDate: TODAY - 40 * DAY }));
  expect(covered(earlier)[0]).toEqual({ start: TODAY - 40 * DAY, end: TODAY - 30 * DAY });
  expect(readAll(settled, atNoon({ startDate: TODAY - 40 * DAY })).start).toBe(TODAY - 40 * DAY);
  const later = readAll(settled, atNoon({ startDate: TODAY - 10 * DAY }));
  expect(later).toMatchObject({ start: TODAY - 10 * DAY, position: TODAY });
  const back = planIncremental(later, atNoon());
  expect(covered(back)[0]).toEqual({ start: TODAY - 30 * DAY, end: TODAY - 10 * DAY });
});

test("S3 R1: on a later day a reading of data that had only just become available begins again", () => {
  const at = atNoon({ reconcileFrom: null, lookback: DAY });
  const window = { start: TODAY - 3 * DAY, end: TODAY - 2 * DAY };
  const begun = (availableThrough: number): Reading => ({
    ...opened(window, at),
    availableThrough,
  });
  const resumed = (reading: Reading, now: number) => {
    const pass = { ...emptyPass(NOON), open: [reading] };
    const stored = { ...settled, position: TODAY - 10 * DAY, pass };
    return planIncremental(stored, { ...at, now }).resumed;
  };
  expect(resumed(begun(window.end), NOON)).toHaveLength(1);
  expect(resumed(begun(window.end), NOON + DAY)).toEqual([]);
  expect(resumed(begun(window.end + DAY - 1), NOON + DAY)).toEqual([]);
  expect(resumed(begun(window.end + DAY), NOON + DAY)).toHaveLength(1);
});

test("R2 S3: on a later day a pass keeps the days that no deep re-read since would have read again", () => {
  const finished = { start: TODAY - 20 * DAY, end: TODAY - 2 * DAY, availableThrough: TODAY };
  const pass = { ...emptyPass(NOON - DAY), reads: [finished] };
  const stored = { ...settled, position: TODAY - 20 * DAY, reconciledOn: "2026-05-20", pass };
  const at = atNoon({ reconcileFrom: TODAY - 32 * DAY, lookback: DAY });
  const [first, next] = covered(planIncremental(stored, { ...at, staleFrom: TODAY - 7 * DAY }));
  expect([first, next]).toEqual([
    { start: TODAY - 30 * DAY, end: TODAY - 20 * DAY },
    { start: TODAY - 7 * DAY, end: TODAY + DAY },
  ]);
  expect(covered(planIncremental(stored, at))).toEqual([
    { start: TODAY - 30 * DAY, end: TODAY + DAY },
  ]);
});

test("R8: a reading that a later day does not go on with leaves its numbers of records", () => {
  const at = atNoon({ reconcileFrom: null, lookback: DAY });
  const window = { start: TODAY - 3 * DAY, end: TODAY - 2 * DAY };
  const digests = [{ day: window.start, records: 20, digest: "1".repeat(24) }];
  const pass = {
    ...emptyPass(NOON),
    open: [{ ...opened(window, at), availableThrough: window.end, digests }],
  };
  const stored = { ...settled, position: TODAY - 10 * DAY, pass };
  const numbers = (now: number): (number | undefined)[] => {
    const { resumed, state } = planIncremental(stored, { ...at, now });
    return [resumed.length, state.known.inPart.get(window.start)];
  };
  expect(numbers(NOON)).toEqual([1, undefined]);
  expect(numbers(NOON + DAY)).toEqual([0, 20]);
});

test("S3: a gap that an end date leaves out in part stays a gap", () => {
  const wide = atNoon({ startDate: TODAY - 40 * DAY, reconcileFrom: null });
  const cut = readAll(settled, { ...wide, endDate: TODAY - 35 * DAY });
  expect(cut).toMatchObject({ start: TODAY - 30 * DAY, position: TODAY });
  const after = planIncremental(cut, wide);
  expect(covered(after)[0]).toEqual({ start: TODAY - 40 * DAY, end: TODAY - 30 * DAY });
  expect(readAll(cut, wide)).toMatchObject({ start: TODAY - 40 * DAY, position: TODAY });
});

test("S1: a start date moved to earlier, where nothing had been finished, is the new start", () => {
  const stored = { ...settled, start: TODAY, position: TODAY };
  const at = atNoon({ startDate: TODAY - 40 * DAY, lookback: 0, reconcileFrom: null });
  const plan = planIncremental(stored, at);
  expect(plan.state).toMatchObject({ start: TODAY - 40 * DAY, position: TODAY - 40 * DAY });
  expect(covered(plan)).toEqual([{ start: TODAY - 40 * DAY, end: TODAY + DAY }]);
});

test("S3: an interrupted pass goes on the same day; what is re-read anyway begins again on another", () => {
  const at = atNoon();
  const plan = planIncremental(settled, { ...at, reconcileFrom: null });
  const [first, second] = plan.windows;
  if (first === undefined || second === undefined) throw new Error("two windows are planned");
  const open = opened(second, at);
  const stored = keepOpen(read(plan.state, first, at, plan), open, at.now);
  const sameDay = planIncremental(stored, { ...at, now: NOON + HOUR });
  expect(sameDay.resumed).toEqual([{ ...open, resumed: true }]);
  expect(subtract([first], sameDay.windows)).toEqual([first]);
  const nextDay = planIncremental(stored, { ...at, now: NOON + DAY });
  expect(nextDay.resumed).toEqual([]);
  expect(subtract([first, second], nextDay.windows)).toEqual([]);
});

test("S1: of a window that was read, the part whose data was not available yet is read again by the pass that goes on", () => {
  const range = { start: TODAY - 20 * DAY, end: TODAY - 10 * DAY };
  const stored = (availableThrough: number): IncrementalState => ({
    ...settled,
    position: range.start,
    pass: { ...emptyPass(NOON), reads: [{ ...range, availableThrough }] },
  });
  const at = atNoon({ lookback: 0 });
  const rest = { start: TODAY - 15 * DAY, end: range.end };
  expect(subtract([rest], planIncremental(stored(rest.start + HOUR), at).windows)).toEqual([]);
  expect(subtract([rest], planIncremental(stored(range.end), at).windows)).toEqual([rest]);
});

test("R8: a day of which the pass has read only the later part is read whole", () => {
  const at = atNoon({ lookback: 0, bucket: HOUR });
  const [start, end] = [TODAY - 5 * DAY, TODAY - 4 * DAY];
  const reads = [18, 20].map((hour) => ({
    start: start + hour * HOUR,
    end: hour === 18 ? start + 19 * HOUR : end,
    availableThrough: NOON,
  }));
  const stored = { ...settled, position: start + 18 * HOUR, pass: { ...emptyPass(NOON), reads } };
  expect(subtract([{ start, end }], covered(planIncremental(stored, at)))).toEqual([]);
});

test("S1: what an earlier attempt read holds the position back to where its data went", () => {
  const at = atNoon({ lookback: 0, reconcileFrom: null, maximumWindowDays: 5 });
  const first = planIncremental(null, at);
  const [failed, ...others] = first.windows;
  if (failed === undefined) throw new Error("a window is planned");
  const left = others.reduce((state, window) => read(state, window, at, first), first.state);
  expect(left.position).toBe(TODAY - 30 * DAY);
  const later = { ...at, now: NOON + 4 * DAY };
  const second = planIncremental(left, later);
  expect(second.windows.some((window) => window.start === others[1]?.start)).toBe(false);
  const done = second.windows.reduce(
    (state, window) => read(state, window, later, second),
    second.state,
  );
  expect(done.position).toBe(TODAY);
});

test("S1: a provider that names just each window's end is taken at its word for the whole", () => {
  const at = atNoon({ endDate: TODAY });
  const plan = planIncremental(null, at);
  const state = plan.windows.reduce(
    (known, window) => read(known, window, at, plan, window.end),
    plan.state,
  );
  expect(state.position).toBe(TODAY);
});

test("S7: a full refresh keeps the range that its first attempt froze", () => {
  const at = atNoon();
  const first = planFullRefresh(null, at);
  expect(covered(first)).toEqual([{ start: TODAY - 30 * DAY, end: TODAY + DAY }]);
  const later = planFullRefresh(first.state, { ...at, now: NOON + 3 * DAY });
  expect(covered(later)).toEqual(covered(first));
  expect(planFullRefresh({ ...first.state, done: true }, at).windows).toEqual([]);
});

test("S7: a full refresh that was frozen far ahead of now ends a day beyond today", () => {
  const at = atNoon();
  const { state } = planFullRefresh(null, at);
  const plan = planFullRefresh({ ...state, end: TODAY + 8000 * 365 * DAY }, at);
  expect(covered(plan)).toEqual([{ start: TODAY - 30 * DAY, end: TODAY + 2 * DAY }]);
});

test("S1 S3: any order of windows, any kill, any resume reads every day that was due, and never goes back", () => {
  const sync = fc.record({
    hours: fc.integer({ min: 1, max: 60 }),
    order: fc.array(fc.nat(99), { maxLength: 40 }),
    lag: fc.integer({ min: 0, max: 90 }),
  });
  fc.assert(
    fc.property(fc.array(sync, { minLength: 1, maxLength: 8 }), (syncs) => {
      let stored: IncrementalState | null = null;
      let now = NOON;
      const seen: Range[] = [];
      for (const { hours, order, lag } of syncs) {
        now += hours * HOUR;
        const at = atNoon({ now, maximumWindowDays: 4, startDate: TODAY - 20 * DAY });
        const plan: Plan<IncrementalState> = planIncremental(stored, at);
        let state: IncrementalState = plan.state;
        const waiting = [...plan.windows];
        for (const pick of order) {
          const [window] = waiting.splice(pick % Math.max(1, waiting.length), 1);
          if (window === undefined) break;
          state = read(state, window, at, plan, now - lag * HOUR);
          seen.push({ start: window.start, end: Math.min(window.end, now - lag * HOUR) });
        }
        expect(state.position).toBeGreaterThanOrEqual(stored?.position ?? 0);
        expect(state.position).toBeLessThanOrEqual(now);
        stored = waiting.length === 0 ? completePass(state, plan.start, plan) : state;
        const promised = [{ start: stored.start, end: stored.position }];
        expect(subtract(promised, seen)).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
});

test("L3: a plan reaches ten years back at most, whatever retention a provider claims", () => {
  const at = atNoon({ retentionDays: 1e15, maximumWindowDays: 1, startDate: null, lanes: 16 });
  for (const { windows } of [planIncremental(null, at), planFullRefresh(null, at)]) {
    expect(windows.length).toBeLessThanOrEqual(20_000);
    expect(windows[0]?.start).toBeGreaterThanOrEqual(NOON - 3653 * DAY);
    expect(windows.at(-1)?.end).toBe(TODAY + DAY);
  }
  const early = atNoon({ retentionDays: 1e15, startDate: 0 });
  expect(planIncremental(null, early).lost).toEqual([
    { start: 0, end: retentionFloor(NOON, 3653) },
  ]);
});

test.each([1, 2, 6])(
  "W2: unknown days of usage are cut into four windows for each lane, here for %d",
  (lanes) => {
    const range = { startDate: Date.UTC(2026, 4, 1), endDate: Date.UTC(2026, 4, 25) };
    const { windows } = planIncremental(null, atNoon({ ...range, lanes }));
    expect(windows).toHaveLength(4 * lanes);
  },
);

test("W2: costs are read by whole calendar months within the bounds, where a window of 31 days is allowed", () => {
  const at = atNoon({
    byMonth: true,
    startDate: TODAY - 80 * DAY,
    reconcileFrom: monthStart(NOON, 2),
  });
  const stored = { ...settled, start: TODAY - 80 * DAY, reconciledOn: null };
  expect(planIncremental(stored, at).windows).toEqual([
    { start: Date.UTC(2026, 3, 1), end: Date.UTC(2026, 4, 1) },
    { start: Date.UTC(2026, 4, 1), end: Date.UTC(2026, 5, 1) },
    { start: Date.UTC(2026, 5, 1), end: TODAY + DAY },
  ]);
  const done = { ...stored, reconciledOn: "2026-06-15" };
  const june = { start: Date.UTC(2026, 5, 1), end: TODAY + DAY };
  expect(planIncremental(done, at).windows).toEqual([june]);
  const cut = { ...at, startDate: Date.UTC(2026, 3, 10) };
  expect(planIncremental(stored, cut).windows[0]?.start).toBe(Date.UTC(2026, 3, 10));
  const short = planIncremental(
    { ...stored, reconciledOn: "2026-06-15" },
    { ...at, maximumWindowDays: 30 },
  );
  expect(short.windows).toEqual([{ start: TODAY - 2 * DAY, end: TODAY + DAY }]);
});

test("W2: whatever is due, a month of costs is read whole and in one window", () => {
  fc.assert(
    fc.property(
      fc.nat(60),
      fc.nat(70),
      fc.nat(10),
      fc.boolean(),
      (position, start, lookback, isDeep) => {
        const at = atNoon({
          byMonth: true,
          startDate: TODAY - start * DAY,
          lookback: lookback * DAY,
          reconcileFrom: isDeep ? monthStart(NOON, 2) : null,
        });
        const from = TODAY - Math.min(start, position) * DAY;
        const stored = {
          ...settled,
          start: from,
          position: TODAY - position * DAY,
          reconciledOn: null,
        };
        const plan = planIncremental(stored, at);
        const bounds = { start: plan.from, end: TODAY + DAY };
        for (const window of plan.windows) {
          expect(window.start).toBe(Math.max(monthStart(window.start), bounds.start));
          expect(window.end).toBe(Math.min(nextMonthStart(window.start), bounds.end));
        }
      },
    ),
  );
});

test("S3 W2: an open reading of costs is dropped where something else of its month is missing", () => {
  const at = atNoon({
    byMonth: true,
    startDate: Date.UTC(2026, 4, 1),
    lookback: 0,
    reconcileFrom: null,
  });
  const may = { start: Date.UTC(2026, 4, 1), end: Date.UTC(2026, 5, 1) };
  const part = { start: may.start + 9 * DAY, end: may.end };
  const resumedOf = (window: Range) => {
    const pass = { ...emptyPass(NOON), open: [opened(window, at)] };
    return planIncremental({ ...settled, start: may.start, position: may.start, pass }, at);
  };
  expect(resumedOf(may).resumed).toHaveLength(1);
  const dropped = resumedOf(part);
  expect(dropped.resumed).toEqual([]);
  expect(dropped.state.pass?.open).toEqual([]);
  expect(dropped.windows[0]).toEqual(may);
});

test("R4: a sync without `export_windows` begins a window again that a process which reports has half read", () => {
  const at = atNoon({ lookback: 0, reconcileFrom: null });
  const window = { start: TODAY, end: TODAY + DAY };
  const plansOf = (withTotals: boolean, reports: boolean): Plan<unknown>[] => {
    const start = { id: "r", beganAt: NOON, limit: 5, withTotals };
    const { isReported } = beginReading(window, start);
    const pass = { ...emptyPass(NOON), open: [{ ...opened(window, at), isReported }] };
    const whole = planFullRefresh(null, { ...at, startDate: TODAY }).state;
    return [
      planIncremental({ ...settled, pass }, { ...at, reports }),
      planFullRefresh({ ...whole, pass }, { ...at, reports }),
    ];
  };
  for (const { resumed } of [
    ...plansOf(true, true),
    ...plansOf(false, false),
    ...plansOf(false, true),
  ])
    expect(resumed).toHaveLength(1);
  for (const { resumed, windows } of plansOf(true, false)) {
    expect(resumed).toEqual([]);
    expect(subtract([window], windows)).toEqual([]);
  }
});

test("S3 W1: an open reading of hours that ends inside a day is dropped once the clock has gone past that end", () => {
  const at = atNoon({ bucket: HOUR, lookback: 0, reconcileFrom: null, endDate: null });
  const window = { start: TODAY, end: NOON };
  const stored = { ...settled, pass: { ...emptyPass(NOON), open: [opened(window, at)] } };
  expect(planIncremental(stored, at).resumed).toHaveLength(1);
  const later = planIncremental(stored, { ...at, now: NOON + HOUR });
  expect(later.resumed).toEqual([]);
  expect(later.windows).toEqual([{ start: TODAY, end: NOON + HOUR }]);
});

test("S4 W1: a window that begins again stays whole where the limits allow, also across the start of a month", () => {
  const at = atNoon({ startDate: null, retentionDays: 90, maximumWindowDays: 31 });
  const window = { start: TODAY - 20 * DAY, end: TODAY };
  expect(replan(window, at)).toEqual({ windows: [window], lost: [] });
  const halves = replan(window, { ...at, maximumWindowDays: 15 }).windows;
  expect(halves.length).toBeGreaterThan(1);
  expect(union(halves)).toEqual([window]);
});

test("R7: the slice of the scrub is read with the deep re-read, and only with it", () => {
  const at = atNoon({ scrubDays: 1 });
  const due = planIncremental({ ...settled, reconciledOn: "2026-06-14" }, at);
  expect(due.slice).toEqual({ start: TODAY - 30 * DAY, end: TODAY - 7 * DAY });
  expect(covered(due)).toEqual([{ start: TODAY - 30 * DAY, end: TODAY + DAY }]);
  expect(readAll({ ...settled, reconciledOn: "2026-06-14" }, at).scrub).toEqual({
    began: TODAY + DAY,
    through: TODAY - 30 * DAY,
  });
  const scrub = { began: TODAY - 3 * DAY, through: TODAY - 20 * DAY };
  const done = planIncremental({ ...settled, scrub }, at);
  expect(done).toMatchObject({ slice: null, scrub });
  expect(covered(done)).toEqual([{ start: TODAY - 2 * DAY, end: TODAY + DAY }]);
  expect(planIncremental({ ...settled, reconciledOn: null }, atNoon()).slice).toBeNull();
});

test("R9: a state without a chain gets the new one, and a chain stays", () => {
  const at = atNoon({ newChain: "fresh" });
  expect(planIncremental(null, at).state.chain).toBe("fresh");
  expect(planIncremental({ ...settled, chain: "" }, at).state.chain).toBe("fresh");
  expect(planIncremental({ ...settled, chain: "first" }, at).state.chain).toBe("first");
  const refresh = planFullRefresh(null, at).state;
  expect(refresh.chain).toBe("fresh");
  expect(planFullRefresh({ ...refresh, chain: "first" }, at).state.chain).toBe("first");
});

test("R4: a plan without a state goes on from the newest reading id of a cleared one, in both sync modes", () => {
  const at = atNoon({ newestId: "000000007abcde" });
  expect(planIncremental(null, at).state.newestId).toBe("000000007abcde");
  expect(planFullRefresh(null, at).state.newestId).toBe("000000007abcde");
});

test("R6: days and strays that have left retention are forgotten, all others stay known", () => {
  const floor = TODAY - 89 * DAY;
  const entry = (day: number) => ({
    day,
    records: 1,
    digest: "1".repeat(24),
    readingId: "r1",
    confirmed: true,
    shrinkage: null,
  });
  const known: KnownDays = {
    ranges: [{ start: floor - DAY, end: TODAY }],
    days: new Map([floor - DAY, floor].map((day) => [day, entry(day)])),
    forgotten: new Map(),
    inPart: new Map([floor - DAY, floor + 2 * DAY].map((day) => [day, 12])),
  };
  const strays = [floor - DAY, floor].map((start) => ({
    hash: "2".repeat(24),
    day: floor - 2 * DAY,
    readingId: "r1",
    window: { start, end: start + DAY },
  }));
  const { state } = planIncremental({ ...settled, known, strays }, atNoon({ startDate: null }));
  expect(state.known.ranges).toEqual([{ start: floor, end: TODAY }]);
  expect([...state.known.days.keys()]).toEqual([floor]);
  expect(state.strays.map(({ window }) => window.start)).toEqual([floor]);
  expect([...state.known.inPart]).toEqual([[floor + 2 * DAY, 12]]);
});

test("R10: days that are due are read by each sync, also without a deep re-read, but not today", () => {
  const old = TODAY - 20 * DAY;
  const known = forget(NOTHING_KNOWN, [{ day: old, records: 3, writtenBy: null }]);
  const due = [{ start: old + 3 * DAY, end: old + 5 * DAY }];
  const plan = planIncremental({ ...settled, known, due }, atNoon());
  expect(plan.reconciledOn).toBe(null);
  expect(covered(plan)).toEqual([
    { start: old, end: old + DAY },
    { start: old + 3 * DAY, end: old + 5 * DAY },
    { start: TODAY - 2 * DAY, end: TODAY + DAY },
  ]);
  const today = { ...settled, due: [{ start: TODAY, end: TODAY + DAY }] };
  expect(planIncremental(today, atNoon({ lookback: 0 })).windows).toEqual([
    { start: TODAY, end: TODAY + DAY },
  ]);
});

test("R10: the next reading of a day that an earlier sync left forgotten is the first of two, although the day was unconfirmed", () => {
  const old = TODAY - 20 * DAY;
  const seen = { day: old, records: 3, digest: "1".repeat(24) };
  const unconfirmed = learn(NOTHING_KNOWN, seen, { readingId: "r1", confirmed: false });
  const known = forget(unconfirmed, [{ day: old, records: 3, writtenBy: null }]);
  const entry = known.forgotten.get(old);
  expect(entry?.confirmed).toBe(false);
  const { state } = planIncremental({ ...settled, known }, atNoon());
  expect(state.known.forgotten.get(old)).toEqual({ ...entry, confirmed: true });
  const other = planIncremental({ ...settled, known: unconfirmed }, atNoon());
  expect(other.state.known.days.get(old)?.confirmed).toBe(false);
});

test("R10: days that had left each earlier retention are due once a longer one shows them again", () => {
  const known = { ...NOTHING_KNOWN, ranges: [{ start: TODAY - 8 * DAY, end: TODAY }] };
  const stored = { ...settled, known, longestRetention: 5 };
  const at = (retentionDays: number) => atNoon({ startDate: null, retentionDays });
  const next = planIncremental(stored, at(20));
  // No report has covered the first day of the shorter retention (R5).
  const back = { start: TODAY - 19 * DAY, end: TODAY - 7 * DAY };
  expect(next.state.due).toEqual([back]);
  expect(subtract([back], covered(next))).toEqual([]);
  expect(planIncremental({ ...next.state, due: [] }, at(20)).state.due).toEqual([]);
  expect(planIncremental({ ...stored, longestRetention: 20 }, at(20)).state.due).toEqual([]);
  const young = { ...stored, start: TODAY - 10 * DAY, position: TODAY - 9 * DAY };
  expect(planIncremental(young, at(20)).state.due).toEqual([
    { start: TODAY - 10 * DAY, end: TODAY - 9 * DAY },
  ]);
});

test("R10: of costs the whole month of a due day is read, and a pass has at most 400 windows for due days", () => {
  const may = { start: Date.UTC(2026, 4, 1), end: Date.UTC(2026, 5, 1) };
  const due = [{ start: may.start + 20 * DAY, end: may.start + 21 * DAY }];
  const costs = atNoon({ byMonth: true, startDate: Date.UTC(2026, 3, 1) });
  expect(planIncremental({ ...settled, due }, costs).windows).toContainEqual(may);
  const start = TODAY - 1000 * DAY;
  const all = { ...settled, start, due: [{ start, end: TODAY }] };
  const long = atNoon({ retentionDays: 1100, maximumWindowDays: 1, startDate: start });
  const windows = planIncremental(all, long).windows.filter(({ end }) => end <= TODAY - 2 * DAY);
  expect(windows).toHaveLength(400);
  expect(windows[0]?.start).toBe(start);
});

test("R10: days that an interrupted pass has read and that became due since are read again by a sync of a later day", () => {
  const due = [{ start: TODAY - 20 * DAY, end: TODAY - 19 * DAY }];
  const reads = [{ start: TODAY - 25 * DAY, end: TODAY - 15 * DAY, availableThrough: TODAY }];
  const pass = { ...emptyPass(NOON), reads };
  const same = planIncremental({ ...settled, due, pass }, atNoon());
  expect(same.windows.some(({ start }) => start === TODAY - 20 * DAY)).toBe(false);
  const tomorrow = { reconcileFrom: null, now: NOON + DAY };
  const next = planIncremental({ ...settled, due, pass }, atNoon(tomorrow));
  expect(next.windows).toContainEqual(due[0]);
});

test("R10: days that an interrupted pass has read are due on a later day if that reading is out of date", () => {
  const old = [{ start: TODAY - 25 * DAY, end: TODAY - 15 * DAY, availableThrough: TODAY }];
  const near = { start: TODAY - 12 * DAY, end: TODAY - 11 * DAY };
  const reads = [...old, { ...near, availableThrough: TODAY - 11 * DAY }];
  const stored = { ...settled, pass: { ...emptyPass(NOON), reads } };
  expect(planIncremental(stored, atNoon({ reconcileFrom: null })).state.due).toEqual([]);
  const tomorrow = planIncremental(stored, atNoon({ reconcileFrom: null, now: NOON + DAY }));
  expect(tomorrow.state.pass?.reads.map(({ start }) => start)).toEqual([TODAY - 25 * DAY]);
  expect(tomorrow.state.due).toEqual([near]);
});

test("W3: days that an interrupted pass has read are read again if they have left each retention since, and a longer one shows them", () => {
  const range = { start: TODAY - 40 * DAY, end: TODAY - 20 * DAY, availableThrough: TODAY };
  const pass = { ...emptyPass(NOON), reads: [range] };
  const at = (retentionDays: number) =>
    atNoon({ startDate: null, retentionDays, reconcileFrom: null, now: NOON + DAY });
  const stored = { ...settled, pass, start: TODAY - 25 * DAY, longestRetention: 30 };
  const short = planIncremental(stored, at(30)).state;
  expect(short.pass?.reads).toEqual([{ ...range, start: TODAY - 28 * DAY }]);
  const longer = covered(planIncremental(short, at(60)));
  expect(subtract([{ start: range.start, end: TODAY - 28 * DAY }], longer)).toEqual([]);
});

test("P5: days that await strays are due with the window of these, if it lies within the plan, until the days leave retention", () => {
  const entry = (ago: number, window: number): AwaitedStrays => ({
    days: dayRange(TODAY - ago * DAY),
    window: dayRange(TODAY - window * DAY),
  });
  const planWith = (awaited: AwaitedStrays, more: Partial<PlanInput> = {}) => {
    const stored = { ...settled, start: TODAY - 85 * DAY, awaited: [awaited] };
    return planIncremental(stored, atNoon({ reconcileFrom: null, startDate: null, ...more }));
  };
  const whole = {
    ...entry(50, 47),
    days: { ...dayRange(TODAY - 50 * DAY), end: TODAY - 48 * DAY },
  };
  const { state, windows } = planWith(whole);
  expect(state.awaited).toEqual([whole]);
  expect(subtract([whole.days, whole.window], windows)).toEqual([]);
  expect(subtract([whole.days, whole.window], state.due)).toEqual([]);
  const late = planWith(entry(50, 60), { startDate: TODAY - 55 * DAY });
  expect(late.state.awaited).toEqual([entry(50, 60)]);
  expect(subtract([dayRange(TODAY - 50 * DAY)], late.windows)).toHaveLength(1);
  expect(late.state.due).toEqual([]);
  expect(planWith(entry(400, 50)).state.awaited).toEqual([]);
  const outside = planWith(entry(60, 50), { startDate: TODAY - 55 * DAY });
  expect(outside.state.due).toEqual([dayRange(TODAY - 50 * DAY)]);
});

test("P5 W3: a day awaits strays whose ids stand in place of their contents only while it is within retention", () => {
  const window = dayRange(TODAY - 10 * DAY);
  const strayOf = (ago: number): KnownStray => ({
    hash: "id",
    id: "id",
    day: TODAY - ago * DAY,
    readingId: "r",
    window,
  });
  const planWith = (retentionDays: number) => {
    const strays = [strayOf(29), strayOf(28)];
    const stored = { ...settled, longestRetention: 90, strays };
    const at = atNoon({ reconcileFrom: null, startDate: null, retentionDays });
    return planIncremental(stored, at).state;
  };
  const daysOf = ({ awaited }: IncrementalState): number[] =>
    awaited.map(({ days }) => (TODAY - days.start) / DAY);
  expect([60, 30, 29, 28].map((retention) => daysOf(planWith(retention)))).toEqual([
    [29, 28],
    [29, 28],
    [28],
    [],
  ]);
  const left = planWith(28);
  expect(left.strays).toHaveLength(2);
  expect(left.due).toEqual([]);
});

test("W3: groups of strays that have lost rows leave the state with their day's retention", () => {
  const fewer = [80, 20].map((ago) => ({ day: TODAY - ago * DAY, readingId: "r" }));
  const stored = { ...settled, start: TODAY - 85 * DAY, fewer };
  const at = (retentionDays: number) => atNoon({ startDate: null, retentionDays });
  expect(planIncremental(stored, at(90)).state.fewer).toEqual(fewer);
  expect(planIncremental(stored, at(30)).state.fewer).toEqual(fewer.slice(1));
});

test("W3: what a shorter retention no longer shows stays in the state, because the retention may grow again", () => {
  const day = (back: number) => ({ day: TODAY - back * DAY, records: 2, billed: { USD: "1.5" } });
  const known = [80, 20].reduce(
    (all, back) =>
      learn(all, { ...day(back), digest: "1".repeat(24) }, { readingId: "r1", confirmed: true }),
    NOTHING_KNOWN,
  );
  const provisional = [day(80), day(20)];
  const due = [{ start: TODAY - 80 * DAY, end: TODAY - 79 * DAY }];
  const stored = {
    ...settled,
    start: TODAY - 85 * DAY,
    longestRetention: 90,
    provisional,
    known,
    due,
  };
  const at = (retentionDays: number, now = NOON) =>
    atNoon({ startDate: null, retentionDays, reconcileFrom: TODAY, now });
  const short = planIncremental(stored, at(30));
  expect(short.lostProvisional).toEqual([day(80)]);
  expect(short.state).toMatchObject({
    provisional: [day(20)],
    left: [day(80)],
    longestRetention: 90,
  });
  const again = planIncremental(short.state, at(30));
  expect(again.lostProvisional).toEqual([]);
  const back = planIncremental({ ...again.state, reconciledOn: null }, at(90));
  expect(back.state).toMatchObject({ provisional, left: [], known, due });
  expect(subtract([{ start: TODAY - 80 * DAY, end: TODAY - 79 * DAY }], covered(back))).toEqual([]);
  const gone = planIncremental(again.state, at(30, NOON + 20 * DAY));
  expect(gone.state).toMatchObject({ left: [day(20)], due: [] });
  expect([...gone.state.known.days.keys()]).toEqual([TODAY - 20 * DAY]);
});
