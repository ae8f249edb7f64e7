import { describe, expect, test } from "vitest";
import type { DayDigest } from "./digests.ts";
import { type KnownDays, learn, NOTHING_KNOWN, suspect } from "./known_days.ts";
import { differingDays, type FinishedReading, settle, writesDay } from "./settle.ts";
import { DAY, HOUR } from "./time.ts";

const ONE = 20_000 * DAY;
const TWO = ONE + DAY;
const NOON = ONE + 10 * DAY + 12 * HOUR;

const seen = (day: number, records: number, mark: string): DayDigest => ({
  day,
  records,
  digest: mark.padEnd(24, "0"),
});

function knowing(...days: readonly DayDigest[]): KnownDays {
  return days.reduce(
    (known, day) => learn(known, day, { readingId: "old", confirmed: true }),
    NOTHING_KNOWN,
  );
}

function reading(
  digests: readonly DayDigest[],
  more: Partial<FinishedReading> = {},
): FinishedReading {
  return {
    start: ONE,
    end: ONE + 2 * DAY,
    id: "new",
    beganAt: NOON,
    moved: false,
    rewrites: null,
    incomplete: [],
    digests,
    ...more,
  };
}

describe("settle()", () => {
  test("R6: unknown days were written as they were read; this reading's rows stand", () => {
    const { known, reports, rewrites } = settle(NOTHING_KNOWN, reading([seen(ONE, 3, "a")]), []);
    expect(known.ranges).toEqual([{ start: ONE, end: ONE + 2 * DAY }]);
    expect(known.days.get(ONE)).toMatchObject({ records: 3, readingId: "new", confirmed: true });
    expect(known.days.has(TWO)).toBe(false);
    expect(rewrites).toEqual([]);
    expect(reports).toMatchObject([
      { day: ONE, records: 3, rows: 3, rowsReadingId: "new", confirmed: true, shrunk: false },
      { day: TWO, records: 0, rows: 0, rowsReadingId: "new" },
    ]);
  });

  test("R6: a day that is as it was is reported with the earlier reading's rows", () => {
    const known = knowing(seen(ONE, 3, "a"), seen(TWO, 0, ""));
    const settled = settle(known, reading([seen(ONE, 3, "a")]), []);
    expect(settled.known).toBe(known);
    expect(settled.reports).toMatchObject([
      { day: ONE, rows: 3, rowsReadingId: "old" },
      { day: TWO, rows: 0, rowsReadingId: "new" },
    ]);
  });

  test("R6: of several pages a day that differs waits for the second reading, and is reported by it alone", () => {
    const known = knowing(seen(ONE, 3, "a"), seen(TWO, 1, "b"));
    const first = settle(known, reading([seen(ONE, 4, "c"), seen(TWO, 1, "b")]), []);
    expect(first.rewrites).toEqual([seen(ONE, 4, "c")]);
    expect(first.reports.map(({ day }) => day)).toEqual([TWO]);
    const second = settle(
      first.known,
      reading([seen(ONE, 4, "c")], { id: "second", rewrites: first.rewrites }),
      [],
    );
    expect(second.reports).toMatchObject([{ day: ONE, rows: 4, rowsReadingId: "second" }]);
    expect(second.known.days.get(ONE)).toMatchObject({ records: 4, readingId: "second" });
    expect(second.known.days.get(TWO)?.readingId).toBe("old");
  });

  test("R6: of one page a day that differs was written with that page", () => {
    const known = knowing(seen(ONE, 3, "a"), seen(TWO, 1, "b"));
    const digests = [seen(ONE, 4, "c"), seen(TWO, 1, "b")];
    const written = differingDays(known, reading(digests), digests, NOON);
    expect(written).toEqual([ONE]);
    const { reports, rewrites } = settle(known, reading(digests), written);
    expect(rewrites).toEqual([]);
    expect(reports).toMatchObject([
      { day: ONE, rowsReadingId: "new", rows: 4 },
      { day: TWO, rowsReadingId: "old", rows: 1 },
    ]);
  });

  test("R6: a day that is empty now has no rows to write: its report says so", () => {
    const { known, reports, rewrites } = settle(
      knowing(seen(ONE, 3, "a"), seen(TWO, 0, "")),
      reading([]),
      [],
    );
    expect(rewrites).toEqual([]);
    expect(known.days.has(ONE)).toBe(false);
    expect(reports[0]).toMatchObject({ day: ONE, rows: 0, rowsReadingId: "new" });
  });

  test("R8: less than half leaves the earlier rows standing; the second reading an hour later is believed", () => {
    const known = knowing(seen(ONE, 10, "a"), seen(TWO, 0, ""));
    const small = reading([seen(ONE, 4, "b")]);
    const doubted = settle(known, small, []);
    expect(doubted.reports[0]).toMatchObject({
      records: 4,
      rows: 10,
      rowsReadingId: "old",
      shrunk: true,
      confirmed: false,
    });
    expect(doubted.shrunk).toMatchObject([{ known: { records: 10 }, seen: { records: 4 } }]);
    expect(doubted.known.days.get(ONE)?.records).toBe(10);
    const later = settle(doubted.known, { ...small, beganAt: NOON + HOUR }, []);
    expect(later.rewrites).toEqual([seen(ONE, 4, "b")]);
    expect(suspect(known, seen(ONE, 4, "b"), NOON)).toEqual(doubted.known);
  });

  test("P6: a listing that moved proves nothing, unless the reading before agrees", () => {
    const moved = settle(NOTHING_KNOWN, reading([seen(ONE, 3, "a")], { moved: true }), []);
    expect(moved.reports[0]).toMatchObject({ confirmed: false });
    expect(moved.known.days.get(ONE)?.confirmed).toBe(false);
    const again = settle(
      moved.known,
      reading([seen(ONE, 3, "a")], { moved: true, id: "next" }),
      [],
    );
    expect(again.reports[0]).toMatchObject({ confirmed: true, rowsReadingId: "new" });
    const rewrites = [seen(ONE, 4, "c")];
    const second = reading(rewrites, { moved: true, rewrites });
    expect(settle(again.known, second, []).reports[0]).toMatchObject({ confirmed: true });
    const other = reading([seen(ONE, 5, "d")], { moved: true, rewrites });
    expect(settle(again.known, other, []).reports[0]).toMatchObject({ confirmed: false });
  });

  test("R4: a day whose rows are not exactly what was returned stays unknown and unconfirmed", () => {
    const { known, reports } = settle(
      NOTHING_KNOWN,
      reading([seen(ONE, 3, "a"), seen(TWO, 1, "b")], { incomplete: [ONE] }),
      [],
    );
    expect(known.ranges).toEqual([{ start: TWO, end: TWO + DAY }]);
    expect(reports.map(({ confirmed }) => confirmed)).toEqual([false, true]);
  });
});

describe("writesDay()", () => {
  test("R6: a first reading writes unknown days, a second one the days that differed", () => {
    const known = knowing(seen(ONE, 3, "a"));
    expect([ONE, TWO].map(writesDay(known, null))).toEqual([false, true]);
    expect([ONE, TWO].map(writesDay(known, [seen(ONE, 4, "c")]))).toEqual([true, false]);
  });
});
