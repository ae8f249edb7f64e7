import fc from "fast-check";
import { expect, test } from "vitest";
import { type PlanInput, type Plan, planIncremental } from "./plan.ts";
import {
  advance,
  completePass,
  coverageOf,
  dropOpen,
  emptyPass,
  finishWindow,
  type IncrementalState,
  joinReads,
  keepOpen,
  settleReading,
  type StreamState,
  type SyncPass,
  type FinishedRange,
  withoutStale,
} from "./state.ts";
import { learn, NOTHING_KNOWN } from "./known_days.ts";
import { beginReading, type PageFacts, type Reading, readPage } from "./reading.ts";
import { DAY, HOUR } from "./time.ts";
import { overlaps, type Range, subtract, union } from "./window.ts";

const TODAY = Date.UTC(2026, 4, 20);
const hour = fc.integer({ min: 0, max: 24 * 20 }).map((hours) => TODAY - 20 * DAY + hours * HOUR);

/** Finished ranges as a run may leave them: in any order, overlapping, with any `available_through`. */
const reads: fc.Arbitrary<FinishedRange[]> = fc.array(
  fc
    .record({
      day: fc.integer({ min: 0, max: 19 }),
      days: fc.integer({ min: 1, max: 5 }),
      availableThrough: hour,
      endsAtWindow: fc.boolean(),
    })
    .map(({ day, days, availableThrough, endsAtWindow }) => {
      const start = TODAY - 20 * DAY + day * DAY;
      const end = start + days * DAY;
      return endsAtWindow
        ? { start, end, availableThrough: end, endsAtWindow }
        : { start, end, availableThrough };
    }),
  { maxLength: 8 },
);

function passOf(found: readonly FinishedRange[], frontier = -Infinity): SyncPass {
  return { ...emptyPass(TODAY), day: "2026-05-20", reads: found, frontier };
}

function stateOf(changes: Partial<IncrementalState> = {}): IncrementalState {
  const start = TODAY - 20 * DAY;
  const none = {
    reconciledOn: null,
    provisional: [],
    due: [],
    unreported: [],
    longestRetention: 0,
    left: [],
    fewer: [],
    awaited: [],
    strays: [],
    scrub: null,
    pass: null,
  };
  return {
    mode: "incremental",
    chain: "abcde",
    newestId: null,
    known: NOTHING_KNOWN,
    start,
    position: start,
    ...none,
    ...changes,
  };
}

function page(changes: Partial<PageFacts> = {}): PageFacts {
  return {
    nextCursor: null,
    asOf: "2026-05-20T00:00:00Z",
    availableThrough: TODAY,
    records: 1,
    provisional: [],
    totals: [],
    digests: [],
    incomplete: [],
    hasStrays: false,
    standing: [],
    ...changes,
  };
}

/** The state after a reading's last page, if no day is known. */
function finished<State extends StreamState>(state: State, reading: Reading, now: number): State {
  const settled = { known: NOTHING_KNOWN, shrunk: [], doubtful: [], rewrites: [] };
  return finishWindow(settleReading(state, reading, settled, now), reading, now);
}

function begun(window: Range, id = "a"): Reading {
  return beginReading(window, { id, limit: 10, beganAt: TODAY, withTotals: false });
}

test("the position never goes back, nor past what was read without a gap, nor past what any read on its way had", () => {
  fc.assert(
    fc.property(reads, hour, hour, hour, (found, position, rereadFrom, frontier) => {
      const state = stateOf({ position, pass: passOf(found, frontier) });
      const after = advance(state, rereadFrom, HOUR).position;
      expect(after).toBeGreaterThanOrEqual(position);
      if (after === position) return;
      const covered = union(found.map((read) => coverageOf(read, HOUR)));
      expect(subtract([{ start: rereadFrom, end: after }], covered)).toEqual([]);
      for (const read of found.filter(({ end }) => end > rereadFrom)) {
        const availableThrough =
          read.endsAtWindow === true
            ? Math.max(read.availableThrough, frontier)
            : read.availableThrough;
        expect(after).toBeLessThanOrEqual(availableThrough);
      }
    }),
  );
});

