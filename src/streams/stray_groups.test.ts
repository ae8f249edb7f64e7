/**
 * The strays that one reading wrote on one day are a group (P5, R10): the models know only how many of them a later reading lists. So they
 * stand or fall together.
 */
import { expect, test } from "vitest";
import { forget } from "../core/known_days.ts";
import type { IncrementalState } from "../core/state.ts";
import { DAY, HOUR } from "../core/time.ts";
import { type Range, subtract } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import type { Fields } from "../records/fields.ts";
import { Table } from "./scripted/table.ts";
import {
  changed,
  stateBefore,
  fourWindows,
  idsOf,
  lastState,
  onePerPage,
  readScript,
  recordOf,
  type Run,
  showing,
  stateOf,
  stateWithin,
} from "./scripted/testing.ts";
import type { FetchedPage } from "./stream.ts";
import { daysOfOthers, newestOf } from "./stray_groups.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const input = { input: fourWindows, marksReports: true };
/** Only the last two of four days are read by themselves. */
const late = { input: { ...fourWindows, lookback: 2 * DAY }, marksReports: true };

const range = (from: number, to: number): Range => ({
  start: DAY_ONE + from * DAY,
  end: DAY_ONE + to * DAY,
});

/** The strays that stand after some syncs. */
const standing = (...runs: Run[]): string[] =>
  [
    ...runs
      .reduce((table, run) => table.with(run), new Table())
      .standing()
      .keys(),
  ].toSorted();

const down = new ConnectorError("unavailable", "It is down.");

const [gone, left] = [recordOf("gone", 1), recordOf("left", 1)];
/** No window is read for the day of these strays. */
const [one, other] = [recordOf("one", -1), recordOf("other", -1)];

test("P5 R10: if a window no longer shows one of two strays that a reading wrote on a day, the other one is written again", async () => {
  const first = await readScript(showing({ 2: [gone, left] }), input);
  expect(idsOf(first)).toEqual(["gone", "left"]);
  const less = showing({ 2: [left] });
  const run = await readScript(less, { ...input, stored: lastState(first), stateInterval: DAY });
  expect(idsOf(run)).toEqual(["left"]);
  expect(standing(first, run)).toEqual(["left"]);
  expect(stateOf(run).due).toEqual([]);
  const next = await readScript(less, { ...input, stored: lastState(run) });
  expect(idsOf(next)).toEqual([]);
  expect(standing(first, run, next)).toEqual(["left"]);
});

test("P5 R10: the report that lists such a group with fewer rows goes out behind a STATE that names the window as due, and the one without rows behind a STATE that names the days of the pass", async () => {
  const first = await readScript(showing({ 2: [gone, left] }), input);
  // The first sync reads the day of the group, too. The second sync does not.
  for (const [options, days] of [
    [input, range(0, 2)],
    [late, range(2, 2)],
  ] as const) {
    const run = await readScript(showing({ 2: [left] }), {
      ...options,
      stored: lastState(first),
      stateInterval: DAY,
    });
    const lists = run.said.map(({ strays }) => strays.map(({ records }) => records));
    const dueBefore = (number: number) => stateBefore(run, number).due;
    expect(dueBefore(lists.findIndex((counts) => counts.includes(1)))).toEqual([range(2, 3)]);
    const last = dueBefore(lists.findIndex((counts) => counts.includes(0)));
    expect(subtract([days, range(2, 3)], last)).toEqual([]);
    // The group comes before the strays that are written again.
    expect(lists.find((counts) => counts.includes(0))).toEqual([0, 1]);
  }
});

test("P5 R10: a window of such a group stays due if a newer reading of another window has listed the group in the meantime", async () => {
  const own = { 1: [recordOf("k0", 1)] };
  const kept: Fields[] = [
    recordOf("k1", 2),
    recordOf("k2", 2),
    recordOf("k3", 2),
    recordOf("k4", 2),
  ];
  const first = await readScript(onePerPage({ ...own, 2: [gone, left, ...kept] }), input);
  // Two lanes: the window of the fourth day begins after that of the third, and ends before it.
  const windows = { ...own, 2: [left, ...kept], 3: [left] };
  const asked = { ...late, lanes: 2 };
  const both = { ...windows, 3: [gone, left] };
  const run = await readScript(onePerPage(both), { ...asked, stored: lastState(first) });
  expect(idsOf(run)).toEqual([]);
  expect(standing(first, run)).toContain("gone");
  expect(stateOf(run).due).toEqual([range(2, 3)]);
  const next = await readScript(onePerPage(windows), { ...asked, stored: lastState(run) });
  expect(standing(first, run, next)).toEqual(["k0", "k1", "k2", "k3", "k4", "left"]);
  expect(stateOf(next).due).toEqual([]);
});

