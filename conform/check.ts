import type { Exchange } from "./http.ts";
import type { Session } from "./session.ts";

/**
 * `must`: the interface has the rule, and a provider that breaks it fails the run. `should`: the interface is silent but money is at
 * risk, and a provider that breaks the rule gets a warning.
 */
export type Level = "must" | "should";

/** A rule that was broken, in words for the provider's engineer. */
export interface Finding {
  readonly seen: string;
  readonly expected: string;
  /** The request that showed the break. */
  readonly exchange?: Exchange | undefined;
}

/** The result of a check. */
export type Result =
  /** `note` names the part that could not be verified, if there is one. */
  | { readonly kind: "passed"; readonly note?: string }
  | { readonly kind: "broken"; readonly finding: Finding }
  /** `missing` says what the check would need. A skip is not a pass. */
  | { readonly kind: "not_verified"; readonly missing: string };

/** One rule of the interface and the way to see whether a provider keeps it. */
export interface Check {
  /** Stable: expectation files and reports name it. */
  readonly id: string;
  readonly level: Level;
  /** The section of the interface, or the standard, that the rule comes from. */
  readonly clause: string;
  /** The rule, in one sentence. */
  readonly title: string;
  /** The damage to a customer if the rule is broken. */
  readonly protects: string;
  /** One line on how to mend it. */
  readonly mend: string;
  /** Throws `Missing` if it cannot be verified. */
  readonly run: (session: Session) => Result | Promise<Result>;
}

export const passed: Result = { kind: "passed" };

/** A broken rule: what was seen, what was expected, and the request that showed it. */
export function broken(seen: string, expected: string, exchange?: Exchange): Result {
  return { kind: "broken", finding: { seen, expected, exchange } };
}
