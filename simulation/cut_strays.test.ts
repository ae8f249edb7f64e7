/** P5: a provider shortens its windows, so that the window of written strays is read in parts. */
import { expect, test } from "vitest";
import { LIMITS } from "../src/core/limits.ts";
import { HOUR } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import {
  asked,
  unreported,
  BASE,
  day,
  DEFAULTS,
  livesOn,
  numbers,
  posting,
  strayOf,
  syncsAt,
  unproven,
  verdictOn,
} from "./posted.ts";
import type { Item } from "./platform.ts";
import type { Rules } from "./provider.ts";
import type { Life } from "./records.ts";
import { limit, scripted } from "./scripted.ts";

interface Seen {
  readonly connection: Connection;
  readonly costs: Rules;
  readonly strays: readonly Life[];
}

/** A day with one row and some strays, which a window of many days has shown in the first sync. */
async function seen(posted: readonly number[], changes: Partial<Rules> = {}): Promise<Seen> {
  const costs = posting({ maximumWindowDays: 31, ...changes });
  const strays = posted.map((on, index) => strayOf(costs, -27, on, { id: `s${index}` }));
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -28, 1), ...strays]);
  await connection.sync(DEFAULTS);
  expect(await verdictOn(connection, -27)).toBe(`proven ${1 + posted.length}`);
  return { connection, costs, strays };
}

test.each([
  ["two parts", [-10, -3], 7],
  ["one part", [-3, -3], 7],
  ["two days", [-10, -9], 1],
  ["two parts", numbers(0, 12).map((index) => -10 + (index % 2) * 7), 7],
])(
  "P5: the next sync proves the strays of a group that %s of its window show",
  async (_, posted, days) => {
    const { connection, costs } = await seen(posted);
    const proven = `proven ${1 + posted.length}`;
    costs.maximumWindowDays = days;
    await syncsAt(connection, [27], DEFAULTS);
    expect(await verdictOn(connection, -27)).toBe(proven);
    await syncsAt(connection, [51], DEFAULTS);
    expect(await unproven(connection, "costs", day(-59))).toEqual([]);
    costs.maximumWindowDays = 31;
    await syncsAt(connection, [75], DEFAULTS);
    expect(await verdictOn(connection, -27)).toBe(proven);
    expect(connection.faults).toEqual([]);
  },
);
test.each([
  ["one of two", [-10, -3], [0], 2],
  ["the only one", [-10], [0], 1],
  ["both", [-10, -3], [0, 1], 1],
])(
  "P5: %s strays that were withdrawn when the windows became shorter are gone, and nothing proves their day with them",
  async (_, posted, gone, left) => {
    const { connection, costs, strays } = await seen(posted);
    for (const index of gone) Object.assign(strays[index] ?? {}, { withdrawnAt: day(1) });
    costs.maximumWindowDays = 7;
    await syncsAt(connection, [27], DEFAULTS);
    expect(await verdictOn(connection, -27)).toMatch(new RegExp(`unproven|proven ${left}`));
    await syncsAt(connection, [51], DEFAULTS);
    expect(await verdictOn(connection, -27)).toBe(`proven ${left}`);
    expect(connection.faults).toEqual([]);
  },
);
test.each([
  ["reports", DEFAULTS, LIMITS.overtakenWindows],
  ["no reports", unreported(DEFAULTS), LIMITS.overtakenWindows],
  ["reports, and no window read once more,", DEFAULTS, 0],
])(
  "P5 R8: an outage hides strays from the shorter windows: a sync with %s warns once, and their rows stand until a later sync shows them",
  async (_, step, overtakenWindows) => {
    const { connection, costs } = await seen(numbers(0, 12).map((index) => -10 + (index % 2) * 7));
    limit(connection, { overtakenWindows });
    costs.outages.push({ start: day(1), end: day(1) + 6 * HOUR, showsOneOf: Infinity });
    costs.maximumWindowDays = 7;
    connection.scheduler.skipTo(day(1) + 3 * HOUR);
    const { items } = await connection.sync(step);
    const warnings = items.filter(
      (item) => item.kind === "log" && item.message.includes("This may be an outage"),
    );
    expect(warnings).toHaveLength(1);
    expect(await verdictOn(connection, -27)).toMatch(/ 1[23]$/);
    limit(connection, {});
    await syncsAt(connection, [51], DEFAULTS);
    expect(await verdictOn(connection, -27)).toBe("proven 13");
    expect(connection.faults).toEqual([]);
  },
);
test("P5: a sync that may not read a part of such a window keeps its strays as they are, and their day is not proven without them", async () => {
  const { connection, costs } = await seen([-10, -3]);
  costs.maximumWindowDays = 7;
  await syncsAt(connection, [27], { ...BASE, asked: asked({ startDate: day(-8) }) });
  await syncsAt(connection, [51, 75], DEFAULTS);
  expect(await verdictOn(connection, -27)).toBe("proven 3");
});
test("P5: a sync without export_windows misses a stray, then the windows become shorter: two more syncs prove its day", async () => {
  const { connection, costs, strays } = await seen([-3]);
  const step = { ...BASE, asked: asked({ startDate: day(-30), lookbackDays: 40 }) };
  for (const stray of strays) Object.assign(stray, { withdrawnAt: day(1) });
  await syncsAt(connection, [27], unreported(step));
  costs.maximumWindowDays = 5;
  await syncsAt(connection, [51, 75], step);
  expect(await verdictOn(connection, -27)).toBe("proven 1");
  expect(connection.faults).toEqual([]);
});

