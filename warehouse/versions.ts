/** Keeps the tables of versions small where no model can tell the difference. */
import type { Database } from "./database.ts";

/**
 * Deletes versions of a day in progress. Hourly syncs write today's rows 24 times. No model shows these versions except
 * `restatements`: a change counts only after a reading has covered the whole day, and a month in the past is shown as at the end of a
 * day. So of the versions of a record that were found on one UTC day, before any report covered the day of the charge, the first and
 * the last stay: the first says when the record came. The rows of a reading that stood at the end of the UTC day stay, and so do
 * all other versions.
 *
 * @param table the stream of which rows were written
 */
export async function foldVersions(database: Database, table: "usage" | "costs"): Promise<void> {
  await database.run(`
    WITH reports AS (
      SELECT reading_id, rows_reading_id, chain, "day" AS charged, began_at::DATE AS found,
             inside_window AND confirmed AND NOT shrunk AS is_standing,
             inside_window AND covered_from <= "day"::TIMESTAMP AND covered_through >= ("day" + 1)::TIMESTAMP AS is_covering
      FROM export_windows WHERE dataset = '${table}'),
    today AS (SELECT max(found) AS found FROM reports),
    readings AS (SELECT DISTINCT reading_id, chain FROM reports JOIN today USING (found)),
    covered AS (
      SELECT chain, charged, min(reading_id) AS reading_id FROM reports WHERE is_covering GROUP BY ALL),
    standing AS (
      SELECT chain, charged, rows_reading_id AS x_ReadingId,
             lead(min(found)) OVER (PARTITION BY chain, charged ORDER BY rows_reading_id) AS ends
      FROM reports WHERE is_standing GROUP BY chain, charged, rows_reading_id),
    versions AS (
      SELECT rows_.rowid AS place, x_RecordId, chain, x_ReadingId, ChargePeriodStart::DATE AS charged
      FROM ${table} AS rows_ JOIN readings ON x_ReadingId = reading_id),
    followed AS (
      SELECT *, lead(x_ReadingId) OVER later AS next_reading, lead(charged) OVER later AS next_charged,
             row_number() OVER later AS number
      FROM versions WINDOW later AS (PARTITION BY x_RecordId, chain ORDER BY x_ReadingId, place)),
    folded AS (
      SELECT place
      FROM followed LEFT JOIN covered USING (chain, charged) LEFT JOIN standing USING (chain, charged, x_ReadingId), today
      WHERE number > 1 AND next_reading > x_ReadingId AND next_charged = charged
        AND (covered.reading_id IS NULL OR next_reading <= covered.reading_id)
        AND (standing.x_ReadingId IS NULL OR standing.ends = today.found))
    DELETE FROM ${table} WHERE rowid IN (SELECT place FROM folded)`);
}
