/**
 * The bills after each sync, by currency and billing period. They say what a sync changed, and how provisional costs became
 * final. Decimals are text without trailing zeros.
 */
import type { Database } from "./database.ts";
import { plain, subtract } from "./decimals.ts";
import { amountOf } from "./unusable.ts";

/** A bill, and its difference to the same bill after the sync before. */
export interface Change {
  readonly currency: string;
  readonly month: string;
  /** Final and provisional costs together. */
  readonly billed: string;
  readonly provisional: string;
  /** Null at the first sync. */
  readonly change: string | null;
  /** Costs of the period that are not in `billed`, because one of their values is in no sum. */
  readonly unsummed: number;
}

/** Syncs whose bills are kept. */
const KEPT = 100;

/** Stores the bills of a sync that has ended. Reads the table `current_costs`. */
export async function storeBills(database: Database): Promise<void> {
  await database.transaction(async () => {
    await database.run(`
      INSERT INTO source_ai_billing.bills
      WITH current AS (
        SELECT billing_currency AS currency, billing_period_start::DATE AS month,
               coalesce(sum(billed_cost) FILTER (cost_status = 'final'), 0) AS final,
               coalesce(sum(billed_cost) FILTER (cost_status IS DISTINCT FROM 'final'), 0) AS provisional
        FROM current_costs WHERE is_counted GROUP BY ALL),
      naive AS (
        SELECT BillingCurrency AS currency, BillingPeriodStart::DATE AS month,
               sum(${amountOf("BilledCost")}) AS naive
        FROM costs GROUP BY ALL)
      SELECT (SELECT coalesce(max(sync), 0) + 1 FROM source_ai_billing.bills),
             (SELECT max(ended_at) FROM export_windows),
             currency, month, coalesce(final, 0), coalesce(provisional, 0), coalesce(naive, 0)
      FROM current FULL JOIN naive USING (currency, month)`);
    await database.run(`
      DELETE FROM source_ai_billing.bills
      WHERE sync <= (SELECT max(sync) FROM source_ai_billing.bills) - ${KEPT}`);
  });
}

/**
 * The bills of the last sync, and how they differ from those of the sync before; the newest period first. Reads the tables
 * `invalid_rows` and those of {@link storeBills}.
 */
export async function latestChanges(database: Database): Promise<Change[]> {
  const rows = await database.query(`
    WITH newest AS (SELECT max(sync) AS sync FROM source_ai_billing.bills),
    latest AS (SELECT bills.* FROM source_ai_billing.bills JOIN newest USING (sync)),
    before AS (
      SELECT bills.* FROM source_ai_billing.bills JOIN newest ON bills.sync = newest.sync - 1),
    unsummed AS (
      SELECT billing_currency AS currency, billing_month AS month, count(DISTINCT record_id) AS unsummed
      FROM invalid_rows WHERE dataset = 'costs' GROUP BY ALL)
    SELECT currency, month,
           coalesce(latest.final, 0) + coalesce(latest.provisional, 0),
           coalesce(latest.provisional, 0),
           coalesce(before.final, 0) + coalesce(before.provisional, 0),
           (SELECT count(*) FROM before),
           coalesce(unsummed, 0)
    FROM latest FULL JOIN before USING (currency, month) LEFT JOIN unsummed USING (currency, month)
    ORDER BY month DESC, currency`);
  return rows.map(
    ([currency = "", month = "", billed = "0", provisional = "0", before = "0", ...counts]) => ({
      currency,
      month,
      billed: plain(billed),
      provisional: plain(provisional),
      change: counts[0] === "0" ? null : subtract(billed, before),
      unsummed: Number(counts[1]),
    }),
  );
}
