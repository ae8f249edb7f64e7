/** The state of a stream as JSON, bounded (S8). */
import { boundedAwaited } from "../core/awaited.ts";
import { dueDays } from "../core/due.ts";
import { forget, type KnownDays, NOTHING_KNOWN } from "../core/known_days.ts";
import type { Limits } from "../core/limits.ts";
import { clip, dayRange, union, wholeDays } from "../core/window.ts";
import { dropOpen, type StateOwner, type StreamState } from "../core/state.ts";
import { toldStrays } from "../core/unreported.ts";
import type { JsonObject } from "../protocol.ts";
import { encodeState } from "./state_codec.ts";

interface BoundedOptions {
  readonly limits: Limits;
  /** Gets a warning for each step. */
  readonly warn: (message: string) => void;
  /** See `SourceNotes` in stream.ts. */
  readonly note?: () => string | null;
  /** R10: see `reportedBy` in reported.ts. */
  readonly reported?: (next: JsonObject) => unknown;
}

/**
 * Each step drops what a later sync can do without: it has fewer proofs, reads a range again, or names no sum. The cursors and the
 * position always stay.
 */
export function boundedState(
  state: StreamState,
  owner: StateOwner,
  options: BoundedOptions,
): { readonly encoded: JsonObject; readonly text: string } {
  const { limits, warn } = options;
  let bounded = state;
  for (const [step, dropped] of STEPS) {
    if (groupsOf(bounded) <= limits.stateGroups) {
      const encoded = withNotes(encodeState(bounded, owner), options);
      const text = JSON.stringify(encoded);
      if (Buffer.byteLength(text) <= limits.stateBytes) return { encoded, text };
    }
    warn(`the state would grow too large: it leaves out ${dropped}.`);
    bounded = step(bounded);
  }
  const encoded = withNotes(encodeState(bounded, owner), options);
  return { encoded, text: JSON.stringify(encoded) };
}

/** With the note of the source (R11): a source that has a note once always has one, so that none is left out later. */
function withNotes(state: JsonObject, { note, reported }: BoundedOptions): JsonObject {
  const encoded = reported === undefined ? state : { ...state, reported: reported(state) };
  const said = note?.() ?? null;
  return said === null ? encoded : { ...encoded, source_note: said };
}

const STEPS: readonly (readonly [step: (state: StreamState) => StreamState, dropped: string])[] = [
  [
    withoutTotals,
    "the control totals of windows that are half read; a sync that resumes them proves nothing about their days",
  ],
  [withoutSums, "the sums of provisional costs; their days stay known"],
  [
    withoutLeft,
    "provisional costs that have left retention, and which records from outside their windows were replaced; the costs are not followed if " +
      "they are shown again, and the days of the records may stay unproven",
  ],
  [withoutReads, "windows that are finished; a sync that resumes reads them again"],
  [
    withoutSuspicions,
    "since when days show less than half of their records; the wait for a second such reading begins again",
  ],
  [withoutOpen, "windows that are half read; a sync that resumes reads them from their first page"],
  // Only after the open windows: a window that goes on must know which days it compares (R6).
  [withoutDays, "the content of days; later syncs write them again"],
  [
    withoutNumbers,
    "the numbers of records of days, and which days are due; a sudden loss is believed at once, and later syncs read more days again",
  ],
];

function groupsOf({ pass }: StreamState): number {
  const totals = (pass?.open ?? []).flatMap((reading) => reading.totals ?? []);
  return totals.reduce((sum, { groups }) => sum + (groups?.length ?? 0), 0);
}

function withoutTotals<State extends StreamState>(state: State): State {
  if (state.pass === null) return state;
  const open = state.pass.open.map((reading) => ({ ...reading, totals: null }));
  return { ...state, pass: { ...state.pass, open } };
}

function withoutSums<State extends StreamState>(state: State): State {
  const open = state.pass?.open.map((reading) => ({
    ...reading,
    provisional: reading.provisional.map((day) => ({ ...day, billed: {} })),
  }));
  const pass = state.pass === null ? null : { ...state.pass, open: open ?? [] };
  return state.mode === "incremental"
    ? { ...state, pass, provisional: state.provisional.map((day) => ({ ...day, billed: {} })) }
    : { ...state, pass };
}

function withoutLeft<State extends StreamState>(state: State): State {
  if (state.mode !== "incremental") return state;
  return { ...state, left: [], fewer: [], awaited: boundedAwaited(state.awaited, 1) };
}

/** R10: a sync that resumes does not plan days before the position again, unless they are due. */
function withoutReads<State extends StreamState>(state: State): State {
  if (state.pass === null) return state;
  const { reads } = state.pass;
  const without = { ...state, pass: { ...state.pass, reads: [] } };
  if (without.mode !== "incremental" || state.mode !== "incremental") return without;
  const before = clip(reads.map(wholeDays), { start: -Infinity, end: state.position });
  return { ...without, due: union([...without.due, ...before]) };
}

function withoutSuspicions<State extends StreamState>(state: State): State {
  if (state.mode !== "incremental") return state;
  const without = <Entry>(entries: ReadonlyMap<number, Entry>): Map<number, Entry> =>
    new Map([...entries].map(([day, entry]) => [day, { ...entry, shrinkage: null }]));
  const { days, forgotten } = state.known;
  const known: KnownDays = { ...state.known, days: without(days), forgotten: without(forgotten) };
  // R10: such a day is not proven, so the next sync reads it.
  const suspected = [...days.values()].filter(({ shrinkage }) => shrinkage !== null);
  const due = union([...state.due, ...suspected.map(({ day }) => dayRange(day))]);
  return { ...state, known, due };
}

function withoutOpen<State extends StreamState>(state: State): State {
  return (state.pass?.open ?? []).reduce(dropOpen, state);
}

function withoutDays<State extends StreamState>(state: State): State {
  if (state.mode !== "incremental") return state;
  const gone = [...state.known.days.keys()].map((day) => ({ day, records: 0, writtenBy: null }));
  return { ...state, known: { ...forget(state.known, gone), ranges: [] } };
}

/**
 * R10: the days that are due become one range, because no later sync would find the other days that are not proven. Strays that no report
 * tells of are written again, as by a sync that knows of which days no report tells.
 */
function withoutNumbers<State extends StreamState>(state: State): State {
  if (state.mode !== "incremental") return state;
  const days = dueDays(state, true);
  const [first, last] = [days[0], days.at(-1)];
  const due = first === undefined || last === undefined ? [] : [{ ...last, start: first.start }];
  return { ...state, known: NOTHING_KNOWN, due, unreported: [], strays: toldStrays(state, true) };
}
