/** P6: the judges of listings that moved while they were read. */
import { overlap } from "./outages.ts";
import type { ReportRow, Warehouse } from "./platform.ts";
import type { Rules } from "./provider.ts";

/** Whether a reading has written the rows of a day. The report of a day without rows names the reading itself. */
export const isWritten = ({
  rows_reading_id: writtenBy,
  reading_id: id,
  rows,
}: ReportRow): boolean => writtenBy === id && rows > 0;

/** The reports of a day before another one, the earliest first. */
const reportsBefore = (
  { chain, reading_id: id }: ReportRow,
  all: readonly ReportRow[],
): readonly ReportRow[] =>
  all
    .filter((other) => other.chain === chain && other.reading_id < id)
    .toSorted((one, other) => (one.reading_id < other.reading_id ? -1 : 1));

/**
 * R10: whether the listing moved in two readings in a row, each with other rows of the same number. Such a day does not come back, so
 * that a day whose rows differ in each answer is not read for ever. Readings in between that were not believed (R8) do not count.
 */
export function movedTwice(newest: ReportRow, all: readonly ReportRow[]): boolean {
  const believed = all.filter(({ shrunk }) => !shrunk);
  const before = reportsBefore(newest, believed).at(-1);
  if (before === undefined) return false;
  const hasMoved = [before, newest].every(
    ({ moved, confirmed, shrunk }) => moved && !confirmed && !shrunk,
  );
  return (
    hasMoved && before.rows === newest.rows && before.rows_reading_id !== newest.rows_reading_id
  );
}

/**
 * A proven day must have every record that was visible from this instant on. P6: a listing that moved may skip exactly the record
 * that is new since the reading before. The two readings then agree and are believed, so such a record may be missing. No report
 * tells of some readings, such as those of today. Then the record is not older than the sync that has brought the rows, or, on a day
 * without rows, than the last sync in which a listing of the day ended. With offset cursors two listings that moved may even have skipped
 * the same older record, and a listing that moved may skip a record that an outage hid from the reading before: then the time is
 * unknown (-Infinity).
 */
export function seenSince(
  { stream, cursors, outages }: Pick<Rules, "stream" | "cursors" | "outages">,
  report: ReportRow,
  warehouse: Warehouse,
): number {
  const from = Date.parse(report.first_as_of);
  const reports = reportsBefore(report, warehouse.reportsOf(stream, report.day));
  const before = reports.at(-1);
  // A reading that agrees with a loss which the reading before had found is believed, too, and it writes the day.
  const agrees = !isWritten(report) || before?.confirmed === false;
  if (!report.moved || !agrees) return from;
  const readAt =
    report.rows > 0 ? warehouse.loadedBy(report.rows_reading_id) : warehouse.listedBefore(report);
  const earlier =
    before === undefined
      ? { start: readAt, end: from }
      : { start: Date.parse(before.first_as_of), end: Date.parse(before.last_as_of) + 1 };
  // A killed process may have reported a reading of which no state knows, so that the two readings in a row are not the last ones.
  const doubtful = reports.slice(reports.findLastIndex(({ confirmed }) => confirmed) + 1);
  const mayHaveSkipped = doubtful.some(({ moved, rows }) => moved && rows === report.rows);
  const mayHaveHidden = outages.some((outage) => overlap(outage, earlier));
  if (cursors === "offset" && (mayHaveSkipped || mayHaveHidden)) return -Infinity;
  return Math.min(from, earlier.start);
}
