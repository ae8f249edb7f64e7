import { expect, onTestFinished, test, vi } from "vitest";
import { daysOf } from "../core/digests.ts";
import { RecordFingerprint } from "../core/identity.ts";
import { LIMITS } from "../core/limits.ts";
import { type Plan, planFullRefresh, planIncremental } from "../core/plan.ts";
import { beginReading, type Reading } from "../core/reading.ts";
import type { IncrementalState, StreamState } from "../core/state.ts";
import { DAY, HOUR } from "../core/time.ts";
import { dayRange, type Range } from "../core/window.ts";
import { fourDays } from "./scripted/testing.ts";
import { StrayReads } from "./stray_reads.ts";
import { Strays } from "./strays.ts";
import { DAY_ONE } from "./testing.ts";

const days = (from: number, to: number): Range => ({
  start: DAY_ONE + from * DAY,
  end: DAY_ONE + to * DAY,
});
const reading = (window: Range, changes: Partial<Reading> = {}): StrayReads["read"][number] => ({
  ...beginReading(window, { id: "r1", limit: 10, beganAt: 0, withTotals: true }),
  endedAt: 0,
  ...changes,
});

interface Options {
  readonly maximumWindowDays?: number;
  readonly most?: number;
  readonly looks?: number;
  readonly others?: readonly Range[];
  /** The windows whose strays the first day awaits. */
  readonly awaited?: readonly Range[];
}

/** The reads of a pass of four days, whose state has a written stray of this window, and one of each other window. */
function readsFor(
  window: Range,
  {
    maximumWindowDays = 31,
    most = LIMITS.overtakenWindows,
    looks = LIMITS.looks,
    others = [],
    awaited = [],
  }: Options = {},
): StrayReads {
  const input = { ...fourDays, maximumWindowDays };
  const strays = [window, ...others].map((shown, at) => ({
    hash: String(at).repeat(24),
    id: String(at).repeat(24),
    day: DAY_ONE - DAY,
    readingId: `r${at}`,
    window: shown,
  }));
  const limits = { ...LIMITS, looks, overtakenWindows: most };
  const { state, ...planned } = planIncremental(null, input, limits);
  const entries = awaited.map((shown) => ({ days: days(0, 1), window: shown }));
  const plan = { ...planned, state: { ...state, awaited: entries } };
  return new StrayReads(new Strays(strays), {
    plan,
    input,
    limits,
    remembersAll: () => true,
    mayHaveOwner: () => false,
  });
}

/** The same, of a read whose pending strays start on these days. */
function readsWith(pending: readonly number[]): StrayReads {
  const spy = vi.spyOn(Strays.prototype, "pendingDays").mockReturnValue([...pending]);
  onTestFinished(() => spy.mockRestore());
  return readsFor(days(0, 1));
}

/** A state that knows some days. */
function knowing(window: Range): IncrementalState {
  const { state } = planIncremental(null, fourDays);
  return { ...state, known: { ...state.known, ranges: [window] } };
}
const ALL = knowing(days(0, 4));

test("P5: a window that the pass has read in part, without its strays, is read as a whole, once", () => {
  const reads = readsFor(days(1, 3));
  expect(reads.unjudged()).toEqual([]);
  reads.read.push(reading(days(0, 2)));
  expect(reads.unjudged()).toEqual([days(1, 3)]);
  expect(reads.takeUnjudged(ALL)).toEqual({ now: [days(1, 3)], next: [] });
  expect(reads.unjudged()).toEqual([]);
});

test("P5: no other window tells of its strays: none that moved, and none that does not touch it; a longer one does", () => {
  const reads = readsFor(days(1, 3));
  reads.read.push(reading(days(0, 2), { moved: true }), reading(days(3, 4)));
  expect(reads.unjudged()).toEqual([]);
  reads.read.push(reading(days(2, 4)));
  expect(reads.unjudged()).toEqual([days(1, 3)]);
  reads.read.push(reading(days(0, 4)));
  expect(reads.unjudged()).toEqual([]);
});