test("S1: what was read before the re-read range does not hold the position", () => {
  const old = { start: TODAY - 9 * DAY, end: TODAY - 8 * DAY, availableThrough: TODAY - 8.5 * DAY };
  const now = { start: TODAY - 2 * DAY, end: TODAY, availableThrough: TODAY + HOUR };
  const state = stateOf({ position: TODAY - DAY, pass: passOf([old, now]) });
  expect(advance(state, TODAY - 2 * DAY, DAY).position).toBe(TODAY);
});

test("reads joined say no more than apart, and no less", () => {
  fc.assert(
    fc.property(reads, hour, hour, (found, rereadFrom, frontier) => {
      const plain = found.map((read) =>
        read.endsAtWindow === true
          ? { ...read, availableThrough: Math.max(read.availableThrough, frontier) }
          : read,
      );
      const joined = joinReads(passOf(found, frontier));
      const cover = (list: readonly FinishedRange[]): Range[] =>
        union(list.map((read) => coverageOf(read, HOUR)));
      expect(cover(joined)).toEqual(cover(plain));
      expect(union(joined)).toEqual(union(found));
      const positionOf = (list: readonly FinishedRange[]): number =>
        advance(stateOf({ pass: passOf(list) }), rereadFrom, HOUR).position;
      const apart = plain.map(({ start, end, availableThrough }) => ({
        start,
        end,
        availableThrough,
      }));
      expect(positionOf(joined)).toBeLessThanOrEqual(positionOf(apart));
      expect(cover(joinReads(passOf(joined)))).toEqual(cover(joined)); // the order of equal starts may differ
    }),
  );
});

test("of an older pass nothing is kept that is read again anyway, nor what may have changed since", () => {
  fc.assert(
    fc.property(reads, reads, fc.integer({ min: 0, max: 5 }), (found, stale, days) => {
      const lookback = days * DAY;
      const open = found.map((read, index) => ({ ...begun(read, `r${index}`), resumed: true }));
      const kept = withoutStale({ ...passOf(found), open }, stale, lookback);
      const before = found.map(({ start, end, availableThrough }) => ({
        start,
        end,
        availableThrough,
      }));
      for (const read of kept.reads) {
        expect(stale.some((range) => overlaps(range, read))).toBe(false);
        expect(read.end).toBeLessThanOrEqual(read.availableThrough - lookback);
        expect(before.some(({ start, end }) => start <= read.start && end >= read.end)).toBe(true);
      }
      expect(kept.open.some((reading) => stale.some((range) => overlaps(range, reading)))).toBe(
        false,
      );
    }),
  );
});

test("a reading keeps the least that its pages had available, its first and last as_of, and whether it moved", () => {
  const [first, second] = ["2026-05-20T00:00:00Z", "2026-05-20T00:00:01Z"];
  let reading = begun({ start: TODAY - DAY, end: TODAY });
  reading = readPage(reading, page({ nextCursor: "b", asOf: first }), TODAY + DAY);
  expect(reading).toMatchObject({ cursor: "b", availableThrough: TODAY, moved: false, records: 1 });
  reading = readPage(reading, page({ asOf: second, availableThrough: TODAY - HOUR }), TODAY + DAY);
  expect(reading).toMatchObject({ cursor: null, availableThrough: TODAY - HOUR, firstAsOf: first });
  expect(reading).toMatchObject({ lastAsOf: second, moved: true, records: 2 });
  reading = readPage(reading, page({ asOf: first, availableThrough: TODAY }), TODAY - 2 * HOUR);
  expect(reading).toMatchObject({ availableThrough: TODAY - 2 * HOUR, moved: true });
});

test("an open reading is kept once, under its id, until it is finished or has to begin again", () => {
  const [one, two] = [
    begun({ start: TODAY - DAY, end: TODAY }, "one"),
    begun({ start: TODAY - 2 * DAY, end: TODAY - DAY }, "two"),
  ];
  let state = keepOpen(keepOpen(stateOf(), one, TODAY), two, TODAY);
  state = keepOpen(state, readPage(one, page({ nextCursor: "c" }), TODAY), TODAY);
  expect(state.pass?.open.map(({ id, cursor }) => [id, cursor])).toEqual([
    ["two", null],
    ["one", "c"],
  ]);
  expect(dropOpen(state, one).pass?.open.map(({ id }) => id)).toEqual(["two"]);
  expect(dropOpen(stateOf(), one)).toEqual(stateOf());
  const read = readPage(two, page({ availableThrough: TODAY - 2 * DAY }), TODAY);
  state = finished(state, read, TODAY);
  expect(state.pass?.open.map(({ id }) => id)).toEqual(["one"]);
  expect(state.pass?.reads).toEqual([
    { start: two.start, end: two.end, availableThrough: TODAY - 2 * DAY },
  ]);
});

