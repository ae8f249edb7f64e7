import { expect, it } from "vitest";
import { Database } from "./database.ts";
import { reportingOf } from "./reporting.ts";

it("names budgets, and says since when all costs of a period were read, and no forecast, if its first days never were", async () => {
  const database = await Database.inMemory();
  await database.run(`
    CREATE TABLE report_clock AS SELECT DATE '2026-11-01' AS month, DATE '2026-11-19' AS through_day;
    CREATE TABLE report_accounts AS
      SELECT 'a' AS place, true AS is_active, false AS is_behind, DATE '2026-10-11' AS first_day, DATE '2026-11-19' AS known_day;
    CREATE TABLE report_days AS SELECT 'a' AS place, unnest(range(DATE '2026-10-11', DATE '2026-11-20', INTERVAL 1 DAY))::DATE AS day;
    CREATE TABLE converted_costs AS
      SELECT day, 'EUR' AS billing_currency, 'USD' AS reporting_currency, converted_billed_cost
      FROM (VALUES (DATE '2026-11-02', 34.0), (DATE '2026-11-20', 5.0), (DATE '2026-12-01', 7.0)) AS costs (day, converted_billed_cost);
    CREATE TABLE costs_without_rate (billing_currency VARCHAR, billed_cost DECIMAL(38, 18), first_day DATE, last_day DATE);
    CREATE TABLE budget_status (label VARCHAR, value VARCHAR, fiscal_year INTEGER, first_month DATE, last_month DATE,
      billed_cost DECIMAL(38, 18), forecast_cost DECIMAL(38, 18), budget DECIMAL(38, 18), known_from DATE, is_converted BOOLEAN);
    INSERT INTO budget_status VALUES
      ('all', NULL, 2026, '2026-01-01', '2026-12-01', 39, NULL, 300, '2026-10-11', true),
      ('team', 'Ads', NULL, '2026-11-01', '2026-11-01', 3, 5, 30, NULL, true),
      ('project_id', 'p-1', NULL, '2026-11-01', '2026-11-01', 2, 4, 40, NULL, true),
      ('team', 'Lab', NULL, '2026-11-01', '2026-11-01', 1, 2, 0, NULL, true),
      ('team', 'Idle', NULL, '2026-11-01', '2026-11-01', 0, 0, 0, NULL, true);
    CREATE TABLE label_names AS SELECT 'project_id' AS label, 'p-1' AS value, 'Chat' AS shown`);
  const { budgets = [], ...sums } = (await reportingOf(database)) ?? {};
  // A budget counts all of its month, the month so far ends with the day of the page.
  expect(sums).toMatchObject({ toDate: "34", later: "5", all: "46" });
  // Nothing is spent more than a budget of 0.
  expect(budgets).toEqual([
    { name: "team Lab", budget: "0", billed: "1", forecast: "2" },
    {
      name: "all costs, FY2026, not all read before October 11, 2026",
      budget: "300",
      billed: "39",
      forecast: null,
    },
    { name: "team Ads", budget: "30", billed: "3", forecast: "5" },
    { name: "project Chat", budget: "40", billed: "2", forecast: "4" },
    { name: "team Idle", budget: "0", billed: "0", forecast: "0" },
  ]);
  database.close();
});