test("P5 W1: a window that ended within a day is read up to the end of the day", () => {
  const reads = readsFor({ start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY + 21 * HOUR });
  reads.read.push(reading(days(0, 2)));
  expect(reads.unjudged()).toEqual([days(1, 3)]);
});

test("P5 W2 W3: it is not read if the pass may not request it: too long, or outside the plan", () => {
  const long = readsFor(days(1, 3), { maximumWindowDays: 1 });
  const early = readsFor(days(-1, 1));
  for (const reads of [long, early])
    reads.read.push(reading(dayRange(DAY_ONE)), reading(days(2, 4)));
  expect([...long.unjudged(), ...early.unjudged()]).toEqual([]);
});

test("P5: it waits for the next sync if the pass has written one of its days, or would write one, or has no room for it", () => {
  const written = readsFor(days(1, 3));
  written.written.add(DAY_ONE + 2 * DAY);
  const full = readsFor(days(1, 3), { most: 0 });
  for (const reads of [written, full]) {
    reads.read.push(reading(days(0, 2)));
    expect(reads.takeUnjudged(ALL)).toEqual({ now: [], next: [days(1, 3)] });
  }
  const unknown = readsFor(days(1, 3));
  unknown.read.push(reading(days(0, 2)));
  expect(unknown.takeUnjudged(knowing(days(0, 2)))).toEqual({ now: [], next: [days(1, 3)] });
});

test("P5: of windows with a day in common the longest is read first, and another one only if it is still not judged then", () => {
  const reads = readsFor(days(1, 2), { others: [days(0, 3), days(2, 4)] });
  reads.read.push(reading(days(1, 3)), reading(days(3, 4)));
  expect(reads.takeUnjudged(ALL)).toEqual({ now: [days(0, 3)], next: [] });
  reads.read.push(reading(days(0, 3)));
  expect(reads.takeUnjudged(ALL)).toEqual({ now: [days(2, 4)], next: [] });
  expect(reads.unjudged()).toEqual([]);
});

test("P5: the windows that are read as a whole are so many in a sync, however often it takes some", () => {
  const reads = readsFor(days(0, 2), { most: 1, others: [days(1, 3)] });
  for (const day of [0, 1, 2]) reads.read.push(reading(days(day, day + 1)));
  expect(reads.takeUnjudged(ALL)).toEqual({ now: [days(0, 2)], next: [] });
  expect(reads.takeUnjudged(ALL)).toEqual({ now: [], next: [days(1, 3)] });
});

test.each([
  ["of days", days(1, 3)],
  ["of hours, whose last day is over by now", { ...days(1, 3), end: days(1, 3).end - 9 * HOUR }],
])(
  "P5 P6: a window %s whose strays are awaited is read as a whole, and a second time if its listing moves",
  (_, own) => {
    const reads = readsFor(days(9, 10), { awaited: [own] });
    expect(reads.unjudged()).toEqual([]);
    reads.read.push(reading(days(0, 2), { moved: true }));
    for (let time = 0; time < 2; time++) {
      expect(reads.awaited.has(DAY_ONE)).toBe(true);
      expect(reads.takeUnjudged(ALL)).toEqual({ now: [days(1, 3)], next: [] });
      reads.read.push(reading(days(1, 3), { moved: true }));
    }
    expect(reads.unjudged()).toEqual([]);
    expect(reads.awaited.has(DAY_ONE)).toBe(false);
  },
);

test("P5 P6: such a window is longer than the provider allows by now: the parts whose listings moved are read again, and no others", () => {
  const reads = readsFor(days(9, 10), { awaited: [days(0, 4)], maximumWindowDays: 2 });
  reads.read.push(reading(days(0, 2)), reading(days(2, 4), { moved: true }));
  expect(reads.takeUnjudged(ALL)).toEqual({ now: [days(2, 4)], next: [] });
  reads.read.push(reading(days(2, 4), { moved: true }));
  expect(reads.unjudged()).toEqual([]);
  expect(reads.awaited.has(DAY_ONE)).toBe(false);
});

