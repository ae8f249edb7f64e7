/**
 * One request to the provider, until it is answered or cannot be: rate gate (C2), credential, retries (C4), deadline.
 */
import { isLoopback } from "../core/loopback.ts";
import type { BackoffPolicy } from "../core/retry.ts";
import { backoffWait } from "../core/retry.ts";
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

/** The most bytes of a body, compressed or not: some hundred times a page of 1,000 records. */
export const MAXIMUM_BODY_BYTES = 256 * 1024 ** 2;

/** A wait before a request is sent again. */
export interface Retry {
  /** Which retry it is, from 1, of how many. */
  readonly retry: number;
  readonly retries: number;
  readonly waitMs: number;
  /** For the log: address, reason, wait. No secret. */
  readonly message: string;
}

/** One sending of a request and what came of it. */
export interface Attempt {
  readonly url: URL;
  /** The answer, where it is what was asked for. */
  readonly answer: Answer<unknown> | undefined;
  /** For the log: address, outcome, duration, size. No secret. */
  readonly message: string;
}

export interface ClientOptions {
  readonly edges: Edges;
  readonly auth: Auth;
  readonly gate: Gate;
  /** The only origin that ever gets the credential, e.g. `https://api.example.com`. */
  readonly origin: string;
  readonly backoff: BackoffPolicy;
  readonly maximumBytes: number;
  /** `source-ai-billing/0.1.0` */
  readonly userAgent: string;
  readonly onRetry?: ((retry: Retry) => void) | undefined;
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** One GET. */
export interface GetRequest<Scanned = never> {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** The first request of a run: an address that cannot be right is `wrong_address` at once (C4). */
  readonly first?: boolean | undefined;
  /**
   * When to give up, in milliseconds since 1970 on this side's clock; ends waits and a request under way alike. `check`
   * gives one, ten seconds ahead.
   */
  readonly deadlineMs?: number | undefined;
  /** Reads the body without JSON.parse, for pages of records. */
  readonly scan?: ScanBody<Scanned> | undefined;
  /**
   * When the answer is wanted; at once where it is not given. Until then a body waits as the bytes that came: parsed, a
   * page is some 20,000 values, which every collection of garbage meanwhile would copy.
   */
  readonly turn?: Promise<void> | undefined;
  /** Makes the error of a 400 from the problem document and the text for `detail`. */
  readonly onBadRequest?: ((problem: ProblemText, detail: string) => ConnectorError) | undefined;
}

/** What the caller aborts is an `aborted` error, or the ConnectorError that it gave as the reason. */
function abortedError(signal: AbortSignal): ConnectorError {
  if (signal.reason instanceof ConnectorError) return signal.reason;
  return new ConnectorError("aborted", "The sync was stopped before it ended.", {
    detail: "aborted while a request was under way",
    cause: signal.reason,
  });
}

/** The client of one provider with one credential; serves all lanes and streams. */
export class Client {
  readonly #options: ClientOptions;
  readonly #pool = new BufferPool();

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /**
   * Sends a GET until it is answered with JSON.
   *
   * @returns the body of the 200 answer
   * @throws ConnectorError and nothing else: `wrong_address` (first request only), `unauthorized`, `forbidden`,
   *   `bad_request` or what `onBadRequest` makes, `rate_limited`, `unavailable`, `provider_fault`, `aborted`
   */
  async get<Scanned = never>(ask: GetRequest<Scanned>): Promise<Answer<Scanned>> {
    if (ask.url.origin !== this.#options.origin) {
      // A bearer token is never sent to another origin; the endpoints were resolved under base_url (W5).
      throw ConnectorError.from(new Error(`request outside of ${this.#options.origin}`));
    }
    const deadline = this.#deadline(ask);
    let last: string | undefined; // why the latest attempt failed, for the message when the time is up
    try {
      return await this.#repeat(ask, deadline.signal, (reason) => {
        last = reason;
      });
    } catch (reason) {
      if (ask.signal.aborted) throw abortedError(ask.signal);
      if (deadline.signal.aborted) throw late(ask, last);
      throw ConnectorError.from(reason);
    } finally {
      deadline.clear();
    }
  }

  /** The caller's signal, or one that ends at the deadline too; `clear` ends the timer and lets go of the signal. */
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
    ask: GetRequest<Scanned>,
    signal: AbortSignal,
    remember: (reason: string) => void,
  ): Promise<Answer<Scanned>> {
    const { gate, auth } = this.#options;
    let retried = 0;
    let waitedMs = 0;
    let renewed = false; // a 401 is answered with another credential once
    for (;;) {
      const pass = await gate.pass(signal);
      const authorization = await auth.authorization(signal);
      const began = this.#options.edges.clock.now();
      // A page counts for the gate when it has come, not only when a slow reader of stdout wants it.
      const arrived = (): void => gate.succeeded(pass);
      const verdict = await this.#send(ask, authorization, signal, arrived);
      signal.throwIfAborted();
      this.#tell(ask, verdict, began);
      switch (verdict.kind) {
        case "answered":
          return verdict.answer;
        case "failed":
          throw verdict.error;
        case "limited":
          gate.limited(pass, verdict.askedMs);
          break;
        case "unauthorized":
          if (renewed) throw verdict.error;
          renewed = await auth.unauthorized(
            { authorization, challenge: verdict.challenge },
            signal,
          );
          if (!renewed) throw verdict.error;
          break;
        case "retryable":
          remember(verdict.reason);
          waitedMs += await this.#backOff(ask, verdict, retried, waitedMs, signal);
          retried += 1;
      }
    }
  }

  async #send<Scanned>(
    ask: GetRequest<Scanned>,
    authorization: string,
    signal: AbortSignal,
    onArrived: () => void,
  ): Promise<Verdict<Scanned>> {
    const { edges, maximumBytes, userAgent } = this.#options;
    const asked: RequestContext<Scanned> = {
      shownUrl: shownUrl(ask.url),
      first: ask.first ?? false,
      secret: authorization.slice(authorization.indexOf(" ") + 1),
      maximumBytes,
      pool: this.#pool,
      scan: ask.scan,
      turn: ask.turn,
      onArrived,
      onBadRequest: ask.onBadRequest,
    };
    const headers = {
      accept: "application/json, application/problem+json",
      // On the same machine compressing costs more than it saves.
      "accept-encoding": isLoopback(ask.url) ? "identity" : "gzip",
      authorization,
      "user-agent": userAgent,
    };
    let answered = false;
    try {
      const response = await edges.transport({ url: ask.url, headers, signal });
      answered = true;
      return await judgeResponse(response, asked, edges.clock.now());
    } catch (thrown) {
      return judgeThrown(thrown, asked, answered);
    }
  }

  #tell({ url }: GetRequest<unknown>, verdict: Verdict<unknown>, began: number): void {
    const { edges, onAttempt } = this.#options;
    const answer = verdict.kind === "answered" ? verdict.answer : undefined;
    const ms = Math.round(edges.clock.now() - began);
    onAttempt?.({ url, answer, message: `GET ${shownUrl(url)}: ${outcomeOf(verdict)}, ${ms} ms` });
  }

  /** Waits before the next retry and says so; returns how long, in milliseconds. */
  async #backOff(
    ask: GetRequest<unknown>,
    failure: Extract<Verdict, { kind: "retryable" }>,
    retried: number,
    waitedMs: number,
    signal: AbortSignal,
  ): Promise<number> {
    const { backoff, edges, onRetry } = this.#options;
    const waitMs = backoffWait(retried, waitedMs, edges.random(), backoff, failure.askedMs);
    if (waitMs === undefined) throw unavailable(ask, failure, retried + 1);
    if (ask.deadlineMs !== undefined && edges.clock.now() + waitMs >= ask.deadlineMs) {
      throw unavailable(ask, failure, retried + 1);
    }
    const [retry, retries] = [retried + 1, backoff.retries];
    onRetry?.({
      retry,
      retries,
      waitMs,
      message:
        `The request failed: ${failure.reason}. Trying again in ${(waitMs / 1000).toFixed(2)} s ` +
        `(retry ${retry} of ${retries}): GET ${shownUrl(ask.url)}`,
    });
    await edges.clock.sleep(waitMs, signal);
    return waitMs;
  }
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
  ask: GetRequest<unknown>,
  failure: Extract<Verdict, { kind: "retryable" }>,
  attempts: number,
): ConnectorError {
  return new ConnectorError(
    "unavailable",
    `The provider gave no usable answer in ${attempts} attempt${attempts === 1 ? "" : "s"}; at last: ${failure.reason}. ` +
      `${NO_LOSS}${ask.first === true ? CHECK_ADDRESS : ""}`,
    { detail: `${failure.reason}; GET ${shownUrl(ask.url)}`, cause: failure.cause },
  );
}

function late(ask: GetRequest<unknown>, last: string | undefined): ConnectorError {
  const before = last === undefined ? "" : ` Before, an attempt failed: ${last}.`;
  return new ConnectorError(
    "unavailable",
    `The provider did not answer within the time that a check may take.${before} ${NO_LOSS}` +
      (ask.first === true ? CHECK_ADDRESS : ""),
    { detail: `deadline passed; GET ${shownUrl(ask.url)}` },
  );
}

const NO_LOSS = "Nothing is lost: run again later.";
const CHECK_ADDRESS = " If it stays so, check that base_url is right and can be reached from here.";

/** The most characters of a cursor that are shown: it may be long, and tells a reader nothing. */
const SHOWN_CURSOR = 40;

/** An address for logs and messages: no user or password, no fragment, the cursor cut at 40 characters. */
export function shownUrl(url: URL): string {
  const shown = new URL(url.origin + url.pathname + url.search);
  const cursor = shown.searchParams.get("cursor");
  if (cursor !== null && cursor.length > SHOWN_CURSOR) {
    shown.searchParams.set("cursor", `${cursor.slice(0, SHOWN_CURSOR)}…`);
  }
  return shown.href;
}
