/** Charges that only the window of another day shows, as a provider that selects by the day of posting does (P5, R10). */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { IncrementalState } from "../core/state.ts";
import { forget } from "../core/known_days.ts";
import { DAY, HOUR } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import type { Fields } from "../records/fields.ts";
import { Table } from "./scripted/table.ts";
import {
  isReport,
  stateBefore,
  fourWindows as input,
  idsOf,
  lastState,
  readScript,
  recordOf,
  refused,
  type Run,
  showing,
  startsOf,
  stateOf,
} from "./scripted/testing.ts";
import { readWorld, recordsAt, stateAfter, type World, worlds } from "./scripted/worlds.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const range = (from: number, to: number): Range => ({
  start: DAY_ONE + from * DAY,
  end: DAY_ONE + to * DAY,
});
/** Only the window of the first day shows it. */
const posted = recordOf("posted", 2);
const before: Record<number, Fields[]> = {
  0: [posted],
  1: [recordOf("r1", 1)],
  2: [recordOf("r2", 2)],
};
const without = { ...before, 0: [] };

/** A provider that answers so many queries in one way, and the later ones in another. */
function changing(
  queries: number,
  one: (window: Range) => Iterable<FetchedPage | ConnectorError>,
  other: (window: Range) => Iterable<FetchedPage | ConnectorError>,
): (window: Range) => Iterable<FetchedPage | ConnectorError> {
  let asked = 0;
  return (window) => ((asked += 1) <= queries ? one : other)(window);
}

/** The reports of second readings: the days and the strays that each names, by their numbers from 0. */
const secondOf = ({ said }: Run) =>
  said
    .filter(({ isWhole }) => !isWhole)
    .map(({ days, strays }) =>
      [days, strays].map((all) => all.map(({ day }) => (day - DAY_ONE) / DAY)),
    );

const firstSync = () => readScript(showing(before), { input });

test("R10: a window that shows a written stray is read once more if the day of the stray was read after it; the reading lists the stray", async () => {
  const first = await firstSync();
  expect(stateOf(first).strays).toMatchObject([{ day: DAY_ONE + 2 * DAY, window: range(0, 1) }]);
  const run = await readScript(showing(before), { input, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0]);
  expect(idsOf(run)).toEqual([]);
  expect(secondOf(run)).toEqual([[[], [2]]]);
  expect(stateOf(run).due).toEqual([]);
  expect(stateOf(run).strays).toEqual(stateOf(first).strays);
  expect(run.succeeded).toBe(true);
});

test("R10: a window that comes after the days of its strays is not read once more", async () => {
  const late = { 3: [recordOf("late", 1)] };
  const first = await readScript(showing(late), { input });
  const run = await readScript(showing(late), { input, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: a second reading of a day without rows judges the strays of the day, so their window lists them after it", async () => {
  const late = recordOf("late", 1);
  const whole = { 2: [late, recordOf("kept", 2), recordOf("gone", 2)] };
  const first = await readScript(showing(whole), { input, marksReports: true });
  const run = await readScript(showing({ 2: [late, recordOf("kept", 2)] }), {
    input,
    stored: lastState(first),
    marksReports: true,
    stateInterval: DAY,
  });
  // The window of the stray finds a row missing. So the other days are read once more, and then this window lists its stray.
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1, 3, 2]);
  expect(secondOf(run)).toEqual([
    [[0], []],
    [[1], []],
    [[3], []],
    [[], [1]],
  ]);
  expect(new Table().with(first).with(run).standing().has("late")).toBe(true);
  expect(stateOf(run).due).toEqual([]);
  // The second report of the stray's day goes out behind a STATE that names the window as due.
  expect(stateBefore(run, 5).due).toEqual([range(0, 4)]);
});

