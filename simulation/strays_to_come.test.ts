/**
 * Schedules by which the day of a stray was proven without the stray, or a right day stayed unproven, as the real models judge them: a
 * report has taken a stray for gone, and the process that was to write the stray again fails.
 */
import { expect, test } from "vitest";
import { date, HOUR } from "./calendar.ts";
import type { Connection } from "./connection.ts";
import type { Item, StateValue } from "./platform.ts";
import {
  asked,
  BASE,
  CLEARED,
  DEEP,
  DEFAULTS,
  day,
  downOn,
  isReportOf,
  isRowOf,
  lifeIn,
  livesOn,
  PAGED,
  posting,
  restate,
  strayOf,
  syncsAt,
  unproven,
  unreported,
  verdictOn as verdictOnDay,
} from "./posted.ts";
import type { Rules } from "./provider.ts";
import type { Life } from "./records.ts";
import { killAt, lifeOf, limit, plainRules, scripted } from "./scripted.ts";
import type { Step } from "./step.ts";
import { ALL_SELECTED } from "./trials.ts";

/** The day of a stray, and that of the window which alone shows the stray, and which is read first. */
const [OF_STRAY, POSTED] = [-6, -10];

/** See `verdictOn` in posted.ts: of the stray's day, unless it is told. */
const verdictOn = (
  connection: Connection,
  number = OF_STRAY,
  form?: "append" | "dedup",
): Promise<string> => verdictOnDay(connection, number, form);

/** A connection after a complete sync of four rows on each of 26 days, and of a stray. */
async function begun(
  rules: Partial<Rules>,
  step: Step,
  [of, posted] = [OF_STRAY, POSTED],
): Promise<{ readonly connection: Connection; readonly restates: (hour: number) => void }> {
  const costs = posting(rules);
  const stray = strayOf(costs, of, posted);
  const lives = [...livesOn(costs, -20, 6, 4), stray];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
  await connection.sync(step);
  return { connection, restates: (hour) => restate(connection, stray, day(0) + hour * HOUR) };
}

test.each([
  ["dies behind the report of the window that showed the stray", "snapshot", POSTED],
  ["dies behind the report of the stray's day", "snapshot", OF_STRAY],
  ["dies behind the report of the stray's day", "keyset", OF_STRAY],
  ["dies behind the report of the next day", "offset", OF_STRAY + 1],
  ["cannot read a later window", "snapshot", null],
] as const)(
  "P5: the day of a stray is not proven without the stray after its stream was cleared, if the next process %s (cursors: %s)",
  async (_, cursors, last) => {
    const { connection } = await begun({ cursors }, PAGED);
    expect(await verdictOn(connection)).toBe("proven 5");
    const fails = last === null ? { weather: downOn(-2) } : { end: { killWhen: isReportOf(last) } };
    await syncsAt(connection, [27], { ...PAGED, ...CLEARED, ...fails });
    for (const form of ["append", "dedup"] as const)
      expect(await verdictOn(connection, OF_STRAY, form), form).toMatch(/^unproven/u);
    await syncsAt(connection, [51], PAGED);
    expect(await verdictOn(connection)).toBe("proven 5");
    await syncsAt(connection, [53], PAGED);
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
    expect(await verdictOn(connection)).toBe("proven 5");
  },
);

test.each([
  [
    "dies behind the report of the window that showed the stray",
    { end: { killWhen: isReportOf(POSTED) } },
  ],
  ["cannot read the stray's day", { weather: downOn(OF_STRAY) }],
  ["cannot read a window between the two", { weather: downOn(-8) }],
] as const)(
  "P5: nor is it if the state has forgotten the day, the stray is restated, and the next process %s",
  async (_, fails) => {
    const { connection, restates } = await begun({}, PAGED);
    restate(connection, lifeIn(connection.world.lives, `r${OF_STRAY}x0`), day(0) + 12 * HOUR);
    const forgets = (item: Item): boolean =>
      item.kind === "state" && item.value.forgotten?.[0]?.[0] === date(day(OF_STRAY));
    await syncsAt(connection, [27], { ...PAGED, end: { killWhen: forgets } });
    expect(await verdictOn(connection)).toBe("proven 5");
    restates(36);
    await syncsAt(connection, [51], { ...PAGED, ...fails });
    expect(await verdictOn(connection)).toBe("unproven 4");
    await syncsAt(connection, [75, 77], PAGED);
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
    expect(await verdictOn(connection)).toBe("proven 5");
  },
);

