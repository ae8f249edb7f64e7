/** Requests of OAuth, repeated after failures that may pass (C4). */
import { foreignText } from "../core/foreign_text.ts";
import type { BackoffPolicy } from "../core/retry.ts";
import { backoffWait, parseHttpDate, parseRetryAfter } from "../core/retry.ts";
import type { Clock, Edges, HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { BrokenBody, readBody } from "../http/body.ts";
import { judgeFailure } from "../http/network.ts";

/** The outcome of one attempt. */
export type Attempt<Result> =
  | { readonly kind: "done"; readonly result: Result }
  /** A later attempt may work. `reason` completes the sentence "The request failed: …"; it holds no secret. */
  | { readonly kind: "retryable"; readonly reason: string; readonly askedMs?: number | undefined };

export interface RetryContext {
  readonly edges: Edges;
  readonly backoff: BackoffPolicy;
  /** `source-ai-billing/0.1.0` */
  readonly userAgent: string;
  /** Once aborted, no further attempt begins, and an attempt under way has {@link LAST_ANSWER} left. */
  readonly retrySignal: AbortSignal;
  /** Every attempt ends at this instant of this side's clock at the latest, in milliseconds since 1970 (`check`, L2). */
  readonly deadlineMs?: number | undefined;
  /** Gets a line for the log, without a secret. */
  readonly onRetry: (message: string) => void;
}

/**
 * Repeats an attempt until it is done.
 *
 * @param request its text in a log line, such as `POST https://auth.example.com/token`
 * @throws ConnectorError `unavailable` if the retries or the time are used up or `retrySignal` aborts; the error of an
 *   attempt
 */
export async function withRetries<Result>(
  attempt: () => Promise<Attempt<Result>>,
  request: string,
  { edges, backoff, retrySignal, deadlineMs = Infinity, onRetry }: RetryContext,
): Promise<Result> {
  let waitedMs = 0;
  for (let retried = 0; ; retried += 1) {
    // After the end of the run no request begins; a request that was never sent loses nothing.
    if (retrySignal.aborted)
      throw unavailable(request, "the run ended before it was sent", retried);
    const outcome = await attempt();
    if (outcome.kind === "done") return outcome.result;
    const { reason, askedMs } = outcome;
    const waitMs = backoffWait(retried, waitedMs, edges.random(), backoff, askedMs);
    const isOver = retrySignal.aborted || edges.clock.now() + (waitMs ?? 0) >= deadlineMs;
    if (waitMs === undefined || isOver) throw unavailable(request, reason, retried + 1);
    onRetry(
      `The request failed: ${reason}. Trying again in ${(waitMs / 1000).toFixed(2)} s ` +
        `(retry ${retried + 1} of ${backoff.retries}): ${request}`,
    );
    const slept = await edges.clock.sleep(waitMs, retrySignal).then(
      () => true,
      () => false,
    );
    if (!slept) throw unavailable(request, reason, retried + 1);
    waitedMs += waitMs;
  }
}

function unavailable(request: string, reason: string, attempts: number): ConnectorError {
  return new ConnectorError(
    "unavailable",
    `The authorization server gave no usable answer in ${attempts} attempt${attempts === 1 ? "" : "s"}; the last failure: ` +
      `${reason}. Nothing is lost: run again later.`,
    { detail: `${reason}; ${request}` },
  );
}

/** A complete answer of an authorization server, with any status. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly text: string;
}

/** The largest answer in bytes (L1); tokens and metadata have a few thousand. */
const MAXIMUM_BYTES = 1024 ** 2;

/** The longest time from a request to the last byte of its answer, in milliseconds (L2). */
const LONGEST_ANSWER = 300_000;

/**
 * The time that an answer still has after the run has ended, in milliseconds. It is not zero, because the answer may hold
 * the only valid refresh token. It ends before the process dies from a signal.
 */
const LAST_ANSWER = 4000;

export interface OAuthRequest {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the request a POST (`application/x-www-form-urlencoded`). Such a request spends a grant. */
  readonly body?: string | undefined;
  /** This address has never answered: an unknown host, failing TLS and the like are `wrong_address` at once. */
  readonly first: boolean;
  /** The key of the address in the config, such as `token_url`. */
  readonly name: string;
  /** Called when an answer with status 200 begins: the server has spent the grant of a POST. */
  readonly onSpent?: (() => void) | undefined;
}

/**
 * Sends one request. 5xx, 408, 429 and broken connections are retryable; every other answer is for the caller to judge.
 *
 * A POST whose answer has begun with status 200 is never retryable: the server has spent the grant, and an honest server
 * takes its repetition for a theft.
 *
 * @throws ConnectorError `wrong_address`, `provider_fault` (the answer is too large), `unavailable` (the time is over, or
 *   the answer to a POST broke off)
 */
export async function sendOnce(
  request: OAuthRequest,
  context: RetryContext,
): Promise<Attempt<WholeResponse>> {
  const { url, body } = request;
  const { edges, userAgent } = context;
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    ...request.headers,
    "user-agent": userAgent,
  };
  const limit = answerLimit(edges.clock, context);
  let hasSpentGrant = false;
  try {
    const response = await edges.transport({ url, headers, body, signal: limit.signal });
    const { status, headers: answered } = response;
    hasSpentGrant = body !== undefined && status === 200;
    if (hasSpentGrant) request.onSpent?.();
    const { text } = await readBody(response, MAXIMUM_BYTES);
    if (status < 500 && status !== 408 && status !== 429) {
      return { kind: "done", result: { status, headers: answered, text } };
    }
    const nowMs = edges.clock.now();
    const dateMs = parseHttpDate(answered["date"] ?? "", nowMs);
    const askedMs = parseRetryAfter(answered["retry-after"] ?? "", dateMs, nowMs);
    return { kind: "retryable", reason: `HTTP ${status}`, askedMs };
  } catch (thrown) {
    const reason = limit.signal.aborted ? "the answer took too long" : reasonOf(thrown, request);
    if (hasSpentGrant) throw lostAnswer(url, reason);
    if (limit.signal.aborted) throw tooLate(url);
    return { kind: "retryable", reason };
  } finally {
    limit.clear();
  }
}

