/**
 * Loads what the engine puts out. RECORD lines are appended in bulk to a temporary table of their stream. A commit parses
 * them inside DuckDB, which keeps every digit, appends the rows to the stream's table, and stores the newest states, all in one
 * transaction. It holds just the rows that the states cover, stream by stream. So a process that is killed anywhere loses only
 * rows that no state covers, and the next process reads these again: no row is in a table twice.
 */
import type { Database, LineAppender } from "./database.ts";
import { type Column, EXTRACTED_AT, isStream, type Table, TABLES } from "./columns.ts";
import type { Place } from "./accounts.ts";
import { shapeOf, valueOf } from "./lines.ts";
import { storeState } from "./store.ts";
import type { StreamName } from "../src/catalog/stream_names.ts";
import type { StateMessage } from "../src/protocol.ts";

/** The rows of a stream in one sync. */
export interface Counts {
  /** RECORDs that came. */
  readonly read: number;
  /** Rows that the table did not have. */
  readonly added: number;
  /** Rows whose content differs from that of their newest version before. */
  readonly changed: number;
}

const NONE: Counts = { read: 0, added: 0, changed: 0 };

/** A commit is due after this many bytes of RECORD lines. */
const COMMIT_BYTES = 32_000_000;

/**
 * The bytes of RECORD lines in a part. Each part is a table, and DuckDB parses one after the other: it holds up to 2,048 rows of a table
 * at a time, however large they are, so the blocks of lines of a long window would not fit into memory together. An appender holds the
 * newest part, outside the memory that DuckDB counts.
 */
const PART_BYTES = 8_000_000;

/** A commit is due after this time, in milliseconds. */
const COMMIT_INTERVAL = 5000;

/** The lines of a stream, counted from the first one of a loader. */
interface Lines {
  readonly came: number;
  /** Those that came before the newest state of the stream. */
  readonly covered: number;
  readonly committed: number;
}

/** A table of lines: those from the place `from` to before `end`. */
interface Part {
  readonly table: string;
  readonly from: number;
  readonly end: number;
}

const NO_LINES: Lines = { came: 0, covered: 0, committed: 0 };

/** The value of a column for a comparison, in which 1.5 equals 1.50. */
function comparable(table: string, { name, isDecimal }: Column): string {
  const value = `${table}.${name}`;
  return isDecimal
    ? `coalesce(CAST(TRY_CAST(${value} AS DECIMAL(38,18)) AS VARCHAR), ${value})`
    : value;
}

/** Whether a row of `one` has another content than a row of `other`: another value in a column of `columns`. */
const differs = (columns: readonly Column[], one: string, other: string): string =>
  columns
    .map((column) => `${comparable(one, column)} IS DISTINCT FROM ${comparable(other, column)}`)
    .join(" OR ");

export class Loader {
  readonly #database: Database;
  readonly #place: Place;
  readonly #now: () => number;
  readonly #counts = new Map<StreamName, Counts>();
  readonly #states = new Map<string, string>();
  readonly #lines = new Map<StreamName, Lines>();
  /** The parts of each stream that are not committed whole, in their order. */
  readonly #parts = new Map<StreamName, readonly Part[]>();
  /** The open appenders of the newest parts. Rows in an appender are staged when it is closed. */
  readonly #appenders = new Map<StreamName, LineAppender>();
  #held = 0;
  #made = 0;
  #bytes = 0;
  #committedAt: number;

  /** @param database a connection of this loader alone: its temporary tables are there */
  constructor(database: Database, place: Place, now: () => number) {
    this.#database = database;
    this.#place = place;
    this.#now = now;
    this.#committedAt = now();
  }