test("R8: a reading that is given up leaves the numbers of records of unknown days", () => {
  const day = TODAY - 2 * DAY;
  const digestOn = (at: number, records: number) => ({ day: at, records, digest: "1".repeat(24) });
  const known = learn(NOTHING_KNOWN, digestOn(day, 30), { readingId: "r", confirmed: true });
  const digests = [digestOn(day, 5), digestOn(day + DAY, 20)];
  const reading = { ...begun({ start: day, end: TODAY }, "one"), digests };
  const dropped = dropOpen({ ...stateOf(), known }, reading);
  expect(dropped.known.days.get(day)?.records).toBe(30);
  expect([...dropped.known.inPart]).toEqual([[day + DAY, 20]]);
});

test("a complete reading replaces the provisional costs of its own days, exactly", () => {
  const cost = (n: number, amount: string, records = 1) => ({
    day: TODAY - n * DAY,
    records,
    billed: { USD: amount },
  });
  const known = [cost(5, "5"), cost(3, "3"), cost(2, "2"), cost(1, "1")];
  const window = { start: TODAY - 3 * DAY, end: TODAY - DAY };
  let reading = readPage(
    begun(window),
    page({ nextCursor: "b", provisional: [cost(2, "0.1")] }),
    TODAY,
  );
  reading = readPage(reading, page({ provisional: [cost(2, "0.2")] }), TODAY);
  const state = finished(stateOf({ provisional: known }), reading, TODAY);
  expect(state.provisional).toEqual([cost(5, "5"), cost(2, "0.3", 2), cost(1, "1")]);
});

test("R2 R10: the days that a second reading has still to write stay due, and their provisional costs stay followed", () => {
  const [first, second] = [TODAY - 3 * DAY, TODAY - 2 * DAY];
  const provisional = [first, second].map((day) => ({ day, records: 1, billed: { USD: "1" } }));
  const window = { start: first, end: TODAY - DAY };
  const due = [window];
  const reading = readPage(begun(window), page({}), TODAY);
  const settled = { known: NOTHING_KNOWN, shrunk: [], doubtful: [] };
  const rewrites = [{ day: second, records: 1, digest: "0" }];
  const state = stateOf({ provisional, due });
  const between = settleReading(state, reading, { ...settled, rewrites }, TODAY);
  expect(between.provisional).toEqual(provisional.slice(1));
  expect(between.due).toEqual([{ start: second, end: window.end }]);
  const again = { ...begun(window, "b"), rewrites };
  const after = settleReading(between, again, { ...settled, rewrites: [] }, TODAY);
  expect([after.provisional, after.due]).toEqual([[], []]);
});

/** A row of the model. It may change until `settles` after its day, and the provider declares no day available before its rows are. */
interface Row {
  readonly day: number;
  readonly changes: readonly number[];
}

const LAG = 26 * HOUR;

const rows: fc.Arbitrary<Row[]> = fc.array(
  fc
    .tuple(
      fc.integer({ min: 0, max: 17 }),
      fc.array(fc.integer({ min: 1, max: 24 + 26 }), { minLength: 1, maxLength: 3 }),
    )
    .map(([n, changes]) => {
      const day = TODAY - 14 * DAY + n * DAY;
      return { day, changes: changes.map((hours) => day + hours * HOUR).toSorted((a, b) => a - b) };
    }),
  { minLength: 1, maxLength: 12 },
);

const script = fc.array(
  fc.record({
    hours: fc.integer({ min: 1, max: 50 }),
    lanes: fc.integer({ min: 1, max: 4 }),
    picks: fc.array(fc.nat(99), { maxLength: 60 }),
  }),
  { minLength: 1, maxLength: 8 },
);

