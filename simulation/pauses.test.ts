/** Schedules with days without a sync: a correction that daily syncs would have found is found by the next complete one (R2). */
import { expect, test } from "vitest";
import { date, DAY, HOUR } from "./calendar.ts";
import { day, DEFAULTS, lifeIn, livesOn, numbers, restate, syncsAt, unproven } from "./posted.ts";
import type { StateValue } from "./platform.ts";
import type { StreamName } from "./records.ts";
import { killAt, plainRules, scripted } from "./scripted.ts";
import type { Step } from "./step.ts";
import { verdictsOf } from "./testing.ts";

/** The scrub is off, so that only the deep re-read finds a late change. */
const DEEP_ONLY: Step = { ...DEFAULTS, asked: { ...DEFAULTS.asked, scrubDays: 0 } };
const ON_HOUR = 3;
const hourOf = (number: number): number => 24 * number + ON_HOUR;

test.each<[string, { stream: StreamName; of: number; changed: number; syncs: number[] }]>([
  ["weekly syncs of usage", { stream: "usage", of: -2, changed: 3, syncs: [7] }],
  ["weekly syncs of usage, later on", { stream: "usage", of: 4, changed: 9, syncs: [7, 14] }],
  ["usage after a month", { stream: "usage", of: -6, changed: 0, syncs: [30] }],
  ["costs after ten weeks", { stream: "costs", of: -30, changed: 20, syncs: [70] }],
])(
  "R2: a day is proven with its new amount if daily syncs would have found the change: %s",
  async (_, { stream, of, changed, syncs }) => {
    const rules = plainRules(stream, { retentionDays: 200, maximumWindowDays: 31 });
    const lives = livesOn(rules, -60, 70);
    const connection = scripted(day(0) + ON_HOUR * HOUR, [rules], lives);
    await connection.sync(DEEP_ONLY);
    const life = lifeIn(lives, `r${of}x0`);
    restate(connection, life, day(changed) + 12 * HOUR);
    await syncsAt(connection, syncs.map(hourOf), DEEP_ONLY);
    expect(connection.faults).toEqual([]);
    expect(await unproven(connection, stream, day(-50))).toEqual([]);
    const verdict = (await verdictsOf(connection, stream)).get(date(day(of)));
    expect(verdict).toMatchObject({ status: "proven", rows: "1" });
    expect(connection.warehouse.rowOf(life)?.amount).toBe(life.versions.at(-1)?.amount);
  },
);

test("R2: a daily sync reads no more than a week of usage again", async () => {
  const usage = plainRules("usage");
  const connection = scripted(day(0) + ON_HOUR * HOUR, [usage], livesOn(usage, -20, 12));
  await connection.sync(DEEP_ONLY);
  for (const number of numbers(1, 10)) {
    await syncsAt(connection, [hourOf(number)], DEEP_ONLY);
    const windows = connection.world.provider.exchanges.map(({ start }) => start);
    expect(Math.min(...windows)).toBe(day(number - 7));
  }
});

test.each([
  ["a change before its death", 12],
  ["a change after its death", 31],
])(
  "R2 S3: a sync after a pause dies, and its pass goes on days later without the days that no daily sync would read again: %s",
  async (_, changed) => {
    const usage = plainRules("usage", { retentionDays: 60 });
    const lives = livesOn(usage, -20, 40);
    const connection = scripted(day(0) + ON_HOUR * HOUR, [usage], lives);
    const step = { ...DEEP_ONLY, concurrency: 1 };
    await connection.sync(step);
    const life = lifeIn(lives, changed === 31 ? "r25x0" : "r10x0");
    restate(connection, life, day(changed) + 12 * HOUR);
    // Days from the position on come first, then the older ones of the deep re-read.
    const isAmid = ({ pass }: StateValue): boolean =>
      pass?.reads.some(({ start, end }) => isDay(start, -6) && isDay(end, -3)) === true;
    await syncsAt(connection, [hourOf(30)], { ...step, end: killAt("usage", isAmid) });
    await syncsAt(connection, [hourOf(33)], step);
    const read = connection.world.provider.exchanges.map(({ start }) => (start - day(0)) / DAY);
    expect(new Set(read)).toEqual(new Set([-3, -2, ...numbers(31 - 7, 34)]));
    expect(connection.faults).toEqual([]);
    expect(connection.warehouse.rowOf(life)?.amount).toBe(life.versions.at(-1)?.amount);
  },
);

const isDay = (text: string, number: number): boolean => Date.parse(text) === day(number);
