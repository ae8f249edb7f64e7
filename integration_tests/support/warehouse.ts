/**
 * A model of the warehouses that a platform loads: their rows after some reads, and exact sums of the rows. It shares
 * no code with the connector, not even the decimals.
 */
import type { Message } from "./protocol.ts";

export type Row = Readonly<Record<string, unknown>>;

/** An exact sum of decimal texts, without trailing zeros. */
export function sumDecimals(texts: readonly string[]): string {
  const scale = Math.max(0, ...texts.map((text) => text.split(".")[1]?.length ?? 0));
  let units = 0n;
  for (const text of texts) {
    const [whole = "", fraction = ""] = text.split(".");
    units += BigInt(whole + fraction.padEnd(scale, "0"));
  }
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const point = digits.length - scale;
  const fraction = digits.slice(point).replace(/0+$/, "");
  return `${units < 0n ? "-" : ""}${digits.slice(0, point)}${fraction === "" ? "" : `.${fraction}`}`;
}

/** A table of one stream. */
class Table {
  /** All records in the order of their arrival: a destination in append mode. */
  readonly rows: Row[] = [];

  /** The newest row of each key by the cursor field: a destination in append and dedup mode. */
  deduped(): readonly Row[] {
    return newestById(this.rows);
  }
}

/** The row of the newest reading for each record id. Of two rows of one reading the later one wins. */
function newestById(rows: readonly Row[]): readonly Row[] {
  const newest = new Map<string, Row>();
  for (const row of rows) {
    const known = newest.get(textOf(row, "x_RecordId"));
    const isNewer =
      known === undefined || textOf(row, "x_ReadingId") >= textOf(known, "x_ReadingId");
    if (isNewer) newest.set(textOf(row, "x_RecordId"), row);
  }
  return [...newest.values()];
}

function textOf(row: Row, name: string): string {
  const value = row[name];
  if (typeof value === "string") return value;
  throw new TypeError(`${name} is ${value === null ? "null" : typeof value}`);
}

function dayOf(row: Row): string {
  return new Date(textOf(row, "ChargePeriodStart")).toISOString().slice(0, 10);
}

export type Dataset = "usage" | "costs";

/** The tables of all streams. */
export class Warehouse {
  readonly usage = new Table();
  readonly costs = new Table();
  /** The reports of complete readings (the stream export_windows). */
  readonly windows: Row[] = [];
  /** The names of ids (the stream labels). */
  readonly labels: Row[] = [];

  /** Loads the records of a read; `overwrite` empties the tables first. */
  load(
    run: { readonly messages: readonly Message[] },
    mode: "append" | "overwrite" = "append",
  ): this {
    const tables = {
      usage: this.usage.rows,
      costs: this.costs.rows,
      export_windows: this.windows,
      labels: this.labels,
    };
    if (mode === "overwrite") for (const rows of Object.values(tables)) rows.length = 0;
    for (const { record } of run.messages) {
      if (record === undefined) continue;
      for (const [name, rows] of Object.entries(tables)) {
        if (name === record.stream) rows.push(record.data);
      }
    }
    return this;
  }

  deduped(dataset: Dataset): readonly Row[] {
    return this[dataset].deduped();
  }

  /**
   * The rows that stand for each day (R5): those that the day's newest report names, and strays that are still reported. A day
   * without a report shows the newest row of each id. Needs the stream export_windows.
   */
  latest(dataset: Dataset, table: TableKind = "append"): readonly Row[] {
    const rows = table === "append" ? this[dataset].rows : this.deduped(dataset);
    const reports = this.windows.filter((report) => report["dataset"] === dataset);
    const standing = newestReports(reports);
    const strays = standingStrays(reports);
    const inside = newestById(rows.filter((row) => isInside(row, standing)));
    const ids = new Set(inside.map((row) => textOf(row, "x_RecordId")));
    const outside = rows.filter(
      (row) => strays.has(readingAndDay(row)) && !isInside(row, standing),
    );
    const others = newestById(outside).filter((row) => !ids.has(textOf(row, "x_RecordId")));
    return [...inside, ...others];
  }
}