test("P5: such a window that waits for the next sync is not taken again", () => {
  const reads = readsFor(days(9, 10), { awaited: [days(1, 3)], most: 0 });
  reads.read.push(reading(days(0, 2)));
  expect(reads.takeUnjudged(ALL)).toEqual({ now: [], next: [days(1, 3)] });
  expect(reads.unjudged()).toEqual([]);
  expect(reads.awaited.has(DAY_ONE)).toBe(true);
});

test("P5: a day that the pass has read in part is looked at for the owners of strays, and a day that it has read whole is not", () => {
  const reads = readsWith([DAY_ONE, DAY_ONE + DAY]);
  reads.read.push(reading({ start: DAY_ONE + 12 * HOUR, end: DAY_ONE + 2 * DAY }));
  expect(reads.looks(ALL).looks).toEqual([days(0, 1)]);
});

test("L2: the days of strays are not compared with each window that was read", () => {
  const reads = readsWith(daysOf(days(0, 4)));
  let asked = 0;
  for (let number = 0; number < 100; number++) {
    const window = days(5 + number, 6 + number);
    const start = (): number => ((asked += 1), window.start);
    reads.read.push(Object.defineProperty(reading(window), "start", { get: start }));
  }
  expect(reads.looks(ALL).looks).toHaveLength(4);
  expect(asked).toBeLessThan(3 * 100);
});

/** The reads of a pass whose state knows nothing. */
const newReads = (
  strays: Strays,
  plan: Plan<StreamState>,
  mayHaveOwner: (id: string) => boolean = () => false,
): StrayReads =>
  new StrayReads(strays, {
    plan,
    input: fourDays,
    limits: LIMITS,
    remembersAll: () => true,
    mayHaveOwner,
  });

test("P5: a day awaits a stray that is left to a later reading, but not in a full refresh", () => {
  for (const plan of [planIncremental(null, fourDays), planFullRefresh(null, fourDays)]) {
    const strays = new Strays([]);
    const reads = newReads(strays, plan);
    strays.left.add([{ day: DAY_ONE, window: days(2, 3) }]);
    expect(reads.awaited.has(DAY_ONE)).toBe(plan.state.mode === "incremental");
  }
});

const morning = { start: DAY_ONE, end: DAY_ONE + 12 * HOUR };
const asSecond =
  (window: Range, changes: Partial<Reading> = {}) =>
  (reads: StrayReads) =>
    void reads.provable(reading(window, changes), [DAY_ONE]);
const asWhole = (window: Range) => (reads: StrayReads) => {
  reads.read.push(reading(window));
  reads.expectStrays(reading(window));
};
const asResumed = (window: Range) => (reads: StrayReads) =>
  reads.expectStrays(reading(window, { resumed: true }));
/** A second reading writes a day, and is about no other one. */
const content = { records: 1, digest: "a".repeat(24) };
const rewrites = [{ day: DAY_ONE + DAY, ...content }];

test.each([
  ["as a whole", asWhole(days(0, 1)), true],
  ["as a whole, but only a part of the day", asWhole(morning), false],
  ["a second time", asSecond(days(0, 1)), true],
  ["a second time, but only a part of the day", asSecond(morning), false],
  ["a second time, but only to write another day", asSecond(days(0, 2), { rewrites }), false],
  ["by a resumed reading", asResumed(days(0, 1)), true],
  ["by a resumed reading, but only a part of the day", asResumed(morning), false],
])(
  "P5: a day awaits its new strays once this process has read it and a window that shows them, in whatever order, here %s",
  (_, read, awaits) => {
    for (const isFirst of [true, false]) {
      const strays = new Strays([]);
      const reads = newReads(strays, planIncremental(null, fourDays));
      if (isFirst) read(reads);
      strays.see(new RecordFingerprint(), "a", DAY_ONE, days(2, 3));
      reads.expectStrays(reading(days(2, 3)));
      if (!isFirst) {
        expect(reads.awaited.has(DAY_ONE)).toBe(false);
        read(reads);
      }
      expect(reads.awaited.has(DAY_ONE)).toBe(awaits);
    }
  },
);

