/** The one writer of stdout. */
import { once } from "node:events";
import type { Writable } from "node:stream";
import { onOneLine } from "./core/lines.ts";
import type { Message } from "./protocol.ts";
import type { Output } from "./streams/stream.ts";

const MASK = "****";

const DATA: ReadonlySet<string> = new Set(["STATE", "CONTROL", "SPEC", "CATALOG"]);
const CONSTANTS: ReadonlySet<string> = new Set(["type", "level", "status", "failure_type"]);
const STREAMS: ReadonlySet<string> = new Set(["usage", "costs", "export_windows"]);

/** Secret values that must never be written; grows when tokens are renewed. */
export class Secrets {
  #values: readonly string[] = [];

  /** Adds values, plain and as they look in base64 and in a URL. Empty ones are none. */
  add(values: readonly string[]): void {
    const forms = values
      .flatMap((value) => [
        value,
        encodeURIComponent(value.toWellFormed()),
        Buffer.from(value).toString("base64"),
        Buffer.from(value).toString("base64url"),
      ])
      .filter((value) => value !== "");
    // The longest first: a secret that holds another must not leave its rest behind.
    const all = [...new Set([...this.#values, ...forms])];
    this.#values = all.toSorted((a, b) => b.length - a.length);
  }

  /** The text with every secret in it replaced. */
  mask(text: string): string {
    return this.#values.reduce((masked, value) => masked.replaceAll(value, MASK), text);
  }
}

/**
 * Writes outputs to a stream, each message as one line, and waits while its reader is slow (C3).
 *
 * Records and states are data and pass as they are; so do what a catalog and a specification say of the connector, and
 * CONTROL, which exists to hand tokens to the platform. Of all else every text is masked but the protocol's own constants
 * and the names of streams, which a platform could not read any more where a token happens to be a part of them.
 */
export class Emitter {
  readonly #out: Writable;
  readonly #secrets: Secrets;
  readonly #debug: boolean;
  /** Why nothing can be written any more. */
  #broken: Error | null = null;

  constructor(out: Writable, secrets: Secrets, debug: boolean) {
    this.#out = out;
    // A listener of its own: an error between two writes would otherwise end the process before it can say anything.
    out.on("error", (error) => {
      this.#broken = error;
    });
    this.#secrets = secrets;
    this.#debug = debug;
  }

  /** Resolves once the reader has room for more; rejects where the reader has gone (EPIPE) or the disk is full. */
  async write(output: Output): Promise<void> {
    if (output.type === "LOG" && output.log.level === "DEBUG" && !this.#debug) return;
    if (this.#broken !== null) throw this.#broken;
    if (output.type === "RECORD_LINES") return await this.#hand(output.bytes);
    if (!this.#out.write(this.#line(output))) await once(this.#out, "drain");
    // What it holds is used as soon as this resolves, so it must not wait in a buffer that may be lost.
    if (output.type === "CONTROL") await this.flush();
  }

  /** Resolves once everything has been handed to the reader. */
  async flush(): Promise<void> {
    if (this.#out.writableLength > 0) await this.#hand("");
  }

  /** Resolves once all of it has been handed over: its memory may be used anew. */
  #hand(chunk: Uint8Array | string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#out.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  #line(message: Message): string {
    const isData = DATA.has(message.type);
    const json = JSON.stringify(message, (key, value: unknown) => {
      const isText = typeof value === "string" && !isData && !CONSTANTS.has(key);
      return isText && !(key === "name" && STREAMS.has(value)) ? this.#secrets.mask(value) : value;
    });
    return `${onOneLine(json)}\n`;
  }
}
