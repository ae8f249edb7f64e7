/**
 * The state that a stream keeps from one sync to the next, and its transitions while windows are read (S1 to S7, R2, R4). Pure:
 * each transition takes a state and returns a new one. Instants are milliseconds since 1970.
 *
 *     start ──────────── read without a gap ───────────► position      finished reads beyond it       now
 *       [─────────────────────────────────────────────────)   [────)     [──────────)   [╌╌ open ╌╌)
 *                                        ▲ position − lookback: where the next sync begins to re-read
 */
import { addAmounts } from "./decimal.ts";
import { type Bucket, DAY, floorTo, formatDay } from "./time.ts";
import { addTotals, type DayTotal } from "./totals.ts";
import { overlaps, type Range, subtract } from "./window.ts";

/** The owner of a state (S5). If one of these members differs, the same usage would be counted twice in one table. */
export interface StateOwner {
  readonly base_url: string;
  readonly dataset: string;
  readonly granularity: string;
  readonly account: string | null;
}

/** The range of a finished reading, and the instant up to which the provider had its data at that time. */
export interface FinishedRange extends Range {
  readonly availableThrough: number;
  /**
   * `available_through` equals the window's end. The provider may have clipped it to the window, so {@link advance} uses the
   * furthest `available_through` of the run instead.
   */
  readonly endsAtWindow?: boolean;
}

/** The provisional costs of one UTC day of charge period (R2). `billed`: exact sums of BilledCost by currency. */
export interface ProvisionalDay {
  readonly day: number;
  readonly records: number;
  readonly billed: Readonly<Record<string, string>>;
}

/** A reading between its first and its last page (S3): everything that is needed to resume at `cursor`. */
export interface Reading extends Range {
  /** Orders readings by when they began on the provider's clock (R4). */
  readonly id: string;
  /** Page size of the frozen query. */
  readonly limit: number;
  /** `next_cursor` of the last page that was emitted; null before the first page. */
  readonly cursor: string | null;
  /** The smallest `available_through` of its pages, no later than the sync's own now. */
  readonly availableThrough: number;
  readonly beganAt: number;
  /** `as_of` of the first and of the last page, as the provider wrote it, and whether any two pages differed (P6). */
  readonly firstAsOf: string | null;
  readonly lastAsOf: string | null;
  readonly moved: boolean;
  /** Whether it was begun by an earlier process. */
  readonly resumed: boolean;
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  /** Control totals (R5); null where nobody asked for them when it began. */
  readonly totals: readonly DayTotal[] | null;
}

/** The progress through one plan. The state loses it when every window of the plan has been read. */
export interface SyncPass {
  /** The UTC day of the provider's clock on which it was planned, `2026-01-31`. */
  readonly day: string;
  readonly reads: readonly FinishedRange[];
  readonly open: readonly Reading[];
  /** The furthest instant that a page of this run declared available, no later than now; not stored. */
  readonly frontier: number;
}

export interface IncrementalState {
  readonly mode: "incremental";
  /** All of [start, position) has been read at least once. */
  readonly start: number;
  readonly position: number;
  /** The UTC day of the last deep re-read (R2). */
  readonly reconciledOn: string | null;
  /** Sorted by day. */
  readonly provisional: readonly ProvisionalDay[];
  readonly pass: SyncPass | null;
}

/** A resume token between the attempts of one full refresh (S7). */
export interface FullRefreshState {
  readonly mode: "full_refresh";
  readonly start: number;
  readonly end: number;
  readonly done: boolean;
  readonly pass: SyncPass | null;
}

export type StreamState = IncrementalState | FullRefreshState;

export function emptyPass(now: number): SyncPass {
  return { day: formatDay(now), reads: [], open: [], frontier: -Infinity };
}

