/** Strays that move: to their own days, while the process dies, or to another window (P5). */
import { expect, test } from "vitest";
import { date, HOUR } from "./calendar.ts";
import type { Item } from "./platform.ts";
import {
  day,
  DEEP,
  isOpen,
  isRowOf,
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
import { killAt, lifeOf, scripted } from "./scripted.ts";

/** The process dies before the second reading of a day. */
const BEFORE_REWRITE = killAt("costs", ({ forgotten = [] }) =>
  forgotten.some(([name]) => name === date(day(-12))),
);

test("P5 S6: a day takes over one of two strays that a reading wrote, and the process dies: two syncs prove the day, and later ones do not read it", async () => {
  const costs = posting();
  const strays = ["a1", "a2"].map((id) => strayOf(costs, -12, -5, { id }));
  const lives = [...livesOn(costs, -20, 1, 4), ...strays];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(PAGED);
  Object.assign(lifeIn(lives, "a1"), { postedAt: day(-12) });
  await syncsAt(connection, [27], { ...PAGED, end: BEFORE_REWRITE });
  // The first sync goes on with the pass, and the second one reads the day again.
  await syncsAt(connection, [28, 30], PAGED);
  expect(await unproven(connection, "costs")).toEqual([]);
  await syncsAt(connection, [33, 36], PAGED);
  expect(connection.states.get("costs")?.value).toMatchObject({ due: [], fewer: [] });
  const { exchanges } = connection.world.provider;
  expect(exchanges.filter(({ start }) => start < day(-1))).toEqual([]);
});

test("P5: a day takes a stray over, the process dies behind the row in its second reading, and the record goes back to its window", async () => {
  const costs = posting();
  const stray = strayOf(costs, -12, -5, { id: "a-stray" });
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), stray]);
  await connection.sync(PAGED);
  Object.assign(stray, { postedAt: day(-12) });
  let isOut = false;
  const killWhen = (item: Item): boolean => {
    isOut ||= isRowOf("a-stray")(item);
    return isOut && item.kind === "state" && item.stream === "costs" && isOpen(-12)(item.value);
  };
  await syncsAt(connection, [27], { ...PAGED, end: { killWhen } });
  expect(connection.states.get("costs")?.value.strays).toEqual([]);
  Object.assign(stray, { postedAt: day(-5) });
  await syncsAt(connection, [51], PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
  expect(connection.states.get("costs")?.value.due).toEqual([]);
});

test("P5: a day takes a stray over, the process dies before the row, and the provider issues the record again: the old row leaves with the next reading of the day", async () => {
  const costs = posting({ maximumWindowDays: 5 });
  const stray = strayOf(costs, -12, -7, { id: "a-stray" });
  const at = day(0) + 29 * HOUR;
  const anew = lifeOf(costs, "anew", day(-12), { at, due: false });
  const lives = [...livesOn(costs, -20, 1, 4), stray, anew];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(PAGED);
  Object.assign(stray, { postedAt: day(-12) });
  await syncsAt(connection, [27], { ...PAGED, end: BEFORE_REWRITE });
  expect(connection.states.get("costs")?.value).toMatchObject({ strays: [{}], fewer: [] });
  Object.assign(stray, { withdrawnAt: at });
  // The window of the stray is no window of the next pass, which writes a day of it, so that the pass does not read it as a whole.
  restate(connection, lifeIn(lives, "r-7x0"), at);
  await syncsAt(connection, [75], PAGED);
  expect(await verdictOn(connection, -12)).toBe("unproven 5");
  await syncsAt(connection, [76, 77], PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

test.each([
  ["2 days", 2, DEEP],
  ["4 days", 4, DEEP],
  ["2 days, on several pages, so that the listings move", 2, PAGED],
])(
  "P5: a stray moves to another window in the same version, and one pass reads both: the next sync writes it from there (windows of %s)",
  async (_, maximumWindowDays, step) => {
    const costs = posting({ maximumWindowDays });
    const stray = strayOf(costs, -12, -6, { id: "a-stray" });
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
    await connection.sync(step);
    Object.assign(stray, { postedAt: day(-2) });
    await syncsAt(connection, [27], step);
    expect(await verdictOn(connection, -12)).toMatch("unproven");
    await syncsAt(connection, [28], step);
    expect(await verdictOn(connection, -12)).toBe("proven 2");
  },
);