/** A full refresh of four rows on each of 20 days, and of a stray; each job begins without a state. `first`: of the first job. */
async function refreshed({
  keepsReports = true,
  of = OF_STRAY,
  posted = POSTED,
  first = {},
}: {
  readonly keepsReports?: boolean;
  readonly of?: number;
  readonly posted?: number;
  readonly first?: Partial<Step>;
} = {}): Promise<{
  readonly connection: Connection;
  readonly stray: Life;
  readonly refreshAt: (hour: number, fails?: Partial<Step>) => Promise<void>;
}> {
  const costs = posting();
  const stray = strayOf(costs, of, posted);
  const lives = [...livesOn(costs, -20, 1, 4), stray];
  const connection = scripted(day(0) + 3 * HOUR, [costs], lives, "full_refresh");
  const step = { ...BASE, asked: asked({ startDate: day(POSTED) }) };
  const refreshAt = async (hour: number, fails: Partial<Step> = {}): Promise<void> => {
    for (const stream of keepsReports ? ["costs"] : ["costs", "export_windows"])
      connection.states.delete(stream);
    await syncsAt(connection, [hour], { ...step, ...fails });
  };
  await refreshAt(3, first);
  return { connection, stray, refreshAt };
}

test.each([
  ["dies behind that report", { end: { killWhen: isReportOf(POSTED) } }, POSTED],
  ["dies behind that report", { end: { killWhen: isReportOf(POSTED) } }, POSTED + 1],
  ["cannot read a later window", { weather: downOn(-2), stateInterval: HOUR }, POSTED],
] as const)(
  "P5: nor is it if a full refresh %s, and the next one dies, too",
  async (_, fails, second) => {
    const { connection, refreshAt } = await refreshed();
    await refreshAt(27, fails);
    await refreshAt(28, { end: { killWhen: isReportOf(second) } });
    for (const form of ["append", "dedup"] as const)
      expect(await verdictOn(connection, OF_STRAY, form), form).toMatch(/^unproven/u);
    await refreshAt(29);
    expect(await verdictOn(connection)).toBe("proven 5");
  },
);

test("P5: a full refresh proves the day of a stray that it writes", async () => {
  const { connection } = await refreshed();
  expect(await verdictOn(connection)).toBe("proven 5");
});

test("P5: nor is it if no refresh has a state of the reports, and two of them die", async () => {
  const { connection, refreshAt } = await refreshed({ keepsReports: false });
  for (const hour of [27, 28]) {
    await refreshAt(hour, { end: { killWhen: isReportOf(POSTED) } });
    expect(await verdictOn(connection)).toMatch(/^unproven/u);
  }
  await refreshAt(29);
  expect(await verdictOn(connection)).toBe("proven 5");
});

test("P5: the full refresh after the one that finds a stray withdrawn proves its day, if it has the state of the reports", async () => {
  const { connection, stray, refreshAt } = await refreshed();
  stray.withdrawnAt = day(0) + 12 * HOUR;
  await refreshAt(27);
  expect(await verdictOn(connection)).toBe("unproven 4");
  connection.states.delete("export_windows");
  await refreshAt(51);
  expect(await verdictOn(connection)).toBe("unproven 4");
  await refreshAt(75);
  expect(await verdictOn(connection)).toBe("proven 4");
});