test("P5: a window that is read later may show strays of further days: each day is looked at once", () => {
  const pending = [DAY_ONE];
  const spy = vi.spyOn(Strays.prototype, "pendingDays").mockImplementation(() => [...pending]);
  onTestFinished(() => spy.mockRestore());
  const reads = readsFor(days(0, 1), { maximumWindowDays: 1 });
  expect(reads.looks(ALL).looks).toEqual([days(0, 1)]);
  pending.push(DAY_ONE + 2 * DAY);
  expect(reads.looks(ALL).looks).toEqual([days(2, 3)]);
  expect(reads.looks(ALL).looks).toEqual([]);
});

test("P5: the days that are looked at have one bound in a sync, however often some are found", () => {
  const pending = [DAY_ONE];
  const spy = vi.spyOn(Strays.prototype, "pendingDays").mockImplementation(() => [...pending]);
  onTestFinished(() => spy.mockRestore());
  const reads = readsFor(days(0, 1), { maximumWindowDays: 1, looks: 1 });
  expect(reads.looks(ALL).looks).toEqual([days(0, 1)]);
  pending.push(DAY_ONE + 2 * DAY);
  expect(reads.looks(ALL)).toMatchObject({ looks: [], leftToNext: new Set([DAY_ONE + 2 * DAY]) });
  pending.push(DAY_ONE + 3 * DAY);
  expect(reads.looks(ALL)).toMatchObject({ looks: [], leftToNext: new Set([DAY_ONE + 3 * DAY]) });
  // The strays of no such day are written in this sync.
  expect(reads.strayDays).toEqual([DAY_ONE]);
});

test("P5: if two windows show a stray, the first of them writes it, and the other one waits", () => {
  const strays = new Strays([]);
  const reads = newReads(strays, planIncremental(null, fourDays));
  const windows = [days(1, 2), days(2, 3)].map((window) => ({ window }));
  for (const { window } of windows) strays.see(new RecordFingerprint(), "a", DAY_ONE, window);
  const { shares, writing } = reads.sharesOf(windows);
  expect(shares.map(({ all, ids }) => [all.size, ids.size])).toEqual([
    [1, 1],
    [1, 0],
  ]);
  expect(writing).toEqual([days(1, 2)]);
});

test("P5: a stray that was written leaves a day to the next sync only if the state knows the day, and a window may have returned the stray", () => {
  const rows = new Map(
    [0, 1, 2].map((of) => [`v${of}`, { id: `i${of}`, day: DAY_ONE + of * DAY }] as const),
  );
  const reads = newReads(new Strays([]), planIncremental(null, fourDays), (id) => id !== "i1");
  const entry = { ...content, readingId: "r1", confirmed: true, shrinkage: null };
  const known = new Map([DAY_ONE, DAY_ONE + DAY].map((day) => [day, { ...entry, day }] as const));
  const state = { ...ALL, known: { ...ALL.known, days: known } };
  expect(reads.replaced(state, { ids: new Set(), rows })).toEqual([DAY_ONE]);
});

test.each([
  ["a part of the window of a stray", {}, days(0, 2), [1], [1]],
  ["such a part, and no sum is known", {}, days(0, 2), [2], []],
  ["the whole window", {}, days(0, 3), [1], []],
  ["another window", {}, days(3, 4), [1], []],
  ["a part of a window that is too long by now", { maximumWindowDays: 1 }, days(1, 2), [1], []],
  ["a part of a window outside the plan", { window: days(-2, 1) }, days(0, 1), [-1], []],
])(
  "R2: a reading of %s leaves the sums of the day on which the cost of the stray counts",
  (
    _,
    { window = days(1, 3), ...options }: Options & { readonly window?: Range },
    read,
    known,
    kept,
  ) => {
    const reads = readsFor(window, options);
    const dayOf = (number: number): number => DAY_ONE + number * DAY;
    const provisional = known.map((number) => ({ day: dayOf(number), records: 1, billed: {} }));
    const state = { ...ALL, provisional };
    expect(reads.keepingCosts(reading(read), { shrunk: [] }, state)).toEqual(
      kept.map((number) => ({ day: dayOf(number) })),
    );
  },
);
