/**
 * Schedules by which a wrong day was proven, or a right day stayed unproven, as the real models judge them (the view `completeness`): nothing
 * in the state, or in the judges of this simulation, had seen them.
 */
import { expect, test } from "vitest";
import { LIMITS } from "../src/core/limits.ts";
import { date, DAY, HOUR, MINUTE } from "./calendar.ts";
import { FAIR } from "./network.ts";
import type { Item, StateValue } from "./platform.ts";
import {
  asked,
  BASE,
  CLEARED,
  day,
  DEEP,
  DEFAULTS,
  downOn,
  isReportOf,
  isRowOf,
  lifeIn,
  livesOn,
  numbers,
  PAGED,
  posting,
  restate,
  strayOf,
  syncsAt,
  unproven,
  unreported,
  verdictOn,
} from "./posted.ts";
import type { Rules } from "./provider.ts";
import { addVersion, type Life } from "./records.ts";
import { killAt, lifeOf, limit, plainRules, scripted, standing } from "./scripted.ts";
import { CALM, type Step } from "./step.ts";
import { verdictsOf } from "./testing.ts";
import { ALL_SELECTED } from "./trials.ts";
import { HONEST } from "./world.ts";

/** Whether a STATE says that the pass has read the windows up to the end of the day before this one. */
const hasRead =
  (number: number) =>
  ({ pass }: StateValue): boolean =>
    pass?.reads.some(({ end }) => end.startsWith(date(day(number)))) === true;

test("R10: a withdrawn stray whose window the end of retention has cut takes the proof from no other day", async () => {
  const costs = posting({ maximumWindowDays: 31 });
  const stray = strayOf(costs, -37, -45);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -58, 1), stray]);
  await connection.sync(DEFAULTS);
  stray.withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27, 30, 51, 75, 77, 99, 101], DEFAULTS);
  const found = await unproven(connection, "costs", day(-54));
  expect(found.filter((one) => !one.startsWith(date(day(-37))))).toEqual([]);
  expect(found).toEqual([expect.stringContaining(`${date(day(-37))} unproven`)]);
  expect(connection.states.get("costs")?.value.strays).toEqual([]);
  expect(connection.faults).toEqual([]);
});

test("R10: so does a stray whose window lies before a later start date", async () => {
  const costs = posting();
  const stray = strayOf(costs, -12, -18);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
  await connection.sync(BASE);
  stray.withdrawnAt = day(0) + 12 * HOUR;
  const step = { ...BASE, asked: asked({ startDate: day(-15), reconcileDays: 14 }) };
  await syncsAt(connection, [27], step);
  await syncsAt(connection, [30, 32], { ...step, asked: asked({ startDate: day(-15) }) });
  const found = await unproven(connection, "costs", day(-15));
  expect(found.filter((one) => !one.startsWith(date(day(-12))))).toEqual([]);
});

test.each([
  ["behind an end date", -4, { endDate: day(-6) }, [-5, -2]],
  ["around an end date", -6, { endDate: day(-6) }, [-6, -5]],
  ["before a later start date", -18, { startDate: day(-15) }, []],
  ["around a later start date", -16, { startDate: day(-15) }, []],
])(
  "R10: a stray whose window lies %s is written again once a sync may read the window (posted on day %i)",
  async (_, posted, range, due) => {
    const costs = posting({ maximumWindowDays: 3 });
    const stray = strayOf(costs, -12, posted);
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
    await connection.sync(BASE);
    const cut = { ...BASE, asked: asked({ ...range, reconcileDays: 14 }) };
    await syncsAt(connection, [27, 30], cut);
    expect(await verdictOn(connection, -12)).toBe("unproven 1");
    const dueDays = connection.states.get("costs")?.value.due?.flat();
    expect(dueDays).toEqual(due.map((number) => date(day(number))));
    await syncsAt(connection, [51], BASE);
    expect(await verdictOn(connection, -12)).toBe("proven 2");
    await syncsAt(connection, [54], BASE);
    expect(connection.states.get("costs")?.value.due).toEqual([]);
    expect(connection.faults).toEqual([]);
  },
);

test("R10: so does a stray that is withdrawn after the provider has shortened `maximum_window_days`", async () => {
  const costs = posting({ maximumWindowDays: 3 });
  const stray = strayOf(costs, -6, -4);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
  const step = { ...BASE, asked: { ...CALM.asked, startDate: day(-20) } };
  await connection.sync(step);
  stray.withdrawnAt = day(0) + 12 * HOUR;
  costs.maximumWindowDays = 1;
  await syncsAt(connection, [27, 30, 51, 75, 77], step);
  const found = await unproven(connection, "costs");
  expect(found.filter((one) => !one.startsWith(date(day(-6))))).toEqual([]);
});

test("P5: a stray is restated after the provider has shortened `maximum_window_days`", async () => {
  const costs = posting({ maximumWindowDays: 3 });
  const stray = strayOf(costs, -6, -4);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
  const step = { ...BASE, asked: { ...CALM.asked, startDate: day(-20) } };
  await connection.sync(step);
  restate(connection, stray, day(0) + 12 * HOUR);
  costs.maximumWindowDays = 1;
  await syncsAt(connection, [27, 30], step);
  expect(await unproven(connection, "costs")).toEqual([]);
});

