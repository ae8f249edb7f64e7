/**
 * What the connector needs of the outside world, as arguments: the process edge (main.ts) gives the real ones, the
 * simulation gives its own. Nothing else in src/ reads a clock, draws a random number or opens a socket.
 */

/** Instants are milliseconds since 1970. */
export interface Clock {
  now(): number;
  /** Resolves after `ms` (0 to 3,600,000); rejects with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export interface HttpRequest {
  readonly url: URL;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Where there is one the request is a POST, else a GET. */
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; a header that came more than once is joined by `, `. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body's bytes, still encoded as `content-encoding` says. Throws where the connection breaks or stalls. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** One request; follows no redirect, retries nothing. Throws where no whole header arrived. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

export interface Edges {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}
