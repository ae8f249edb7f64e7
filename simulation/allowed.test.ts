/** Lives that the rules allow, although a judge or a reader has called them broken. */
import { expect, test } from "vitest";
import { LIMITS } from "../src/core/limits.ts";
import { date, HOUR, iso, MINUTE } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import { awaitsInVain, readsAllAgain } from "./awaiting.ts";
import { judgeCurrent, judgeProven } from "./current.ts";
import { judgeIdle } from "./idle.ts";
import { live } from "./life.ts";
import type { Span } from "./outages.ts";
import {
  asked,
  BASE,
  day,
  DEEP,
  DEFAULTS,
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
import type { Item } from "./platform.ts";
import { killAt, lifeOf, limit, plainRules, scripted } from "./scripted.ts";
import type { Trial } from "./trials.ts";
import { drawWorld } from "./world.ts";

/** The faults of a life that random numbers drew. */
async function faultsOf(seed: number, ...trials: Trial[]): Promise<readonly string[]> {
  const { faults } = await live(drawWorld(seed, { kind: "any", trials }), false);
  return faults;
}

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
    expect(judgeCurrent(connection, [], new Map())).toHaveLength(faults);
    // S8: a state without the content of days does not know what a reading should agree with.
    const forgetful = Object.create(connection, { forgetsDays: { value: true } });
    expect(judgeCurrent(forgetful, [], new Map())).toEqual([]);
  },
);

test("W4: the connector's clock goes on while `Date` stands still, so that a day may leave retention before its deep re-read", async () => {
  const costs = plainRules("costs", { retentionDays: 5, beforeRetention: "trim" });
  const begin = day(0) + 22 * HOUR;
  const connection = scripted(begin, [costs], livesOn(costs, -6, 1, 2));
  await connection.sync({ ...DEFAULTS, slowness: 2 * HOUR, date: { at: begin } });
  expect(connection.world.provider.exchanges[0]?.start).toBe(day(-3));
  expect(connection.states.get("costs")?.value.start).toBe(iso(day(-4)));
  expect(connection.faults).toEqual([]);
});

test("R10: a sync that goes on with a pass reads no due day once more, so that the last pass begins one sync later", async () => {
  expect(await faultsOf(9_940_008_217)).toEqual([]);
});

test("P5 R10: a day may await the next sync if a sync has read as many windows once more as it may", async () => {
  const usage = plainRules("usage", { retentionDays: 60 });
  const connection = scripted(day(0) + 3 * HOUR, [usage], livesOn(usage, -50, 1));
  await connection.sync({ ...DEEP, asked: { ...DEEP.asked, startDate: day(-49) } });
  const { world } = connection;
  const { exchanges } = world.provider;
  expect(exchanges).toHaveLength(50);
  expect(readsAllAgain(world, "usage")).toBe(true);
  world.provider.exchanges = [...exchanges, ...exchanges, ...exchanges.slice(1)];
  expect(readsAllAgain(world, "usage")).toBe(true);
  world.provider.exchanges.push(...exchanges.slice(0, 1));
  expect(readsAllAgain(world, "usage")).toBe(false);
  expect(readsAllAgain(world, "costs")).toBe(true);
  world.provider.exchanges = exchanges;
  limit(connection, { overtakenWindows: 99 });
  expect(readsAllAgain(world, "usage")).toBe(false);
});

const provisionalDays = ({ states }: Connection): string[] =>
  (states.get("costs")?.value.provisional ?? []).map(([of]) => of);

test("R2 S8: a full state leaves out a cost that has left retention, and nobody follows the cost if it comes back", async () => {
  let stateBytes = LIMITS.stateBytes;
  for (const isFull of [false, true]) {
    const costs = plainRules("costs", { beforeRetention: "trim" });
    const provisional = lifeOf(costs, "p", day(-7), { at: day(-6), status: "provisional" });
    const connection = scripted(
      day(0) + 3 * HOUR,
      [costs],
      [...livesOn(costs, -20, 3), provisional],
    );
    await connection.sync(BASE);
    expect(provisionalDays(connection)).toEqual([date(day(-7))]);
    costs.retentionDays = 5;
    limit(connection, { stateBytes });
    await syncsAt(connection, [27], BASE);
    const state = connection.states.get("costs")?.json ?? "";
    stateBytes = Buffer.byteLength(state) - 5;
    costs.retentionDays = 30;
    limit(connection, {});
    await syncsAt(connection, [51], BASE);
    expect(provisionalDays(connection)).toEqual(isFull ? [] : [date(day(-7))]);
    expect(connection.faults).toEqual([]);
  }
});