test("R10: a window that is not in the plan lists its strays once their day is read", async () => {
  const first = await firstSync();
  const short = { ...input, lookback: 2 * DAY };
  const run = await readScript(showing(before), { input: short, stored: lastState(first) });
  expect(startsOf(run)).toEqual([2, 3, 0]);
  expect(secondOf(run)).toEqual([[[], [2]]]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: the window of today lists its strays, too", async () => {
  const startDate = DAY_ONE - 2 * DAY;
  const today = { ...input, now: DAY_ONE + DAY / 2, startDate, endDate: null, lookback: 0 };
  const shown = { 0: [recordOf("early", -2)] };
  const first = await readScript(showing(shown), { input: today });
  const stored = lastState(first);
  const due = [range(-2, -1)];
  const run = await readScript(showing(shown), {
    input: { ...today, now: today.now + HOUR },
    stored: stored?.mode === "incremental" ? { ...stored, due } : null,
  });
  expect(startsOf(run)).toEqual([0, -2, 0]);
  expect(secondOf(run)).toEqual([[[], [-2]]]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: a window that has still to list its strays is due: if the sync fails before, the next one reads it", async () => {
  const first = await firstSync();
  const down = (): ConnectorError[] => [new ConnectorError("unavailable", "It is down.")];
  const run = await readScript(changing(3, showing(before), down), {
    input,
    stored: lastState(first),
  });
  expect(run.succeeded).toBe(false);
  expect(stateOf(run).due).toEqual([range(0, 1)]);
  const stored = lastState(run);
  const again = await readScript(showing(before), {
    input: { ...input, now: input.now + DAY, lookback: DAY },
    stored,
  });
  expect(startsOf(again)).toEqual([3, 0]);
  expect(stateOf(again).due).toEqual([]);
});

test("R10: so many windows list their strays in one sync, and the others are due", async () => {
  const two = { ...before, 1: [recordOf("also", 3)] };
  const first = await readScript(showing(two), { input });
  const limits = { overtakenWindows: 1 };
  const run = await readScript(showing(two), { input, stored: lastState(first), limits });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0]);
  expect(stateOf(run).due).toEqual([range(1, 2)]);
  expect(run.succeeded).toBe(true);
});

/** One window of four days has written a stray. */
async function longWindow() {
  const own = { 0: [recordOf("r0", 0)] };
  const world = { 0: [...own[0], recordOf("next", 5)] };
  const whole = { ...input, maximumWindowDays: 31 };
  const empty = await readScript(showing(own), { input: whole });
  const first = await readScript(showing(world), { input: whole, stored: lastState(empty) });
  return { whole, world, first };
}

test("P5 R10: a window of strays of which the pass reads only a part is due if the sync has no room to read it as a whole", async () => {
  const { whole, world, first } = await longWindow();
  expect(stateOf(first).strays.map(({ window }) => window)).toEqual([range(0, 4)]);
  const asked = { input: { ...whole, lookback: DAY }, stored: lastState(first) };
  const free = await readScript(showing(world), asked);
  expect(startsOf(free)).toEqual([3, 0]);
  expect(stateOf(free).due).toEqual([]);
  const run = await readScript(showing(world), { ...asked, limits: { overtakenWindows: 0 } });
  expect(startsOf(run)).toEqual([3]);
  expect(stateOf(run).due).toEqual([range(0, 4)]);
});

test("P5: only a pass with a deep re-read, or without one in the config, reads a window of strays as a whole of which it reads a part", async () => {
  const { whole, world, first } = await longWindow();
  const asked = { ...whole, lookback: DAY };
  const deep = { ...asked, reconcileFrom: DAY_ONE + 2 * DAY };
  const run = await readScript(showing(world), { input: deep, stored: lastState(first) });
  expect(startsOf(run)).toEqual([2, 0]);
  const next = await readScript(showing(world), { input: deep, stored: lastState(run) });
  expect(startsOf(next)).toEqual([3]);
  expect(stateOf(next).due).toEqual([]);
  const none = await readScript(showing(world), { input: asked, stored: lastState(run) });
  expect(startsOf(none)).toEqual([3, 0]);
});

test("R10: no report tells of the days and the windows of strays that a sync without export_windows writes", async () => {
  const first = await readScript(showing(without), { input });
  const asked = { input: { ...input, reports: false }, stored: lastState(first) };
  const run = await readScript(showing(before), asked);
  expect(idsOf(run)).toEqual(["posted"]);
  expect(run.said).toEqual([]);
  // The day of the stray enters the list with its second reading. Until then it is due.
  expect(stateOf(run).unreported).toEqual([range(0, 1), range(2, 3)]);
  const none = await readScript(showing(before), { ...asked, limits: { overtakenWindows: 0 } });
  expect(stateOf(none).unreported).toEqual([range(0, 1)]);
  expect(stateOf(none).due).toEqual([range(2, 3)]);
});

test("R10: a stray that its window does not list again is missing: all that was read is due, and the next sync judges the stray", async () => {
  const first = await firstSync();
  const run = await readScript(changing(4, showing(before), showing(without)), {
    input,
    stored: lastState(first),
  });
  // The day of the stray awaits the next sync (P5).
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 0, 1, 3]);
  expect(secondOf(run)).toEqual([
    [[2], []],
    [[0], []],
    [[1], []],
    [[3], []],
  ]);
  expect(stateOf(run).due).toEqual([range(0, 1), range(2, 3)]);
  expect(stateOf(run).strays).toEqual(stateOf(first).strays);
  const next = await readScript(showing(without), {
    input: { ...input, now: input.now + DAY, lookback: DAY },
    stored: lastState(run),
  });
  expect(stateOf(next).strays).toEqual([]);
});

