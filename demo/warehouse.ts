/**
 * A DuckDB file as a deduplicating destination would fill it: one row for each `x_RecordId`, the version with the newest
 * `x_RecordUpdatedAt`, of equal ones the one that arrived later. Money and quantities are DECIMAL(38,18): they come as
 * text, are summed as decimals and leave as text, and no float is ever involved.
 */
import { rm } from "node:fs/promises";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import type { Stream } from "./connector.ts";
import type { Sum } from "./reconciliation.ts";

const DECIMALS: ReadonlySet<string> = new Set([
  "ConsumedQuantity",
  "BilledCost",
  "EffectiveCost",
  "PricingCurrencyBilledCost",
]);

// Everything that is needed is built in: nothing is to be fetched from anywhere.
const SETTINGS = { autoinstall_known_extensions: "false", autoload_known_extensions: "false" };

/** What a load changed in its table. */
export interface Load {
  readonly records: number;
  /** Records that the table did not have. */
  readonly added: number;
  /** Records that it had in an older version. */
  readonly changed: number;
}

/** Billed cost of what was used, and what corrections of it came to; decimals as text. */
export interface Corrections {
  readonly spend: string;
  readonly corrections: string;
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

interface Column {
  /** Quoted for SQL. */
  readonly name: string;
  readonly type: string;
}

function columnsOf({ json_schema: { properties } }: Stream): Column[] {
  return Object.entries(properties).map(([name, { format }]) => {
    if (DECIMALS.has(name)) return { name: identifier(name), type: "DECIMAL(38,18)" };
    // Instants of the interface are UTC, and so is a TIMESTAMP without a zone here.
    return { name: identifier(name), type: format === "date-time" ? "TIMESTAMP" : "VARCHAR" };
  });
}

/** The database of the demo. */
export class Warehouse {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #streams: readonly Stream[];

  private constructor(
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    streams: readonly Stream[],
  ) {
    this.#instance = instance;
    this.#connection = connection;
    this.#streams = streams;
  }

  /** Makes a new database in place of the one that may lie there, with a table for each stream. */
  static async create(path: string, streams: readonly Stream[]): Promise<Warehouse> {
    for (const file of [path, `${path}.wal`]) await rm(file, { force: true });
    const instance = await DuckDBInstance.create(path, SETTINGS);
    const connection = await instance.connect();
    for (const stream of streams) {
      const columns = columnsOf(stream).map(({ name, type }) => `${name} ${type}`);
      const table = identifier(stream.name);
      await connection.run(
        `CREATE TABLE ${table} (${columns.join(", ")}, PRIMARY KEY (x_RecordId))`,
      );
    }
    return new Warehouse(instance, connection, streams);
  }

  /**
   * Loads the RECORD lines of a stream, all or none.
   *
   * @param file JSON lines in the order in which they came
   */
  async load(stream: string, file: string): Promise<Load> {
    const found = this.#streams.find(({ name }) => name === stream);
    if (found === undefined) throw new Error(`there is no table for the stream ${stream}`);
    const columns = columnsOf(found);
    await this.#connection.run("BEGIN");
    try {
      await this.#stage(columns, file);
      const changes = await this.#changes(stream);
      await this.#merge(stream, columns);
      await this.#connection.run("COMMIT");
      return changes;
    } catch (error) {
      await this.#connection.run("ROLLBACK");
      throw error;
    }
  }

