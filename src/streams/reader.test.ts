import { expect, test } from "vitest";
import { readingId } from "../core/identity.ts";
import { DAY, HOUR } from "../core/time.ts";
import { ConnectorError, type ErrorCode } from "../errors.ts";
import {
  at,
  changed,
  errorsOf,
  idsOf,
  lastState,
  pagesOf,
  readScript,
  recordOf,
  refused,
  saidOf,
  stateOf,
  statusesOf,
} from "./scripted/testing.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE, pageOf, usageRecord } from "./testing.ts";

const one = recordOf("one", 0);
const two = recordOf("two", 1);

test("C1: with one lane the order of output is the order of time", async () => {
  const run = await readScript([[pageOf([one])], [pageOf([two])]]);
  expect(idsOf(run)).toEqual(["one", "two"]);
  expect(run.queries.map(({ start }) => start)).toEqual([DAY_ONE, DAY_ONE + DAY]);
  expect(run.succeeded).toBe(true);
  expect(statusesOf(run)).toEqual(["STARTED", "RUNNING", "COMPLETE"]);
});

test("S1: the position is where what was read without a gap ends", async () => {
  const run = await readScript([[pageOf([one])], [pageOf([two])]]);
  expect(lastState(run)).toMatchObject({ position: DAY_ONE + 2 * DAY, pass: null });
});

test("S1: the position never passes what the provider declared available", async () => {
  const availableThrough = DAY_ONE + 1.5 * DAY;
  const run = await readScript([
    [pageOf([one], null, { availableThrough })],
    [pageOf([two], null, { availableThrough })],
  ]);
  expect(lastState(run)).toMatchObject({ position: DAY_ONE + DAY });
});

test("S2: STATE follows the records it covers, counts them, and never comes twice", async () => {
  const run = await readScript([[pageOf([one], "c"), pageOf([usageRecord("b")])], [pageOf([two])]]);
  const counts = run.states.map(({ state }) => state.sourceStats.recordCount);
  expect(counts.reduce((sum, count) => sum + count)).toBe(3);
  const texts = run.states.map(({ state }) => JSON.stringify(state.stream.stream_state));
  expect(new Set(texts).size).toBe(texts.length);
  // The first STATE covers no record, it reserves their ids (R4).
  expect(counts.slice(0, 2)).toEqual([0, 1]);
});

test("S2: a stream without a record has its STATE too", async () => {
  const run = await readScript([[pageOf([])], [pageOf([])]]);
  expect(run.states.at(-1)?.state.sourceStats.recordCount).toBe(0);
});

test("S3 P4: a window that was half read goes on at its page, and is not counted as read", async () => {
  const broken = new ConnectorError("unavailable", "It is down.");
  const first = await readScript([[pageOf([one], "next"), broken]]);
  expect(first.succeeded).toBe(false);
  expect(statusesOf(first).at(-1)).toBe("INCOMPLETE");
  const state = lastState(first);
  expect(state).toMatchObject({ position: DAY_ONE, pass: { open: [{ cursor: "next" }] } });
  const second = await readScript([[pageOf([usageRecord("b")])], [pageOf([two])]], {
    stored: state,
  });
  expect(second.queries[0]).toEqual({
    start: DAY_ONE,
    end: DAY_ONE + DAY,
    limit: 1000,
    cursor: "next",
  });
  expect(idsOf(second)).toEqual(["b", "two"]);
  expect(second.reports[0]).toMatchObject({
    resumed: true,
    records: 2,
    id: state?.pass?.open[0]?.id,
  });
  expect(lastState(second)).toMatchObject({ position: DAY_ONE + 2 * DAY });
});

test("S3: a resumed window keeps the page size of its first request", async () => {
  const broken = new ConnectorError("unavailable", "It is down.");
  const state = lastState(await readScript([[pageOf([one], "next"), broken]]));
  if (state === null || state.pass === null) throw new Error("there is a pass");
  const open = state.pass.open.map((reading) => ({ ...reading, limit: 7 }));
  const run = await readScript([], { stored: { ...state, pass: { ...state.pass, open } } });
  expect(run.queries.map(({ limit }) => limit)).toEqual([7, 1000]);
});

