import fc from "fast-check";
import { expect, test } from "vitest";
import { share } from "./shares.ts";
import { daysIn } from "./window.ts";
import { DAY, HOUR } from "./time.ts";

const START = Date.UTC(2026, 2, 1);
const ranges = fc
  .tuple(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 0, max: 23 }))
  .map(([days, hours]) => ({ start: START, end: START + days * DAY - hours * HOUR }));
const input = { lanes: 4, pageSize: 1000, planned: 90, left: 40, perDay: 500 };
const inputs = fc.record({
  lanes: fc.integer({ min: 2, max: 16 }),
  pageSize: fc.integer({ min: 1, max: 1000 }),
  planned: fc.integer({ min: 31, max: 3653 }),
  left: fc.integer({ min: 1, max: 3653 }),
  perDay: fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 1e6, noNaN: true })),
});

test("W1 W2: a share and its rest are the range, on whole days", () => {
  fc.assert(
    fc.property(ranges, inputs, (range, at) => {
      const { first, rest } = share(range, at);
      expect(first.start).toBe(range.start);
      expect(first.end).toBeGreaterThan(first.start);
      expect(rest?.end ?? first.end).toBe(range.end);
      if (rest === null) return;
      expect(rest.start).toBe(first.end);
      expect(rest.end).toBeGreaterThan(rest.start);
      expect(first.end % DAY).toBe(0);
    }),
  );
});

test("W2: a lane takes a part of the days that are left, and at the end single days", () => {
  fc.assert(
    fc.property(ranges, inputs, (range, at) => {
      const busy = { ...at, perDay: at.pageSize };
      const { first } = share(range, busy);
      expect(daysIn(first)).toBeLessThanOrEqual(Math.ceil(at.left / (2 * at.lanes)));
    }),
  );
  const range = { start: START, end: START + 31 * DAY };
  expect(daysIn(share(range, { ...input, left: 8, perDay: 1000 }).first)).toBe(1);
});

test("W2: days of few records share a window, as many as fit half a page, so that grown days fit it too", () => {
  const range = { start: START, end: START + 31 * DAY };
  const days = (perDay: number): number =>
    daysIn(share(range, { ...input, planned: 365, left: 8, perDay }).first);
  expect([0, 1, 50, 100].map(days)).toEqual([23, 23, 10, 5]);
});

test("W2: a lane takes both its shares at once if this saves more than a fifth of the requests", () => {
  const range = { start: START, end: START + 31 * DAY };
  const days = (perDay: number, left: number): number =>
    daysIn(share(range, { ...input, left, perDay }).first);
  expect(days(400, 8)).toBe(2); // one page instead of two
  expect(days(667, 16)).toBe(4); // three pages instead of four
  expect(days(666, 16)).toBe(3); // two pages instead of three
  expect(days(700, 16)).toBe(4); // three pages instead of four
  expect(days(760, 16)).toBe(2); // four pages would be four days
  expect(days(900, 8)).toBe(1);
});

test("W2: of shares that are nearly as long, the one with the fullest pages is taken", () => {
  const range = { start: START, end: START + 31 * DAY };
  const days = (perDay: number): number =>
    daysIn(share(range, { ...input, left: 40, perDay }).first);
  expect(days(667)).toBe(4); // 2,668 records in 3 pages; 5 days would be 3,335 in 4
  expect(days(1000)).toBe(5);
});
