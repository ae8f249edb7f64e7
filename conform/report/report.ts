import { groupOf, GROUPS } from "../registry.ts";
import type { Outcome, Summary } from "../run.ts";

/** All that a report shows. */
export interface Report extends Summary {
  readonly baseUrl: string;
  /** The version of the checker. */
  readonly version: string;
  /** Milliseconds since 1970, by this machine's clock. */
  readonly started: number;
  readonly ended: number;
  readonly deep: boolean;
}

export const INTERFACE = "AI Provider Billing Export Interface 0.1";

/** Outcomes by group, in order; groups without any are left out. */
export function byGroup({ outcomes }: Summary): (readonly [string, string, readonly Outcome[]])[] {
  return Object.entries(GROUPS).flatMap(([group, name]) => {
    const own = outcomes.filter(({ check }) => groupOf(check) === group);
    return own.length === 0 ? [] : [[group, name, own] as const];
  });
}

/** How often each verdict was given; expected failures count by themselves. */
export function countsOf(outcomes: readonly Outcome[]) {
  const count = (accepts: (outcome: Outcome) => boolean): number => outcomes.filter(accepts).length;
  return {
    passed: count(({ verdict }) => verdict === "passed"),
    failed: count(({ verdict, expected }) => verdict === "failed" && !expected),
    warnings: count(({ verdict, expected }) => verdict === "warning" && !expected),
    expected: count(({ expected }) => expected),
    notVerified: count(({ verdict }) => verdict === "not verified"),
  };
}

/** The counts in words, those that are 0 left out. */
export function countsText(outcomes: readonly Outcome[]): string {
  const { passed, failed, warnings, expected, notVerified } = countsOf(outcomes);
  const parts: (readonly [number, string])[] = [
    [passed, "passed"],
    [failed, "failed"],
    [warnings, warnings === 1 ? "warning" : "warnings"],
    [expected, "expected to fail"],
    [notVerified, "not verified"],
  ];
  const shown = parts.filter(([count]) => count > 0).map(([count, word]) => `${count} ${word}`);
  return shown.join(", ");
}

/** The last word of a report. */
export function conclusion(report: Report): string {
  const { stale, exitCode, outcomes } = report;
  const { failed, warnings, notVerified } = countsOf(outcomes);
  if (stale.length > 0)
    return `The list of expected failures is out of date: ${stale.join(", ")} passed.`;
  if (exitCode === 1) return `The provider breaks the interface: ${failed} of its rules.`;
  const untried = `${notVerified} ${notVerified === 1 ? "check" : "checks"} could not be tried, so this is not yet a whole proof`;
  const rest = [
    ...(warnings === 0 ? [] : ["the warnings put money at risk"]),
    ...(notVerified === 0 ? [] : [untried]),
  ];
  return `${["No rule of the interface is seen to be broken", ...rest].join("; ")}.`;
}

/** The ids of the checks with this verdict that lacked something, in whole or in part, by the thing that was missing. */
export function missingOf(
  outcomes: readonly Outcome[],
  which: "not verified" | "passed",
): (readonly [string, readonly string[]])[] {
  const ids = new Map<string, string[]>();
  for (const { check, verdict, missing } of outcomes) {
    if (verdict !== which || missing === undefined) continue;
    ids.set(missing, [...(ids.get(missing) ?? []), check.id]);
  }
  return [...ids];
}