test.each([
  [8, 2],
  [64, 1],
])(
  "P5: a read with %i slots for the records that it has seen writes a row that was restated since another window showed it as a stray %i times",
  async (slots, times) => {
    const costs = plainRules("costs", { selects: "inclusive" });
    const lives = livesOn(costs, -20, 1, 4);
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    limit(connection, { firstSightings: slots, sightings: slots });
    const { provider } = connection.world;
    const restated = lifeIn(lives, "r-9x1");
    provider.onPage = (next) => {
      const isFirst = restated.versions.length === 1;
      if (isFirst && provider.exchanges.at(-1)?.start === day(-10))
        restate(connection, restated, next);
    };
    const { items } = await connection.sync(BASE);
    const text = restated.versions.at(-1)?.text;
    expect(items.filter((item) => item.kind === "record" && item.text === text)).toHaveLength(
      times,
    );
    await syncsAt(connection, [6], BASE);
    expect(await unproven(connection, "costs")).toEqual([]);
    expect(connection.faults).toEqual([]);
  },
);

test("S6 P5: an idle sync may forget a group that had lost strays, and names no new one", async () => {
  const costs = plainRules("costs", { selects: "overlap" });
  const connection = scripted(day(0) + 3 * HOUR, [costs], livesOn(costs, -20, 1));
  await connection.sync(BASE);
  const none = new Map(connection.states);
  const stored = none.get("costs");
  if (stored === undefined) throw new Error("no state of costs");
  const value = { ...stored.value, fewer: [[date(day(-8)), "r"] as const] };
  const one = new Map(none).set("costs", { json: JSON.stringify(value), value });
  expect(judgeIdle(connection, one, [])).toEqual([]);
  const broken = Object.create(connection, { states: { value: one } });
  expect(judgeIdle(broken, none, [])).toEqual([
    expect.stringContaining("S6: an idle sync changed"),
  ]);
});

test("S6 R10: an idle sync changes no number of reports, and misses none", async () => {
  const costs = plainRules("costs");
  const connection = scripted(day(0) + 3 * HOUR, [costs], livesOn(costs, -20, 1));
  await connection.sync(BASE);
  const before = new Map(connection.states);
  const stored = before.get("costs");
  const [since, reports] = stored?.value.reported ?? [];
  if (stored === undefined) throw new Error("no state of costs");
  const changed = (reported: readonly unknown[]): Connection => {
    const value = { ...stored.value, reported };
    const states = new Map(before).set("costs", { json: JSON.stringify(value), value });
    return Object.create(connection, { states: { value: states } });
  };
  expect(judgeIdle(connection, before, [])).toEqual([]);
  expect(judgeIdle(changed([since, Number(reports) - 1]), before, [])).toEqual([
    expect.stringContaining("S6: an idle sync changed"),
  ]);
  const lacking = changed([since, Number(reports) + 1]);
  expect(judgeIdle(lacking, before, [])[0]).toContain("R10: reports");
  // No later sync can read the days either.
  connection.world.provider.exchanges = [];
  expect(judgeIdle(lacking, before, [])[0]).not.toContain("R10: reports");
});

test.each([
  ["a stray stands", 9_850_003_022],
  ["a row was withdrawn", 9_900_003_924],
])("R10: a platform that has lost reports of a sync does not see yet that %s", async (_, seed) => {
  expect(await faultsOf(seed)).toEqual([]);
});

test("P5 L1: a read that has forgotten the records of a day may let the day await a stray of its own until the next sync", async () => {
  expect(await faultsOf(9_880_002_361)).toEqual([]);
});

test("R8 P5: the number of a day falls with a reading that proves nothing because the day awaits strays", async () => {
  expect(await faultsOf(9_870_009_198)).toEqual([]);
});

test("P5: a stray that moves to another window in the same version counts as gone if only its old window is read, until the new one is", async () => {
  const costs = posting();
  const stray = strayOf(costs, -12, -3);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
  await connection.sync(DEEP);
  Object.assign(stray, { postedAt: day(-6) });
  await syncsAt(connection, [27, 28], { ...BASE, asked: asked({ lookbackDays: 5 }) });
  expect(await verdictOn(connection, -12)).toBe("proven 1");
  await syncsAt(connection, [51, 53], DEEP);
  expect(await verdictOn(connection, -12)).toBe("proven 2");
});

test.each([
  [
    "an outage hid a record from the first one, and the listing of the second one skips it",
    9_880_012_876,
  ],
  ["no state knows of the report between them, because its process was killed", 9_870_013_437],
])("P6: two readings in a row agree, although %s", async (_, seed) => {
  expect(await faultsOf(seed)).toEqual([]);
});

test("P5 P6: a day may await strays until the next sync if a sync has written a day of their window, whose listing moved", async () => {
  expect(await faultsOf(9_990_001_342, "posted", "bursts")).toEqual([]);
});