  /** Stages RECORD lines. Does not keep `bytes`. */
  async stage(stream: string, bytes: Uint8Array, count: number): Promise<void> {
    if (!isStream(stream)) throw new TypeError(`there is no table for the stream ${stream}`);
    const lines = this.#lines.get(stream) ?? NO_LINES;
    const end = lines.came + count;
    const appender = await this.#appenderOf(stream, { from: lines.came, end });
    appender.append(bytes, BigInt(lines.came));
    this.#held += bytes.length;
    if (this.#held >= PART_BYTES) this.#flush();
    const before = this.counts(stream);
    this.#counts.set(stream, { ...before, read: before.read + count });
    this.#lines.set(stream, { ...lines, came: end });
    this.#bytes += bytes.length;
  }

  /** Closes the appenders. Their rows go into tables, whose memory DuckDB counts. */
  #flush(): void {
    for (const appender of this.#appenders.values()) appender.close();
    this.#appenders.clear();
    this.#held = 0;
  }

  /** The appender of the stream's newest part, which ends with `lines` now. Begins a part if none is open. */
  async #appenderOf(stream: StreamName, lines: Pick<Part, "from" | "end">): Promise<LineAppender> {
    const parts = this.#parts.get(stream) ?? [];
    const [open, newest] = [this.#appenders.get(stream), parts.at(-1)];
    if (open !== undefined && newest !== undefined) {
      this.#parts.set(stream, [...parts.slice(0, -1), { ...newest, end: lines.end }]);
      return open;
    }
    const table = `lines_${this.#made++}`;
    await this.#database.run(`CREATE TEMP TABLE ${table} (lines BLOB, place BIGINT)`);
    const appender = await this.#database.appender(table);
    this.#appenders.set(stream, appender);
    this.#parts.set(stream, [...parts, { table, ...lines }]);
    return appender;
  }

  /** Takes a state, which covers the records of its stream before it. Commits if it is time to. */
  async take({ state }: StateMessage): Promise<void> {
    const { name } = state.stream.stream_descriptor;
    this.#states.set(name, JSON.stringify(state));
    const lines = isStream(name) ? this.#lines.get(name) : undefined;
    if (isStream(name) && lines !== undefined) {
      this.#lines.set(name, { ...lines, covered: lines.came });
    }
    const isDue = this.#now() - this.#committedAt >= COMMIT_INTERVAL;
    if (isDue || this.#bytes >= COMMIT_BYTES) await this.commit();
  }

  /** Commits all that the states cover. Lines behind them wait for their state. */
  async commit(): Promise<void> {
    this.#flush();
    const changes = new Map<StreamName, Omit<Counts, "read">>();
    await this.#database.transaction(async () => {
      for (const [stream, { covered, committed }] of this.#lines) {
        if (covered > committed) changes.set(stream, await this.#append(stream, covered));
      }
      for (const [stream, state] of this.#states) {
        await storeState(this.#database, this.#place, stream, state);
      }
    });
    for (const stream of changes.keys()) {
      const lines = this.#lines.get(stream) ?? NO_LINES;
      this.#lines.set(stream, { ...lines, committed: lines.covered });
      const parts = this.#parts.get(stream) ?? [];
      this.#parts.set(
        stream,
        parts.filter(({ end }) => end > lines.covered),
      );
    }
    for (const [stream, { added, changed }] of changes) {
      const before = this.counts(stream);
      this.#counts.set(stream, {
        ...before,
        added: before.added + added,
        changed: before.changed + changed,
      });
    }
    this.#states.clear();
    this.#bytes = 0;
    this.#committedAt = this.#now();
  }

  counts(stream: StreamName): Counts {
    return this.#counts.get(stream) ?? NONE;
  }

  /** Appends the staged lines before the place `end` to the table of their stream, and counts what is new in them. */
  async #append(stream: StreamName, end: number): Promise<Omit<Counts, "read">> {
    const { name, columns, key, cursor, chain }: Table = TABLES[stream];
    const parts = await this.#parse(stream, end);
    await this.#database.run(`
      CREATE OR REPLACE TEMP TABLE known AS
      FROM ${name} WHERE ${key} IN (SELECT ${key} FROM arrived)`);
    const content = columns.filter((column) => ![key, cursor].includes(column.name));
    // A process of version 0.2.0 that was killed may have left rows that no state covers.
    await this.#database.run(`
      DELETE FROM arrived USING known
      WHERE arrived.${key} = known.${key} AND arrived.${cursor} = known.${cursor}
        AND NOT (${differs(content, "arrived", "known")})`);
    // A window function over whole rows is slow, so it leaves out the rows of keys that the table does not have.
    const newest = (table: string, rows: string, order: string): string => `
      SELECT *, ${chain} AS chain_ FROM ${table} ${rows}
      QUALIFY row_number() OVER (PARTITION BY ${key}, ${chain} ORDER BY ${order}) = 1`;
    const [row] = await this.#database.query(`
      WITH newer AS (${newest("arrived", `WHERE ${key} IN (SELECT ${key} FROM known)`, `${cursor} DESC, place DESC`)}),
      older AS (${newest("known", "", `${cursor} DESC, rowid DESC`)})
      SELECT (SELECT count(*) FROM (
                SELECT ${key}, ${chain} FROM arrived EXCEPT SELECT ${key}, ${chain} FROM known)),
             count(*) FILTER (newer.${cursor} >= older.${cursor} AND (${differs(content, "newer", "older")}))
      FROM newer JOIN older ON newer.${key} = older.${key} AND newer.chain_ = older.chain_`);
    for (const part of parts) {
      await this.#database.run(`
        INSERT INTO ${name} BY NAME SELECT * EXCLUDE (place) FROM arrived
        WHERE place >= ${part.from} AND place < ${part.end} ORDER BY place`);
    }
    const [added = 0, changed = 0] = (row ?? []).map(Number);
    return { added, changed };
  }

  /**
   * Makes the rows of the staged lines before the place `end`, in the table `arrived`. The lines go.
   *
   * @returns the parts that had such lines
   */
  async #parse(stream: StreamName, end: number): Promise<readonly Part[]> {
    const { columns } = TABLES[stream];
    const values = columns.map((column) => `${valueOf(column)} AS ${column.name}`);
    const rows = (table: string): string => `
      SELECT ${values.join(", ")},
             make_timestamp(message.record.emitted_at * 1000) AS ${EXTRACTED_AT}, place
      FROM (SELECT from_json(line, '${shapeOf(columns)}') AS message, line, place
            FROM (SELECT unnest(lines) AS line, place + generate_subscripts(lines, 1) - 1 AS place
                  FROM (SELECT string_split(rtrim(decode(lines), chr(10)), chr(10)) AS lines, place
                        FROM ${table} WHERE place < ${end})))`;
    const due = (this.#parts.get(stream) ?? []).filter(({ from }) => from < end);
    for (const [index, part] of due.entries()) {
      const into = index === 0 ? "CREATE OR REPLACE TEMP TABLE arrived AS" : "INSERT INTO arrived";
      await this.#database.run(`${into} ${rows(part.table)}`);
      const drop = `DROP TABLE ${part.table}`;
      const remove = `DELETE FROM ${part.table} WHERE place < ${end}`;
      await this.#database.run(part.end <= end ? drop : remove);
    }
    return due;
  }
}
