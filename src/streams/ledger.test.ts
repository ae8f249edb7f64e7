import { expect, test } from "vitest";
import { ReadingIds } from "../core/identity.ts";
import { DAY } from "../core/time.ts";
import { dayRange } from "../core/window.ts";
import { type KnownDay, NOTHING_KNOWN } from "../core/known_days.ts";
import { beginReading, type Reading } from "../core/reading.ts";
import { LIMITS } from "../core/limits.ts";
import { emptyPass, type IncrementalState } from "../core/state.ts";
import { Ledger } from "./ledger.ts";
import { decodeState } from "./state_codec.ts";
import { DAY_ONE } from "./testing.ts";
import type { Output } from "../protocol.ts";

const owner = { base_url: "https://a.example", dataset: "usage", granularity: "1d", account: null };

/** A ledger on a clock that the test moves. */
function ledger(limits = LIMITS) {
  const sent: Output[] = [];
  const warnings: string[] = [];
  const at = { now: 0 };
  const made = new Ledger(stateAt(0), {
    stream: "usage",
    owner,
    interval: 1000,
    limits,
    ids: new ReadingIds(0),
    now: () => at.now,
    send: async (item) => void sent.push(item),
    before: () => undefined,
    warn: (message) => void warnings.push(message),
  });
  const states = () => sent.filter((item) => item.type === "STATE");
  return { made, sent, warnings, at, states };
}

/** A state whose position tells it from others. */
function stateAt(position: number, changes: Partial<IncrementalState> = {}): IncrementalState {
  const base = {
    mode: "incremental",
    chain: "chain",
    newestId: null,
    start: 0,
    reconciledOn: null,
    provisional: [],
    known: NOTHING_KNOWN,
    due: [],
    unreported: [],
    longestRetention: 0,
    left: [],
    fewer: [],
    awaited: [],
    strays: [],
    scrub: null,
    pass: null,
  } as const;
  return { ...base, position, ...changes };
}

test("S2: a state that has not changed is not sent again, and its records count for the next STATE", async () => {
  const { made, states } = ledger();
  for (const [position, records] of [
    [1, 3],
    [1, 4],
    [2, 5],
  ] as const) {
    made.made(records, 1);
    made.update(stateAt(position));
    await made.send();
  }
  expect(states().map(({ state }) => state.sourceStats.recordCount)).toEqual([3, 9]);
});

test("S2: a STATE comes after the first page, then each second or 20,000 records", async () => {
  const { made, at, states } = ledger();
  const counts: number[] = [];
  for (const [now, records] of [
    [0, 1000], // the first page
    [100, 1000],
    [999, 1000],
    [1000, 1000], // a second later
    [1100, 19_000],
    [1200, 1000], // 20,000 records later
    [1300, 1000],
  ] as const) {
    at.now = now;
    made.made(records, 1);
    const before = states().length;
    made.update(stateAt(now + 1));
    await made.sendWhenDue(1);
    if (states().length > before) counts.push(now);
  }
  expect(counts).toEqual([0, 1000, 1200]);
  expect(states().map(({ state }) => state.sourceStats.recordCount)).toEqual([1000, 3000, 20_000]);
});

test("an estimate of nothing is not sent", async () => {
  const { made, at, sent } = ledger();
  made.windowRead();
  await made.sendWhenDue(3);
  expect(sent.map(({ type }) => type)).toEqual(["STATE"]);
  made.made(10, 100);
  at.now = 1000;
  made.update(stateAt(2));
  await made.sendWhenDue(3);
  expect(sent.slice(1)).toMatchObject([
    { trace: { estimate: { row_estimate: 40, byte_estimate: 400 } } },
    { type: "STATE" },
  ]);
});

test("S8: a state that would grow too large drops proofs, sums and finished windows, with warnings, and no cursor", async () => {
  const open: Reading[] = Array.from({ length: 16 }, (_, index) => {
    const window = { start: DAY_ONE + index * DAY, end: DAY_ONE + (index + 1) * DAY };
    const begun = beginReading(window, {
      id: `r${index}`,
      limit: 1000,
      beganAt: DAY_ONE,
      withTotals: true,
    });
    const groups = Array.from({ length: 200 }, (_group, number) => ({
      labels: { usage_type: `${number}`.padStart(200, "x") },
      amounts: { quantity: "1".repeat(100) },
      records: 1,
    }));
    const totals = [{ day: window.start, inside: true, records: 200, groups }];
    const seen = { cursor: "c".repeat(8000), availableThrough: DAY_ONE, totals };
    return { ...begun, ...seen, firstAsOf: "", lastAsOf: "" };
  });
  const days = Array.from({ length: 3650 }, (_, index) => index * DAY);
  const provisional = days.map((day) => ({ day, records: 1, billed: { USD: "9".repeat(100) } }));
  const reads = days.map((start) => ({ start, end: start + DAY / 2, availableThrough: start }));
  const pass = { ...emptyPass(0), open, reads };
  const { made, states, warnings } = ledger();
  made.update(stateAt(DAY_ONE, { pass, provisional }));
  await made.send();
  const state = states()[0]?.state.stream.stream_state;
  expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThanOrEqual(450_000);
  expect(warnings).toHaveLength(4);
  const decoded = decodeState(state, owner, "incremental");
  expect(decoded?.pass?.open.map(({ cursor, totals }) => [cursor?.length, totals])).toEqual(
    open.map(() => [8000, null]),
  );
  expect(decoded).toMatchObject({ position: DAY_ONE, provisional: { length: 3650 } });
});