test("P5: no report lists such a group, although its reading had shown one of the group before it broke", async () => {
  const own = [1, 2, 3, 4].map((number) => recordOf(`k${number}`, 3));
  const first = await readScript(onePerPage({ 2: [one, other], 3: [other, ...own] }), input);
  // Two lanes: the long window of the last day shows the other stray first, and ends last.
  const windows = onePerPage({ 2: [other], 3: [other, ...own] });
  const run = await readScript(windows, { ...late, lanes: 2, stored: lastState(first) });
  expect(stateOf(run).due).toEqual([]);
  expect(standing(first, run)).toEqual(["k1", "k2", "k3", "k4", "other"]);
});

test("P5: neither does a report of a window that waits for its second reading meanwhile", async () => {
  const [two, three] = [recordOf("r2", 2), recordOf("r3", 3)];
  const first = await readScript(showing({ 2: [two, one, other], 3: [three, other] }), input);
  const windows = { 2: changed([two, other], "r2"), 3: changed([three, other], "r3") };
  const run = await readScript(showing(windows), {
    ...input,
    stored: lastState(first),
    stateInterval: DAY,
  });
  expect(standing(first, run)).toEqual(["other", "r2", "r3"]);
});

test("R10: if all of a group is gone that a newer reading has listed before, the window stays due", async () => {
  const own = [recordOf("k2", 2), recordOf("k3", 2)];
  const first = await readScript(onePerPage({ 2: [...own, gone], 3: [gone] }), input);
  // Two lanes: the window of the last day shows the stray, and then the provider withdraws it.
  let asked = 0;
  const withdrawing = (window: Range, cursor: string | null) => {
    const isFirst = window.start === DAY_ONE + 3 * DAY && (asked += 1) === 1;
    return onePerPage({ 2: own, 3: isFirst ? [gone] : [] })(window, cursor);
  };
  const run = await readScript(withdrawing, { ...late, lanes: 2, stored: lastState(first) });
  expect(standing(first, run)).toContain("gone");
  expect(stateOf(run).due).toEqual([range(2, 3)]);
  const soon = { ...late.input, now: late.input.now + HOUR };
  const next = await readScript(withdrawing, { ...late, input: soon, stored: lastState(run) });
  expect(standing(first, run, next)).toEqual(["k2", "k3"]);
});

test("P5: if a newer reading has listed a group meanwhile, the window that takes its strays over lists what is left in a report of its own", async () => {
  const stray = recordOf("stray", 2);
  const own = [recordOf("k1", 2), recordOf("k2", 2)];
  const first = await readScript(onePerPage({ 2: own, 3: [stray] }), input);
  expect(idsOf(first)).toContain("stray");
  // Two lanes: the window of the last day begins after that of the third, shows the stray, and ends before it.
  const known = forget(stateOf(first).known, [
    { day: DAY_ONE + 2 * DAY, records: 2, writtenBy: null },
  ]);
  const stored = { ...stateOf(first), known };
  const run = await readScript(onePerPage({ 2: [...own, stray], 3: [stray] }), {
    ...late,
    lanes: 2,
    stored,
  });
  const strays = run.said
    .filter((said) => said.strays.length > 0)
    .toSorted((before, after) => (before.reading.id < after.reading.id ? -1 : 1));
  expect(strays.map((said) => said.strays.map(({ records }) => records))).toEqual([[1], [0]]);
  expect(strays.map(({ isWhole }) => isWhole)).toEqual([true, false]);
  const taking = run.said.findIndex(
    ({ isWhole, reading }) => isWhole && reading.start === DAY_ONE + 2 * DAY,
  );
  expect(run.said.findIndex((said) => said === strays[1])).toBe(taking - 1);
  expect(standing(first, run)).toEqual(["k1", "k2", "stray"]);
});