test.each([
  ["before the window", "incremental", -6, -4],
  ["behind the window", "incremental", -3, -5],
  ["before the window", "full_refresh", -6, -4],
  ["behind the window", "full_refresh", -3, -5],
] as const)(
  "P5 L1: no report proves a day without a new stray that finds no room, and the next sync writes it (its day is %s, %s)",
  async (_, mode, of, posted) => {
    const costs = posting();
    const strays = [1, 2].map((number) => strayOf(costs, of, posted, { id: `stray${number}` }));
    const lives = [...livesOn(costs, -20, 1, 4), ...strays];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives, mode);
    limit(connection, { pendingStrays: 1 });
    await connection.sync(PAGED);
    expect(await verdictOn(connection, of)).toBe("unproven 5");
    if (mode === "full_refresh") return;
    await syncsAt(connection, [27], PAGED);
    expect(await verdictOn(connection, of)).toBe("proven 6");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);

test("P5: nor is it if no report tells of the reading that wrote the stray, so that the models take the stray for a row of its day", async () => {
  const { connection } = await begun({}, unreported(PAGED), [-12, OF_STRAY]);
  const end = { killWhen: isReportOf(OF_STRAY) };
  await syncsAt(connection, [27], { ...PAGED, ...CLEARED, end });
  expect(await verdictOn(connection, -12)).toBe("unproven 4");
  await syncsAt(connection, [51, 75], PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

test("P5: nor is it if a full refresh without reports wrote the stray, and the next one dies behind the report of the stray's window", async () => {
  const first = unreported(BASE);
  const { connection, refreshAt } = await refreshed({ of: POSTED, posted: OF_STRAY, first });
  await refreshAt(27, { end: { killWhen: isReportOf(OF_STRAY) } });
  expect(await verdictOn(connection, POSTED)).toBe("unproven 4");
  await refreshAt(29);
  expect(await verdictOn(connection, POSTED)).toBe("proven 5");
});

test.each([
  ["the first sync", OF_STRAY, POSTED, -3],
  ["the first sync", -12, OF_STRAY, -3],
  ["a later sync", OF_STRAY, POSTED, -3],
  ["a later sync", -12, OF_STRAY, -3],
] as const)(
  "P5: no report proves a day without a new stray, once %s has read the stray's window and its day (%i, shown by %i)",
  async (which, of, posted, last) => {
    const costs = posting();
    const isFirst = which === "the first sync";
    const from = isFirst ? day(posted) + HOUR : day(0) + 12 * HOUR;
    const stray = strayOf(costs, of, posted, { from });
    const lives = [...livesOn(costs, -20, 1, 4), stray];
    const connection = scripted(day(0) + 3 * HOUR, [costs], lives);
    if (!isFirst) await connection.sync(PAGED);
    await syncsAt(connection, [27], { ...PAGED, end: { killWhen: isReportOf(last) } });
    expect(await verdictOn(connection, of)).toBe("unproven 4");
    await syncsAt(connection, [28], { ...PAGED, weather: downOn(-2) });
    expect(await verdictOn(connection, of)).toMatch(/^unproven/u);
    await syncsAt(connection, [51], PAGED);
    expect(await verdictOn(connection, of)).toBe("proven 5");
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);

test("P5: nor is it if the whole state is lost behind that process, and the next one dies, too", async () => {
  const { connection } = await begun({}, PAGED);
  const end = { killWhen: isReportOf(POSTED) };
  await syncsAt(connection, [27], { ...PAGED, ...CLEARED, end });
  for (const stream of ["costs", "export_windows"]) connection.states.delete(stream);
  await syncsAt(connection, [51], { ...PAGED, end: { killWhen: isReportOf(OF_STRAY - 8) } });
  expect(await verdictOn(connection)).toMatch(/^unproven/u);
  await syncsAt(connection, [75, 77], PAGED);
  expect(await verdictOn(connection)).toBe("proven 5");
});

test.each([[["costs"]], [["costs", "export_windows"]]])(
  "P5: nor is it if the passes after that end without the window (states lost before: %j)",
  async (lost) => {
    const { connection } = await begun({}, PAGED);
    const loses = (): void => {
      for (const stream of lost) connection.states.delete(stream);
    };
    loses();
    await syncsAt(connection, [27], { ...PAGED, end: { killWhen: isReportOf(POSTED) } });
    loses();
    const early = { ...PAGED, asked: asked({ reconcileDays: 20, endDate: day(POSTED) }) };
    await syncsAt(connection, [51, 75, 99], early);
    expect(await verdictOn(connection)).toBe("unproven 4");
    await syncsAt(connection, [123, 147], PAGED);
    expect(await verdictOn(connection)).toBe("proven 5");
  },
);

test("P5: the day of a withdrawn stray is proven once two passes have ended after one that was given up behind the stray's window", async () => {
  const { connection } = await begun({}, PAGED);
  lifeIn(connection.world.lives, "stray").withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27], { ...PAGED, ...CLEARED, end: { killWhen: isReportOf(POSTED) } });
  connection.states.delete("costs");
  await syncsAt(connection, [51], PAGED);
  expect(await verdictOn(connection)).toBe("unproven 4");
  await syncsAt(connection, [75], PAGED);
  expect(await verdictOn(connection)).toBe("proven 4");
});

test.each([
  ["the report of the window", POSTED, POSTED],
  ["the report of the next day", POSTED, POSTED + 1],
  ["the report of the stray's day", POSTED, OF_STRAY],
] as const)(
  "P5: nor is it if that process dies before a STATE names a window, and the next one behind %s",
  async (_, first, second) => {
    const { connection } = await begun({}, DEEP);
    const step = { ...DEEP, asked: asked({ startDate: day(POSTED), reconcileDays: 20 }) };
    const dies = (number: number): Step => ({ ...step, end: { killWhen: isReportOf(number) } });
    await syncsAt(connection, [51], { ...dies(first), ...CLEARED });
    await syncsAt(connection, [52], dies(second));
    expect(await verdictOn(connection)).toMatch(/^unproven/u);
    await syncsAt(connection, [75, 77], step);
    expect(await verdictOn(connection)).toBe("proven 5");
    expect(await unproven(connection, "costs", day(POSTED - 1))).toEqual([]);
  },
);

test("P5: nor is it if the stray's day is read before its window, by a process that begins without a state", async () => {
  const { connection, restates } = await begun({}, PAGED, [-12, OF_STRAY]);
  const end = { killWhen: isReportOf(OF_STRAY) };
  const dies = { ...PAGED, ...CLEARED, end };
  restates(12);
  await syncsAt(connection, [27], dies);
  for (const stream of ["costs", "export_windows"]) connection.states.delete(stream);
  await syncsAt(connection, [51], { ...PAGED, end: { killWhen: isReportOf(-11) } });
  expect(await verdictOn(connection, -12)).toMatch(/^unproven/u);
  await syncsAt(connection, [75, 77], PAGED);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

test("P5: nor is it if a later start date lies between the day and the window, and the process that finds the stray restated dies", async () => {
  const { connection, restates } = await begun({}, PAGED, [-12, OF_STRAY]);
  restates(12);
  const step = { ...PAGED, asked: asked({ startDate: day(-9), reconcileDays: 20 }) };
  await syncsAt(connection, [27], { ...step, end: { killWhen: isReportOf(OF_STRAY) } });
  expect(await verdictOn(connection, -12)).toBe("unproven 4");
  await syncsAt(connection, [51, 75], step);
  expect(await verdictOn(connection, -12)).toBe("proven 5");
});

test.each([["is new"], ["is restated"]])(
  "S8 R10: a STATE leaves out of which days no report tells, and a stray of such a day that %s is written again",
  async (how) => {
    const costs = posting();
    const stray = strayOf(costs, OF_STRAY, -12);
    const lives = livesOn(costs, -20, 8, 1);
    const isNew = how === "is new";
    const connection = scripted(day(0) + 3 * HOUR, [costs], isNew ? lives : [...lives, stray]);
    limit(connection, { stateBytes: 700 });
    await connection.sync(DEEP);
    if (isNew) {
      for (const version of stray.versions)
        connection.world.provider.texts.set(version.text, version);
      connection.world.provider.add(stray);
    } else restate(connection, stray, day(0) + 12 * HOUR);
    await syncsAt(connection, [27], unreported(DEEP));
    await syncsAt(connection, [51], DEEP);
    expect(await verdictOn(connection)).toBe("proven 2");
  },
);

test.each([
  ["a process died behind it", { end: { killWhen: isRowOf("stray") } }, {}],
  ["a sync without export_windows wrote it", { selection: unreported(DEEP).selection }, {}],
  ["export_windows is cleared", {}, { selection: { ...ALL_SELECTED, clears: true } }],
] as const)(
  "R10: a row of no reported reading is found missing once, not in each pass anew: %s",
  async (_, first, second) => {
    // A charge of April that only the window of May shows: with windows of whole months that window is the month that goes on.
    const costs = posting({ maximumWindowDays: 31 });
    const stray = strayOf(costs, -14, POSTED);
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 9, 4), stray]);
    const step = { ...DEFAULTS, pageSize: 1000, asked: { ...DEFAULTS.asked, startDate: day(-20) } };
    await connection.sync({ ...step, ...first });
    stray.withdrawnAt = day(0) + 12 * HOUR;
    await syncsAt(connection, [27], { ...step, ...second });
    await syncsAt(connection, [51, 75], step);
    expect(await unproven(connection, "costs", day(-21))).toEqual([]);
  },
);

test.each([0, 20])(
  "R10: listings move, and each sync reads a part of the window of a withdrawn stray: the whole of it is read twice (reconcile_days: %i)",
  async (reconcileDays) => {
    const costs = posting({ cursors: "keyset", maximumWindowDays: 3 });
    const stray = strayOf(costs, -5, -1);
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1), stray]);
    const step = { ...PAGED, asked: asked({ reconcileDays }) };
    await connection.sync(step);
    stray.withdrawnAt = day(0) + 12 * HOUR;
    await syncsAt(connection, [27, 51], step);
    expect(await verdictOn(connection, -5)).toBe("proven 1");
    expect(await unproven(connection, "costs")).toEqual([]);
  },
);

