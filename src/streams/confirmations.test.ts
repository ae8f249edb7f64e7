/** Windows that a loss has overtaken are read once more in the same sync (R10). */
import { expect, test } from "vitest";
import { NOTHING_KNOWN } from "../core/known_days.ts";
import { LIMITS } from "../core/limits.ts";
import { beginReading } from "../core/reading.ts";
import { DAY, HOUR } from "../core/time.ts";
import type { StreamState } from "../core/state.ts";
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
  startsOf,
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
    confirmations.ofOvertaken(days, [], NOTHING_KNOWN);
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

/** The jobs that are queued under the usual limits, for a year of windows of one day. */
function queuedBy(work: (confirmations: Confirmations) => void): Job[] {
  const queued: Job[] = [];
  const [from, end] = [DAY_ONE, DAY_ONE + 365 * DAY];
  const options = { input: { ...input, now: end }, plan: { from, end }, limits: LIMITS };
  work(new Confirmations({ ...options, queue: (job) => queued.push(job) }));
  return queued;
}

test("R10: at most 100 windows that a loss has overtaken are read once more in a sync", () => {
  const days = Array.from({ length: 101 }, (_, index) => range(2 * index, 2 * index + 1));
  const queued = queuedBy((confirmations) => {
    expect(confirmations.ofOvertaken(days, [], NOTHING_KNOWN)).toBe(true);
    expect(confirmations.ofOvertaken(days.slice(100), [], NOTHING_KNOWN)).toBe(false);
  });
  expect(queued).toHaveLength(100);
});

test("R10: today is not read once more, because each sync reads it: a clock that went back may have left it in the list", () => {
  const queued: Job[] = [];
  const confirmations = new Confirmations({
    input: { ...input, now: DAY_ONE + 8.5 * DAY },
    plan: { from: DAY_ONE, end: DAY_ONE + 9 * DAY },
    limits: LIMITS,
    queue: (job) => queued.push(job),
  });
  expect(confirmations.ofOvertaken([range(8, 9)], [], NOTHING_KNOWN)).toBe(false);
  expect(confirmations.ofOvertaken([range(7, 9)], [], NOTHING_KNOWN)).toBe(true);
  expect(queued.map(({ window }) => window)).toEqual([range(7, 8)]);
});

test("P6: at most 100 windows of at most 4 pages have a second reading in the same sync", () => {
  const readings = Array.from({ length: 101 }, (_, index) =>
    beginReading(range(index, index + 1), { id: "r", limit: 1000, beganAt: 0, withTotals: false }),
  );
  const ofPages = (pages: number): Job[] =>
    queuedBy((confirmations) => {
      for (const each of readings) confirmations.ofMoved(each, pages, [each.start]);
    });
  expect([4, 5].map((pages) => ofPages(pages).length)).toEqual([100, 0]);
});

/** The windows that are queued to compare one day, and to list the strays of other windows, one of which ends within a day. */
function queuedFor(
  changes: Partial<typeof input>,
): (Range & { readonly days: readonly number[] })[] {
  const queued: Job[] = [];
  const confirmations = new Confirmations({
    input: { ...input, ...changes },
    plan: { from: DAY_ONE, end: DAY_ONE + 8.5 * DAY },
    limits: LIMITS,
    queue: (job) => queued.unshift(job),
  });
  const part = { start: DAY_ONE + 6 * DAY, end: DAY_ONE + 7.5 * DAY };
  const earlier = { start: DAY_ONE - 2 * DAY, end: DAY_ONE };
  const unlisted = [part, range(6, 8), range(8, 9), range(1, 2), range(3, 4), earlier];
  expect(confirmations.ofOvertaken([range(3, 4)], unlisted, NOTHING_KNOWN)).toBe(true);
  return queued.map(({ window, purpose }) => ({
    ...window,
    days: purpose.kind === "confirm" ? purpose.days : [],
  }));
}

test("R10: windows that list their strays are read as whole days in the order of time, and none of them twice", () => {
  expect(queuedFor({ maximumWindowDays: 2 })).toEqual([
    { ...range(1, 2), days: [] },
    { ...range(3, 4), days: [DAY_ONE + 3 * DAY] },
    { ...range(6, 8), days: [] },
    { ...range(8, 8.5), days: [] },
  ]);
});

