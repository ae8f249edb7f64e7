/** Decides when a stream's STATE is written, and counts its records (S2). The estimate of the whole sync goes out with it. */
import { readingId, type ReadingIds, RecordFingerprint } from "../core/identity.ts";
import { forget, type GoneDay, type KnownDays, NOTHING_KNOWN } from "../core/known_days.ts";
import type { Limits } from "../core/limits.ts";
import type { StateOwner, StreamState } from "../core/state.ts";
import * as protocol from "../protocol.ts";
import type { Output } from "../protocol.ts";
import { encodeState } from "./state_codec.ts";

export interface CheckpointOptions extends ReserveOptions {
  readonly stream: string;
  readonly owner: StateOwner;
  /** The least time between two STATEs, in milliseconds; the first, the last and those after many records come sooner. */
  readonly interval: number;
  readonly limits: Limits;
  readonly now: () => number;
  readonly send: (item: Output) => Promise<void>;
  /** Called just before each STATE; what it sends comes before the STATE. */
  readonly before: () => void;
  /** Gets a warning, each time it applies. */
  readonly warn: (message: string) => void;
}

export class Checkpoints {
  readonly #options: CheckpointOptions;
  #lastAt = -Infinity;
  #estimatedAt = -Infinity;
  #last = "";
  /** The hashes of the STATEs of this run. */
  readonly #sent = new Set<number>();
  readonly #fingerprint = new RecordFingerprint();
  /** Records that were handed over since the last STATE. */
  #pending = 0;
  #records = 0;
  #bytes = 0;
  #windowsRead = 0;

  constructor(options: CheckpointOptions) {
    this.#options = options;
  }

  /** Records of the stream that were handed over in this run. */
  get records(): number {
    return this.#records;
  }

  /** To be told of a page's lines as soon as they are made, so that the STATE that comes behind them counts them. */
  made(count: number, bytes: number): void {
    this.#pending += count;
    this.#records += count;
    this.#bytes += bytes;
  }

  windowRead(): void {
    this.#windowsRead += 1;
  }

  /**
   * Sends a STATE after the first page, then after each interval or `stateRecords` records, whichever comes first.
   *
   * @param windowsLeft windows that wait or are under way
   */
  async sendWhenDue(windowsLeft: number): Promise<void> {
    const now = this.#options.now();
    const { interval, limits } = this.#options;
    const isDue = now - this.#lastAt >= interval || this.#pending >= limits.stateRecords;
    if (isDue) this.#lastAt = now; // set before the first await: other lanes call this while the estimate is sent
    if (now - this.#estimatedAt >= interval) {
      this.#estimatedAt = now;
      await this.#sendEstimate(now, windowsLeft);
    }
    if (isDue) await this.send();
  }

  /** Sends the state as it is now: another lane may have changed it while a caller waited. */
  async send(): Promise<void> {
    this.#lastAt = this.#options.now();
    await this.sendAhead();
  }

  /** Sends the state too, but does not count as a STATE of records: the next one comes no later because of it. */
  async sendAhead(): Promise<void> {
    const { stream, send, before, state } = this.#options;
    let { encoded, text } = this.#encode(state());
    // Platforms count on states that differ (S2). If the state has not changed, the pending records belong to a page whose progress
    // is not in the state yet. The STATE that covers them counts them.
    if (text === this.#last) return;
    // A window that begins again, or that waits for its strays, may bring an earlier state back. Before the first
    // record no harm comes of that, and an idle sync must leave the state as it was (S6).
    let hash = this.#hashOf(text);
    if (this.#records > 0 && this.#sent.has(hash)) {
      this.#renew();
      ({ encoded, text } = this.#encode(state()));
      hash = this.#hashOf(text);
    }
    this.#sent.add(hash);
    this.#last = text;
    const recordCount = this.#pending;
    this.#pending = 0;
    before();
    await send(protocol.state(stream, encoded, recordCount));
  }

  /** Sends the last STATE. It counts all records, also if the state has not changed since the one before (S2). */
  async sendLast(): Promise<void> {
    await this.send();
    if (this.#pending === 0) return;
    this.#renew();
    await this.send();
  }

  /** 52 bits of a hash, as a number. */
  #hashOf(text: string): number {
    this.#fingerprint.setVersion(text, "");
    const [high = 0, low = 0] = this.#fingerprint.version;
    return (high >>> 12) * 2 ** 32 + low;
  }

  /** Makes the state differ from all that were sent, in that it reserves ids anew. */
  #renew(): void {
    const { state, setState, ids } = this.#options;
    const { newestId, chain } = state();
    setState({ ...state(), newestId: ids.reserve(newestId ?? readingId(0, chain)) });
  }

  /**
   * The state as JSON, bounded (S8). Each step drops what a later sync can do without: it has fewer proofs, reads a range again,
   * or names no sum. The cursors and the position always stay.
   */
  #encode(state: StreamState): { readonly encoded: protocol.JsonObject; readonly text: string } {
    const { owner, limits, warn } = this.#options;
    let bounded = state;
    for (const [step, dropped] of STEPS) {
      if (groupsOf(bounded) <= limits.stateGroups) {
        const encoded = encodeState(bounded, owner);
        const text = JSON.stringify(encoded);
        if (Buffer.byteLength(text) <= limits.stateBytes) return { encoded, text };
      }
      warn(`the state would grow too large: it leaves out ${dropped}.`);
      bounded = step(bounded);
    }
    const encoded = encodeState(bounded, owner);
    return { encoded, text: JSON.stringify(encoded) };
  }

