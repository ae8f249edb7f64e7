/** R8: the judge of strays finds an outage that a reading believes at once. The second reading is made by hand, so that no engine is asked. */
import { expect, test } from "vitest";
import { date, DAY, HOUR, iso } from "./calendar.ts";
import { BASE, day, numbers, posting, strayOf } from "./posted.ts";
import type { Exchange } from "./provider.ts";
import { scripted } from "./scripted.ts";
import { type PassedStrays, StandingStrays } from "./standing_strays.ts";

const STRAYED = day(-6);
const POSTED = day(-5);
/** Two outages, with two hours between them. */
const OUTAGES = [26, 32].map((hour) => ({
  start: day(0) + hour * HOUR,
  end: day(0) + (hour + 4) * HOUR,
  showsOneOf: Infinity,
}));
const [FIRST, LATER] = [day(0) + 27 * HOUR, day(0) + 33 * HOUR];

/** An answer that shows no record. */
const blindAt = (at: number, start = POSTED): Exchange => ({
  stream: "costs",
  at,
  asOf: at,
  date: at,
  start,
  end: start + DAY,
  cursor: null,
  status: 200,
  availableThrough: at,
  nextCursor: null,
  versions: [],
});

/** A connection that has read strays of a day, and a judge that has seen this. */
async function synced(count: number) {
  const costs = posting({ outages: [...OUTAGES] });
  const strays = numbers(0, count).map((i) => strayOf(costs, -6, -5, { id: `s${i}` }));
  const connection = scripted(day(0) + 3 * HOUR, [costs], strays);
  await connection.sync(BASE);
  expect(connection.faults).toEqual([]);
  const { warehouse, states, scheduler, world } = connection;
  const passed: PassedStrays = {
    exchanges: world.provider.exchanges,
    endedAt: scheduler.now,
    asked: { start: day(-20), end: day(1) },
    state: states.get("costs")?.value,
    isComplete: true,
    lacksReports: false,
    uncovered: new Set(),
    tooOldFor: new Set(),
  };
  const judge = new StandingStrays(costs, warehouse);
  expect(judge.after(passed)).toEqual([]);
  const after = (exchanges: readonly Exchange[], changes: Partial<PassedStrays> = {}): string[] => {
    const endedAt = exchanges.at(-1)?.at ?? passed.endedAt;
    return judge.after(Object.assign({}, passed, { exchanges, endedAt }, changes));
  };
  /** A later report of a reading of a day's window. A reading that has written rows of the day is a second one, and judges no strays. */
  const report = (of: number, at: number, rows = 0): string => {
    const found = warehouse.reportsOf("costs", date(of)).at(-1);
    if (found === undefined) throw new Error("no report");
    const id = `z${at}${found.reading_id}`;
    const told = {
      id,
      reading_id: id,
      began_at: iso(at),
      rows_reading_id: id,
      rows,
      whole_window: rows === 0,
    };
    warehouse.report(Object.assign({}, found, told));
    return id;
  };
  return { after, report, strays, warehouse, state: passed.state };
}

const BELIEVED = [
  expect.stringMatching(/^R8: 12 of 12 strays of 2026-05-06 no longer stand, s0 .*was read by z/u),
];

test("R8 P5: an outage that hides all strays of a day is believed at once", async () => {
  const { after, report } = await synced(12);
  report(POSTED, FIRST);
  expect(after([blindAt(FIRST)])).toEqual(BELIEVED);
  expect(after([blindAt(LATER)])).toEqual([]);
});

test.each([
  [FIRST + 50 * 60_000, []],
  [FIRST + 45 * 60_000, BELIEVED],
])("R8 P5: it is not if a reading an hour before agrees (%i)", async (second, faults) => {
  const { after, report } = await synced(12);
  expect(after([blindAt(FIRST)])).toEqual([]);
  report(POSTED, second);
  expect(after([blindAt(second)])).toEqual(faults);
});

test("R8 P5: a reading of another window agrees with nothing", async () => {
  const { after, report } = await synced(12);
  expect(after([blindAt(FIRST, STRAYED)])).toEqual([]);
  report(POSTED, LATER);
  expect(after([blindAt(LATER)])).toEqual(BELIEVED);
});

test("R8 P5: nine strays are no sudden loss, nor are those that the provider has withdrawn, or no outage has hidden", async () => {
  const few = await synced(9);
  few.report(POSTED, FIRST);
  expect(few.after([blindAt(FIRST)])).toEqual([]);
  const withdrawn = await synced(12);
  withdrawn.report(POSTED, FIRST);
  for (const life of withdrawn.strays) life.withdrawnAt = FIRST - HOUR;
  expect(withdrawn.after([blindAt(FIRST)])).toEqual([]);
  const seen = await synced(12);
  seen.report(POSTED, FIRST);
  expect(seen.after([blindAt(FIRST - 2 * HOUR)])).toEqual([]);
});

test.each([
  [6, []],
  [5, [expect.stringMatching(/^R8: 7 of 12 strays /u)]],
])("R8 P5: a reading that shows %i of twelve strays", async (shown, faults) => {
  const { after, report, strays, warehouse } = await synced(12);
  const id = report(POSTED, FIRST);
  for (const { versions } of strays.slice(12 - shown))
    for (const version of versions) warehouse.load(version, id, FIRST);
  expect(after([blindAt(FIRST)])).toEqual(faults);
});

test("R8 R10: the report of a day takes its strays for gone until their window lists them again, unless a killed process wrote it", async () => {
  const killed = await synced(12);
  killed.report(STRAYED, FIRST);
  expect(killed.after([blindAt(FIRST)], { isComplete: false })).toEqual([]);
  expect(killed.after([blindAt(FIRST + 1)])).toEqual([
    expect.stringMatching(/^R8: 12 of 12 strays .* its day was read by z/u),
  ]);
});

test("R8 P5: a window that is due lists its strays in the next sync if this one has written a day of it, or does not know one", async () => {
  const due = [[iso(POSTED), iso(POSTED + DAY)]] as const;
  const judged = async (forgotten: readonly number[], written: readonly number[]) => {
    const { after, report, state } = await synced(12);
    for (const start of written) report(start, FIRST, 1);
    report(STRAYED, FIRST);
    const unknown = forgotten.map((start) => [date(start)] as const);
    const told = Object.assign({}, state, { due, forgotten: unknown });
    return after([blindAt(FIRST + 1)], { state: told });
  };
  expect(await judged([], [])).toHaveLength(1);
  expect(await judged([POSTED], [])).toEqual([]);
  expect(await judged([], [POSTED])).toEqual([]);
  expect(await judged([POSTED + DAY], [POSTED + DAY])).toHaveLength(1);
});

test("R8 R4: the judge follows no strays that the state does not know", async () => {
  const lacking = await synced(12);
  lacking.report(POSTED, FIRST);
  expect(lacking.after([blindAt(FIRST)], { lacksReports: true })).toEqual([]);
  const cleared = await synced(12);
  cleared.report(POSTED, FIRST);
  expect(cleared.after([blindAt(FIRST)], { state: undefined })).toEqual([]);
  const uncovered = await synced(12);
  const id = uncovered.report(POSTED, FIRST);
  expect(uncovered.after([blindAt(FIRST)], { uncovered: new Set([id]) })).toEqual([]);
});