test("R10: days that a missing stray makes due stay due if the sync fails before they are read once more", async () => {
  const first = await firstSync();
  const down = (): ConnectorError[] => [new ConnectorError("unavailable", "It is down.")];
  const run = await readScript(changing(4, showing(before), changing(1, showing(without), down)), {
    input,
    stored: lastState(first),
  });
  expect(run.succeeded).toBe(false);
  expect(stateOf(run).due).toEqual([range(0, 4)]);
});

test("R10: a process that goes on with a pass lists the strays of windows that are due, although a look reads such a window", async () => {
  const first = await firstSync();
  const down = (): ConnectorError[] => [new ConnectorError("unavailable", "It is down.")];
  const failed = await readScript(changing(3, showing(before), down), {
    input,
    stored: lastState(first),
  });
  const world = { ...before, 3: [recordOf("early", 0)] };
  const run = await readScript(showing(world), {
    input: { ...input, now: input.now + HOUR },
    stored: lastState(failed),
    limits: { overtakenWindows: 1 },
  });
  expect(startsOf(run)).toEqual([3, 0, 0, 3]);
  expect(secondOf(run)).toEqual([
    [[], [2]],
    [[0], []],
    [[], [0]],
  ]);
  expect(stateOf(run).due).toEqual([range(0, 1)]);
});

test("R10: a look takes no day from the list of due days, also if the day owns the record that is looked for", async () => {
  const world = { 1: [recordOf("r1", 1)], 2: [recordOf("r2", 2)] };
  const down = (): ConnectorError[] => [new ConnectorError("unavailable", "It is down.")];
  const failed = await readScript(changing(3, showing(world), down), { input });
  const run = await readScript(showing({ ...world, 3: world[1] }), {
    input: { ...input, now: input.now + HOUR },
    stored: { ...stateOf(failed), due: [range(1, 2)] },
  });
  expect(startsOf(run)).toEqual([3, 1]);
  expect(stateOf(run).due).toEqual([range(1, 2)]);
});

test("R10: a sync that has nothing else to read lists strays, too, or ends if no plan can read their window", async () => {
  const first = await firstSync();
  const down = (): ConnectorError[] => [new ConnectorError("unavailable", "It is down.")];
  const failed = await readScript(changing(4, showing(before), down), {
    input,
    stored: lastState(first),
  });
  expect(startsOf(failed)).toEqual([0, 1, 2, 3, 0]);
  const run = await readScript(showing(before), { input, stored: lastState(failed) });
  expect(startsOf(run)).toEqual([0]);
  expect(secondOf(run)).toEqual([[[], [2]]]);
  expect(stateOf(run).due).toEqual([range(0, 1)]); // the day may be due for another cause, too: the next pass reads it
  expect(run.succeeded).toBe(true);
  const empty = await readScript(showing(before), {
    input: { ...input, endDate: DAY_ONE },
    stored: lastState(failed),
  });
  expect(startsOf(empty)).toEqual([]);
  expect(empty.succeeded).toBe(true);
});

test("R10: a later start date cuts the window of a stray: the rest of it is listed once, and not again in each sync", async () => {
  const { strays, ...state } = stateOf(await firstSync());
  const wide = strays.map((stray) => ({ ...stray, window: range(0, 2) }));
  const later = { ...input, startDate: DAY_ONE + DAY, lookback: 0 };
  const run = await readScript(showing(without), {
    input: later,
    stored: { ...state, strays: wide, due: [range(0, 2)] },
  });
  expect(startsOf(run)).toEqual([1, 1]);
  expect(stateOf(run).due).toEqual([range(0, 1)]);
  expect(stateOf(run).strays).toEqual(wide);
  const idle = await readScript(showing(without), { input: later, stored: lastState(run) });
  expect(startsOf(idle)).toEqual([]);
  expect(stateOf(idle)).toEqual(stateOf(run));
});

