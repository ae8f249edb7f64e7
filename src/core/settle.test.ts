import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { DayDigest } from "./digests.ts";
import { asFormer } from "./former.ts";
import { readingId } from "./identity.ts";
import { forget, isKnown, type KnownDays, learn, NOTHING_KNOWN, suspect } from "./known_days.ts";
import {
  differingDays,
  type FinishedReading,
  settle,
  settleAgain,
  standsUnproven,
  writesDay,
} from "./settle.ts";
import { DAY, formatInstant, HOUR } from "./time.ts";

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

/** A reading that shows the data of its own start. */
const at = (now: number) => ({ beganAt: now, firstAsOf: formatInstant(now) });

function reading(
  digests: readonly DayDigest[],
  more: Partial<FinishedReading> = {},
): FinishedReading {
  return {
    start: ONE,
    end: ONE + 2 * DAY,
    id: "new",
    ...at(more.beganAt ?? NOON),
    endedAt: NOON,
    moved: false,
    rewrites: null,
    incomplete: [],
    digests,
    ...more,
  };
}

describe("settle() of a source that cannot show all of its rows", () => {
  const known = knowing(seen(ONE, 3, "a"), seen(TWO, 2, "b"));

  test.each([
    ["fewer rows", seen(ONE, 2, "c")],
    ["more rows", seen(ONE, 9, "c")],
    ["no rows", seen(ONE, 0, "")],
    ["the same rows", seen(ONE, 3, "a")],
  ])(
    "R11: the rows of before stand, unproven, where it shows %s on a day of before",
    (_name, day) => {
      for (const rewrites of [null, [day]]) {
        const settled = settle(known, reading([day], { unprovenBefore: TWO, rewrites }), []);
        expect(settled.known.days.get(ONE)).toMatchObject({ digest: seen(ONE, 3, "a").digest });
        expect(settled.rewrites).toEqual([]);
        expect(settled.reports[0]).toMatchObject({
          day: ONE,
          records: day.records,
          rowsReadingId: "old",
          rows: 3,
          confirmed: false,
          shrunk: false,
        });
      }
    },
  );

  test("R11: such a day that left the state stays there, until all rows are shown", () => {
    const gone = forget(known, [{ day: ONE, records: 0, writtenBy: null }]);
    const settled = settle(gone, reading([seen(ONE, 1, "c")], { unprovenBefore: TWO }), []);
    expect(settled.known.forgotten.get(ONE)).toMatchObject({ records: 3, readingId: "old" });
    expect(settled.reports[0]).toMatchObject({ rowsReadingId: "old", rows: 3, confirmed: false });
    const whole = settle(gone, reading([seen(ONE, 3, "c")]), []);
    expect(whole.reports[0]).toMatchObject({ rowsReadingId: "new", rows: 3, confirmed: true });
  });

  test("R11: later days, and days without rows of before, have the rows that it shows, unproven", () => {
    const digests = [seen(ONE, 4, "c"), seen(TWO, 5, "d")];
    const settled = settle(NOTHING_KNOWN, reading(digests, { unprovenBefore: TWO }), []);
    expect(settled.reports).toMatchObject([
      { day: ONE, rowsReadingId: "new", rows: 4, confirmed: false },
      { day: TWO, rowsReadingId: "new", rows: 5, confirmed: false },
    ]);
    const later = settle(known, reading([seen(TWO, 2, "b")], { unprovenBefore: TWO }), []);
    expect(later.reports[1]).toMatchObject({ day: TWO, rowsReadingId: "old", confirmed: false });
    const agreed = { unprovenBefore: TWO, rewrites: [seen(TWO, 5, "d")] };
    const second = settle(known, reading([seen(TWO, 5, "d")], agreed), []);
    expect(second.reports).toMatchObject([{ day: TWO, rowsReadingId: "new", confirmed: false }]);
  });

  test("R11: a page writes no day of which the rows of before stand", () => {
    expect(standsUnproven(known, ONE, TWO)).toBe(true);
    expect(standsUnproven(known, TWO, TWO)).toBe(false);
    expect(standsUnproven(known, ONE, null)).toBe(false);
    expect(standsUnproven(NOTHING_KNOWN, ONE, TWO)).toBe(false);
  });
});

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
    const written = differingDays(known, reading(digests), digests, reading(digests));
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
    expect(doubted.shrunk).toEqual([{ day: ONE, most: 10, records: 4 }]);
    expect(doubted.known.days.get(ONE)?.records).toBe(10);
    const later = settle(doubted.known, { ...small, ...at(NOON + HOUR) }, []);
    expect(later.rewrites).toEqual([seen(ONE, 4, "b")]);
    expect(suspect(known, seen(ONE, 4, "b"), NOON)).toEqual(doubted.known);
  });

  test("R8: the second reading of a window is compared with the first one and with the forgotten rows", () => {
    const gone = { day: ONE, records: 30, writtenBy: null };
    const known = forget(knowing(seen(ONE, 30, "a"), seen(TWO, 0, "")), [gone]);
    const rewrites = [seen(ONE, 30, "b")];
    const outage = settle(known, reading([seen(ONE, 1, "c")], { rewrites }), []);
    const report = { records: 1, rows: 30, rowsReadingId: "old", shrunk: true, confirmed: false };
    expect(outage.reports).toMatchObject([report]);
    expect(outage.shrunk).toEqual([{ day: ONE, most: 30, records: 1 }]);
    expect(isKnown(outage.known, ONE)).toBe(false);
    // A state of 0.2.0 has an open second reading, and no forgotten day.
    const first = settle(NOTHING_KNOWN, reading([seen(ONE, 1, "c")], { rewrites }), []);
    expect(first.reports).toMatchObject([{ ...report, rows: 1, rowsReadingId: "new" }]);
    expect(first.known.forgotten.get(ONE)).toMatchObject({ most: 30, readingId: null });
  });

  test("R8: an unknown day is compared with the number of its forgotten rows", () => {
    const gone = { day: ONE, records: 30, writtenBy: null };
    const known = forget(knowing(seen(ONE, 30, "a"), seen(TWO, 0, "")), [gone]);
    const outage = settle(known, reading([seen(ONE, 1, "c")]), []);
    expect(outage.reports[0]).toMatchObject({ rows: 30, rowsReadingId: "old", shrunk: true });
    const over = settle(outage.known, reading([seen(ONE, 30, "a")]), []);
    expect(over.reports[0]).toMatchObject({ rows: 30, rowsReadingId: "new", confirmed: true });
    expect(over.known.forgotten.size).toBe(0);
    const later = reading([seen(ONE, 1, "c")], { beganAt: NOON + HOUR });
    expect(settle(outage.known, later, []).reports[0]).toMatchObject({ rows: 1, shrunk: false });
  });

  test("R8: the hour counts from the end of the first reading, because the outage may begin while it goes on", () => {
    const known = knowing(seen(ONE, 10, "a"), seen(TWO, 0, ""));
    const endedAt = NOON + 2 * HOUR;
    const small = (beganAt: number) => reading([seen(ONE, 4, "b")], { beganAt, endedAt });
    const doubted = settle(known, small(NOON), []).known;
    const later = (beganAt: number) => settle(doubted, small(beganAt), []).rewrites;
    expect(later(endedAt + HOUR - 1)).toEqual([]);
    expect(later(endedAt + HOUR)).toEqual([seen(ONE, 4, "b")]);
  });

  test("R8: whatever is read, killed and forgotten, no loss stands that no reading of an earlier view has shown an hour before", () => {
    const content = fc.constantFrom(seen(ONE, 30, "a"), seen(ONE, 3, "b"), seen(ONE, 1, "c"));
    const step = fc.record({
      content,
      again: content,
      later: fc.integer({ min: 1, max: 90 }),
      pages: fc.constantFrom("one", "several"),
      killed: fc.boolean(),
      moved: fc.boolean(),
      incomplete: fc.boolean(),
      /** How old the view is that the reading shows, in minutes. */
      old: fc.constantFrom(0, 0, 100, 2000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let known = knowing(seen(ONE, 30, "a"), seen(TWO, 0, ""));
        let now = NOON;
        const shown: { readonly digest: string; readonly at: number }[] = [];
        /** Judges a reading. The result tells whether a loss was believed. */
        const judged = (one: FinishedReading, written: readonly number[]): boolean => {
          const settled = settle(known, one, written);
          known = settled.known;
          const { digest } = one.digests[0] ?? seen(ONE, 0, "");
          const isBelieved = settled.reports.some(
            ({ day, records, shrunk }) => day === ONE && records < 15 && !shrunk,
          );
          if (isBelieved) {
            expect(
              shown.some((earlier) => {
                const isNewer = Date.parse(one.firstAsOf ?? "") > earlier.at;
                const least = isNewer ? HOUR : 20 * HOUR;
                return earlier.digest === digest && one.beganAt - earlier.at >= least;
              }),
            ).toBe(true);
          }
          shown.push({ digest, at: one.endedAt });
          return isBelieved;
        };
        for (const {
          content: first,
          again,
          later,
          pages,
          killed,
          moved,
          incomplete,
          old,
        } of steps) {
          now += later * (HOUR / 60);
          const firstAsOf = formatInstant(now - old * (HOUR / 60));
          const own = { beganAt: now, firstAsOf, endedAt: now };
          const more = { ...own, moved, incomplete: incomplete ? [ONE] : [] };
          const one = reading([first], more);
          const gone = [{ ...first, writtenBy: null }];
          const differs = differingDays(known, one, one.digests, one).length > 0;
          if (pages === "one" && differs) {
            known = forget(known, gone);
            if (!killed && judged(one, [ONE])) return;
            continue;
          }
          if (judged(one, [])) return;
          if (!differs) continue;
          known = forget(known, gone);
          if (!killed && judged(reading([again], { ...more, rewrites: [first] }), [])) return;
        }
      }),
      { numRuns: 1000 },
    );
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

  test("R10: a day that becomes unconfirmed is doubtful once, and again only after it was confirmed", () => {
    const moved = { moved: true };
    const first = settle(NOTHING_KNOWN, reading([seen(ONE, 3, "a")], moved), []);
    expect(first.doubtful).toEqual([ONE, TWO]);
    const gone = (known: KnownDays) => forget(known, [{ ...seen(ONE, 3, "b"), writtenBy: null }]);
    const rewrites = [seen(ONE, 3, "b")];
    const unsteady = reading([seen(ONE, 3, "c")], { moved: true, rewrites });
    expect(settle(gone(first.known), unsteady, []).doubtful).toEqual([]);
    const steady = settle(first.known, reading([seen(ONE, 3, "a")]), []);
    expect(settle(gone(steady.known), unsteady, []).doubtful).toEqual([ONE]);
  });

  test("R10: a day that was unconfirmed while it went on is doubtful once more when it is over", () => {
    const moved = (instant: number, mark: string): FinishedReading => {
      const rewrites = [seen(ONE, 3, "before")];
      const id = readingId(instant, "chain");
      return reading([seen(ONE, 3, mark)], { moved: true, rewrites, id });
    };
    const today = settle(NOTHING_KNOWN, moved(ONE + DAY - 1, "a"), []);
    const over = settle(today.known, moved(ONE + DAY, "b"), []);
    expect(over.doubtful).toEqual([ONE]);
    expect(settle(over.known, moved(ONE + 2 * DAY, "c"), []).doubtful).toEqual([]);
  });

  test("R8 P6: a loss in a listing that moved is believed and proven once a second reading agrees", () => {
    const moved = (records: number, mark: string) =>
      reading([seen(ONE, records, mark)], { moved: true });
    const fewer = settle(knowing(seen(ONE, 14, "a"), seen(TWO, 0, "")), moved(9, "b"), [ONE]);
    expect(fewer.reports[0]).toMatchObject({ rows: 9, rowsReadingId: "new", confirmed: false });
    expect(isKnown(fewer.known, ONE)).toBe(false);
    // Fewer than ten rows alone would raise no suspicion.
    const outage = settle(fewer.known, reading([seen(ONE, 0, "")]), []);
    expect(outage.shrunk).toEqual([{ day: ONE, most: 14, records: 0 }]);
    const again = settle(fewer.known, moved(9, "b"), []);
    expect(again.known.days.get(ONE)).toMatchObject({ records: 9, confirmed: true });
    expect(again.reports[0]).toMatchObject({ rowsReadingId: "new", confirmed: true });
    expect([again.hasLost, again.doubtful]).toEqual([true, []]);
    expect(settle(fewer.known, moved(8, "c"), []).known.days.has(ONE)).toBe(false);
    const steady = settle(fewer.known, reading([seen(ONE, 9, "b")]), []);
    expect(steady.known.days.get(ONE)).toMatchObject({ records: 9, confirmed: true });
  });

  test("R10: a day that is unconfirmed again is doubtful once more if it has another number of rows", () => {
    const first = settle(NOTHING_KNOWN, reading([seen(ONE, 3, "a")], { moved: true }), []);
    const again = (records: number) =>
      settle(first.known, reading([seen(ONE, records, "b")], { moved: true }), [ONE]).doubtful;
    expect(again(4)).toEqual([ONE]);
    expect(again(3)).toEqual([]);
  });

  test("R10: a reading that is not believed is neither the first nor the second time that a day is unconfirmed", () => {
    const moved = (records: number, mark: string) =>
      reading([seen(ONE, records, mark)], { moved: true });
    const first = settle(NOTHING_KNOWN, moved(20, "a"), []);
    const outage = settle(first.known, moved(3, "b"), [ONE]);
    expect(outage.shrunk).toEqual([{ day: ONE, most: 20, records: 3 }]);
    expect(settle(outage.known, moved(20, "c"), [ONE]).doubtful).toEqual([]);
    expect(settle(outage.known, moved(21, "c"), [ONE]).doubtful).toEqual([ONE]);
    const early = settle(knowing(seen(ONE, 20, "a"), seen(TWO, 0, "")), moved(3, "b"), [ONE]);
    expect(early.shrunk).toEqual([{ day: ONE, most: 20, records: 3 }]);
    expect(settle(early.known, moved(20, "c"), [ONE]).doubtful).toEqual([ONE]);
  });

  test("R10: a day that has fewer rows than before has lost some, in each kind of reading", () => {
    const known = knowing(seen(ONE, 3, "a"), seen(TWO, 1, "b"));
    const fewer = [seen(ONE, 2, "c"), seen(TWO, 1, "b")];
    expect(settle(known, reading(fewer), [ONE]).hasLost).toBe(true);
    const more = [seen(ONE, 3, "c"), seen(TWO, 2, "b")];
    expect(settle(known, reading(more), [ONE, TWO]).hasLost).toBe(false);
    const gone = forget(known, [{ ...seen(ONE, 2, "c"), writtenBy: null }]);
    const second = reading(fewer, { rewrites: [seen(ONE, 2, "c")] });
    expect(settle(gone, second, []).hasLost).toBe(true);
    // An interrupted reading has written more rows than the state knows of the day.
    const most = forget(known, [{ ...seen(ONE, 5, "c"), writtenBy: "r" }]);
    expect(settle(most, reading([seen(ONE, 4, "d"), seen(TWO, 1, "b")]), []).hasLost).toBe(true);
    expect(settle(most, reading([seen(ONE, 5, "d"), seen(TWO, 1, "b")]), []).hasLost).toBe(false);
    // The rows of a day that shows less than half may have moved.
    const many = knowing(seen(ONE, 12, "a"), seen(TWO, 1, "b"));
    expect(settle(many, reading([seen(ONE, 1, "c"), seen(TWO, 1, "b")]), []).hasLost).toBe(true);
    // A window that began again shows fewer rows of an unknown day than it had written.
    const again = (rows: number) => ({ incomplete: [ONE], rows: new Map([[ONE, rows]]) });
    const fresh = (rows: number) =>
      settle(NOTHING_KNOWN, reading([seen(ONE, 3, "c")], again(rows)), []).hasLost;
    expect([fresh(4), fresh(3)]).toEqual([true, false]);
  });

  test("P6: a second look at a window confirms the days that agree, and says nothing of the others", () => {
    const moved = settle(
      NOTHING_KNOWN,
      reading([seen(ONE, 3, "a"), seen(TWO, 1, "b")], { moved: true }),
      [],
    ).known;
    const again = reading([seen(ONE, 3, "a"), seen(TWO, 2, "c")], { id: "again" });
    const { known, reports } = settleAgain(moved, again, [ONE, TWO]);
    expect(reports).toMatchObject([{ day: ONE, rowsReadingId: "new", rows: 3, confirmed: true }]);
    expect([ONE, TWO].map((day) => known.days.get(day)?.confirmed)).toEqual([true, false]);
  });

  test("P6 R6: a second look at a day that 0.2.0 knew compares the day in the form of 0.2.0", () => {
    const known = asFormer(knowing(seen(ONE, 3, "old")), [ONE]);
    const present = { ...seen(ONE, 3, "new"), former: seen(ONE, 3, "old").digest };
    const again = settleAgain(known, reading([present]), [ONE]);
    expect(again.reports).toMatchObject([{ day: ONE, confirmed: true }]);
    expect(again.known.days.get(ONE)).toMatchObject({ digest: present.digest });
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

test("L2: a window of a thousand days is judged without a copy of all known days for each day", () => {
  const days = Array.from({ length: 1000 }, (_, index) => seen(ONE + index * DAY, 12, "a"));
  const window = { start: ONE, end: ONE + 1000 * DAY };
  const entries = days.map((day) => ({ ...day, readingId: "old", confirmed: false }));
  const known: KnownDays = {
    ...NOTHING_KNOWN,
    ranges: [window],
    days: new Map(entries.map((entry) => [entry.day, { ...entry, shrinkage: null }])),
  };
  const differing = days.map((day) => ({ ...day, digest: "b".repeat(24) }));
  const changed = reading(differing, window);
  const numbers = days.map(({ day }) => day);
  const stored = vi.spyOn(Map.prototype, "set");
  const { known: written, reports } = settle(known, changed, numbers);
  const { known: confirmed } = settle(known, reading(days, window), []);
  const { known: again } = settleAgain(known, reading(days, window), numbers);
  const count = stored.mock.calls.length;
  stored.mockRestore();
  expect(count).toBeLessThan(50_000);
  expect(reports.map(({ day }) => day)).toEqual(numbers);
  expect(written.ranges).toEqual([window]);
  expect([...written.days.values()].every(({ readingId: id }) => id === changed.id)).toBe(true);
  for (const { days: all } of [confirmed, again])
    expect([...all.values()].every(({ confirmed: isProven }) => isProven)).toBe(true);
});
