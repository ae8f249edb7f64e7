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

  /** One row for each key, the newest version: a destination in append and dedup mode. */
  deduped(): readonly Row[] {
    const newest = new Map<string, Row>();
    for (const row of this.rows) {
      const id = textOf(row, "x_RecordId");
      const known = newest.get(id);
      if (known === undefined || updatedAt(row) >= updatedAt(known)) newest.set(id, row);
    }
    return [...newest.values()];
  }

  /**
   * The rows as the newest complete reading of their UTC day found them: a row that such a reading no longer brought is
   * gone, unless it was seen outside of its reading's window, of which a reading of the day proves nothing.
   *
   * @param readings the id of the newest complete reading by day
   * @param strays `id day` of the readings that returned rows of a day outside of their window
   */
  latest(readings: ReadonlyMap<string, string>, strays: ReadonlySet<string>): readonly Row[] {
    const newest = new Map<string, Row>();
    for (const row of this.rows) {
      const known = newest.get(textOf(row, "x_RecordId"));
      const isNewer =
        known === undefined || textOf(row, "x_ReadingId") >= textOf(known, "x_ReadingId");
      if (isNewer) newest.set(textOf(row, "x_RecordId"), row);
    }
    return [...newest.values()].filter((row) => {
      const [id, day] = [textOf(row, "x_ReadingId"), dayOf(row)];
      return strays.has(`${id} ${day}`) || id >= (readings.get(day) ?? "");
    });
  }
}

function textOf(row: Row, name: string): string {
  const value = row[name];
  if (typeof value === "string") return value;
  throw new TypeError(`${name} is ${value === null ? "null" : typeof value}`);
}

function updatedAt(row: Row): number {
  return Date.parse(textOf(row, "x_RecordUpdatedAt"));
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

  /** Loads the records of a read; `overwrite` empties the tables first. */
  load(
    run: { readonly messages: readonly Message[] },
    mode: "append" | "overwrite" = "append",
  ): this {
    const tables = { usage: this.usage.rows, costs: this.costs.rows, export_windows: this.windows };
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

  /** Needs the stream export_windows. */
  latest(dataset: Dataset): readonly Row[] {
    const readings = new Map<string, string>();
    const strays = new Set<string>();
    for (const window of this.windows) {
      const day = textOf(window, "day");
      if (window["inside_window"] === false) strays.add(`${textOf(window, "reading_id")} ${day}`);
      const whole =
        window["dataset"] === dataset &&
        window["moved"] === false &&
        window["covered_from"] === `${day}T00:00:00Z` &&
        Date.parse(String(window["covered_through"])) === Date.parse(day) + 86_400_000;
      const id = textOf(window, "reading_id");
      if (whole && id > (readings.get(day) ?? "")) readings.set(day, id);
    }
    return this[dataset].latest(readings, strays);
  }
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