test("S4: a refused cursor restarts its window at the first page, under the same reading id", async () => {
  const run = await readScript([
    [pageOf([one], "next"), refused("cursor_refused")],
    [pageOf([one], "next"), pageOf([usageRecord("b")])],
    [pageOf([two])],
  ]);
  expect(run.succeeded).toBe(true);
  expect(run.queries.map(({ cursor }) => cursor)).toEqual([null, null, null]);
  expect(idsOf(run)).toEqual(["one", "b", "two"]);
  expect(run.reports[0]).toMatchObject({ records: 2 });
  const opened = run.states[1]?.state.stream.stream_state["pass"];
  expect(opened).toMatchObject({ open: [{ id: run.reports[0]?.id }] });
});

test("S4: a cursor that is always refused ends the stream after two restarts", async () => {
  const refusing = [pageOf([one], "next"), refused("cursor_refused")];
  const run = await readScript([refusing, refusing, refusing, refusing]);
  expect(run.succeeded).toBe(false);
  expect(run.queries).toHaveLength(3);
  expect(idsOf(run)).toEqual(["one"]);
});

test("P5 S4: windows that replace one repeat nothing of it, and each remembers for itself", async () => {
  const odd = usageRecord("odd", { ChargePeriodEnd: "2026-01-03T00:00:00Z" }); // both windows return it
  const week = { ...at, now: DAY_ONE + 8.5 * DAY, endDate: DAY_ONE + 8 * DAY };
  const begun = await readScript(
    [[pageOf([one, two], "next"), new ConnectorError("unavailable", "It is down.")]],
    { input: { ...week, maximumWindowDays: 2 } },
  );
  const run = await readScript(
    [
      [refused("cursor_refused")],
      [pageOf([one, odd], "b"), pageOf([one, usageRecord("b")])],
      [pageOf([odd, two], "c"), pageOf([two])],
    ],
    { stored: lastState(begun), input: week },
  );
  expect(run.succeeded).toBe(true);
  expect(run.queries.slice(0, 3).map(({ start }) => start)).toEqual([
    DAY_ONE,
    DAY_ONE,
    DAY_ONE + DAY,
  ]);
  expect(idsOf(run)).toEqual(["one", "odd", "b", "two"]);
  const [replaced] = lastState(begun)?.pass?.open ?? [];
  expect(new Set([replaced?.id, ...run.reports.slice(0, 2).map(({ id }) => id)]).size).toBe(3);
  expect(run.reports[1]?.totals?.map(({ records }) => records)).toEqual([1]); // the row of `odd` has the id of the first reading
  const down = new ConnectorError("unavailable", "It is down.");
  const cutShort = await readScript([[refused("cursor_refused")], [pageOf([one], "b"), down]], {
    stored: lastState(begun),
    input: week,
  });
  const open = lastState(cutShort)?.pass?.open ?? [];
  expect(open).toHaveLength(1);
  expect(open[0]?.id).not.toBe(replaced?.id); // nothing is left of the reading that was replaced
});

test("P5: the log says when a repeat may pass, because the records of a window were forgotten", async () => {
  const records = Array.from({ length: 60 }, (_, index) => recordOf(`${index}`, 0));
  const script = [[pageOf(records, "next"), pageOf([])]];
  const small = await readScript(script, { limits: { firstSightings: 16, sightings: 16 } });
  expect(saidOf(small, "INFO")).toContain("too many records to recognize every record");
  expect(saidOf(await readScript(script), "INFO")).not.toContain("too many records");
});

