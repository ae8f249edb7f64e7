/**
 * R4 and R5: the newest complete reading of a day has exactly the day's rows, without withdrawn ones, and a reading
 * reports exactly the rows that came under its id. Checked after the last full pass, when the provider no longer
 * changes.
 */
import { date, DAY, iso } from "./calendar.ts";
import type { ReportRow, Warehouse } from "./platform.ts";
import type { Exchange, Provider } from "./provider.ts";
import { type Life, type StreamName, visible } from "./records.ts";

/** The input of the check. The exchanges are those of the last pass. */
export interface Judgeable {
  readonly world: {
    readonly provider: Provider;
    readonly lives: readonly Life[];
    readonly reports: boolean;
  };
  readonly warehouse: Warehouse;
  readonly scheduler: { readonly now: number };
}

/** The days of the last pass that the view of newest readings shows differently. */
export function judgeCurrent({ world, warehouse, scheduler }: Judgeable): string[] {
  if (!world.reports) return [];
  const faults: string[] = [];
  for (const { stream, selects } of world.provider.options.datasets) {
    if (selects === "inclusive") continue; // a row may carry the reading of the previous window
    const newest = newestReadings(stream, warehouse.reports);
    for (const day of daysOf(stream, world.provider.exchanges, scheduler.now)) {
      const report = newest.get(date(day));
      if (report === undefined) continue;
      const rows = [...(warehouse.readings.get(report.reading_id) ?? [])].filter(({ record }) =>
        isOn(record, day),
      );
      const truth = world.lives.flatMap((life) => {
        const version =
          life.stream === stream && isOn(life, day) ? visible(life, scheduler.now) : undefined;
        return version === undefined ? [] : [version.text];
      });
      const shown = rows.map(({ text }) => text);
      if (shown.toSorted().join("\n") !== truth.toSorted().join("\n")) {
        faults.push(
          `R4: ${stream} ${date(day)}: reading ${report.reading_id} has ${shown.length} rows, the provider ${truth.length}`,
        );
      }
      const all = [...(warehouse.readings.get(report.reading_id) ?? [])].filter(
        ({ record }) => date(record.start) === date(day),
      );
      if (all.length !== report.records) {
        faults.push(
          `R5: ${stream} ${date(day)}: ${report.records} records reported, ${all.length} came`,
        );
      }
    }
  }
  return faults;
}

/** The newest reading that covers each whole day. */
function newestReadings(stream: StreamName, reports: readonly ReportRow[]): Map<string, ReportRow> {
  const newest = new Map<string, ReportRow>();
  for (const row of reports) {
    const day = Date.parse(row.day);
    const covers =
      row.dataset === stream &&
      row.inside_window &&
      row.covered_from === iso(day) &&
      row.covered_through === iso(day + DAY);
    if (!covers) continue;
    if (row.reading_id >= (newest.get(row.day)?.reading_id ?? "")) newest.set(row.day, row);
  }
  return newest;
}

/** The days that were requested completely; today counts up to now. */
function daysOf(stream: StreamName, exchanges: readonly Exchange[], now: number): Set<number> {
  const days = new Set<number>();
  for (const exchange of exchanges) {
    if (exchange.stream !== stream) continue;
    for (let day = exchange.start; Math.min(day + DAY, now) <= exchange.end; day += DAY) {
      if (day >= exchange.end) break;
      days.add(day);
    }
  }
  return days;
}

const isOn = (
  { start, end }: { readonly start: number; readonly end: number },
  day: number,
): boolean => start >= day && end <= day + DAY;
