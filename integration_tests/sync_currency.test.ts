/** `sync`, `report` and `costs` of an account in three currencies, with a reporting currency and totals of invoices. */
import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { serve } from "./support/provider.ts";
import { Shell } from "./support/shell.ts";
import { cost, world } from "./support/world.ts";

const SYNC = ["sync", "--config", "config.json"];

const inOther = (currency: string) => ({ BillingCurrency: currency });
const final = { BillingCurrency: "EUR", InvoiceId: "INV-2" };

const account = () =>
  world({
    limits: { retention_days: 40 },
    costs: [
      cost("c-0", "2026-02-10", "1.005", {}, final),
      cost("c-1", "2026-03-07", "1.25", {}, inOther("EUR")),
      cost("c-2", "2026-03-08", "0.000000000000000001", {}, inOther("EUR")),
      cost("c-3", "2026-03-08", "10", {}, inOther("USD")),
      cost("c-4", "2026-03-07", "20", {}, inOther("USD")),
      cost("c-5", "2026-03-07", "3", {}, inOther("GBP")),
    ],
  });

const RATES =
  "from_currency,to_currency,valid_from,rate\nUSD,EUR,2026-01-01,0.9\nUSD,EUR,2026-03-08,0.812345678901\n";

test("one currency: each cost at the rate of its day, beside its own amount; costs without a rate are named", async () => {
  await using served = await serve(account(), "2026-03-10T06:00:00Z");
  await using shell = await Shell.open();
  await writeFile(shell.path("config.json"), JSON.stringify(served.config()));
  await writeFile(shell.path("rates.csv"), RATES);
  await writeFile(
    shell.path("invoices.csv"),
    "invoice_issuer_name,invoice_id,billing_currency,billed_total\nReference AI Provider,INV-2,EUR,1.02\n",
  );

  await writeFile(
    shell.path("budgets.csv"),
    "team,month,billing_currency,budget\n,2026-03,EUR,20\n,2026-03,USD,100\n",
  );
  const inputs = [
    "--budgets",
    "budgets.csv",
    "--exchange-rates",
    "rates.csv",
    "--invoices",
    "invoices.csv",
  ];
  const line = [...SYNC, ...inputs, "--currency", "EUR", "--report", "r.html"];
  const said = await shell.here(line);
  expect(said).toMatchObject({ end: 0 });
  // 1.25 + 20 * 0.9 + 10 * 0.812345678901, and in February 1.005.
  expect(said.stdout).toMatch(
    /^In EUR {2}all currencies at the rate of each day: 27\.37 in March 2026 so far, 28\.38 since the first day$/m,
  );
  expect(said.stdout).toMatch(/^Budget {2}all costs: 27\.37 of 20\.00 EUR spent.*; OVER$/m);
  expect(said.stderr).not.toContain("No cost can count");
  expect(said.stdout).toMatch(/^No rate for 3\.00 GBP of March 7, 2026, which are in no /m);
  expect(said.stdout).toMatch(/^Invoice INV-2, Reference AI Provider +−0\.02 {2}1\.02 on the/m);
  const page = (await readFile(shell.path("r.html"), "utf8")).replaceAll(/\s+/g, " ");
  expect(page).toContain("In EUR, all currencies at the rate of each day: 27.37 in March 2026");
  expect(page).toContain("There is no rate for 3.00 GBP of March 7, 2026");
  expect(page).toContain("all costs: 27.37 of 20.00 EUR spent");
  expect(page).toContain("1.02 on the invoice, 1.01 of costs");

  // The reporting currency stays without the option, also for the other commands; a row keeps its own amount.
  const again = JSON.parse((await shell.here([...SYNC, "--json"])).stdout);
  expect(again.reporting).toMatchObject({
    currency: "EUR",
    toDate: "27.373456789010000001",
    all: "28.378456789010000001",
    budgets: [{ name: "all costs", budget: "20", billed: "27.373456789010000001" }],
    missing: [{ currency: "GBP", billed: "3" }],
  });
  const costs = await shell.here(["costs", "--by", "day"]);
  expect(costs.stdout).toMatch(/^All currencies in EUR, each cost at the rate of its day$/m);
  expect(costs.stdout).toMatch(/^All, in EUR +27\.37$/m);
  expect(costs.stdout).toMatch(/^3\.00 GBP have no exchange rate and are not in it\.$/m);
  expect(JSON.parse((await shell.here(["costs", "--json"])).stdout)).toMatchObject({
    converted: { currency: "EUR", total: "27.373456789010000001", missing: [{ currency: "GBP" }] },
  });
  const sql =
    "SELECT billing_currency AS currency, sum(billed_cost) AS billed_cost FROM converted_costs GROUP BY ALL ORDER BY 1";
  expect(await shell.query(sql)).toEqual([
    { currency: "EUR", billed_cost: "2.255000000000000001" },
    { currency: "GBP", billed_cost: "3" },
    { currency: "USD", billed_cost: "30" },
  ]);
  expect(await shell.here(["report", "--out", "copy.html"])).toMatchObject({ end: 0 });
  expect(await readFile(shell.path("copy.html"), "utf8")).toContain("In EUR, all currencies");

  expect((await shell.here([...SYNC, "--currency", "none"])).stdout).not.toMatch(/^In EUR/m);
  expect((await shell.here(["costs"])).stdout).not.toContain("All currencies");
});
