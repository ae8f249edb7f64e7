/** The answers of an adapter: JSON, and problem documents (interface section 7). */
import type { HttpResponse } from "../edges.ts";
import { readErrorBody } from "../http/body.ts";
import { isObject, textIn } from "./shape.ts";
import { parseExact } from "./exact.ts";
import type { ProviderReports } from "./report.ts";

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

/** Turns an answer with another status than 200 into a problem document. `Retry-After` is passed on. */
export async function refusal(
  response: HttpResponse,
  { title, scope }: ProviderReports,
): Promise<HttpResponse> {
  const { status, headers } = response;
  const said = messageOf(await readErrorBody(response, ERROR_BODY_BYTES));
  const document = {
    type: "/problems/provider",
    title: `${title} answers HTTP ${status}`,
    status: Math.max(status, 400),
    ...(said === null ? {} : { detail: said }),
  };
  return answer(status, "application/problem+json", document, {
    date: headers["date"],
    location: headers["location"],
    "retry-after": headers["retry-after"] ?? (status === 429 ? PATIENCE : undefined),
    "www-authenticate":
      status === 401
        ? `Bearer realm="${title}"`
        : status === 403 && scope !== undefined
          ? `Bearer error="insufficient_scope", scope="${scope}"`
          : undefined,
  });
}

/** The message of an error: all three providers send `{"error": {"message": …}}`. */
function messageOf(body: string): string | null {
  try {
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
