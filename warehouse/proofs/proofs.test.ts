/** No wrong day is called proven, and a right day becomes proven: scripted reads, judged by the models (R4, R5, R10, P5, P6). */
import { expect, test } from "vitest";
import { DAY } from "../../src/core/time.ts";
import { ConnectorError } from "../../src/errors.ts";
import {
  fourWindows,
  isReport,
  lastState,
  onePerPage,
  recordOf,
  showing,
  startsOf,
  stateOf,
  type Windows,
} from "../../src/streams/scripted/testing.ts";
import { DAY_ONE, pageOf } from "../../src/streams/testing.ts";
import { keptOf, type Posted, posting, sync, verdictsOn } from "./testing.ts";

const later = {
  ...fourWindows,
  now: DAY_ONE + 8.5 * DAY,
  endDate: DAY_ONE + 8 * DAY,
  lookback: DAY,
};

test("P5 P6: a stray that only a second reading shows makes its window due, and the next sync writes the stray", async () => {
  const [stray, a, b] = [recordOf("s", 0), recordOf("a", 3), recordOf("b", 3)];
  const world = { 0: [recordOf("r0", 0)], 3: [a, b, stray] };
  let asked = 0;
  const first = await sync(
    (window) =>
      window.start === DAY_ONE + 3 * DAY && ++asked === 1
        ? [pageOf([a], "c"), pageOf([b], null, { asOf: "2026-01-10T01:00:00Z" })]
        : showing(world)(window),
    later,
  );
  const next = { ...later, now: later.now + DAY, endDate: later.endDate + DAY };
  const second = await sync(showing(world), next, first.all);
  expect((await verdictsOn(second.all))[0]).toBe("01-01 proven: r0 s");
});

test("P5 R10: a stray that moves to a window which was read before is written by the next sync", async () => {
  const stray = recordOf("s", 0);
  const base = { 0: [recordOf("r0", 0)], 2: [recordOf("r2", 2)], 3: [recordOf("r3", 3)] };
  const [before, after] = [
    { ...base, 3: [recordOf("r3", 3), stray] },
    { ...base, 2: [recordOf("r2", 2), stray] },
  ];
  const first = await sync(showing(before), fourWindows);
  let asked = 0;
  const second = await sync(
    (window) => (++asked === 1 ? showing(before) : showing(after))(window),
    { ...fourWindows, lookback: 2 * DAY, now: fourWindows.now + DAY / 4 },
    first.all,
  );
  expect(startsOf(second.run)).toEqual([2, 3, 2]);
  const next = {
    ...fourWindows,
    lookback: DAY,
    now: fourWindows.now + DAY,
    endDate: DAY_ONE + 5 * DAY,
  };
  const third = await sync(showing(after), next, second.all);
  expect((await verdictsOn(third.all))[0]).toBe("01-01 proven: r0 s");
});

test("P5: a withdrawn stray leaves the sums although the windows of later syncs have other bounds", async () => {
  const kept: Posted[] = [
    [[0], recordOf("r0", 0)],
    [[7], recordOf("r7", 7)],
  ];
  const input = { ...later, maximumWindowDays: 2 };
  const first = await sync(posting(...kept, [[7], recordOf("s", 0)]), input);
  const next = { ...input, now: input.now + DAY, endDate: input.endDate + DAY };
  const second = await sync(posting(...kept), next, first.all);
  expect((await verdictsOn(first.all))[0]).toBe("01-01 proven: r0 s");
  expect((await verdictsOn(second.all))[0]).toBe("01-01 unproven: r0");
  expect(stateOf(second.run).strays).toEqual([]);
  const after = { ...next, now: next.now + DAY, endDate: next.endDate + DAY };
  const third = await sync(posting(...kept), after, second.all);
  expect((await verdictsOn(third.all))[0]).toBe("01-01 proven: r0");
});

test.each([
  ["that had rows", [recordOf("a", 3), recordOf("b", 3)]],
  ["that had no row", []],
])(
  "R5 P5: a reading that misses a stray is reported although it has still to write its only day, one %s",
  async (_which, before) => {
    const world: Windows = { 0: [recordOf("r0", 0)], 3: [...before, recordOf("s", 0)] };
    const first = await sync(onePerPage(world), fourWindows);
    const changed = [recordOf("a", 3, { ConsumedQuantity: "99" }), recordOf("b", 3)];
    const next = { ...fourWindows, lookback: DAY, now: fourWindows.now + 1000 };
    const second = await sync(onePerPage({ ...world, 3: changed }), next, first.all);
    const verdicts = await verdictsOn(second.all);
    expect([verdicts[0], verdicts[3]]).toEqual(["01-01 unproven: r0", "01-04 proven: a b"]);
    const after = { ...next, now: next.now + 1000 };
    const third = await sync(onePerPage({ ...world, 3: changed }), after, second.all);
    expect((await verdictsOn(third.all))[0]).toBe("01-01 proven: r0");
  },
);