test("P5: a day takes a stray over whose window a later start date has cut", async () => {
  const costs = plainRules("costs", {
    retentionDays: 60,
    selects: "inclusive",
    maximumWindowDays: 7,
  });
  const connection = scripted(day(0) + 3 * HOUR, [costs], livesOn(costs, -20, 1));
  await connection.sync({ ...BASE, asked: asked({ startDate: day(-6), endDate: day(-2) - 1 }) });
  const step = { ...BASE, asked: { ...CALM.asked, startDate: day(-5) } };
  await syncsAt(connection, [8, 10], step);
  expect(await unproven(connection, "costs")).toEqual([]);
});

test("P5: a stray is restated in a window of several pages, each with an `as_of` of its own", async () => {
  const costs = posting({ cursors: "keyset" });
  const stray = strayOf(costs, -6, -5);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), stray]);
  const step = { ...BASE, pageSize: 2, asked: { ...CALM.asked, startDate: day(-20) } };
  await connection.sync(step);
  restate(connection, stray, day(0) + 12 * HOUR);
  await syncsAt(connection, [27, 30], step);
  expect(await unproven(connection, "costs")).toEqual([]);
});

test.each([
  ["of a group", 2],
  ["without a group", 1],
])(
  "R10: a stray %s is withdrawn at a provider that gives each page of a window an `as_of` of its own",
  async (_name, strays) => {
    const costs = posting({ cursors: "keyset" });
    const lives = [
      ...livesOn(costs, -20, 1, 4),
      ...numbers(0, strays).map((index) => strayOf(costs, -6, -5, { id: `stray${index}` })),
    ];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    const step = { ...BASE, pageSize: 2, asked: { ...CALM.asked, startDate: day(-20) } };
    await connection.sync(step);
    lifeIn(lives, "stray0").withdrawnAt = day(0) + 12 * HOUR;
    await syncsAt(connection, [27, 30], step);
    expect(await unproven(connection, "costs")).toEqual([]);
    expect((await verdictsOf(connection, "costs")).get(date(day(-6)))?.rows).toBe(
      String(4 + strays - 1),
    );
    expect(connection.states.get("costs")?.value.due).toEqual([]);
  },
);

test("R10: two windows of several pages, each with an `as_of` of its own, show a stray of the other one's day", async () => {
  const costs = posting({ cursors: "keyset" });
  const strays = [strayOf(costs, -10, -8, { id: "one" }), strayOf(costs, -8, -10, { id: "other" })];
  const lives = [...livesOn(costs, -20, 1, 4), ...strays];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  const step = { ...BASE, pageSize: 2, asked: { ...CALM.asked, startDate: day(-20) } };
  await connection.sync(step);
  restate(connection, lifeIn(lives, "r-10x0"), day(0) + 12 * HOUR);
  await syncsAt(connection, [27, 30], step);
  expect(await unproven(connection, "costs")).toEqual([]);
  expect(connection.states.get("costs")?.value.due).toEqual([]);
});

test.each(["snapshot", "keyset"] as const)(
  "P5 R10: a process dies before it writes the other strays of a group again of which one is withdrawn (cursors: %s)",
  async (cursors) => {
    const costs = posting({ cursors });
    const lives = [
      ...livesOn(costs, -20, 1, 4),
      ...["a", "b"].map((id) => strayOf(costs, -12, -5, { id })),
    ];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    const step = { ...BASE, pageSize: 2, asked: asked({ reconcileDays: 6 }) };
    await connection.sync(step);
    lifeIn(lives, "a").withdrawnAt = day(0) + 12 * HOUR;
    // The report of the reading that finds the loss.
    let readings = cursors === "keyset" ? 2 : 1;
    const isOfWindow = (item: Item): boolean =>
      item.kind === "report" && item.row.window_start.startsWith(date(day(-5)));
    const end = { killWhen: (item: Item): boolean => isOfWindow(item) && --readings === 0 };
    await syncsAt(connection, [27], { ...step, end });
    const verdict = (await verdictsOf(connection, "costs")).get(date(day(-12)));
    expect(verdict?.status === "proven" && verdict.rows !== "5").toBe(false);
    await syncsAt(connection, [30, 51, 75], step);
    expect(await unproven(connection, "costs")).toEqual([]);
    expect((await verdictsOf(connection, "costs")).get(date(day(-12)))?.rows).toBe("5");
  },
);

test("P5 R10: a process dies within the report of a window that shows strays of two days", async () => {
  const costs = posting();
  const strays = [strayOf(costs, -12, -5, { id: "a" }), strayOf(costs, -11, -5, { id: "b" })];
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), ...strays]);
  const step = { ...BASE, asked: asked({ reconcileDays: 6 }) };
  await connection.sync(step);
  const killWhen = (item: Item): boolean =>
    item.kind === "report" && item.row.window_start.startsWith(date(day(-5)));
  await syncsAt(connection, [27], { ...step, end: { killWhen } });
  const verdicts = await verdictsOf(connection, "costs");
  for (const number of [-12, -11])
    expect(verdicts.get(date(day(number)))).toMatchObject({ status: "proven", rows: "2" });
});

