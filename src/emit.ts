/** The one writer of stdout. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { STREAM_NAMES } from "./catalog/stream_names.ts";
import { onOneLine } from "./core/lines.ts";
import type { Message, Output, StateMessage } from "./protocol.ts";
import type { Secrets } from "./secrets.ts";

const DATA: ReadonlySet<string> = new Set(["CONTROL", "SPEC", "CATALOG"]);
const CONSTANTS: ReadonlySet<string> = new Set(["type", "level", "status", "failure_type"]);
const STREAMS: ReadonlySet<string> = new Set(STREAM_NAMES);

/**
 * Writes outputs to a stream, each message as one line, and waits while its reader is slow (C3).
 *
 * Records, states, the catalog and the specification pass unchanged. So does CONTROL, which hands tokens to the platform.
 * In all other messages every text is masked, except the protocol's constants and the names of streams: if a token happened
 * to be a part of one, the platform could not read the message.
 */
export class Emitter {
  readonly #out: Writable;
  readonly #secrets: Secrets;
  readonly #debug: boolean;
  /** The error of stdout, once it is broken. */
  #broken: Error | null = null;

  constructor(out: Writable, secrets: Secrets, debug: boolean) {
    this.#out = out;
    // Without a listener, an error between two writes would end the process before it can report anything.
    out.on("error", (error) => {
      this.#broken = error;
    });
    this.#secrets = secrets;
    this.#debug = debug;
  }

  /** Resolves once the reader has room for more. Rejects if the reader has gone (EPIPE) or the disk is full. */
  async write(output: Output): Promise<void> {
    if (output.type === "LOG" && output.log.level === "DEBUG" && !this.#debug) return;
    if (this.#broken !== null) throw this.#broken;
    if (output.type === "RECORD_LINES") return await this.#hand(output.bytes);
    if (!this.#out.write(this.#line(output))) await once(this.#out, "drain");
    // The tokens in a CONTROL are used as soon as this resolves, so they must not wait in a buffer that may be lost.
    if (output.type === "CONTROL") await this.flush();
  }

  /** Writes a text for a person. Resolves once all of it is written; rejects as `write` does. */
  async print(text: string): Promise<void> {
    await this.#hand(text);
  }

  /** Whether an error is that of stdout itself. */
  isBrokenBy(reason: unknown): boolean {
    return reason !== null && reason === this.#broken;
  }

  /** Resolves once everything has been handed to the reader. */
  async flush(): Promise<void> {
    if (this.#out.writableLength > 0) await this.#hand("");
  }

  /** Resolves once the whole chunk has been written. Its memory may then be reused. */
  #hand(chunk: Uint8Array | string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#out.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  #line(message: Message): string {
    return `${onOneLine(this.#json(message))}\n`;
  }

  #json(message: Message): string {
    if (message.type === "STATE") return JSON.stringify(withPoint(message));
    // No replacer for data: it would be called for each value of a catalog.
    if (DATA.has(message.type)) return JSON.stringify(message);
    return JSON.stringify(message, (key, value: unknown) => {
      const isText = typeof value === "string" && !CONSTANTS.has(key);
      return isText && !(key === "name" && STREAMS.has(value)) ? this.#secrets.mask(value) : value;
    });
  }
}

/** The message with a decimal point in its number of records, as the protocol wants it. */
function withPoint({ state, ...message }: StateMessage): object {
  const recordCount = JSON.rawJSON(state.sourceStats.recordCount.toFixed(1));
  return { ...message, state: { ...state, sourceStats: { recordCount } } };
}
