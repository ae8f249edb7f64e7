import { expect, test } from "vitest";
import {
  boundedAwaited,
  distinctAwaited,
  isAwaited,
  isShownWhole,
  straysOfState,
} from "./awaited.ts";
import type { AwaitedStrays, KnownStray } from "./state.ts";
import { DAY } from "./time.ts";
import type { Range } from "./window.ts";

const range = (from: number, until: number): Range => ({ start: from * DAY, end: until * DAY });
const entry = (day: number, from: number, until: number): AwaitedStrays => ({
  days: range(day, day + 1),
  window: range(from, until),
});
const read = (from: number, until: number, moved = false) => ({ ...range(from, until), moved });

test("P5: a day awaits strays if an entry names it", () => {
  const awaited = [{ days: range(3, 5), window: range(8, 9) }];
  expect([2, 3, 4, 5].map((day) => isAwaited(awaited, day * DAY))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test("P5: days and windows are named once", () => {
  expect(distinctAwaited([entry(1, 8, 9), entry(1, 8, 10), entry(1, 8, 9)])).toEqual([
    entry(1, 8, 9),
    entry(1, 8, 10),
  ]);
});

test("P5 S8: if there are too many of them, one entry stands for all days from the first to the last, of each month if these are not too many", () => {
  const awaited = [entry(4, 8, 9), entry(1, 6, 7), entry(2, 12, 13)];
  expect(boundedAwaited(awaited, 3)).toBe(awaited);
  expect(boundedAwaited(awaited, 2)).toEqual([{ days: range(1, 5), window: range(6, 13) }]);
  expect(boundedAwaited([], 0)).toEqual([]);
  const more = [...awaited, entry(29, 35, 36), entry(40, 38, 39)];
  const months = [
    { days: range(1, 5), window: range(6, 13) },
    { days: range(29, 41), window: range(35, 39) },
  ];
  expect([4, 2].map((most) => boundedAwaited(more, most))).toEqual([months, months]);
  expect(boundedAwaited(more, 1)).toEqual([{ days: range(1, 41), window: range(6, 39) }]);
});

test.each([
  ["nothing", [], false],
  ["a part", [read(5, 6)], false],
  ["parts", [read(4, 6), read(6, 8)], false],
  ["the window", [read(5, 7)], true],
  ["a longer one", [read(4, 8)], true],
  ["a listing that moved", [read(5, 7, true)], false],
  ["two that moved", [read(5, 7, true), read(4, 8, true)], true],
])("P5 P6: whether a window was shown whole: %s", (_, reads, isWhole) => {
  expect(isShownWhole(range(5, 7), reads, 3)).toBe(isWhole);
});

test.each([
  ["a part", [read(5, 6)], false],
  ["parts", [read(4, 6), read(6, 8)], true],
  ["a part whose listing moved", [read(4, 6), read(6, 8, true)], false],
  ["a part that was read twice", [read(4, 6), read(6, 8, true), read(6, 8, true)], true],
])("P5: a window that is too long by now is shown in parts: %s", (_, reads, isWhole) => {
  expect(isShownWhole(range(5, 7), reads, 1)).toBe(isWhole);
});

test("P5 P6: no parts tell of a window that is just as long as the provider allows", () => {
  expect(isShownWhole(range(5, 7), [read(4, 6), read(6, 8)], 2)).toBe(false);
});

/** The strays of a state, and the days that await strays, in a sync that reads the days from 5 on. */
function inSync(
  strays: readonly KnownStray[],
  awaited: readonly AwaitedStrays[],
  maximumWindowDays = 31,
) {
  const bounds = { floor: 5 * DAY, keepFrom: 3 * DAY, within: range(5, 20) };
  const state = { strays, awaited, unreported: [] };
  return straysOfState(state, { reports: true, maximumWindowDays }, bounds);
}

test("P5 W3: a stray is kept as long as its day or its window may be kept, and a day awaits strays as long as it may be kept itself", () => {
  const stray = (day: number, window: Range): KnownStray => ({
    hash: `${day}`,
    id: "i",
    day: day * DAY,
    readingId: "r",
    window,
  });
  const gone = [stray(2, range(2, 3)), stray(1, range(0, 3))];
  const kept = [stray(0, range(2, 4)), stray(3, range(1, 2))];
  const entries = [entry(2, 6, 7), entry(3, 6, 7)];
  const { strays, awaited } = inSync([...gone, ...kept], entries);
  expect(strays).toEqual(kept);
  expect(awaited).toEqual([entry(3, 6, 7)]);
});

test("P5: a day that awaits a stray whose id stands in place of its content is named once, and whole days of its window are due", () => {
  const window = { start: 7 * DAY, end: 8.5 * DAY };
  const told = { hash: "i", id: "i", day: 6 * DAY, readingId: "r", window };
  const named = { days: range(6, 7), window };
  const { awaited, coming } = inSync([told], [named]);
  expect(awaited).toEqual([named]);
  expect(coming).toEqual([range(6, 7), range(7, 9)]);
});

test("P5: if a window is longer than the provider allows by now, the strays of its group have their ids in place of their contents, and are due", () => {
  const stray = (name: string, window: Range, changes: Partial<KnownStray> = {}): KnownStray => ({
    hash: `${name}-content`,
    id: name,
    day: 5 * DAY,
    readingId: "r",
    window,
    ...changes,
  });
  const [long, short] = [range(6, 9), range(10, 12)];
  const group = [stray("a", long), stray("b", short)];
  const other = { readingId: "r2" };
  const kept = [
    stray("c", short, other),
    stray("d", long, { readingId: null }),
    stray("e", long, { day: 4 * DAY }),
    stray("f", range(18, 21), { readingId: "r3" }),
    stray("h", long, { readingId: "r4" }),
    { ...stray("g", long, { readingId: "r4" }), id: undefined },
  ].map(({ id, ...rest }): KnownStray => (id === undefined ? rest : { id, ...rest }));
  const { strays, awaited, coming } = inSync([...group, ...kept], [], 2);
  expect(strays).toEqual([{ ...group[0], hash: "a" }, { ...group[1], hash: "b" }, ...kept]);
  expect(awaited).toEqual([
    { days: range(5, 6), window: long },
    { days: range(5, 6), window: short },
  ]);
  expect(coming).toEqual([range(5, 6), long, range(5, 6), short]);
  expect(inSync([...group, ...kept], [], 3)).toMatchObject({ awaited: [], coming: [] });
});
