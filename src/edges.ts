/**
 * The interfaces to the outside world, which the connector takes as arguments. The process edge (cli/main.ts) passes the real
 * ones, the simulation passes its own. Nothing else in src/ reads a clock, draws a random number or opens a socket.
 */

/** Instants are milliseconds since 1970. */
export interface Clock {
  /** A whole number. It counts the time that passes: setting the machine's clock during a run does not affect it. */
  now(): number;
  /** The time in which the main thread has computed so far, in milliseconds. Absent where computing takes no time (simulation). */
  computed?(): number;
  /** Resolves after `ms` (0 to 3,600,000); rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface HttpRequest {
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** The request is a POST if a body is given, else a GET. */
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** The bytes of a body. Throws if the connection breaks or stalls. */
export interface BodyChunks extends AsyncIterable<Uint8Array> {
  /**
   * Hands the chunks over without a promise for each: calls `take` with one after the other. If `take` returns a promise, the
   * next chunk waits for it. `take` must copy what it keeps, because a chunk's memory is freed afterwards. To be called once, instead
   * of an iteration. Absent where chunks are few (adapters, simulation).
   *
   * @returns resolves after the last chunk
   * @throws what `take` throws, which ends the connection; the error of the connection
   */
  readonly each?: (take: (chunk: Uint8Array) => Promise<void> | undefined) => Promise<void>;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. The values of a repeated header are joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Still compressed by `content-encoding`. */
  readonly body: BodyChunks;
}

/** Sends one request. Follows no redirect and retries nothing. Throws if the headers do not arrive completely. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export interface Edges {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}
