/** The invoices of one currency: how they stand, and what does not match. Empty while no totals of invoices are given. */
import { literal } from "../columns.ts";
import type { Asked } from "../database.ts";
import { plain } from "../decimals.ts";
import { count, money } from "./format.ts";
import type { InvoiceFinding, Invoices } from "./model.ts";
import { DIGITS } from "./tables.ts";

/** Findings on the first screen. */
const FOUND = 6;

/** An invoice may have a row for each account and status. Costs that name no invoice belong together by billing period. */
const INVOICES = (currency: string): string => `(
  SELECT coalesce(invoice_issuer_name, '') AS issuer, invoice_id,
         CASE WHEN invoice_id IS NULL THEN billing_period_start END AS period, invoice_state, matched_by, finding,
         coalesce(any_value(invoice_billed_cost), sum(billed_cost)) AS billed, any_value(invoice_total) AS total
  FROM billed_by_invoice
  WHERE billing_currency = ${literal(currency)}
    AND invoice_issuer_name IN (SELECT invoice_issuer_name FROM billed_by_invoice WHERE invoice_total IS NOT NULL)
  GROUP BY ALL)`;

export async function invoices(database: Asked, currency: string): Promise<Invoices> {
  const [counts = []] = await database.query(`
    SELECT count(*) FILTER (matched_by IN ('exact', 'total')), count(*) FILTER (matched_by = 'lines'),
           count(*) FILTER (invoice_state = 'open'), count(*) FILTER (finding IS NOT NULL)
    FROM ${INVOICES(currency)}`);
  const [matched = 0, matchedByLine = 0, open = 0, findings = 0] = counts.map(Number);
  const rows = await database.query(`
    SELECT issuer, coalesce(invoice_id, ''), strftime(period, '%Y-%m-%d'), finding, billed, total
    FROM ${INVOICES(currency)} WHERE finding IS NOT NULL
    ORDER BY abs(billed - coalesce(total, 0)) DESC, 1, 2, 3 LIMIT ${FOUND}`);
  const found = rows.map(
    ([issuer = "", id = "", period = "null", finding = "", billed = "0", total = "null"]) => ({
      issuer,
      id: id === "" ? null : id,
      period: period === "null" ? null : period,
      finding,
      billed: plain(billed),
      total: total === "null" ? null : plain(total),
    }),
  );
  return { matched, matchedByLine, open, findings, found };
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
export function findingWords({ billed, total, finding }: InvoiceFinding): string {
  if (total === null) return "no invoice total is given for these costs";
  if (finding === "invoice without costs") return "no cost names this invoice";
  return `${money(total, DIGITS)} on the invoice, ${money(billed, DIGITS)} of costs`;
}

/** The name of the invoice, or of the costs that name none. */
export const invoiceName = ({ issuer, id, period }: InvoiceFinding): string =>
  id === null ? `no invoice, ${issuer} ${period?.slice(0, 7) ?? ""}`.trimEnd() : `${id}, ${issuer}`;