/** A signal that aborts when the answer has no time left; `clear` stops its timers. */
function answerLimit(
  clock: Clock,
  { retrySignal, deadlineMs = Infinity }: RetryContext,
): { readonly signal: AbortSignal; clear(): void } {
  const limit = new AbortController();
  const timers = new AbortController();
  const abortIn = (ms: number): void => {
    const expire = (): void => limit.abort(new Error("the answer took too long"));
    clock.sleep(ms, timers.signal).then(expire, () => undefined);
  };
  const onEnd = (): void => abortIn(LAST_ANSWER);
  abortIn(Math.min(LONGEST_ANSWER, Math.max(0, deadlineMs - clock.now())));
  if (retrySignal.aborted) onEnd();
  else retrySignal.addEventListener("abort", onEnd, { once: true });
  const clear = (): void => {
    timers.abort();
    retrySignal.removeEventListener("abort", onEnd);
  };
  return { signal: limit.signal, clear };
}

/**
 * The reason of a retryable failure.
 *
 * @throws ConnectorError for every other failure
 */
function reasonOf(thrown: unknown, { url, first, name }: OAuthRequest): string {
  if (thrown instanceof BrokenBody) return thrown.message;
  if (thrown instanceof ConnectorError) throw tooLarge(url);
  const failure = judgeFailure(thrown, url.hostname);
  if (failure === undefined) throw ConnectorError.from(thrown);
  if (first && failure.kind !== "retryable") throw wrongAddress(name, url, failure.reason);
  return failure.reason;
}

function tooLarge(url: URL): ConnectorError {
  const detail = `${shownAddress(url)} sent more than ${MAXIMUM_BYTES} bytes`;
  return new ConnectorError(
    "provider_fault",
    `The answer of ${shownAddress(url)} is larger than 1 MiB. The request was not repeated. Report it to the provider.`,
    { detail },
  );
}

function tooLate(url: URL): ConnectorError {
  return new ConnectorError(
    "unavailable",
    `The authorization server did not answer in time (${shownAddress(url)}). Run again later.`,
    { detail: `no answer in time; ${shownAddress(url)}` },
  );
}

function lostAnswer(url: URL, reason: string): ConnectorError {
  return new ConnectorError(
    "unavailable",
    `The answer of the token endpoint ${shownAddress(url)} got lost: ${reason}. It may have held a new refresh token, so the old ` +
      "one was not sent a second time. Run again later; if the provider then refuses the refresh token, sign in again.",
    { detail: `${reason}; POST ${shownAddress(url)}` },
  );
}

/** The `wrong_address` error of an authorization server; it does not show the query of the address. */
export function wrongAddress(name: string, url: URL, reason: string): ConnectorError {
  return new ConnectorError(
    "wrong_address",
    `The address ${shownAddress(url)} (${name}) cannot be right: ${reason}. Check ${name} under credentials.`,
    { detail: reason },
  );
}

/** An address for messages, without its query. A provider may have named it. */
export function shownAddress(url: URL): string {
  return foreignText(url.origin + url.pathname);
}
