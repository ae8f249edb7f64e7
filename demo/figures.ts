/** Queries the database for the figures that only the demo prints. Decimals are text. */
import { literal } from "../warehouse/columns.ts";
import type { Database } from "../warehouse/database.ts";
import type { Sum } from "./reconciliation.ts";

/** Billed cost of usage, and the sum of its corrections; decimals as text. */
export interface Corrections {
  readonly spend: string;
  readonly corrections: string;
}

async function sums(database: Database, sql: string): Promise<Sum[]> {
  const rows = await database.query(sql);
  return rows.map(([measure = "", count = "0", amount = "0"]) => ({
    measure,
    rows: Number(count),
    amount,
  }));
}

/** The newest version of each row of a raw table, as an upsert would keep it. */
const upserted = (table: string): string =>
  `(FROM ${table} QUALIFY row_number() OVER (PARTITION BY x_RecordId ORDER BY x_ReadingId DESC) = 1)`;

/**
 * Rows and sums of the raw tables as an upsert would keep them, under the names that {@link import("./provider.ts").sumsOf} uses for
 * the provider.
 */
export async function naiveSums(database: Database): Promise<Sum[]> {
  return await sums(
    database,
    `SELECT 'billed ' || BillingCurrency, count(*), sum(BilledCost::DECIMAL(38,18)) FROM ${upserted("costs")} GROUP BY ALL
     UNION ALL
     SELECT 'effective ' || BillingCurrency, count(*), sum(EffectiveCost::DECIMAL(38,18)) FROM ${upserted("costs")} GROUP BY ALL
     UNION ALL
     SELECT x_UsageType, count(*), sum(ConsumedQuantity::DECIMAL(38,18)) FROM ${upserted("usage")} GROUP BY ALL`,
  );
}

/** The same for `current_costs` and `current_usage`, of all accounts or of the one with a label. */
export async function currentSums(database: Database, label?: string): Promise<Sum[]> {
  const where = label === undefined ? "" : `WHERE account = ${literal(label)}`;
  return await sums(
    database,
    `SELECT 'billed ' || billing_currency, count(*), sum(billed_cost)
     FROM current_costs ${where} GROUP BY ALL
     UNION ALL
     SELECT 'effective ' || billing_currency, count(*), sum(effective_cost)
     FROM current_costs ${where} GROUP BY ALL
     UNION ALL
     SELECT usage_type, count(*), sum(consumed_quantity) FROM current_usage ${where} GROUP BY ALL`,
  );
}

/** Billed cost of usage, and the sum of its corrections. */
export async function corrections(database: Database): Promise<Corrections> {
  const [row] = await database.query(`
    SELECT coalesce(sum(billed_cost) FILTER (corrects_record_id IS NULL), 0),
           coalesce(sum(billed_cost) FILTER (corrects_record_id IS NOT NULL), 0)
    FROM current_costs`);
  const [spend = "0", corrected = "0"] = row ?? [];
  return { spend, corrections: corrected };
}

/**
 * Billed cost by model and month of use: the newest months with their largest models, all others as `earlier` and
 * `other models`, and the totals. Rows of (model, month, cost).
 */
export async function costByMonthAndModel(
  database: Database,
  months: number,
  models: number,
): Promise<(readonly string[])[]> {
  return await database.query(`
    WITH spend AS (
      SELECT strftime(day, '%Y-%m') AS month, model_id AS model, billed_cost FROM current_costs),
    shown_months AS (SELECT DISTINCT month FROM spend ORDER BY month DESC LIMIT ${months}),
    shown_models AS (
      SELECT model FROM spend SEMI JOIN shown_months USING (month)
      GROUP BY model ORDER BY sum(billed_cost) DESC, model LIMIT ${models}),
    labeled AS (
      SELECT coalesce(shown_models.model, 'other models') AS model,
             coalesce(shown_months.month, 'earlier') AS month, billed_cost
      FROM spend
      LEFT JOIN shown_models ON shown_models.model = spend.model
      LEFT JOIN shown_months ON shown_months.month = spend.month)
    SELECT coalesce(model, 'total'), coalesce(month, 'total'), sum(billed_cost)
    FROM labeled
    GROUP BY CUBE (model, month)
    ORDER BY GROUPING(model), model = 'other models', sum(sum(billed_cost)) OVER (PARTITION BY model) DESC,
             GROUPING(month), month = 'earlier' DESC, month`);
}
