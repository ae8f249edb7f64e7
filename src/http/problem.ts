/**
 * Reads error bodies by RFC 9457 section 3: members of a wrong type and unknown members are ignored. A body that is not a
 * problem document (the HTML of a proxy, an empty body) gives no text.
 */

/** The texts of a problem document; each at most {@link MAXIMUM_CHARACTERS} long, on one line. */
export interface ProblemText {
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
}

/** The most characters that are shown of an error body. */
const MAXIMUM_CHARACTERS = 2000;

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
    return { [name]: oneLine(content, secret) };
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
  return parts.join(", ").slice(0, MAXIMUM_CHARACTERS);
}

/** For the user: ` It says: "Window too large. 40 days asked for."`, or nothing if the document has no text. */
export function quoteProblem(problem: ProblemText): string {
  const said = [problem.title, problem.detail].filter((part) => part !== undefined);
  return said.length === 0 ? "" : ` It says: "${said.join(": ").slice(0, 500)}".`;
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

/** Masks the secret before the cut, because a cut inside the secret would show a part of it. */
function oneLine(text: string, secret: string): string {
  const masked = secret === "" ? text : text.replaceAll(secret, "***");
  return masked
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim()
    .slice(0, MAXIMUM_CHARACTERS);
}