test.each([
  [3, 1, -12],
  [31, 7, -14],
])(
  "P5: listings move, and an awaited window of %i days is longer than the %i that the provider allows by now: its parts are read twice",
  async (from, until, of) => {
    const costs = posting({ cursors: "keyset", maximumWindowDays: from });
    const stray = strayOf(costs, of, -5);
    const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -20, 1, 4), stray]);
    const step = { ...PAGED, asked: { ...DEFAULTS.asked, startDate: day(-20) } };
    await connection.sync({ ...step, end: { killWhen: isRowOf("stray") } });
    costs.maximumWindowDays = until;
    await syncsAt(connection, [27, 28], step);
    expect(await verdictOn(connection, of)).toBe("proven 5");
    expect(await unproven(connection, "costs")).toEqual([]);
  },
);

test("P5: more days await strays than a state names, and one window leaves retention: the days of later months are proven", async () => {
  const costs = posting({ retentionDays: 30, beforeRetention: "trim" });
  const posted = [-29, -10, -8, -7];
  const strays = posted.map((number) =>
    strayOf(costs, number + 4, number, { id: `stray${number}` }),
  );
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -29, 2), ...strays]);
  limit(connection, { knownStrays: 2 });
  const step = { ...PAGED, asked: { ...DEFAULTS.asked, startDate: null } };
  await connection.sync({ ...step, end: { killWhen: isRowOf("stray-8") } });
  for (const stray of strays) stray.withdrawnAt = day(0) + 12 * HOUR;
  await syncsAt(connection, [27, 51], step);
  expect(await unproven(connection, "costs", day(-24))).toEqual([]);
});

