/**
 * Reads error bodies by RFC 9457 section 3: members of a wrong type and unknown members are ignored. A body that is not a
 * problem document (the HTML of a proxy, an empty body) gives no text.
 */
import { foreignText } from "../core/foreign_text.ts";

/** The texts of a problem document, each fit for a message. */
export interface ProblemText {
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
}

/**
 * Reads the body of an error response (interface section 2.7).
 *
 * @param text the body, of any content
 * @param secret the credential of the request; it is masked, because a provider may echo it
 */
export function readProblem(text: string, secret: string): ProblemText {
  const value = parsed(text);
  if (value === undefined) return {};
  const member = (name: string): Record<string, string> => {
    const content = value[name];
    if (typeof content !== "string" || content.trim() === "") return {};
    return { [name]: foreignText(content, secret) };
  };
  return { ...member("type"), ...member("title"), ...member("detail") };
}

/** `HTTP 400, type /problems/window, title Window too large, detail …`, without absent members. */
export function describeProblem(status: number, problem: ProblemText): string {
  const parts = [`HTTP ${status}`];
  for (const name of ["type", "title", "detail"] as const) {
    const content = problem[name];
    if (content !== undefined) parts.push(`${name} ${content}`);
  }
  return parts.join(", ");
}

/** For the user: ` It says: "Window too large: 40 days asked for."`, or nothing if the document has no text. */
export function quoteProblem(problem: ProblemText): string {
  const said = [problem.title, problem.detail].filter((part) => part !== undefined);
  const text = said.join(": ");
  return text === "" ? "" : ` It says: "${text}"${/[.!?]$/.test(text) ? "" : "."}`;
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return Object.fromEntries(Object.entries(value));
  } catch {
    return undefined;
  }
}
