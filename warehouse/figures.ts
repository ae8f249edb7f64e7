/**
 * Queries the views for figures. Decimals are text.
 */
import type { Asked } from "./database.ts";
import { plain } from "./decimals.ts";
import type { RemovedRow } from "./report/model.ts";

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

/** The proven days of each dataset. */
export async function proofs(database: Asked): Promise<Proof[]> {
  const rows = await database.query(`
    SELECT dataset,
           count(*) FILTER (status = 'proven'),
           count(*) FILTER (status = 'unproven'),
           count(*) FILTER (status = 'incomplete'),
           coalesce(any_value(compared), 0),
           coalesce(any_value(differing), 0)
    FROM completeness
    LEFT JOIN (
      SELECT dataset, count(*) AS compared, count(*) FILTER (NOT is_reconciled) AS differing
      FROM reconciliation WHERE is_proven GROUP BY dataset) USING (dataset)
    GROUP BY dataset ORDER BY dataset`);
  return rows.map(([dataset = "", ...counts]) => {
    const [proven = 0, unproven = 0, incomplete = 0, compared = 0, differing = 0] =
      counts.map(Number);
    return { dataset, proven, unproven, incomplete, compared, differing };
  });
}

/** Costs that are still in the table although the provider no longer shows them. */
export async function removedCosts(database: Asked): Promise<RemovedRow[]> {
  const rows = await database.query(`
    SELECT record_id, billed_cost, last_seen_at, billing_currency
    FROM removed_rows WHERE dataset = 'costs' ORDER BY last_seen_at, record_id`);
  return rows.map(([id = "", billed = "null", lastSeenAt = "", currency = ""]) => ({
    id,
    billed: billed === "null" ? null : plain(billed),
    lastSeenAt,
    currency,
  }));
}
