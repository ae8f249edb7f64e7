/** `--invoice`: the total of an invoice, compared with the sum of the reports. A difference has reasons, and is no error. */
import { addDecimals, isSummable } from "../src/core/decimal.ts";
import { DAY, monthStart, nextMonthStart, parseDate } from "../src/core/time.ts";
import { confirmed, contradicted, type Judgment, notSeen, ratioOf } from "./judgment.ts";
import type { Amounts } from "./rows.ts";

/** The total of a month's invoice. */
export interface Invoice {
  /** `2026-10` */
  readonly month: string;
  /** Start of the month and of the next one, in milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** A decimal that is not negative. */
  readonly total: string;
  /** Three capital letters; undefined if none was given. */
  readonly currency: string | undefined;
}

/** The most invoices of a run, because each is a request or more. */
const MOST_INVOICES = 12;

const FORM = 'write --invoice "2026-10=1234.56 USD"';

/**
 * Reads the words of all `--invoice` options. A shell splits `2026-10=1234.56 USD` if it is not quoted, so the words are joined
 * again. Words are not quoted in faults, because a lost secret may be among them.
 */
export function parseInvoices(words: readonly string[]): {
  readonly invoices: readonly Invoice[];
  readonly faults: readonly string[];
} {
  const texts = words
    .join(" ")
    .trim()
    .split(/\s+(?=\S*=)/)
    .filter((text) => text !== "");
  const faults: string[] = [];
  const invoices: Invoice[] = [];
  for (const text of texts.slice(0, MOST_INVOICES)) {
    const invoice = invoiceOf(text);
    if (typeof invoice === "string") faults.push(invoice);
    else if (invoices.some(({ month }) => month === invoice.month))
      faults.push(`--invoice names ${invoice.month} twice`);
    else invoices.push(invoice);
  }
  if (texts.length === 0) faults.push(`--invoice is empty: ${FORM}`);
  if (texts.length > MOST_INVOICES) faults.push(`--invoice takes ${MOST_INVOICES} months at most`);
  return { invoices, faults: [...new Set(faults)] };
}

function invoiceOf(text: string): Invoice | string {
  const [, month = "", rest = ""] = /^([^=]*)=\s*(.*)$/s.exec(text) ?? [];
  const start = /^\d{4}-\d\d$/.test(month) ? parseDate(`${month}-01`) : undefined;
  if (start === undefined) return `--invoice needs a month such as 2026-10 before the "=": ${FORM}`;
  const [total = "", currency, ...more] = rest.split(/\s+/);
  if (!/^\d{1,15}(?:\.\d{1,10})?$/.test(total))
    return `--invoice needs digits with a point after "${month}=", such as 1234.56, without other signs: ${FORM}`;
  if (more.length > 0 || (currency !== undefined && !/^[A-Za-z]{3}$/.test(currency)))
    return `--invoice needs three letters as the currency of ${month}: ${FORM}`;
  const exact = addDecimals(total.replace(/^0+(?=\d)/, ""), "0");
  return {
    month,
    start,
    end: nextMonthStart(start),
    total: exact,
    currency: currency?.toUpperCase(),
  };
}

/** Faults of months that are not over at `now`, this side's clock. */
export const faultsOfMonths = (invoices: readonly Invoice[], now: number): string[] =>
  invoices
    .filter(({ end }) => end > now)
    .map(
      ({ month }) => `--invoice names ${month}, which is not over: only a closed month is compared`,
    );

/** Facts about the reports that an invoice is compared with. */
export interface Compared {
  readonly provider: "anthropic" | "openai" | "openrouter" | "interface";
  /** Whether the older API of Anthropic is read, which leaves out a part. */
  readonly isOlder: boolean;
  /** The provider's clock, in milliseconds since 1970. */
  readonly now: number;
}

export interface InvoiceResult {
  readonly month: string;
  readonly currency: string | undefined;
  readonly verdict: "equal" | "differs" | "not compared";
  /** The invoice's total, divided by the sum of the reports. */
  readonly invoiceByReport: string | undefined;
  /** Sentences: why it was not compared, or what may explain a difference. */
  readonly explanations: readonly string[];
}

export const notCompared = ({ month, currency }: Invoice, why: string): InvoiceResult => ({
  month,
  currency,
  verdict: "not compared",
  invoiceByReport: undefined,
  explanations: [why],
});

/** Compares an invoice with the sums of its month. */
export function compareInvoice(
  invoice: Invoice,
  amounts: Amounts,
  compared: Compared,
): InvoiceResult {
  const { month, total } = invoice;
  const currencies = Object.keys(amounts);
  const [only] = currencies;
  if (only === undefined) return notCompared(invoice, "The reports have no costs in this month.");
  // If the line names no currency, the reports must have exactly one: else the currency of the invoice is in doubt.
  if (invoice.currency === undefined && currencies.length > 1)
    return notCompared(invoice, "The reports have several currencies: name that of the invoice.");
  const currency = invoice.currency ?? only;
  const sum = amounts[currency];
  if (sum === undefined)
    return notCompared(
      invoice,
      `The reports have no costs in ${currency}. An invoice in another currency than the reports cannot be compared.`,
    );
  if (!isSummable(sum)) return notCompared(invoice, "The sum of the reports is too long.");
  const isEqual = isWithinACent(total, sum);
  const ratio = ratioOf(total, sum);
  return {
    month,
    currency,
    verdict: isEqual ? "equal" : "differs",
    invoiceByReport: ratio,
    explanations: isEqual ? [] : explain(invoice, ratio, compared),
  };
}

