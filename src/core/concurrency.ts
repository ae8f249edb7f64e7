/**
 * The number of requests at once where the config names none (C1). Pure; durations and instants are milliseconds.
 *
 * It follows the congestion control of TCP, as Netflix's concurrency-limits and Envoy's adaptive concurrency apply it to requests:
 *
 * - **Start** (slow start, RFC 5681, section 3.1): from {@link FIRST_LANES} lanes, one lane more with each page, as long as pages
 *   come as fast as before. So the number doubles with each round trip.
 * - **Additive increase** (RFC 5681, section 3.1): after the start, one lane more after a round of pages, one page a lane.
 * - **Multiplicative decrease**: half the lanes at a 429. The rate of requests is remembered for the run (pace.ts).
 * - **Latency** (TCP Vegas; the gradient of concurrency-limits): where a round takes longer than before, half the lanes are tried. If
 *   the latency falls with the number of lanes, the provider works on the requests one after the other, and more lanes
 *   bring nothing: the half stays, down to one. If not, the latency has another cause, such as larger pages: the
 *   lanes come back. Vegas compares with the fastest round trip of all; a page of ten records would mislead it.
 * - **Validation** (RFC 7661): lanes that wait for the reader of stdout, for the pace or for this process prove nothing, and none is
 *   added for them.
 */
import { kept, type Pace, slower, spacing } from "./pace.ts";

/** The number of lanes at the beginning of a run, and the most. */
const FIRST_LANES = 4;
export const MAXIMUM_LANES = 16;

export interface Concurrency {
  /** Requests at once: a whole number from 1 to {@link MAXIMUM_LANES}. */
  readonly lanes: number;
  /** Null before the first 429 of the run. */
  readonly pace: Pace | null;
  /** Whether no 429, no fault and no growing latency has ended the start yet. */
  readonly isStarting: boolean;
  /** The shortest latency of a page; Infinity before the first. */
  readonly fastest: number;
  /** The latency of a round that later rounds are compared with; null before the first. */
  readonly usual: number | null;
  /** The round under way: its pages so far, and the latencies of those that a lane waited for. */
  readonly pages: number;
  readonly latencies: readonly number[];
  /** The pages of the round that came while their lane waited for the reader of stdout. */
  readonly early: number;
  /** The number of next pages that belong to no round: their requests left under another number of lanes. */
  readonly skipped: number;
  /** The lanes and the latency before half the lanes were tried; null if no trial is under way. */
  readonly trial: { readonly lanes: number; readonly latency: number } | null;
  /** The number of rounds before the next lane is added. */
  readonly rest: number;
  /** The number of rounds to rest after the next decrease because of latency. */
  readonly patience: number;
}

const NEW_ROUND = { pages: 0, latencies: [], early: 0 } as const;

/** The beginning of a run. */
export const FIRST_CONCURRENCY: Concurrency = {
  lanes: FIRST_LANES,
  pace: null,
  isStarting: true,
  fastest: Infinity,
  usual: null,
  ...NEW_ROUND,
  skipped: 0,
  trial: null,
  rest: 0,
  patience: 4,
};

/** A page that has arrived. */
export interface PageArrival {
  readonly at: number;
  /** From the moment when its request left until its last byte came, >= 0. */
  readonly latency: number;
  /** The thing that the lane waited for: this page, the pace before its request left, or the reader of stdout while the page came. */
  readonly waitedFor: "page" | "pace" | "output";
  /** Whether this process computed nearly all the time: it then causes the latency, and a further lane would only fill memory. */
  readonly isBusy?: boolean;
}

/** The latency that {@link afterLimit} assumes before the first page. A short one gives a fast pace, which later 429s slow. */
const UNKNOWN_MS = 100;

/** A latency has grown if it is longer than before by this factor. */
const GROWN = 1.5;

/** At the start a page may also take this much longer: new lanes open connections. */
const CONNECTING_MS = 300;

/** With half the lanes the latency falls to half if requests wait for each other, and stays if they do not. */
const FALLEN = 0.6;

/** The most rounds between two attempts to add a lane. */
const LONGEST_REST = 64;

