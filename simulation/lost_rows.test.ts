/**
 * Schedules in which rows are lost, move or come back between two readings, or readings are not reported, and the days that must not stay
 * proven (R8, R10).
 */
import { expect, test } from "vitest";
import { date, DAY, dayOf, HOUR, MINUTE } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import { newestReports } from "./current.ts";
import { whole } from "./faults.ts";
import { FAIR } from "./network.ts";
import { problem } from "./provider.ts";
import { isDue } from "./reread.ts";
import { addVersion, type Life } from "./records.ts";
import type { Outage } from "./outages.ts";
import { lifeOf, plainRules, scripted } from "./scripted.ts";
import { CALM } from "./step.ts";
import { ALL_SELECTED } from "./trials.ts";

const [A, B] = [Date.UTC(2026, 4, 7), Date.UTC(2026, 4, 6)];
const TODAY = Date.UTC(2026, 4, 12);
const ONE_LANE = { ...CALM, concurrency: 1, pageSize: 50 };
const STEP = { ...ONE_LANE, asked: { ...CALM.asked, startDate: B, scrubDays: 0 } };
const usage = plainRules("usage", { retentionDays: 60, cursors: "keyset" });

/** So many rows of day A. */
const rowsOfA = (count: number): Life[] =>
  Array.from({ length: count }, (_, index) => lifeOf(usage, `a${index}`, A, { at: A + HOUR }));

const NEW_VERSION = {
  status: null,
  amount: 8_000_000,
  currency: "USD",
  extra: "",
  granularity: "1d",
} as const;

/** Moves records to day B at an instant. */
function moveToB({ world }: Connection, lives: readonly Life[], at: number): void {
  for (const life of lives) {
    life.withdrawnAt = at;
    const by = B - dayOf(life.start);
    const [start, end, postedAt] = [life.start + by, life.end + by, life.postedAt + by];
    const moved: Life = { ...life, start, end, postedAt, versions: [], withdrawnAt: Infinity };
    addVersion(moved, { ...NEW_VERSION, at, due: false });
    for (const version of moved.versions) world.provider.texts.set(version.text, version);
    world.provider.add(moved);
  }
}

/** Moves records to day B right after an answer for day B. */
function moveOnceBIsRead(connection: Connection, lives: readonly Life[]): void {
  const { provider } = connection.world;
  const moving = [...lives];
  provider.onPage = (next) => {
    if (moving.length > 0 && provider.exchanges.at(-1)?.start === B)
      moveToB(connection, moving.splice(0), next);
  };
}

/** The newest report of a day, and whether the day is due. */
function verdictOf({ warehouse, states, chainOf }: Connection, day: number) {
  const report = newestReports("usage", warehouse.reports, chainOf("usage")).get(date(day));
  const { rows, confirmed, shrunk } = report ?? {};
  const isOfDay = isDue({ start: day, end: day + DAY }, states.get("usage")?.value ?? {});
  return { rows, confirmed, shrunk, due: isOfDay };
}

const proven = (rows: number) => ({ rows, confirmed: true, shrunk: false, due: false });

test("R10: rows of a day that shows less than half may have moved to a day that the pass has read before", async () => {
  const lives = [lifeOf(usage, "x", B, { at: B + HOUR }), ...rowsOfA(12)];
  const connection = scripted(TODAY + 3 * HOUR, [usage], lives);
  const { scheduler } = connection;
  await connection.sync(STEP);
  scheduler.skipTo(TODAY + DAY + 3 * HOUR);
  moveOnceBIsRead(connection, lives.slice(1, 8));
  await connection.sync(STEP);
  expect(verdictOf(connection, A)).toMatchObject({ rows: 12, shrunk: true });
  expect(verdictOf(connection, B).due).toBe(true);
  scheduler.skipTo(TODAY + DAY + 6 * HOUR);
  await connection.sync(STEP);
  expect(verdictOf(connection, A)).toEqual(proven(5));
  expect(verdictOf(connection, B)).toEqual(proven(8));
  expect(connection.faults).toEqual([]);
});