test("R10: a day of strays that only a second reading proves has them listed, too", async () => {
  const first = await firstSync();
  let asked = 0;
  const moving = (window: Range): FetchedPage[] => {
    if (window.start !== DAY_ONE + 2 * DAY) return showing(before)(window);
    asked += 1;
    const last = asked < 3 ? { asOf: "2026-01-10T01:00:00Z" } : {};
    const restated = { ConsumedQuantity: asked === 1 ? "98" : "99" };
    return [pageOf([recordOf("r2", 2, restated)], "c"), pageOf([], null, last)];
  };
  const run = await readScript(moving, {
    input: { ...input, lookback: 2 * DAY },
    stored: lastState(first),
  });
  expect(startsOf(run)).toEqual([2, 3, 2, 2, 0]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: a STATE that names the window as due stands before the report that takes the proof from its stray", async () => {
  const first = await firstSync();
  const run = await readScript(showing(before), {
    input,
    stored: lastState(first),
    marksReports: true,
    stateInterval: DAY,
  });
  let states = 0;
  // For each report, the number of the STATEs before it.
  const statesBefore = run.outputs.flatMap((output) => {
    if (output.type === "STATE") states += 1;
    return isReport(output) ? [states] : [];
  });
  const named = lastState({ ...run, states: run.states.slice(0, statesBefore[2]) });
  expect(named).toMatchObject({ due: [range(0, 1)] });
});

test("R10: the report of a second reading that proves a day without rows stands behind a STATE that names the windows of its strays", async () => {
  const world = { 2: [recordOf("late", 1), recordOf("r2", 2)] };
  const first = stateOf(await readScript(showing(world), { input }));
  const gone = { day: DAY_ONE + DAY, records: 0, writtenBy: null };
  let asked = 0;
  const moved = [pageOf([], "c"), pageOf([], null, { asOf: "2026-01-10T01:00:00Z" })];
  const run = await readScript(
    (window) =>
      window.start === DAY_ONE + DAY && (asked += 1) === 1 ? moved : showing(world)(window),
    {
      input: { ...input, lookback: DAY },
      stored: { ...first, known: forget(first.known, [gone]) },
      marksReports: true,
      stateInterval: DAY,
    },
  );
  expect(startsOf(run)).toEqual([3, 1, 1, 2]);
  expect(secondOf(run)[0]).toEqual([[1], []]);
  const number = run.said.findIndex(({ isWhole }) => !isWhole);
  expect(stateBefore(run, number).due).toEqual([range(1, 3)]);
});

test("R10 R11: a window stays due if the source hides rows before it could list its strays", async () => {
  const first = await firstSync();
  let reports = 0;
  const run = await readScript(showing(before), {
    input,
    stored: lastState(first),
    marksReports: true,
    consumed: (output) => {
      if (isReport(output)) reports += 1;
    },
    unprovenBefore: () => (reports >= 3 ? DAY_ONE - DAY : null),
  });
  expect(startsOf(run)).toEqual([0, 1, 2, 3]);
  expect(stateOf(run).due).toEqual([range(0, 1)]);
});

test("R10: a stray that comes and goes with each request costs a few more readings in a sync, and no hundred", async () => {
  const first = await firstSync();
  let asked = 0;
  const run = await readScript(
    (window) => {
      if (window.start !== DAY_ONE) return showing(before)(window);
      asked += 1;
      return showing(asked % 2 === 1 ? before : without)(window);
    },
    { input, stored: lastState(first) },
  );
  expect(run.succeeded).toBe(true);
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 0, 1, 3]);
});

test("P5 R10: a stray stands although another one of its day is written while its window is not read", async () => {
  const all: (readonly [postedOn: number, Fields])[] = [[0, recordOf("c0", 6)]];
  const byPosting = ({ start, end }: Range): FetchedPage[] => {
    const shown = all.filter(([on]) => start <= DAY_ONE + on * DAY && DAY_ONE + on * DAY < end);
    return [pageOf(shown.map(([, record]) => record))];
  };
  let table = new Table();
  let stored: IncrementalState | null = null;
  const written: string[] = [];
  for (let number = 1; number <= 8; number++) {
    if (number === 3) all.push([3, recordOf("c1", 6)]);
    const now = DAY_ONE + (number + 0.5) * DAY;
    const run: Run = await readScript(byPosting, {
      input: { ...input, now, endDate: null, lookback: DAY },
      stored,
      marksReports: true,
    });
    table = table.with(run);
    // A state of an earlier version has no ids.
    stored = { ...stateOf(run), strays: stateOf(run).strays.map(({ id: _id, ...stray }) => stray) };
    written.push(...idsOf(run));
  }
  expect(written).toEqual(["c0", "c1"]);
  expect([...table.standing().keys()].toSorted()).toEqual(["c0", "c1"]);
  expect(stored?.strays).toHaveLength(2);
});

