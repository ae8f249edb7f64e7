import { challenge, insufficientScope } from "../accounts.ts";
import type { Scope } from "../accounts.ts";
import { ProblemError } from "../problems.ts";
import type { Struck } from "./engine.ts";

/** A complete response before it is sent. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const HTML = "<!doctype html><title>Gateway</title><h1>Upstream is being restarted</h1>\n";

function statusAnswer(struck: Struck): Answer | undefined {
  const fault = struck.of("status");
  if (fault === undefined) return undefined;
  const { status, type, title, detail, headers } = fault;
  const problem = { type, title, status, ...(detail === undefined ? {} : { detail }) };
  const bodies = {
    problem: { contentType: "application/problem+json", body: JSON.stringify(problem) },
    html: { contentType: "text/html; charset=utf-8", body: HTML },
    empty: { contentType: "text/plain", body: "" },
  };
  return { status, headers, ...bodies[fault.body] };
}

/**
 * The response that a fault sends instead of the provider's own, or undefined without such a fault. Throws the
 * ProblemError of a fault that uses one of the provider's own problems.
 */
export function faultAnswer(struck: Struck, required: readonly Scope[]): Answer | undefined {
  const limited = struck.of("rate_limited");
  if (limited !== undefined) {
    throw new ProblemError("rate-limited", "Wait as long as Retry-After says.", {
      "retry-after": limited.retry_after,
    });
  }
  if (struck.of("unauthorized") !== undefined) throw challenge("invalid_token");
  if (struck.of("forbidden") !== undefined) throw insufficientScope(required);
  if (struck.of("cursor_expired") !== undefined) {
    throw new ProblemError("cursor-expired", "Start again from the first page.");
  }
  if (struck.of("cursor_refused") !== undefined) {
    throw new ProblemError("cursor-invalid", "The cursor was not issued here.");
  }
  const redirect = struck.of("redirect");
  if (redirect !== undefined) {
    return {
      status: redirect.status,
      contentType: "text/plain",
      headers: { location: redirect.location },
      body: "",
    };
  }
  return statusAnswer(struck);
}

/** The response's body and content type after the faults. */
export function alteredAnswer(answer: Answer, struck: Struck): Answer {
  const html = struck.of("html");
  let altered =
    html === undefined
      ? answer
      : { ...answer, status: html.status, contentType: "text/html", body: HTML };
  if (struck.of("invalid_json") !== undefined) {
    altered = { ...altered, body: altered.body.slice(0, Math.floor(altered.body.length / 2)) };
  }
  if (struck.of("bom") !== undefined) altered = { ...altered, body: `\uFEFF${altered.body}` };
  const type = struck.of("content_type");
  return type === undefined ? altered : { ...altered, contentType: type.value };
}
