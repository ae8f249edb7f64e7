/** The message of a sync at its end. */
import type { Change } from "./bills.ts";
import type { Proof } from "./figures.ts";
import type { Counts } from "./loader.ts";
import { billingPeriod, count, decimal, signedMoney } from "./report/format.ts";
import type { Overview, Reporting } from "./report/model.ts";
import {
  convertedWords,
  isOverBudget,
  missingWords,
  reportingBudgetWords,
} from "./report/words.ts";
import { screenLines } from "./summary_screen.ts";
import { cleaned, type Paint } from "./text.ts";
import type { Unusables } from "./unusable_values.ts";

/** An account, and whether all of it was read. */
export interface AccountSummary {
  readonly name: string;
  readonly base_url: string;
  /** The label in the config; empty without one. */
  readonly account: string;
  readonly ok: boolean;
  readonly errors: readonly string[];
}

export interface StreamSummary extends Counts {
  /** The name of the account. */
  readonly account: string;
  readonly name: string;
  /** The instant before which everything was read; null before the first one. */
  readonly position: string | null;
}

/** A bill, and the name of its account. */
export type Bill = Change & { readonly name: string };

/** `--json` prints it as it is. Amounts are decimals as text. */
export interface Summary {
  readonly ok: boolean;
  readonly accounts: readonly AccountSummary[];
  readonly streams: readonly StreamSummary[];
  /** The figures of the report's first screen, and the months before; the currency with the most records first. */
  readonly currencies: readonly Overview[];
  /** All currencies in the reporting currency; null without one. */
  readonly reporting: Reporting | null;
  /** The bill of each billing period and currency, the newest first. */
  readonly bills: readonly Bill[];
  readonly proofs: readonly Proof[];
  /** Values that are in no sum, with their rows. */
  readonly unusable: Unusables;
  /** Places where inputs and costs do not go together, in words. */
  readonly findings: readonly string[];
  /** Facts about the provider and its data, such as the assumptions of an adapter. */
  readonly notices: readonly string[];
  readonly report: string | null;
  readonly database: string;
}

const number = (rows: number): string => decimal(String(rows));

/** The summary for people, line by line. If there are several accounts, lines about one of them name it. */
export function summaryLines(summary: Summary, paint: Paint): string[] {
  const { ok, accounts, streams, currencies, bills, proofs, notices, report } = summary;
  const named = (name: string): string => (accounts.length > 1 ? `${name}: ` : "");
  const unread = accounts.filter((account) => !account.ok).map(({ name }) => name);
  const of = accounts.length > 1 ? ` of ${unread.join(", ")}` : "";
  const rest = `Not everything was read${of}: the next sync goes on where this one ended.`;
  return [
    ...streams.map((stream) => streamLine(stream, named(stream.account))),
    ...screenLines(currencies, paint),
    ...reportingLines(summary, paint),
    ...changeLine(bills, named),
    ...proofs.map((proof) => proofLine(proof, paint)),
    ...findingLines(summary.findings),
    ...notices.map((notice) => `Note    ${notice}`),
    ...(report === null ? [] : [`Report  ${report}`]),
    ...(ok ? [] : [paint("red", rest)]),
  ];
}

/** Budgets in the reporting currency that the summary names. */
const OVER = 3;

/** The sum of all currencies, budgets that are exceeded, and the costs that are not in it. */
function reportingLines({ reporting, currencies: [first] }: Summary, paint: Paint): string[] {
  if (reporting === null || first === undefined) return [];
  const over = reporting.budgets.filter(isOverBudget);
  const more = over.length - OVER;
  return [
    `In ${reporting.currency}  ${convertedWords(reporting, first.headline)}`,
    ...over
      .slice(0, OVER)
      .map((each) => paint("red", `Budget  ${reportingBudgetWords(each, reporting.currency)}`)),
    ...(more > 0
      ? [paint("red", `Budget  ${count(more, "more is", "more are")} OVER: the report has all`)]
      : []),
    ...reporting.missing.map((each) => paint("red", `No rate ${missingWords(each)}`)),
  ];
}

function streamLine(
  { name, read, added, changed, position }: StreamSummary,
  account: string,
): string {
  const through =
    position === null ? "" : `; complete through ${position.slice(0, 16).replace("T", " ")} UTC`;
  return `${name.padEnd(6)}  ${account}${number(read)} rows read, ${number(added)} new, ${number(changed)} changed${through}`;
}

/** Billing periods that the line of changes names. */
const PERIODS = 3;

/** How the bills differ from those after the sync before, and the costs that are in none. The first sync changes nothing. */
function changeLine(bills: readonly Bill[], named: (name: string) => string): string[] {
  const changed = bills.filter(({ change }) => change !== null && change !== "0");
  const shown = changed
    .slice(0, PERIODS)
    .map(
      ({ name, month: period, currency, change }) =>
        `${named(name)}${billingPeriod(period)} ${signedMoney(change ?? "0", 2)} ${currency}`,
    );
  const more = changed.length > PERIODS ? [`${changed.length - PERIODS} more billing periods`] : [];
  const since =
    shown.length === 0 ? [] : [`Since   the last sync: ${[...shown, ...more].join(", ")}`];
  const unsummed = bills
    .filter((bill) => bill.unsummed > 0)
    .map(
      (bill) => `${named(bill.name)}${billingPeriod(bill.month)}: ${count(bill.unsummed, "cost")}`,
    );
  return unsummed.length === 0
    ? since
    : [
        ...since,
        `In no sum, because a value cannot be summed: ${unsummed.slice(0, PERIODS).join(", ")}`,
      ];
}

/** Findings that the summary for people names; the report has all of them. */
const FINDINGS = 3;

function findingLines(findings: readonly string[]): string[] {
  const more = findings.length - FINDINGS;
  return [
    ...findings.slice(0, FINDINGS).map((finding) => `Finding ${cleaned(finding)}`),
    ...(more > 0 ? [`Finding ${count(more, "more is", "more are")} in the report`] : []),
  ];
}

function proofLine(
  { dataset, proven, unproven, incomplete, differing }: Proof,
  paint: Paint,
): string {
  const rest = [
    `${number(incomplete)} in progress or not covered as a whole`,
    ...(unproven === 0 ? [] : [`${number(unproven)} unproven`]),
    ...(differing === 0 ? [] : [`${number(differing)} control totals differ`]),
  ];
  const all = number(proven + unproven + incomplete);
  const line = `Proven  ${dataset}: ${number(proven)} of ${all} days; ${rest.join(", ")}`;
  return unproven + differing === 0 ? line : paint("red", line);
}
