/** Requests from an adapter to the provider. */
import { parseHttpDate } from "../core/retry.ts";
import { HOUR, parseInstant } from "../core/time.ts";
import type { HttpRequest, HttpResponse, Transport } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { decode, readBytes } from "../http/body.ts";
import { BufferPool } from "../http/buffers.ts";
import { ByteBudget } from "../http/budget.ts";
import { checkShape } from "../http/shape.ts";
import { page as webPage, problem, refusal } from "./answers.ts";
import { type Json, parseExact } from "./exact.ts";
import type { MissingGroup, ProviderReports, ReportRequest } from "./report.ts";
import { reportFault } from "./shape.ts";

/** The most bytes of a provider's page, decompressed: the limit of every page that needs JSON.parse (L1). */
const MAXIMUM_BYTES = 8 * 1024 ** 2;

/**
 * The most values of a provider's page (L1): as many as fit into so many bytes. The smallest page that can be asked for is a whole day,
 * which has a row for each key and model, of some 12 values.
 */
const MAXIMUM_VALUES = 400_000;

/** The limit of all bodies of the provider that are held at once, in bytes (L1): one page of the largest size, parsed. */
const BUDGET_BYTES = 32 * 1024 ** 2;

const MINUTE = HOUR / 60;

/** The most characters of an address in a log line: page tokens may be long. */
const SHOWN_CHARACTERS = 400;

export interface UpstreamOptions {
  /** Sends the requests to the provider. */
  readonly transport: Transport;
  /** This side's clock, in milliseconds since 1970, for answers without a `Date` header. */
  readonly now: () => number;
  /** Gets a line for each answer of the provider: the real address and the status. No secret. */
  readonly debug?: (message: string) => void;
}

/** How many requests a provider allows in how many milliseconds, by its headers. */
export interface Rate {
  readonly requests: number;
  readonly perMs: number;
}

/** The provider's answer: JSON, or the answer to pass on to the client, or the error of a page that may be asked for in parts. */
export type Upstream =
  | {
      readonly body: Json;
      readonly date: string | undefined;
      readonly now: number;
      readonly rate: Rate | undefined;
    }
  | {
      readonly refused: HttpResponse;
      readonly status: number;
      readonly now: number;
      /** A 400 that says that this account has no such API, or that gives no reason. */
      readonly isNoOffer: boolean;
      /** A 400 that says that a report does not have a group, or that the group does not reach back so far. */
      readonly missingGroup: MissingGroup | undefined;
    }
  | { readonly tooLarge: ConnectorError };

/** Sends one GET to the provider. */
export type Send = (request: ReportRequest) => Promise<Upstream>;

/**
 * Makes the requests to the provider in place of requests to the adapter. All of them share one budget of memory.
 *
 * @returns a function of a request to the adapter and of the base URL's path, e.g. `/api`. Its requests to the provider have the
 *   credential, the signal and the origin of the request to the adapter
 */
export function sender(
  provider: ProviderReports,
  options: UpstreamOptions,
): (request: HttpRequest, base: string) => Send {
  const budget = new ByteBudget(BUDGET_BYTES);
  const pool = new BufferPool();
  return (request, base) => async (asked) => {
    const { signal } = request;
    const { response, now } = await sent(provider, options, request, base, asked);
    if (response.status !== 200) {
      return { status: response.status, now, ...(await refusal(response, provider, now)) };
    }
    try {
      const limits = { maximumBytes: MAXIMUM_BYTES, budget, pool, signal };
      const body = await readBytes(response, limits);
      try {
        checkShape(body.bytes, MAXIMUM_VALUES);
        await body.growForParsing();
        const value = parsed(decode(body.bytes));
        if (value !== undefined)
          return { body: value, date: response.headers["date"], now, rate: rateOf(response, now) };
        const refused = webPage(response, body.bytes) ?? noJson(provider);
        const { status } = refused;
        return { refused, status, now, isNoOffer: false, missingGroup: undefined };
      } finally {
        body.release();
      }
    } catch (reason) {
      if (!(reason instanceof ConnectorError) || reason.code !== "provider_fault") throw reason;
      return { tooLarge: reportFault(`a page of ${asked.path} is too large (${reason.detail})`) };
    }
  };
}

async function sent(
  provider: ProviderReports,
  { transport, now, debug }: UpstreamOptions,
  { url, headers, signal }: HttpRequest,
  base: string,
  { path, parameters, headers: own = {} }: ReportRequest,
): Promise<{ readonly response: HttpResponse; readonly now: number }> {
  const { authorization = "", ...rest } = headers;
  const key = authorization.replace(/^Bearer /, "");
  const target = new URL(url.origin + base + path);
  target.search = new URLSearchParams(parameters.map(([name, value]) => [name, value])).toString();
  const response = await transport({
    url: target,
    headers: { ...rest, accept: "application/json", ...provider.headers(key), ...own },
    signal,
  });
  debug?.(`The adapter asked GET ${target.href.slice(0, SHOWN_CHARACTERS)}: ${response.status}`);
  const at = now();
  return { response, now: parseHttpDate(response.headers["date"] ?? "", at) ?? at };
}

function noJson({ title }: ProviderReports): HttpResponse {
  return problem(502, "No JSON", `${title} answers HTTP 200 without JSON.`);
}

/**
 * Anthropic's headers of rate limits. They name no period. If the limit needs more than a minute to be whole again, the period is
 * an hour, else a minute.
 */
function rateOf({ headers }: HttpResponse, now: number): Rate | undefined {
  const requests = headers["anthropic-ratelimit-requests-limit"] ?? "";
  const whole = parseInstant(headers["anthropic-ratelimit-requests-reset"] ?? "");
  if (!/^[1-9]\d{0,8}$/.test(requests) || whole === undefined) return undefined;
  return { requests: Number(requests), perMs: whole - now > MINUTE ? HOUR : MINUTE };
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
