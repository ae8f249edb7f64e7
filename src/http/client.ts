/**
 * Sends one request to the provider until it has an answer or a final error: rate gate (C2), credential, retries (C4) and
 * deadline (L2).
 */
import { isLoopback } from "../core/loopback.ts";
import type { BackoffPolicy } from "../core/retry.ts";
import { backoffWait } from "../core/retry.ts";
import { ByteBudget } from "./budget.ts";
import { BufferPool } from "./buffers.ts";
import type { Edges } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import type { Auth } from "./auth.ts";
import type { Gate } from "./gate.ts";
import type { Answer, RequestContext, ScanBody, Verdict } from "./judge.ts";
import { judgeResponse, judgeThrown } from "./judge.ts";
import type { ProblemText } from "./problem.ts";

export type { Answer } from "./judge.ts";
export type { ProblemText } from "./problem.ts";

/** The limit of a page in bytes, decompressed: fifty times a page of 1,000 records (L1). */
export const MAXIMUM_PAGE_BYTES = 32 * 1024 ** 2;

/** The limit of every other answer in bytes, decompressed (L1). */
const MAXIMUM_ANSWER_BYTES = 1024 ** 2;

/** The limit of all bodies that are held at once, in bytes (L1): one page of the largest size. */
const BUDGET_BYTES = MAXIMUM_PAGE_BYTES;

/**
 * No request leaves while the bodies together hold more than this, in bytes: nine pages of 1,000 records. More pages would only
 * wait for the thread that reads them, or for the reader of stdout. If the provider takes its time, up to twice as many bytes
 * may wait, because this thread works on them until the answer comes.
 */
const WAITING_BYTES = 6 * 1024 ** 2;

/** The bytes of bodies that this thread works on in a millisecond: a page of 1,000 records takes some 3 ms. */
const BYTES_A_MS = 200 * 1024;

/**
 * A request ends after this many 401s in a row; a new token follows each of the others. Two would be too few: the second attempt
 * may use a token that another lane got before a long pause. Without a limit the request might never end: a provider may accept
 * each token for usage and refuse it for costs.
 */
const REFUSALS_IN_A_ROW = 3;

/** A wait before the next attempt. */
export interface Retry {
  /** The number of this retry, from 1. */
  readonly retry: number;
  readonly retries: number;
  readonly waitMs: number;
  /** For the log: address, reason, wait. Holds no secret. */
  readonly message: string;
}

/** One attempt of a request and its outcome. */
export interface Attempt {
  readonly url: URL;
  /** The answer, if the attempt succeeded. */
  readonly answer: Answer<unknown> | undefined;
  /** For the log: address, outcome, duration, size. Holds no secret. */
  readonly message: string;
}

