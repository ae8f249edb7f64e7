import fc from "fast-check";
import { expect, test } from "vitest";
import {
  ceilTo,
  DAY,
  floorTo,
  formatDay,
  formatInstant,
  instantAt,
  HOUR,
  monthStart,
  nextMonthStart,
  parseDate,
  parseInstant,
} from "./time.ts";

const instants = fc.integer({ min: Date.UTC(1971, 0, 1), max: Date.UTC(9000, 0, 1) });

test("an instant survives formatting and parsing", () => {
  fc.assert(
    fc.property(instants, (ms) => {
      expect(parseInstant(formatInstant(ms))).toBe(ms);
    }),
  );
});

test("days and instants are written as Date writes them, also beyond years of four digits", () => {
  const edges = [-1, 0, Date.UTC(9999, 11, 31, 23), Date.UTC(10_000, 0, 1), -86_400_000 * 800_000];
  const days = Array.from({ length: 30_000 }, (_, index) => index * 97 * DAY);
  const recent = Array.from({ length: 4000 }, (_, index) => Date.UTC(2018, 0, 1) + index * DAY);
  for (const ms of [...edges, ...days, ...recent]) {
    expect(formatDay(ms + 1)).toBe(new Date(ms + 1).toISOString().slice(0, 10));
    expect(formatInstant(ms)).toBe(new Date(ms).toISOString().replace(".000Z", "Z"));
  }
});

test("every day of the calendar is where Date has it, and no other day exists", () => {
  const part = (value: number, length: number): string => String(value).padStart(length, "0");
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (year, month, day) => {
        const text = `${part(year, 4)}-${part(month, 2)}-${part(day, 2)}T00:00:00Z`;
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        expect(parseInstant(text)).toBe(exists && month > 0 ? date.getTime() : undefined);
      },
    ),
    { numRuns: 5000 },
  );
});

test.each([
  ["2026-01-02T03:04:05Z", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ["2026-01-02t03:04:05z", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ["2026-01-02T03:04:05+00:00", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ["2026-01-02T03:04:05-00:00", Date.UTC(2026, 0, 2, 3, 4, 5)],
  ["2026-01-02T03:04:05.123456789Z", Date.UTC(2026, 0, 2, 3, 4, 5, 123)],
  ["2026-01-02T03:04:05.5Z", Date.UTC(2026, 0, 2, 3, 4, 5, 500)],
  ["2016-12-31T23:59:60Z", Date.UTC(2016, 11, 31, 23, 59, 59, 999)],
  ["2024-02-29T00:00:00Z", Date.UTC(2024, 1, 29)],
])("%s is an instant", (text, ms) => {
  expect(parseInstant(text)).toBe(ms);
});

test.each([
  "2026-02-30T00:00:00Z",
  "2026-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:61Z",
  "2026-01-01T00:00:00+02:00",
  "2026-01-01T00:00:00",
  "2026-01-01 00:00:00Z",
  "2026-01-01T00:00Z",
  "2026-01-01",
  "2026-01-01T00:00:0",
  "2026-01-01T00:00:00",
  "2026-01-01T0 :00:00Z",
  "2026-01-01T00:00:00.Z",
  "2026-01-01T00:00:00ZZ",
  "2026-01-01T00:00:00Z\n",
  "",
])("%j is no instant", (text) => {
  expect(parseInstant(text)).toBeUndefined();
});

test("bytes in the usual form are the instant that the same text is, and no others are one", () => {
  const part = fc.integer({ min: 0, max: 62 }).map((value) => String(value).padStart(2, "0"));
  const usual = fc
    .tuple(part, part, part, part, part, part, part)
    .map(([a, b, month, day, h, m, s]) => `${a}${b}-${month}-${day}T${h}:${m}:${s}Z`);
  const changed = fc
    .tuple(
      instants.map(formatInstant),
      fc.nat({ max: 19 }),
      fc.constantFrom("-", "T", ":", "x", "9"),
    )
    .map(([text, at, mark]) => text.slice(0, at) + mark + text.slice(at + 1));
  fc.assert(
    fc.property(fc.oneof(usual, changed), fc.nat({ max: 3 }), (text, before) => {
      const bytes = Buffer.from(" ".repeat(before) + text);
      const isLeap = text.slice(17, 19) === "60";
      const expected = isLeap || text.length !== 20 ? undefined : parseInstant(text);
      expect(instantAt(bytes, before)).toBe(expected ?? Number.NaN);
    }),
    { numRuns: 2000 },
  );
});

test("a date is a day that exists", () => {
  expect(parseDate("2024-02-29")).toBe(Date.UTC(2024, 1, 29));
  expect(parseDate("2026-02-29")).toBeUndefined();
  expect(parseDate("2026-1-1")).toBeUndefined();
  expect(formatDay(Date.UTC(2026, 0, 31, 23))).toBe("2026-01-31");
});

test("floor and ceil enclose an instant within one bucket", () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(HOUR, DAY), (ms, bucket) => {
      const [low, high] = [floorTo(bucket, ms), ceilTo(bucket, ms)];
      expect(low <= ms && ms <= high).toBe(true);
      expect(high - low === 0 || high - low === bucket).toBe(true);
      expect(low % bucket).toBe(0);
    }),
  );
});

test("a month start holds no day of another month", () => {
  fc.assert(
    fc.property(instants, (ms) => {
      expect(formatInstant(monthStart(ms)).slice(8, 10)).toBe("01");
      expect(monthStart(ms) <= ms && ms < nextMonthStart(ms)).toBe(true);
      expect(monthStart(nextMonthStart(ms), 1)).toBe(monthStart(ms));
    }),
  );
});

test("months back cross the year", () => {
  expect(monthStart(Date.UTC(2026, 0, 15), 2)).toBe(Date.UTC(2025, 10, 1));
});
