/** The list of checks that are known to fail. */
import { CannotRun } from "./errors.ts";
import { CHECKS, shownName } from "./registry.ts";

/** Reads the text of an `--expect` file: an id a line; `#` begins a remark. Throws {@link CannotRun} for unknown ids. */
export function parseExpectations(text: string): ReadonlySet<string> {
  const ids = text
    .split("\n")
    .map((line) => line.replace(/#.*/, "").trim())
    .filter((line) => line !== "");
  const unknown = ids.filter((id) => !CHECKS.some((check) => check.id === id));
  if (unknown.length === 0) return new Set(ids);
  const names = unknown.map(shownName).join(", ");
  throw new CannotRun(`the file of --expect has lines that name no check: ${names}`);
}