test.each([
  ["is restated", "stray"],
  ["stands, and a day of its window is restated", "r-5x0"],
])(
  "P5 R10: in a sync without export_windows a stray %s, at a provider that gives each page of a window an `as_of` of its own",
  async (_how, restated) => {
    const costs = posting({ cursors: "keyset" });
    const lives = [...livesOn(costs, -20, 1, 4), strayOf(costs, -6, -5)];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    const step = { ...BASE, pageSize: 2, asked: { ...CALM.asked, startDate: day(-20) } };
    await connection.sync(step);
    restate(connection, lifeIn(lives, restated), day(0) + 12 * HOUR);
    await syncsAt(connection, [27], unreported(step));
    await syncsAt(connection, [30, 51], step);
    expect(await unproven(connection, "costs")).toEqual([]);
  },
);

test("P5: a window of today cannot be due, and its stray of the next hour is taken over by its day", async () => {
  const usage = plainRules("usage", {
    granularity: "1h",
    retentionDays: 60,
    selects: "inclusive",
  });
  const hours = numbers(-48, 26).map((hour) => {
    const start = day(0) + hour * HOUR;
    const life = lifeOf(usage, `h${hour}`, day(0));
    Object.assign(life, { start, end: start + HOUR, postedAt: start });
    const told = { status: null, due: false, currency: "USD", extra: "" } as const;
    addVersion(life, { ...told, at: start + MINUTE, amount: 1e6, granularity: "1h" });
    return life;
  });
  const connection = scripted(day(0) + 3.99 * HOUR, [usage], hours);
  const step = { ...BASE, pageSize: 2, asked: asked({ startDate: day(-2) }) };
  // An hour begins between the plan of the sync and its first answer.
  const late = [
    { error: Object.assign(new Error("slow"), { code: "ECONNRESET" }), delay: 180_000 },
  ];
  const intercept = (url: URL) => (url.pathname.endsWith("/usage") ? late.shift() : undefined);
  await connection.sync({ ...step, weather: { ...FAIR, intercept } });
  expect(connection.states.get("usage")?.value.strays).toHaveLength(1);
  await syncsAt(connection, [6.5, 99, 101], step);
  expect(await unproven(connection)).toEqual([]);
});

test.each([
  ["stands", 5],
  ["is withdrawn", 3],
])(
  "R10: a sync without export_windows changes a day of a stray's window, and then the stray %s",
  async (how, changed) => {
    const costs = posting({ maximumWindowDays: 3 });
    const stray = strayOf(costs, -12, -5);
    const lives = [...livesOn(costs, -20, 1), stray];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    const step = { ...BASE, asked: asked({ reconcileDays: 6 }) };
    await connection.sync(step);
    restate(connection, lifeIn(lives, `r-${changed}x0`), day(0) + 12 * HOUR);
    await syncsAt(connection, [27], unreported(step));
    if (how === "is withdrawn") stray.withdrawnAt = day(1) + 4 * HOUR;
    await syncsAt(connection, [30, 51, 75], step);
    expect(await unproven(connection, "costs")).toEqual([]);
    const { rows } = (await verdictsOf(connection, "costs")).get(date(day(-12))) ?? {};
    expect(rows).toBe(how === "stands" ? "2" : "1");
  },
);

test("R10: no report tells of a stray that its day has taken over in a sync without export_windows", async () => {
  const costs = posting();
  const stray = strayOf(costs, -12, -5);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
  await connection.sync(BASE);
  Object.assign(stray, { postedAt: day(-12) });
  await syncsAt(connection, [27], unreported(DEEP));
  await syncsAt(connection, [30, 32], BASE);
  expect(await unproven(connection, "costs")).toEqual([]);
});

test("R10: export_windows is cleared while the window of a stray is forgotten", async () => {
  const costs = posting();
  const lives = [...livesOn(costs, -20, 1), strayOf(costs, -12, -5)];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  const step = { ...BASE, asked: asked({ reconcileDays: 6 }) };
  await connection.sync(step);
  restate(connection, lifeIn(lives, "r-5x0"), day(0) + 12 * HOUR);
  const isForgotten = ({ forgotten = [] }: StateValue): boolean =>
    forgotten.some(([name]) => name === date(day(-5)));
  await syncsAt(connection, [27], { ...step, end: killAt("costs", isForgotten) });
  await syncsAt(connection, [30], { ...step, selection: { ...ALL_SELECTED, clears: true } });
  await syncsAt(connection, [32], step);
  expect(await unproven(connection, "costs")).toEqual([]);
});

test("R10: syncs without export_windows complete a day of which the last report covers a part", async () => {
  const usage = plainRules("usage", { retentionDays: 60 });
  const connection = scripted(day(0) + 12 * HOUR, [usage], livesOn(usage, -20, 20));
  await connection.sync(BASE);
  await syncsAt(connection, [36, 60, 84], unreported(BASE));
  await syncsAt(connection, [108, 132], BASE);
  expect(await unproven(connection)).toEqual([]);
});

