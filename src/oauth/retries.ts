/** Doing again what time may mend (C4), for the requests that OAuth makes beside those of the interface. */
import type { BackoffPolicy } from "../core/retry.ts";
import { backoffWait, parseHttpDate, parseRetryAfter } from "../core/retry.ts";
import type { Edges, HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { BrokenBody, readBody } from "../http/body.ts";
import { judgeFailure } from "../http/network.ts";

/** What one attempt came to. */
export type Attempt<Result> =
  | { readonly kind: "done"; readonly result: Result }
  /** Time may mend it; `reason` completes the sentence "The request failed: …". No secret. */
  | { readonly kind: "retryable"; readonly reason: string; readonly askedMs?: number | undefined };

export interface RetryContext {
  readonly edges: Edges;
  readonly backoff: BackoffPolicy;
  /** `source-ai-billing/0.1.0` */
  readonly userAgent: string;
  /** Ends the waits between attempts; an attempt under way goes on to its end. */
  readonly waits: AbortSignal;
  /** For the log; no secret. */
  readonly onRetry: (message: string) => void;
}

/**
 * Attempts until one is done.
 *
 * @param what the request as a log line shows it, e.g. `POST https://auth.example.com/token`
 * @throws ConnectorError `unavailable` where the retries are used up or `waits` aborts; what an attempt throws
 */
export async function withRetries<Result>(
  attempt: () => Promise<Attempt<Result>>,
  what: string,
  { edges, backoff, waits, onRetry }: RetryContext,
): Promise<Result> {
  let waitedMs = 0;
  for (let retried = 0; ; retried += 1) {
    // Nothing new is begun once the run is over; nothing is lost by what was never sent.
    if (waits.aborted) throw unavailable(what, "the run ended before it was sent", retried);
    const outcome = await attempt();
    if (outcome.kind === "done") return outcome.result;
    const { reason, askedMs } = outcome;
    const waitMs = backoffWait(retried, waitedMs, edges.random(), backoff, askedMs);
    if (waitMs === undefined || waits.aborted) throw unavailable(what, reason, retried + 1);
    onRetry(
      `The request failed: ${reason}. Trying again in ${(waitMs / 1000).toFixed(2)} s ` +
        `(retry ${retried + 1} of ${backoff.retries}): ${what}`,
    );
    const slept = await edges.clock.sleep(waitMs, waits).then(
      () => true,
      () => false,
    );
    if (!slept) throw unavailable(what, reason, retried + 1);
    waitedMs += waitMs;
  }
}

function unavailable(what: string, reason: string, attempts: number): ConnectorError {
  return new ConnectorError(
    "unavailable",
    `The authorization server gave no usable answer in ${attempts} attempt${attempts === 1 ? "" : "s"}; at last: ` +
      `${reason}. Nothing is lost: run again later.`,
    { detail: `${reason}; ${what}` },
  );
}

/** A whole answer of an authorization server, whatever its status. */
export interface WholeResponse {
  readonly status: number;
  readonly headers: HttpResponse["headers"];
  readonly text: string;
}

/** The most bytes of an answer; tokens and metadata have a few thousand. */
const MAXIMUM_BYTES = 1024 ** 2;

/** Never aborted: an answer that is lost may have held the only refresh token that is still good. */
const NEVER = new AbortController().signal;

/**
 * One request, judged as far as that needs no knowledge of OAuth: 5xx, 408, 429 and what breaks on the way pass.
 *
 * @param body of a POST (`application/x-www-form-urlencoded`); absent for a GET
 * @param first nothing has been heard of this address yet: a name that does not exist, TLS that fails and the like are
 *   `wrong_address` at once
 * @throws ConnectorError `wrong_address`, `provider_fault`
 */
export async function sendOnce(
  request: {
    readonly url: URL;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | undefined;
    readonly first: boolean;
    /** What the address is called in the config, e.g. `token_url`. */
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

/** The `wrong_address` of an authorization server; the query of the address is not shown. */
export function wrongAddress(name: string, url: URL, reason: string): ConnectorError {
  return new ConnectorError(
    "wrong_address",
    `The address ${url.origin}${url.pathname} (${name}) cannot be right: ${reason}. Check ${name} under credentials.`,
    { detail: reason },
  );
}
