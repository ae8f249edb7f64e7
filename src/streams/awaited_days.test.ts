import { expect, test } from "vitest";
import { planFullRefresh, planIncremental } from "../core/plan.ts";
import { beginReading, type Reading } from "../core/reading.ts";
import type { DayReport } from "../core/settle.ts";
import type { AwaitedStrays } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { dayRange, nameOf, type Range } from "../core/window.ts";
import { AwaitedDays } from "./awaited_days.ts";
import { PendingStrays } from "./pending_strays.ts";
import { at } from "./scripted/testing.ts";
import { DAY_ONE } from "./testing.ts";

const day = (number: number): number => DAY_ONE + number * DAY;
const range = (from: number, until: number): Range => ({ start: day(from), end: day(until) });
const entry = (of: number, window: Range): AwaitedStrays => ({ days: dayRange(day(of)), window });
const report = (of: number, confirmed = true): DayReport => ({
  day: day(of),
  records: 1,
  rows: 1,
  rowsReadingId: "r",
  confirmed,
  shrunk: false,
});

/** A read of ten days whose pending strays are awaited on some days. `waiting`: the days of all strays that wait. */
function awaitedBy(
  earlier: readonly AwaitedStrays[],
  pending: readonly AwaitedStrays[] = [],
  waiting: readonly number[] = [],
) {
  const reads: Reading[] = [];
  const left: AwaitedStrays[] = [];
  const unjudged = new Set<string>();
  const awaited = new AwaitedDays({
    earlier,
    pending: {
      awaited: () => pending,
      // None of them is new.
      awaitedIn: (window, { start, end }, onlyNew) =>
        pending
          .filter((one) => one.window.start === window.start && onlyNew !== true)
          .map(({ days }) => days.start)
          .filter((one) => start <= one && one < end),
      awaits: (one) => pending.some(({ days }) => days.start === one),
      waitsOn: ({ start }) => waiting.map(day).includes(start),
    },
    takeLeft: () => left.splice(0),
    unjudged: () => unjudged,
    reads,
    bounds: range(0, 10),
    maximumWindowDays: 31,
    most: 2,
  });
  const read = (window: Range): void =>
    void reads.push(beginReading(window, { id: "r", limit: 1, beganAt: 0, withTotals: true }));
  return { awaited, read, left, unjudged };
}

test("P5: no report proves a day that awaits strays", () => {
  const { awaited } = awaitedBy([entry(1, range(3, 4))], [entry(2, range(3, 4))]);
  const reports = [0, 1, 2].map((of) => report(of));
  expect(awaited.judged(reports)).toEqual([report(0), report(1, false), report(2, false)]);
  expect(awaited.days).toEqual([range(1, 3)]);
});

test("P5: the next sync reads such days again, but not those whose window lies outside the range of the read", () => {
  const { awaited } = awaitedBy(
    [entry(1, range(3, 4)), entry(2, range(-1, 1)), entry(3, range(9, 11))],
    [entry(4, range(5, 6))],
  );
  expect(awaited.comingOf([0, 1, 2, 3, 4].map(day))).toEqual([day(1), day(4)]);
});

test("P5: a day awaits strays until their window was shown whole, and none of the day waits", () => {
  const [done, left] = [
    awaitedBy([entry(1, range(3, 4))]),
    awaitedBy([entry(1, range(3, 4))], [], [1]),
  ];
  for (const { awaited, read } of [done, left]) {
    expect(awaited.unread).toEqual([range(3, 4)]);
    read(range(3, 4));
    expect(awaited.unread).toEqual([]);
  }
  expect([done.awaited.has(day(1)), left.awaited.has(day(1))]).toEqual([false, true]);
});

test("P5: of the days that await strays of a window, those within the range of the read lose their proof with its report", () => {
  const pending = [entry(1, range(3, 4)), entry(-2, range(3, 4)), entry(2, range(5, 6))];
  expect(awaitedBy([], pending).awaited.shownBy(range(3, 4))).toEqual([day(1)]);
  expect(awaitedBy([], pending).awaited.shownBy(range(3, 4), true)).toEqual([]);
});

test("P5: a day awaits a stray about which only a later reading can tell until the next process, whatever windows are read, and loses its proof once", () => {
  const { awaited, read, left } = awaitedBy([]);
  left.push(entry(1, range(3, 4)), entry(-2, range(3, 4)));
  expect(awaited.has(day(1))).toBe(true);
  expect(awaited.takeDoubted()).toEqual([day(1)]);
  expect(awaited.takeDoubted()).toEqual([]);
  expect(awaited.unread).toEqual([]);
  read(range(3, 4));
  expect([awaited.has(day(1)), awaited.comingOf([day(1), day(2)])]).toEqual([true, [day(1)]]);
  const { state } = planIncremental(null, at);
  expect(awaited.namedIn(state).awaited).toEqual([entry(1, range(3, 4)), entry(-2, range(3, 4))]);
});

