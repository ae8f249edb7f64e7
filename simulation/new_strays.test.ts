/**
 * A process has shown a new stray, and dies or fails before it writes the stray, as the real models judge the day (the view `completeness`):
 * the day was read before the window of the stray, by whatever kind of reading.
 */
import { expect, test } from "vitest";
import { HOUR } from "./calendar.ts";
import {
  asked,
  CLEARED,
  day,
  downOn,
  isOpen,
  isReportOf,
  lifeIn,
  livesOn,
  PAGED,
  posting,
  strayOf,
  syncsAt,
  unproven,
  verdictOn,
} from "./posted.ts";
import { FAIR } from "./network.ts";
import { killAt, limit, scripted } from "./scripted.ts";
import type { Step } from "./step.ts";

test.each(["snapshot", "keyset", "offset"] as const)(
  "P5: no report proves a day without a new stray that a window has shown after the day was read (cursors: %s)",
  async (cursors) => {
    const costs = posting({ cursors });
    const stray = strayOf(costs, -12, -6);
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), stray]);
    await syncsAt(connection, [27], { ...PAGED, end: { killWhen: isReportOf(-3) } });
    expect(await verdictOn(connection, -12)).toBe("unproven 4");
    await syncsAt(connection, [28], { ...PAGED, weather: downOn(-2) });
    expect(await verdictOn(connection, -12)).toBe("unproven 4");
    await syncsAt(connection, [30, 33], PAGED);
    expect(await verdictOn(connection, -12)).toBe("proven 5");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);

test.each(["snapshot", "keyset"] as const)(
  "P5: nor does one if the report of that window lists an older stray of the day (cursors: %s)",
  async (cursors) => {
    const costs = posting({ cursors });
    const older = strayOf(costs, -12, -6, { id: "older" });
    const stray = strayOf(costs, -12, -6, { from: day(0) + 12 * HOUR });
    const lives = [...livesOn(costs, -20, 1, 4), older, stray];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(PAGED);
    expect(await verdictOn(connection, -12)).toBe("proven 5");
    await syncsAt(connection, [27], { ...PAGED, end: { killWhen: isReportOf(-3) } });
    expect(await verdictOn(connection, -12)).toBe("unproven 5");
    await syncsAt(connection, [30, 33], PAGED);
    expect(await verdictOn(connection, -12)).toBe("proven 6");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);

test("P5: no second reading confirms a day without a new stray that a window has shown", async () => {
  const costs = posting();
  const stray = strayOf(costs, -12, -6, { from: day(0) + 12 * HOUR });
  const lives = [...livesOn(costs, -20, 1, 4), stray];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(PAGED);
  lifeIn(lives, "r-6x0").withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27], { ...PAGED, end: { killWhen: isReportOf(-9) } });
  await syncsAt(connection, [28], { ...PAGED, end: { killWhen: isReportOf(-12) } });
  expect(await verdictOn(connection, -12)).toMatch(/^unproven/u);
  await syncsAt(connection, [30, 33], PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
  expect(await unproven(connection, "costs", day(-21))).toEqual([]);
});

test("P5: nor does it if the day's own window was resumed", async () => {
  const costs = posting();
  const stray = strayOf(costs, -12, -6);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), stray]);
  await syncsAt(connection, [27], { ...PAGED, end: killAt("costs", isOpen(-12)) });
  await syncsAt(connection, [28], { ...PAGED, end: { killWhen: isReportOf(-3) } });
  expect(await verdictOn(connection, -12)).toMatch(/^unproven/u);
  await syncsAt(connection, [30, 33], PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

test("P5 R10: a day of a withdrawn stray is proven although a day of that report has awaited another stray in the meantime", async () => {
  const costs = posting();
  const stray = strayOf(costs, -6, -10);
  const lives = [...livesOn(costs, -20, 40, 4), stray, strayOf(costs, -10, -12, { id: "other" })];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(PAGED);
  stray.withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27], { ...PAGED, ...CLEARED, end: { killWhen: isReportOf(-10) } });
  // The pass is given up.
  connection.states.delete("costs");
  await syncsAt(connection, [51], PAGED);
  const later = { ...PAGED, asked: asked({ reconcileDays: 4, scrubDays: null }) };
  await syncsAt(connection, [75], later);
  expect(await verdictOn(connection, -6)).toBe("proven 4");
});

test("R10: a day that a new stray takes the proof from is read once more, although the last STATE names the day as due for a window that waits", async () => {
  const costs = posting();
  const from = day(0) + 12 * HOUR;
  // One range of days stands for all strays whose windows begin in May, from the window of day -11 on.
  const strays = [
    strayOf(costs, -5, -3, { id: "u", from }),
    strayOf(costs, -4, -1, { id: "v", from }),
    strayOf(costs, -15, -12, { id: "w", from }),
    strayOf(costs, -14, -11, { id: "x", from }),
    strayOf(costs, -12, -10, { id: "y", from }),
  ];
  const connection = scripted(
    day(0) + 3 * HOUR,
    [costs],
    [...livesOn(costs, -20, 1, 4), ...strays],
  );
  limit(connection, { knownStrays: 2 });
  await connection.sync(PAGED);
  await syncsAt(connection, [27], {
    ...PAGED,
    asked: asked({ reconcileDays: 20, lookbackDays: 5 }),
  });
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

test("P5: a window that fails before its end makes no day await the strays of its first pages, and the next sync proves the day with them", async () => {
  const costs = posting();
  const stray = strayOf(costs, -6, -2, { id: "early" });
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 3), stray]);
  const { intercept } = downOn(-2);
  const weather: Step["weather"] = {
    ...FAIR,
    intercept: (url, ...more) =>
      url.searchParams.has("cursor") ? intercept?.(url, ...more) : undefined,
  };
  await connection.sync({ ...PAGED, weather });
  expect(await verdictOn(connection, -6)).toBe("proven 3");
  await syncsAt(connection, [5, 7], PAGED);
  expect(await verdictOn(connection, -6)).toBe("proven 4");
  expect(connection.faults).toEqual([]);
});
