import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planScrub, type Scrub, type ScrubInput } from "./scrub.ts";
import { DAY, floorTo, monthStart } from "./time.ts";
import { type Range, subtract, union } from "./window.ts";

const TODAY = Date.UTC(2026, 4, 20);

interface Drawn {
  readonly days: number;
  /** Days before today with which the history begins. */
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

/** The slices of so many daily deep re-reads; the history grows by a day each day. */
function slicesOf(drawn: Drawn, count: number): { slices: Range[]; all: Range } {
  let scrub: Scrub | null = null;
  const slices: Range[] = [];
  const start = TODAY - drawn.history * DAY;
  for (let index = 0; index < count; index++) {
    const now = TODAY + index * DAY + DAY / 2;
    const history = { start, end: drawn.byMonth ? monthStart(now, 2) : floorTo(DAY, now) };
    const plan = planScrub(scrub, inputOf(drawn, now, history));
    if (plan.slice !== null) slices.push(plan.slice);
    scrub = plan.after;
  }
  return { slices, all: { start, end: drawn.byMonth ? monthStart(TODAY, 2) : TODAY } };
}

const inputOf = ({ density, ...rest }: Drawn, now: number, history: Range): ScrubInput => ({
  ...rest,
  now,
  history,
  pageSize: 1000,
  recordsIn: ({ start, end }) => (density * (end - start)) / DAY,
});

describe("planScrub()", () => {
  test("R7: everything before the deep re-read is compared once in scrub_days", () => {
    fc.assert(
      fc.property(input, (drawn) => {
        const { slices, all } = slicesOf(drawn, drawn.days);
        expect(subtract([all], slices)).toEqual([]);
      }),
    );
  });

  test("R7: a turn compares no day twice, and slices of costs begin where the one before ended", () => {
    fc.assert(
      fc.property(input, (drawn) => {
        const { slices } = slicesOf(drawn, drawn.days);
        const length = (ranges: readonly Range[]): number =>
          ranges.reduce((sum, range) => sum + range.end - range.start, 0);
        expect(length(slices)).toBe(length(union(slices)));
        if (drawn.byMonth) {
          for (const { end } of slices.slice(0, -1)) expect(end).toBe(monthStart(end));
        }
      }),
    );
  });

  test("R7: a small history waits for the last day of the turn: one slice in all", () => {
    const drawn = {
      days: 20,
      history: 5,
      byMonth: false,
      turn: 0 as const,
      maximumWindowDays: 31,
      density: 3,
    };
    expect(slicesOf(drawn, 20).slices).toHaveLength(1);
    expect(slicesOf(drawn, 19).slices).toHaveLength(0);
  });

  test("R7: off, and without history, nothing is due and the state stays", () => {
    const drawn = {
      days: 30,
      history: 90,
      byMonth: false,
      turn: 0 as const,
      maximumWindowDays: 31,
      density: 3,
    };
    const history = { start: TODAY - 90 * DAY, end: TODAY };
    const stored = { began: TODAY, through: TODAY - 80 * DAY };
    expect(planScrub(stored, { ...inputOf(drawn, TODAY, history), days: 0 })).toEqual({
      slice: null,
      after: stored,
    });
    const none = { start: TODAY, end: TODAY };
    expect(planScrub(null, inputOf(drawn, TODAY, none))).toEqual({ slice: null, after: null });
  });

  test("R7: a turn that was missed for weeks is caught up at once, and then a new one begins", () => {
    const drawn = {
      days: 10,
      history: 90,
      byMonth: false,
      turn: 0 as const,
      maximumWindowDays: 31,
      density: 50,
    };
    const history = { start: TODAY - 90 * DAY, end: TODAY };
    const late = planScrub(
      { began: TODAY - 50 * DAY, through: TODAY - 60 * DAY },
      inputOf(drawn, TODAY, history),
    );
    expect(late.slice).toEqual({ start: TODAY - 60 * DAY, end: TODAY });
    const next = planScrub(late.after, inputOf(drawn, TODAY + DAY, history));
    expect(next.after?.began).toBe(TODAY + DAY);
  });
});
