/**
 * What is wrong with a file of the user's, all at once: each fault by its path and the rule that it breaks. Rules are
 * made of what the schema says, never of what the file holds, so that no secret can slip into a message.
 */
import type * as z from "zod";

export interface ConfigIssue {
  /** `credentials.access_token`, `streams[2].sync_mode`; empty for the whole value. */
  readonly path: string;
  /** What holds of a right value: `must be a whole number from 1 to 16`. */
  readonly rule: string;
}

/** `streams[2].sync_mode` of a path's parts. */
function pathOf(parts: readonly PropertyKey[]): string {
  let path = "";
  for (const part of parts) {
    if (typeof part === "number") path += `[${part}]`;
    else path += path === "" ? String(part) : `.${String(part)}`;
  }
  return path;
}

/** Words for zod's own checks; pass it as `error` to `safeParse`. A message given to a check itself goes first. */
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

/** The faults that zod found, in the order of the schema. */
export function issuesOf(error: z.ZodError): ConfigIssue[] {
  const faults = error.issues.map((issue) => ({ path: pathOf(issue.path), rule: issue.message }));
  // A number may break the same rule in two ways, such as being no whole number and too large.
  const lines = faults.map(({ path, rule }) => `${path} ${rule}`);
  return faults.filter((_, index) => lines.indexOf(lines[index] ?? "") === index);
}

/** One sentence for a lone fault, a list for several: `The config has 2 faults:` and a line for each. */
export function describeIssues(what: string, faults: readonly ConfigIssue[]): string {
  const lines = faults.map(({ path, rule }) => (path === "" ? `it ${rule}` : `${path} ${rule}`));
  return lines.length === 1
    ? `The ${what} has a fault: ${lines[0]}.`
    : `The ${what} has ${lines.length} faults:\n${lines.map((line) => `- ${line}`).join("\n")}`;
}