test("W3: a window that has left retention by the time it is reached is not asked for, and named", async () => {
  const times = [at.now, at.now];
  const run = await readScript([[pageOf([one])], [pageOf([two])]], {
    providerNow: () => times.shift() ?? DAY_ONE + 31.5 * DAY,
  });
  expect(run.queries.map(({ start }) => start)).toEqual([DAY_ONE]);
  const warnings = run.outputs.flatMap((output) =>
    output.type === "LOG" && output.log.level === "WARN" ? [output.log.message] : [],
  );
  expect(warnings.join()).toContain("2026-01-02T00:00:00Z to 2026-01-03T00:00:00Z has left");
});

test("V1: after a page that cannot be made no other is, for it may have taken what both hold", async () => {
  const shared = usageRecord("shared", { ChargePeriodEnd: "2026-01-03T00:00:00Z" });
  const bad = usageRecord("bad", { ConsumedUnit: 7 });
  const run = await readScript([[pageOf([shared, bad])], [pageOf([shared, two])]], { lanes: 2 });
  expect(run.succeeded).toBe(false);
  expect(idsOf(run)).toEqual([]);
  expect(lastState(run)).toMatchObject({ position: DAY_ONE, pass: { reads: [], open: [] } });
  expect(run.reports).toEqual([]);
});

test("S2: lanes that come by while a state waits to be written do not send their own", async () => {
  const days = 12;
  const input = { ...at, now: DAY_ONE + (days + 0.5) * DAY, endDate: DAY_ONE + days * DAY };
  const script = Array.from({ length: days }, (_, day) => [
    pageOf([recordOf(`${day}`, day)], "next"),
    pageOf([recordOf(`${day}b`, day)]),
  ]);
  let now = 0;
  const run = await readScript(script, {
    input,
    lanes: 6,
    stateInterval: 5000,
    now: () => now,
    consumed: ({ type }) => (now += type === "RECORD_LINES" ? 700 : 0),
  });
  const between = run.statesAt
    .slice(1, -1) // without the one that reserves ids (R4), and the last one
    .map((time, index, all) => time - (all[index - 1] ?? -5000));
  expect(between.length).toBeGreaterThan(2);
  expect(Math.min(...between)).toBeGreaterThanOrEqual(4200);
});

test("S7: a full refresh goes on between attempts and, once done, emits nothing", async () => {
  const mode = "full_refresh";
  const broken = new ConnectorError("unavailable", "It is down.");
  const first = await readScript([[pageOf([one])], [broken]], { mode });
  expect(first.succeeded).toBe(false);
  const second = await readScript([[pageOf([two])]], { mode, stored: lastState(first, mode) });
  expect(idsOf(second)).toEqual(["two"]);
  const third = await readScript([], { mode, stored: lastState(second, mode) });
  expect(lastState(third, mode)).toMatchObject({ done: true });
  expect(third).toMatchObject({ queries: [], succeeded: true });
  expect(third.states).toHaveLength(1);
});

test("S7: a full refresh counts a window as read whatever is available", async () => {
  const mode = "full_refresh";
  const broken = new ConnectorError("unavailable", "It is down.");
  const late = { availableThrough: DAY_ONE - DAY };
  const first = await readScript([[pageOf([one], null, late)], [broken]], { mode });
  const second = await readScript([[pageOf([two])]], { mode, stored: lastState(first, mode) });
  expect(second.queries.map(({ start }) => start)).toEqual([DAY_ONE + DAY]);
});

