/**
 * Queries the warehouse for the figures that the demo prints. Decimals are text. Figures of views read the tables
 * `shown_…` that `Warehouse.look` makes.
 */
import type { Sum } from "./reconciliation.ts";
import type { RemovedRow } from "./report/model.ts";
import type { Warehouse } from "./warehouse.ts";

/** Billed cost of usage, and the sum of its corrections; decimals as text. */
export interface Corrections {
  readonly spend: string;
  readonly corrections: string;
}

/** A bill by the status of its costs, and the bill that the raw table would show. */
export interface Bill {
  readonly provisional: string;
  readonly final: string;
  readonly naive: string;
}

/** The numbers of proven, unproven and incomplete days of a dataset, and the comparison of its control totals. */
export interface Proof {
  readonly dataset: string;
  readonly proven: number;
  readonly unproven: number;
  readonly incomplete: number;
  /** Control totals of proven days. */
  readonly compared: number;
  /** Control totals that differ from the rows that the views show. */
  readonly differing: number;
}

async function sums(warehouse: Warehouse, sql: string): Promise<Sum[]> {
  const rows = await warehouse.query(sql);
  return rows.map(([measure = "", count = "0", amount = "0"]) => ({
    measure,
    rows: Number(count),
    amount,
  }));
}

/**
 * Rows and sums of the raw tables, under the names that {@link import("./provider.ts").sumsOf} uses for the provider.
 */
export async function naiveSums(warehouse: Warehouse): Promise<Sum[]> {
  return await sums(
    warehouse,
    `SELECT 'billed ' || BillingCurrency, count(*), sum(BilledCost) FROM costs GROUP BY ALL
     UNION ALL
     SELECT 'effective ' || BillingCurrency, count(*), sum(EffectiveCost) FROM costs GROUP BY ALL
     UNION ALL
     SELECT x_UsageType, count(*), sum(ConsumedQuantity) FROM usage GROUP BY ALL`,
  );
}

/** The same for `current_costs` and `current_usage`. */
export async function currentSums(warehouse: Warehouse): Promise<Sum[]> {
  return await sums(
    warehouse,
    `SELECT 'billed ' || billing_currency, count(*), sum(billed_cost)
     FROM shown_current_costs GROUP BY ALL
     UNION ALL
     SELECT 'effective ' || billing_currency, count(*), sum(effective_cost)
     FROM shown_current_costs GROUP BY ALL
     UNION ALL
     SELECT usage_type, count(*), sum(consumed_quantity) FROM shown_current_usage GROUP BY ALL`,
  );
}

/** Billed cost of usage, and the sum of its corrections. */
export async function corrections(warehouse: Warehouse): Promise<Corrections> {
  const [row] = await warehouse.query(`
    SELECT coalesce(sum(billed_cost) FILTER (corrects_record_id IS NULL), 0),
           coalesce(sum(billed_cost) FILTER (corrects_record_id IS NOT NULL), 0)
    FROM shown_current_costs`);
  const [spend = "0", corrected = "0"] = row ?? [];
  return { spend, corrections: corrected };
}

/** @param period start of the billing period, a date */
export async function billOf(warehouse: Warehouse, period: string): Promise<Bill> {
  const [row] = await warehouse.query(`
    SELECT coalesce(sum(billed_cost) FILTER (cost_status = 'provisional'), 0),
           coalesce(sum(billed_cost) FILTER (cost_status = 'final'), 0),
           (SELECT coalesce(sum(BilledCost), 0) FROM costs WHERE BillingPeriodStart = '${period}')
    FROM shown_current_costs WHERE billing_period_start = '${period}'`);
  const [provisional = "0", final = "0", naive = "0"] = row ?? [];
  return { provisional, final, naive };
}

/** The proven days of each dataset. */
export async function proofs(warehouse: Warehouse): Promise<Proof[]> {
  const rows = await warehouse.query(`
    SELECT dataset,
           count(*) FILTER (status = 'proven'),
           count(*) FILTER (status = 'unproven'),
           count(*) FILTER (status = 'incomplete'),
           any_value(compared),
           any_value(differing)
    FROM shown_completeness
    LEFT JOIN (
      SELECT dataset, count(*) AS compared, count(*) FILTER (NOT is_reconciled) AS differing
      FROM shown_reconciliation WHERE is_proven GROUP BY dataset) USING (dataset)
    GROUP BY dataset ORDER BY dataset`);
  return rows.map(([dataset = "", ...counts]) => {
    const [proven = 0, unproven = 0, incomplete = 0, compared = 0, differing = 0] =
      counts.map(Number);
    return { dataset, proven, unproven, incomplete, compared, differing };
  });
}

/** Costs that are still in the table although the provider no longer shows them. */
export async function removedCosts(warehouse: Warehouse): Promise<RemovedRow[]> {
  const rows = await warehouse.query(`
    SELECT record_id, billed_cost, last_seen_at
    FROM shown_removed_rows WHERE dataset = 'costs' ORDER BY last_seen_at, record_id`);
  return rows.map(([id = "", billed = "0", lastSeenAt = ""]) => ({ id, billed, lastSeenAt }));
}

/**
 * Billed cost by model and month of use: the newest months with their largest models, all others as `earlier` and
 * `other models`, and the totals. Rows of (model, month, cost).
 */
export async function costByMonthAndModel(
  warehouse: Warehouse,
  months: number,
  models: number,
): Promise<(readonly string[])[]> {
  return await warehouse.query(`
    WITH spend AS (
      SELECT strftime(day, '%Y-%m') AS month, model_id AS model, billed_cost FROM shown_current_costs),
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
