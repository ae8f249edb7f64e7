/**
 * A DuckDB file, filled as a destination would do it, and the views of `sql/duckdb.sql` on it.
 *
 * `usage` and `costs` are deduplicated: one row for each `x_RecordId`, that of the newest `x_ReadingId`, or the later arrival
 * among equal ones. `export_windows` is only appended to. Money and quantities are DECIMAL(38,18):
 * they arrive as text, are summed as decimals and leave as text, without any float.
 */
import { readFile, rm } from "node:fs/promises";
import { DuckDBInstance, type DuckDBConnection } from "@duckdb/node-api";
import { type Column, columnsOf, EXTRACTED_AT, identifier } from "./columns.ts";
import { isDeduplicated, type Stream } from "./connector.ts";

/** The views for users without dbt; see sql/README.md. */
const VIEWS = new URL("../sql/duckdb.sql", import.meta.url);

// All needed extensions are built in; DuckDB must not download any.
const SETTINGS = { autoinstall_known_extensions: "false", autoload_known_extensions: "false" };

/** The changes of a load in its table. */
export interface Load {
  readonly records: number;
  /** The number of records that the table did not have. */
  readonly added: number;
  /** The number of records that the table had in another version. */
  readonly changed: number;
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;

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

  /** Makes a new database with a table for each stream and the views. Replaces an existing file. */
  static async create(path: string, streams: readonly Stream[]): Promise<Warehouse> {
    for (const file of [path, `${path}.wal`]) await rm(file, { force: true });
    const instance = await DuckDBInstance.create(path, SETTINGS);
    const connection = await instance.connect();
    for (const stream of streams) {
      const columns = columnsOf(stream).map(({ name, type }) => `${name} ${type}`);
      const key = isDeduplicated(stream) ? [`PRIMARY KEY (x_RecordId)`] : [];
      const spelled = [...columns, `${EXTRACTED_AT} TIMESTAMP`, ...key].join(", ");
      await connection.run(`CREATE TABLE ${identifier(stream.name)} (${spelled})`);
    }
    await connection.run(await readFile(VIEWS, "utf8"));
    return new Warehouse(instance, connection, streams);
  }

  /**
   * Loads the RECORD lines of a stream in one transaction.
   *
   * @param file JSON lines in the order of their arrival
   */
  async load(stream: string, file: string): Promise<Load> {
    const found = this.#streams.find(({ name }) => name === stream);
    if (found === undefined) throw new Error(`there is no table for the stream ${stream}`);
    const columns = columnsOf(found);
    await this.#connection.run("BEGIN");
    try {
      await this.#stage(columns, file);
      const changes = isDeduplicated(found)
        ? await this.#merge(stream, columns)
        : await this.#append(stream);
      await this.#connection.run("COMMIT");
      return changes;
    } catch (error) {
      await this.#connection.run("ROLLBACK");
      throw error;
    }
  }

  /** Copies the lines into a table in bulk, in order of arrival (its rowid). */
  async #stage(columns: readonly Column[], file: string): Promise<void> {
    const fields = columns.map(({ name, type }) => `${name} ${type === "JSON" ? type : "VARCHAR"}`);
    const values = columns.map(({ name, type }) => `record.data.${name}::${type} AS ${name}`);
    await this.#connection.run(`
      CREATE OR REPLACE TEMP TABLE arrived AS
      SELECT ${values.join(", ")}, make_timestamp(record.emitted_at * 1000) AS ${EXTRACTED_AT}
      FROM read_json(${literal(file)}, format = 'newline_delimited',
                     columns = {record: 'STRUCT(data STRUCT(${fields.join(", ")}), emitted_at BIGINT)'})`);
  }

  async #append(stream: string): Promise<Load> {
    await this.#connection.run(`INSERT INTO ${identifier(stream)} SELECT * FROM arrived`);
    const [row] = await this.query("SELECT count(*) FROM arrived");
    const records = Number(row?.[0] ?? 0);
    return { records, added: records, changed: 0 };
  }

  async #merge(stream: string, columns: readonly Column[]): Promise<Load> {
    const table = identifier(stream);
    await this.#connection.run(`
      CREATE OR REPLACE TEMP TABLE newest AS
      SELECT * FROM arrived
      QUALIFY row_number() OVER (
        PARTITION BY x_RecordId
        ORDER BY x_ReadingId DESC, arrived.rowid DESC) = 1`);
    const [row] = await this.query(`
      SELECT (SELECT count(*) FROM arrived),
             count(*) FILTER (kept.x_RecordId IS NULL),
             count(*) FILTER (newest.x_RecordUpdatedAt <> kept.x_RecordUpdatedAt)
      FROM newest LEFT JOIN ${table} AS kept USING (x_RecordId)`);
    const updates = [...columns.map(({ name }) => name), EXTRACTED_AT]
      .filter((name) => name !== '"x_RecordId"')
      .map((name) => `${name} = excluded.${name}`);
    await this.#connection.run(`
      INSERT INTO ${table} AS kept SELECT * FROM newest
      ON CONFLICT (x_RecordId) DO UPDATE SET ${updates.join(", ")}
      WHERE excluded.x_ReadingId >= kept.x_ReadingId`);
    const [records = 0, added = 0, changed = 0] = (row ?? []).map(Number);
    return { records, added, changed };
  }

  /**
   * Copies the current rows of the views to temporary tables `shown_…` for the queries that follow, because DuckDB
   * takes longer to plan such a view than to run it.
   */
  async look(...views: readonly string[]): Promise<void> {
    for (const view of views) {
      await this.#connection.run(
        `CREATE OR REPLACE TEMP TABLE ${identifier(`shown_${view}`)} AS FROM ${identifier(view)}`,
      );
    }
  }

  /** The rows of a query, with every value as DuckDB's own text. */
  async query(sql: string): Promise<(readonly string[])[]> {
    const reader = await this.#connection.runAndReadAll(sql);
    return reader.getRows().map((row) => row.map(String));
  }

  /** Writes everything to the file and closes it. */
  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