test("S8: a state of too many groups of control totals leaves them out, before it is made", async () => {
  const begun = { id: "r", limit: 1000, beganAt: 0, withTotals: true };
  const groups = [1, 2, 3].map((number) => ({
    labels: { usage_type: `${number}` },
    amounts: { quantity: "1" },
    records: 1,
  }));
  const totals = [{ day: 0, inside: true, records: 3, groups }];
  const reading = { ...beginReading({ start: 0, end: DAY }, begun), totals, cursor: "c" };
  const open = [{ ...reading, availableThrough: 0, firstAsOf: "", lastAsOf: "" }];
  for (const [stateGroups, expected] of [
    [3, totals],
    [2, null],
  ] as const) {
    const { made, states, warnings } = ledger({ ...LIMITS, stateGroups });
    made.update(stateAt(DAY_ONE, { pass: { ...emptyPass(0), open } }));
    await made.send();
    const decoded = decodeState(states()[0]?.state.stream.stream_state, owner, "incremental");
    expect(decoded?.pass?.open.map((each) => [each.cursor, each.totals])).toEqual([
      ["c", expected],
    ]);
    expect(warnings).toHaveLength(expected === null ? 1 : 0);
  }
});

test("S8: ten years of days that shrank, and open windows with many strays, leave a state within its bound", async () => {
  const hash = "f".repeat(24);
  const dates = Array.from({ length: 3650 }, (_, index) => index * DAY);
  const known = dates.map((day, index): [number, KnownDay] => {
    const shrinkage = { records: 1, digest: hash, at: DAY_ONE };
    const readingId = `${index}`.padStart(14, "r");
    return [day, { day, records: 1000, digest: hash, readingId, confirmed: false, shrinkage }];
  });
  const strays = dates.slice(0, 2000).map((day, index) => ({
    hash: `${index}`.padStart(24, "0"),
    day,
    readingId: "r".repeat(14),
    window: { start: 0, end: DAY },
  }));
  const standing = dates
    .slice(0, 2000)
    .map((day) => ({ day, rowsReadingId: "r".repeat(14), records: 1 }));
  const begun = { id: "r", limit: 1000, beganAt: 0, withTotals: true };
  const reading = {
    ...beginReading({ start: 0, end: DAY }, begun),
    cursor: "c",
    availableThrough: 0,
  };
  const unread = 3660 * DAY;
  const open = [0, 1, 2, 3].map((id) => ({
    ...reading,
    start: unread,
    end: unread + DAY,
    id: `${id}`,
    digests: [{ day: unread, records: 20, digest: hash }],
    firstAsOf: "",
    lastAsOf: "",
    standing,
  }));
  const { made, states, warnings } = ledger();
  const ranges = [{ start: 0, end: 3650 * DAY }];
  const pass = { ...emptyPass(0), open };
  made.update(
    stateAt(DAY_ONE, {
      known: { ranges, days: new Map(known), forgotten: new Map(), inPart: new Map() },
      strays,
      pass,
    }),
  );
  await made.send();
  const state = states()[0]?.state.stream.stream_state;
  expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThanOrEqual(450_000);
  expect(warnings).toHaveLength(7);
  const decoded = decodeState(state, owner, "incremental");
  expect(decoded).toMatchObject({ position: DAY_ONE, pass: { open: [] } });
  if (decoded?.mode !== "incremental") throw new Error("no state");
  expect(decoded.known).toMatchObject({ ranges: [], days: new Map() });
  // R8: the numbers of records stay.
  expect(decoded.known.forgotten.get(DAY)).toMatchObject({ most: 1000, records: 1000 });
  expect([...decoded.known.inPart]).toEqual([[unread, 20]]);
});

/** Days with large sums of provisional costs. */
const sums = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    day: index * DAY,
    records: 1,
    billed: { USD: "9".repeat(100) },
  }));

