/** The answers of an adapter: JSON, and problem documents (interface section 7). */
import type { HttpResponse } from "../edges.ts";
import { readErrorBody } from "../http/body.ts";
import { checkShape } from "../http/shape.ts";
import { parseInstant } from "../core/time.ts";
import { isObject, textIn } from "./shape.ts";
import { parseExact } from "./exact.ts";
import { missingGroupIn } from "./missing_groups.ts";
import type { MissingGroup, ProviderReports } from "./report.ts";

/** The most bytes of a provider's error that are read. */
const ERROR_BODY_BYTES = 64 * 1024;

/** Seconds to wait after a 429 that names none. */
const PATIENCE = "30";

/** A 200 with JSON; `date` is the provider's `Date` header, passed on. */
export function jsonAnswer(value: unknown, date: string | undefined): HttpResponse {
  return answer(200, "application/json", value, { date });
}

/** A problem document of the adapter's own; its title becomes its type, `/problems/invalid-cursor`. */
export function problem(status: number, title: string, detail: string): HttpResponse {
  const type = `/problems/${title.toLowerCase().replaceAll(" ", "-")}`;
  return answer(status, "application/problem+json", { type, title, status, detail }, {});
}

/** The beginning of a body that is a web page. */
const WEB_PAGE = /^\s*<(!doctype\s+html|html|head|body)\b/i;

/** The answer unchanged, if its body is a web page: the client then finds that the address is not that of an API (C4). */
export function page({ headers }: HttpResponse, body: Buffer): HttpResponse | undefined {
  const beginning = body.subarray(0, ERROR_BODY_BYTES).toString("latin1");
  if (!WEB_PAGE.test(beginning) && !/^text\/html\b/i.test(headers["content-type"] ?? ""))
    return undefined;
  return {
    status: 200,
    headers: { "content-type": "text/html" },
    body: once(Buffer.from(beginning)),
  };
}

/** Anthropic's word for an API that the organization's kind does not have. */
const NO_OFFER = "organization_type_not_supported";

/** Turns an answer with another status than 200 into a problem document. `Retry-After` is passed on. */
export async function refusal(
  response: HttpResponse,
  { title, scope }: ProviderReports,
  now: number,
): Promise<{
  readonly refused: HttpResponse;
  readonly isNoOffer: boolean;
  readonly missingGroup: MissingGroup | undefined;
}> {
  const { status, headers } = response;
  const body = await readErrorBody(response, ERROR_BODY_BYTES);
  const said = messageOf(body);
  const isNoOffer = status === 400 && (said === null || body.includes(NO_OFFER));
  const document = {
    type: "/problems/provider",
    title: `${title} answers HTTP ${status}`,
    status: Math.max(status, 400),
    ...(said === null ? {} : { detail: said }),
  };
  const refused = answer(status, "application/problem+json", document, {
    date: headers["date"],
    location: headers["location"],
    "retry-after": headers["retry-after"] ?? (status === 429 ? patience(headers, now) : undefined),
    "www-authenticate":
      status === 401
        ? `Bearer realm="${title}"`
        : status === 403 && scope !== undefined
          ? `Bearer error="insufficient_scope", scope="${scope}"`
          : undefined,
  });
  return { refused, isNoOffer, missingGroup: missingGroupIn(status, said) };
}

/** Seconds until the limit is whole again, where a header says it. */
function patience(headers: HttpResponse["headers"], now: number): string {
  const reset = parseInstant(headers["anthropic-ratelimit-requests-reset"] ?? "");
  return reset === undefined || reset <= now ? PATIENCE : String(Math.ceil((reset - now) / 1000));
}

/** The message of an error: all three providers send `{"error": {"message": …}}`. */
function messageOf(body: string): string | null {
  try {
    checkShape(Buffer.from(body));
    const value = parseExact(body);
    const error = isObject(value) ? value["error"] : undefined;
    return isObject(error) ? textIn(error, "message") : null;
  } catch {
    return null;
  }
}

function answer(
  status: number,
  type: string,
  value: unknown,
  headers: HttpResponse["headers"],
): HttpResponse {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: { ...headers, "content-type": type, "content-length": String(body.length) },
    body: once(body),
  };
}

async function* once(body: Buffer): AsyncGenerator<Uint8Array> {
  yield body;
}