test("P5 S8: such days add up in a read, and one range stands for all if they are too many", () => {
  const { awaited, left } = awaitedBy([]);
  left.push(entry(1, range(3, 4)));
  expect(awaited.has(day(1))).toBe(true);
  for (let time = 0; time < 2; time++) left.push(entry(5, range(7, 8)));
  expect([1, 3, 5].map((of) => awaited.has(day(of)))).toEqual([true, false, true]);
  expect(awaited.takeDoubted()).toEqual([day(1), day(5)]);
  left.push(entry(8, range(9, 10)));
  expect(awaited.takeDoubted()).toEqual([day(8)]);
  expect([1, 3, 5, 8, 9].map((of) => awaited.has(day(of)))).toEqual([
    true,
    true,
    true,
    true,
    false,
  ]);
});

test("P5: a window that is longer than the provider allows by now is shown whole by its parts", () => {
  const { awaited, read } = awaitedBy([entry(1, range(-20, 20))]);
  read(range(-20, 0));
  expect([awaited.has(day(1)), awaited.unread]).toEqual([true, [range(-20, 20)]]);
  read(range(0, 20));
  expect([awaited.has(day(1)), awaited.unread]).toEqual([false, []]);
});

test("P5: a day whose stray still waits awaits it, whatever windows are read later", () => {
  const entries = [entry(1, range(3, 4)), entry(2, range(5, 6)), entry(3, range(5, 6))];
  const { awaited, read } = awaitedBy(entries, [], [1, 2]);
  expect(awaited.unread).toEqual([range(3, 4), range(5, 6)]);
  for (const window of [range(3, 4), range(5, 6)]) {
    read(window);
    expect(awaited.has(day(1))).toBe(true);
  }
  expect([awaited.has(day(2)), awaited.has(day(3))]).toEqual([true, false]);
});

test("P5: the state of a full refresh names no day that awaits strays", () => {
  const { state } = planFullRefresh(null, at);
  expect(awaitedBy([], [entry(1, range(3, 4))]).awaited.namedIn(state)).toBe(state);
});

test("P5: a second reading proves such a day, and leaves it due if it has awaited strays of an earlier process", () => {
  const { awaited, read } = awaitedBy([entry(1, range(3, 4))], [entry(2, range(3, 4))]);
  read(range(3, 4));
  expect(awaited.provenAgain([0, 1, 2, 3].map(day), [day(3)])).toEqual([day(0), day(2)]);
});

test("P5 S8: the state names these days, of earlier processes and of this one, each once, or one range for all", () => {
  const { state } = planIncremental(null, at);
  const [one, other] = [entry(1, range(3, 4)), entry(2, range(3, 4))];
  expect(awaitedBy([one], [one, other]).awaited.namedIn(state).awaited).toEqual([one, other]);
  const third = entry(5, range(7, 8));
  expect(awaitedBy([one], [other, third]).awaited.namedIn(state).awaited).toEqual([
    { days: range(1, 6), window: range(3, 8) },
  ]);
});

test("P5: days that were read await the strays that no window has returned as its own", () => {
  const pending = new PendingStrays({ pendingStrays: 9, notedWindows: 9 });
  for (const of of [1, 2, 3, 4]) {
    const stray = { id: `i${of}`, version: `v${of}`, day: day(of), isAwaited: false };
    pending.add(stray, range(of < 4 ? 7 : 8, of < 4 ? 8 : 9));
  }
  const awaited = (): boolean[] => [1, 2, 3, 4].map((of) => pending.awaits(day(of)));
  pending.expect(
    range(7, 8),
    [],
    (of) => of !== day(2),
    (id) => id === "i3",
  );
  expect(awaited()).toEqual([true, false, false, false]);
  pending.expect(
    range(2, 5),
    [2, 3, 4].map(day),
    () => false,
    (id) => id === "i3",
  );
  expect(awaited()).toEqual([true, true, false, true]);
});