/** The STATE of at most so many bytes, and the number of steps that leave something out. */
async function boundedTo(stateBytes: number, changes: Partial<IncrementalState>) {
  const { made, states, warnings } = ledger({ ...LIMITS, stateBytes });
  made.update(stateAt(DAY_ONE, changes));
  await made.send();
  const state = states()[0]?.state.stream.stream_state;
  expect(Buffer.byteLength(JSON.stringify(state))).toBeLessThanOrEqual(stateBytes);
  const decoded = decodeState(state, owner, "incremental");
  if (decoded?.mode !== "incremental") throw new Error("no state");
  return { state: decoded, steps: warnings.length };
}

test("S8: the sums of provisional costs go before those that have left retention", async () => {
  const left = sums(1);
  const { state, steps } = await boundedTo(6000, { provisional: sums(100), left });
  expect(steps).toBe(2);
  expect(state.left).toEqual(left);
  expect(state.provisional).toHaveLength(100);
});

test("S8: the sums of half-read windows go with the others, and the windows stay", async () => {
  const begun = { id: "r", limit: 1000, beganAt: 0, withTotals: false };
  const reading = { ...beginReading({ start: 0, end: DAY }, begun), provisional: sums(100) };
  const open = [{ ...reading, cursor: "c", availableThrough: 0, firstAsOf: "", lastAsOf: "" }];
  const { state, steps } = await boundedTo(6000, { pass: { ...emptyPass(0), open } });
  expect(steps).toBe(2);
  expect(state.pass?.open).toMatchObject([{ cursor: "c", provisional: { length: 100 } }]);
});

test("S8: the costs that have left retention go before the finished windows", async () => {
  const reads = [{ start: 0, end: DAY, availableThrough: DAY }];
  const pass = { ...emptyPass(0), reads };
  const fewer = [{ day: DAY_ONE, readingId: "r".repeat(14) }];
  const awaited = [1, 2].map((number) => ({
    days: dayRange(DAY_ONE + number * DAY),
    window: dayRange(DAY_ONE + (number + 5) * DAY),
  }));
  const { state, steps } = await boundedTo(3000, { left: sums(100), fewer, awaited, pass });
  expect(steps).toBe(3);
  expect(state.left).toEqual([]);
  expect(state.fewer).toEqual([]);
  // No day may be proven that awaits strays.
  expect(state.awaited).toHaveLength(1);
  expect(state.pass?.reads).toEqual(reads);
});

test("S8: the suspicions of known and of forgotten days go together, and the numbers of records stay", async () => {
  const digest = "f".repeat(24);
  const facts = { records: 30, readingId: "r".repeat(14), confirmed: false };
  const shrinkage = { records: 1, digest, at: DAY_ONE };
  const knowing = (suspicion: typeof shrinkage | null) => {
    const of = (day: number) => ({ ...facts, day: day * DAY, shrinkage: suspicion });
    const days = Array.from({ length: 50 }, (_, day) => ({ ...of(day), digest }));
    const gone = Array.from({ length: 50 }, (_, day) => ({ ...of(50 + day), most: 30 }));
    return {
      ...NOTHING_KNOWN,
      ranges: [{ start: 0, end: 50 * DAY }],
      days: new Map(days.map((day) => [day.day, day])),
      forgotten: new Map(gone.map((day) => [day.day, day])),
    };
  };
  const { state, steps } = await boundedTo(7000, { known: knowing(shrinkage) });
  expect(steps).toBe(5);
  expect(state.known).toEqual(knowing(null));
});

test("S8 R10: the numbers of records go last; from the first day that is due to the last, all days are due then", async () => {
  const { made, states, warnings } = ledger({ ...LIMITS, stateBytes: 1 });
  const gone = { day: 0, most: 9, records: 9, readingId: null, confirmed: true, shrinkage: null };
  const known = { ...NOTHING_KNOWN, forgotten: new Map([[0, gone]]) };
  made.update(
    stateAt(DAY_ONE, {
      known,
      due: [{ start: 5 * DAY, end: 6 * DAY }],
      unreported: [{ start: 8 * DAY, end: 9 * DAY }],
    }),
  );
  await made.send();
  const decoded = decodeState(states()[0]?.state.stream.stream_state, owner, "incremental");
  expect(decoded).toMatchObject({
    due: [{ start: 0, end: 9 * DAY }],
    unreported: [],
    known: NOTHING_KNOWN,
    position: DAY_ONE,
  });
  expect(warnings.at(-1)).toContain("the numbers of records of days, and which days are due");
  made.update(stateAt(DAY_ONE));
  await made.send();
  expect(states().at(-1)?.state.stream.stream_state).toMatchObject({ due: [], unreported: [] });
});

test("S8: a state of ordinary size stays whole", async () => {
  const { made, states, warnings } = ledger();
  made.update(stateAt(DAY_ONE, { provisional: [{ day: 0, records: 1, billed: { USD: "1" } }] }));
  await made.send();
  expect(warnings).toEqual([]);
  expect(states()[0]?.state.stream.stream_state["provisional"]).toEqual([
    ["1970-01-01", 1, { USD: "1" }],
  ]);
});
