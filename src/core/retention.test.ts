import { expect, test } from "vitest";
import { planIncremental, type PlanInput } from "./plan.ts";
import { beginReading } from "./reading.ts";
import { leftDays, uncoveredDays } from "./retention.ts";
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
