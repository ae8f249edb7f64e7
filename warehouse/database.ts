/** One DuckDB file: opened, asked and closed. Every error of the file names the file and the remedy. */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from "node:fs";
import type { DuckDBAppender, DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { databaseError, isOpenElsewhere, loadDuckDB } from "./failures.ts";

// All needed extensions are built in; DuckDB must not download any.
const SETTINGS = { autoinstall_known_extensions: "false", autoload_known_extensions: "false" };

/** Columns and rows of a query. Decimals are text with all their digits. */
export interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
}

/** The first bytes of a file; fewer if it is shorter, none if it cannot be read. */
function headOf(path: string, length: number): Buffer {
  const head = Buffer.alloc(length);
  try {
    const file = openSync(path, "r");
    try {
      return head.subarray(0, readSync(file, head));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

/** The mark of a DuckDB file, at byte 8. */
const isMarked = (head: Buffer): boolean => head.toString("latin1", 8, 12) === "DUCK";

/** Names both versions of DuckDB if another one wrote the file (its header has the version at 52). */
function versionNote(path: string, own: string): string {
  const head = headOf(path, 84);
  const writer = head.toString("latin1", 52).replace(/\0.*$/s, "");
  return isMarked(head) && writer !== own
    ? ` DuckDB ${writer} wrote the file; this is DuckDB ${own}.`
    : "";
}

/** DuckDB writes three headers of 4096 bytes when it makes a file. */
const HEADERS = 3 * 4096;

/** Whether a process was killed while it made the file: nothing can be in it yet, and DuckDB cannot open it. */
function isUnfinished(path: string): boolean {
  if (!existsSync(path)) return false;
  const head = headOf(path, HEADERS);
  return head.length < HEADERS && (isMarked(head) || statSync(path).size === 0);
}

export class Database {
  readonly path: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  private constructor(path: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.path = path;
    this.#instance = instance;
    this.#connection = connection;
  }

  /**
   * Opens a file, and makes it unless it is only read.
   *
   * @throws ConnectorError `database` if another process holds the file, or if it cannot be read or made
   */
  static async open(path: string, mode: "write" | "read"): Promise<Database> {
    const duckdb = await loadDuckDB();
    const access = mode === "read" ? { access_mode: "READ_ONLY" } : {};
    try {
      const instance = await duckdb.DuckDBInstance.create(path, { ...SETTINGS, ...access });
      return new Database(path, instance, await instance.connect());
    } catch (reason) {
      const error = databaseError(reason, path, versionNote(path, duckdb.version()));
      if (mode === "read" || isOpenElsewhere(reason) || !isUnfinished(path)) throw error;
      rmSync(path);
      return await Database.open(path, mode);
    }
  }

  /** Runs a statement. @throws ConnectorError `database` where the file is the cause */
  async run(sql: string, values?: readonly string[]): Promise<void> {
    try {
      await this.#connection.run(sql, values === undefined ? undefined : [...values]);
    } catch (reason) {
      throw databaseError(reason, this.path);
    }
  }

  /** The rows of a query, with every value as DuckDB's own text. */
  async query(sql: string): Promise<(readonly string[])[]> {
    try {
      const reader = await this.#connection.runAndReadAll(sql);
      return reader.getRows().map((row) => row.map(String));
    } catch (reason) {
      throw databaseError(reason, this.path);
    }
  }

  /** The result of any statement, for people and programs. */
  async answer(sql: string): Promise<Answer> {
    const reader = await this.#connection.runAndReadAll(sql);
    const types = reader.columnTypes().map(String);
    const columns = reader.columnNames().map((name, index) => ({ name, type: types[index] ?? "" }));
    return { columns, rows: reader.getRowsJson() };
  }

  /** Runs statements as one: all of them or none is kept, even if the process is killed. */
  async transaction(work: () => Promise<void>): Promise<void> {
    await this.run("BEGIN");
    try {
      await work();
      await this.run("COMMIT");
    } catch (error) {
      // After a failed COMMIT there is nothing left to roll back.
      await this.#connection.run("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }

  /** Appends texts to the only column of a temporary table, in bulk. */
  async appender(table: string): Promise<DuckDBAppender> {
    return await this.#connection.createAppender(table, "main", "temp");
  }

  /** Appends rows of texts to a table whose columns all are VARCHAR. */
  async append(table: string, rows: readonly (readonly (string | null)[])[]): Promise<void> {
    const appender = await this.#connection.createAppender(table);
    for (const row of rows) {
      for (const value of row) {
        if (value === null) appender.appendNull();
        else appender.appendVarchar(value);
      }
      appender.endRow();
    }
    appender.flushSync();
    appender.closeSync();
  }

  /** Writes everything to the file and closes it. */
  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }
}
