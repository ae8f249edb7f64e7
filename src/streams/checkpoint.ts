/** When a stream's STATE is written, and what it counts (S2); with it goes the estimate of the whole sync. */
import { encodeState } from "./state_codec.ts";
import type { StateOwner, StreamState } from "../core/state.ts";
import * as protocol from "../protocol.ts";
import type { Output } from "./stream.ts";

export interface CheckpointOptions {
  readonly stream: string;
  readonly owner: StateOwner;
  /** The least time between two STATEs but the last, in milliseconds. */
  readonly interval: number;
  readonly now: () => number;
  readonly send: (item: Output) => Promise<void>;
}

export class Checkpoints {
  readonly #options: CheckpointOptions;
  #lastAt = -Infinity;
  #last = "";
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

  /** @param windowsLeft windows that wait or are under way */
  async sendWhenDue(state: StreamState, windowsLeft: number): Promise<void> {
    const now = this.#options.now();
    if (now - this.#lastAt < this.#options.interval) return;
    this.#lastAt = now; // at once: other lanes come by while the estimate is on its way
    await this.#sendEstimate(now, windowsLeft);
    await this.send(state);
  }

  async send(state: StreamState): Promise<void> {
    const { stream, owner, now, send } = this.#options;
    this.#lastAt = now();
    const encoded = encodeState(state, owner);
    const text = JSON.stringify(encoded);
    // Platforms count on states that differ (S2). Where nothing has changed, the pending records belong to a page whose
    // progress is not in the state yet: the STATE that covers them counts them.
    if (text === this.#last) return;
    this.#last = text;
    const recordCount = this.#pending;
    this.#pending = 0;
    await send(protocol.state(stream, encoded, recordCount));
  }

  /** The likely size of the whole sync, by the windows that have been read. */
  async #sendEstimate(now: number, windowsLeft: number): Promise<void> {
    if (this.#windowsRead === 0) return;
    const times = (this.#windowsRead + windowsLeft) / this.#windowsRead;
    const [rows, bytes] = [this.#records, this.#bytes].map((sum) => Math.round(sum * times));
    await this.#options.send(protocol.estimate(this.#options.stream, rows ?? 0, bytes ?? 0, now));
  }
}