export function beginReading(
  window: Range,
  { id, limit, beganAt }: Pick<Reading, "id" | "limit" | "beganAt">,
  totals: Reading["totals"],
): Reading {
  return {
    start: window.start,
    end: window.end,
    id,
    limit,
    cursor: null,
    availableThrough: Infinity,
    beganAt,
    firstAsOf: null,
    lastAsOf: null,
    moved: false,
    resumed: false,
    records: 0,
    provisional: [],
    totals,
  };
}

/** The facts that one page adds to its reading. */
export interface PageFacts {
  readonly nextCursor: string | null;
  readonly asOf: string;
  readonly availableThrough: number;
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  readonly totals: readonly DayTotal[];
}

/** The reading after one more page. `now` is the provider's clock at the start of the sync. */
export function readPage(reading: Reading, page: PageFacts, now: number): Reading {
  return {
    ...reading,
    cursor: page.nextCursor,
    availableThrough: Math.min(reading.availableThrough, page.availableThrough, now),
    firstAsOf: reading.firstAsOf ?? page.asOf,
    lastAsOf: page.asOf,
    moved: reading.moved || (reading.lastAsOf !== null && reading.lastAsOf !== page.asOf),
    records: reading.records + page.records,
    provisional: addProvisional(reading.provisional, page.provisional),
    totals: reading.totals === null ? null : addTotals(reading.totals, page.totals),
  };
}

/** The state with the progress of a reading that goes on, under the reading's id. */
export function keepOpen<State extends StreamState>(
  state: State,
  reading: Reading,
  now: number,
): State {
  const pass = state.pass ?? emptyPass(now);
  const others = pass.open.filter((open) => open.id !== reading.id);
  const open = [...others, reading].toSorted((a, b) => a.start - b.start);
  const frontier = Math.max(pass.frontier, reading.availableThrough);
  return { ...state, pass: { ...pass, open, frontier } };
}

/** The state without an open reading, which begins again (S4). */
export function dropOpen<State extends StreamState>(state: State, id: string): State {
  if (state.pass === null) return state;
  const open = state.pass.open.filter((reading) => reading.id !== id);
  return { ...state, pass: { ...state.pass, open } };
}

/** The state after a reading's last page: its range counts as read, its provisional costs replace what was known. */
export function finishReading<State extends StreamState>(
  state: State,
  reading: Reading,
  now: number,
): State {
  const kept = keepOpen(dropOpen(state, reading.id), reading, now);
  const pass = kept.pass ?? emptyPass(now);
  const { start, end, availableThrough } = reading;
  const read: FinishedRange = {
    start,
    end,
    availableThrough,
    ...(availableThrough === end ? { endsAtWindow: true } : {}),
  };
  const finished = {
    ...kept,
    pass: {
      ...pass,
      reads: [...pass.reads, read],
      open: pass.open.filter((open) => open.id !== reading.id),
    },
  };
  return finished.mode === "incremental"
    ? { ...finished, provisional: replaceProvisional(finished.provisional, reading) }
    : finished;
}

/** The instant that a finished range had its data through; see {@link FinishedRange.endsAtWindow}. */
const availableThroughOf = (read: FinishedRange, frontier: number): number =>
  read.endsAtWindow === true ? Math.max(read.availableThrough, frontier) : read.availableThrough;

/** The part of a range that counts as finished: whole buckets, up to where the data was available (S1). */
export function coverageOf(read: FinishedRange, bucket: Bucket): Range {
  return { start: read.start, end: floorTo(bucket, Math.min(read.end, read.availableThrough)) };
}

/**
 * Moves the position (S1) forward, never back. The new position is the end of the ranges that follow each other without a gap
 * from `rereadFrom` on. It is no later than the smallest `availableThrough` of these ranges: an earlier attempt may have read one
 * of them long ago, that range may have changed since, and the next sync re-reads only from position − lookback.
 *
 * @param rereadFrom position − lookback at the start of this run. The position must not move before all of that is read again:
 *   else the part that is not yet re-read would lie before the next sync's lookback.
 */
