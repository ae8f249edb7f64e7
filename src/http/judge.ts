/**
 * What an answer, or the lack of one, means for the request (C4): judgement only, nothing is sent or waited for here.
 */
import { parseHttpDate, parseRetryAfter } from "../core/retry.ts";
import type { BufferPool } from "./buffers.ts";
import type { HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { BrokenBody, decode, readBytes, readErrorBody } from "./body.ts";
import { judgeFailure } from "./network.ts";
import type { ProblemText } from "./problem.ts";
import { describeProblem, quoteProblem, readProblem } from "./problem.ts";

/** The body of a 200 answer. */
export interface Answer<Scanned = never> {
  /** The body as JSON.parse gives it; the envelope where a {@link ScanBody} took the body. */
  readonly value: unknown;
  /** The result of the {@link ScanBody}; else the body's text without a byte order mark. */
  readonly content: Scanned | string;
  /** Length of the body in bytes, once decompressed. */
  readonly bytes: number;
  /** The `Date` header in milliseconds since 1970, where it is there and valid. */
  readonly dateMs: number | undefined;
}

/**
 * Reads a body without JSON.parse. Returns null where the body needs JSON.parse. Calls `release` once when nobody reads the
 * bytes any more.
 */
export type ScanBody<Scanned> = (
  body: Buffer,
  release: () => void,
) => { readonly envelope: unknown; readonly records: Scanned } | null;

/** What the client does after one sending of a request. */
export type Verdict<Scanned = never> =
  | { readonly kind: "answered"; readonly answer: Answer<Scanned> }
  /** 429; `askedMs` is what a valid `Retry-After` asks for. */
  | { readonly kind: "limited"; readonly askedMs: number | undefined }
  /** 401; `error` is what to throw where no other credential can be had. */
  | {
      readonly kind: "unauthorized";
      readonly challenge: string | undefined;
      readonly error: ConnectorError;
    }
  /** Time may mend it; `reason` completes the sentence "The request failed: …". */
  | {
      readonly kind: "retryable";
      readonly reason: string;
      readonly askedMs?: number | undefined;
      readonly cause?: unknown;
    }
  /** Nothing mends it. */
  | { readonly kind: "failed"; readonly error: ConnectorError };

/** What the judgement needs to know of the request. */
export interface RequestContext<Scanned = never> {
  /** The address as it may be shown. */
  readonly shownUrl: string;
  /** The first request of a run: what shows a wrong address is an error at once. */
  readonly first: boolean;
  /** The credential as it was sent, kept out of everything that is shown. */
  readonly secret: string;
  /** The most bytes of a body. */
  readonly maximumBytes: number;
  /** Where bodies are collected. */
  readonly pool: BufferPool;
  /** Tried before JSON.parse, for pages of records. */
  readonly scan?: ScanBody<Scanned> | undefined;
  /** When the answer is wanted: until then its body waits as the bytes that came. */
  readonly turn?: Promise<void> | undefined;
  /** Told of a 200 whose body has come whole, before its {@link turn}. */
  readonly onArrived?: (() => void) | undefined;
  /** Makes the error of a 400, where the caller knows what was asked for. */
  readonly onBadRequest?: ((problem: ProblemText, detail: string) => ConnectorError) | undefined;
}

/** The most bytes of an error's body that are read. */
const ERROR_BODY_BYTES = 64 * 1024;

const WEB_PAGE = /^\s*<(!doctype\s+html|html|head|body)\b/i;

/**
 * Judges a response whose headers have arrived; reads its body.
 *
 * @param nowMs this side's clock, for dates where the response has none
 */
export async function judgeResponse<Scanned>(
  response: HttpResponse,
  asked: RequestContext<Scanned>,
  nowMs: number,
): Promise<Verdict<Scanned>> {
  if (response.status === 200) return judgeBody(response, asked, nowMs);
  const body = await readErrorBody(response, ERROR_BODY_BYTES);
  return judgeStatus(response, body, asked, nowMs);
}

/**
 * Judges what the transport, or the body it gave, threw.
 *
 * @param answered whether headers had arrived: what breaks after them says nothing about the address
 */
export function judgeThrown(
  thrown: unknown,
  asked: RequestContext<unknown>,
  answered: boolean,
): Verdict {
  if (thrown instanceof ConnectorError) return { kind: "failed", error: thrown };
  if (thrown instanceof BrokenBody) {
    return { kind: "retryable", reason: thrown.message, cause: thrown.cause };
  }
  const failure = judgeFailure(thrown, new URL(asked.shownUrl).hostname);
  if (failure === undefined) return { kind: "failed", error: ConnectorError.from(thrown) };
  if (asked.first && !answered && failure.kind !== "retryable") {
    return {
      kind: "failed",
      error: wrongAddress(asked, failure.reason, ADVICE[failure.kind], thrown),
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
  asked: RequestContext<Scanned>,
  nowMs: number,
): Promise<Verdict<Scanned>> {
  const type = mediaType(response);
  if (type !== "application/json") {
    const body = await readErrorBody(response, ERROR_BODY_BYTES);
    if (asked.first && isWebPage(type, body)) return webPage(asked, 200);
    return { kind: "retryable", reason: `HTTP 200 came with the content-type "${type}"` };
  }
  const body = await readBytes(response, asked.maximumBytes, asked.pool);
  asked.onArrived?.();
  await asked.turn;
  const bytes = body.bytes.length;
  const dateMs = parseHttpDate(response.headers["date"] ?? "", nowMs);
  const scanned = asked.scan?.(body.bytes, body.release) ?? null;
  if (scanned !== null) {
    const { envelope: value, records: content } = scanned;
    return { kind: "answered", answer: { value, content, bytes, dateMs } };
  }
  const text = decode(body.bytes);
  body.release();
  try {
    const value: unknown = JSON.parse(text);
    return { kind: "answered", answer: { value, content: text, bytes, dateMs } };
  } catch (cause) {
    if (asked.first && isWebPage(type, text)) return webPage(asked, 200);
    const reason = text.trim() === "" ? "the body is empty" : "the body is no valid JSON";
    return { kind: "retryable", reason, cause };
  }
}

function judgeStatus(
  response: HttpResponse,
  body: string,
  asked: RequestContext<unknown>,
  nowMs: number,
): Verdict {
  const { status, headers } = response;
  const problem = readProblem(body, asked.secret);
  const detail = `${describeProblem(status, problem)}; ${asked.shownUrl}`;
  if (status === 429) return { kind: "limited", askedMs: retryAfter(headers, nowMs) };
  if (status === 401) {
    return {
      kind: "unauthorized",
      challenge: headers["www-authenticate"],
      error: unauthorized(problem, detail),
    };
  }
  if (status === 403) return { kind: "failed", error: forbidden(headers, problem, detail) };
  // 408 is a time-out that the server says itself.
  if (status >= 500 || status === 408) {
    const askedMs = retryAfter(headers, nowMs);
    return { kind: "retryable", reason: describeProblem(status, problem), askedMs };
  }
  if (asked.first && isWebPage(mediaType(response), body)) return webPage(asked, status);
  return { kind: "failed", error: judgeFinal(response, problem, detail, asked) };
}

/** 400, 404, redirects and whatever else the interface does not know. */
function judgeFinal(
  { status, headers }: HttpResponse,
  problem: ProblemText,
  detail: string,
  asked: RequestContext<unknown>,
): ConnectorError {
  if (status === 400) return asked.onBadRequest?.(problem, detail) ?? badRequest(problem, detail);
  const redirect = status >= 300 && status < 400;
  if (asked.first && redirect) {
    const target = redirectTarget(headers["location"], asked.shownUrl);
    const said = `it redirects (HTTP ${status}${target})`;
    return wrongAddress(
      asked,
      said,
      "Redirects are not followed: set base_url to where they lead.",
    );
  }
  if (asked.first && status === 404) {
    const advice = "Check base_url: it ends before /v1/finops/capabilities and may need a path.";
    return wrongAddress(asked, "there is nothing there (HTTP 404)", advice);
  }
  const what = redirect
    ? "redirects, which the interface does not know"
    : "gave an answer that the interface does not know";
  return new ConnectorError(
    "provider_fault",
    `The provider ${what} (HTTP ${status}) to GET ${asked.shownUrl}.${quoteProblem(problem)} Report it to the provider.`,
    { detail },
  );
}

function retryAfter(headers: HttpResponse["headers"], nowMs: number): number | undefined {
  const dateMs = parseHttpDate(headers["date"] ?? "", nowMs);
  return parseRetryAfter(headers["retry-after"] ?? "", dateMs, nowMs);
}

function mediaType(response: HttpResponse): string {
  const type = (response.headers["content-type"] ?? "").split(";")[0] ?? "";
  return type.trim().toLowerCase().slice(0, 80);
}

function isWebPage(type: string, body: string): boolean {
  return type === "text/html" || type === "application/xhtml+xml" || WEB_PAGE.test(body);
}

function webPage(asked: RequestContext<unknown>, status: number): Verdict {
  const reason = `it answers with a web page (HTTP ${status}) instead of JSON`;
  const advice = "Check base_url: it is the address of the provider's API, not of its website.";
  return { kind: "failed", error: wrongAddress(asked, reason, advice) };
}

/** `, to https://host/path` of a redirect; without its query, which may hold anything. */
function redirectTarget(location: string | undefined, base: string): string {
  const target = URL.parse(location ?? "", base);
  if (location === undefined || target === null) return "";
  return `, to ${target.origin}${target.pathname.slice(0, 200)}`;
}

function wrongAddress(
  asked: RequestContext<unknown>,
  reason: string,
  advice: string,
  cause?: unknown,
): ConnectorError {
  return new ConnectorError(
    "wrong_address",
    `The address ${asked.shownUrl} cannot be right: ${reason}. ${advice}`,
    { detail: reason, cause },
  );
}

function unauthorized(problem: ProblemText, detail: string): ConnectorError {
  return new ConnectorError(
    "unauthorized",
    `The provider does not accept the credential (HTTP 401).${quoteProblem(problem)} Check that the token is complete, ` +
      "belongs to this provider and has not expired or been revoked; issue a new one, or authorize again.",
    { detail },
  );
}

function forbidden(
  headers: HttpResponse["headers"],
  problem: ProblemText,
  detail: string,
): ConnectorError {
  const scope = /\bscope="([\w.: -]{1,200})"/.exec(headers["www-authenticate"] ?? "")?.[1];
  const asked = scope?.trim().split(/ +/) ?? [];
  const needs =
    asked.length > 1
      ? `one of the scopes ${asked.join(", ")}`
      : asked[0] === undefined
        ? "a scope or access to the account"
        : `the scope ${asked[0]}`;
  return new ConnectorError(
    "forbidden",
    `The credential is valid but lacks ${needs} (HTTP 403).${quoteProblem(problem)} Ask the provider's administrator to ` +
      "grant it; usage needs billing.account.read and billing.usage.read, costs need billing.cost.read.",
    { detail },
  );
}

function badRequest(problem: ProblemText, detail: string): ConnectorError {
  return new ConnectorError(
    "bad_request",
    `The provider refuses a request that keeps the interface (HTTP 400).${quoteProblem(problem)} Report it to the provider.`,
    { detail },
  );
}
