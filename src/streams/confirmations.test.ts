/** Windows that a loss has overtaken are read once more in the same sync (R10). */
import { expect, test } from "vitest";
import { NOTHING_KNOWN } from "../core/known_days.ts";
import { LIMITS } from "../core/limits.ts";
import { DAY, HOUR } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import type { Fields } from "../records/fields.ts";
import { Confirmations } from "./confirmations.ts";
import {
  fourWindows as input,
  idsOf,
  lastState,
  readScript,
  recordOf,
  refused,
  type Run,
  showing,
  stateOf,
} from "./scripted/testing.ts";
import type { Job } from "./job.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const [r0, r2, kept, gone] = [
  recordOf("r0", 0),
  recordOf("r2", 2),
  recordOf("kept", 3),
  recordOf("gone", 3),
];
const before: Record<number, Fields[]> = { 0: [r0], 2: [r2], 3: [kept, gone] };
const after: Record<number, Fields[]> = { ...before, 3: [kept] };

const startsOf = (run: Run): number[] => run.queries.map(({ start }) => (start - DAY_ONE) / DAY);
const range = (from: number, to: number): Range => ({
  start: DAY_ONE + from * DAY,
  end: DAY_ONE + to * DAY,
});

/** The days that the last reports of a sync confirm, with the rows of each. */
const confirmed = (run: Run): (readonly [day: number, rows: number])[] =>
  run.said
    .filter(({ isWhole }) => !isWhole)
    .flatMap(({ days }) => days)
    .map(({ day, rows, confirmed: isConfirmed }) => {
      expect(isConfirmed).toBe(true);
      return [(day - DAY_ONE) / DAY, rows];
    });

test("R10: once a pass is read, the windows that a loss has overtaken are read once more, and their days are proven", async () => {
  const first = await readScript(showing(before), { input });
  const run = await readScript(showing(after), { input, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1, 2]);
  expect(idsOf(run)).toEqual(["kept"]);
  expect(confirmed(run)).toEqual([
    [0, 1],
    [1, 0],
    [2, 1],
  ]);
  expect(stateOf(run).due).toEqual([]);
  expect(run.succeeded).toBe(true);
  const next = await readScript(showing(after), { input, stored: lastState(run) });
  expect(startsOf(next)).toEqual([0, 1, 2, 3]);
});

test("R10: a day to which a row has moved stays due after that reading, which writes nothing, and the next sync writes the day", async () => {
  const first = await readScript(showing(before), { input });
  const moved = recordOf("gone", 2);
  let asked = 0;
  const moving = (window: { start: number }): FetchedPage[] => {
    asked += 1;
    return showing(asked <= 3 ? before : { ...after, 2: [r2, moved] })(window);
  };
  const run = await readScript(moving, { input, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1, 2]);
  expect(idsOf(run)).toEqual(["kept"]);
  expect(confirmed(run).map(([day]) => day)).toEqual([0, 1]);
  expect(stateOf(run).due).toEqual([range(2, 3)]);
  const next = await readScript(moving, {
    input: { ...input, lookback: DAY },
    stored: lastState(run),
  });
  expect(startsOf(next)).toEqual([3, 2]);
  expect(idsOf(next).toSorted()).toEqual(["gone", "r2"]);
  expect(stateOf(next).due).toEqual([]);
});

test("R10: so many windows are read once more in one sync, the earliest first, and the days of the others are due", async () => {
  const first = await readScript(showing(before), { input });
  const limits = { overtakenWindows: 2 };
  const run = await readScript(showing(after), { input, stored: lastState(first), limits });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1]);
  expect(stateOf(run).due).toEqual([range(2, 3)]);
});

test("R10: the losses of a sync have so many readings together, each of a window that the next sync would read", () => {
  const queued: Job[] = [];
  const confirmations = new Confirmations({
    input,
    plan: { from: DAY_ONE, end: DAY_ONE + 9 * DAY },
    limits: { ...LIMITS, overtakenWindows: 3 },
    queue: (job) => queued.unshift(job),
  });
  const readAgain = (...days: readonly Range[]): boolean =>
    confirmations.ofOvertaken(days, NOTHING_KNOWN);
  expect(readAgain()).toBe(false);
  expect(readAgain(range(0, 1), range(2, 3))).toBe(true);
  const first = queued.splice(0).map(({ window, purpose }) => ({ ...window, ...purpose }));
  expect(first).toMatchObject([
    { ...range(0, 1), kind: "confirm", days: [DAY_ONE] },
    { ...range(2, 3), kind: "confirm", days: [DAY_ONE + 2 * DAY] },
  ]);
  expect(readAgain(range(1, 2), range(3, 5))).toBe(true);
  expect(queued.splice(0).map(({ window }) => window)).toEqual([range(1, 2)]);
  expect(readAgain(range(3, 4))).toBe(false);
  expect(queued).toEqual([]);
});