test("P5 R10: a group whose window leaves retention before the next sync is not written again, so that no sync that fails loses it", async () => {
  const windows = showing({ 0: [other], 2: [recordOf("k0", 2)] });
  const edge = { ...fourWindows, retentionDays: 5 };
  const before = { ...input, input: { ...edge, now: edge.now - DAY / 4 } };
  const first = await readScript(showing({ 0: [one, other], 2: [recordOf("k0", 2)] }), before);
  let asked = 0;
  const failing = (window: Range) =>
    window.start === DAY_ONE && (asked += 1) === 2 ? [down] : windows(window);
  const run = await readScript(failing, { ...input, input: edge, stored: lastState(first) });
  const next = await readScript(windows, {
    ...input,
    input: { ...edge, now: edge.now + DAY },
    stored: lastState(run),
  });
  expect(standing(first, run, next)).toContain("other");
});

test("S8: of a group that the state has no room for, only the rest is listed once one of the others is gone, so the models miss a row", async () => {
  const asked = { ...input, limits: { knownStrays: 1 } };
  const first = await readScript(showing({ 2: [one, other] }), asked);
  expect(stateOf(first).strays).toHaveLength(1);
  const run = await readScript(showing({ 2: [other] }), { ...asked, stored: lastState(first) });
  const listed = run.said.flatMap(({ strays }) => strays.map(({ records }) => records));
  expect(listed).toEqual([1]);
  expect(standing(first, run)).toEqual(["one", "other"]);
});

test("S8: a state names no more groups that have lost strays than it remembers strays: the last of them", async () => {
  const windows = showing({ 2: [-1, -2, -3].map((number) => recordOf(`r${number}`, number)) });
  const first = await readScript(windows, input);
  const fewer = stateOf(first).strays.map(({ day, readingId }) => ({
    day,
    readingId: readingId ?? "",
  }));
  const stored = { ...stateOf(first), fewer };
  const unreported = { ...input, input: { ...fourWindows, reports: false }, stored };
  const run = await readScript(windows, unreported);
  expect(stateOf(run).fewer).toEqual(fewer);
  const bounded = await readScript(windows, { ...unreported, limits: { knownStrays: 2 } });
  expect(stateOf(bounded).fewer).toEqual(fewer.slice(1));
});

/** The state of an earlier version, which knows no ids of strays. */
function withoutIds(run: Run): IncrementalState {
  const state = stateOf(run);
  return { ...state, strays: state.strays.map(({ id: _id, ...stray }) => stray) };
}

test("P5 R10: a state without ids forgets all of a group if it forgets one of them, because a stray of the day is written; their window is due, so the next sync judges it", async () => {
  const first = await readScript(showing({ 0: [gone, left] }), input);
  const windows = showing({ 0: [left], 3: [recordOf("more", 1)] });
  const run = await readScript(windows, { ...late, stored: withoutIds(first) });
  expect(idsOf(run)).toEqual(["more"]);
  expect(stateOf(run).strays).toHaveLength(1);
  // The report of the sync has listed a stray that no window has shown.
  expect(stateOf(run).due).toEqual([range(0, 2)]);
  const next = await readScript(windows, { ...late, stored: lastState(run) });
  expect(idsOf(next)).toEqual(["left"]);
  expect(standing(first, run, next)).toEqual(["left", "more"]);
  // The day has awaited strays of an earlier process.
  expect(stateOf(next).due).toEqual([range(1, 2)]);
  const last = await readScript(windows, { ...late, stored: lastState(next) });
  expect(stateOf(last).due).toEqual([]);
});

test("P5 R10: a stray that is withdrawn before its new version is written leaves the sums, and the other one of its group is written again", async () => {
  const first = await readScript(showing({ 2: [gone, left] }), input);
  const newer = showing({ 2: changed([gone, left], "gone") });
  let asked = 0;
  /** The first four queries read the windows, and the fifth one would write the new version. */
  const dying = (window: Range) => ((asked += 1) <= 4 ? newer(window) : [down]);
  const second = await readScript(dying, { ...input, stored: lastState(first) });
  expect(idsOf(second)).toEqual([]);
  expect(stateOf(second).strays).toEqual(stateOf(first).strays);
  expect(standing(first, second)).toEqual(["gone", "left"]);
  const third = await readScript(showing({ 2: [left] }), { ...late, stored: lastState(second) });
  expect(idsOf(third)).toEqual(["left"]);
  expect(standing(first, second, third)).toEqual(["left"]);
  // The day has awaited strays of an earlier process.
  expect(stateOf(third)).toMatchObject({ due: [range(1, 2)], strays: [{ day: DAY_ONE + DAY }] });
  const fourth = await readScript(showing({ 2: [left] }), { ...late, stored: lastState(third) });
  expect([idsOf(fourth), stateOf(fourth).due]).toEqual([[], []]);
});

