/** Steps that do not depend on each other, such as the checks of several files: if some fail, one error names all faults. */
import { ConnectorError } from "./errors.ts";

/**
 * The results of steps, in their order.
 *
 * @param merged makes one error of the reasons of all steps that failed
 * @throws the error of `merged`; without it, that of {@link mergedError}
 */
export async function allOf<Steps extends readonly unknown[] | []>(
  steps: Steps,
  merged: (reasons: readonly unknown[]) => unknown = mergedError,
): Promise<{ -readonly [Key in keyof Steps]: Awaited<Steps[Key]> }> {
  const ends = await Promise.allSettled(steps);
  const reasons = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
  if (reasons.length > 0) throw merged(reasons);
  return await Promise.all(steps);
}

/**
 * One error for several, of which there is at least one: it has the code of the first and the words of all, each on a line. A defect
 * stays alone, because its trace is needed.
 */
export function mergedError(reasons: readonly unknown[]): ConnectorError {
  const errors = reasons.map((reason) => ConnectorError.from(reason));
  const defect = errors.find(({ code }) => code === "internal");
  const [first = ConnectorError.from(undefined), ...others] = errors;
  if (defect !== undefined || others.length === 0) return defect ?? first;
  const words = new Set(errors.map(({ message }) => message));
  return new ConnectorError(first.code, [...words].join("\n"));
}