test("R10: the days that an earlier process of the pass has read are read once more, too", async () => {
  const first = await readScript(showing(before), { input });
  const down = new ConnectorError("unavailable", "It is down.");
  const killed = await readScript(
    (window) => (window.start === DAY_ONE + 2 * DAY ? [down] : showing(before)(window)),
    { input, stored: lastState(first) },
  );
  const later = { ...input, now: input.now + HOUR };
  const run = await readScript(showing(after), { input: later, stored: lastState(killed) });
  expect(startsOf(run)).toEqual([2, 3, 0, 1, 2]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: a pass is read to its end before a loss makes it read windows once more", async () => {
  const first = await readScript(showing({ 0: [r0], 1: [recordOf("gone", 1)] }), { input });
  const run = await readScript(showing({ 0: [r0] }), { input, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: if such a reading fails, the sync fails, and the next one reads the days, although its pass has read them before", async () => {
  const first = await readScript(showing(before), { input });
  let asked = 0;
  const failing = (window: { start: number }): (FetchedPage | ConnectorError)[] => {
    asked += 1;
    return asked === 6
      ? [new ConnectorError("unavailable", "It is down.")]
      : showing(after)(window);
  };
  const run = await readScript(failing, { input, stored: lastState(first) });
  expect(run.succeeded).toBe(false);
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1]);
  expect(stateOf(run).due).toEqual([range(1, 3)]);
  const next = await readScript(failing, {
    input: { ...input, now: input.now + HOUR },
    stored: lastState(run),
  });
  expect(startsOf(next)).toEqual([1, 2]);
  expect(next.said.flatMap(({ days }) => days)).toMatchObject([
    { confirmed: true },
    { confirmed: true },
  ]);
  expect(stateOf(next).due).toEqual([]);
});

test("R10: a window that has been read twice is read once more for all of its days", async () => {
  const fourDays = { ...input, maximumWindowDays: 4 };
  const pages = (windows: Record<number, Fields[]>): FetchedPage[] => {
    const records = Object.values(windows).flat();
    return [pageOf(records.slice(0, 1), "c"), pageOf(records.slice(1))];
  };
  const first = await readScript(() => pages(before), { input: fourDays });
  const run = await readScript(() => pages(after), { input: fourDays, stored: lastState(first) });
  expect(run.queries).toHaveLength(3);
  expect(idsOf(run)).toEqual(["kept"]);
  expect(confirmed(run).map(([day]) => day)).toEqual([3, 0, 1, 2]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: the windows with strays are finished after the reading of overtaken days", async () => {
  const first = await readScript(showing({ 3: [kept, gone] }), { input });
  const early = recordOf("early", -1);
  const run = await readScript(showing({ 1: [early], 3: [kept] }), {
    input,
    stored: lastState(first),
  });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1, 2, 1]);
  expect(idsOf(run)).toEqual(["kept", "early"]);
  expect(stateOf(run).due).toEqual([]);
  expect(run.succeeded).toBe(true);
});

test("R10: a full refresh knows no days, and reads no window once more", async () => {
  const readings = [[pageOf([kept, gone], "c"), refused("cursor_refused")], [pageOf([kept])]];
  const script = (window: { start: number }): (FetchedPage | ConnectorError)[] =>
    (window.start === DAY_ONE + 3 * DAY ? readings.shift() : undefined) ?? [pageOf([])];
  const run = await readScript(script, { input, mode: "full_refresh" });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 3]);
});

test("R10 R11: while the source cannot show all of its rows, no window is read once more: that reading would prove nothing", async () => {
  const first = await readScript(showing(before), { input });
  const run = await readScript(showing(after), {
    input,
    stored: lastState(first),
    unprovenBefore: () => DAY_ONE - DAY,
  });
  expect(startsOf(run)).toEqual([0, 1, 2, 3]);
  expect(stateOf(run).due).toEqual([range(0, 4)]);
  expect(run.succeeded).toBe(true);
});

test("R10 P5 P6: a stray that such a reading shows on a day which it does not compare is written by its window", async () => {
  const start = DAY_ONE - 2 * DAY;
  const byMonth = { ...input, startDate: start, byMonth: true, maximumWindowDays: 31 };
  const day = (offset: number, ...ids: string[]): Fields[] => ids.map((id) => recordOf(id, offset));
  const [stray] = day(-1, "stray");
  const december = (...ids: string[]): FetchedPage[] => [
    pageOf(day(-2, "first"), "c"),
    pageOf(day(-1, ...ids)),
  ];
  const first = await readScript(
    (window) => (window.start === start ? december("x", "gone") : [pageOf([r0])]),
    { input: byMonth },
  );
  const readings = [december("x"), december("x"), december("x", "stray")];
  const script = (window: { start: number }): FetchedPage[] =>
    window.start === start ? (readings.shift() ?? []) : [pageOf([stray ?? r0, r0])];
  const run = await readScript(script, { input: byMonth, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, -2, -2, -2, 0, 0]);
  expect(idsOf(run)).toEqual(["x", "stray"]);
  expect(stateOf(run).due).toEqual([]);
});
