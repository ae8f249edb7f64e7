/** R8 for strays: an outage hides records of a day from the window of another day. */
import { expect, test } from "vitest";
import { date, HOUR } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import {
  asked,
  day,
  DEEP,
  DEFAULTS,
  isReportOf,
  livesOn,
  numbers,
  PAGED,
  posting,
  restate,
  strayOf,
  syncsAt,
  verdictOn,
} from "./posted.ts";
import type { Life } from "./records.ts";
import { lifeOf, plainRules, scripted } from "./scripted.ts";
import type { Step } from "./step.ts";

/** Each sync reads the window of the strays. */
const DUE = asked({ lookbackDays: 10 });

/** Records of day -6 that only the window of day -5 shows, after the first sync. */
async function seen(
  count: number,
  showsOneOf = Infinity,
): Promise<{ readonly connection: Connection; readonly strays: readonly Life[] }> {
  const costs = posting();
  const strays = numbers(0, count).map((i) => strayOf(costs, -6, -5, { id: `s${i}` }));
  costs.outages.push({ start: day(1) + 2 * HOUR, end: day(1) + 6 * HOUR, showsOneOf });
  const connection = scripted(day(0) + 3 * HOUR, [costs], strays);
  await connection.sync(DEFAULTS);
  expect(await verdictOn(connection, -6)).toBe(`proven ${count}`);
  return { connection, strays };
}