test("P5: a stray that its day has awaited for several reasons is awaited no longer once it is written", () => {
  const pending = new PendingStrays({ pendingStrays: 9, notedWindows: 9 });
  pending.add({ id: "i", version: "v", day: day(1), isAwaited: false }, range(7, 8));
  pending.expect(
    range(7, 8),
    [],
    () => true,
    () => false,
  );
  pending.writing(new Set(["i"]));
  expect(pending.awaits(day(1))).toBe(true);
  pending.wrote(new Set(["i"]), new Set(["i"]), range(7, 8));
  expect(pending.awaits(day(1))).toBe(false);
});

test("P5: the days of new strays are told apart from those that await newer versions of written ones", () => {
  const pending = new PendingStrays({ pendingStrays: 9, notedWindows: 9 });
  for (const of of [1, 2]) {
    const stray = { id: `i${of}`, version: `v${of}`, day: day(of), isAwaited: of === 1 };
    pending.add(stray, range(7, 8));
  }
  pending.expect(
    range(7, 8),
    [],
    () => true,
    () => false,
  );
  const told = [false, true].map((onlyNew) => pending.awaitedIn(range(7, 8), range(0, 9), onlyNew));
  expect(told).toEqual([[day(1), day(2)], [day(2)]]);
});

test("P5 L1: days await the strays that find no room, as one range for each month of their windows", () => {
  const pending = new PendingStrays({ pendingStrays: 1, notedWindows: 9 });
  const shows = (of: number, window: Range): boolean =>
    pending.add({ id: `i${of}`, version: `v${of}`, day: day(of), isAwaited: false }, window);
  expect(shows(1, range(7, 8))).toBe(true);
  expect(pending.awaited(9)).toEqual([]);
  for (const of of [5, 2]) expect(shows(of, range(8, 9))).toBe(false);
  expect(shows(12, range(40, 41))).toBe(false);
  expect(pending.awaited(9)).toEqual([
    { days: range(2, 6), window: range(8, 9) },
    entry(12, range(40, 41)),
  ]);
  const awaiting = [1, 2, 3, 5, 6, 12].filter((of) => pending.awaits(day(of)));
  expect(awaiting).toEqual([2, 3, 5, 12]);
  expect(pending.awaitedIn(range(8, 9), range(3, 20))).toEqual([3, 4, 5].map(day));
  expect(pending.awaitedIn(range(7, 8), range(3, 20))).toEqual([]);
});

test("P5 L2: of many strays that are awaited one range for each month tells, as soon as they are more than a state names", () => {
  const pending = new PendingStrays({ pendingStrays: 9, notedWindows: 9 });
  const add = (of: number, isAwaited: boolean): void =>
    void pending.add({ id: `i${of}`, version: `v${of}`, day: day(of), isAwaited }, range(7, 8));
  expect(pending.awaited(1)).toEqual([]);
  add(1, true);
  add(2, false);
  expect(pending.awaited(1)).toEqual([entry(1, range(7, 8))]);
  expect([1, 2].map((of) => pending.awaits(day(of)))).toEqual([true, false]);
  expect([range(2, 3), range(0, 3), range(3, 5)].map((days) => pending.waitsOn(days))).toEqual([
    true,
    true,
    false,
  ]);
  expect(pending.awaitedIn(range(7, 8), range(0, 9))).toEqual([day(1)]);
  expect(pending.awaitedIn(range(7, 8), range(2, 9))).toEqual([]);
  expect(pending.awaitedIn(range(8, 9), range(0, 9))).toEqual([]);
  pending.writing(new Set(["i2"]));
  expect(pending.awaited(2)).toEqual([entry(1, range(7, 8)), entry(2, range(7, 8))]);
  expect(pending.awaited(1)).toEqual([{ days: range(1, 3), window: range(7, 8) }]);
  void pending.add({ id: "i3", version: "v3", day: day(3), isAwaited: true }, range(40, 41));
  const later = { days: range(3, 4), window: range(40, 41) };
  expect(pending.awaited(2)).toEqual([{ days: range(1, 3), window: range(7, 8) }, later]);
  pending.wrote(new Set(), new Set(["i3"]), range(40, 41));
  pending.wrote(new Set(), new Set(["i1", "i2"]), range(7, 8));
  expect([pending.awaited(1), pending.awaits(day(1)), pending.waitsOn(range(0, 9))]).toEqual([
    [],
    false,
    false,
  ]);
});

test("P5 R8: a day awaits strays that no part of their window has shown, until they are judged", () => {
  const window = range(3, 5);
  const { awaited, read, unjudged } = awaitedBy([entry(1, window)]);
  unjudged.add(nameOf(window));
  read(window);
  expect(awaited.has(day(1))).toBe(true);
  unjudged.clear();
  expect(awaited.has(day(1))).toBe(false);
});
