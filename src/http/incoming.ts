/**
 * The answer to one request as undici's dispatcher delivers it: the head, then the chunks of the body. A reader gets each chunk
 * in the same call in which undici has it. `request` of undici puts a stream in between, with several promises for each chunk.
 */
import type { Dispatcher } from "undici";
import type { BodyChunks, HttpResponse } from "../edges.ts";

type Controller = Dispatcher.DispatchController;
type Take = Parameters<NonNullable<BodyChunks["each"]>>[0];

/** The reader of a body while chunks flow to it. */
interface Sink {
  readonly take: Take;
  /** Stops the flow: the body has ended, or the reader needs time for a chunk. */
  readonly stop: (ready?: Promise<void>) => void;
  readonly fail: (reason: unknown) => void;
}

const READY = Promise.resolve();

export class IncomingAnswer implements Dispatcher.DispatchHandler, BodyChunks {
  readonly #head = Promise.withResolvers<HttpResponse>();
  readonly #end: () => void;
  #controller: Controller | null = null;
  /** Chunks that came while no reader took them. There is more than one only if the connection has ended. */
  #waiting: Uint8Array[] = [];
  #sink: Sink | null = null;
  /** The memory of the latest chunk, which its reader has copied. */
  #spent: ArrayBuffer | null = null;
  #isComplete = false;
  #failure: { readonly reason: unknown } | null = null;

  /**
   * @param signal its abort ends the request at once, with the signal's reason
   * @param limitMs the longest time to the last byte, in milliseconds (L2). undici's own time-outs begin again at each byte and at
   *   each 1xx answer.
   * @param onEnd called after the last byte, and where the request fails
   */
  constructor(signal: AbortSignal, limitMs: number, onEnd?: () => void) {
    const abort = (): void => this.abort(signal.reason);
    const expire = (): void => {
      this.abort(Object.assign(new Error("the answer took too long"), { code: "ANSWER_TIMEOUT" }));
    };
    const timer = setTimeout(expire, limitMs);
    this.#end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      onEnd?.();
    };
    this.#head.promise.catch(() => undefined); // it may fail before anybody waits for it
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  }

  /** Resolves once the headers are complete. Rejects if they do not arrive. */
  get head(): Promise<HttpResponse> {
    return this.#head.promise;
  }

  /** Ends the request and closes its connection. Does nothing after the last byte. */
  abort(reason: unknown): void {
    if (this.#isComplete) return;
    this.#fail(reason);
    this.#controller?.abort(asError(reason));
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#failure !== null) controller.abort(asError(this.#failure.reason));
  }

  onResponseStart(
    _: Controller,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (status < 200) return; // 1xx: the answer is still to come
    this.#head.resolve({ status, headers: joined(headers), body: this });
  }

  /** undici aborts the request with the error that this throws. */
  onResponseData(controller: Controller, chunk: Uint8Array): void {
    // After a pause undici's parser may deliver an empty chunk. A pause for such a chunk would bring the next one, without end.
    if (chunk.length === 0) return;
    if (this.#sink === null) {
      this.#waiting.push(chunk);
      controller.pause();
      return;
    }
    const ready = this.#sink.take(chunk);
    if (ready === undefined) {
      this.#free(chunk);
      return;
    }
    controller.pause();
    this.#sink.stop(ready);
    this.#sink = null;
  }

  onResponseEnd(): void {
    this.#isComplete = true;
    this.#end();
    this.#sink?.stop();
    this.#sink = null;
  }

  onResponseError(_: Controller | null, reason: unknown): void {
    this.#fail(reason);
  }

  async each(take: Take): Promise<void> {
    try {
      for (;;) {
        if (this.#failure !== null) throw this.#failure.reason;
        const chunk = this.#waiting.shift();
        if (chunk !== undefined) await take(chunk);
        else if (this.#isComplete) return;
        else await this.#flow(take);
      }
    } catch (reason) {
      this.abort(reason);
      throw reason;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const keep = (chunk: Uint8Array): Promise<void> => {
      this.#waiting.push(chunk);
      return READY;
    };
    try {
      for (;;) {
        if (this.#failure !== null) throw this.#failure.reason;
        const chunk = this.#waiting.shift();
        if (chunk !== undefined) yield chunk;
        else if (this.#isComplete) return;
        else await this.#flow(keep);
      }
    } finally {
      this.abort(new Error("nobody reads the rest of the body"));
    }
  }

  /**
   * Frees the memory of the chunk before `taken`. The garbage collector would do so late, and the chunks would make it collect
   * the old generation more often than the objects do. undici may still look at `taken` itself. A chunk that is a part of other
   * memory (a buffer pool, or a piece of HTTP's chunked encoding) is left to the garbage collector.
   */
  #free(taken: Uint8Array): void {
    this.#spent?.transfer(0);
    const { buffer, byteLength } = taken;
    const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
    this.#spent = isWhole ? buffer : null;
  }

  /** Lets chunks flow to `take` until the body has ended, or until `take` is ready for the next chunk after a wait. */
  #flow(take: Take): Promise<void> {
    const { promise, resolve: stop, reject: fail } = Promise.withResolvers<void>();
    this.#sink = { take, stop: (ready) => stop(ready), fail };
    this.#controller?.resume();
    return promise;
  }

  #fail(reason: unknown): void {
    if (this.#isComplete || this.#failure !== null) return;
    this.#failure = { reason };
    this.#waiting = [];
    this.#end();
    this.#head.reject(reason);
    this.#sink?.fail(reason);
    this.#sink = null;
  }
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason));

function joined(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): HttpResponse["headers"] {
  const one: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    one[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return one;
}
