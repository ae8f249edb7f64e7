/**
 * The state that a stream keeps from one sync to the next, and its transitions while windows are read (S1 to S7, R2, R4). Pure:
 * each transition takes a state and returns a new one. Instants are milliseconds since 1970.
 *
 *     start ──────────── read without a gap ───────────► position      finished reads beyond it       now
 *       [─────────────────────────────────────────────────)   [────)     [──────────)   [╌╌ open ╌╌)
 *                                        ▲ position − lookback: where the next sync begins to re-read
 */
import { afterReading, withDue } from "./due.ts";
import { type KnownDays, NOTHING_KNOWN, withParts } from "./known_days.ts";
import { type ProvisionalDay, replaceProvisional } from "./provisional.ts";
import { daysAbout, type Reading } from "./reading.ts";
import type { Scrub } from "./scrub.ts";
import type { Settlement } from "./settle.ts";
import { type Bucket, ceilTo, DAY, floorTo, formatDay } from "./time.ts";
import { clip, overlaps, type Range, subtract, union } from "./window.ts";

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

/** The passage through a plan. When every window of the plan has been read, the pass is removed from the state. */
export interface SyncPass {
  /** The UTC day on which the pass was planned, on the provider's clock: `2026-01-31`. */
  readonly day: string;
  /**
   * The instant when the pass was first planned, on the provider's clock, made like those of reading ids: no two passes have the same one
   * (R5). A sync that resumes the pass keeps this value.
   */
  readonly beganAt: number;
  /** Whether the connector knows that the pass before this one has ended: that pass has written all strays that it has shown (P5). */
  readonly earlierEnded: boolean;
  /**
   * The last end of a reading that has found rows missing, on the provider's clock; null if none has (R10). The clock may be put back, so
   * that a later process may begin a reading before this instant.
   */
  readonly lostUntil: number | null;
  readonly reads: readonly FinishedRange[];
  readonly open: readonly Reading[];
  /** The furthest instant that a page of this run declared available, no later than now; not stored. */
  readonly frontier: number;
}

/** A stray whose row stands (P5): it was written because no window returned it as its own, or the day of its start owns it. */
export interface KnownStray {
  /** The hash of the stray's content, as 24 hexadecimal digits. */
  readonly hash: string;
  /** The hash is of the form of 0.2.0; left out otherwise (`former.ts`). */
  readonly isFormer?: true;
  /** The hash of its id, as 24 hexadecimal digits; left out if the state of an earlier version had none. */
  readonly id?: string;
  /** The UTC day of the stray's start. */
  readonly day: number;
  /** The reading that wrote it; null if its day owns it. */
  readonly readingId: string | null;
  /** The window that returned the stray. */
  readonly window: Range;
  /** The end of the first reading that lacked the stray and was not believed (R8), on the provider's clock; left out if there is none. */
  readonly missedAt?: number;
}

/** The strays that one reading wrote on one day. */
export interface StrayGroup {
  readonly day: number;
  readonly readingId: string;
}

/** P5: strays on some days, which a window has shown, wait to be written. Until then no day of them is proven. */
export interface AwaitedStrays {
  /** Whole days. */
  readonly days: Range;
  readonly window: Range;
}

/**
 * The newest reading id that rows may have. The STATE that names this id goes out before the first row with an id up to it (R4).
 * Null before the first row, and in a state of an earlier version.
 */
type NewestId = string | null;