export type TableKind = "append" | "dedup";

/** Whether the row is one of those that its day's newest report names. */
function isInside(row: Row, standing: ReadonlyMap<string, Row>): boolean {
  const report = standing.get(dayOf(row));
  return report === undefined || report["rows_reading_id"] === row["x_ReadingId"];
}

/** The newest report of each day, without those about strays. */
function newestReports(reports: readonly Row[]): ReadonlyMap<string, Row> {
  const newest = new Map<string, Row>();
  for (const report of reports) {
    if (report["inside_window"] !== true) continue;
    const known = newest.get(textOf(report, "day"));
    const isNewer =
      known === undefined || textOf(report, "reading_id") >= textOf(known, "reading_id");
    if (isNewer) newest.set(textOf(report, "day"), report);
  }
  return newest;
}

/** The strays that still stand, as `reading day`: no newer reading of their whole window lacks them. */
function standingStrays(reports: readonly Row[]): ReadonlySet<string> {
  const whole = reports.filter((report) => report["whole_window"] === true);
  const last = new Map<string, Row>();
  for (const report of reports) {
    if (report["inside_window"] !== false) continue;
    const name = `${textOf(report, "rows_reading_id")} ${textOf(report, "day")}`;
    const known = last.get(name);
    const isNewer =
      known === undefined || textOf(report, "reading_id") > textOf(known, "reading_id");
    if (isNewer) last.set(name, report);
  }
  const standing = [...last].filter(
    ([, stray]) => !whole.some((report) => isNewerAndCovers(report, stray)),
  );
  return new Set(standing.map(([name]) => name));
}

function isNewerAndCovers(report: Row, stray: Row): boolean {
  return (
    textOf(report, "reading_id") > textOf(stray, "reading_id") &&
    textOf(report, "window_start") <= textOf(stray, "window_start") &&
    textOf(report, "window_end") >= textOf(stray, "window_end")
  );
}

function readingAndDay(row: Row): string {
  return `${textOf(row, "x_ReadingId")} ${dayOf(row)}`;
}

/** Rows and sums by day, under the names of `GET /control/totals`. */
export type Group = Readonly<Record<string, string | number>>;

/** Sums of usage by day, type and unit. */
export function usageSums(rows: readonly Row[]): Group[] {
  return groups(
    rows,
    (row) => ({
      day: dayOf(row),
      usage_type: textOf(row, "x_UsageType"),
      unit: textOf(row, "ConsumedUnit"),
    }),
    { quantity: "ConsumedQuantity" },
  );
}

/** Sums of costs by day, currency and status. */
export function costSums(rows: readonly Row[]): Group[] {
  return groups(
    rows,
    (row) => ({
      day: dayOf(row),
      currency: textOf(row, "BillingCurrency"),
      status: textOf(row, "x_CostStatus"),
    }),
    { billed_cost: "BilledCost", effective_cost: "EffectiveCost" },
  );
}

function groups(
  rows: readonly Row[],
  keyOf: (row: Row) => Readonly<Record<string, string>>,
  sums: Readonly<Record<string, string>>,
): Group[] {
  const found = new Map<
    string,
    { readonly key: Readonly<Record<string, string>>; readonly rows: Row[] }
  >();
  for (const row of rows) {
    const key = keyOf(row);
    const name = JSON.stringify(key);
    const group = found.get(name);
    if (group === undefined) found.set(name, { key, rows: [row] });
    else group.rows.push(row);
  }
  const list = [...found.values()].map(({ key, rows: own }) => ({
    ...key,
    rows: own.length,
    ...Object.fromEntries(
      Object.entries(sums).map(([name, field]) => [
        name,
        sumDecimals(own.map((row) => textOf(row, field))),
      ]),
    ),
  }));
  return inOrder(list);
}

/** Sorts groups, so that two lists can be compared. */
export function inOrder(list: readonly Group[]): Group[] {
  const nameOf = (group: Group): string => Object.values(group).join("\n");
  return list.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}
