import { expect, it } from "vitest";
import { Database } from "../database.ts";
import { findingWords, invoiceName, invoices, stateWords } from "./invoices.ts";

/** Rows as the model `billed_by_invoice` has them. INV-1 is one invoice of two accounts. */
const ROWS = `
  ('a', 'INV-1', '10.002', '39285.3325', '39285.33', 'total', 'matched', NULL),
  ('b', 'INV-1', '39275.3305', '39285.3325', '39285.33', 'total', 'matched', NULL),
  ('a', 'INV-2', '0.31', '0.31', '0.32', 'lines', 'matched', NULL),
  ('a', 'INV-3', '9', '9', '10.01', NULL, 'different', 'total differs'),
  (NULL, 'INV-4', '0', '0', '2', NULL, 'different', 'invoice without costs'),
  ('a', NULL, '4', NULL, NULL, NULL, 'missing', 'costs without invoice'),
  ('b', NULL, '0.5', NULL, NULL, NULL, 'missing', 'costs without invoice'),
  ('a', 'INV-5', '3', '3', NULL, NULL, 'open', NULL)`;

async function found(rows: string, currency = "'USD'", screens = ["USD"]) {
  const database = await Database.inMemory();
  try {
    await database.run(`
      CREATE TABLE billed_by_invoice AS
      SELECT 'Example' AS invoice_issuer_name, ${currency} AS billing_currency, account, invoice_id,
             TIMESTAMP '2026-10-01 00:00:00' AS billing_period_start, billed_cost::DECIMAL(38, 18) AS billed_cost,
             invoice_billed_cost::DECIMAL(38, 18) AS invoice_billed_cost, invoice_total::DECIMAL(38, 18) AS invoice_total,
             matched_by, invoice_state, finding
      FROM (VALUES ${rows}) AS given (
        account, invoice_id, billed_cost, invoice_billed_cost, invoice_total, matched_by, invoice_state, finding)`);
    return await invoices(database, screens.at(-1) ?? "", screens);
  } finally {
    database.close();
  }
}

it("counts an invoice of two accounts once, and tells costs of two accounts without an invoice together", async () => {
  const all = await found(ROWS);
  expect(all).toMatchObject({ matched: 1, matchedByLine: 1, open: 1, findings: 3 });
  expect(stateWords(all)).toBe(
    "2 invoices match, 1 of them with each cost rounded; 3 do not; 1 is not issued yet.",
  );
  expect(all.found.map((each) => [invoiceName(each), findingWords(each)])).toEqual([
    ["no invoice, Example 2026-10", "no invoice total is given for these costs"],
    ["INV-4, Example", "no cost names this invoice"],
    ["INV-3, Example", "10.01 on the invoice, 9.00 of costs"],
  ]);
  expect(all.found[0]?.billed).toBe("4.5");
});

it("tells costs without an invoice of two billing periods of one month apart", () => {
  const finding = { issuer: "Example", id: null, finding: "", billed: "1", total: null };
  const names = ["2026-10-01", "2026-10-16"].map((period) =>
    invoiceName({ ...finding, period, currency: null, elsewhere: null }),
  );
  expect(names).toEqual(["no invoice, Example 2026-10", "no invoice, Example 2026-10-16"]);
});

it("shows an invoice and its costs with as many digits as it takes to see that they differ", async () => {
  const rows = `
    ('a', 'INV-1', '37.035', '37.035', '37.036', NULL::VARCHAR, 'different', 'total differs'),
    ('a', 'INV-2', '0.000000000000000002', '0.000000000000000002', '0.000000000000000001', NULL, 'different', 'total differs')`;
  expect((await found(rows, "'KWD'", ["KWD"])).found.map(findingWords)).toEqual([
    "37.036 on the invoice, 37.035 of costs",
    "0.0000000000000000010 on the invoice, 0.0000000000000000020 of costs",
  ]);
});

it("says nothing of invoices while no total of one is given", async () => {
  const none = await found(
    "('a', 'INV-5', '3', '3', NULL::VARCHAR, NULL::VARCHAR, 'open', NULL::VARCHAR)",
  );
  expect(none).toEqual({ matched: 0, matchedByLine: 0, open: 0, findings: 0, found: [] });
  expect(stateWords(none)).toBe("");
});

it("names a total in another currency than its costs once, and an invoice in a currency that no cost has", async () => {
  const rows = `
    ('USD', 'INV-1', '310', '310', NULL, NULL::VARCHAR, 'missing', 'costs without invoice'),
    ('EUR', 'INV-1', '0', '0', '280', NULL, 'different', 'invoice without costs'),
    ('GBP', 'INV-77', '0', '0', '99', NULL, 'different', 'invoice without costs')`;
  const saidOn = async (...screens: readonly string[]): Promise<readonly string[]> => {
    const all = await found(rows, "account", [...screens]);
    return all.found.map((each) => `${invoiceName(each)}: ${findingWords(each)}`);
  };
  expect(await saidOn("USD")).toEqual([
    "INV-1, Example: the invoice is in another currency than its costs: 280.00 EUR",
    "INV-77, Example, in GBP: no cost names this invoice",
  ]);
  expect(await saidOn("USD", "EUR")).toEqual([
    "INV-1, Example: the costs of this invoice are in another currency: 310.00 USD",
  ]);
  expect(await saidOn("USD", "GBP")).toEqual(["INV-77, Example: no cost names this invoice"]);
});