export interface IncrementalState {
  readonly mode: "incremental";
  /** The tail of this state's reading ids (R4): five digits that its first sync drew; empty in a state of version 1. */
  readonly chain: string;
  readonly newestId: NewestId;
  /** All of [start, position) has been read at least once. */
  readonly start: number;
  readonly position: number;
  /** The UTC day of the last deep re-read (R2). */
  readonly reconciledOn: string | null;
  /** Sorted by day. */
  readonly provisional: readonly ProvisionalDay[];
  readonly known: KnownDays;
  /** Days that the next pass reads again, because they are not proven (R10): see {@link dueDays}. */
  readonly due: readonly Range[];
  /** Days that no report tells of, because a sync without `export_windows` has learned them. A sync that reports reads them again (R10). */
  readonly unreported: readonly Range[];
  /** The longest retention that a sync has seen, in days: what lies within it may be shown again (W3). */
  readonly longestRetention: number;
  /** Provisional costs of days that have left a shorter retention, for the case that they are shown again. Sorted by day. */
  readonly left: readonly ProvisionalDay[];
  readonly strays: readonly KnownStray[];
  /** Groups of strays that have lost rows, if no report says so yet, or their other strays are still to be written again (P5). */
  readonly fewer: readonly StrayGroup[];
  readonly awaited: readonly AwaitedStrays[];
  readonly scrub: Scrub | null;
  readonly pass: SyncPass | null;
}

/** A resume token between the attempts of one full refresh (S7). */
export interface FullRefreshState {
  readonly mode: "full_refresh";
  readonly chain: string;
  readonly newestId: NewestId;
  readonly start: number;
  readonly end: number;
  readonly done: boolean;
  readonly pass: SyncPass | null;
}

export type StreamState = IncrementalState | FullRefreshState;

