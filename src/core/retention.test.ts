import { expect, test } from "vitest";
import { leftDays } from "./retention.ts";
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
