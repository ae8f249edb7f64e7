import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forget, type KnownDays, learn, NOTHING_KNOWN } from "./known_days.ts";
import { pack } from "./packing.ts";
import { DAY, HOUR, monthStart } from "./time.ts";
import { type Range, union } from "./window.ts";

const FIRST = Date.UTC(2026, 0, 1);

/** Known days from FIRST on with so many records each; null leaves a day unknown. */
function knowing(counts: readonly (number | null)[]): KnownDays {
  return counts.reduce<KnownDays>(
    (known, records, index) =>
      records === null
        ? known
        : learn(
            known,
            { day: FIRST + index * DAY, records, digest: "1".repeat(24) },
            { readingId: "r", confirmed: true },
          ),
    NOTHING_KNOWN,
  );
}

function recordsIn(known: KnownDays, { start, end }: Range): number {
  const days = [...known.days.values()].filter(({ day }) => day >= start && day < end);
  return days.reduce((sum, { records }) => sum + records, 0);
}

/** Records of a day: often so few that many days fit a page. */
const daily = fc.oneof(fc.constant(0), fc.nat(20), fc.nat(1500));
const input = fc.record({
  counts: fc.array(fc.option(daily, { freq: 5 }), { maxLength: 70, size: "max" }),
  pageSize: fc.constantFrom(1, 7, 1000),
  maximumDays: fc.constantFrom(1, 5, 31),
  atLeast: fc.integer({ min: 1, max: 64 }),
  ranges: fc.array(
    fc
      .tuple(fc.integer({ min: 0, max: 69 }), fc.integer({ min: 1, max: 24 * 30 }))
      .map(([day, hours]): Range => ({
        start: FIRST + day * DAY,
        end: FIRST + day * DAY + hours * HOUR,
      })),
    { maxLength: 4 },
  ),
});

describe("pack()", () => {
  test("W1 W2: windows tile the ranges and are never too long; windows of unknown days cross no month", () => {
    fc.assert(
      fc.property(input, fc.boolean(), ({ counts, ranges, ...rest }, isKnown) => {
        const windows = pack(ranges, { ...rest, known: isKnown ? knowing(counts) : NOTHING_KNOWN });
        expect(union(windows)).toEqual(union(ranges));
        for (const [index, { start, end }] of windows.entries()) {
          expect(start).toBeGreaterThanOrEqual(windows[index - 1]?.end ?? -Infinity);
          if (!isKnown) expect(monthStart(start)).toBe(monthStart(end - 1));
          expect(end - start).toBeLessThanOrEqual(rest.maximumDays * DAY);
        }
      }),
    );
  });

  test("W2: known days share a window as long as they fit a page", () => {
    fc.assert(
      fc.property(input, ({ counts, ...rest }) => {
        const known = knowing(counts.map((count) => count ?? 0));
        const all = { start: FIRST, end: FIRST + counts.length * DAY };
        const windows = pack([all], { ...rest, known });
        for (const [index, window] of windows.entries()) {
          const records = recordsIn(known, window);
          expect(records <= rest.pageSize || window.end - window.start === DAY).toBe(true);
          const before = windows[index - 1];
          if (before === undefined) continue;
          const together = { start: before.start, end: window.start + DAY };
          const isTooLong = together.end - together.start > rest.maximumDays * DAY;
          expect(isTooLong || recordsIn(known, together) > rest.pageSize).toBe(true);
        }
      }),
    );
  });

  test("W2: a small account's re-read is one window, the day since the last sync included", () => {
    const known = knowing([5, 5, 5, 5, 5, 5, 5]);
    const range = { start: FIRST, end: FIRST + 8 * DAY };
    const options = { known, pageSize: 1000, maximumDays: 31, atLeast: 16 };
    expect(pack([range], options)).toEqual([range]);
  });

  test("W1: a window of known usage crosses the start of a month", () => {
    const known = knowing(Array.from({ length: 40 }, () => 5));
    const range = { start: FIRST + 25 * DAY, end: FIRST + 40 * DAY };
    expect(pack([range], { known, pageSize: 1000, maximumDays: 31, atLeast: 16 })).toEqual([range]);
  });

  test("W1: known days with a gap between them share no window", () => {
    const known = knowing([5, 5, 5, 5]);
    const ranges = [0, 2].map((day) => ({
      start: FIRST + day * DAY,
      end: FIRST + (day + 1) * DAY,
    }));
    const options = { known, pageSize: 1000, maximumDays: 31, atLeast: 1 };
    expect(pack(ranges, options)).toEqual(ranges);
  });

  test("W2: a forgotten day counts with its number of records, and a day long after the known ones with none", () => {
    const options = { pageSize: 1000, maximumDays: 31, atLeast: 1 };
    const gone = { day: FIRST + DAY, records: 0, writtenBy: null };
    const both = { start: FIRST, end: FIRST + 2 * DAY };
    for (const [records, windows] of [
      [995, 1],
      [996, 2],
    ] as const) {
      const known = forget(knowing([5, records]), [gone]);
      expect(pack([both], { ...options, known })).toHaveLength(windows);
    }
    const few = { ...options, known: knowing([5, 5]) };
    const days = (end: number): Range[] => pack([{ start: FIRST, end: FIRST + end * DAY }], few);
    expect(days(5)).toHaveLength(1); // three days of guesses
    expect(days(6)).toEqual([
      { start: FIRST, end: FIRST + 5 * DAY },
      { start: FIRST + 5 * DAY, end: FIRST + 6 * DAY },
    ]);
  });

  test("W2: usage that nothing is known of is cut into windows for the lanes", () => {
    const range = { start: FIRST, end: FIRST + 28 * DAY };
    const options = { known: NOTHING_KNOWN, pageSize: 1000, maximumDays: 31, atLeast: 16 };
    expect(pack([range], options).length).toBeGreaterThanOrEqual(16);
  });
});