test("S4 R10: a reading that begins again lists only the strays that its last passage shows", async () => {
  const first = await firstSync();
  const answers: (FetchedPage | ConnectorError)[][] = [
    [pageOf([posted], "c"), refused("cursor_refused")],
    [pageOf([])],
  ];
  const other = (window: Range): Iterable<FetchedPage | ConnectorError> =>
    answers.shift() ?? showing(without)(window);
  const run = await readScript(changing(4, showing(before), other), {
    input,
    stored: lastState(first),
  });
  expect(startsOf(run).slice(0, 6)).toEqual([0, 1, 2, 3, 0, 0]);
  expect(stateOf(run).due).toEqual([range(0, 1), range(2, 3)]);
});

test("R10: two windows that each miss a stray make each other's days be read once more, but not again and again", async () => {
  const two = { ...before, 1: [recordOf("also", 3)] };
  const first = await readScript(showing(two), { input });
  const run = await readScript(changing(4, showing(two), showing({ ...two, 0: [], 1: [] })), {
    input,
    stored: lastState(first),
  });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1, 0, 1]);
  expect(stateOf(run).due).toEqual([range(0, 4)]);
});

test.each([
  ["of which the listing moved lists the groups that it shows whole", [posted], [[[], [2]]]],
  ["tells of no stray that it is missing if its listing moved, and its window stays due", [], []],
])("P6 R10: that reading %s", async (_name, shown, listed) => {
  const first = await firstSync();
  const moved = (): FetchedPage[] => [
    pageOf(shown, "c"),
    pageOf([], null, { asOf: "2026-01-10T01:00:00Z" }),
  ];
  const run = await readScript(changing(4, showing(before), moved), {
    input,
    stored: lastState(first),
  });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0]);
  expect(secondOf(run)).toEqual(listed);
  expect(stateOf(run).due).toEqual(shown.length > 0 ? [] : [range(0, 1)]);
});

test("P5 R10: that reading takes no note of other strays: the next reading of the window finds them", async () => {
  const first = await firstSync();
  const more = { ...before, 0: [posted, recordOf("more", 3)] };
  const run = await readScript(changing(4, showing(before), showing(more)), {
    input,
    stored: lastState(first),
  });
  expect(idsOf(run)).toEqual([]);
  expect(secondOf(run)).toEqual([
    [[3], []],
    [[], [2]],
  ]);
  const next = await readScript(showing(more), { input, stored: lastState(run) });
  expect(idsOf(next)).toEqual(["more"]);
});

test("P5 R10: no day is looked at for other strays that such a reading shows, although a stray of another window waits", async () => {
  const first = await firstSync();
  const more = { ...before, 0: [posted, recordOf("more", 1)], 3: [recordOf("early", -1)] };
  const run = await readScript(showing(more), {
    input: { ...input, lookback: 2 * DAY },
    stored: lastState(first),
  });
  expect(startsOf(run)).toEqual([2, 3, 0, 3]);
  expect(idsOf(run)).toEqual(["early"]);
});

test("R10 R11: while the source cannot show all of its rows, no window lists its strays once more", async () => {
  const first = await firstSync();
  const run = await readScript(showing(before), {
    input,
    stored: lastState(first),
    unprovenBefore: () => DAY_ONE - DAY,
  });
  expect(startsOf(run)).toEqual([0, 1, 2, 3]);
  expect(run.succeeded).toBe(true);
});

/** The records that the provider has at one of three complete syncs, and that do not stand after this sync. */
async function lost(world: World): Promise<string[]> {
  const gone: string[] = [];
  let table = new Table();
  let stored: IncrementalState | null = null;
  for (let number = 0; number < 3; number++) {
    const now = DAY_ONE + (world.days + number + 0.5) * DAY;
    const { run } = await readWorld(world, { number, now, stored });
    expect(run.succeeded).toBe(true);
    table = table.with(run);
    stored = stateAfter(run, run.states.length - 1) ?? stored;
    const standing = table.standing();
    for (const [id, record] of recordsAt(world, number)) {
      const { text } = standing.get(id) ?? { text: "" };
      if (text !== JSON.stringify(record)) gone.push(`${id} at sync ${number}`);
    }
  }
  return gone;
}

const steady = (world: World): World => ({
  ...world,
  charges: world.charges.map((charge) => ({ ...charge, isThere: true, changes: ["kept", "kept"] })),
});

test("P5 R10: after each complete sync the rows of all records that are always shown stand, whatever windows show them", async () => {
  await fc.assert(
    fc.asyncProperty(worlds({ days: 8, plain: 2, special: 5 }), async (world) => {
      expect(await lost(steady(world))).toEqual([]);
    }),
    { numRuns: 200 },
  );
});
