/** Small requests to a provider's own reports, bounded in number, size and time. */
import { type Json, type JsonObject, parseExact } from "../src/adapters/exact.ts";
import { isObject } from "../src/adapters/shape.ts";
import { parseHttpDate, parseRetryAfter } from "../src/core/retry.ts";
import type { Clock, HttpResponse, Transport } from "../src/edges.ts";
import { ConnectorError } from "../src/errors.ts";
import { BrokenBody, readBody } from "../src/http/body.ts";
import { judgeFailure } from "../src/http/network.ts";
import { checkShape } from "../src/http/shape.ts";
import { unseen } from "./judgment.ts";

/** The most requests of a run. A usual one sends fewer than twenty. */
const MOST_REQUESTS = 80;

/** The most bytes of an answer, decompressed. */
const MOST_BYTES = 8 * 1024 ** 2;

/** The longest time of one request and of all of them, in milliseconds. */
const LONGEST_REQUEST = 20_000;
const LONGEST_RUN = 180_000;

/** The longest wait for a rate limit, and the wait if the provider names none, in milliseconds. */
const LONGEST_WAIT = 60_000;
const USUAL_WAIT = 10_000;

/** After so many requests in a row without a usable answer the others are not sent: nobody waits for minutes in vain. */
const MOST_FAILED = 2;

/** The wait before a failed request is sent again, in milliseconds. It is sent again once. */
const PAUSE = 1000;

export interface AskerOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  /** Ends the run; its reason is a ConnectorError `aborted`. */
  readonly stop: AbortSignal;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** The headers of each request, with the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Gets each wait before a request is sent again, so that nobody watches a silent command. */
  readonly onWait: (why: string, seconds: number) => void;
}

export interface Reply {
  /** Never 429 or 5xx. */
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  /** The body of a 200; undefined for other statuses. */
  readonly body: JsonObject | undefined;
  /** The provider's clock, in milliseconds since 1970. */
  readonly now: number;
}

/** An attempt after which another one may work; the wait is in milliseconds. */
interface Failed {
  readonly againAfter: number;
  readonly why: string;
}

type Parameters = readonly (readonly [name: string, value: string])[];

export class Asker {
  readonly #options: AskerOptions;
  readonly #until: number;
  #sent = 0;
  /** Requests in a row that failed. */
  #failed = 0;

  constructor(options: AskerOptions) {
    this.#options = options;
    this.#until = options.clock.now() + LONGEST_RUN;
  }

  /** The number of requests so far. */
  get requests(): number {
    return this.#sent;
  }

  /** This side's clock, in milliseconds since 1970. */
  get localNow(): number {
    return this.#options.clock.now();
  }

  /**
   * Sends a GET. It waits for a rate limit once, and repeats a request that failed once.
   *
   * @throws ConnectorError `unavailable` if no usable answer comes, `provider_fault` if the answer is too large, `aborted`
   */
  async get(
    path: string,
    parameters: Parameters,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> {
    const url = new URL(this.#options.baseUrl + path);
    url.search = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString();
    if (this.#failed >= MOST_FAILED)
      throw unseen("not asked, because the requests before had no usable answer");
    this.#failed += 1;
    const reply = await this.#twice(url, headers);
    this.#failed = 0;
    return reply;
  }

  async #twice(url: URL, headers: Readonly<Record<string, string>>): Promise<Reply> {
    const first = await this.#attempt(url, headers);
    if ("status" in first) return first;
    await this.#sleep(first);
    const second = await this.#attempt(url, headers);
    if ("status" in second) return second;
    throw unseen(second.why);
  }

  /** The body of a 200. Throws `unavailable` for every other status. */
  async body(
    path: string,
    parameters: Parameters,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<JsonObject> {
    const { status, body } = await this.get(path, parameters, headers);
    if (body === undefined) throw refusedWith(status);
    return body;
  }

  async #sleep({ againAfter: ms, why }: Failed): Promise<void> {
    const { clock, stop, onWait } = this.#options;
    if (clock.now() + ms > this.#until) throw unseen("the time of this run is used up");
    onWait(why, Math.ceil(ms / 1000));
    await clock.sleep(ms, stop);
  }

  async #attempt(url: URL, headers: Readonly<Record<string, string>>): Promise<Reply | Failed> {
    const { stop } = this.#options;
    try {
      return await this.#within((signal) => this.#exchange(url, headers, signal));
    } catch (reason) {
      stop.throwIfAborted();
      if (reason instanceof ConnectorError) throw reason;
      return { againAfter: PAUSE, why: wordsOf(reason, url.hostname) };
    }
  }

  /** Runs `send` with a signal that ends it in time. */
  async #within<Result>(send: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const { clock, stop } = this.#options;
    const left = Math.min(LONGEST_REQUEST, this.#until - clock.now());
    if (left <= 0) throw unseen("the time of this run is used up");
    if (this.#sent >= MOST_REQUESTS) throw unseen("the requests of this run are used up");
    this.#sent += 1;
    const late = new AbortController();
    const over = new AbortController();
    const expire = (): void => late.abort(TOO_LATE);
    clock.sleep(left, AbortSignal.any([stop, over.signal])).then(expire, () => undefined);
    try {
      return await send(AbortSignal.any([stop, late.signal]));
    } catch (reason) {
      throw late.signal.aborted ? TOO_LATE : reason;
    } finally {
      over.abort();
    }
  }

  async #exchange(url: URL, own: Readonly<Record<string, string>>, signal: AbortSignal) {
    const { transport, clock, headers } = this.#options;
    const sent = { accept: "application/json", "accept-encoding": "gzip", ...headers, ...own };
    const response = await transport({ url, headers: sent, signal });
    const at = clock.now();
    const now = parseHttpDate(response.headers["date"] ?? "", at) ?? at;
    const { status, headers: answered } = response;
    // The body of an error is read too, so that the connection can be used again. Nobody looks at it.
    const { text } = await readBody(response, MOST_BYTES);
    if (status === 429) {
      const asked = parseRetryAfter(answered["retry-after"] ?? "", now, at) ?? USUAL_WAIT;
      const why = "it refuses with HTTP 429 (too many requests): run it again later";
      if (asked > LONGEST_WAIT) throw unseen(why);
      return { againAfter: Math.max(asked, PAUSE), why };
    }
    if (status >= 500)
      return { againAfter: PAUSE, why: `it answers HTTP ${status}: run it again later` };
    return {
      status,
      headers: answered,
      body: status === 200 ? objectIn(text) : undefined,
      now,
    } satisfies Reply;
  }
}

/** The reason of a request that took too long. */
const TOO_LATE = new Error("too late");

/** A failure of the connection in words. The messages of errors are not shown, because some quote what came. */
function wordsOf(reason: unknown, host: string): string {
  if (reason === TOO_LATE) return "no answer came: the request took too long";
  if (reason instanceof BrokenBody) return "an answer came damaged";
  const failure = judgeFailure(reason, host);
  if (failure === undefined) throw ConnectorError.from(reason);
  return `no answer came: ${failure.kind === "proxy" ? "the proxy failed" : failure.reason}`;
}

export const refusedWith = (status: number): ConnectorError =>
  unseen(`the request is refused with HTTP ${status}`);

function objectIn(text: string): JsonObject {
  checkShape(Buffer.from(text));
  const value = parsed(text);
  if (!isObject(value)) throw unseen("an answer is no JSON object: base_url may be wrong");
  return value;
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