test("R10 W2: windows of costs list their strays as whole months", () => {
  expect(queuedFor({ byMonth: true, maximumWindowDays: 31 })).toEqual([
    { ...range(0, 8.5), days: [DAY_ONE + 3 * DAY] },
  ]);
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

test("R10: if such a reading fails, the sync fails; the process that goes on completes it, and the next sync proves the days", async () => {
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
  const late = { ...input, lookback: DAY };
  const again = await readScript(failing, { input: late, stored: lastState(run) });
  expect(again.succeeded).toBe(true);
  expect(startsOf(again)).toEqual([]);
  const next = await readScript(failing, { input: late, stored: lastState(again) });
  expect(startsOf(next)).toEqual([3, 1, 2]);
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
  const both = december("x", "stray");
  const readings = [december("x"), december("x"), both, both];
  const script = (window: { start: number }): FetchedPage[] =>
    window.start === start ? (readings.shift() ?? []) : [pageOf([stray ?? r0, r0])];
  const run = await readScript(script, { input: byMonth, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, -2, -2, -2, 0, 0, -2]);
  expect(idsOf(run)).toEqual(["x", "stray"]);
  // By now the day shows the stray as its own, so that the next sync writes the day.
  expect(stateOf(run).due).toEqual([{ start: DAY_ONE - DAY, end: DAY_ONE }]);
});

test("R8 R10: a day that such a reading shows whole again is no longer suspected, so that the next outage is the first one again", async () => {
  const rows = (count: number, ConsumedQuantity: string): Fields[] =>
    Array.from({ length: count }, (_, n) =>
      recordOf(`d${n}`, 0, n === 0 ? { ConsumedQuantity } : {}),
    );
  const first = await readScript(showing({ 0: rows(20, "1"), 3: [kept, gone] }), { input });
  const readings = [rows(4, "1"), rows(20, "99")];
  const script = (window: { start: number }): FetchedPage[] =>
    window.start === DAY_ONE ? [pageOf(readings.shift() ?? [])] : showing({ 3: [kept] })(window);
  const run = await readScript(script, { input, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0, 1, 2]);
  expect(stateOf(run).due).toEqual([range(0, 1)]);
  const next = await readScript(showing({ 0: rows(4, "1"), 3: [kept] }), {
    input: { ...input, now: input.now + 2 * HOUR },
    stored: lastState(run),
  });
  const said = next.said.flatMap(({ days }) => days).filter(({ day }) => day === DAY_ONE);
  expect(said).toMatchObject([{ shrunk: true }]);
});

test("P6: a second reading that shows other rows stands between two readings that agree: they are not two in a row", async () => {
  const oneDay = { ...input, endDate: DAY_ONE + DAY };
  const [a, b, c] = [recordOf("a", 0), recordOf("b", 0), recordOf("c", 0)];
  const other = { ...c, ConsumedQuantity: "99" };
  const moved = { asOf: "2026-01-10T01:00:00Z" };
  const listing = (...last: Fields[]): FetchedPage[] => [
    pageOf([a], "c"),
    pageOf(last, null, moved),
  ];
  const first = await readScript(() => [pageOf([a], "c"), pageOf([b, c])], { input: oneDay });
  const readings = [listing(b, other), listing(b), listing(b, other)];
  const run = await readScript(() => readings.shift() ?? [], {
    input: oneDay,
    stored: lastState(first),
  });
  expect(readings).toEqual([]);
  const next = await readScript(() => listing(b), {
    input: { ...oneDay, now: oneDay.now + HOUR },
    stored: lastState(run),
  });
  expect(next.said[0]?.days).toMatchObject([{ confirmed: false }]);
});

test("R10: however soon its processes die, a pass comes to an end without reading days again that it has read", async () => {
  const pages = (day: number, cursor: string | null): FetchedPage[] =>
    [0, 1, 2]
      .map((page) => pageOf([recordOf(`r${day}-${page}`, day)], page < 2 ? `c${page}` : null))
      .slice(cursor === null ? 0 : Number(cursor.slice(1)) + 1);
  const starts: number[][] = [];
  let stored: StreamState | null = null;
  let succeeded = false;
  while (!succeeded && starts.length < 20) {
    let left = 2;
    const limited = function* (
      { start }: { start: number },
      cursor: string | null,
    ): Generator<FetchedPage | ConnectorError> {
      for (const page of pages((start - DAY_ONE) / DAY, cursor)) {
        left -= 1;
        yield left < 0 ? new ConnectorError("unavailable", "It is down.") : page;
      }
    };
    const run: Run = await readScript(limited, { input, stored });
    stored = lastState(run);
    starts.push(startsOf(run));
    succeeded = run.succeeded;
  }
  expect(starts).toEqual([[0], [0, 1], [1, 2], [2], [2, 3], [3]]);
});

test("R10: a forgotten day is not read once more, because no reading could agree with it", async () => {
  const first = await readScript(showing({ ...before, 0: [r0, recordOf("lost", 0)] }), { input });
  let asked = 0;
  const moved = (): FetchedPage[] => {
    asked += 1;
    const restated = recordOf("r0", 0, { ConsumedQuantity: String(asked) });
    return [pageOf([restated], "c"), pageOf([], null, { asOf: "2026-01-10T01:00:00Z" })];
  };
  const run = await readScript(
    (window) => (window.start === DAY_ONE ? moved() : showing(after)(window)),
    { input, stored: lastState(first), limits: { confirmedPages: 0 } },
  );
  expect(stateOf(run).known.forgotten.has(DAY_ONE)).toBe(true);
  expect(startsOf(run)).toEqual([0, 1, 0, 2, 3, 1, 2]);
});

test("R5 R10: such a reading is reported only if a day agrees with it", async () => {
  const first = await readScript(showing({ 0: [r0], 1: [recordOf("gone", 1)] }), { input });
  let asked = 0;
  const script = (window: { start: number }): FetchedPage[] => {
    if (window.start !== DAY_ONE) return [pageOf([])];
    asked += 1;
    return [pageOf([recordOf("r0", 0, asked === 1 ? {} : { ConsumedQuantity: "99" })])];
  };
  const run = await readScript(script, { input, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0]);
  expect(run.said).toHaveLength(4);
});
