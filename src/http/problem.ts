/**
 * Error bodies, read as RFC 9457 section 3 tells a client to: members of the wrong type are ignored, unknown ones too,
 * and what is no problem document at all (a proxy's HTML, nothing) says nothing.
 */

/** What a problem document says; each member at most {@link MAXIMUM_CHARACTERS} long, on one line. */
export interface ProblemText {
  readonly type?: string;
  readonly title?: string;
  readonly detail?: string;
}

/** The most characters of an error body that are shown. */
const MAXIMUM_CHARACTERS = 2000;

/**
 * Reads the body of an error response (interface section 2.7).
 *
 * @param text the body, of any kind
 * @param secret the credential that was sent: a provider that echoes it does not bring it into a log
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

/** `HTTP 400, type /problems/window, title Window too large, detail …`; the members that there are. */
export function describeProblem(status: number, problem: ProblemText): string {
  const parts = [`HTTP ${status}`];
  for (const name of ["type", "title", "detail"] as const) {
    const content = problem[name];
    if (content !== undefined) parts.push(`${name} ${content}`);
  }
  return parts.join(", ").slice(0, MAXIMUM_CHARACTERS);
}

/** ` It says: "Window too large. 40 days asked for."`, or nothing where the problem is silent; for the user. */
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

/** The secret goes before the cut: a cut through it would leave a part of it to be seen. */
function oneLine(text: string, secret: string): string {
  const masked = secret === "" ? text : text.replaceAll(secret, "***");
  return masked
    .replaceAll(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ")
    .trim()
    .slice(0, MAXIMUM_CHARACTERS);
}
