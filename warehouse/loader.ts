/**
 * Loads what the engine puts out. RECORD lines are appended in bulk to a temporary table of their stream. A commit parses
 * them inside DuckDB, which keeps every digit, puts the newest version of each row into the stream's table, and stores the
 * newest states, all in one transaction. It covers just what came before it, so a process that is killed anywhere loses only
 * rows that the states do not cover. These are read again, and replace themselves by their primary key.
 */
import type { Database } from "./database.ts";
import { type Column, EXTRACTED_AT, isStream, type Table, TABLES } from "./columns.ts";
import { storeState } from "./store.ts";
import type { StreamName } from "../src/catalog/stream_names.ts";
import type { StateMessage } from "../src/protocol.ts";

/** The rows of a stream in one sync. */
export interface Counts {
  /** RECORDs that came. */
  readonly read: number;
  /** Rows that the table did not have. */
  readonly added: number;
  /** Rows whose content differs from the row that they replaced. */
  readonly changed: number;
}

const NONE: Counts = { read: 0, added: 0, changed: 0 };

/** A commit is due after this many bytes of RECORD lines. */
const COMMIT_BYTES = 32_000_000;

/** A commit is due after this time, in milliseconds. */
const COMMIT_INTERVAL = 5000;

/** The value of a column for a comparison, in which 1.5 equals 1.50. */
function comparable(table: string, { name, isDecimal }: Column): string {
  const value = `${table}.${name}`;
  return isDecimal
    ? `coalesce(CAST(TRY_CAST(${value} AS DECIMAL(38,18)) AS VARCHAR), ${value})`
    : value;
}

export class Loader {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #counts = new Map<StreamName, Counts>();
  readonly #states = new Map<string, string>();
  readonly #staged = new Set<StreamName>();
  #bytes = 0;
  #committedAt: number;

  constructor(database: Database, now: () => number) {
    this.#database = database;
    this.#now = now;
    this.#committedAt = now();
  }

  /** Makes the temporary tables. */
  async begin(): Promise<void> {
    for (const { name } of Object.values(TABLES)) {
      await this.#database.run(`CREATE OR REPLACE TEMP TABLE lines_${name} (line VARCHAR)`);
    }
  }

  /** Stages RECORD lines. Does not keep `bytes`. */
  async stage(stream: string, bytes: Uint8Array, count: number): Promise<void> {
    if (!isStream(stream)) throw new TypeError(`there is no table for the stream ${stream}`);
    const appender = await this.#database.appender(`lines_${stream}`);
    for (const line of Buffer.from(bytes).toString().split("\n")) {
      if (line === "") continue;
      appender.appendVarchar(line);
      appender.endRow();
    }
    appender.flushSync();
    appender.closeSync();
    const before = this.counts(stream);
    this.#counts.set(stream, { ...before, read: before.read + count });
    this.#staged.add(stream);
    this.#bytes += bytes.length;
  }

  /** Takes a state, which covers the records of its stream before it. Commits if it is time to. */
  async take({ state }: StateMessage): Promise<void> {
    this.#states.set(state.stream.stream_descriptor.name, JSON.stringify(state));
    const isDue = this.#now() - this.#committedAt >= COMMIT_INTERVAL;
    if (isDue || this.#bytes >= COMMIT_BYTES) await this.commit();
  }

  /** Commits all that came, in the order in which it came. */
  async commit(): Promise<void> {
    const changes = new Map<StreamName, Omit<Counts, "read">>();
    await this.#database.transaction(async () => {
      for (const stream of this.#staged) {
        changes.set(stream, await this.#merge(TABLES[stream]));
      }
      for (const [stream, state] of this.#states) {
        await storeState(this.#database, stream, state);
      }
    });
    for (const [stream, { added, changed }] of changes) {
      const before = this.counts(stream);
      this.#counts.set(stream, {
        ...before,
        added: before.added + added,
        changed: before.changed + changed,
      });
    }
    this.#staged.clear();
    this.#states.clear();
    this.#bytes = 0;
    this.#committedAt = this.#now();
  }

  counts(stream: StreamName): Counts {
    return this.#counts.get(stream) ?? NONE;
  }

  /** Puts the staged lines of a stream into its table. Of several versions of a row the newest stays. */
  async #merge({ name, columns, key, cursor }: Table): Promise<Omit<Counts, "read">> {
    // The names of columns are plain words, which SQL and JSON quote in the same way.
    const fields = columns.map(
      (column) => `${column.name}: "${column.type === "JSON" ? "JSON" : "VARCHAR"}"`,
    );
    const shape = `{"record": {"data": {${fields.join(", ")}}, "emitted_at": "BIGINT"}}`;
    // A value that does not fit its column is only let through by `invalid_records: "warn"`. It becomes null, as at a
    // platform's destination, and its day is not proven.
    const values = columns.map(
      (column) =>
        `TRY_CAST(message.record.data.${column.name} AS ${column.type}) AS ${column.name}`,
    );
    await this.#database.run(`
      CREATE OR REPLACE TEMP TABLE newest AS
      SELECT * EXCLUDE (place) FROM (
        SELECT ${values.join(", ")},
               make_timestamp(message.record.emitted_at * 1000) AS ${EXTRACTED_AT}, place
        FROM (SELECT from_json(line, '${shape}') AS message, rowid AS place FROM lines_${name}))
      QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY ${cursor} DESC, place DESC) = 1`);
    await this.#database.run(`
      DELETE FROM newest USING ${name} AS kept
      WHERE newest.${key} = kept.${key} AND newest.${cursor} < kept.${cursor}`);
    const content = columns.filter((column) => ![key, cursor].includes(column.name));
    const differs = content.map(
      (column) => `${comparable("newest", column)} IS DISTINCT FROM ${comparable("kept", column)}`,
    );
    const [row] = await this.#database.query(`
      SELECT count(*) FILTER (kept.${key} IS NULL),
             count(*) FILTER (kept.${key} IS NOT NULL AND (${differs.join(" OR ")}))
      FROM newest LEFT JOIN ${name} AS kept ON newest.${key} = kept.${key}`);
    await this.#database.run(
      `DELETE FROM ${name} USING newest WHERE newest.${key} = ${name}.${key}`,
    );
    await this.#database.run(`INSERT INTO ${name} BY NAME FROM newest`);
    await this.#database.run(`DELETE FROM lines_${name}`);
    const [added = 0, changed = 0] = (row ?? []).map(Number);
    return { added, changed };
  }
}
