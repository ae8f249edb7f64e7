import { formatInstant } from "../instants.ts";
import { conclusion, countsOf, INTERFACE } from "./report.ts";
import type { Report } from "./report.ts";

/** The report for programs. Members are only ever added. */
export function jsonReport(report: Report): string {
  const { outcomes, baseUrl, version, started, ended, requests, exitCode, stale, deep } = report;
  const document = {
    interface: INTERFACE,
    version,
    base_url: baseUrl,
    started_at: formatInstant(started),
    ended_at: formatInstant(ended),
    deep,
    requests,
    exit_code: exitCode,
    conclusion: conclusion(report),
    counts: countsOf(outcomes),
    stale_expectations: stale,
    checks: outcomes.map(({ check, verdict, expected, finding, missing }) => ({
      id: check.id,
      level: check.level,
      clause: check.clause,
      title: check.title,
      verdict,
      expected_to_fail: expected,
      seen: finding?.seen ?? null,
      should_be: finding?.expected ?? null,
      request: finding?.request ?? null,
      status: finding?.status ?? null,
      missing: missing ?? null,
      protects: check.protects,
      mend: check.mend,
    })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