test("R10: so they may in a sync without export_windows", async () => {
  const lives = [lifeOf(usage, "x", B, { at: B + HOUR }), ...rowsOfA(4)];
  const connection = scripted(TODAY + 3 * HOUR, [usage], lives);
  const { scheduler } = connection;
  await connection.sync(STEP);
  scheduler.skipTo(TODAY + DAY + 3 * HOUR);
  moveOnceBIsRead(connection, lives.slice(1, 2));
  await connection.sync({ ...STEP, selection: UNREPORTED });
  const { due = [] } = connection.states.get("usage")?.value ?? {};
  expect(isDue({ start: B, end: B + DAY }, { due })).toBe(true);
  scheduler.skipTo(TODAY + DAY + 6 * HOUR);
  await connection.sync(STEP);
  expect(verdictOf(connection, A)).toEqual(proven(3));
  expect(verdictOf(connection, B)).toEqual(proven(2));
  expect(connection.faults).toEqual([]);
});

test("R8: a reading that is given up between two outages ends the suspicion of a known day", async () => {
  const began = TODAY + 5 * HOUR;
  const outages = [-10, 60].map((minutes) => {
    const start = began + minutes * MINUTE;
    return { start, end: start + 40 * MINUTE, showsOneOf: Infinity };
  });
  const connection = scripted(TODAY, [{ ...usage, outages }], rowsOfA(30));
  const asked = { ...CALM.asked, startDate: A, endDate: A + 1 };
  const step = { ...ONE_LANE, asked, pageSize: 20 };
  await connection.sync(step);
  connection.scheduler.skipTo(began);
  await connection.sync(step);
  expect(verdictOf(connection, A)).toMatchObject({ rows: 30, shrunk: true, due: true });
  connection.scheduler.skipTo(began + 45 * MINUTE);
  const page = { status: 200, headers: { "content-type": "text/html" }, chunks: [] };
  const isSecond = (url: URL): boolean => url.searchParams.has("cursor");
  const weather = {
    ...FAIR,
    intercept: (url: URL) => (isSecond(url) ? { delivery: page } : undefined),
  };
  await connection.sync({ ...step, weather });
  expect(verdictOf(connection, A).due).toBe(true);
  connection.scheduler.skipTo(began + 75 * MINUTE);
  await connection.sync(step);
  expect(verdictOf(connection, A)).toMatchObject({ rows: 30, shrunk: true, due: true });
  connection.scheduler.skipTo(began + 3 * HOUR);
  await connection.sync(step);
  expect(verdictOf(connection, A)).toEqual(proven(30));
  expect(connection.faults).toEqual([]);
});

test.each([
  [5_000, 2_000, 3_000],
  [3 * HOUR, 2 * HOUR, 2.5 * HOUR],
])(
  "R8: the number of rows of a day stays while `Date` is %i ms behind, before midnight",
  async (behind, first, second) => {
    const outages = [{ start: TODAY + 31 * HOUR, end: TODAY + 34 * HOUR, showsOneOf: 30 }];
    const late = { ...usage, outages, lag: 6 * HOUR };
    const lives = Array.from({ length: 30 }, (_, index) =>
      lifeOf(late, `a${index}`, TODAY, { at: TODAY + 1000 }),
    );
    const connection = scripted(TODAY + first, [late], lives);
    await connection.sync(STEP);
    connection.scheduler.skipTo(TODAY + second);
    await connection.sync({ ...STEP, date: { ahead: -behind } });
    connection.scheduler.skipTo(TODAY + 32 * HOUR);
    await connection.sync(STEP);
    expect(verdictOf(connection, TODAY)).toMatchObject({ rows: 30, shrunk: true });
    expect(connection.faults).toEqual([]);
  },
);

test("R10: a row that a window had written before it began again may have moved, although the day has more rows than the state knew", async () => {
  const lives = [lifeOf(usage, "x", B, { at: B + HOUR }), ...rowsOfA(4)];
  const connection = scripted(TODAY + 3 * HOUR, [usage], lives);
  const moving = lives.slice(2, 3);
  const intercept = (url: URL) => {
    const isOfA = url.searchParams.get("start")?.startsWith(date(A)) === true;
    if (!isOfA || !url.searchParams.has("cursor") || moving.length === 0) return undefined;
    moveToB(connection, moving.splice(0), connection.scheduler.now);
    return { delivery: whole(problem(400, "cursor-expired")) };
  };
  const asked = { ...STEP.asked, reconcileDays: 0 };
  await connection.sync({ ...STEP, asked, pageSize: 2, weather: { ...FAIR, intercept } });
  expect(verdictOf(connection, B).due).toBe(true);
  connection.scheduler.skipTo(TODAY + 5 * HOUR);
  await connection.sync({ ...STEP, asked });
  expect(verdictOf(connection, B)).toEqual(proven(2));
  expect(verdictOf(connection, A)).toMatchObject(proven(3));
  expect(connection.faults).toEqual([]);
});

