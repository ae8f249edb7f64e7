/**
 * The bills after each sync, by account, currency and billing period. They say what a sync changed, and how provisional costs became
 * final. Decimals are text without trailing zeros.
 */
import type { Asked, Database } from "./database.ts";
import { plain, subtract } from "./decimals.ts";

/** A bill, and its difference to the same bill after the sync before. */
export interface Change {
  /** The address of the account, and its label or the id that its provider gives it; empty without one. */
  readonly base_url: string;
  readonly account: string;
  readonly currency: string;
  readonly month: string;
  /** Final and provisional costs together. */
  readonly billed: string;
  readonly provisional: string;
  /** Null at the first sync of the account. */
  readonly change: string | null;
  /** Costs of the period that are not in `billed`, because one of their values is in no sum. */
  readonly unsummed: number;
}

/** The bill of a place (an account at an address) in a billing period. */
const KEYS = "base_url, account, currency, month";

const COLUMNS =
  "base_url VARCHAR, account VARCHAR, currency VARCHAR, month DATE, final DECIMAL(38,18), provisional DECIMAL(38,18)";

/** The bills that the costs make now. */
const COUNTED = `
  SELECT coalesce(base_url, ''), coalesce(account, ''), coalesce(billing_currency, ''), billing_period_start::DATE,
         coalesce(sum(billed_cost) FILTER (cost_status = 'final'), 0),
         coalesce(sum(billed_cost) FILTER (cost_status IS DISTINCT FROM 'final'), 0)
  FROM current_costs WHERE is_counted GROUP BY ALL`;

/**
 * Compares the bills of a sync that has ended with those of the sync before, and stores those that changed. Older bills
 * stay, so every sum that a sync has shown can be found.
 *
 * @param models answers queries over the models `current_costs` and `invalid_rows`
 * @returns all bills, the newest period first
 */
export async function storeBills(database: Database, models: Asked): Promise<Change[]> {
  await database.run(`CREATE OR REPLACE TEMP TABLE counted (${COLUMNS})`);
  const counted = await models.query(COUNTED);
  await database.insert("counted", "?, ?, ?, nullif(?, 'null')::DATE, ?, ?", counted);
  await database.run(`
    CREATE OR REPLACE TEMP TABLE compared AS
    WITH before AS (
      FROM source_ai_billing.bills QUALIFY row_number() OVER (PARTITION BY ${KEYS} ORDER BY sync DESC) = 1),
    unsummed AS (
      SELECT coalesce(base_url, '') AS base_url, coalesce(account, '') AS account,
             coalesce(billing_currency, '') AS currency, billing_month AS month, count(DISTINCT record_id) AS unsummed
      FROM invalid_rows WHERE dataset = 'costs' AND billing_month IS NOT NULL GROUP BY ALL)
    SELECT ${KEYS}, coalesce(counted.final, 0) AS final, coalesce(counted.provisional, 0) AS provisional,
           coalesce(before.final, 0) AS final_before, coalesce(before.provisional, 0) AS provisional_before,
           coalesce(unsummed, 0) AS unsummed
    FROM counted FULL JOIN before USING (${KEYS}) FULL JOIN unsummed USING (${KEYS})`);
  const rows = await database.query(`
    SELECT base_url, account, currency, month, final + provisional, provisional, final_before + provisional_before,
           EXISTS (FROM source_ai_billing.bills AS kept
                   WHERE kept.base_url = compared.base_url AND kept.account = compared.account),
           unsummed
    FROM compared ORDER BY month DESC, currency, account, base_url`);
  await database.run(`
    INSERT INTO source_ai_billing.bills BY NAME
    SELECT (SELECT coalesce(max(sync), 0) + 1 FROM source_ai_billing.bills) AS sync,
           (SELECT max(ended_at) FROM export_windows) AS synced_at, ${KEYS}, final, provisional
    FROM compared WHERE final <> final_before OR provisional <> provisional_before`);
  return rows.map(
    ([
      base_url = "",
      account = "",
      currency = "",
      month = "",
      billed = "0",
      provisional = "0",
      before = "0",
      known,
      unsummed,
    ]) => ({
      base_url,
      account,
      currency,
      month,
      billed: plain(billed),
      provisional: plain(provisional),
      change: known === "true" ? subtract(billed, before) : null,
      unsummed: Number(unsummed),
    }),
  );
}