test("R10: the window of a stray leaves retention before the stray's day, and takes the proof from no other day", async () => {
  const rules = { retentionDays: 20, beforeRetention: "trim" } as const;
  const costs = posting(rules);
  const stray = strayOf(costs, -15, -18);
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -22, 1, 4), stray]);
  const step = { ...PAGED, asked: { ...DEFAULTS.asked, startDate: null } };
  await syncsAt(connection, [3, 27, 51, 75, 76], step);
  const found = await unproven(connection, "costs", day(-17));
  expect(found.filter((one) => !one.startsWith(date(day(-15))))).toEqual([]);
});

test("P5: a STATE behind a row that has replaced a stray forgets the stray, so that its version is written again if the provider goes back to it", async () => {
  const costs = posting({ selects: "overlap", maximumWindowDays: 31, cursors: "keyset" });
  const long = lifeOf(costs, "long", day(-6), { at: day(-5) });
  Object.assign(long, { end: day(6) });
  const connection = scripted(day(0) + 3 * HOUR, [costs], [...livesOn(costs, -10, 1, 2), long]);
  const from = (number: number): Step => ({ ...PAGED, asked: asked({ startDate: day(number) }) });
  await connection.sync(from(-4));
  const first = long.versions[0];
  restate(connection, long, day(0) + 12 * HOUR);
  const end = killAt("costs", ({ pass }) => (pass?.open ?? []).length > 0);
  let isOut = false;
  const killWhen: typeof end.killWhen = (item) => {
    isOut ||= isRowOf("long")(item);
    return isOut && end.killWhen?.(item) === true;
  };
  await syncsAt(connection, [27], { ...from(-8), concurrency: 1, end: { killWhen } });
  expect(isOut).toBe(true);
  await syncsAt(connection, [28], from(-8));
  if (first === undefined) throw new Error("no version");
  long.versions.push({ ...first, at: day(1) + 12 * HOUR });
  await syncsAt(connection, [51, 54], from(-4));
  expect(connection.warehouse.deduplicated.costs.get("long")?.version.text).toBe(first.text);
  expect(connection.faults).toEqual([]);
});

