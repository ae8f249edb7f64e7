/** Runs checks against a session, and compares their results with the list of expected failures. */
import type { Check, Finding, Level } from "./check.ts";
import { Missing } from "./errors.ts";
import type { Session } from "./session.ts";

export type Verdict = "passed" | "failed" | "warning" | "not verified";

/** A check and its result, ready to be shown: all foreign text is cleaned, masked and cut. */
export interface Outcome {
  readonly check: Pick<Check, "id" | "level" | "clause" | "title" | "protects" | "mend">;
  readonly verdict: Verdict;
  /** Whether the check is in the list of expected failures. */
  readonly expected: boolean;
  readonly finding: ShownFinding | undefined;
  /** The thing that is missing if it could not be verified, in whole or in part. */
  readonly missing: string | undefined;
}

export interface ShownFinding {
  readonly seen: string;
  readonly expected: string;
  /** Method and address; undefined if no single request shows the break. */
  readonly request: string | undefined;
  readonly status: number | undefined;
}

/** The longest text of a finding, or of what is missing; within it every foreign value is cut much shorter. */
const MOST = 400;

function shownFinding(session: Session, finding: Finding): ShownFinding {
  const { foreign } = session.options.shown;
  const { exchange } = finding;
  return {
    seen: foreign(finding.seen, MOST),
    expected: foreign(finding.expected, MOST),
    request: exchange && foreign(`${exchange.method} ${exchange.url.href}`, MOST),
    status: exchange?.status,
  };
}

const VERDICT: Readonly<Record<Level, Verdict>> = { must: "failed", should: "warning" };

async function outcomeOf(
  check: Check,
  session: Session,
  expected: ReadonlySet<string>,
): Promise<Outcome> {
  const none = { check, expected: false, finding: undefined, missing: undefined };
  try {
    const result = await check.run(session);
    if (result.kind === "broken") {
      const finding = shownFinding(session, result.finding);
      return { ...none, verdict: VERDICT[check.level], expected: expected.has(check.id), finding };
    }
    if (result.kind === "not_verified")
      return {
        ...none,
        verdict: "not verified",
        missing: session.options.shown.foreign(result.missing, MOST),
      };
    const { note } = result;
    return {
      ...none,
      verdict: "passed",
      missing: note && session.options.shown.foreign(note, MOST),
    };
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    return {
      ...none,
      verdict: "not verified",
      missing: session.options.shown.foreign(error.message, MOST),
    };
  }
}

/** The result of a run. */
export interface Summary {
  readonly outcomes: readonly Outcome[];
  /** Expected failures that did not happen; each fails the run, so that the list is kept short. */
  readonly stale: readonly string[];
  readonly requests: number;
  /** 1 if a rule of the interface is broken that is not in the list of expected failures, or if a check of the list passes; else 0. */
  readonly exitCode: 0 | 1;
}

/**
 * Runs checks one after the other. Throws {@link CannotRun} if the provider cannot be reached or refuses the token.
 *
 * @param expected ids of checks that are known to fail
 * @param onCheck called before each check
 */
export async function runChecks(
  checks: readonly Check[],
  session: Session,
  expected: ReadonlySet<string> = new Set(),
  onCheck: (check: Check, index: number) => void = () => undefined,
): Promise<Summary> {
  await session.capabilitiesExchange();
  const outcomes: Outcome[] = [];
  for (const [index, check] of checks.entries()) {
    onCheck(check, index);
    outcomes.push(await outcomeOf(check, session, expected));
  }
  const passing = new Set(
    outcomes.filter(({ verdict }) => verdict === "passed").map(({ check }) => check.id),
  );
  const stale = [...expected].filter((id) => passing.has(id));
  const failed = outcomes.some(({ verdict, expected: known }) => verdict === "failed" && !known);
  return {
    outcomes,
    stale,
    requests: session.log.length,
    exitCode: failed || stale.length > 0 ? 1 : 0,
  };
}