test("C3 P6: a page that only a second reading shows is not written, if pages show earlier moments and the listing moves", async () => {
  expect(await faultsOf(9_990_010_781)).toEqual([]);
});

test("S1 R1: the position does not wait for a change that is younger than the moment which a window shows, if another window shows a later one", async () => {
  expect(await faultsOf(9_980_012_253)).toEqual([]);
});

test("P5 S4: a reading that writes strays begins again, and one is withdrawn meanwhile: the next sync takes the row of this one out of the sums", async () => {
  expect(await faultsOf(9_980_029_323)).toEqual([]);
});

test("R8: the strays of a day that has taken over most of them are not believed to be gone, if an outage hides the others", async () => {
  expect(await faultsOf(9_980_028_320)).toEqual([]);
});

test("P5 R8: a day may await a stray of an outage that is over until the next sync, if a reading that only lists strays finds it again", async () => {
  expect(await faultsOf(9_990_028_528)).toEqual([]);
});

test("R8 P5: strays that wait to be written again leave the sums if an outage hides them before, and their day stays unproven", async () => {
  expect(await faultsOf(9_975_005_233, "posted", "bursts")).toEqual([]);
});

test("R2 S6: an idle sync leaves the provisional costs of long charges as they are, which all of their windows show", async () => {
  expect(await faultsOf(9_980_032_386)).toEqual([]);
});

test("R10: a row moves while the old day gets back another one that an outage has hidden, so that it does not have fewer rows", async () => {
  expect(await faultsOf(9_980_059_770)).toEqual([]);
});

test("R8 P5: the report of a day takes its strays for gone until the next sync if this one has left days of their window unknown", async () => {
  expect(await faultsOf(9_980_068_656)).toEqual([]);
});

test("R6: an idle sync writes rows of a day again only if another window shows fewer or more of its rows", async () => {
  const costs = posting({ maximumWindowDays: 5 });
  const late = strayOf(costs, -7, -5);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), late]);
  await connection.sync(BASE);
  const { states, warehouse } = connection;
  const judge = (start: number, end: number): string[] => {
    const readingId = `${start} ${end}`;
    warehouse.windows.set(readingId, { start: day(start), end: day(end) });
    const text = late.versions[0]?.text ?? "";
    return judgeIdle(connection, states, [{ kind: "record", stream: "costs", text, readingId }]);
  };
  expect(judge(-7, -6)).toEqual([]);
  expect(judge(-7, -3)).toEqual(["R6: an idle sync wrote 1 rows"]);
});

test("R6: an idle sync may write rows of a day again that a window has shown in part, because the provider posted the others later", async () => {
  expect(await faultsOf(9_990_067_574)).toEqual([]);
});

test("R4 R10: no row moves between two windows which are read at once if `Date` is hours behind: the connector could not see the change", async () => {
  expect(await faultsOf(9_980_096_990)).toEqual([]);
});

/** A day of 30 rows, and an outage of 40 minutes a day after the first sync begins. */
function hidden(showsOneOf: number): { readonly connection: Connection; readonly began: number } {
  const began = day(1) + 4 * HOUR;
  const outages = [{ start: began - MINUTE, end: began + 39 * MINUTE, showsOneOf }];
  const costs = plainRules("costs", { retentionDays: 60, maximumWindowDays: 31, outages });
  return { connection: scripted(day(0) + 4 * HOUR, [costs], livesOn(costs, -3, 1, 30)), began };
}

test.each([
  [-50 * MINUTE, "proven 1"],
  [0, "unproven 30"],
])(
  "R8: an outage of minutes is believed if `Date` comes forward by most of an hour behind its first reading (%i ms): %s",
  async (ahead, verdict) => {
    const { connection, began } = hidden(30);
    await connection.sync(DEEP);
    connection.scheduler.skipTo(began);
    await connection.sync({ ...DEEP, date: { ahead } });
    connection.scheduler.skipTo(began + 15 * MINUTE);
    await connection.sync(DEEP);
    expect(await verdictOn(connection, -1)).toBe(verdict);
  },
);

test.each([
  [false, "proven 0"],
  [true, "unproven 30"],
])(
  "R8 R4: an outage is believed on a day that no STATE knows, although a killed process has left its rows (a STATE knows it: %s): %s",
  async (isKnown, verdict) => {
    const { connection, began } = hidden(Infinity);
    let isWritten = false;
    const killWhen = (item: Item): boolean => {
      isWritten ||= isReportOf(-1)(item);
      return (
        isWritten && item.kind === "state" && item.stream === (isKnown ? "costs" : "export_windows")
      );
    };
    await connection.sync({ ...DEEP, stateInterval: 60_000, end: { killWhen } });
    connection.scheduler.skipTo(began);
    await connection.sync(DEEP);
    expect(await verdictOn(connection, -1)).toBe(verdict);
  },
);
