import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planScrub, type Scrub, type ScrubInput } from "./scrub.ts";
import { daysOf } from "./digests.ts";
import { type KnownDays, learn, NOTHING_KNOWN } from "./known_days.ts";
import { pack, type PackingInput } from "./packing.ts";
import { DAY, monthStart } from "./time.ts";
import { cut, type Range, subtract, union } from "./window.ts";

const TODAY = Date.UTC(2026, 4, 20);

interface Drawn {
  readonly days: number;
  /** The history begins this many days before the argument `begins` of {@link historyOf}. */
  readonly history: number;
  readonly byMonth: boolean;
  readonly turn: 0 | 1;
  readonly maximumWindowDays: number;
  /** Records a day. */
  readonly density: number;
}

const input: fc.Arbitrary<Drawn> = fc.record({
  days: fc.integer({ min: 1, max: 40 }),
  history: fc.integer({ min: 0, max: 800 }),
  byMonth: fc.boolean(),
  turn: fc.constantFrom(0, 1),
  maximumWindowDays: fc.constantFrom(1, 7, 31),
  density: fc.constantFrom(0, 3, 50, 2000),
});

/** The history of an account: of costs, the whole months before the previous one. */
const historyOf = ({ byMonth, history }: Drawn, today: number, begins: number): Range => ({
  start: begins - history * DAY,
  end: byMonth ? monthStart(today, 2) : today,
});

/**
 * The slices of so many daily deep re-reads, by day. The history grows by a day each day; `moves` tells whether its beginning
 * moves too, as retention does.
 */
function slicesByDay(drawn: Drawn, count: number, first = TODAY, moves = false): Range[][] {
  let scrub: Scrub | null = null;
  return Array.from({ length: count }, (_, index) => {
    const today = first + index * DAY;
    const history = historyOf(drawn, today, moves ? today : first);
    const plan = planScrub(scrub, inputOf(drawn, today + DAY / 2, history));
    scrub = plan.after;
    return plan.slice === null ? [] : [plan.slice];
  });
}

const slicesOf = (drawn: Drawn, count: number): Range[] => slicesByDay(drawn, count).flat();

const inputOf = ({ density, ...rest }: Drawn, now: number, history: Range): ScrubInput => ({
  ...rest,
  now,
  history,
  pageSize: 1000,
  recordsOn: () => density,
});

/** A small account of usage, with 30 days for a turn. */
const small: Drawn = {
  days: 30,
  history: 90,
  byMonth: false,
  turn: 0,
  maximumWindowDays: 31,
  density: 3,
};

