/**
 * A reading that is no whole one has shown a stray, or not shown it any more, as the real models judge the stray's day (the view
 * `completeness`): only a later reading of the stray's window tells.
 */
import { expect, test } from "vitest";
import { date, HOUR } from "./calendar.ts";
import type { Item, StateValue } from "./platform.ts";
import {
  asked,
  day,
  DEEP,
  isOpen,
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

/** A window shows two strays of a day. One sync has written them. Then one of them is restated, and the other one is withdrawn. */
async function brokenGroup(changes: Parameters<typeof posting>[0]) {
  const costs = posting(changes);
  const restated = strayOf(costs, -12, -6, { id: "a" });
  const gone = strayOf(costs, -12, -6, { id: "b" });
  const lives = [...livesOn(costs, -20, 1, 4), restated, gone];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 6");
  restate(connection, restated, day(0) + 12 * HOUR);
  gone.withdrawnAt = day(0) + 12 * HOUR;
  return connection;
}
/** Its listings move. */
const MOVING = { cursors: "keyset", maximumWindowDays: 3 } as const;

test.each(["snapshot", "keyset"] as const)(
  "P5: no report proves a day by a group of which a resumed reading has not shown a stray (cursors: %s)",
  async (cursors) => {
    const connection = await brokenGroup({ cursors });
    await syncsAt(connection, [27], { ...PAGED, end: killAt("costs", isOpen(-6)) });
    await syncsAt(connection, [28], PAGED);
    expect(await verdictOn(connection, -12)).toMatch(/^unproven/u);
    await syncsAt(connection, [30, 33], PAGED);
    expect(await verdictOn(connection, -12)).toBe("proven 5");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);

test("P5: nor does one by a group of which a listing that moved has not shown a stray", async () => {
  const connection = await brokenGroup(MOVING);
  await syncsAt(connection, [27], PAGED);
  expect(await verdictOn(connection, -12)).toMatch(/^unproven/u);
  await syncsAt(connection, [51, 75], PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

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

/** A report of another window that takes the proof from a day. */
const doubts =
  (number: number) =>
  (item: Item): boolean =>
    isReportOf(number)(item) &&
    item.kind === "report" &&
    !item.row.confirmed &&
    !item.row.whole_window;
/** Only the days that are due, and the last ones, are read. */
const LATER = { ...DEEP, asked: asked({ reconcileDays: 0 }) };

/** A report that lists one stray of a day. */
const listsOneOf =
  (number: number) =>
  (item: Item): boolean =>
    item.kind === "report" &&
    !item.row.inside_window &&
    item.row.day === date(day(number)) &&
    item.row.rows === 1;

test.each([
  ["takes the proof from the day", listsOneOf(-12)],
  ["goes out behind a STATE that names the day and the window", doubts(-12)],
])("P5: the report that lists a stray that no window has shown %s", async (_name, killWhen) => {
  const connection = await brokenGroup(MOVING);
  await syncsAt(connection, [27], { ...PAGED, end: { killWhen } });
  expect(await verdictOn(connection, -12)).toMatch(/^unproven/u);
  await syncsAt(connection, [30, 33, 36], LATER);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

test.each([
  ["a resumed window that shows the stray", -5],
  ["a window that is read again because an earlier process has seen its strays", -7],
])("P5: so does a report of %s", async (_name, of) => {
  const costs = posting();
  // The window lists its records by their starts.
  const stray = strayOf(costs, of, -6);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), stray]);
  const areOpen = (value: StateValue): boolean => isOpen(-6)(value) && isOpen(of)(value);
  const lanes = { ...PAGED, concurrency: 4 };
  await syncsAt(connection, [3], { ...lanes, end: killAt("costs", areOpen) });
  await syncsAt(connection, [4], { ...lanes, end: { killWhen: doubts(of) } });
  expect(await verdictOn(connection, of)).toBe("unproven 4");
  await syncsAt(connection, [6, 30], LATER);
  expect(await verdictOn(connection, of)).toBe("proven 5");
});

test("P5 P6: so does the report of a second reading that shows a new stray of a day which was read before", async () => {
  const costs = posting({ cursors: "keyset" });
  // Its window shows the stray from the second page of the first reading on.
  const stray = Object.assign(strayOf(costs, -12, -6, { id: "a" }), { postedAt: Infinity });
  const lives = [...livesOn(costs, -20, 1, 4), stray];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  const { provider } = connection.world;
  provider.onPage = () => {
    if (provider.exchanges.at(-1)?.start === day(-6)) Object.assign(stray, { postedAt: day(-6) });
  };
  const killWhen = (item: Item): boolean => stray.postedAt === day(-6) && doubts(-12)(item);
  await syncsAt(connection, [3], { ...PAGED, end: { killWhen } });
  expect(await verdictOn(connection, -12)).toBe("unproven 4");
  stray.withdrawnAt = day(0) + 4 * HOUR;
  await syncsAt(connection, [6, 30, 33], LATER);
  expect(await verdictOn(connection, -12)).toBe("proven 4");
});
