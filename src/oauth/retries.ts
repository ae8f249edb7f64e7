/** Requests of OAuth, repeated after failures that may pass (C4). */
import type { BackoffPolicy } from "../core/retry.ts";
import { backoffWait, parseHttpDate, parseRetryAfter } from "../core/retry.ts";
import type { Edges, HttpResponse } from "../edges.ts";
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
  /** Once aborted, no further attempt begins; an attempt under way goes on to its end. */
  readonly retrySignal: AbortSignal;
  /** Gets a line for the log, without a secret. */
  readonly onRetry: (message: string) => void;
}

/**
 * Repeats an attempt until it is done.
 *
 * @param request its text in a log line, such as `POST https://auth.example.com/token`
 * @throws ConnectorError `unavailable` if the retries are used up or `retrySignal` aborts; the error of an attempt
 */
export async function withRetries<Result>(
  attempt: () => Promise<Attempt<Result>>,
  request: string,
  { edges, backoff, retrySignal, onRetry }: RetryContext,
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
    if (waitMs === undefined || retrySignal.aborted)
      throw unavailable(request, reason, retried + 1);
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

/** Requests are never aborted: a lost answer may hold the only valid refresh token. */
const NEVER = new AbortController().signal;

/**
 * Sends one request. 5xx, 408, 429 and broken connections are retryable; every other answer is for the caller to judge.
 *
 * @param request `body` makes it a POST (`application/x-www-form-urlencoded`). `first`: this address has never answered,
 *   so that an unknown host, failing TLS and the like are `wrong_address` at once
 * @throws ConnectorError `wrong_address`, `provider_fault`
 */
export async function sendOnce(
  request: {
    readonly url: URL;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly first: boolean;
    /** The key of the address in the config, such as `token_url`. */
    readonly name: string;
  },
  { edges, userAgent }: RetryContext,
): Promise<Attempt<WholeResponse>> {
  const { url, body, first, name } = request;
  const headers = {
    accept: "application/json",
    "accept-encoding": "identity",
    ...request.headers,
    "user-agent": userAgent,
  };
  try {
    const response = await edges.transport({ url, headers, body, signal: NEVER });
    const { text } = await readBody(response, MAXIMUM_BYTES);
    const { status, headers: answered } = response;
    if (status < 500 && status !== 408 && status !== 429) {
      return { kind: "done", result: { status, headers: answered, text } };
    }
    const nowMs = edges.clock.now();
    const dateMs = parseHttpDate(answered["date"] ?? "", nowMs);
    const askedMs = parseRetryAfter(answered["retry-after"] ?? "", dateMs, nowMs);
    return { kind: "retryable", reason: `HTTP ${status}`, askedMs };
  } catch (thrown) {
    if (thrown instanceof BrokenBody) return { kind: "retryable", reason: thrown.message };
    const failure = judgeFailure(thrown, url.hostname);
    if (failure === undefined) throw ConnectorError.from(thrown);
    if (first && failure.kind !== "retryable") throw wrongAddress(name, url, failure.reason);
    return { kind: "retryable", reason: failure.reason };
  }
}

/** The `wrong_address` error of an authorization server; it does not show the query of the address. */
export function wrongAddress(name: string, url: URL, reason: string): ConnectorError {
  return new ConnectorError(
    "wrong_address",
    `The address ${url.origin}${url.pathname} (${name}) cannot be right: ${reason}. Check ${name} under credentials.`,
    { detail: reason },
  );
}
