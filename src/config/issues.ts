/**
 * The list of everything that is wrong with a file of the user: for each issue the path and the broken rule. The words
 * come from the schema, never from the file, so that no secret can get into a message.
 */
import type * as z from "zod";

export interface ConfigIssue {
  /** `credentials.access_token`, `streams[2].sync_mode`; empty for the whole value. */
  readonly path: string;
  /** The rule that the value breaks: `must be a whole number from 1 to 16`. */
  readonly rule: string;
}

/** The parts of a path as text: `streams[2].sync_mode`. */
function pathOf(parts: readonly PropertyKey[]): string {
  let path = "";
  for (const part of parts) {
    if (typeof part === "number") path += `[${part}]`;
    else path += path === "" ? String(part) : `.${String(part)}`;
  }
  return path;
}

/** The words for zod's own checks; pass this function as `error` to `safeParse`. A message of the schema has priority. */
export function ruleOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is required" : `must be ${kind(issue.expected)}`;
    case "invalid_value":
      return `must be ${choice(issue.values)}`;
    case "invalid_union":
      return `must be ${choice(Array.isArray(issue["options"]) ? issue["options"] : [])}`;
    case "too_small":
      return issue.origin === "string" ? "must not be empty" : `must be at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "string"
        ? `must have at most ${issue.maximum} characters`
        : `must be at most ${issue.maximum}`;
    default:
      return "is not valid";
  }
}

function kind(expected: string | undefined): string {
  switch (expected) {
    case "string":
      return "text";
    case "int":
    case "number":
      return "a whole number";
    case "array":
      return "a list";
    default:
      return "an object";
  }
}

function choice(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(" or ");
}

/** The issues that zod found, in the order of the schema. */
export function issuesOf(error: z.ZodError): ConfigIssue[] {
  const issues = error.issues.map((issue) => ({ path: pathOf(issue.path), rule: issue.message }));
  // A number may break one rule twice, for example as a fraction that is also too large.
  const lines = issues.map(({ path, rule }) => `${path} ${rule}`);
  return issues.filter((_, index) => lines.indexOf(lines[index] ?? "") === index);
}

/** One sentence for one issue; for several a list: `The config has 2 faults:` and a line for each. */
export function describeIssues(what: string, issues: readonly ConfigIssue[]): string {
  const lines = issues.map(({ path, rule }) => (path === "" ? `it ${rule}` : `${path} ${rule}`));
  return lines.length === 1
    ? `The ${what} has a fault: ${lines[0]}.`
    : `The ${what} has ${lines.length} faults:\n${lines.map((line) => `- ${line}`).join("\n")}`;
}