test("P5 R6: a stray stands until the day that owns it now is written, also if the sync fails before", async () => {
  const [stray, r2, r3] = [recordOf("s", 2), recordOf("r2", 2), recordOf("r3", 3)];
  const first = await sync(onePerPage({ 2: [r2], 3: [r3, stray] }), fourWindows);
  const world = { 2: [r2, stray], 3: [r3, stray] };
  let asked = 0;
  const next = { ...fourWindows, lookback: 2 * DAY, now: fourWindows.now + DAY / 4 };
  const second = await sync(
    (window, cursor) =>
      window.start === DAY_ONE + 2 * DAY && ++asked > 1
        ? [new ConnectorError("unavailable", "It is down.")]
        : onePerPage(world)(window, cursor),
    next,
    first.all,
  );
  expect(second.run.succeeded).toBe(false);
  expect((await verdictsOn(second.all))[2]).toBe("01-03 proven: r2 s");
  const third = await sync(onePerPage(world), { ...next, now: next.now + DAY / 8 }, second.all);
  expect((await verdictsOn(third.all))[2]).toBe("01-03 proven: r2 s");
});

test("P5 R10: a stray that a killed process wrote and that is withdrawn leaves the sums", async () => {
  const base = { 0: [recordOf("r0", 0)], 3: [recordOf("r3", 3)] };
  const first = await sync(showing(base), fourWindows);
  const at = { ...fourWindows, lookback: DAY, now: fourWindows.now + DAY / 4 };
  const shown = { ...base, 3: [recordOf("r3", 3), recordOf("s", 0)] };
  const { run, now } = await sync(showing(shown), at, first.all);
  const kept = run.outputs.findIndex(({ type }) => type === "RECORD_LINES") + 1;
  const killed = [...first.all, { run, now, kept }];
  const third = await sync(showing(base), { ...at, now: at.now + DAY / 12 }, killed);
  const fourth = await sync(showing(base), { ...at, now: at.now + DAY / 6 }, third.all);
  expect((await verdictsOn(killed))[0]).toMatch(/^01-01 unproven/);
  expect((await verdictsOn(fourth.all))[0]).toBe("01-01 unproven: r0");
  // Only the next pass tells that no earlier one has still to write the row.
  const fifth = await sync(showing(base), { ...at, now: at.now + DAY / 5 }, fourth.all);
  expect((await verdictsOn(fifth.all))[0]).toBe("01-01 proven: r0");
});

test("P5 P6 R10: the window of a group of strays is due if one moving listing shows a part of the group", async () => {
  const [a, p1, p2] = [recordOf("a", 3), recordOf("p1", 0), recordOf("p2", 0)];
  const world = { 0: [recordOf("r0", 0)], 3: [a, p1, p2] };
  const first = await sync(onePerPage(world), later);
  const deep = { ...later, now: later.now + DAY / 4, reconcileFrom: DAY_ONE + 3 * DAY };
  const second = await sync(
    (window, cursor) =>
      window.start === DAY_ONE + 3 * DAY
        ? [pageOf([a], "c"), pageOf([p1], null, { asOf: "2026-01-10T01:00:00Z" })]
        : onePerPage(world)(window, cursor),
    deep,
    first.all,
    { limits: { overtakenWindows: 0 } },
  );
  const next = { ...later, now: later.now + DAY, endDate: later.endDate + DAY };
  const third = await sync(onePerPage(world), next, second.all);
  expect((await verdictsOn(third.all))[0]).toBe("01-01 proven: p1 p2 r0");
});

test("R10: days that a loss has overtaken are due also if the next process runs on another day", async () => {
  const of = (day: number) => [recordOf(`r${day}`, day)];
  const base: Windows = Object.fromEntries([0, 1, 2, 3, 4, 5, 6, 7].map((day) => [day, of(day)]));
  const first = await sync(showing(base), later);
  const gone = { ...base, 2: [] };
  const deep = { ...later, now: later.now + DAY / 4, reconcileFrom: DAY_ONE + DAY };
  const { run, now } = await sync(onePerPage(gone), deep, first.all, { stateInterval: DAY });
  // The process dies behind the report of the day that has lost its row.
  const reports = run.outputs.flatMap((output, index) => (isReport(output) ? [index] : []));
  const kept = (reports[2] ?? 0) + 1;
  const next = {
    ...later,
    now: later.now + DAY,
    endDate: later.endDate + DAY,
    reconcileFrom: DAY_ONE + 2 * DAY,
  };
  const third = await sync(showing(gone), next, [...first.all, { run, now, kept }]);
  expect((await verdictsOn(third.all)).slice(0, 3)).toEqual([
    "01-01 proven: r0",
    "01-02 proven: r1",
    "01-03 proven:",
  ]);
});

test("P5 R10: a stray is not lost if a process dies within the report of a window that it has read as a whole", async () => {
  const script = posting([[0], recordOf("r0", 0)], [[6], recordOf("s", 0)]);
  const input = { ...later, maximumWindowDays: 2 };
  const first = await sync(script, input);
  const next = { ...input, now: input.now + DAY, endDate: input.endDate + DAY };
  const second = await sync(script, next, first.all);
  expect(startsOf(second.run)).toEqual([7, 6]);
  const last = second.run.outputs.findLastIndex((output) => isReport(output));
  const named = lastState(keptOf({ ...second, kept: last }));
  expect(named).toMatchObject({ due: [{ start: DAY_ONE + 6 * DAY, end: DAY_ONE + 8 * DAY }] });
  expect(stateOf(second.run).due).toEqual([]);
  expect((await verdictsOn(second.all))[0]).toBe("01-01 proven: r0 s");
});