test("R10: a long charge of a sync without export_windows is withdrawn", async () => {
  const costs = plainRules("costs", {
    retentionDays: 60,
    selects: "overlap",
    maximumWindowDays: 31,
  });
  const long = Object.assign(lifeOf(costs, "long", day(-10)), { end: day(-8) });
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), long]);
  restate(connection, long, day(-10) + HOUR);
  await connection.sync(unreported(DEEP));
  await syncsAt(connection, [27], DEEP);
  costs.maximumWindowDays = 1;
  await syncsAt(connection, [51], DEEP);
  expect(await verdictOn(connection, -10)).toBe("proven 5");
  long.withdrawnAt = day(2) + 12 * HOUR;
  await syncsAt(connection, [75, 99], DEEP);
  expect(await verdictOn(connection, -10)).toBe("proven 4");
});

test.each(["cleared", "lost"])(
  "P5 R10: one stray of a group is withdrawn, the next sync writes the other one again, and then the state is %s",
  async (how) => {
    const costs = posting();
    const gone = strayOf(costs, -12, -6, { id: "gone" });
    const lives = [...livesOn(costs, -20, 1, 4), gone, strayOf(costs, -12, -6)];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(DEEP);
    gone.withdrawnAt = day(0) + 12 * HOUR;
    await syncsAt(connection, [27], DEEP);
    if (how === "lost") connection.states.delete("costs");
    await syncsAt(connection, [51], how === "cleared" ? { ...DEEP, ...CLEARED } : DEEP);
    await syncsAt(connection, [75, 99], DEEP);
    expect(await verdictOn(connection, -12)).toBe("proven 5");
  },
);

test("R5 R10: a day that is due stays so if it is read while `available_through` lies before it", async () => {
  const usage = plainRules("usage", { retentionDays: 60 });
  const lives = livesOn(usage, -20, 1, 3);
  const connection = scripted(day(0) + 3 * HOUR, [usage], lives);
  await connection.sync(BASE);
  lifeIn(lives, "r-10x1").withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27], unreported(DEEP));
  usage.frontier = standing(day(-15));
  await syncsAt(connection, [28], BASE);
  usage.frontier = HONEST;
  await syncsAt(connection, [30, 32], BASE);
  expect(await unproven(connection)).toEqual([]);
});

test.each([
  ["withdrawn", "0"],
  ["restated", "1"],
])(
  "R5 R10: a day becomes due if its row is found %s while `available_through` lies before it",
  async (how, rows) => {
    const costs = plainRules("costs", { retentionDays: 60 });
    const lives = livesOn(costs, -20, 1);
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(BASE);
    const life = lifeIn(lives, "r-10x0");
    if (how === "restated") restate(connection, life, day(0) + 12 * HOUR);
    else life.withdrawnAt = day(0) + 12 * HOUR;
    costs.frontier = standing(day(-15));
    await syncsAt(connection, [27], DEEP);
    costs.frontier = HONEST;
    await syncsAt(connection, [30], BASE);
    const verdict = (await verdictsOf(connection, "costs")).get(date(day(-10)));
    expect(verdict).toMatchObject({ status: "proven", rows });
  },
);

test("R10: a second reading is the first report of a day that has lost rows", async () => {
  const usage = plainRules("usage", { retentionDays: 60 });
  const lives = livesOn(usage, -20, 1, 3);
  const connection = scripted(day(0) + 3 * HOUR, [usage], lives);
  await connection.sync(BASE);
  for (const number of [-10, -8]) lifeIn(lives, `r${number}x1`).withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27], unreported({ ...DEEP, end: killAt("usage", hasRead(-9)) }));
  await syncsAt(connection, [28], DEEP);
  await syncsAt(connection, [30], BASE);
  expect(await unproven(connection)).toEqual([]);
});

test("S8 R10: a STATE leaves out the finished windows, and the next process of the pass misses a row", async () => {
  let stateBytes = LIMITS.stateBytes;
  for (const isSmall of [false, true]) {
    const usage = plainRules("usage", { retentionDays: 60 });
    const lives = livesOn(usage, -5, 12, 3);
    const connection = scripted(day(0) + 3 * HOUR, [usage], lives);
    const step = { ...BASE, asked: asked({ startDate: day(-5) }) };
    await connection.sync(step);
    limit(connection, { stateBytes });
    const isFar = ({ position = "" }: StateValue): boolean => position >= date(day(8));
    await syncsAt(connection, [12 * 24 + 3], { ...step, end: killAt("usage", isFar) });
    stateBytes = Buffer.byteLength(connection.states.get("usage")?.json ?? "") - 5;
    if (!isSmall) continue;
    lifeIn(lives, "r7x1").withdrawnAt = day(12) + 3.5 * HOUR;
    limit(connection, {});
    await syncsAt(connection, [12 * 24 + 4, 12 * 24 + 6], step);
    expect(await unproven(connection)).toEqual([]);
  }
});