test("W3 S4 R4 P5: a window that has partly left retention when it begins again is a new reading of what is left", async () => {
  const days = {
    ...at,
    endDate: DAY_ONE + 8 * DAY,
    now: DAY_ONE + 8.5 * DAY,
    maximumWindowDays: 2,
  };
  let now = days.now;
  let asked = 0;
  function* script(): Generator<FetchedPage | ConnectorError, void> {
    asked += 1;
    if (asked > 1) {
      yield pageOf(asked === 2 ? [two] : []);
      return;
    }
    yield pageOf([one, two], "next");
    now = DAY_ONE + 30.5 * DAY;
    yield refused("cursor_refused");
  }
  const run = await readScript(script, { input: days, providerNow: () => now });
  expect(run.queries[1]).toMatchObject({ start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY });
  expect(saidOf(run, "WARN")).toContain("2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z has left");
  const before = run.states
    .map(({ state }) => JSON.stringify(state.stream.stream_state["pass"]))
    .find((pass) => pass.includes('"cursor":"next"'));
  expect(before).toBeDefined();
  expect(before).not.toContain(run.reports[0]?.id); // that id belongs to the reading of both days
  expect(idsOf(run)).toEqual(["one", "two"]);
  // The only row of the day has that id, too, so that no row has the id of the new reading.
  expect(stateOf(run).known.ranges).toEqual([{ start: DAY_ONE + 2 * DAY, end: DAY_ONE + 8 * DAY }]);
});

test("S4: restarts are counted also where a window has lost a part to retention", async () => {
  const days = { ...at, endDate: DAY_ONE + 8 * DAY, now: DAY_ONE + 8.5 * DAY };
  let asked = 0;
  const run = await readScript(
    () => {
      asked += 1;
      return [pageOf([], "next"), refused("cursor_refused")];
    },
    {
      input: { ...days, maximumWindowDays: 2 },
      providerNow: () => DAY_ONE + (asked === 0 ? 8.5 : 30.5) * DAY,
    },
  );
  expect(run.succeeded).toBe(false);
  expect(run.queries.map(({ start }) => (start - DAY_ONE) / DAY)).toEqual([0, 1, 1]);
});

test("P5 S4: a window that loses days to retention twice, at its restart and before it is asked for, repeats nothing", async () => {
  const days = { ...at, endDate: DAY_ONE + 16 * DAY, now: DAY_ONE + 16.5 * DAY };
  const three = recordOf("three", 3);
  let clock: readonly number[] = [16.5];
  const providerNow = (): number => {
    const [now = 0, ...later] = clock;
    if (later.length > 0) clock = later;
    return DAY_ONE + now * DAY;
  };
  let asked = 0;
  function* script(): Generator<FetchedPage | ConnectorError, void> {
    asked += 1;
    if (asked > 1) {
      yield pageOf(asked === 2 ? [three] : []);
      return;
    }
    yield pageOf([one, two, three], "next");
    clock = [30.5, 31.2];
    yield refused("cursor_refused");
  }
  const run = await readScript(script, { input: { ...days, maximumWindowDays: 4 }, providerNow });
  expect(run.queries[1]).toMatchObject({ start: DAY_ONE + 2 * DAY, end: DAY_ONE + 4 * DAY });
  expect(idsOf(run)).toEqual(["one", "two", "three"]);
});

test("W4: a window that the provider refuses because it ends in the future ends at the last whole bucket", async () => {
  const input = {
    ...at,
    now: DAY_ONE + 1.5 * DAY,
    endDate: null,
    maximumWindowDays: 31,
    lanes: 1,
  };
  const run = await readScript([[pageOf([one])], [refused("bad_request")]], { input });
  expect(run.queries.map(({ end }) => end)).toEqual([DAY_ONE + DAY, DAY_ONE + 2 * DAY]);
  expect(saidOf(run, "INFO")).toContain("refuses a window that ends in the future");
  expect(run.succeeded).toBe(true);
  expect(lastState(run)).toMatchObject({ position: DAY_ONE + DAY });
});

