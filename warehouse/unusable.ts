/**
 * Values of rows that no sum of the models holds. The models judge each value before they add any (dbt/macros/values.sql), because one
 * sum that does not fit would fail as a whole. `invalid_rows`, `sync` and the report name the values that are left out.
 */
import type { Asked } from "./database.ts";
import { nameIn } from "./report/clock.ts";
import { cleaned } from "./text.ts";
import type { Unusable, Unusables } from "./unusable_values.ts";

/** Values that a message names, and those that the summary and the report name. */
const NAMED = 3;
const LISTED = 100;

/** Characters of a text that a person is shown. */
const SHOWN = 60;

/** Reads the model `invalid_rows`. */
export async function unusables(database: Asked): Promise<Unusables> {
  const [counted] = await database.query(
    "SELECT count(*) FROM (SELECT DISTINCT dataset, account, base_url, record_id FROM invalid_rows)",
  );
  const rows = await database.query(`
    SELECT dataset, CASE WHEN (SELECT count(DISTINCT (base_url, account)) FROM invalid_rows) > 1 THEN ${nameIn("invalid_rows")} END,
           coalesce(record_id, ''), coalesce(day::VARCHAR, ''), column_name, coalesce(value, ''), reason
    FROM invalid_rows ORDER BY day DESC, dataset, record_id, account, base_url, column_name LIMIT ${LISTED}`);
  return {
    rows: Number(counted?.[0]),
    first: rows.map(
      ([
        dataset = "",
        account = "null",
        record = "",
        day = "",
        column = "",
        value = "",
        reason = "",
      ]) => ({
        dataset,
        account: account === "null" ? null : account,
        record,
        day,
        column,
        value,
        reason,
      }),
    ),
  };
}

const cut = (text: string): string =>
  text.length > SHOWN ? `${text.slice(0, SHOWN)}… (${text.length} characters)` : text;

/** Such as `costs "c-1" of 2026-03-08: BilledCost 10000000000000 (too large to be summed)`. */
export function wordsOf({
  dataset,
  account,
  record,
  day,
  column,
  value,
  reason,
}: Unusable): string {
  const given = value === "" ? "" : ` ${cut(value)}`;
  return cleaned(
    `${dataset} "${cut(record)}"${account === null ? "" : ` of ${cut(account)}`} of ${day === "" ? "an unknown day" : day}: ${column}${given} (${reason})`,
  );
}

/** Warns of all of them at once. */
export function warnOfUnusables({ rows, first }: Unusables, warn: (text: string) => void): void {
  if (rows === 0) return;
  const named = first.slice(0, NAMED).map(wordsOf).join("; ");
  const others = first.length > NAMED ? '; query "FROM invalid_rows" lists all' : "";
  warn(
    `${rows === 1 ? "1 row has a value that is in no sum" : `${rows} rows have values that are in no sum`}, and the days of these ` +
      `rows are not proven: ${named}${others}. Tell the provider. When it has corrected a row, the next sync counts it.`,
  );
}
