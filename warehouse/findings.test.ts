import { expect, it } from "vitest";
import { Database } from "./database.ts";
import { findingsOf } from "./findings.ts";

it("says budgets of today that are exceeded, and each finding of the team map, in words", async () => {
  const database = await Database.inMemory();
  await database.run(`
    CREATE TABLE monthly_costs AS SELECT DATE '2026-11-09' AS through_day;
    CREATE TABLE budget_status (label VARCHAR, value VARCHAR, fiscal_year INTEGER, first_month DATE, last_month DATE,
      billing_currency VARCHAR, billed_cost DECIMAL(38, 18), budget DECIMAL(38, 18), is_over BOOLEAN);
    INSERT INTO budget_status VALUES
      ('all', NULL, NULL, '2026-11-01', '2026-11-01', 'USD', 2, 1, true),
      ('team', 'Ads', NULL, '2026-11-01', '2026-11-01', 'USD', 2, 1, true),
      ('project_id', 'p1', NULL, '2026-10-01', '2026-10-01', 'USD', 2, 1, true),
      ('project_id', 'p1', NULL, '2026-11-01', '2026-11-01', 'USD', 1500.5, 1000, true),
      ('model_id', 'm1', NULL, '2026-11-01', '2026-11-01', 'USD', 2, 3, false),
      ('all', NULL, 2027, '2026-10-01', '2027-09-01', 'EUR', 3, 2, true),
      ('all', NULL, 2026, '2025-10-01', '2026-09-01', 'EUR', 3, 2, true);
    CREATE TABLE label_names AS SELECT 'project_id' AS label, 'p1' AS value, 'Search app' AS shown;
    CREATE TABLE team_map_findings (finding VARCHAR, label VARCHAR, value VARCHAR, first_day DATE, last_day DATE, team VARCHAR,
      other_team VARCHAR, billing_currency VARCHAR, billed_cost DECIMAL(38, 18));
    INSERT INTO team_map_findings VALUES
      ('gap', 'project_id', 'p1', '2026-03-02', '2026-03-05', NULL, NULL, 'USD', 1.5),
      ('gap', 'project_id', 'p2', '2026-03-02', '2026-03-02', NULL, NULL, NULL, 0),
      ('overlap', 'api_key_id', 'k1', '2026-03-02', NULL, 'Ads', 'Lab', 'EUR', -20),
      ('outside', 'workspace_id', 'w1', '2026-01-01', '2026-01-31', NULL, NULL, 'USD', 1234.25)`);
  expect(await findingsOf(database)).toEqual([
    "project Search app of 2026-11 came to 1,500.5 USD, more than the budget of 1,000",
    "all costs of FY2027 came to 3 EUR, more than the budget of 2",
    "workspace_id w1 costs 1,234.25 USD from 2026-01-01 through 2026-01-31, outside the days of its rows of the team map",
    "api_key_id k1 has the teams Ads and Lab from 2026-03-02 on, so neither counts; −20 EUR of these days belong to no team",
    "project_id Search app has no team from 2026-03-02 through 2026-03-05, between two rows of the team map; 1.5 USD of these days belong to no team",
    "project_id p2 has no team on 2026-03-02, between two rows of the team map",
  ]);
  database.close();
});