test("P5: a row that no report names and that the provider withdrew: its day is proven, although the process of the next pass dies before it shows a window", async () => {
  const usage = plainRules("usage", { retentionDays: 90, maximumWindowDays: 31 });
  const lives = livesOn(usage, -80, 30, 3);
  const connection = scripted(day(0) + 3 * HOUR, [usage], lives);
  const step = { ...DEFAULTS, pageSize: 20 };
  await syncsAt(connection, [3, 27, 51], step);
  for (const id of ["r-2x0", "r-2x1"]) restate(connection, lifeIn(lives, id), day(0) + 60 * HOUR);
  const slow = { ...step, stateInterval: 60_000 };
  await syncsAt(connection, [75], { ...slow, end: { killWhen: isRowOf("r-2x1") } });
  lifeIn(lives, "r-2x0").withdrawnAt = day(0) + 78 * HOUR;
  await syncsAt(connection, [80], step);
  restate(connection, lifeIn(lives, "r2x0"), day(0) + 90 * HOUR);
  const isBegun = (value: StateValue): boolean =>
    value.pass?.reads.length === 0 && value.pass.open.length === 0;
  await syncsAt(connection, [99], { ...slow, pageSize: 10, end: killAt("usage", isBegun) });
  for (const hour of [123, 147]) {
    await syncsAt(connection, [hour], step);
    expect(await unproven(connection, "usage", day(-70))).toEqual([]);
  }
});