const UNREPORTED = { ...ALL_SELECTED, reports: false };

/** Whether the state says that no report tells of a day. */
const isUntold = ({ states }: Connection, day: number): boolean =>
  isDue(
    { start: day, end: day + DAY },
    { unreported: states.get("usage")?.value.unreported ?? [] },
  );

test.each([
  ["are withdrawn", true, 0],
  ["are restated", false, 5],
])(
  "R10: a day whose rows %s before a sync without export_windows is due",
  async (_, isGone, rows) => {
    const lives = rowsOfA(5);
    for (const life of lives) {
      const at = TODAY + 12 * HOUR;
      if (isGone) life.withdrawnAt = at;
      else addVersion(life, { ...NEW_VERSION, at, due: false });
    }
    const connection = scripted(TODAY + 3 * HOUR, [usage], lives);
    await connection.sync(STEP);
    expect(verdictOf(connection, A)).toEqual(proven(5));
    connection.scheduler.skipTo(TODAY + DAY + 3 * HOUR);
    await connection.sync({ ...STEP, selection: UNREPORTED });
    expect(isUntold(connection, A)).toBe(true);
    const before = connection.requests;
    connection.scheduler.skipTo(TODAY + DAY + 4 * HOUR);
    await connection.sync({ ...STEP, selection: UNREPORTED });
    expect(connection.requests - before).toBeLessThan(8); // such a sync reads the day no more often than others
    connection.scheduler.skipTo(TODAY + DAY + 6 * HOUR);
    await connection.sync(STEP);
    expect(verdictOf(connection, A)).toEqual(proven(rows));
    expect(isUntold(connection, A)).toBe(false);
    expect(connection.faults).toEqual([]);
  },
);

test.each(["joins the catalog", "is cleared by itself"])(
  "R10: all known days are due once export_windows %s",
  async (how) => {
    const lives = Array.from({ length: 30 }, (_, index) => {
      const start = A - index * DAY;
      return lifeOf(usage, `r${index}`, start, { at: start + HOUR });
    });
    const connection = scripted(TODAY + 3 * HOUR, [usage], lives);
    const step = { ...STEP, asked: { ...STEP.asked, startDate: A - 30 * DAY } };
    await connection.sync({
      ...step,
      selection: how === "is cleared by itself" ? ALL_SELECTED : UNREPORTED,
    });
    connection.states.delete("export_windows");
    const before = connection.warehouse.reports.length;
    connection.scheduler.skipTo(TODAY + 5 * HOUR);
    const { items } = await connection.sync(step);
    // A STATE names the days before the first report: a later process knows them, too.
    const first = items.find(({ kind }) => kind === "state" || kind === "report");
    expect(first).toMatchObject({ kind: "state", stream: "usage" });
    const { reports } = connection.warehouse;
    const days = new Set(reports.slice(before).map(({ day }) => day));
    for (let day = A - 30 * DAY; day < TODAY; day += DAY) {
      expect(days).toContain(date(day));
      expect(verdictOf(connection, day)).toMatchObject({ confirmed: true, due: false });
    }
    expect(connection.faults).toEqual([]);
  },
);

