import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { dayRange, type Range } from "../core/window.ts";
import { Losses } from "./losses.ts";

/** A reading between two instants finds rows of one day missing, or not. */
const settle = (
  losses: Losses,
  day: number,
  [beganAt, endedAt]: readonly [number, number],
  hasLost = false,
) => losses.settle({ days: [day * DAY], beganAt, endedAt }, hasLost);
const readBefore = ({ start, end }: Range) => ({
  reads: [{ start, end, availableThrough: end }],
  lostUntil: null,
});
const days = (...numbers: number[]) => numbers.map((day) => dayRange(day * DAY));

test("R10: rows that are missing make the days due whose readings have ended before, and the windows of earlier processes", () => {
  const losses = new Losses(readBefore(dayRange(5 * DAY)));
  expect(settle(losses, 0, [10, 20])).toEqual({ before: [], own: [] });
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: days(0, 5), own: [] });
});

test("R10 S3: the days that earlier processes have read in part are read once more as a whole", () => {
  const losses = new Losses(readBefore({ start: 5.25 * DAY, end: 6.5 * DAY }));
  expect(settle(losses, 2, [20, 30], true)).toEqual({
    before: [{ start: 5 * DAY, end: 7 * DAY }],
    own: [],
  });
});

test("R10: rows that are missing make the day due whose reading goes on at that moment, once it ends", () => {
  const losses = new Losses(null);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: [], own: [] });
  expect(settle(losses, 0, [29, 40])).toEqual({ before: [], own: days(0) });
  expect(settle(losses, 1, [30, 40])).toEqual({ before: [], own: [] });
});

test("R10: of two readings that find rows missing, each makes the day of the other one due", () => {
  const losses = new Losses(null);
  settle(losses, 0, [10, 40], true);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: days(0), own: days(2) });
  expect(settle(losses, 4, [39, 50]).own).toEqual(days(4));
});

test("R10: a day stays proven if its reading began after the rows were missing, although the rows were held back longer", () => {
  const losses = new Losses(null);
  settle(losses, 0, [31, 40]);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: [], own: [] });
});

test("R10: no day is due for rows that are missing on the day itself", () => {
  const losses = new Losses(null);
  settle(losses, 2, [10, 20]);
  expect(settle(losses, 2, [20, 30], true)).toEqual({ before: [], own: [] });
});

test("R10: the days that a loss has overtaken are told once, also those whose reading went on, if they are still due", () => {
  const losses = new Losses(readBefore(dayRange(5 * DAY)));
  settle(losses, 0, [10, 20]);
  expect(losses.hasOvertaken).toBe(false);
  settle(losses, 2, [20, 30], true);
  settle(losses, 1, [29, 40]);
  settle(losses, 3, [30, 40]);
  expect(losses.hasOvertaken).toBe(true);
  const due = [{ start: 0, end: 5 * DAY }];
  expect(losses.takeOvertaken(due)).toEqual([{ start: 0, end: 2 * DAY }]);
  expect(losses.hasOvertaken).toBe(false);
  expect(losses.takeOvertaken(due)).toEqual([]);
});

test("P5 R10: days that await strays are given once these are written", () => {
  let awaited = [dayRange(DAY)];
  const losses = new Losses(null, () => awaited);
  settle(losses, 0, [10, 20]);
  settle(losses, 1, [10, 20]);
  settle(losses, 2, [20, 30], true);
  const due = [{ start: 0, end: 5 * DAY }];
  expect(losses.takeOvertaken(due)).toEqual([dayRange(0)]);
  expect(losses.hasOvertaken).toBe(false);
  awaited = [];
  expect(losses.hasOvertaken).toBe(true);
  expect(losses.takeOvertaken(due)).toEqual([dayRange(DAY)]);
  expect(losses.hasOvertaken).toBe(false);
});

test("R10: a loss of an earlier process of the pass counts, if the clock of this process was put back into its time", () => {
  const losses = new Losses({ reads: [], lostUntil: 30 });
  expect(settle(losses, 0, [29, 40])).toEqual({ before: [], own: days(0) });
  expect(settle(losses, 1, [30, 40])).toEqual({ before: [], own: [] });
});