/** The versions of a stray, by their numbers from 1 on. */
const version = (id: string, number: number): Fields =>
  recordOf(id, 1, {
    x_RecordUpdatedAt: `2026-01-10T00:00:0${number}Z`,
    ConsumedQuantity: `${number}`,
  });

/** The strays that stand, with the numbers of their versions. */
const versionsOf = (table: Table): string[] =>
  [...table.standing().values()]
    .map(({ id, text }) => `${id}${JSON.parse(text).ConsumedQuantity}`)
    .toSorted();

test.each([[[]], [[version("b", 1)]]])(
  "P5 R10: a stray whose old version comes back before the new one is written stands, alone or in a group (%#)",
  async (others: Fields[]) => {
    const showingA = (number: number) => showing({ 2: [version("a", number), ...others] });
    const first = await readScript(showingA(1), input);
    let asked = 0;
    /** The first four queries read the windows. */
    const back = (window: Range) => showingA((asked += 1) <= 4 ? 2 : 1)(window);
    const second = await readScript(back, { ...input, stored: lastState(first) });
    expect(second.succeeded).toBe(true);
    const table = new Table().with(first).with(second);
    const all = ["a1", ...others.map(() => "b1")];
    expect(versionsOf(table)).toEqual(all);
    expect(stateOf(second).due).toEqual([]);
    const idle = await readScript(showingA(1), { ...input, stored: lastState(second) });
    expect(idsOf(idle)).toEqual([]);
    expect(versionsOf(table.with(idle))).toEqual(all);
  },
);

test.each([
  ["the old version comes back", [version("a", 1)]],
  ["the new version stays", [version("a", 2)]],
  ["a third version comes", [version("a", 3)]],
  ["the stray is withdrawn", []],
] as const)(
  "P5 R10: if the process dies behind the row of a new version and %s, the next syncs bring what the provider shows",
  async (_, shown) => {
    for (const others of [[], [version("b", 1)]]) {
      const first = await readScript(showing({ 2: [version("a", 1), ...others] }), input);
      const second = await readScript(showing({ 2: [version("a", 2), ...others] }), {
        ...input,
        stored: lastState(first),
        stateInterval: DAY,
      });
      const length = 1 + second.outputs.findIndex(({ type }) => type === "RECORD_LINES");
      let table = new Table().with(first).with(second, length);
      let stored = stateWithin(second, length);
      for (const hours of [1, 25, 49]) {
        const now = late.input.now + hours * HOUR;
        const next = await readScript(showing({ 2: [...shown, ...others] }), {
          ...late,
          input: { ...late.input, now },
          stored,
        });
        table = table.with(next);
        stored = stateOf(next);
      }
      const expected = [...shown, ...others].map(
        ({ x_RecordId: id, ConsumedQuantity: number }) => `${String(id)}${String(number)}`,
      );
      expect(versionsOf(table)).toEqual(expected);
      expect(stored.due).toEqual([]);
    }
  },
);

test("P5 R10: if the process dies before the row of a new version, and the stray is withdrawn, its old row leaves the sums", async () => {
  const first = await readScript(showing({ 2: [gone, left] }), input);
  const second = await readScript(showing({ 2: changed([gone, left], "gone") }), {
    ...input,
    stored: lastState(first),
    stateInterval: DAY,
  });
  const length = second.outputs.findIndex(({ type }) => type === "RECORD_LINES");
  const stored = stateWithin(second, length);
  expect(stored.strays.map(({ hash, id }) => hash === id)).toEqual([false, true]);
  const third = await readScript(showing({ 2: [left] }), { ...late, stored });
  const table = new Table().with(first).with(second, length).with(third);
  expect([...table.standing().keys()]).toEqual(["left"]);
  // The day has awaited strays of an earlier process.
  expect(stateOf(third).due).toEqual([range(1, 2)]);
  const fourth = await readScript(showing({ 2: [left] }), { ...late, stored: lastState(third) });
  expect([idsOf(fourth), stateOf(fourth).due]).toEqual([[], []]);
});