export function advance(
  state: IncrementalState,
  rereadFrom: number,
  bucket: Bucket,
): IncrementalState {
  if (state.pass === null) return state;
  const { reads, frontier } = state.pass;
  let reached = rereadFrom;
  let earliest = Infinity;
  for (const read of reads.toSorted((a, b) => a.start - b.start)) {
    if (read.end <= rereadFrom) continue;
    earliest = Math.min(earliest, availableThroughOf(read, frontier));
    if (read.start <= reached) reached = Math.max(reached, coverageOf(read, bucket).end);
  }
  const position = floorTo(bucket, Math.min(reached, earliest));
  return position > state.position ? { ...state, position } : state;
}

/** The state after every window of the plan was read. `start`: no record between it and the position is missing. */
export function completePass(
  state: IncrementalState,
  start: number,
  reconciledOn: string | null,
): IncrementalState {
  return {
    ...state,
    start,
    reconciledOn: reconciledOn ?? state.reconciledOn,
    pass: null,
  };
}

/** Joins ranges that touch, where the joined range claims no more than its parts: this keeps the state small. */
export function joinReads(pass: SyncPass): FinishedRange[] {
  const joined: FinishedRange[] = [];
  const plain = pass.reads.map((read) => ({
    start: read.start,
    end: read.end,
    availableThrough: availableThroughOf(read, pass.frontier),
  }));
  for (const read of plain.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    const availableThrough = Math.min(last?.availableThrough ?? 0, read.availableThrough);
    const end = Math.max(last?.end ?? 0, read.end);
    const exact =
      last !== undefined &&
      (availableThrough >= end || last.availableThrough === read.availableThrough);
    if (last !== undefined && exact && read.start <= last.end) {
      joined[joined.length - 1] = { start: last.start, end, availableThrough };
    } else {
      joined.push(read);
    }
  }
  return joined;
}

function addProvisional(
  known: readonly ProvisionalDay[],
  more: readonly ProvisionalDay[],
): readonly ProvisionalDay[] {
  if (more.length === 0) return known;
  const days = new Map(known.map((entry) => [entry.day, entry]));
  for (const entry of more) {
    const before = days.get(entry.day);
    days.set(entry.day, before === undefined ? entry : sumOf(before, entry));
  }
  return [...days.values()].toSorted((a, b) => a.day - b.day);
}

function sumOf(a: ProvisionalDay, b: ProvisionalDay): ProvisionalDay {
  const billed = addAmounts(a.billed, b.billed);
  return { day: a.day, records: a.records + b.records, billed };
}

/** Replaces the provisional costs of a complete reading's days: the reading knows all of them (R2). */
function replaceProvisional(
  known: readonly ProvisionalDay[],
  reading: Reading,
): readonly ProvisionalDay[] {
  const elsewhere = known.filter(
    ({ day }) => day < floorTo(DAY, reading.start) || day >= reading.end,
  );
  return [...elsewhere, ...reading.provisional].toSorted((a, b) => a.day - b.day);
}

/**
 * The part of an interrupted pass that still holds on a later day. Drops the `stale` ranges, which are re-read today, and days
 * within `lookback` of their `availableThrough`, which may have changed since. Drops open readings that touch either.
 */
export function withoutStale(pass: SyncPass, stale: readonly Range[], lookback: number): SyncPass {
  const isSettled = ({ end, availableThrough }: Reading): boolean =>
    end <= availableThrough - lookback;
  return {
    ...pass,
    reads: pass.reads.flatMap((read) => {
      const settled = {
        start: read.start,
        end: Math.min(read.end, read.availableThrough - lookback),
      };
      return subtract([settled], stale).map((part) => ({
        ...part,
        availableThrough: read.availableThrough,
      }));
    }),
    open: pass.open.filter(
      (reading) => isSettled(reading) && !stale.some((range) => overlaps(range, reading)),
    ),
  };
}
