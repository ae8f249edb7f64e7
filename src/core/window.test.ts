import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { DAY, floorTo, formatInstant, HOUR, monthStart } from "./time.ts";
import { clip, cut, intersect, overlaps, type Range, subtract, union } from "./window.ts";

const hours = fc.integer({ min: 0, max: 24 * 800 });
const ranges = fc.array(
  fc.tuple(hours, fc.integer({ min: -5, max: 24 * 200 })).map(([start, length]) => ({
    start: start * HOUR,
    end: (start + length) * HOUR,
  })),
  { maxLength: 6 },
);

/** The hours that ranges cover, the plain way. */
function covered(list: readonly Range[]): Set<number> {
  const set = new Set<number>();
  for (const { start, end } of list) for (let at = start; at < end; at += HOUR) set.add(at);
  return set;
}

function isTidy(list: readonly Range[]): boolean {
  return list.every(
    (range, index) => range.start < range.end && range.start > (list[index - 1]?.end ?? -1),
  );
}

test("union, subtract, clip and intersect agree with sets of hours", () => {
  fc.assert(
    fc.property(ranges, ranges, hours, hours, (a, b, from, to) => {
      const [inA, inB] = [covered(a), covered(b)];
      expect(covered(union([...a, ...b]))).toEqual(inA.union(inB));
      expect(covered(subtract(a, b))).toEqual(inA.difference(inB));
      const bounds = { start: from * HOUR, end: to * HOUR };
      expect(covered(clip(a, bounds))).toEqual(inA.intersection(covered([bounds])));
      expect(covered(intersect(a, b))).toEqual(inA.intersection(inB));
      expect([union(a), subtract(a, b), clip(a, bounds), intersect(a, b)].every(isTidy)).toBe(true);
    }),
  );
});

test("ranges that only touch do not overlap", () => {
  expect(overlaps({ start: 0, end: 2 }, { start: 2, end: 3 })).toBe(false);
  expect(overlaps({ start: 0, end: 2 }, { start: 1, end: 3 })).toBe(true);
});

test("W1 W2: windows tile any range, on whole days, inside a month, none too long", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 1200 }),
      fc.integer({ min: 1, max: 900 * 24 }),
      fc.integer({ min: 1, max: 400 }),
      fc.integer({ min: 1, max: 64 }),
      (firstDay, length, maximumDays, atLeast) => {
        const range = { start: firstDay * DAY, end: firstDay * DAY + length * HOUR };
        const windows = cut([range], maximumDays, atLeast);
        expect(windows[0]?.start).toBe(range.start);
        expect(windows.at(-1)?.end).toBe(range.end);
        for (const [index, window] of windows.entries()) {
          expect(window.start).toBe(index === 0 ? range.start : windows[index - 1]?.end);
          expect(window.start % DAY).toBe(0);
          expect(window.end === range.end || window.end % DAY === 0).toBe(true);
          expect(window.end - window.start).toBeGreaterThan(0);
          expect(window.end - window.start).toBeLessThanOrEqual(maximumDays * DAY);
          expect(monthStart(window.start)).toBe(monthStart(window.end - 1));
        }
        expect(windows.length).toBeGreaterThanOrEqual(Math.min(atLeast, Math.ceil(length / 24)));
      },
    ),
  );
});

test("W1: a month fits one window where the maximum allows", () => {
  const year = { start: Date.UTC(2025, 0, 1), end: Date.UTC(2026, 0, 1) };
  const windows = cut([year], 31, 1).map(({ start }) => formatInstant(start).slice(0, 10));
  expect(windows).toEqual(
    Array.from({ length: 12 }, (_, month) => `2025-${String(month + 1).padStart(2, "0")}-01`),
  );
});

test("W1: the last window of an hourly stream ends on its hour", () => {
  const start = Date.UTC(2026, 2, 1);
  const windows = cut([{ start, end: start + DAY + 5 * HOUR }], 31, 8);
  expect(windows).toEqual([
    { start, end: start + DAY },
    { start: start + DAY, end: start + DAY + 5 * HOUR },
  ]);
  expect(floorTo(DAY, start)).toBe(start);
});

test("L2: two lists of ranges are passed through once, side by side", () => {
  const every = (from: number): Range[] =>
    Array.from({ length: 500 }, (_, index) => ({ start: 9 * index + from, end: 9 * index + 6 }));
  const compared = vi.spyOn(Math, "max");
  expect(subtract(every(0), every(3))).toHaveLength(500);
  expect(intersect(every(0), every(3))).toHaveLength(500);
  expect(compared.mock.calls.length).toBeLessThan(5000);
  compared.mockRestore();
});
