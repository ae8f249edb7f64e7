import type { Outcome } from "../run.ts";
import { byGroup, conclusion, countsText, INTERFACE, missingOf } from "./report.ts";
import type { Report } from "./report.ts";

/** Findings shown in full, and findings shown at all: the rest stands in the other reports. */
const IN_FULL = 5;
const SHOWN = 12;

/** The most columns of a line on a terminal. An address is never cut, because people copy it. */
const WIDTH = 110;

/** Columns of a group; two stand side by side. */
const CELL = 56;

type Cut = (text: string) => string;

const cutToWidth: Cut = (text) => (text.length <= WIDTH ? text : `${text.slice(0, WIDTH - 1)}…`);

const keepWhole: Cut = (text) => text;

function labelOf({ verdict, expected }: Outcome): string {
  return expected ? "EXPECTED" : verdict === "failed" ? "FAILED" : "WARNING";
}

function findingLines(outcome: Outcome, inFull: boolean, cut: Cut): string[] {
  const { check, finding } = outcome;
  const head = `${labelOf(outcome)} ${check.id} ${check.title} [${check.clause}]`;
  if (finding === undefined) return [cut(head)];
  const { seen, expected, request } = finding;
  if (!inFull) return [cut(head), cut(`  seen      ${seen}`)];
  return [
    cut(head),
    cut(`  seen      ${seen}`),
    cut(`  expected  ${expected}`),
    ...(request === undefined ? [] : [`  request   ${request}`]),
    cut(`  mend      ${check.mend}`),
  ];
}

/**
 * The report for a screen: a line for each group, what is broken, what could not be verified, and the conclusion.
 *
 * @param isTerminal cuts long lines; in a file or a log they stay whole
 */
export function terminalReport(report: Report, isTerminal: boolean): string {
  const cut = isTerminal ? cutToWidth : keepWhole;
  const { outcomes, baseUrl, version, started, ended, requests } = report;
  const seconds = Math.round((ended - started) / 1000);
  const cells = byGroup(report).map(
    ([group, name, own]) => `${group.padEnd(5)}${name}: ${countsText(own)}`,
  );
  const groups = cells.flatMap((cell, index) =>
    index % 2 === 1 ? [] : [cut(`  ${cell.padEnd(CELL)}${cells[index + 1] ?? ""}`.trimEnd())],
  );
  const order = ["failed", "warning"];
  const found = outcomes
    .filter(({ finding }) => finding !== undefined)
    .toSorted(
      (a, b) =>
        Number(a.expected) - Number(b.expected) ||
        order.indexOf(a.verdict) - order.indexOf(b.verdict),
    );
  const lines = found
    .slice(0, SHOWN)
    .flatMap((outcome, index) => findingLines(outcome, index < IN_FULL && !outcome.expected, cut));
  if (found.length > SHOWN) lines.push(`and ${found.length - SHOWN} more: see --html or --json`);
  const missing = missingOf(outcomes, "not verified").map(([what, ids]) =>
    cut(`  ${ids.join(" ")}: needs ${what}`),
  );
  const inPart = missingOf(outcomes, "passed");
  const count = inPart.reduce((sum, [, ids]) => sum + ids.length, 0);
  const partly = inPart.map(([what, ids]) => cut(`  ${ids.join(" ")}: ${what}`));
  return [
    `${INTERFACE}, checked by version ${version}`,
    `${baseUrl}: ${requests} requests, ${seconds} s`,
    ...groups,
    ...(lines.length === 0 ? [] : ["", ...lines]),
    ...(count === 0 ? [] : ["", `PASSED IN PART: ${count} of the passed`, ...partly]),
    ...(missing.length === 0 ? [] : ["", "NOT VERIFIED (a skip is not a pass)", ...missing]),
    "",
    `${countsText(outcomes)}. ${conclusion(report)}`,
    "",
  ].join("\n");
}
