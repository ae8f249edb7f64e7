/** One DuckDB file: opened, asked and closed. Every error of the file names the file and the remedy. */
import { availableParallelism } from "node:os";
import { chmodSync, realpathSync, rmSync, statSync } from "node:fs";
import type { DuckDBConnection, DuckDBInstance, DuckDBResult } from "@duckdb/node-api";
import { ConnectorError } from "../src/errors.ts";
import { databaseError, isOpenElsewhere, loadDuckDB } from "./failures.ts";
import { findAt, type Found, headOf, isMarked } from "./found.ts";
import {
  defaultMemory,
  makeSpillFolder,
  memorySetting,
  removeSpilled,
  removeSpilledOfOthers,
  removeSpillFolder,
  spillFolderOf,
} from "./memory.ts";
import { lastResult } from "./statements.ts";

// All needed extensions are built in; DuckDB must not download any. The order of rows without an ORDER BY is of no use, and to keep it
// takes memory.
const SETTINGS = {
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
  preserve_insertion_order: "false",
};

/** On fewer rows than these, one thread is quickest: to wake other threads and to wait for them costs more than it saves. */
const FEW_ROWS = 50_000;

/**
 * So many rows take a few dozen megabytes as they are. DuckDB tries a dozen compressions of each column of each table, which takes
 * longer than all else when it writes few rows.
 */
const UNCOMPRESSED_ROWS = 5000;

/** The most rows of one statement. */
const ROWS_AT_ONCE = 500;

/** DuckDB keeps rows for each of its threads. With less memory than this for each, threads wait for the disk. */
const MEMORY_OF_THREAD = 134_217_728;

const settingsOf = (memory: number, folder: string): Record<string, string> => ({
  ...SETTINGS,
  threads: "1",
  memory_limit: memorySetting(memory),
  temp_directory: folder,
});

/** Columns and rows of a query, in parts. Decimals are text with all their digits. */
export interface Answer {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: AsyncIterable<readonly (readonly unknown[])[]>;
}

/** Appends lines to a table, in bulk. */
export interface LineAppender {
  /** Copies `lines`, which have the place of the first one beside them. */
  append(lines: Uint8Array, place: bigint): void;
  /** Writes what is appended to the table. */
  close(): void;
}

/** All that a reader of models needs: a database, or answers that were kept. */
export interface Asked {
  /** The rows of a query, with every value as DuckDB's own text. */
  query(sql: string): Promise<(readonly string[])[]>;
}

/** A note that names both versions of DuckDB if another version wrote the file. The file's header has its version at byte 52. */
function versionNote(path: string, own: string): string {
  const head = headOf(path, 84);
  const writer = head.toString("latin1", 52).replace(/\0.*$/s, "");
  return isMarked(head) && writer !== own
    ? ` DuckDB ${writer} wrote the file; this is DuckDB ${own}.`
    : "";
}

/** A database that lives in memory. Only this program asks for one: a user who named it would keep nothing. */
const MEMORY = ":memory:";

/**
 * Judges a path before DuckDB opens it, because DuckDB opens some files of other kinds as an empty database in memory.
 *
 * @throws ConnectorError `database` that says what the path holds
 */
function assertMayOpen(path: string, { kind, words }: Found, mode: "write" | "read"): void {
  // DuckDB takes such a name as the address of another database, or of one in memory.
  if (/^(:|[a-z][\w+.-]*:)/i.test(path)) {
    const shown = /^[^:]*:/.exec(path)?.[0] ?? "";
    throw new ConnectorError(
      "database",
      `--database needs the name of a DuckDB file, and "${shown}…" is none. Nothing was read or written.`,
    );
  }
  if (kind === "hidden") {
    throw new ConnectorError(
      "database",
      `"${path}" is ${words}: allow it, or name another file with --database. Nothing was read or written.`,
    );
  }
  if (kind === "other" || kind === "report") {
    throw new ConnectorError(
      "database",
      `"${path}" is ${words}, no DuckDB database: name another file with --database. Nothing was read or written.`,
    );
  }
  if (mode === "read" && kind === "nothing") {
    throw new ConnectorError(
      "database",
      `The database "${path}" cannot be opened: there is no such file. Run \`sync\` first, or name another one with --database.`,
    );
  }
  if (mode === "read" && kind === "empty") {
    throw new ConnectorError(
      "database",
      `"${path}" is an empty file: no sync has written to it yet.`,
    );
  }
}