test.each(["has whole seconds", "steps back"])(
  "R10: a process goes on with a pass within the time of the reading that has lost a row, because its `Date` %s",
  async (how) => {
    const usage = plainRules("usage", { retentionDays: 60, cursors: "keyset" });
    const lives = livesOn(usage, -20, 1, 5);
    const connection = scripted(day(0) + 3 * HOUR, [usage], lives);
    await connection.sync(BASE);
    lifeIn(lives, "r-10x1").withdrawnAt = day(0) + 12 * HOUR;
    const isBack = how === "steps back";
    const slow = {
      error: Object.assign(new Error("slow"), { code: "ECONNRESET" }),
      delay: 240_000,
    };
    let asks = 0;
    const intercept = (url: URL) => {
      const isOfLoss = url.searchParams.get("start")?.startsWith(date(day(-10))) === true;
      if (!isOfLoss || !url.searchParams.has("cursor")) return undefined;
      asks += 1;
      return asks % 2 === 1 ? slow : undefined;
    };
    const isNextReport = (item: Item): boolean =>
      item.kind === "report" && item.row.day === date(day(-8));
    const first: Step = isBack
      ? { ...DEEP, pageSize: 2, weather: { ...FAIR, intercept }, end: { killWhen: isNextReport } }
      : { ...DEEP, end: killAt("usage", hasRead(-9)) };
    await syncsAt(connection, [27], first);
    const lost = connection.warehouse.reportsOf("usage", date(day(-10))).at(-1);
    const { scheduler } = connection;
    scheduler.skipTo(scheduler.now + (isBack ? MINUTE : 100));
    const ahead = isBack ? Date.parse(lost?.began_at ?? "") + MINUTE - scheduler.now : 0;
    await connection.sync({ ...DEEP, date: { ahead } });
    await syncsAt(connection, [30], BASE);
    expect(await unproven(connection)).toEqual([]);
  },
);

const livesWithStrays = (rules: Rules, posted = -5): Life[] => [
  ...livesOn(rules, -20, 1, 4),
  ...["a", "b"].map((id) => strayOf(rules, -12, posted, { id })),
];

/** The day of a stray, and the window that shows it. */
const [OF_STRAY, POSTED] = [-12, -5];
const dying = (fits: (item: Item) => boolean, changes: Partial<Step> = {}): Step => ({
  ...PAGED,
  ...changes,
  end: { killWhen: fits },
});
const diesBehindItsDay = dying(isReportOf(OF_STRAY));
const failsAtItsWindow = { ...PAGED, weather: downOn(POSTED) };

/** The syncs after a first complete one, each with the hour at which it begins. In some schedules the stray is restated before them. */
const UNTIL_WRITTEN: Record<
  string,
  { restates: boolean; stands?: true; syncs: (readonly [number, Step])[] }
> = {
  "a process dies behind the row of its new version, and the next one behind its day": {
    restates: true,
    syncs: [
      [27, dying(isRowOf("a"))],
      [51, diesBehindItsDay],
    ],
  },
  "a process dies behind the row of its new version, and its window fails": {
    restates: true,
    syncs: [
      [27, dying(isRowOf("a"))],
      [51, failsAtItsWindow],
      [75, failsAtItsWindow],
    ],
  },
  "a process dies behind the report of its window, and the next one behind its day": {
    restates: true,
    syncs: [
      [27, dying(isReportOf(POSTED))],
      [51, diesBehindItsDay],
    ],
  },
  "a process that does not read its day dies behind the report of its window": {
    restates: true,
    stands: true,
    syncs: [
      [27, dying(isReportOf(POSTED), { asked: asked({ reconcileDays: 7 }) })],
      [28, { ...failsAtItsWindow, asked: asked({ reconcileDays: 7 }) }],
    ],
  },
  "its stream is cleared, and a process dies behind its row, and the next one behind its day": {
    restates: false,
    syncs: [
      [27, dying(isRowOf("a"), CLEARED)],
      [51, diesBehindItsDay],
    ],
  },
  "its stream is cleared, a sync without export_windows writes it, and its window fails": {
    restates: false,
    syncs: [
      [27, unreported({ ...PAGED, ...CLEARED })],
      [30, failsAtItsWindow],
    ],
  },
  "a sync without export_windows writes its new version, and its window fails": {
    restates: true,
    syncs: [
      [27, unreported(PAGED)],
      [51, failsAtItsWindow],
    ],
  },
};

test.each(
  Object.keys(UNTIL_WRITTEN).flatMap((name) =>
    (["snapshot", "keyset", "offset"] as const).map((cursors) => [name, cursors] as const),
  ),
)(
  "P5: no reading proves the day of a stray before the stray is written: %s (cursors: %s)",
  async (name, cursors) => {
    const costs = posting({ cursors });
    const stray = strayOf(costs, OF_STRAY, POSTED, { id: "a" });
    const lives = [...livesOn(costs, -20, 6, 4), stray];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(PAGED);
    const { restates, stands, syncs } = UNTIL_WRITTEN[name] ?? { restates: false, syncs: [] };
    if (restates) restate(connection, stray, day(0) + 12 * HOUR);
    for (const [hour, step] of syncs) {
      await syncsAt(connection, [hour], step);
      const verdict = (await verdictsOf(connection, "costs")).get(date(day(OF_STRAY)));
      // No listing that moved takes the old row for gone: the day is proven as it was before.
      const isProven = stands === true && cursors !== "snapshot";
      expect([hour, verdict?.status]).toEqual([hour, isProven ? "proven" : "unproven"]);
      // The models know of rows that are still to be written, too. Here the reports tell.
      expect(verdict?.why ?? "").not.toContain("still to be written");
      if (isProven) expect(verdict?.rows).toBe("5");
    }
    await syncsAt(connection, [99, 101], PAGED);
    expect(await unproven(connection, "costs", day(-20))).toEqual([]);
    expect((await verdictsOf(connection, "costs")).get(date(day(OF_STRAY)))?.rows).toBe("5");
    expect(connection.states.get("costs")?.value).toMatchObject({ due: [], awaited: [] });
  },
);

