/**
 * Judges the outcome of one attempt of a request (C4): the answer, or the error of the connection. Nothing is sent here, and
 * nothing waits here.
 */
import { foreignText } from "../core/foreign_text.ts";
import { parseAge, parseHttpDate, parseRetryAfter } from "../core/retry.ts";
import type { HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import {
  type Body,
  type BodyLimits,
  BrokenBody,
  decode,
  readBytes,
  readErrorBody,
} from "./body.ts";
import { judgeFailure } from "./network.ts";
import type { ProblemText } from "./problem.ts";
import { describeProblem, quoteProblem, readProblem } from "./problem.ts";
import { checkShape } from "./shape.ts";

/** The body of a 200 answer. */
export interface Answer<Scanned = never> {
  /** The result of JSON.parse; the envelope if a {@link ScanBody} read the body. */
  readonly value: unknown;
  /** The result of the {@link ScanBody}; else the text of the body without a byte order mark. */
  readonly content: Scanned | string;
  /** Length of the decompressed body in bytes. */
  readonly bytes: number;
  /** The `Date` header in milliseconds since 1970, if present and valid. */
  readonly dateMs: number | undefined;
  /** The time that the answer has spent in caches, by its `Age` header, in milliseconds; 0 without a plausible one. */
  readonly ageMs: number;
  /**
   * Ends the answer's share of the memory for bodies (L1). To be called once the answer is no longer read. The signal's abort
   * does the same, and so does a {@link ScanBody} once nobody reads the bytes.
   */
  readonly release: () => void;
}

/**
 * Reads a body without JSON.parse. Returns null if the body needs JSON.parse. Calls `release` once when nobody reads the
 * bytes any more.
 */
export type ScanBody<Scanned> = (
  body: Buffer,
  release: () => void,
) => { readonly envelope: unknown; readonly records: Scanned } | null;

/** The judgment of one attempt. It decides the client's next step. */
export type Verdict<Scanned = never> =
  | { readonly kind: "answered"; readonly answer: Answer<Scanned> }
  /** 429; `retryAfterMs` is the wait of a valid `Retry-After` header, in milliseconds. */
  | { readonly kind: "limited"; readonly retryAfterMs: number | undefined }
  /** 401; the client throws `error` if the credential cannot be renewed. */
  | {
      readonly kind: "unauthorized";
      readonly challenge: string | undefined;
      readonly error: ConnectorError;
    }
  /** A retry may help; `reason` completes the sentence "The request failed: …". */
  | {
      readonly kind: "retryable";
      readonly reason: string;
      /** The headers of a 200 answer have arrived, and its body is at fault (P3). */
      readonly isBroken?: boolean;
      readonly retryAfterMs?: number | undefined;
      readonly cause?: unknown;
    }
  /** A retry cannot help. */
  | { readonly kind: "failed"; readonly error: ConnectorError };

/** The request, as far as the judgment needs it. */
export interface RequestContext<Scanned = never> {
  /** The address for messages. */
  readonly shownUrl: string;
  /** Whether this is the first request of a run: signs of a wrong address are then an error at once. */
  readonly first: boolean;
  /** The credential of this request. It is masked in every message. */
  readonly secret: string;
  readonly limits: BodyLimits;
  /** Runs before JSON.parse, for pages of records. */
  readonly scan?: ScanBody<Scanned> | undefined;
  /** Defers parsing until this resolves. Until then the body waits as bytes. */
  readonly turn?: Promise<void> | undefined;
  /** Called when the whole body of a 200 has arrived, before {@link turn} resolves. */
  readonly onArrived?: (() => void) | undefined;
  /** Makes the error for a 400 from the problem document and the text for `detail`. */
  readonly onBadRequest?: ((problem: ProblemText, detail: string) => ConnectorError) | undefined;
}

/** The most bytes that are read of an error's body. */
const ERROR_BODY_BYTES = 64 * 1024;

const WEB_PAGE = /^\s*<(!doctype\s+html|html|head|body)\b/i;

/**
 * Judges a response whose headers have arrived. Reads its body.
 *
 * @param nowMs the local clock, used if the response has no `Date`
 */
export async function judgeResponse<Scanned>(
  response: HttpResponse,
  context: RequestContext<Scanned>,
  nowMs: number,
): Promise<Verdict<Scanned>> {
  if (response.status === 200) return judgeBody(response, context, nowMs);
  const body = await readErrorBody(response, ERROR_BODY_BYTES);
  return judgeStatus(response, body, context, nowMs);
}

/**
 * Judges an error of the transport or of the body's stream.
 *
 * @param answered whether headers had arrived. If so, the address is right, whatever broke later.
 */
export function judgeThrown(
  thrown: unknown,
  context: RequestContext<unknown>,
  answered: boolean,
): Verdict {
  if (thrown instanceof ConnectorError) return { kind: "failed", error: thrown };
  if (thrown instanceof BrokenBody) {
    return { kind: "retryable", reason: thrown.message, isBroken: true, cause: thrown.cause };
  }
  const failure = judgeFailure(thrown, new URL(context.shownUrl).hostname);
  if (failure === undefined) return { kind: "failed", error: ConnectorError.from(thrown) };
  if (context.first && !answered && failure.kind !== "retryable") {
    return {
      kind: "failed",
      error: wrongAddress(context, failure.reason, ADVICE[failure.kind], thrown),
    };
  }
  return { kind: "retryable", reason: failure.reason, cause: thrown };
}

const ADVICE = {
  no_such_host: "Check base_url for a typing error.",
  tls: "Check base_url, and that the provider's certificate is valid for it.",
  not_http: "Check the scheme and the port of base_url.",
  proxy:
    "Check the environment variable HTTPS_PROXY or HTTP_PROXY, and add the host to NO_PROXY where it needs no proxy.",
} as const;

async function judgeBody<Scanned>(
  response: HttpResponse,
  context: RequestContext<Scanned>,
  nowMs: number,
): Promise<Verdict<Scanned>> {
  const type = mediaType(response);
  if (type !== "application/json") {
    const body = await readErrorBody(response, ERROR_BODY_BYTES);
    if (context.first && isWebPage(type, body)) return webPage(context, 200);
    return {
      kind: "retryable",
      reason: `HTTP 200 came with the content-type "${foreignText(type, context.secret)}"`,
      isBroken: true,
    };
  }
  const body = await readBytes(response, context.limits);
  context.onArrived?.();
  await context.turn;
  try {
    const dateMs = parseHttpDate(response.headers["date"] ?? "", nowMs);
    const scanned = context.scan?.(body.bytes, body.release) ?? null;
    const { value, content, bytes } =
      scanned === null
        ? await parse(body)
        : { value: scanned.envelope, content: scanned.records, bytes: body.bytes.length };
    if (context.scan === undefined) body.release();
    const ageMs = parseAge(response.headers["age"] ?? "");
    const { release } = body;
    return { kind: "answered", answer: { value, content, bytes, dateMs, ageMs, release } };
  } catch (thrown) {
    body.release();
    if (!(thrown instanceof NoJson)) throw thrown;
    if (context.first && isWebPage(type, thrown.text)) return webPage(context, 200);
    return { kind: "retryable", reason: thrown.message, isBroken: true, cause: thrown.cause };
  }
}

/** A body that JSON.parse refuses. */
class NoJson extends Error {
  readonly text: string;

  constructor(text: string, cause: unknown) {
    super(text.trim() === "" ? "the body is empty" : "the body is no valid JSON", { cause });
    this.text = text;
  }
}

async function parse(
  body: Body,
): Promise<{ readonly value: unknown; readonly content: string; bytes: number }> {
  const bytes = body.bytes.length;
  checkShape(body.bytes);
  await body.growForParsing();
  const content = decode(body.bytes);
  body.recycle();
  try {
    return { value: JSON.parse(content), content, bytes };
  } catch (cause) {
    throw new NoJson(content, cause);
  }
}

function judgeStatus(
  response: HttpResponse,
  body: string,
  context: RequestContext<unknown>,
  nowMs: number,
): Verdict {
  const { status, headers } = response;
  const problem = readProblem(body, context.secret);
  const detail = `${describeProblem(status, problem)}; ${context.shownUrl}`;
  if (status === 429) return { kind: "limited", retryAfterMs: retryAfter(headers, nowMs) };
  if (status === 401) {
    return {
      kind: "unauthorized",
      challenge: headers["www-authenticate"],
      error: unauthorized(problem, detail),
    };
  }
  if (status === 403)
    return { kind: "failed", error: forbidden(headers, problem, detail, context.secret) };
  // 408: the server reports a time-out.
  if (status >= 500 || status === 408) {
    const retryAfterMs = retryAfter(headers, nowMs);
    return { kind: "retryable", reason: describeProblem(status, problem), retryAfterMs };
  }
  if (context.first && isWebPage(mediaType(response), body)) return webPage(context, status);
  return { kind: "failed", error: judgeFinal(response, problem, detail, context) };
}

/** 400, 404, redirects and all statuses that the interface does not know. */
function judgeFinal(
  { status, headers }: HttpResponse,
  problem: ProblemText,
  detail: string,
  context: RequestContext<unknown>,
): ConnectorError {
  if (status === 400) return context.onBadRequest?.(problem, detail) ?? badRequest(problem, detail);
  const redirect = status >= 300 && status < 400 && status !== 304; // a cache's answer names no other address
  if (context.first && redirect) {
    const target = redirectTarget(headers["location"], context);
    const reason = `it redirects (HTTP ${status}${target})`;
    return wrongAddress(
      context,
      reason,
      "Redirects are not followed: set base_url to the address that the redirect names.",
    );
  }
  if (context.first && status === 404) {
    const advice = "Check base_url: it ends before /v1/finops/capabilities and may need a path.";
    return wrongAddress(context, "there is nothing there (HTTP 404)", advice);
  }
  const conduct = redirect
    ? "redirects, which the interface does not know"
    : "gave an answer that the interface does not know";
  return new ConnectorError(
    "provider_fault",
    `The provider ${conduct} (HTTP ${status}) to GET ${context.shownUrl}.${quoteProblem(problem)} Report it to the provider.`,
    { detail },
  );
}

function retryAfter(headers: HttpResponse["headers"], nowMs: number): number | undefined {
  const dateMs = parseHttpDate(headers["date"] ?? "", nowMs);
  return parseRetryAfter(headers["retry-after"] ?? "", dateMs, nowMs);
}

function mediaType(response: HttpResponse): string {
  const type = (response.headers["content-type"] ?? "").split(";")[0] ?? "";
  return type.trim().toLowerCase();
}

function isWebPage(type: string, body: string): boolean {
  return type === "text/html" || type === "application/xhtml+xml" || WEB_PAGE.test(body);
}

function webPage(context: RequestContext<unknown>, status: number): Verdict {
  const reason = `it answers with a web page (HTTP ${status}) instead of JSON`;
  const advice = "Check base_url: it is the address of the provider's API, not of its website.";
  return { kind: "failed", error: wrongAddress(context, reason, advice) };
}

/** `, to https://host/path` of a redirect, without the query, which may hold a secret. */
function redirectTarget(
  location: string | undefined,
  { shownUrl, secret }: RequestContext<unknown>,
): string {
  const target = URL.parse(location ?? "", shownUrl);
  if (location === undefined || target === null || target.origin === "null") return "";
  return `, to ${foreignText(target.origin + target.pathname, secret)}`;
}

function wrongAddress(
  context: RequestContext<unknown>,
  reason: string,
  advice: string,
  cause?: unknown,
): ConnectorError {
  return new ConnectorError(
    "wrong_address",
    `The address ${context.shownUrl} cannot be right: ${reason}. ${advice}`,
    { detail: reason, cause },
  );
}

function unauthorized(problem: ProblemText, detail: string): ConnectorError {
  return new ConnectorError(
    "unauthorized",
    `The provider does not accept the credential (HTTP 401).${quoteProblem(problem)} Check that the token or key is complete, ` +
      "belongs to this provider and has not expired or been revoked; issue a new one, or authorize again.",
    { detail },
  );
}

function forbidden(
  headers: HttpResponse["headers"],
  problem: ProblemText,
  detail: string,
  secret: string,
): ConnectorError {
  const scope = /\bscope="([\w.: -]{1,200})"/.exec(headers["www-authenticate"] ?? "")?.[1];
  const scopes = scope === undefined ? [] : foreignText(scope, secret).split(" ");
  const needs =
    scopes.length > 1
      ? `one of the scopes ${scopes.join(", ")}`
      : scopes[0] === undefined
        ? "a scope or access to the account"
        : `the scope ${scopes[0]}`;
  // A provider that an adapter reads has scopes of its own, and its answer names the missing one.
  const own = scopes.length > 0 && scopes.every((name) => !name.startsWith("billing."));
  const rule = own
    ? "."
    : "; usage needs billing.account.read and billing.usage.read, costs need billing.cost.read.";
  return new ConnectorError(
    "forbidden",
    `The credential is valid but lacks ${needs} (HTTP 403).${quoteProblem(problem)} Ask the provider's administrator to ` +
      `grant it${rule}`,
    { detail },
  );
}

function badRequest(problem: ProblemText, detail: string): ConnectorError {
  return new ConnectorError(
    "bad_request",
    `The provider refuses a request that follows the interface (HTTP 400).${quoteProblem(problem)} Report it to the provider.`,
    { detail },
  );
}
