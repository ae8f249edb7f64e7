/** The marts of a company whose credits are as large as what it uses, or larger. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Database } from "./database.ts";
import { refreshModels } from "./refresh.ts";
import { addReading, usageOf } from "./testing_costs.ts";
import { openEmpty } from "./testing_refresh.ts";

let database: Database;
let remove: () => Promise<void>;

/** In August and September credits are as large as the usage. In October they are larger, and a tax has no project. */
beforeAll(async () => {
  ({ database, remove } = await openEmpty(""));
  const credits = (first: string, end: string, cost: string): string =>
    `SELECT id || '-credit', day, 'Credit', cost, status FROM (${usageOf(first, end, cost)})`;
  await addReading(database, {
    id: "r1",
    at: "2026-11-01",
    first: "2026-08-01",
    end: "2026-11-01",
    records: [
      usageOf("2026-08-01", "2026-11-01"),
      credits("2026-08-01", "2026-10-01", "-20"),
      credits("2026-10-01", "2026-11-01", "-30"),
      "SELECT 'tax', TIMESTAMP '2026-10-31', 'Tax', '19', 'final'",
    ].join(" UNION ALL "),
  });
  await database.run(`
    UPDATE costs SET "x_ProjectId" = NULL WHERE "ChargeCategory" = 'Tax';
    INSERT INTO ai_billing_teams (label, value, team) VALUES ('project_id', 'p', 'Ads');
    INSERT INTO ai_billing_shared (rule, label, method) VALUES ('1', 'unowned', 'by spend');
    INSERT INTO ai_billing_invoice_totals (invoice_issuer_name, invoice_id, billing_currency, billed_total)
    VALUES ('A', 'A-7', 'USD', '5')`);
  await refreshModels(database);
}, 120_000);
afterAll(async () => {
  await remove();
});

it("miss no invoice for months that cost nothing", async () => {
  expect(
    await database.query(`
      SELECT strftime(billing_period_start, '%Y-%m'), billed_cost::DECIMAL(18, 2), invoice_state, finding
      FROM billed_by_invoice ORDER BY 1`),
  ).toEqual([
    ["2026-08", "0.00", "null", "null"],
    ["2026-09", "0.00", "null", "null"],
    ["2026-10", "-291.00", "missing", "costs without invoice"],
    ["null", "0.00", "different", "invoice without costs"],
  ]);
});

it("do not say that a team has spent nothing whose credits are larger than its usage", async () => {
  expect(
    await database.query("SELECT DISTINCT team, is_spread, why_not FROM shared_costs"),
  ).toEqual([
    ["null", "false", "no team of the rule has own costs above 0 in this month and currency"],
  ]);
});