test.each([
  ["none", [], true],
  ["its own", ["costs"], true],
  // A state of an earlier version names no streams, and stands for all of them.
  ["all", ["usage", "costs", "export_windows"], false],
] as const)(
  "R10: the days of a dataset are due that was not selected when export_windows began again (states of an earlier version: %s)",
  async (_, earlier, areRead) => {
    const costs = plainRules("costs", { retentionDays: 60 });
    const lives = [usage, costs].flatMap((rules) => [
      lifeOf(rules, `${rules.stream} a`, A, { at: A + HOUR }),
      lifeOf(rules, `${rules.stream} b`, B, { at: B + HOUR }),
    ]);
    const connection = scripted(TODAY + 3 * HOUR, [usage, costs], lives);
    const reportedDays = (since: number): string[] => {
      const own = connection.warehouse.reports
        .slice(since)
        .filter((row) => row.dataset === "costs");
      return own.map(({ day }) => day).toSorted();
    };
    const step = { ...STEP, asked: { ...STEP.asked, reconcileDays: 0 } };
    await connection.sync(step);
    connection.states.delete("export_windows");
    connection.scheduler.skipTo(TODAY + 5 * HOUR);
    await connection.sync({ ...step, selection: { ...ALL_SELECTED, unselected: "costs" } });
    for (const stream of earlier) {
      const stored = connection.states.get(stream);
      const value: object = { ...stored?.value };
      for (const member of ["streams", "reported"]) Reflect.deleteProperty(value, member);
      Object.assign(stored ?? {}, { json: JSON.stringify(value) });
    }
    for (const [hour, isRead] of [
      [7, areRead],
      [9, false],
    ] as const) {
      const since = connection.warehouse.reports.length;
      connection.scheduler.skipTo(TODAY + hour * HOUR);
      await connection.sync(step);
      expect(reportedDays(since).includes(date(A))).toBe(isRead);
    }
    expect(connection.faults).toEqual([]);
  },
);

test("R5: two passes that begin within one second of a `Date` have their own `pass_began_at`", async () => {
  const connection = scripted(TODAY + 3 * HOUR, [usage], rowsOfA(2));
  const [first, second, third] = [[], [], []] as string[][];
  for (const [began, later] of [
    [first, 0],
    [second, 700],
    [third, 100],
  ] as const) {
    const since = connection.warehouse.reports.length;
    connection.scheduler.skipTo(connection.scheduler.now + later);
    await connection.sync({ ...STEP, date: { at: TODAY + 3 * HOUR } });
    const said = connection.warehouse.reports.slice(since);
    began?.push(...new Set(said.map(({ pass_began_at: at }) => at)));
  }
  const all = [first, second, third].flat();
  expect(new Set(all).size).toBe(3);
  expect(all.toSorted((one = "", other = "") => (one < other ? -1 : 1))).toEqual(all);
  expect(connection.faults).toEqual([]);
});

const costs = plainRules("costs", { retentionDays: 60, selects: "posting" });
/** A cost of day B that only the window of day A shows. */
function postedOnA(): Life {
  const late = lifeOf(costs, "late", B, { at: A + HOUR });
  Object.assign(late, { postedAt: A });
  return late;
}
const standsIn = ({ warehouse }: Connection, life: Life): boolean =>
  [...warehouse.deduplicated.costs.values()].some(({ version }) => version.record === life);
const straysOf = ({ states }: Connection) => states.get("costs")?.value.strays ?? [];

test("R5 R10: a stray that a sync without export_windows has written is proven by the next one with it", async () => {
  const late = postedOnA();
  const connection = scripted(TODAY + 3 * HOUR, [costs], [late]);
  await connection.sync({ ...STEP, selection: UNREPORTED });
  expect(standsIn(connection, late)).toBe(true);
  connection.scheduler.skipTo(TODAY + 5 * HOUR);
  await connection.sync(STEP);
  const [stray] = straysOf(connection);
  const told = connection.warehouse.reports.filter(({ inside_window: isInside }) => !isInside);
  const [own, former] = [true, false].map((isOwn) =>
    told.find(({ rows_reading_id: of }) => (of === stray?.[2]) === isOwn),
  );
  expect(own).toMatchObject({ day: date(B), reading_id: stray?.[2], rows: 1 }); // of the reading that wrote the row
  expect(former).toMatchObject({ rows: 0 }); // the row of the first sync is replaced
  expect(connection.faults).toEqual([]);
});