export interface ClientOptions {
  readonly edges: Edges;
  readonly auth: Auth;
  readonly gate: Gate;
  /** The only origin that receives the credential, e.g. `https://api.example.com`. */
  readonly origin: string;
  readonly backoff: BackoffPolicy;
  /** `source-ai-billing/0.1.0` */
  readonly userAgent: string;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** One GET. */
export interface GetRequest<Scanned = never> {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** Whether this is the first request of a run: a wrong address is then `wrong_address` at once (C4). */
  readonly first?: boolean | undefined;
  /**
   * The instant to give up, in milliseconds since 1970 on the local clock. It ends waits and attempts. `check` sets it ten
   * seconds ahead.
   */
  readonly deadlineMs?: number | undefined;
  /** For pages: the limit of the decompressed body in bytes. Every other answer has 1 MiB. */
  readonly maximumBytes?: number | undefined;
  /** Reads the body without JSON.parse, for pages of records. */
  readonly scan?: ScanBody<Scanned> | undefined;
  /**
   * Defers parsing until this resolves; the default is no wait. Until then the body waits as bytes: a parsed page is some
   * 20,000 values, and every scavenge during the wait would copy them.
   */
  readonly turn?: Promise<void> | undefined;
  /** Makes the error of a 400 from the problem document and the text for `detail`. */
  readonly onBadRequest?: ((problem: ProblemText, detail: string) => ConnectorError) | undefined;
}

/** The error for a caller's abort: the ConnectorError that the caller gave as reason, else `aborted`. */
function abortedError(signal: AbortSignal): ConnectorError {
  if (signal.reason instanceof ConnectorError) return signal.reason;
  return new ConnectorError("aborted", "The sync was stopped before it ended.", {
    detail: "aborted while a request was under way",
    cause: signal.reason,
  });
}

/** The client of one provider with one credential. All lanes and streams share it. */
export class Client {
  readonly #options: ClientOptions;
  readonly #pool = new BufferPool();
  readonly #budget = new ByteBudget(BUDGET_BYTES);
  /** The shortest time from a request to the last byte of its page, in milliseconds; null before the first page. */
  #fastest: number | null = null;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a GET until it has an answer in JSON.
   *
   * @returns the body of the 200 answer
   * @throws ConnectorError and nothing else: `wrong_address` (first request only), `unauthorized`, `forbidden`,
   *   `bad_request` or the error of `onBadRequest`, `rate_limited`, `unavailable`, `broken_answer`, `provider_fault`,
   *   `aborted`
   */
  async get<Scanned = never>(request: GetRequest<Scanned>): Promise<Answer<Scanned>> {
    if (request.url.origin !== this.#options.origin) {
      // A bearer token is never sent to another origin; the endpoints were resolved under base_url (W5).
      throw ConnectorError.from(new Error(`request outside of ${this.#options.origin}`));
    }
    const deadline = this.#deadline(request);
    let last: string | undefined; // the reason of the latest failure, for the message at the deadline
    try {
      return await this.#repeat(request, deadline.signal, (reason) => {
        last = reason;
      });
    } catch (reason) {
      if (request.signal.aborted) throw abortedError(request.signal);
      if (deadline.signal.aborted) throw late(request, last);
      throw ConnectorError.from(reason);
    } finally {
      deadline.clear();
    }
  }

  /** Combines the caller's signal and the deadline. `clear` ends the timer and the listener. */
  #deadline({ signal, deadlineMs }: GetRequest<unknown>): {
    readonly signal: AbortSignal;
    clear(): void;
  } {
    if (deadlineMs === undefined) return { signal, clear: () => undefined };
    const { clock } = this.#options.edges;
    const both = new AbortController();
    const timer = new AbortController();
    const abort = (): void => both.abort(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    const expire = (): void => both.abort(new Error("the deadline has passed"));
    clock.sleep(Math.max(0, deadlineMs - clock.now()), timer.signal).then(expire, () => undefined);
    const clear = (): void => {
      timer.abort();
      signal.removeEventListener("abort", abort);
    };
    return { signal: both.signal, clear };
  }

  async #repeat<Scanned>(
    request: GetRequest<Scanned>,
    signal: AbortSignal,
    remember: (reason: string) => void,
  ): Promise<Answer<Scanned>> {
    const { gate, auth } = this.#options;
    let retried = 0;
    let waitedMs = 0;
    let refusals = 0; // 401s in a row
    const turn = turnOf(request);
    for (;;) {
      await this.#budget.room(this.#waitingBytes(), signal);
      const ticket = await gate.pass(signal);
      const authorization = await auth.authorization(signal);
      const began = this.#options.edges.clock.now();
      // Reports to the gate on arrival: a slow reader of stdout may defer the parsing for long.
      const arrived = (): void => {
        const latency = this.#options.edges.clock.now() - began;
        if (request.scan !== undefined) this.#fastest = Math.min(this.#fastest ?? latency, latency);
        gate.succeeded(
          ticket,
          request.scan === undefined ? undefined : { latency, isAwaited: turn.hasCome },
        );
      };
      const verdict = await this.#send(request, authorization, signal, arrived);
      signal.throwIfAborted();
      this.#tell(request, verdict, began);
      if (verdict.kind === "unauthorized") {
        refusals += 1;
        const { challenge } = verdict;
        const isRenewed =
          refusals < REFUSALS_IN_A_ROW && auth.unauthorized({ authorization, challenge });
        if (!isRenewed) throw verdict.error;
        continue;
      }
      refusals = 0;
      auth.tolerated(authorization);
      switch (verdict.kind) {
        case "answered":
          return verdict.answer;
        case "failed":
          throw verdict.error;
        case "limited":
          gate.limited(ticket, verdict.retryAfterMs);
          break;
        case "retryable":
          remember(verdict.reason);
          gate.failed();
          waitedMs += await this.#backOff(request, verdict, retried, waitedMs, signal);
          retried += 1;
      }
    }
  }

  /** The bytes that may wait while a request leaves. */
  #waitingBytes(): number {
    const workedOff = (this.#fastest ?? 0) * BYTES_A_MS;
    return Math.min(2 * WAITING_BYTES, Math.max(WAITING_BYTES, workedOff));
  }

  async #send<Scanned>(
    request: GetRequest<Scanned>,
    authorization: string,
    signal: AbortSignal,
    onArrived: () => void,
  ): Promise<Verdict<Scanned>> {
    const { edges, userAgent } = this.#options;
    const context: RequestContext<Scanned> = {
      shownUrl: shownUrl(request.url),
      first: request.first ?? false,
      secret: authorization.slice(authorization.indexOf(" ") + 1),
      limits: {
        maximumBytes: request.maximumBytes ?? MAXIMUM_ANSWER_BYTES,
        isPage: request.maximumBytes !== undefined,
        budget: this.#budget,
        pool: this.#pool,
        signal,
      },
      scan: request.scan,
      turn: request.turn,
      onArrived,
      onBadRequest: request.onBadRequest,
    };
    const headers = {
      accept: "application/json, application/problem+json",
      // On loopback, compression costs more time than it saves.
      "accept-encoding": isLoopback(request.url) ? "identity" : "gzip",
      authorization,
      "user-agent": userAgent,
    };
    let answered = false;
    try {
      const response = await edges.transport({ url: request.url, headers, signal });
      answered = true;
      return await judgeResponse(response, context, edges.clock.now());
    } catch (thrown) {
      return judgeThrown(thrown, context, answered);
    }
  }

  #tell({ url }: GetRequest<unknown>, verdict: Verdict<unknown>, began: number): void {
    const { edges, onAttempt } = this.#options;
    const answer = verdict.kind === "answered" ? verdict.answer : undefined;
    const ms = Math.round(edges.clock.now() - began);
    onAttempt?.({ url, answer, message: `GET ${shownUrl(url)}: ${outcomeOf(verdict)}, ${ms} ms` });
  }

  /** Logs the retry and waits. Gives the length of the wait in milliseconds. */
  async #backOff(
    request: GetRequest<unknown>,
    failure: Extract<Verdict, { kind: "retryable" }>,
    retried: number,
    waitedMs: number,
    signal: AbortSignal,
  ): Promise<number> {
    const { backoff, edges, onRetry } = this.#options;
    const waitMs = backoffWait(retried, waitedMs, edges.random(), backoff, failure.retryAfterMs);
    if (waitMs === undefined) throw unavailable(request, failure, retried + 1);
    if (request.deadlineMs !== undefined && edges.clock.now() + waitMs >= request.deadlineMs) {
      throw unavailable(request, failure, retried + 1);
    }
    const [retry, retries] = [retried + 1, backoff.retries];
    onRetry?.({
      retry,
      retries,
      waitMs,
      message:
        `The request failed: ${failure.reason}. Trying again in ${(waitMs / 1000).toFixed(2)} s ` +
        `(retry ${retry} of ${retries}): GET ${shownUrl(request.url)}`,
    });
    await edges.clock.sleep(waitMs, signal);
    return waitMs;
  }
}