export function emptyPass(now: number, beganAt = now, earlierEnded = false): SyncPass {
  return {
    day: formatDay(now),
    beganAt,
    earlierEnded,
    lostUntil: null,
    reads: [],
    open: [],
    frontier: -Infinity,
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

/**
 * The state without a reading that will not be finished, such as one whose window begins again (S4). The numbers of records that it
 * has shown stay (R8).
 */
export function dropOpen<State extends StreamState>(state: State, reading: Reading): State {
  const dropped = withoutOpen(state, reading);
  if (dropped.mode !== "incremental") return dropped;
  return { ...dropped, known: withShown(dropped.known, [reading]) };
}

/** The known days of a state of whose open readings only some go on. The numbers of records that the others have shown stay (R8). */
export function knownWithout(
  { known, pass }: IncrementalState,
  resumed: readonly Reading[],
): KnownDays {
  const goesOn = new Set(resumed.map(({ id }) => id));
  return withShown(
    known,
    (pass?.open ?? []).filter(({ id }) => !goesOn.has(id)),
  );
}

function withShown(known: KnownDays, readings: readonly Reading[]): KnownDays {
  return withParts(
    known,
    readings.flatMap(({ digests }) => digests),
  );
}

function withoutOpen<State extends StreamState>(state: State, { id }: Pick<Reading, "id">): State {
  if (state.pass === null) return state;
  const open = state.pass.open.filter((reading) => reading.id !== id);
  return { ...state, pass: { ...state.pass, open } };
}

/** `shrunk`: the days that keep their provisional sums. */
type Unsettled = Pick<Settlement, "known" | "doubtful" | "rewrites"> & {
  readonly shrunk: readonly { readonly day: number }[];
};

/**
 * The state after a reading's last page, before its window counts as finished. The provisional costs that the reading returned
 * replace the earlier ones of its days. Days that show less than half keep theirs: their earlier rows stand (R8), and if these are
 * provisional, they still have to be followed (R2). Days that a second reading has still to write stay as they are: if the
 * process dies before the second reading, the earlier rows stand.
 */
export function settleReading<State extends StreamState>(
  state: State,
  reading: Reading,
  { known, shrunk, doubtful, rewrites }: Unsettled,
  now: number,
): State {
  const kept = keepOpen(state, reading, now);
  const settled = withoutOpen(kept, reading);
  if (settled.mode !== "incremental") return settled;
  const days = daysAbout(reading).filter((day) => rewrites.every((later) => later.day !== day));
  const isAbout = (day: number): boolean =>
    days.includes(day) && shrunk.every((doubted) => doubted.day !== day);
  const provisional = replaceProvisional(settled.provisional, reading.provisional, isAbout);
  return { ...settled, known, provisional, due: afterReading(settled.due, days, doubtful) };
}

/** The state with more days that are due (R10). A full refresh has no next sync that could read them. */
export function asDue(state: StreamState, ranges: readonly Range[], now: number): StreamState {
  if (state.mode !== "incremental" || ranges.length === 0) return state;
  return { ...state, due: withDue(state.due, ranges, now) };
}

/** R10: the state once a reading that ended at an instant has found rows missing. */
export function withLoss(state: StreamState, endedAt: number): StreamState {
  if (state.mode !== "incremental" || state.pass === null) return state;
  const lostUntil = Math.max(state.pass.lostUntil ?? -Infinity, endedAt);
  return { ...state, pass: { ...state.pass, lostUntil } };
}

/** The known days of a state. A full refresh has none, so it compares nothing (R6). */
export const knownOf = (state: StreamState): KnownDays =>
  state.mode === "incremental" ? state.known : NOTHING_KNOWN;

/** The newest id that a state names, and those of all readings whose rows it knows: a state of 0.2.0 names no newest id (R4). */
export function knownIds(state: StreamState): string[] {
  const { days, forgotten } = knownOf(state);
  const strays = state.mode === "incremental" ? state.strays : [];
  const rows = [...days.values(), ...forgotten.values(), ...strays];
  const ids = [state.newestId, ...rows.map(({ readingId }) => readingId)];
  return ids.filter((id) => id !== null);
}

/** The state once all of a window is read and written: its range counts as finished. */
export function finishWindow<State extends StreamState>(
  state: State,
  { start, end, availableThrough }: Pick<Reading, "start" | "end" | "availableThrough">,
  now: number,
): State {
  const pass = state.pass ?? emptyPass(now);
  const read: FinishedRange = {
    start,
    end,
    availableThrough,
    ...(availableThrough === end ? { endsAtWindow: true } : {}),
  };
  return { ...state, pass: { ...pass, reads: [...pass.reads, read] } };
}

/** The instant up to which the provider had the data of a finished range; see {@link FinishedRange.endsAtWindow}. */
const availableThroughOf = (read: FinishedRange, frontier: number): number =>
  read.endsAtWindow === true ? Math.max(read.availableThrough, frontier) : read.availableThrough;

/** The part of a range that counts as finished: whole buckets, up to where the data was available (S1). */
export function coverageOf(
  read: Pick<FinishedRange, "start" | "end" | "availableThrough">,
  bucket: Bucket,
): Range {
  return { start: read.start, end: floorTo(bucket, Math.min(read.end, read.availableThrough)) };
}

/** The days of that part that are whole. */
export function coveredDays(read: FinishedRange, bucket: Bucket): Range[] {
  const { start, end } = coverageOf(read, bucket);
  return union([{ start: ceilTo(DAY, start), end: floorTo(DAY, end) }]);
}

/**
 * Moves the position (S1) forward, never back. The new position is the end of the ranges that follow each other without a gap
 * from `rereadFrom` on. It is no later than the smallest `availableThrough` of these ranges: an earlier attempt may have read one
 * of them long ago, that range may have changed since, and the next sync re-reads only from position − lookback.
 *
 * @param rereadFrom position − lookback at the start of this run. The position must not move before everything from here on is read
 *   again: else the part that is not yet re-read would lie before the next sync's lookback.
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

/** The state after all windows of the plan have been read. `start`: no record between this instant and the position is missing. */
export function completePass(
  state: IncrementalState,
  start: number,
  { reconciledOn, scrub }: Pick<IncrementalState, "reconciledOn" | "scrub">,
): IncrementalState {
  return {
    ...state,
    start,
    reconciledOn: reconciledOn ?? state.reconciledOn,
    scrub,
    pass: null,
  };
}

/** Joins ranges that touch, if the joined range claims no more than its parts. This keeps the state small. */
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

/**
 * The ranges that a pass has read from an instant on. The state forgets days that have left each retention (W3): if a longer one shows
 * them again, they are read again.
 */
export function readsFrom({ reads }: SyncPass, start: number): FinishedRange[] {
  return reads.flatMap((read) =>
    clip([read], { start, end: Infinity }).map((part) => ({ ...read, ...part })),
  );
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