/** The content of the warehouse: the newest change of each row that was read. */
class Model {
  readonly seen = new Map<number, number>();
  readonly #rows: readonly Row[];

  constructor(all: readonly Row[]) {
    this.#rows = all;
  }

  /** One page of a window at an instant: every `pages`-th row of it. */
  read({ start, end }: Range, pageNumber: number, pages: number, now: number): void {
    for (const [index, row] of this.#rows.entries()) {
      if (row.day < start || row.day >= end || index % pages !== pageNumber) continue;
      const change = row.changes.findLast((at) => at <= now);
      if (change !== undefined) this.seen.set(index, Math.max(this.seen.get(index) ?? 0, change));
    }
  }
}

function circumstancesAt(now: number, lanes: number): PlanInput {
  return {
    now,
    passBeganAt: now,
    earlierEnded: true,
    bucket: HOUR,
    scrubDays: 0,
    pageSize: 1000,
    byMonth: false,
    reports: true,
    newChain: "abcde",
    newestId: null,
    retentionDays: 60,
    maximumWindowDays: 3,
    startDate: TODAY - 14 * DAY,
    endDate: null,
    lookback: 2 * DAY,
    reconcileFrom: null,
    lanes,
  };
}

interface Sync {
  readonly now: number;
  readonly lanes: number;
  readonly pages: number;
  /** The numbers of the windows under way whose next page is read, in this order; after the last one the process dies. */
  readonly picks: readonly number[] | null;
}

/** A sync over the pure core alone: pages of several windows in any order, the state kept as the JSON keeps it. */
function run(
  stored: IncrementalState | null,
  model: Model,
  { now, lanes, pages, picks }: Sync,
): IncrementalState {
  const at = circumstancesAt(now, lanes);
  const plan: Plan<IncrementalState> = planIncremental(stored, at);
  let state = plan.state;
  const waiting: Reading[] = [
    ...plan.resumed,
    ...plan.windows.map((window, index) => begun(window, `${now}-${index}`)),
  ];
  for (let turn = 0; waiting.length > 0 && turn < (picks?.length ?? Infinity); turn++) {
    const index = (picks?.[turn] ?? 0) % Math.min(lanes, waiting.length);
    const [reading] = waiting.splice(index, 1);
    if (reading === undefined) break;
    const number = Number(reading.cursor ?? "0");
    model.read(reading, number, pages, now);
    const nextCursor = number + 1 < pages ? String(number + 1) : null;
    const after = readPage(reading, page({ nextCursor, availableThrough: now - LAG }), now);
    if (nextCursor === null)
      state = advance(finished(state, after, now), plan.rereadFrom, at.bucket);
    else {
      state = keepOpen(state, after, now);
      waiting.splice(index, 0, after);
    }
    expect(state.position).toBeGreaterThanOrEqual(plan.state.position);
    expect(state.position).toBeLessThanOrEqual(Math.max(now - LAG, plan.state.position));
  }
  if (waiting.length === 0) return completePass(state, plan.start, plan);
  const pass = state.pass ?? emptyPass(now);
  return { ...state, pass: { ...pass, reads: joinReads(pass), frontier: -Infinity } };
}

test("any order of pages, any kill, any resume: every change within the lag has been read in the end", () => {
  fc.assert(
    fc.property(rows, script, fc.integer({ min: 1, max: 3 }), (all, syncs, pages) => {
      const model = new Model(all);
      let stored: IncrementalState | null = null;
      let now = TODAY;
      for (const { hours, lanes, picks } of syncs) {
        now += hours * HOUR;
        stored = run(stored, model, { now, lanes, pages, picks });
      }
      const last = { lanes: 2, pages, picks: null };
      const end = Math.max(now, TODAY + 6 * DAY);
      stored = run(stored, model, { ...last, now: end });
      stored = run(stored, model, { ...last, now: end + HOUR });
      for (const [index, row] of all.entries()) {
        expect(model.seen.get(index), `row ${index}`).toBe(row.changes.at(-1));
      }
      const idle = run(stored, model, { ...last, now: end + HOUR });
      expect(idle).toEqual(stored);
      expect(JSON.stringify(idle)).toBe(JSON.stringify(stored));
    }),
    { numRuns: 500 },
  );
});
