/** The results of a run: lines for a person, and the file that the owner of an account may send. */
import type { InvoiceResult } from "./invoice.ts";
import type { Judgment, Verdict } from "./judgment.ts";
import { counted } from "./judgment.ts";
import type { Lag } from "./lag.ts";
import { REPORT_MARK } from "./outputs.ts";

/** An assumption, or a rule of the interface, with its verdict. */
export interface Result extends Judgment {
  readonly id: string;
  readonly text: string;
}

export interface Report {
  readonly version: string;
  /** `interface` for a provider of the interface, whose name is not written. */
  readonly provider: string;
  /** The API that was read. */
  readonly api: string;
  /** Whether the address is the provider's own. Behind another one may be a proxy or a fake. */
  readonly isLive: boolean;
  /** `2026-11-22`, by the provider's clock. */
  readonly day: string;
  readonly requests: number;
  readonly results: readonly Result[];
  readonly lags: readonly Lag[];
  readonly invoices: readonly InvoiceResult[];
}

/** The width of a verdict in a line. */
const WIDTH = "not seen here".length;

/** One result: verdict, id and text, and the fact below. */
export const lineOf = ({ id, text, verdict, fact }: Result): string =>
  `${verdict.padEnd(WIDTH)}  ${id.padEnd(7)} ${text}\n${" ".repeat(WIDTH + 10)}${fact}\n`;

/** All that follows the results. */
export function endOf({ results, lags, invoices }: Report): string {
  const lines = [
    ...lags.map(
      ({ dataset, afterHours, days, leastShare }) =>
        `Lag of ${dataset}: at the age of ${afterHours} to ${afterHours + 24} h, ${counted(days, "day")} showed at least ${leastShare} of the later value`,
    ),
    ...invoices.flatMap(({ month, currency, verdict, invoiceByReport, explanations }) => [
      `Invoice ${month}${currency === undefined ? "" : ` in ${currency}`}: ${wordsOf(verdict, invoiceByReport)}`,
      ...explanations.map((sentence) => `  ${sentence}`),
    ]),
  ];
  return `${lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}\n${countsOf(results)}.\n`;
}

const wordsOf = (verdict: InvoiceResult["verdict"], ratio: string | undefined): string => {
  switch (verdict) {
    case "equal":
      return "it is equal to the reports, to the cent";
    case "differs":
      return ratio === undefined
        ? "it differs from the reports, which come to 0"
        : `it is ${ratio} times the reports, which is no error. What may explain the difference:`;
    case "not compared":
      return "not compared";
  }
};

const VERDICTS: readonly Verdict[] = ["confirmed", "contradicted", "not seen here"];

const countsOf = (results: readonly Result[]): string =>
  VERDICTS.map(
    (verdict) => `${results.filter((result) => result.verdict === verdict).length} ${verdict}`,
  ).join(", ");

/** The file of `--out`. It holds no id, name, key or amount. */
export function fileOf(report: Report): string {
  const { version, provider, api, isLive, day, requests, results, lags, invoices } = report;
  const file = {
    kind: REPORT_MARK,
    version,
    provider,
    api,
    source: isLive ? "the provider's own address" : "another address: a proxy or a fake",
    day,
    requests,
    results: results.map(({ id, text, verdict, fact }) => ({ id, text, verdict, fact })),
    lags: lags.map(({ dataset, afterHours, days, leastShare }) => ({
      dataset,
      after_hours: afterHours,
      days,
      least_share: leastShare,
    })),
    invoices: invoices.map(({ month, currency, verdict, invoiceByReport, explanations }) => ({
      month,
      currency: currency ?? null,
      verdict,
      invoice_by_report: invoiceByReport ?? null,
      explanations,
    })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}
