/**
 * A reading that is no whole one has shown a stray, or not shown it any more, as the real models judge the stray's day (the view
 * `completeness`): only a later reading of the stray's window tells.
 */
import { expect, test } from "vitest";
import { date, HOUR } from "./calendar.ts";
import type { Item, StateValue } from "./platform.ts";
import {
  day,
  DEEP,
  isReportOf,
  lifeIn,
  livesOn,
  PAGED,
  posting,
  restate,
  strayOf,
  syncsAt,
  unproven,
  verdictOn,
} from "./posted.ts";
import { killAt, scripted } from "./scripted.ts";

const isOpen =
  (number: number) =>
  ({ pass }: StateValue): boolean =>
    (pass?.open ?? []).some(({ start }) => start.startsWith(date(day(number))));

test.each(["snapshot", "keyset"] as const)(
  "P5: no report proves a day by a group of which a resumed reading has not shown a stray (cursors: %s)",
  async (cursors) => {
    const costs = posting({ cursors });
    const [restated, gone] = [
      strayOf(costs, -12, -6, { id: "restated" }),
      strayOf(costs, -12, -6, { id: "gone" }),
    ];
    const lives = [...livesOn(costs, -20, 1, 4), restated, gone];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(PAGED);
    expect(await verdictOn(connection, -12)).toBe("proven 6");
    restate(connection, restated, day(0) + 12 * HOUR);
    gone.withdrawnAt = day(0) + 12 * HOUR;
    await syncsAt(connection, [27], { ...PAGED, end: killAt("costs", isOpen(-6)) });
    await syncsAt(connection, [28], PAGED);
    expect(await verdictOn(connection, -12)).toMatch(/^unproven/u);
    await syncsAt(connection, [30, 33], PAGED);
    expect(await verdictOn(connection, -12)).toBe("proven 5");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);

test("P5: nor does a resumed reading prove its day without a new stray that a window has shown", async () => {
  const costs = posting();
  const stray = strayOf(costs, -6, -12);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), stray]);
  await syncsAt(connection, [27], { ...PAGED, end: killAt("costs", isOpen(-6)) });
  const left = new Set([-6, -12]);
  const killWhen = (item: Item): boolean => {
    for (const number of [-6, -12]) if (isReportOf(number)(item)) left.delete(number);
    return left.size === 0;
  };
  await syncsAt(connection, [28], { ...PAGED, end: { killWhen } });
  expect(await verdictOn(connection, -6)).toMatch(/^unproven/u);
  await syncsAt(connection, [30, 33], PAGED);
  expect(await verdictOn(connection, -6)).toBe("proven 5");
  expect(await unproven(connection, "costs", day(-21))).toEqual([]);
});

test.each([
  ["is new", -10, -12],
  ["is new", -12, -10],
  ["is withdrawn", -10, -12],
  ["is withdrawn", -12, -10],
] as const)(
  "P5 R10: nor does a second reading prove a day if a second reading has shown that a stray of the day %s (of day %d, on day %d)",
  async (how, of, posted) => {
    const costs = posting();
    const at = day(1) + 3.5 * HOUR;
    const stray = strayOf(costs, of, posted, how === "is new" ? { from: at } : {});
    const lives = [...livesOn(costs, -20, 1, 4), stray];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(DEEP);
    // The pass has read the day and the window of the stray. Then a loss overtakes both.
    await syncsAt(connection, [27], { ...DEEP, end: { killWhen: isReportOf(-6) } });
    if (how === "is withdrawn") stray.withdrawnAt = at;
    lifeIn(lives, "r-3x0").withdrawnAt = at;
    await syncsAt(connection, [28], DEEP);
    expect(await verdictOn(connection, of)).toMatch(/^unproven/u);
    await syncsAt(connection, [30, 33], DEEP);
    expect(await verdictOn(connection, of)).toBe(how === "is new" ? "proven 5" : "proven 4");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);