/** Whether the page's turn has come ({@link GetRequest.turn}), so that it may be parsed at once. */
function turnOf({ turn }: GetRequest<unknown>): { readonly hasCome: boolean } {
  const state = { hasCome: turn === undefined };
  const come = async (): Promise<void> => {
    await turn;
    state.hasCome = true;
  };
  void come();
  return state;
}

function outcomeOf(verdict: Verdict<unknown>): string {
  switch (verdict.kind) {
    case "answered":
      return `200, ${verdict.answer.bytes} bytes`;
    case "limited":
      return "429";
    case "unauthorized":
      return "401";
    case "retryable":
      return verdict.reason;
    case "failed":
      return verdict.error.code;
  }
}

function unavailable(
  request: GetRequest<unknown>,
  failure: Extract<Verdict, { kind: "retryable" }>,
  attempts: number,
): ConnectorError {
  return new ConnectorError(
    failure.isBroken === true ? "broken_answer" : "unavailable",
    `The provider gave no usable answer in ${attempts} attempt${attempts === 1 ? "" : "s"}; at last: ${failure.reason}. ` +
      `${NO_LOSS}${request.first === true ? CHECK_ADDRESS : ""}`,
    { detail: `${failure.reason}; GET ${shownUrl(request.url)}`, cause: failure.cause },
  );
}

function late(request: GetRequest<unknown>, last: string | undefined): ConnectorError {
  const before = last === undefined ? "" : ` Before, an attempt failed: ${last}.`;
  return new ConnectorError(
    "unavailable",
    `The provider did not answer within the time that a check may take.${before} ${NO_LOSS}` +
      (request.first === true ? CHECK_ADDRESS : ""),
    { detail: `deadline passed; GET ${shownUrl(request.url)}` },
  );
}

const NO_LOSS = "Nothing is lost: run again later.";
const CHECK_ADDRESS = " If it stays so, check that base_url is right and can be reached from here.";

/** The most characters of a cursor that are shown. A cursor is opaque and may be long. */
const SHOWN_CURSOR = 40;

/** An address for logs and messages: without user, password and fragment, and with the cursor cut at 40 characters. */
export function shownUrl(url: URL): string {
  const shown = new URL(url.origin + url.pathname + url.search);
  const cursor = shown.searchParams.get("cursor");
  if (cursor !== null && cursor.length > SHOWN_CURSOR) {
    shown.searchParams.set("cursor", `${cursor.slice(0, SHOWN_CURSOR)}…`);
  }
  return shown.href;
}