test("P5: nor does one if a STATE has named the day as due before another stray of its window was seen", async () => {
  const costs = posting();
  const strays = [
    strayOf(costs, OF_STRAY, POSTED, { id: "a" }),
    strayOf(costs, POSTED, OF_STRAY, { id: "b" }),
  ];
  const lives = [...livesOn(costs, -20, 6, 4), ...strays];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  const rows = async (): Promise<unknown> => {
    const verdict = (await verdictsOf(connection, "costs")).get(date(day(OF_STRAY)));
    return verdict?.status === "proven" ? verdict.rows : null;
  };
  await connection.sync(dying(isRowOf("a")));
  await syncsAt(connection, [27], diesBehindItsDay);
  expect(await rows()).toBe(null);
  await syncsAt(connection, [51, 53], PAGED);
  expect(await rows()).toBe("5");
  expect(await unproven(connection, "costs", day(-20))).toEqual([]);
});

test.each([
  ["the end of retention", { retentionDays: 19 }, { startDate: null }, {}],
  ["a later start date", {}, {}, { startDate: day(-14) }],
] as const)(
  "P5: the day of a stray stays unproven once %s has cut its window, behind a process that died with its row",
  async (_, rules, before, after) => {
    const costs = posting({ cursors: "keyset", ...rules });
    const stray = strayOf(costs, OF_STRAY, -17, { id: "a" });
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 6, 4), stray]);
    const step = { ...PAGED, asked: asked({ reconcileDays: 20, ...before }) };
    await connection.sync(step);
    restate(connection, stray, day(0) + 12 * HOUR);
    await syncsAt(connection, [27], { ...step, end: { killWhen: isRowOf("a") } });
    for (const hour of [99, 123, 147]) {
      const later = asked({ reconcileDays: 20, ...before, ...after });
      await syncsAt(connection, [hour], { ...PAGED, asked: later });
      const verdict = (await verdictsOf(connection, "costs")).get(date(day(OF_STRAY)));
      expect(verdict?.status).toBe("unproven");
    }
    const found = await unproven(connection, "costs", day(-13));
    expect(found.filter((one) => !one.startsWith(date(day(OF_STRAY))))).toEqual([]);
    // No sync can prove the day, so that it is not due.
    const due = connection.states.get("costs")?.value.due ?? [];
    expect(due.filter(([, end]) => end > date(day(-13)))).toEqual([]);
  },
);

test("P5: nor does a complete sync prove the day of a stray that is due, if the bound of due windows leaves the window of the stray out", async () => {
  const costs = posting();
  const stray = strayOf(costs, OF_STRAY, POSTED, { id: "a" });
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 6), stray]);
  limit(connection, { dueWindows: 12 });
  await connection.sync(PAGED);
  restate(connection, stray, day(0) + 12 * HOUR);
  await syncsAt(connection, [27], unreported({ ...PAGED, ...CLEARED }));
  const verdicts: unknown[] = [];
  for (const hour of [30, 33, 36]) {
    await syncsAt(connection, [hour], BASE);
    const verdict = (await verdictsOf(connection, "costs")).get(date(day(OF_STRAY)));
    verdicts.push(verdict?.status === "proven" ? verdict.rows : null);
  }
  expect(verdicts).toEqual([null, "2", "2"]);
});

test.each([
  ["data", "snapshot"],
  ["data", "keyset"],
  ["state", "snapshot"],
  ["state", "keyset"],
] as const)(
  "P5: strays are written again once their stream is cleared (%s), and no report lists their old groups (cursors: %s)",
  async (kind, cursors) => {
    const costs = posting({ cursors });
    const connection = scripted(day(0) + 3 * HOUR, [costs], livesWithStrays(costs));
    const step = { ...BASE, pageSize: 2 };
    await connection.sync(step);
    const reset = { stream: "costs", kind } as const;
    // The process dies when it has read each day, and has written none of the strays again.
    await syncsAt(connection, [27], { ...step, reset, end: killAt("costs", hasRead(1)) });
    const verdict = (await verdictsOf(connection, "costs")).get(date(day(-12)));
    if (kind === "state") expect(verdict?.status).toBe("unproven");
    await syncsAt(connection, [30, 32], step);
    expect(await unproven(connection, "costs")).toEqual([]);
    expect((await verdictsOf(connection, "costs")).get(date(day(-12)))?.rows).toBe("6");
  },
);