test("W4: a second reading whose window is shortened says nothing of the days that were cut off", async () => {
  const input = { ...at, now: DAY_ONE + 1.5 * DAY, endDate: null, maximumWindowDays: 31, lanes: 1 };
  const rows = [one, two, recordOf("three", 1)];
  const first = await readScript(() => pagesOf(rows, 1), { input });
  const later = changed(changed(rows, "one"), "two");
  let asked = 0;
  const provider = (): FetchedPage[] | ConnectorError[] => {
    asked += 1;
    if (asked === 2) return [refused("bad_request")];
    return pagesOf(asked === 1 ? later : later.slice(0, 1), 1);
  };
  const run = await readScript(provider, { input, stored: lastState(first) });
  expect(run.queries.map(({ end }) => (end - DAY_ONE) / DAY)).toEqual([2, 2, 1]);
  expect(run.said.at(-1)?.days).toMatchObject([{ day: DAY_ONE, rows: 1 }]);
  expect([...stateOf(run).known.forgotten.keys()]).toEqual([DAY_ONE + DAY]);
});

test("W4: no other refused window is tried again", async () => {
  const run = await readScript([[refused("bad_request")]]);
  expect(run).toMatchObject({ succeeded: false, queries: { length: 1 } });
});

test("V1: of a page with a record that breaks its schema nothing is emitted or counted as read", async () => {
  const run = await readScript([[pageOf([one, usageRecord("bad", { ConsumedUnit: 5 })])]]);
  expect(idsOf(run)).toEqual([]);
  expect(run.succeeded).toBe(false);
  expect(lastState(run)).toMatchObject({ position: DAY_ONE });
});

/** Two pages; the second one cannot be read. */
const poisoned = (fault: FetchedPage | ConnectorError) => [pageOf([one], "old"), fault];
const bad = pageOf([usageRecord("b", { ConsumedUnit: 5 })]);
const faultOf = (code: ErrorCode): ConnectorError => new ConnectorError(code, "It is so.");

test.each([
  ["an invalid record", bad],
  ["a page that breaks the interface", faultOf("provider_fault")],
  ["an answer that stays broken", faultOf("broken_answer")],
])("V1: after %s the next sync reads the window from its first page", async (_, fault) => {
  const first = await readScript([poisoned(fault)]);
  expect(first.succeeded).toBe(false);
  expect(first.states.map(({ state }) => JSON.stringify(state)).join()).toContain('"old"');
  expect(lastState(first)).toMatchObject({ position: DAY_ONE, pass: { reads: [], open: [] } });
  const mended = [pageOf([one], "new"), pageOf([usageRecord("b")])];
  const second = await readScript([mended, [pageOf([two])]], { stored: lastState(first) });
  expect(second.queries.map(({ cursor }) => cursor)).toEqual([null, null]);
  expect(idsOf(second)).toEqual(["one", "b", "two"]); // the first sync has written "one" under another id
  expect(second.said[0]?.days).toMatchObject([{ rows: 2, confirmed: true }]);
});

test("V1: a cursor of an earlier process leaves the state, too, where its page cannot be read", async () => {
  const first = await readScript([poisoned(faultOf("unavailable"))]);
  const second = await readScript([[bad]], { stored: lastState(first) });
  expect(second.queries[0]?.cursor).toBe("old");
  expect(lastState(second)?.pass?.open).toEqual([]);
});

test.each(["unavailable", "rate_limited", "unauthorized", "forbidden"] as const)(
  "V1: %s is no fault of a page, and the cursor stays",
  async (code) => {
    const run = await readScript([poisoned(faultOf(code))]);
    expect(lastState(run)?.pass?.open).toMatchObject([{ cursor: "old" }]);
  },
);

test("S4: a cursor that no page comes for in the next process either leaves the state, and the window begins again", async () => {
  const down = faultOf("unavailable");
  const first = await readScript([poisoned(down)]);
  const second = await readScript([[down]], { stored: lastState(first) });
  expect(second.queries[0]?.cursor).toBe("old");
  expect(lastState(second)?.pass?.open).toEqual([]);
  const third = await readScript([[pageOf([one])], [pageOf([two])]], { stored: lastState(second) });
  expect(third.queries[0]?.cursor).toBeNull();
  expect(idsOf(third)).toEqual(["one", "two"]); // the first sync has written "one" under another id
  expect(third.succeeded).toBe(true);
});