/**
 * Makes a database in place of a file that DuckDB cannot open although nothing is in it: an empty one, or one whose maker was killed.
 * The file keeps its mode.
 */
async function madeAgain(
  file: string,
  instanceOf: (file: string) => Promise<DuckDBInstance>,
): Promise<DuckDBInstance> {
  const { mode } = statSync(file);
  rmSync(file);
  const instance = await instanceOf(file);
  chmodSync(file, mode);
  return instance;
}

function answerOf(result: DuckDBResult): Answer {
  const types = result.columnTypes().map(String);
  const columns = result.columnNames().map((name, index) => ({ name, type: types[index] ?? "" }));
  return { columns, rows: result.yieldRowsJson() };
}

export class Database implements Asked {
  readonly path: string;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;

  readonly #memory: number;
  /** The folder of rows that did not fit into memory, if this database alone removes it; else an empty text. */
  readonly #spilled: string;
  /** The most threads that the memory allows. */
  readonly #threads: number;
  #provide: (sql: string) => Promise<void> = async () => undefined;

  private constructor(
    path: string,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    memory: number,
    spilled: string,
  ) {
    this.path = path;
    this.#instance = instance;
    this.#connection = connection;
    this.#memory = memory;
    this.#spilled = spilled;
    this.#threads = Math.max(
      1,
      Math.min(availableParallelism(), Math.floor(memory / MEMORY_OF_THREAD)),
    );
  }

  /**
   * A database in memory, for work that leaves nothing behind.
   *
   * @param memory bytes that DuckDB may take; the rest goes to a folder among the temporary files
   */
  static async inMemory(memory: number = defaultMemory()): Promise<Database> {
    const duckdb = await loadDuckDB();
    removeSpilledOfOthers();
    const folder = makeSpillFolder();
    const instance = await duckdb.DuckDBInstance.create(MEMORY, settingsOf(memory, folder));
    return new Database(MEMORY, instance, await instance.connect(), memory, folder);
  }

  /**
   * Opens a file, and makes it unless it is only read. An empty file keeps its mode, and a link stays a link. To write, a
   * process holds the file alone, and removes what a killed process had spilled.
   *
   * @param memory bytes that DuckDB may take; the rest goes to a folder beside the file, and that of a reader to one among the temporary
   *   files
   * @throws ConnectorError `database` if the path holds something else, if another process holds the file, or if it cannot be
   *   read or made
   */
  static async open(
    path: string,
    mode: "write" | "read",
    memory: number = defaultMemory(),
  ): Promise<Database> {
    const found = findAt(path);
    const { kind } = found;
    assertMayOpen(path, found, mode);
    const duckdb = await loadDuckDB();
    removeSpilledOfOthers();
    const beside = spillFolderOf(kind === "nothing" ? path : realpathSync(path));
    const own = mode === "read" ? makeSpillFolder() : "";
    const settings = {
      ...settingsOf(memory, mode === "read" ? own : beside),
      ...(mode === "read" ? { access_mode: "READ_ONLY" } : {}),
    };
    const instanceOf = (file: string): Promise<DuckDBInstance> =>
      duckdb.DuckDBInstance.create(file, settings);
    try {
      const instance = await instanceOf(path).catch(async (reason: unknown) => {
        const mayMakeAgain = kind === "empty" || kind === "unfinished database";
        if (mode === "read" || !mayMakeAgain || isOpenElsewhere(reason)) throw reason;
        return await madeAgain(realpathSync(path), instanceOf);
      });
      if (mode === "write") removeSpilled(beside);
      return new Database(path, instance, await instance.connect(), memory, own);
    } catch (reason) {
      removeSpillFolder(own);
      throw databaseError(reason, path, versionNote(path, duckdb.version()));
    }
  }

  /**
   * From here on, no statement may reach a file or the network, and no statement can lift this: a view of a foreign file, or the
   * statement of a user, could otherwise read secrets and replace files.
   */
  async lock(): Promise<void> {
    await this.run("SET enable_external_access = false");
    await this.run("SET allowed_configs = ['threads', 'force_compression']");
    await this.run("SET lock_configuration = true");
  }

  /** Lets the next statements use as many threads as pay for tables of so many rows. */
  async useThreads(rows: number): Promise<void> {
    await this.run(`SET threads = ${rows < FEW_ROWS ? 1 : this.#threads}`);
  }

  /** Lets the next commits compress tables only if that pays for so many rows. */
  async useCompression(rows: number): Promise<void> {
    await this.run(
      `SET force_compression = '${rows < UNCOMPRESSED_ROWS ? "uncompressed" : "auto"}'`,
    );
  }

  /** Inserts rows. @param values the values of one row, with a question mark for each text */
  async insert(table: string, values: string, rows: readonly (readonly string[])[]): Promise<void> {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      const all = some.map(() => `(${values})`).join(", ");
      await this.run(`INSERT INTO ${table} VALUES ${all}`, some.flat());
    }
  }

  /** From here on `provide` runs before each statement, and makes the tables that the statement reads. Run one at a time. */
  provideTables(provide: (sql: string) => Promise<void>): void {
    this.#provide = provide;
  }

  /** Runs a statement. @throws ConnectorError `database` where the file is the cause */
  async run(sql: string, values?: readonly string[]): Promise<void> {
    await this.#provide(sql);
    try {
      await this.#connection.run(sql, values === undefined ? undefined : [...values]);
    } catch (reason) {
      throw databaseError(reason, this.path);
    }
  }

  async query(sql: string): Promise<(readonly string[])[]> {
    await this.#provide(sql);
    try {
      const reader = await this.#connection.runAndReadAll(sql);
      return reader.getRows().map((row) => row.map(String));
    } catch (reason) {
      throw databaseError(reason, this.path);
    }
  }

  /**
   * The result of a user's statement, for people and programs. DuckDB computes the rows while they are read. Statements before the last
   * one may prepare it.
   *
   * @throws ConnectorError `invalid_arguments` if one before the last returns rows, which nobody would see; `database` for one that
   *   could write a file; the errors of DuckDB
   */
  async answer(sql: string): Promise<Answer> {
    return answerOf(await lastResult(this.#connection, sql));
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

  /** Appends lines to a temporary table, in bulk. Its errors are those of {@link run}: the disk may be full. */
  async appender(table: string): Promise<LineAppender> {
    const appender = await this.#connection.createAppender(table, "main", "temp");
    return {
      append: (lines, place) =>
        this.#told(() => {
          appender.appendBlob(lines);
          appender.appendBigInt(place);
          appender.endRow();
        }),
      close: () => this.#told(() => appender.closeSync()),
    };
  }

  /** Appends rows of texts to a table whose columns all are VARCHAR. @throws ConnectorError `database` as {@link run} does */
  async append(table: string, rows: readonly (readonly (string | null)[])[]): Promise<void> {
    const appender = await this.#connection.createAppender(table);
    this.#told(() => {
      for (const row of rows) {
        for (const value of row) {
          if (value === null) appender.appendNull();
          else appender.appendVarchar(value);
        }
        appender.endRow();
      }
      appender.flushSync();
      appender.closeSync();
    });
  }

  /** Does work on the file, and names the file if it is the cause of an error. */
  #told(work: () => void): void {
    try {
      work();
    } catch (reason) {
      throw databaseError(reason, this.path);
    }
  }

  /** Does work on a connection of its own, beside others: with transactions and temporary tables of its own. */
  async beside<T>(work: (database: Database) => Promise<T>): Promise<T> {
    const connection = await this.#instance.connect();
    try {
      return await work(new Database(this.path, this.#instance, connection, this.#memory, ""));
    } finally {
      connection.closeSync();
    }
  }

  /** Writes everything to the file and closes it. */
  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
    removeSpillFolder(this.#spilled);
  }
}