test.each([
  ["a killed process", LIMITS.stateGroups],
  ["a killed process whose STATE had no room for control totals, and", 0],
])(
  "R4 S8: a sync without export_windows goes on behind %s that has reported a day, and a record is changed while it reads",
  async (_, stateGroups) => {
    const costs = plainRules("costs", {
      cursors: "keyset",
      maximumWindowDays: 31,
      still: "change",
    });
    const lives = livesOn(costs, -4, 1, 4);
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    limit(connection, { stateGroups });
    const { provider } = connection.world;
    const step = { ...BASE, pageSize: 2 };
    // The platform gives an older STATE back, and drops the rows behind it. The reports stand.
    const end = {
      killWhen: (item: Item): boolean => item.kind === "report" && item.row.day === date(day(-1)),
    };
    await connection.sync({ ...step, end, keepsRows: false, olderState: true });
    const changed = lifeIn(lives, "r-1x1");
    provider.onPage = (next) => {
      if (changed.versions.length === 1)
        restate(connection, changed, next, { amount: 1_000_000, extra: '"x_Note":"another"' });
    };
    await syncsAt(connection, [4], unreported(step));
    expect((await verdictsOf(connection, "costs")).get(date(day(-1)))?.status).not.toBe("proven");
    await syncsAt(connection, [6, 8], step);
    expect(await unproven(connection, "costs", day(-5))).toEqual([]);
  },
);

test("P5: so are strays whose process has died between their report and the next STATE", async () => {
  const costs = posting({ cursors: "keyset" });
  const connection = scripted(day(0) + 3 * HOUR, [costs], livesWithStrays(costs));
  const step = { ...BASE, pageSize: 2 };
  const isOfStrays = (item: Item): boolean => item.kind === "report" && !item.row.inside_window;
  await connection.sync({ ...step, end: { killWhen: isOfStrays } });
  await syncsAt(connection, [6, 8], step);
  expect(connection.warehouse.reports.filter((row) => !row.inside_window).length).toBeGreaterThan(
    1,
  );
  expect(await unproven(connection, "costs")).toEqual([]);
});

test.each([
  ["at once", -5, false],
  ["after the day was written behind the window that shows them", -15, true],
])(
  "P5: strays that the table has lost take the proof from their day, although it holds no row of their group: %s",
  async (_name, posted, isRestated) => {
    const costs = posting({ cursors: "keyset" });
    const lives = livesWithStrays(costs, posted);
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    const step = { ...DEEP, pageSize: 2 };
    await connection.sync(step);
    // The process dies while it writes the day again, so that the next one writes the day in its first reading.
    const isForgotten = ({ forgotten = [] }: StateValue): boolean => forgotten.length > 0;
    if (isRestated) restate(connection, lifeIn(lives, "r-12x0"), day(0) + 12 * HOUR);
    if (isRestated) await syncsAt(connection, [27], { ...step, end: killAt("costs", isForgotten) });
    await syncsAt(connection, [51], step);
    expect(await unproven(connection, "costs")).toEqual([]);
    for (const versions of connection.warehouse.readings.values())
      for (const one of versions) if (["a", "b"].includes(one.record.id)) versions.delete(one);
    expect(await unproven(connection, "costs")).toEqual([
      expect.stringContaining(`${date(day(-12))} unproven`),
    ]);
  },
);

test("W3: retention grows behind the day that was the first retained one", async () => {
  const usage = plainRules("usage", { retentionDays: 10 });
  const connection = scripted(day(0) + 3 * HOUR, [usage], livesOn(usage, -30, 4));
  const step = { ...BASE, asked: asked({ startDate: null }) };
  await connection.sync(step);
  usage.retentionDays = 30;
  await syncsAt(connection, [5, 10], step);
  expect(await unproven(connection, "usage", day(-26))).toEqual([]);
});

test("R5 R10: a day is written again near the end of a retention that was longer before, and is so again", async () => {
  const usage = plainRules("usage", { retentionDays: 30 });
  const lives = livesOn(usage, -20, 4);
  const connection = scripted(day(0) + 3 * HOUR, [usage], lives);
  const step = { ...BASE, asked: asked({ startDate: null, reconcileDays: 20 }) };
  await connection.sync(step);
  restate(connection, lifeIn(lives, "r-8x0"), day(0) + 12 * HOUR);
  usage.retentionDays = 10;
  await syncsAt(connection, [27], step);
  usage.retentionDays = 30;
  await syncsAt(connection, [30], { ...step, asked: asked({ startDate: null }) });
  expect(await unproven(connection, "usage", day(-20))).toEqual([]);
});

test("R5 R10: so is a day of a pass that a process had left before the position passed the day", async () => {
  const usage = plainRules("usage", { retentionDays: 30, maximumWindowDays: 1 });
  const connection = scripted(day(0) + 3 * HOUR, [usage], livesOn(usage, -20, 1));
  const step = { ...BASE, asked: asked({ startDate: null }) };
  await connection.sync({ ...step, end: killAt("usage", hasRead(-12)) });
  usage.retentionDays = 10;
  await syncsAt(connection, [4], step);
  usage.retentionDays = 30;
  await syncsAt(connection, [6], step);
  expect(await unproven(connection, "usage", day(-20))).toEqual([]);
});

test.each([
  ["is posted later", "posting", 1],
  ["lasts for days", "overlap", 5],
] as const)(
  "W3: a charge that %s stays in the sums once its day has left retention and its window has not",
  async (_, selects, lasts) => {
    const costs = posting({ selects, retentionDays: 8, beforeRetention: "trim" });
    const late = strayOf(costs, -6, -3);
    Object.assign(late, { id: "late", end: day(-6) + lasts * DAY });
    const own = lifeOf(costs, "own", day(-6), { at: day(-6) + 20 * HOUR });
    const other = lifeOf(costs, "other", day(-3), { at: day(-3) + 20 * HOUR });
    const connection = scripted(day(0) + 12 * HOUR, [costs], [late, own, other]);
    const rowsOfDay = async (): Promise<string | null | undefined> =>
      (await verdictsOf(connection, "costs")).get(date(day(-6)))?.rows;
    for (const number of numbers(0, 7)) {
      await syncsAt(connection, [number * 24 + 12], { ...DEFAULTS, pageSize: 1000 });
      expect(await rowsOfDay()).toBe("2");
    }
  },
);