test.each([
  ["all", Infinity, 30],
  ["most", 4, 30],
  ["all of ten", Infinity, 10],
])(
  "R8 P5: an outage that hides %s strays of a day is not believed, their rows stand unproven, and the next sync finds them again",
  async (_, showsOneOf, count) => {
    const { connection } = await seen(count, showsOneOf);
    await syncsAt(connection, [27], DEFAULTS);
    expect(await verdictOn(connection, -6)).toBe(`unproven ${count}`);
    await syncsAt(connection, [31], DEFAULTS);
    expect(await verdictOn(connection, -6)).toBe(`proven ${count}`);
    expect(connection.faults).toEqual([]);
  },
);
test("R8 P5: an outage that hides nine strays of a day is believed, as it is on a day with nine records", async () => {
  const { connection } = await seen(9);
  await syncsAt(connection, [27, 31], DEFAULTS);
  expect(await verdictOn(connection, -6)).toBe("proven 0");
});
test.each([
  ["one window after the other", 1, 1],
  ["one window after the other, and each is long", 1, 5],
  ["all windows at once, and each is long", 12, 5],
])(
  "R8 P5: an outage hides seven of eleven strays, and their day takes over the other four: the seven stand, unproven, until it is over (%s)",
  async (_, concurrency, maximumWindowDays) => {
    const rules = { selects: "inclusive", refusesFuture: true, maximumWindowDays } as const;
    const costs = plainRules("costs", rules);
    // The window of the day before has the first instant of day 0.
    const lives = numbers(0, 11).map((i) => lifeOf(costs, `s${i}`, day(0), { at: day(0) + HOUR }));
    costs.outages.push({ start: day(1) + 2 * HOUR, end: day(1) + 6 * HOUR, showsOneOf: 3 });
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    const step = { ...DEFAULTS, concurrency };
    await connection.sync(step);
    for (const hour of [27, 27.5]) {
      await syncsAt(connection, [hour], step);
      expect(await verdictOn(connection, 0)).toBe("unproven 11");
    }
    await syncsAt(connection, [31], step);
    expect(await verdictOn(connection, 0)).toBe("proven 11");
    expect(connection.faults).toEqual([]);
  },
);
test("R8 P5: strays that were withdrawn are gone once a reading an hour later lacks the same ones", async () => {
  const { connection, strays } = await seen(30);
  for (const stray of strays) stray.withdrawnAt = day(1);
  await syncsAt(connection, [27], DEFAULTS);
  expect(await verdictOn(connection, -6)).toBe("unproven 30");
  await syncsAt(connection, [27.75], DEFAULTS);
  expect(await verdictOn(connection, -6)).toBe("unproven 30");
  await syncsAt(connection, [29], DEFAULTS);
  expect(await verdictOn(connection, -6)).toBe("unproven 0");
  await syncsAt(connection, [30], DEFAULTS);
  expect(await verdictOn(connection, -6)).toBe("proven 0");
  expect(connection.faults).toEqual([]);
});
test("R8 P5: a reading that shows the strays again ends the suspicion, so that a later outage is the first one again", async () => {
  const { connection } = await seen(30);
  const [costs] = connection.world.provider.options.datasets;
  costs?.outages.push({ start: day(1) + 8 * HOUR, end: day(1) + 9 * HOUR, showsOneOf: Infinity });
  await syncsAt(connection, [27, 31], { ...DEFAULTS, asked: DUE });
  expect(await verdictOn(connection, -6)).toBe("proven 30");
  await syncsAt(connection, [32.5], { ...DEFAULTS, asked: DUE });
  expect(await verdictOn(connection, -6)).toBe("unproven 30");
  expect(connection.faults).toEqual([]);
});
test("R8 R2: the provisional costs of strays that an outage hides are followed on", async () => {
  const costs = posting();
  const strays = numbers(0, 12).map((i) =>
    Object.assign(
      lifeOf(costs, `s${i}`, day(-6), { at: day(-5) + HOUR, due: false, status: "provisional" }),
      { postedAt: day(-5) },
    ),
  );
  costs.outages.push({ start: day(1) + 2 * HOUR, end: day(1) + 6 * HOUR, showsOneOf: Infinity });
  const connection = scripted(day(0) + 3 * HOUR, [costs], strays);
  const followed = (): unknown => connection.states.get("costs")?.value.provisional;
  await connection.sync(DEFAULTS);
  await syncsAt(connection, [27], DEFAULTS);
  expect(followed()).toEqual([[date(day(-5)), 12, { USD: "12" }]]);
});
test.each([
  ["later", -6, -2, DEEP],
  ["earlier", -3, -6, DEEP],
  ["earlier, with several pages", -3, -6, PAGED],
])(
  "R8 P5: many strays that move to a window which is read %s are no hidden ones: two more syncs prove their day",
  async (_, from, to, step) => {
    const costs = posting({ maximumWindowDays: 2 });
    const strays = numbers(0, 12).map((i) => strayOf(costs, -12, from, { id: `s${i}` }));
    const lives = [...strays, ...livesOn(costs, -20, 8)];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(step);
    for (const stray of strays) Object.assign(stray, { postedAt: day(to) });
    await syncsAt(connection, [27, 51, 75], step);
    expect(await verdictOn(connection, -12)).toBe("proven 13");
    const { items } = await connection.sync(step);
    expect(items.filter(({ kind }) => kind === "record")).toEqual([]);
  },
);
const KILLED: Partial<Step> = {
  keepsRows: false,
  end: { killWhen: (item) => item.kind === "record" && item.text.includes('"s') },
};
test.each([
  ["newer versions", 1, -6, 1],
  ["strays of shorter windows", 5, -14, 1],
])(
  "R8 P5: a reading that shows %s ends the suspicion, also if the process dies before their rows",
  async (kind, longest, of, shorter) => {
    const costs = posting({ maximumWindowDays: longest });
    const strays = numbers(0, 12).map((i) => strayOf(costs, of, -5, { id: `s${i}` }));
    for (const hour of [2, 8])
      costs.outages.push({
        start: day(1) + hour * HOUR,
        end: day(1) + (hour + 2) * HOUR,
        showsOneOf: Infinity,
      });
    const connection = scripted(day(0) + 3 * HOUR, [costs], strays);
    await connection.sync(DEFAULTS);
    costs.maximumWindowDays = shorter;
    await syncsAt(connection, [27], DEFAULTS);
    expect(await verdictOn(connection, of)).toBe("unproven 12");
    if (kind === "newer versions")
      for (const stray of strays) restate(connection, stray, day(1) + 5 * HOUR);
    await syncsAt(connection, [30], { ...DEFAULTS, ...KILLED });
    await syncsAt(connection, [33, 33.5], DEFAULTS);
    expect(await verdictOn(connection, of)).toBe("unproven 12");
    await syncsAt(connection, [39, 63], DEFAULTS);
    expect(await verdictOn(connection, of)).toBe("proven 12");
  },
);
test("R8 R5: the report of a window lists the strays that an outage hides, so that their rows stand, also if the process dies behind it", async () => {
  const { connection } = await seen(30);
  await syncsAt(connection, [27], { ...DEFAULTS, end: { killWhen: isReportOf(-5) } });
  expect(await verdictOn(connection, -6)).toBe("unproven 30");
  await syncsAt(connection, [31, 51], DEFAULTS);
  expect(await verdictOn(connection, -6)).toBe("proven 30");
});