const FROM_EARLIER = asked({ startDate: day(-40), reconcileDays: 40 });
/** Strays whose window, two days long, is read before their day; then windows have one day. */
async function seenBefore(): Promise<Seen> {
  const costs = posting({ maximumWindowDays: 2, retentionDays: 200 });
  const strays = numbers(0, 14).map((i) =>
    strayOf(costs, -12, -18, { id: `s${i}`, from: day(-30) }),
  );
  const connection = scripted(day(0) + 3 * HOUR, [costs], strays);
  await connection.sync({ ...DEFAULTS, asked: FROM_EARLIER });
  costs.maximumWindowDays = 1;
  return { connection, costs, strays };
}
/** The verdicts on the day of these strays after syncs at some hours. */
async function verdictsAt(connection: Connection, hours: readonly number[]): Promise<string[]> {
  const verdicts: string[] = [];
  for (const hour of hours) {
    await syncsAt(connection, [hour], { ...DEFAULTS, asked: FROM_EARLIER });
    verdicts.push(await verdictOn(connection, -12));
  }
  return verdicts;
}

test("P5 R8: many strays are withdrawn when the windows become shorter: their day awaits them until a second reading lacks them, too", async () => {
  const { connection, strays } = await seenBefore();
  for (const stray of strays) stray.withdrawnAt = day(1);
  const verdicts = await verdictsAt(connection, [27, 51, 75]);
  expect(verdicts).toEqual(["unproven 14", "unproven 0", "proven 0"]);
  expect(connection.faults).toEqual([]);
});
test("P5 R8: an outage hides many strays when the windows become shorter: their rows stand, and their day is proven once it is over", async () => {
  const { connection, costs } = await seenBefore();
  costs.outages.push({ start: day(1), end: day(1) + 6 * HOUR, showsOneOf: Infinity });
  const verdicts = await verdictsAt(connection, [27, 27.5, 51]);
  expect(verdicts).toEqual(["unproven 14", "unproven 14", "proven 14"]);
  expect(connection.faults).toEqual([]);
});
test("P5: a process dies behind the report that takes a group for gone, and no other reading has its window: later ones of these days close it", async () => {
  const costs = posting({ maximumWindowDays: 5 });
  const from = day(-26);
  const two = numbers(0, 2).map((i) => strayOf(costs, -12, -5, { id: `b${i}`, from }));
  const more = numbers(0, 9).map((i) => strayOf(costs, -12, -19, { id: `a${i}`, from }));
  const [first] = two;
  const step = { ...DEFAULTS, asked: asked({ startDate: from, reconcileDays: 50 }) };
  const rows = livesOn(costs, -20, 4).filter((_, index) => index % 3 === 0);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...more, ...two, ...rows]);
  await connection.sync(step);
  costs.maximumWindowDays = 2;
  for (const stray of two) stray.withdrawnAt = day(1);
  const killWhen = (item: Item): boolean =>
    item.kind === "report" &&
    item.row.rows === 0 &&
    !item.row.inside_window &&
    item.row.window_end === "2026-04-25T00:00:00Z";
  await syncsAt(connection, [27], { ...step, end: { killWhen } });
  Object.assign(first ?? {}, { withdrawnAt: Infinity });
  await syncsAt(connection, [75, 99], step);
  expect(await verdictOn(connection, -12)).toBe("proven 10");
});