test("P5: such a STATE goes out also if the plan reaches no day of the strays, and the rows before it have reserved their ids", async () => {
  const first = await readScript(showing({ 2: [one, other] }), input);
  const windows = { 0: [recordOf("new", 0)], 2: changed([one, other], "one") };
  const second = await readScript(showing(windows), {
    ...input,
    stored: lastState(first),
    stateInterval: DAY,
  });
  expect(idsOf(second)).toEqual(["new", "one"]);
  const length = second.outputs.findLastIndex(({ type }) => type === "RECORD_LINES");
  const { strays } = stateWithin(second, length);
  expect(strays.map(({ hash, id }) => hash === id)).toEqual([false, true]);
});

test("P5: a STATE names the days of new strays before the first row of these goes out, also those that the plan does not reach", async () => {
  const first = await readScript(showing({}), input);
  const windows = { 0: [recordOf("new", 0)], 2: [recordOf("own", 1), one] };
  for (const marksReports of [true, false]) {
    const stored = lastState(first);
    const asked = { ...input, marksReports, stored, stateInterval: DAY };
    const second = await readScript(showing(windows), asked);
    expect(idsOf(second)).toEqual(["new", "own", "one"]);
    const length = second.outputs.findLastIndex(({ type }) => type === "RECORD_LINES");
    const { due, awaited } = stateWithin(second, length);
    expect(awaited).toEqual(
      [1, -1].map((day) => ({ window: range(2, 3), days: range(day, day + 1) })),
    );
    expect(subtract([range(1, 2)], due)).toEqual([]);
  }
});

test("P5: a stray that is restated between two windows which show it is written once", async () => {
  const older = recordOf("a", -1);
  const newer = recordOf("a", -1, { x_RecordUpdatedAt: "2026-01-10T00:00:02Z" });
  let asked = 0;
  const script = ({ start }: Range): FetchedPage[] => {
    const isFirst = (asked += 1) === 3;
    return [pageOf(start < DAY_ONE + 2 * DAY ? [] : [isFirst ? older : newer])];
  };
  const run = await readScript(script, input);
  expect(run.queries.map(({ start }) => (start - DAY_ONE) / DAY)).toEqual([0, 1, 2, 3, 2, 3]);
  expect(idsOf(run)).toEqual(["a"]);
});

test("P5: if a window shows a new version of a written stray beside the old one, both are written, once", async () => {
  const first = await readScript(showing({ 2: [version("a", 1)] }), input);
  const both = showing({ 2: [version("a", 1), version("a", 2)] });
  const second = await readScript(both, { ...input, stored: lastState(first) });
  expect(idsOf(second)).toEqual(["a", "a"]);
  const third = await readScript(both, { ...input, stored: lastState(second) });
  expect(idsOf(third)).toEqual([]);
  expect(stateOf(third)).toEqual(stateOf(second));
});

test("P5: a stray that is restated replaces its row, and no other one of its group is written again", async () => {
  const first = await readScript(showing({ 2: [gone, left] }), input);
  const windows = showing({ 2: changed([gone, left], "left") });
  const run = await readScript(windows, { ...input, stored: lastState(first) });
  expect(idsOf(run)).toEqual(["left"]);
  expect(standing(first, run)).toEqual(["gone", "left"]);
  expect(stateOf(run).strays).toHaveLength(2);
  const next = await readScript(windows, { ...input, stored: lastState(run) });
  expect(idsOf(next)).toEqual([]);
});

test("P5 S8: the state keeps strays as they are if it has room for all, else the newest that were written, and then the newest that days own", () => {
  const strays = [null, "r1", null, "r2"].map((readingId, at) => ({
    hash: String(at),
    day: DAY_ONE,
    readingId,
    window: range(0, 1),
  }));
  const kept = [4, 3, 2, 1].map((most) => newestOf(strays, most).map(({ hash }) => Number(hash)));
  expect(kept).toEqual([[0, 1, 2, 3], [1, 3, 2], [1, 3], [3]]);
});

test("P5 S4: a reading that began again has other rows than it shows on the days whose numbers of rows differ", () => {
  const rows = new Map([
    ["a", { id: "a", day: DAY_ONE }],
    ["b", { id: "b", day: DAY_ONE }],
    ["c", { id: "c", day: DAY_ONE + DAY }],
  ]);
  const written = new Map([
    [DAY_ONE, 2],
    [DAY_ONE + DAY, 2],
    [DAY_ONE + 2 * DAY, 1],
  ]);
  expect(daysOfOthers({ ids: new Set(), rows }, written)).toEqual([
    DAY_ONE + DAY,
    DAY_ONE + 2 * DAY,
  ]);
});
