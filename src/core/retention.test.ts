import { expect, test } from "vitest";
import { NOTHING_KNOWN } from "./known_days.ts";
import { planIncremental, type PlanInput } from "./plan.ts";
import { beginReading } from "./reading.ts";
import { leftDays, returned, uncoveredDays } from "./retention.ts";
import { DAY, HOUR } from "./time.ts";

const NOON = Date.UTC(2026, 5, 15, 12);
const TODAY = NOON - 12 * HOUR;

test("W3: the days that a longer retention may show again lie between its floor and the floor of today; none if no sync has seen a longer one", () => {
  expect(leftDays(NOON, 10, 60)).toEqual({ start: TODAY - 59 * DAY, end: TODAY - 9 * DAY });
  for (const longest of [60, 10, 0]) {
    const { start, end } = leftDays(NOON, 60, longest);
    expect([start, end]).toEqual([TODAY - 59 * DAY, TODAY - 59 * DAY]);
  }
});

/** The days that are due once retention has grown from five days to ten, by their numbers from today on. */
function dueWith(known: readonly (readonly [from: number, to: number])[], retentionDays = 10) {
  const ranges = known.map(([from, to]) => ({ start: TODAY + from * DAY, end: TODAY + to * DAY }));
  const stored = { longestRetention: 5, known: { ...NOTHING_KNOWN, ranges } };
  const read = { start: TODAY - (retentionDays === 10 ? 9 : 30) * DAY, end: TODAY };
  return returned(stored, { now: NOON, retentionDays }, read).map(({ start, end }) => [
    (start - TODAY) / DAY,
    (end - TODAY) / DAY,
  ]);
}

test("W3 R10: the days that a longer retention shows again are due, and the first day that the state knows, unless it is known from the floor on", () => {
  const days = [-9, -4];
  expect(dueWith([[-4, 0]])).toEqual([days, [-4, -3]]);
  // Such a day has never been at the edge of retention.
  expect(dueWith([[-3, 0]])).toEqual([days]);
  expect(dueWith([[-9, 0]])).toEqual([]);
  expect(
    dueWith([
      [-7, -6],
      [-5, 0],
    ]),
  ).toEqual([
    [-9, -7],
    [-6, -5],
    [-7, -6],
  ]);
  expect(dueWith([[-5.75, 0]])).toEqual([
    [-9, -5.75],
    [-6, -5],
  ]);
});

test("W3 R10: no such day is due if retention has not grown", () => {
  expect(dueWith([[-4, 0]], 5)).toEqual([]);
  expect(dueWith([[-4, 0]], 4)).toEqual([]);
});

const ONE = Date.UTC(2026, 0, 1);
const at: PlanInput = {
  now: ONE + 4.5 * DAY,
  passBeganAt: ONE,
  earlierEnded: true,
  bucket: DAY,
  retentionDays: 30,
  maximumWindowDays: 31,
  startDate: ONE,
  endDate: null,
  lookback: DAY,
  reconcileFrom: null,
  scrubDays: 0,
  lanes: 1,
  pageSize: 1000,
  byMonth: false,
  reports: true,
  newChain: "chain",
  newestId: null,
};
const { state } = planIncremental(null, at);
const window = { start: ONE, end: ONE + 4 * DAY };

/** The days of a reading of four days that its report does not cover, by their numbers from 0. */
function uncovered(days: { readonly available: number; readonly position: number }): number[] {
  const start = { id: "r", limit: 1000, beganAt: at.now, withTotals: true };
  const availableThrough = ONE + days.available * DAY;
  const reading = beginReading(window, { ...start, availableThrough });
  const position = ONE + days.position * DAY;
  return uncoveredDays({ ...state, position }, reading, at, at.now).map((day) => (day - ONE) / DAY);
}

test("R5 R10: no report covers the days before the position, up to the position itself, that end behind the available data", () => {
  expect(uncovered({ available: 2.5, position: 3 })).toEqual([2]);
  expect(uncovered({ available: 2.5, position: 2 })).toEqual([]);
  expect(uncovered({ available: 2, position: 4 })).toEqual([2, 3]);
  expect(uncovered({ available: 4, position: 4 })).toEqual([]);
});

test("R5 R10: nor does one cover the days up to a day behind the floor, which are due if retention was longer before and may be so again", () => {
  const start = { id: "r", limit: 1000, beganAt: at.now, withTotals: true };
  const reading = beginReading(window, { ...start, availableThrough: window.end });
  const uncoveredOf = (longestRetention: number): number[] => {
    const before = { ...state, longestRetention, position: window.end };
    const near = { ...at, retentionDays: 3 };
    return uncoveredDays(before, reading, near, at.now).map((day) => (day - ONE) / DAY);
  };
  expect(uncoveredOf(4)).toEqual([0, 1, 2]);
  expect(uncoveredOf(3)).toEqual([]);
});
