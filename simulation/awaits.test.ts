/**
 * The judge of unproven days forgives days that await strays of windows which no sync can read whole (P5, P6), or whose strays the state
 * forgets (L1).
 */
import { expect, test } from "vitest";
import { date, HOUR } from "./calendar.ts";
import { awaitsInVain, judgeProven } from "./current.ts";
import type { Span } from "./outages.ts";
import { day, DEEP, livesOn, PAGED, posting, strayOf, syncsAt } from "./posted.ts";
import { killAt, limit, scripted } from "./scripted.ts";

test.each([
  [0, true],
  [1, false],
])(
  "P6: a day awaits strays in vain if its window has several pages, and a sync reads at most %i such windows once more: %s",
  async (overtakenWindows, isInVain) => {
    const costs = posting({ cursors: "keyset", maximumWindowDays: 5 });
    const stray = strayOf(costs, -6, -2, { from: day(0) + 20 * HOUR });
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 2, 3), stray]);
    limit(connection, { overtakenWindows, confirmedPages: 1 });
    await connection.sync(PAGED);
    connection.scheduler.skipTo(day(0) + 27 * HOUR);
    const end = killAt("costs", ({ awaited = [] }) => awaited.length > 0);
    await connection.sync({ ...PAGED, keepsRows: true, end });
    await syncsAt(connection, [30, 33, 36], PAGED);
    expect(awaitsInVain(connection, "costs", day(-6))).toBe(isInVain);
    expect(connection.faults).toEqual([]);
  },
);

test.each([
  [1, 0],
  [2, 1],
])(
  "L1: a day may stay unproven if the state names as many strays as it has room for (room: %i, strays: 1)",
  async (knownStrays, faults) => {
    const costs = posting();
    const lives = [...livesOn(costs, -20, 2), strayOf(costs, -8, -4)];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    limit(connection, { knownStrays });
    await connection.sync(DEEP);
    const { warehouse } = connection;
    const report = warehouse.reportsOf("costs", date(day(-8))).at(-1);
    expect(report).toMatchObject({ confirmed: true });
    const range = (): Span => ({ start: day(-15), end: day(0) });
    expect(judgeProven(connection, range)).toEqual([]);
    if (report === undefined) return;
    warehouse.report({ ...report, reading_id: `1${report.reading_id}`, confirmed: false });
    expect(judgeProven(connection, range)).toHaveLength(faults);
  },
);