/** The state after a page. */
export function afterPage(before: Concurrency, page: PageArrival): Concurrency {
  const state = { ...before, pace: before.pace === null ? null : kept(before.pace, page.at) };
  if (state.skipped > 0) return { ...state, skipped: state.skipped - 1 };
  const counted = { ...state, pages: state.pages + 1 };
  const { latency, waitedFor, isBusy = false } = page;
  const next =
    waitedFor === "page"
      ? started({ ...counted, latencies: [...state.latencies, latency] }, latency, isBusy)
      : { ...counted, early: state.early + (waitedFor === "output" ? 1 : 0) };
  return next.pages < state.lanes ? next : afterRound(next, isBusy);
}

/** At the start of a run each page adds one lane. A slow page ends the start. */
function started(state: Concurrency, latency: number, isBusy: boolean): Concurrency {
  const fastest = Math.min(state.fastest, latency);
  if (!state.isStarting || isBusy) return { ...state, fastest };
  const isSlower = latency > GROWN * fastest + CONNECTING_MS;
  const lanes = Math.min(MAXIMUM_LANES, state.lanes + 1);
  return isSlower ? { ...state, fastest, isStarting: false } : { ...state, fastest, lanes };
}

/** The lower quartile: the latency of pages whose connection was open already, even if half the lanes are new. */
function quartile(latencies: readonly number[]): number {
  return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length / 4)] ?? Infinity;
}

function afterRound(state: Concurrency, isBusy: boolean): Concurrency {
  const next = { ...state, ...NEW_ROUND };
  if (2 * state.early > state.pages) {
    return { ...next, lanes: Math.min(state.lanes, Math.max(FIRST_LANES, state.lanes - 1)) };
  }
  if (2 * state.latencies.length < state.pages) return next;
  const latency = quartile(state.latencies);
  const { usual, trial } = state;
  if (trial !== null) return judged(next, trial, latency);
  if (usual !== null && latency > GROWN * usual) {
    if (state.lanes === 1) return { ...next, usual: latency, isStarting: false };
    const patience = Math.min(LONGEST_REST, 2 * state.patience);
    return halvedToTry({ ...next, patience }, latency);
  }
  const rested = { ...next, usual: Math.min(usual ?? latency, latency) };
  if (state.rest > 0) return { ...rested, rest: state.rest - 1 };
  return state.isStarting || isBusy
    ? rested
    : { ...rested, lanes: Math.min(MAXIMUM_LANES, state.lanes + 1) };
}

/** Half the lanes, to see whether the latency falls with them. */
function halvedToTry(state: Concurrency, latency: number): Concurrency {
  const { lanes } = state;
  const trial = lanes === 1 ? null : { lanes, latency };
  const skipped = lanes;
  return { ...state, lanes: Math.max(1, Math.floor(lanes / 2)), isStarting: false, skipped, trial };
}

function judged(
  state: Concurrency,
  trial: { readonly lanes: number; readonly latency: number },
  latency: number,
): Concurrency {
  if (latency > FALLEN * trial.latency) {
    return { ...state, trial: null, lanes: trial.lanes, usual: trial.latency };
  }
  return { ...halvedToTry(state, latency), usual: latency, rest: state.patience };
}

/**
 * The state after a 429. All 429s of one pause count once.
 *
 * @param waitMs the time that the 429 asks to wait; above 0
 */
export function afterLimit(before: Concurrency, at: number, waitMs: number): Concurrency {
  const latency = before.usual ?? (before.fastest === Infinity ? UNKNOWN_MS : before.fastest);
  return {
    ...before,
    lanes: Math.max(1, Math.floor(before.lanes / 2)),
    pace: slower(before.pace, at, before.lanes / Math.max(1, latency), waitMs),
    isStarting: false,
    ...NEW_ROUND,
    skipped: before.lanes,
    trial: null,
  };
}

/** The state after a fault that time may mend (C4): one lane less, once in a round. */
export function afterFault(before: Concurrency): Concurrency {
  const state = { ...before, isStarting: false };
  if (before.skipped > 0) return state;
  const lanes = Math.max(1, before.lanes - 1);
  return { ...state, lanes, ...NEW_ROUND, skipped: before.lanes, trial: null };
}

/** The least time between two requests, in milliseconds; 0 before the first 429. */
export function spacingOf({ pace }: Concurrency): number {
  return spacing(pace);
}
