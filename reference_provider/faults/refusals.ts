import type { Instant } from "../instants.ts";
import { formatInstant } from "../instants.ts";
import { ProblemError } from "../problems.ts";
import type { Answer } from "./answers.ts";
import { edited } from "./json.ts";
import type { Struck } from "./engine.ts";
import type { FaultOf } from "./schema.ts";

/** The parts of a request that an altered refusal may show. */
export interface Refused {
  readonly now: Instant;
  readonly authorization: string | undefined;
  /** The document to serve for `page`; undefined for an empty page. */
  readonly document: object | undefined;
}

/** The fault that alters the refusal of a request, if one strikes. */
export function refusalFault(struck: Struck, error: unknown): FaultOf<"refusal"> | undefined {
  if (!(error instanceof ProblemError)) return undefined;
  const { type, message } = error;
  return struck
    .all("refusal")
    .find(({ of, about }) => of.includes(type) && message.includes(about));
}

/** The answer in place of a refusal, as the fault says: another refusal, or what was asked for. */
export function alteredRefusal(
  fault: FaultOf<"refusal">,
  answer: Answer,
  refused: Refused,
): Answer {
  const dropped = new Set(fault.drop_headers);
  const headers = Object.entries(answer.headers).filter(([name]) => !dropped.has(name));
  const common = { status: fault.status ?? answer.status, headers: Object.fromEntries(headers) };
  const withType = (contentType: string, body: string): Answer => ({
    ...common,
    contentType: fault.content_type ?? contentType,
    body,
  });
  switch (fault.body) {
    case "page": {
      const now = formatInstant(refused.now);
      const page = { data: [], next_cursor: null, as_of: now, available_through: now };
      const body = JSON.stringify(refused.document ?? { ...page, ...fault.set });
      const kept = { "cache-control": "no-store" };
      return { ...withType("application/json", body), status: fault.status ?? 200, headers: kept };
    }
    case "html":
      return withType("text/html", "<!doctype html><title>Error</title>\n");
    case "empty":
      return withType("text/plain", "");
    case "problem": {
      const problem = edited(JSON.parse(answer.body), { ...fault, raw: {} });
      if (fault.echo) problem["detail"] = `Not granted: ${refused.authorization ?? ""}`;
      return withType("application/problem+json", JSON.stringify(problem));
    }
  }
}
