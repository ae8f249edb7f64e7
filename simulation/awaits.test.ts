/** The judge of unproven days forgives days that await strays of windows which no sync can read whole (P5, P6). */
import { expect, test } from "vitest";
import { HOUR } from "./calendar.ts";
import { awaitsInVain } from "./current.ts";
import { day, livesOn, PAGED, posting, strayOf, syncsAt } from "./posted.ts";
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