test("P5 W3: a stray that a sync without export_windows wrote keeps no window due once its day has left retention", async () => {
  const costs = posting({ beforeRetention: "trim" });
  const lives = [...livesOn(costs, -20, 5), strayOf(costs, -12, -5)];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(unreported(DEEP));
  costs.retentionDays = 10;
  await syncsAt(connection, [27, 51], BASE);
  expect(connection.awaitedOf("costs")).toEqual([]);
  await syncsAt(connection, [53], BASE);
  const windows = connection.world.provider.exchanges.map(({ start }) => start);
  expect(windows).not.toContain(day(-5));
  expect((await verdictsOf(connection, "costs")).get(date(day(-12)))?.rows).toBe("2");
  costs.retentionDays = 60;
  await syncsAt(connection, [75, 77], DEEP);
  expect(await unproven(connection, "costs")).toEqual([]);
});

test("R10: a platform keeps a STATE of a stream, and loses half of the reports before it", async () => {
  const costs = plainRules("costs", { retentionDays: 60 });
  const connection = scripted(day(0) + 3 * HOUR, [costs], livesOn(costs, -15, 2));
  const end = killAt("costs", ({ pass }) => pass === undefined);
  await connection.sync({ ...BASE, end, reportsKept: 0.5 });
  expect(await unproven(connection, "costs")).not.toEqual([]);
  await syncsAt(connection, [5], BASE);
  expect(await unproven(connection, "costs")).toEqual([]);
  expect(connection.faults).toEqual([]);
});

test("R10: a platform keeps a STATE that knows a day to be empty, and loses the report", async () => {
  const costs = plainRules("costs", { retentionDays: 60 });
  const lives = livesOn(costs, -15, 2);
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(BASE);
  lifeIn(lives, "r-12x0").withdrawnAt = day(0) + 12 * HOUR;
  const end = killAt("costs", ({ pass }) => pass === undefined);
  await syncsAt(connection, [27], { ...DEEP, end, reportsKept: 0 });
  expect(await verdictOn(connection, -12)).toBe("proven 1");
  await syncsAt(connection, [30, 33], BASE);
  expect(await verdictOn(connection, -12)).toBe("proven 0");
  expect(await unproven(connection, "costs")).toEqual([]);
  expect(connection.faults).toEqual([]);
});

test.each([
  ["ends", {}],
  ["dies behind the report of the day", { killWhen: isReportOf(-8) }],
])(
  "W3 R10: retention grows again, and a stray that has left it is written again, although a sync has read its day meanwhile (this sync %s)",
  async (_, end) => {
    const costs = posting();
    const lives = [...livesOn(costs, -20, 1), strayOf(costs, -8, -12)];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    await connection.sync(BASE);
    costs.retentionDays = 12;
    await syncsAt(connection, [27], { ...BASE, asked: asked({ reconcileDays: 9 }), end });
    expect(await verdictOn(connection, -8)).toBe("unproven 1");
    await syncsAt(connection, [30, 33, 36], BASE);
    // Days that retention may show again cost no request before.
    expect(connection.world.provider.exchanges).toHaveLength(2);
    costs.retentionDays = 60;
    await syncsAt(connection, [51], BASE);
    expect(await verdictOn(connection, -8)).toBe("proven 2");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
    expect(connection.states.get("costs")?.value.due).toEqual([]);
    expect(connection.faults).toEqual([]);
  },
);

test("R10 P5: a sync finds that a stray was withdrawn, dies, and the platform loses half of its reports", async () => {
  const costs = posting();
  const stray = strayOf(costs, -3, -5);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -8, 1, 2), stray]);
  await connection.sync(DEEP);
  stray.withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27], { ...DEEP, end: { killAfterLines: 100 }, reportsKept: 0.5 });
  await syncsAt(connection, [30, 33], BASE);
  expect(await unproven(connection, "costs", day(-18))).toEqual([]);
  expect(connection.faults).toEqual([]);
});

test("R10: a stray is withdrawn while retention has cut off its window: days wait for the deep re-read once the window is read again", async () => {
  const costs = posting();
  const stray = strayOf(costs, -8, -12);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 2), stray]);
  await connection.sync(BASE);
  stray.withdrawnAt = day(0) + 12 * HOUR;
  costs.retentionDays = 12;
  await syncsAt(connection, [27], { ...BASE, asked: asked({ reconcileDays: 9 }) });
  costs.retentionDays = 60;
  await syncsAt(connection, [51, 53], BASE);
  expect(await unproven(connection, "costs", day(-20))).not.toEqual([]);
  await syncsAt(connection, [75, 77], DEEP);
  expect(await unproven(connection, "costs", day(-20))).toEqual([]);
  expect(connection.faults).toEqual([]);
});
