/**
 * A model of the warehouses that a platform loads: their rows after some reads, and exact sums of the rows. It shares
 * no code with the connector, not even the decimals; its models are those that we ship.
 */
import type { Database } from "../../warehouse/database.ts";
import { makeJudges } from "../kills/judge.ts";
import {
  addDeduped,
  DEDUPED,
  type Dataset,
  type KeptRow,
  keptRowOf,
  tablesOf,
} from "../kills/tables.ts";
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

/** The tables of all streams. */
export class Warehouse {
  readonly usage = new Table();
  readonly costs = new Table();
  /** The reports of complete readings (the stream export_windows). */
  readonly windows: Row[] = [];
  /** The names of ids (the stream labels). */
  readonly labels: Row[] = [];
  /** The rows of all streams, in the order of their arrival. */
  readonly #kept: KeptRow[] = [];

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
    if (mode === "overwrite")
      for (const rows of [...Object.values(tables), this.#kept]) rows.length = 0;
    this.#kept.push(...run.messages.flatMap(keptRowOf));
    for (const { record } of run.messages) {
      if (record === undefined) continue;
      for (const [name, rows] of Object.entries(tables)) {
        if (name === record.stream) rows.push(record.data);
      }
    }
    return this;
  }

  /**
   * The same rows in DuckDB, with the models of current rows of sql/duckdb.sql. The models have two accounts: the rows of a table
   * that keeps all rows, and those of a deduplicated table. Needs the stream export_windows.
   */
  async models(datasets: readonly Dataset[]): Promise<Database> {
    const database = await tablesOf(this.#kept);
    await addDeduped(database);
    await makeJudges(
      database,
      datasets.map((dataset) => `current_${dataset}`),
    );
    return database;
  }

  /** The ids of the current rows by the models, for the table that keeps all rows. */
  async currentIds(dataset: Dataset): Promise<(string | undefined)[]> {
    const database = await this.models([dataset]);
    try {
      const rows = await database.query(
        `SELECT record_id FROM current_${dataset} WHERE account IS DISTINCT FROM '${DEDUPED}' ORDER BY ALL`,
      );
      return rows.map(([id]) => id);
    } finally {
      database.close();
    }
  }

  deduped(dataset: Dataset): readonly Row[] {
    return this[dataset].deduped();
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