  /** Takes the lines in, in bulk: `arrived` has all of them in order of arrival (its rowid), `newest` one of each id. */
  async #stage(columns: readonly Column[], file: string): Promise<void> {
    const fields = columns.map(({ name }) => `${name} VARCHAR`).join(", ");
    const values = columns.map(({ name, type }) => `record.data.${name}::${type} AS ${name}`);
    await this.#connection.run(`
      CREATE OR REPLACE TEMP TABLE arrived AS
      SELECT ${values.join(", ")}
      FROM read_json(${literal(file)}, format = 'newline_delimited',
                     columns = {record: 'STRUCT(data STRUCT(${fields}))'})`);
    await this.#connection.run(`
      CREATE OR REPLACE TEMP TABLE newest AS
      SELECT * FROM arrived
      QUALIFY row_number() OVER (
        PARTITION BY x_RecordId
        ORDER BY x_RecordUpdatedAt DESC, arrived.rowid DESC) = 1`);
  }

  async #changes(stream: string): Promise<Load> {
    const [row] = await this.query(`
      SELECT (SELECT count(*) FROM arrived),
             count(*) FILTER (kept.x_RecordId IS NULL),
             count(*) FILTER (newest.x_RecordUpdatedAt > kept.x_RecordUpdatedAt)
      FROM newest LEFT JOIN ${identifier(stream)} AS kept USING (x_RecordId)`);
    const [records = 0, added = 0, changed = 0] = (row ?? []).map(Number);
    return { records, added, changed };
  }

  async #merge(stream: string, columns: readonly Column[]): Promise<void> {
    const names = columns.map(({ name }) => name);
    const updates = names
      .filter((name) => name !== '"x_RecordId"')
      .map((name) => `${name} = excluded.${name}`);
    await this.#connection.run(`
      INSERT INTO ${identifier(stream)} AS kept (${names.join(", ")})
      SELECT ${names.join(", ")} FROM newest
      ON CONFLICT (x_RecordId) DO UPDATE SET ${updates.join(", ")}
      WHERE excluded.x_RecordUpdatedAt >= kept.x_RecordUpdatedAt`);
  }

  /** Rows and exact sums, under the names that {@link import("./provider.ts").sumsOf} gives the provider's. */
  async sums(): Promise<Sum[]> {
    const rows = await this.query(`
      SELECT 'billed ' || BillingCurrency, count(*), sum(BilledCost) FROM costs GROUP BY ALL
      UNION ALL
      SELECT 'effective ' || BillingCurrency, count(*), sum(EffectiveCost) FROM costs GROUP BY ALL
      UNION ALL
      SELECT x_UsageType, count(*), sum(ConsumedQuantity) FROM usage GROUP BY ALL`);
    return rows.map(([measure = "", count = "0", amount = "0"]) => ({
      measure,
      rows: Number(count),
      amount,
    }));
  }

  /** What was billed for what was used, and what corrections of it came to. */
  async corrections(): Promise<Corrections> {
    const [row] = await this.query(`
      SELECT coalesce(sum(BilledCost) FILTER (x_CorrectsRecordId IS NULL), 0),
             coalesce(sum(BilledCost) FILTER (x_CorrectsRecordId IS NOT NULL), 0)
      FROM costs`);
    const [spend = "0", corrections = "0"] = row ?? [];
    return { spend, corrections };
  }

  /**
   * Billed cost by model and month of use: the newest months and their largest models, what is left in `earlier` and
   * `other models`, and totals of both. Rows of (model, month, cost).
   */
  async costByMonthAndModel(months: number, models: number): Promise<(readonly string[])[]> {
    return await this.query(`
      WITH spend AS (
        SELECT strftime(ChargePeriodStart, '%Y-%m') AS month, x_ModelId AS model, BilledCost FROM costs),
      shown_months AS (SELECT DISTINCT month FROM spend ORDER BY month DESC LIMIT ${months}),
      shown_models AS (
        SELECT model FROM spend SEMI JOIN shown_months USING (month)
        GROUP BY model ORDER BY sum(BilledCost) DESC, model LIMIT ${models}),
      labeled AS (
        SELECT coalesce(shown_models.model, 'other models') AS model,
               coalesce(shown_months.month, 'earlier') AS month, BilledCost
        FROM spend
        LEFT JOIN shown_models ON shown_models.model = spend.model
        LEFT JOIN shown_months ON shown_months.month = spend.month)
      SELECT coalesce(model, 'total'), coalesce(month, 'total'), sum(BilledCost)
      FROM labeled
      GROUP BY CUBE (model, month)
      ORDER BY GROUPING(model), model = 'other models', sum(sum(BilledCost)) OVER (PARTITION BY model) DESC,
               GROUPING(month), month = 'earlier' DESC, month`);
  }

  /** The rows of a query, every value as the text that DuckDB makes of it. */
  async query(sql: string): Promise<(readonly string[])[]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRows().map((row) => row.map(String));
  }

  /** Writes all of it to the file and lets go of it. */
  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
