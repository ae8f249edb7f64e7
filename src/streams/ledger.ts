/**
 * The one owner of a stream's state: all parts of a reader read and change the state here. The ledger decides when a STATE goes
 * out and which records the STATE counts (S2). It also sends the estimate of the whole sync.
 */
import { readingId, type ReadingIds, RecordFingerprint } from "../core/identity.ts";
import { forget, type GoneDay } from "../core/known_days.ts";
import type { Limits } from "../core/limits.ts";
import type { StateOwner, StreamState } from "../core/state.ts";
import * as protocol from "../protocol.ts";
import type { Output } from "../protocol.ts";
import { boundedState } from "./bounded_state.ts";

export interface LedgerOptions {
  readonly stream: string;
  readonly owner: StateOwner;
  /** See `SourceNotes` in stream.ts. */
  readonly note?: () => string | null;
  /** See `reportedBy` in reported.ts. */
  readonly reported?: (next: protocol.JsonObject) => unknown;
  /** The least time between two STATEs, in milliseconds; the first, the last and those after many records come sooner. */
  readonly interval: number;
  readonly limits: Limits;
  readonly ids: Pick<ReadingIds, "next" | "reserve">;
  readonly now: () => number;
  readonly send: (item: Output) => Promise<void>;
  /** Called just before each STATE; what it sends comes before the STATE. */
  readonly before: () => void;
  /** Gets a warning, each time it applies. */
  readonly warn: (message: string) => void;
}

export class Ledger {
  readonly #options: LedgerOptions;
  #state: StreamState;
  #lastAt = -Infinity;
  #estimatedAt = -Infinity;
  #last = "";
  #sentState: StreamState;
  /** The hashes of the STATEs of this run. */
  readonly #sent = new Set<number>();
  readonly #fingerprint = new RecordFingerprint();
  /** Records that were handed over since the last STATE. */
  #pending = 0;
  #records = 0;
  #bytes = 0;
  #windowsRead = 0;

  constructor(state: StreamState, options: LedgerOptions) {
    this.#state = state;
    this.#sentState = state;
    this.#options = options;
  }

  /** The state as it is now. Any lane may change it while a caller waits. */
  get state(): StreamState {
    return this.#state;
  }

  /** The state of the last STATE; before the first one of this run, the state that the run began with. */
  get sent(): StreamState {
    return this.#sentState;
  }

  update(state: StreamState): void {
    this.#state = state;
  }

  /**
   * R6: takes days out of the known ones, and sends a STATE without their digests. The STATE is queued before this function waits, so
   * that it goes out before all rows that are handed over after the call.
   */
  async forget(days: readonly GoneDay[]): Promise<void> {
    const state = this.#state;
    if (state.mode !== "incremental" || days.length === 0) return;
    this.update({ ...state, known: forget(state.known, days) });
    await this.send();
  }

  /** Takes days out of the state, so that the next sync writes them again. */
  async leave(days: readonly number[]): Promise<void> {
    await this.forget(days.map((day) => ({ day, records: 0, writtenBy: null })));
  }

  /**
   * R4: reserves an id in the state. Before the first row with this id goes out, the caller has to send the state.
   *
   * @returns whether the id was not reserved yet
   */
  reserve(id: string): boolean {
    if (id <= (this.#state.newestId ?? "")) return false;
    this.update({ ...this.#state, newestId: this.#options.ids.reserve(id) });
    return true;
  }

  /** R4: a new id, behind a STATE that reserves it. */
  newId(): string {
    const id = this.#options.ids.next(this.#state.chain);
    if (this.reserve(id)) void this.sendAhead();
    return id;
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

  /** Sends the state as it is now. */
  async send(): Promise<void> {
    this.#lastAt = this.#options.now();
    await this.sendAhead();
  }

  /** Sends the state as it is now, too, but this STATE does not delay the next one that is due after the interval. */
  async sendAhead(): Promise<void> {
    const { stream, send, before } = this.#options;
    let { encoded, text } = this.#bounded();
    // Platforms count on states that differ (S2). If the state has not changed, the pending records belong to a page whose progress
    // is not in the state yet. The STATE that covers them counts them.
    this.#sentState = this.#state;
    if (text === this.#last) return;
    let hash = this.#hashOf(text);
    // A window that begins again, or that waits for its strays, may bring an earlier state back. Before the first
    // record no harm comes of that, and an idle sync must leave the state as it was (S6).
    if (this.#records > 0 && this.#sent.has(hash)) {
      this.#renew();
      ({ encoded, text } = this.#bounded());
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

  #bounded(): ReturnType<typeof boundedState> {
    return boundedState(this.#state, this.#options.owner, this.#options);
  }

  /** 52 bits of a hash, as a number. */
  #hashOf(text: string): number {
    this.#fingerprint.setVersion(text, "");
    const [high = 0, low = 0] = this.#fingerprint.version;
    return (high >>> 12) * 2 ** 32 + low;
  }

  /** Reserves ids once more, so that the state differs from all states that were sent. */
  #renew(): void {
    const { newestId, chain } = this.#state;
    const reserved = this.#options.ids.reserve(newestId ?? readingId(0, chain));
    this.update({ ...this.#state, newestId: reserved });
  }

  /** An estimate of the whole sync, from the windows that have been read. */
  async #sendEstimate(now: number, windowsLeft: number): Promise<void> {
    if (this.#windowsRead === 0 || this.#records === 0) return;
    const times = (this.#windowsRead + windowsLeft) / this.#windowsRead;
    const [rows, bytes] = [this.#records, this.#bytes].map((sum) => Math.round(sum * times));
    await this.#options.send(protocol.estimate(this.#options.stream, rows ?? 0, bytes ?? 0, now));
  }
}