test.each([
  ["a page has come", [pageOf([], "later"), faultOf("unavailable")], "later"],
  ["the provider limits the rate", [faultOf("rate_limited")], "old"],
])("S4: a cursor of an earlier process stays where %s", async (_, steps, cursor) => {
  const first = await readScript([poisoned(faultOf("unavailable"))]);
  const second = await readScript([steps], { stored: lastState(first) });
  expect(lastState(second)?.pass?.open).toMatchObject([{ cursor }]);
});

test("V1: of two windows that cannot be read neither leaves a cursor, whichever ends the stream", async () => {
  const other = [pageOf([two], "other"), faultOf("provider_fault")];
  const run = await readScript([poisoned(faultOf("provider_fault")), other], { lanes: 2 });
  expect(errorsOf(run)).toHaveLength(1);
  expect(lastState(run)?.pass?.open).toEqual([]);
});

test("P6: a listing that moved while it was read says so in its report", async () => {
  const moved = pageOf([usageRecord("b")], null, { asOf: "2026-01-10T00:00:01Z" });
  const run = await readScript([[pageOf([one], "c"), moved], [pageOf([two])]]);
  expect(run.reports.map((reading) => reading.moved)).toEqual([true, false]);
  const steady = pageOf([usageRecord("c")], null, { asOf: moved.asOf });
  const pages = [pageOf([one], "c"), { ...moved, nextCursor: "d" }, steady];
  const early = await readScript([pages, [pageOf([two])]]);
  expect(early.reports.map((reading) => reading.moved)).toEqual([true, false]);
});

test("R4: readings of one millisecond have ids in the order in which they began", async () => {
  const run = await readScript([[pageOf([one])], [pageOf([two])]]);
  const ids = run.reports.map(({ id }) => id);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(2);
});

test("R4: a provider's clock that stands still or is put back makes no id that sorts before an earlier one", async () => {
  const before = readingId(at.now + HOUR, "zzzzz");
  const run = await readScript([[pageOf([one])]], { knownId: before });
  expect(run.reports.every(({ id }) => id > before)).toBe(true);
  expect(run.reports[0]?.beganAt).toBe(at.now);
});

test("a stop ends the stream with the state of what was written, and no error trace", async () => {
  const stop = new AbortController();
  stop.abort(new ConnectorError("aborted", "stopped"));
  const run = await readScript([[pageOf([one])]], { stop: stop.signal });
  expect(statusesOf(run)).toEqual(["STARTED", "RUNNING", "INCOMPLETE"]);
  expect(run.states).toHaveLength(1);
  expect(run.outputs.some((o) => o.type === "TRACE" && o.trace.type === "ERROR")).toBe(false);
});

test("C1: lanes read windows side by side and all of them end in the state", async () => {
  const script = Array.from({ length: 20 }, () => [pageOf([], "c"), pageOf([])]);
  const input = { ...at, now: DAY_ONE + 20.5 * DAY, endDate: DAY_ONE + 20 * DAY };
  const pages = script.map((steps) =>
    steps.map((page) => ({ ...page, availableThrough: DAY_ONE + 30 * DAY })),
  );
  const run = await readScript(pages, { input, lanes: 5 });
  expect(run.succeeded).toBe(true);
  expect(new Set(run.queries.map(({ start }) => start)).size).toBe(20);
  expect(lastState(run)).toMatchObject({ position: DAY_ONE + 20 * DAY, pass: null });
});

test("progress hears of the plan and of each page, one window or many", async () => {
  const run = await readScript([[pageOf([one], "c"), pageOf([])]], {
    input: { ...at, endDate: DAY_ONE + DAY },
  });
  expect(run.events).toEqual([
    { type: "PLANNED", stream: "usage", windows: 1 },
    { type: "ANSWERED", stream: "usage", endsWindow: false },
    { type: "ANSWERED", stream: "usage", endsWindow: true },
  ]);
});