describe("planScrub()", () => {
  test("R7: a slice of usage has as many days as fit a page, and no more than the longest window", () => {
    const lengths = (density: number): number[] =>
      slicesOf({ ...small, density }, 20).map(({ start, end }) => (end - start) / DAY);
    expect(new Set(lengths(300))).toEqual(new Set([3, 6])); // one window or two
    expect(new Set(lengths(0))).toEqual(new Set([31]));
  });

  test("R7: everything before the deep re-read is compared once in scrub_days", () => {
    fc.assert(
      fc.property(input, (drawn) => {
        const all = historyOf(drawn, TODAY, TODAY);
        expect(subtract([all], slicesOf(drawn, drawn.days))).toEqual([]);
      }),
    );
  });

  test("R7: turn follows turn, and each of them compares everything", () => {
    fc.assert(
      fc.property(input, (drawn) => {
        const all = historyOf(drawn, TODAY, TODAY);
        const days = slicesByDay(drawn, 4 * drawn.days);
        for (let turn = 1; turn < 4; turn++) {
          // A turn is a day shorter where its last day belongs to the other stream.
          const own = days.slice(turn * (drawn.days - 1), (turn + 1) * drawn.days);
          expect(subtract([all], own.flat())).toEqual([]);
        }
      }),
    );
  });

  test("R7: a turn compares no day twice, and slices of costs begin where the one before ended", () => {
    fc.assert(
      fc.property(input, (drawn) => {
        const slices = slicesOf(drawn, drawn.days - 1);
        const length = (ranges: readonly Range[]): number =>
          ranges.reduce((sum, range) => sum + range.end - range.start, 0);
        expect(length(slices)).toBe(length(union(slices)));
        if (drawn.byMonth) {
          for (const { end } of slices) expect(end).toBe(monthStart(end));
        }
      }),
    );
  });

  test("R7 W2: for 400 days of a small account, usage and costs together add one window a day at most", () => {
    const drawn = fc.record({
      first: fc.integer({ min: 0, max: 1500 }),
      history: fc.integer({ min: 30, max: 400 }),
      density: fc.integer({ min: 0, max: 30 }),
    });
    fc.assert(
      fc.property(drawn, ({ first, ...rest }) => {
        const begins = TODAY + first * DAY;
        const usage = slicesByDay({ ...small, ...rest }, 100, begins, true);
        const costs = slicesByDay({ ...small, ...rest, byMonth: true, turn: 1 }, 100, begins, true);
        for (const [index, slices] of usage.entries()) {
          const windows = [
            ...slices.flatMap((slice) => pack([slice], packing(slice, rest.density))),
            ...cut(costs[index] ?? [], 31, 1),
          ];
          expect(windows.length).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test("R7: a small history waits for the last day of the turn: one slice in all", () => {
    const drawn = { ...small, days: 20, history: 5 };
    expect(slicesOf(drawn, 20)).toHaveLength(1);
    expect(slicesOf(drawn, 18)).toHaveLength(0);
  });

  test("R7: without a sync each day, a slice has the windows of the days that were missed", () => {
    const drawn = { ...small, history: 400 };
    const at = (now: number): ScrubInput => inputOf(drawn, now, historyOf(drawn, TODAY, TODAY));
    const stored = { began: TODAY - 20 * DAY, through: TODAY - 400 * DAY };
    const { slice } = planScrub(stored, at(TODAY));
    expect(slice?.start).toBe(TODAY - 400 * DAY);
    expect(slice?.end).toBeGreaterThan(TODAY - 250 * DAY);
  });

  test("R7: off, and without history, nothing is due", () => {
    const history = { start: TODAY - 90 * DAY, end: TODAY };
    const stored = { began: TODAY, through: TODAY - 80 * DAY };
    expect(planScrub(stored, { ...inputOf(small, TODAY, history), days: 0 })).toEqual({
      slice: null,
      after: stored,
    });
    const none = { start: TODAY, end: TODAY };
    expect(planScrub(stored, inputOf(small, TODAY, none))).toEqual({ slice: null, after: null });
  });

  test("R7: a turn that was missed for weeks is caught up at once, and then a new one begins", () => {
    const drawn = { ...small, days: 10, density: 50 };
    const history = { start: TODAY - 90 * DAY, end: TODAY };
    const late = planScrub(
      { began: TODAY - 50 * DAY, through: TODAY - 60 * DAY },
      inputOf(drawn, TODAY, history),
    );
    expect(late.slice).toEqual({ start: TODAY - 60 * DAY, end: TODAY });
    expect(late.after).toEqual({ began: TODAY + DAY, through: history.start });
    // A clock that goes back begins a turn too.
    const again = planScrub(late.after, inputOf(drawn, TODAY, history));
    expect(again.after?.began).toBe(TODAY);
  });
});

/** The known days of a range, with so many records each. */
function packing(range: Range, density: number): PackingInput {
  const days = daysOf(range).map((day) => ({ day, records: density, digest: "1".repeat(24) }));
  const known = days.reduce<KnownDays>(
    (before, day) => learn(before, day, { readingId: "r", confirmed: true }),
    NOTHING_KNOWN,
  );
  return { known, pageSize: 1000, maximumDays: 31, atLeast: 16 };
}
