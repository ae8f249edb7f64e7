import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { dayRange } from "../core/window.ts";
import { Losses } from "./losses.ts";

/** A reading between two instants finds rows of one day missing, or not. */
const settle = (
  losses: Losses,
  day: number,
  [beganAt, endedAt]: readonly [number, number],
  hasLost = false,
) => losses.settle({ ...dayRange(day * DAY), days: [day * DAY], beganAt, endedAt }, hasLost);
const days = (...numbers: number[]) => numbers.map((day) => dayRange(day * DAY));

test("R10: rows that are missing make the days due whose readings have ended before, and the windows of earlier processes", () => {
  const losses = new Losses([dayRange(5 * DAY)]);
  expect(settle(losses, 0, [10, 20])).toEqual({ before: [], own: [] });
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: days(0, 5), own: [] });
});

test("R10: rows that are missing make the day due whose reading goes on at that moment, once it ends", () => {
  const losses = new Losses([]);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: [], own: [] });
  expect(settle(losses, 0, [29, 40])).toEqual({ before: [], own: days(0) });
  expect(settle(losses, 1, [30, 40])).toEqual({ before: [], own: [] });
});

test("R10: of two readings that find rows missing, each makes the day of the other one due", () => {
  const losses = new Losses([]);
  settle(losses, 0, [10, 40], true);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: days(0), own: days(2) });
  expect(settle(losses, 4, [39, 50]).own).toEqual(days(4));
});

test("R10: a day stays proven if its reading began after the rows were missing, although the rows were held back longer", () => {
  const losses = new Losses([]);
  settle(losses, 0, [31, 40]);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: [], own: [] });
});

test("R10: no day is due for rows that are missing on the day itself", () => {
  const losses = new Losses([]);
  settle(losses, 2, [10, 20]);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: [], own: [] });
});

/** The windows to read once more, with their days; all days of the first ten are due. */
const overtaken = (losses: Losses, due = [{ start: 0, end: 10 * DAY }]) =>
  losses.takeOvertaken(due).map(({ window, days: left }) => ({
    window: [window.start / DAY, window.end / DAY],
    days: left.map((day) => day / DAY),
  }));

test("R10: the windows of overtaken days are read once more, also those that went on, but not the window that found the rows missing", () => {
  const losses = new Losses([dayRange(5 * DAY)]);
  settle(losses, 0, [10, 20]);
  expect(losses.hasOvertaken).toBe(false);
  settle(losses, 2, [20, 30], true);
  settle(losses, 1, [29, 40]);
  settle(losses, 3, [30, 40]);
  expect(losses.hasOvertaken).toBe(true);
  expect(overtaken(losses)).toEqual([
    { window: [0, 1], days: [0] },
    { window: [1, 2], days: [1] },
  ]);
  expect(losses.hasOvertaken).toBe(false);
  expect(overtaken(losses)).toEqual([]);
});

test("R10: of two readings of a window, the window is read once more for the days of both that are due", () => {
  const losses = new Losses([]);
  const window = { start: 0, end: 3 * DAY, endedAt: 20 };
  losses.settle({ ...window, beganAt: 10, days: [0, DAY, 2 * DAY] }, false);
  losses.settle({ ...window, beganAt: 15, days: [DAY] }, false);
  settle(losses, 5, [20, 30], true);
  expect(overtaken(losses, [dayRange(0), dayRange(DAY)])).toEqual([
    { window: [0, 3], days: [0, 1] },
  ]);
  settle(losses, 5, [30, 40], true);
  expect(overtaken(losses, [])).toEqual([]);
});