test("S4: a window whose sibling gives up keeps its cursor", async () => {
  const refusing = [pageOf([one], "a"), refused("cursor_refused")];
  const sibling = Array.from({ length: 9 }, (_, page) =>
    pageOf([recordOf(`${page}`, 1)], `b${page}`),
  );
  const run = await readScript([refusing, sibling, refusing, refusing], { lanes: 2 });
  expect(run.succeeded).toBe(false);
  expect(errorsOf(run)).toHaveLength(1);
  const open = lastState(run)?.pass?.open ?? [];
  const kept = open.find(({ start }) => start === DAY_ONE + DAY);
  expect(kept?.cursor).toMatch(/^b/);
  expect(kept?.records).toBeGreaterThan(0);
  expect(saidOf(run, "INFO").match(/again from its first page/g)).toHaveLength(2);
});

test("L3: a position in the future ends the stream as a transient error, and the state is kept", async () => {
  const first = await readScript([[pageOf([one])], [pageOf([two])]]);
  const run = await readScript([], { stored: lastState(first), input: { ...at, now: DAY_ONE } });
  expect(run).toMatchObject({ succeeded: false, queries: [] });
  expect(errorsOf(run)).toMatchObject([{ failure_type: "transient_error" }]);
  expect(statusesOf(run)).toEqual(["STARTED", "RUNNING", "INCOMPLETE"]);
  expect(run.states.at(-1)?.state.stream.stream_state).toEqual(
    first.states.at(-1)?.state.stream.stream_state,
  );
});

/** Pages without end. On each page, one of the three records has a new version. */
function* endless(day: number): Generator<FetchedPage> {
  for (let page = 0; ; page++) {
    const records = ["a", "b", "c"].map((id, index) =>
      recordOf(id, day, { ConsumedQuantity: `${Math.floor((page + index) / 3)}` }),
    );
    yield pageOf(records, `${page}`);
  }
}

test("L3: a listing whose pages are new but for their ids ends after 1,000 of them", async () => {
  const input = { ...at, endDate: DAY_ONE + DAY };
  const run = await readScript(() => endless(0), { input, stateInterval: 5000 });
  expect(run.succeeded).toBe(false);
  expect(errorsOf(run)[0]?.message).toContain("more than 1000 empty pages came in a row");
  expect(lastState(run)?.pass?.open).toEqual([]);
});

test("L3: a window that begins again may return its ids once more", async () => {
  const pages = Array.from({ length: 700 }, (_, page) => pageOf([recordOf("a", 0)], `${page}`));
  const restarted = [
    [...pages, refused("cursor_refused")],
    [...pages, pageOf([recordOf("b", 0)])],
  ];
  const run = await readScript(restarted, { stateInterval: 5000 });
  expect(run.succeeded).toBe(true);
});

test("L3: the pages of a second reading that it does not write are no empty pages", async () => {
  const days = { ...at, lookback: 4 * DAY, maximumWindowDays: 31 };
  const [first, last] = [recordOf("first", 1), recordOf("first", 1, { ConsumedQuantity: "7" })];
  const many = Array.from({ length: 1100 }, (_, page) =>
    pageOf([recordOf(`${page}`, 0)], `${page}`),
  );
  const rarely = { input: days, stateInterval: 5000 };
  const known = await readScript([[...many, pageOf([first])]], rarely);
  const pages = [...many, pageOf([last])];
  const run = await readScript(() => pages, { ...rarely, stored: lastState(known) });
  expect(run.succeeded).toBe(true);
  expect(idsOf(run)).toEqual(["first"]);
});

test("complete through never lies before the start", async () => {
  const done = await readScript([[pageOf([one])], [pageOf([two])]]);
  expect(saidOf(done, "INFO")).toContain("complete through 2026-01-03T00:00:00Z.");
  const later = await readScript([], {
    input: { ...at, startDate: at.now + 5 * DAY, endDate: null },
  });
  expect(later.succeeded).toBe(true);
  expect(saidOf(later, "INFO")).not.toContain("complete through");
});