test("R10: the window of a stray is read again if a sync without export_windows has missed the stray", async () => {
  const late = postedOnA();
  const connection = scripted(
    TODAY + 3 * HOUR,
    [costs],
    [late, lifeOf(costs, "own", B, { at: B + HOUR })],
  );
  const step = { ...STEP, asked: { ...STEP.asked, reconcileDays: 9 } };
  await connection.sync(step);
  late.withdrawnAt = TODAY + 12 * HOUR;
  connection.scheduler.skipTo(TODAY + DAY + 3 * HOUR);
  await connection.sync({ ...step, selection: UNREPORTED });
  expect(straysOf(connection)).toEqual([]);
  const before = connection.warehouse.reports.length;
  connection.scheduler.skipTo(TODAY + DAY + 6 * HOUR);
  await connection.sync(step);
  // A whole reading of the window that lists no stray takes the row out of the sums.
  const said = connection.warehouse.reports.slice(before).find(({ day }) => day === date(A));
  expect(said).toMatchObject({ whole_window: true, moved: false, resumed: false });
  expect(connection.faults).toEqual([]);
});

test("R10: a late report of a day makes the days due that the pass has read before", async () => {
  const lives = [lifeOf(usage, "x", B, { at: B + HOUR }), ...rowsOfA(3)];
  const connection = scripted(TODAY + 3 * HOUR, [usage], lives);
  await connection.sync(STEP);
  for (const life of lives.slice(1, 2)) life.withdrawnAt = TODAY + 12 * HOUR;
  connection.scheduler.skipTo(TODAY + DAY + 3 * HOUR);
  await connection.sync({ ...STEP, selection: UNREPORTED });
  const before = connection.warehouse.reports.length;
  connection.scheduler.skipTo(TODAY + 2 * DAY + 6 * HOUR);
  await connection.sync(STEP);
  const said = connection.warehouse.reports.slice(before);
  const idsOf = (day: number): string[] =>
    said.filter((report) => report.day === date(day)).map((report) => report.reading_id);
  const yesterday = idsOf(TODAY + DAY);
  // Yesterday is read first, and once more behind the report of A, which tells the models of the loss.
  expect(yesterday).toHaveLength(2);
  const inOrder = [...yesterday.slice(0, 1), ...idsOf(A), ...yesterday.slice(1)];
  expect(inOrder.toSorted()).toEqual(inOrder);
  expect(verdictOf(connection, TODAY + DAY)).toEqual(proven(0));
  expect(connection.faults).toEqual([]);
});

test.each([true, false])(
  "R8: two readings that are an hour apart by the provider's clock may agree without a report, and a further loss of few rows is believed (the first one is reported: %s)",
  async (isReported) => {
    const began = TODAY + 27 * HOUR;
    const outages: Outage[] = [
      { start: began, end: began + 9 * MINUTE, showsOneOf: 10 },
      { start: began + 9 * MINUTE, end: began + 30 * MINUTE, showsOneOf: Infinity },
    ];
    const connection = scripted(TODAY + 3 * HOUR, [{ ...usage, outages }], rowsOfA(12));
    await connection.sync(STEP);
    const deep = { ...STEP, asked: { ...STEP.asked, reconcileDays: 20 } };
    const unreported = { ...deep, selection: UNREPORTED };
    connection.scheduler.skipTo(began);
    await connection.sync({ ...(isReported ? deep : unreported), date: { ahead: -3 * HOUR } });
    for (const minutes of [7, 8]) {
      connection.scheduler.skipTo(began + minutes * MINUTE);
      await connection.sync(unreported);
      const [, known] = connection.states.get("usage")?.value.days?.[0] ?? [];
      expect(known).toEqual([[date(A), 2, expect.any(String)]]);
    }
    connection.scheduler.skipTo(began + 10 * MINUTE);
    await connection.sync(deep);
    expect(connection.warehouse.reportsOf("usage", date(A)).at(-1)).toMatchObject({
      confirmed: true,
      rows: 0,
    });
    expect(connection.faults).toEqual([]);
  },
);

test("R8 S7: a full refresh believes an outage, because it knows no rows of an earlier job", async () => {
  const rules = plainRules("usage", { retentionDays: 60 });
  const connection = scripted(TODAY + 3 * HOUR, [rules], rowsOfA(30), "full_refresh");
  await connection.sync(STEP);
  connection.states.clear();
  rules.outages.push({ start: TODAY + 26 * HOUR, end: TODAY + 30 * HOUR, showsOneOf: 30 });
  connection.scheduler.skipTo(TODAY + 27 * HOUR);
  await connection.sync(STEP);
  const report = connection.warehouse.reports.findLast((row) => row.day === date(A));
  expect(report).toMatchObject({ confirmed: true, shrunk: false });
  expect(report?.rows).toBeLessThan(15);
});