/** Whether the sum of the reports, which has more digits, differs from the total by one cent at most. */
const isWithinACent = (total: string, sum: string): boolean =>
  Math.abs(Number(addDecimals(total, sum.startsWith("-") ? sum.slice(1) : `-${sum}`))) <= 0.01;

/** A usual rate of value added or sales tax, in per cent. */
const TAX = { least: 3, most: 28, step: 0.25, blur: 0.03 };

function explain(
  { end }: Invoice,
  ratio: string | undefined,
  { provider, isOlder, now }: Compared,
): string[] {
  const by = Number(ratio ?? Number.NaN);
  const per = (by - 1) * 100;
  const isTax =
    per >= TAX.least &&
    per <= TAX.most &&
    Math.abs(per - Math.round(per / TAX.step) * TAX.step) < TAX.blur;
  const isYoung = now < end + (provider === "anthropic" ? 8 : 5) * DAY;
  return [
    ...(isYoung ? ["The month ended a few days ago, so that its costs may still change."] : []),
    ...(isFactor(by)
      ? ["The invoice is a hundred times the reports, or a hundredth: the unit is another one."]
      : []),
    ...(!isFactor(by) && (by > 3 || by < 1 / 3)
      ? ["So large a difference often means another account, month or currency."]
      : []),
    ...(isTax
      ? [`The invoice is ${Number(per.toFixed(2))} % higher, which looks like a rate of tax.`]
      : []),
    ...(by > 1 ? HIGHER[provider] : by < 1 ? LOWER[provider] : []),
    ...(by > 1 && isOlder
      ? ["The older Admin API leaves out the costs of the priority tier."]
      : []),
  ];
}

const TAXES = "Tax is in no report.";
const CREDITS =
  "Credits, discounts of a contract and commitments are in no report: they lower the invoice.";
const COMMITTED =
  "A commitment or a purchase of credits is billed when it is made, not when it is used.";

/** Possible reasons why an invoice is higher than the reports. */
const HIGHER: Readonly<Record<Compared["provider"], readonly string[]>> = {
  anthropic: [
    TAXES,
    COMMITTED,
    "Seats, and Claude on AWS and other clouds, are not in the API. Another organization of yours may be on the same invoice.",
  ],
  openai: [TAXES, COMMITTED, "Seats of ChatGPT are not in the API."],
  openrouter: [TAXES, COMMITTED, "The fee on deposits (about 5 %) is in no report."],
  interface: [
    "Corrections of earlier months that are on this invoice are not in this sum: `query` has them (billed_by_invoice).",
    "Taxes and fees are in the sum only if the provider exports them.",
  ],
};

/** Possible reasons why an invoice is lower than the reports. */
const LOWER: Readonly<Record<Compared["provider"], readonly string[]>> = {
  anthropic: [CREDITS],
  openai: [CREDITS],
  openrouter: [CREDITS, "OpenRouter bills deposits, not use."],
  interface: [
    "Credits and corrections of earlier months that are on this invoice are not in this sum: `query` has them (billed_by_invoice).",
  ],
};

/** Whether the ratio is near 100 or 1/100. The ranges leave room for tax and credits. */
const isFactor = (ratio: number): boolean =>
  (ratio > 65 && ratio < 150) || (ratio > 0.0065 && ratio < 0.015);

/** The unit of amounts, by all invoices: ANT-01 and OAI-01. */
export function judgeUnit(results: readonly InvoiceResult[]): Judgment {
  const ratios = results.flatMap(({ invoiceByReport }) =>
    invoiceByReport === undefined ? [] : Number(invoiceByReport),
  );
  const wrong = ratios.find(isFactor);
  if (wrong !== undefined) return contradicted(`an invoice is ${wrong} times the reports`);
  const near = ratios.find((ratio) => ratio > 0.5 && ratio < 2);
  if (near !== undefined) return confirmed(`an invoice is ${near} times the reports`);
  return notSeen(
    ratios.length === 0
      ? "no invoice was compared: give the total of a closed month with --invoice"
      : "the invoice is too far from the reports to tell",
  );
}

/** The sum of days that lie in a month. */
export function sumOfMonth(days: ReadonlyMap<number, Amounts>, start: number): Amounts {
  const sums: Record<string, string> = {};
  for (const [day, amounts] of days) {
    if (monthStart(day) !== start) continue;
    for (const [unit, amount] of Object.entries(amounts))
      sums[unit] = addDecimals(sums[unit] ?? "0", amount);
  }
  return sums;
}
