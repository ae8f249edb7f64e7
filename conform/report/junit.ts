import type { Outcome } from "../run.ts";
import { escaped } from "./escape.ts";
import { byGroup, INTERFACE } from "./report.ts";
import type { Report } from "./report.ts";

function detailOf({ check, finding }: Outcome): string {
  if (finding === undefined) return "";
  const { seen, expected, request } = finding;
  return [
    `seen: ${seen}`,
    `expected: ${expected}`,
    ...(request === undefined ? [] : [`request: ${request}`]),
    `clause: ${check.clause}`,
    `mend: ${check.mend}`,
  ].join("\n");
}

function testCase(group: string, outcome: Outcome): string {
  const { check, verdict, expected, missing } = outcome;
  const open = `    <testcase classname="${group}" name="${escaped(`${check.id} ${check.title}`)}"`;
  const within = (element: string): string => `${open}>\n      ${element}\n    </testcase>`;
  const detail = escaped(detailOf(outcome));
  switch (verdict) {
    case "passed":
      return `${open}/>`;
    case "not verified":
      return within(`<skipped message="${escaped(`not verified: needs ${missing ?? ""}`)}"/>`);
    case "failed":
    case "warning": {
      if (expected)
        return within(`<skipped message="${escaped(`expected to fail\n${detailOf(outcome)}`)}"/>`);
      if (verdict === "warning") return within(`<system-out>warning\n${detail}</system-out>`);
      return within(
        `<failure message="${escaped(outcome.finding?.seen ?? "")}">${detail}</failure>`,
      );
    }
  }
}

/** The report as JUnit XML: a suite for each group. Warnings are passes with output; what is not verified is skipped. */
export function junitReport(report: Report): string {
  const stale = report.stale.map(
    (id) =>
      `    <testcase classname="expectations" name="${id}"><failure message="${id} is expected to fail and passed"/></testcase>`,
  );
  const suites = byGroup(report).map(([group, name, own]) => {
    const failures = own.filter(
      ({ verdict, expected }) => verdict === "failed" && !expected,
    ).length;
    const skipped = own.filter(
      ({ verdict, expected }) => verdict === "not verified" || expected,
    ).length;
    const head = `  <testsuite name="${escaped(`${group} ${name}`)}" tests="${own.length}" failures="${failures}" skipped="${skipped}">`;
    return [head, ...own.map((outcome) => testCase(group, outcome)), "  </testsuite>"].join("\n");
  });
  const expectations = [
    `  <testsuite name="expectations" tests="${stale.length}" failures="${stale.length}" skipped="0">`,
    ...stale,
    "  </testsuite>",
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escaped(INTERFACE)}">`,
    ...suites,
    ...(stale.length === 0 ? [] : expectations),
    "</testsuites>",
    "",
  ].join("\n");
}
