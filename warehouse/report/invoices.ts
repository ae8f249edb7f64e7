/** The invoices of one currency: how they stand, and what does not match. Empty while no totals of invoices are given. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { plain } from "../decimals.ts";
import { billingPeriodCode, count, money, moneyApart } from "./format.ts";
import type { InvoiceFinding, Invoices } from "./model.ts";
import { DIGITS } from "./tables.ts";

/** Findings on the first screen. */
const FOUND = 6;

/**
 * The invoices of a screen. An invoice may have a row for each account and status. Costs that name no invoice belong together by billing
 * period. The first screen also has the invoices of currencies that have no screen, unless costs in another currency name them: then
 * the screen of these costs tells it.
 */
const invoicesOf = (currency: string, screens: readonly string[]): string => `(
  WITH given AS (
    SELECT *, coalesce(invoice_issuer_name, '') AS issuer FROM billed_by_invoice
    WHERE invoice_issuer_name IN (SELECT invoice_issuer_name FROM billed_by_invoice WHERE invoice_total IS NOT NULL)),
  all_invoices AS (
    SELECT issuer, invoice_id, billing_currency,
           CASE WHEN invoice_id IS NULL THEN billing_period_start END AS period, invoice_state, matched_by, finding,
           coalesce(any_value(invoice_billed_cost), sum(billed_cost)) AS billed, any_value(invoice_total) AS total
    FROM given GROUP BY ALL),
  in_currencies AS (
    SELECT issuer, invoice_id, billing_currency, max(coalesce(total, billed)) AS amount, bool_or(total IS NOT NULL) AS has_total,
           bool_or(finding IS DISTINCT FROM 'invoice without costs') AS has_costs
    FROM all_invoices WHERE invoice_id IS NOT NULL GROUP BY ALL)
  SELECT own.*, (
           SELECT min(others.amount || ' ' || others.billing_currency) FROM in_currencies AS others
           WHERE others.issuer = own.issuer AND others.invoice_id = own.invoice_id
             AND others.billing_currency IS DISTINCT FROM own.billing_currency
             AND CASE WHEN own.total IS NULL THEN has_total ELSE has_costs END) AS elsewhere
  FROM all_invoices AS own
  WHERE billing_currency = ${literal(currency)}
    ${
      screens[0] === currency
        ? `OR (billing_currency NOT IN (${screens.map(literal).join(", ")})
      AND (issuer, invoice_id) NOT IN (SELECT (issuer, invoice_id) FROM in_currencies WHERE has_costs))`
        : ""
    })`;

/**
 * @param currency that of the screen
 * @param screens the currencies of all screens, that of the first one first
 */
export async function invoices(
  database: Asked,
  currency: string,
  screens: readonly string[],
): Promise<Invoices> {
  const all = invoicesOf(currency, screens);
  const [counts = []] = await database.query(`
    SELECT count(*) FILTER (matched_by IN ('exact', 'total')), count(*) FILTER (matched_by = 'lines'),
           count(*) FILTER (invoice_state = 'open'), count(*) FILTER (finding IS NOT NULL)
    FROM ${all}`);
  const [matched = 0, matchedByLine = 0, open = 0, findings = 0] = counts.map(Number);
  const rows = await database.query(`
    SELECT issuer, coalesce(invoice_id, ''), strftime(period, '%Y-%m-%d'), finding, billed, total, billing_currency, elsewhere
    FROM ${all} WHERE finding IS NOT NULL
    ORDER BY abs(billed - coalesce(total, 0)) DESC, 1, 2, 3, 7 LIMIT ${FOUND}`);
  const found = rows.map(
    ([
      issuer = "",
      id = "",
      period = "null",
      finding = "",
      billed = "0",
      total = "null",
      own = "",
      elsewhere = "null",
    ]) => ({
      issuer,
      id: id === "" ? null : id,
      period: period === "null" ? null : period,
      finding,
      billed: plain(billed),
      total: total === "null" ? null : plain(total),
      currency: own === currency ? null : own,
      elsewhere: elsewhere === "null" ? null : amountWords(elsewhere),
    }),
  );
  return { matched, matchedByLine, open, findings, found };
}

/** An amount and its currency, for people. */
function amountWords(given: string): string {
  const [amount = "0", ...currency] = given.split(" ");
  return `${money(plain(amount), DIGITS)} ${currency.join(" ")}`;
}

/** How the invoices stand, in one sentence; empty while no totals are given. */
export function stateWords({ matched, matchedByLine, open, findings }: Invoices): string {
  const rounded = matchedByLine === 0 ? "" : `, ${matchedByLine} of them with each cost rounded`;
  const all = matched + matchedByLine;
  if (all + open + findings === 0) return "";
  const parts = [
    `${count(all, "invoice matches", "invoices match")}${rounded}`,
    ...(findings === 0 ? [] : [`${count(findings, "does", "do")} not`]),
    ...(open === 0 ? [] : [`${count(open, "is", "are")} not issued yet`]),
  ];
  return `${parts.join("; ")}.`;
}

/** A finding in words, such as `10.00 of costs, 10.01 on the invoice`. */
export function findingWords({ billed, total, finding, elsewhere }: InvoiceFinding): string {
  if (total === null)
    return elsewhere === null
      ? "no invoice total is given for these costs"
      : `the invoice is in another currency than its costs: ${elsewhere}`;
  if (finding === "invoice without costs")
    return elsewhere === null
      ? "no cost names this invoice"
      : `the costs of this invoice are in another currency: ${elsewhere}`;
  // An invoice may miss its costs by a thousandth only, such as in dinars.
  const [invoiced = "", known = ""] = moneyApart([total, billed], DIGITS);
  return `${invoiced} on the invoice, ${known} of costs`;
}

/** The name of the invoice, or of the costs that name none. */
export function invoiceName({ issuer, id, period, currency }: InvoiceFinding): string {
  const name = id === null ? `no invoice, ${issuer}` : `${id}, ${issuer}`;
  const of = id === null && period !== null ? billingPeriodCode(period) : "";
  return `${name} ${of}`.trimEnd() + (currency === null ? "" : `, in ${currency}`);
}
