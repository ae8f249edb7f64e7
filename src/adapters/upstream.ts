/** Requests from an adapter to the provider. */
import { parseHttpDate } from "../core/retry.ts";
import type { HttpRequest, HttpResponse, Transport } from "../edges.ts";
import { readBody } from "../http/body.ts";
import { problem, refusal } from "./answers.ts";
import { type Json, parseExact } from "./exact.ts";
import type { ProviderReports, ReportRequest } from "./report.ts";

/** The most bytes of a provider's page, decompressed (L1). */
const MAXIMUM_BYTES = 32 * 1024 ** 2;

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

/** The provider's answer: JSON, or the answer to pass on to the client. */
export type Upstream =
  | { readonly body: Json; readonly date: string | undefined; readonly now: number }
  | { readonly refused: HttpResponse; readonly status: number; readonly now: number };

/** Sends one GET to the provider. */
export type Send = (request: ReportRequest) => Promise<Upstream>;

/**
 * Makes the requests to the provider in place of a request to the adapter.
 *
 * @param request the request to the adapter: its credential, its signal and its origin are those of all requests
 * @param base the path of the base URL, e.g. `/api`
 */
export function sender(
  provider: ProviderReports,
  { transport, now, debug }: UpstreamOptions,
  { url, headers, signal }: HttpRequest,
  base: string,
): Send {
  const { authorization = "", ...rest } = headers;
  const key = authorization.replace(/^Bearer /, "");
  return async ({ path, parameters }) => {
    const target = new URL(url.origin + base + path);
    target.search = new URLSearchParams(
      parameters.map(([name, value]) => [name, value]),
    ).toString();
    const response = await transport({
      url: target,
      headers: { ...rest, accept: "application/json", ...provider.headers(key) },
      signal,
    });
    debug?.(`The adapter asked GET ${target.href.slice(0, SHOWN_CHARACTERS)}: ${response.status}`);
    const at = now();
    const clock = parseHttpDate(response.headers["date"] ?? "", at) ?? at;
    if (response.status !== 200) {
      const refused = await refusal(response, provider);
      return { refused, status: response.status, now: clock };
    }
    const { text } = await readBody(response, MAXIMUM_BYTES);
    const body = parsed(text);
    if (body === undefined) {
      const refused = problem(502, "No JSON", `${provider.title} answers HTTP 200 without JSON.`);
      return { refused, status: 502, now: clock };
    }
    return { body, date: response.headers["date"], now: clock };
  };
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact(text);
  } catch {
    return undefined;
  }
}