  /** An estimate of the whole sync, from the windows that have been read. */
  async #sendEstimate(now: number, windowsLeft: number): Promise<void> {
    if (this.#windowsRead === 0 || this.#records === 0) return;
    const times = (this.#windowsRead + windowsLeft) / this.#windowsRead;
    const [rows, bytes] = [this.#records, this.#bytes].map((sum) => Math.round(sum * times));
    await this.#options.send(protocol.estimate(this.#options.stream, rows ?? 0, bytes ?? 0, now));
  }
}

const STEPS: readonly (readonly [step: (state: StreamState) => StreamState, dropped: string])[] = [
  [
    withoutTotals,
    "the control totals of windows that are half read; a sync that resumes them proves nothing about their days",
  ],
  [withoutSums, "the sums of provisional costs; their days stay known"],
  [
    withoutLeft,
    "provisional costs that have left retention; they are not followed if they are shown again",
  ],
  [withoutReads, "windows that are read beyond the position; a sync that resumes reads them again"],
  [
    withoutSuspicions,
    "since when days show less than half of their records; the wait for a second such reading begins again",
  ],
  [withoutOpen, "windows that are half read; a sync that resumes reads them from their first page"],
  // Only after the open windows: a window that goes on must know which days it compares (R6).
  [withoutDays, "the content of days; later syncs write them again"],
  [withoutNumbers, "the numbers of records of days; a sudden loss of them is believed at once"],
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
  return state.mode === "incremental" ? { ...state, left: [] } : state;
}

function withoutReads<State extends StreamState>(state: State): State {
  return state.pass === null ? state : { ...state, pass: { ...state.pass, reads: [] } };
}

function withoutSuspicions<State extends StreamState>(state: State): State {
  if (state.mode !== "incremental") return state;
  const without = <Entry>(entries: ReadonlyMap<number, Entry>): Map<number, Entry> =>
    new Map([...entries].map(([day, entry]) => [day, { ...entry, shrinkage: null }]));
  const { ranges, days, forgotten } = state.known;
  const known: KnownDays = { ranges, days: without(days), forgotten: without(forgotten) };
  return { ...state, known };
}

function withoutOpen<State extends StreamState>(state: State): State {
  return state.pass === null ? state : { ...state, pass: { ...state.pass, open: [] } };
}

function withoutDays<State extends StreamState>(state: State): State {
  if (state.mode !== "incremental") return state;
  const gone = [...state.known.days.keys()].map((day) => ({ day, records: 0, writtenBy: null }));
  return { ...state, known: { ...forget(state.known, gone), ranges: [] } };
}

function withoutNumbers<State extends StreamState>(state: State): State {
  return state.mode === "incremental" ? { ...state, known: NOTHING_KNOWN, due: [] } : state;
}

/**
 * R6: takes days out of the known ones, and sends a STATE without their digests. The STATE is queued before this function waits, so
 * that it goes out before all rows that are handed over after the call.
 */
export async function forgetDays(
  days: readonly GoneDay[],
  options: {
    readonly state: () => StreamState;
    readonly setState: (state: StreamState) => void;
    readonly checkpoints: Pick<Checkpoints, "send">;
  },
): Promise<void> {
  const state = options.state();
  if (state.mode !== "incremental" || days.length === 0) return;
  options.setState({ ...state, known: forget(state.known, days) });
  await options.checkpoints.send();
}

export interface ReserveOptions {
  /** Reads and replaces the stream's state. */
  readonly state: () => StreamState;
  readonly setState: (state: StreamState) => void;
  readonly ids: Pick<ReadingIds, "reserve">;
}

/**
 * R4: reserves an id in the state. Before the first row with this id goes out, the caller has to send the state.
 *
 * @returns whether the id was not reserved yet
 */
export function reserveId(id: string, { state, setState, ids }: ReserveOptions): boolean {
  if (id <= (state().newestId ?? "")) return false;
  setState({ ...state(), newestId: ids.reserve(id) });
  return true;
}
