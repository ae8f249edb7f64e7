/** R10: the judge of days that no report tells of. */
import { date, DAY } from "./calendar.ts";
import type { Span } from "./outages.ts";
import type { Warehouse } from "./platform.ts";
import type { StreamName } from "./records.ts";

/**
 * Finds the whole days that have rows, and of which no report of the stream's chain tells. The reports of a stream whose state was lost
 * have another chain.
 */
export function judgeUntold(
  stream: StreamName,
  { deduplicated, reports }: Warehouse,
  { start, end }: Span,
  chain = "",
): string[] {
  const own = reports.filter((row) => row.dataset === stream && row.chain === chain);
  const told = new Set(own.flatMap((row) => (row.inside_window ? [row.day] : [])));
  const rows = [...deduplicated[stream].values()];
  const days = new Set(rows.map(({ version }) => date(version.record.start)));
  return [...days]
    .filter((day) => Date.parse(day) >= start && Date.parse(day) + DAY <= end && !told.has(day))
    .map((day) => `R10: ${stream} ${day} has rows, and no report`);
}
