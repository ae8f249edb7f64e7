/** The tables of a platform's destination in DuckDB, made of the rows that it has kept. Every value is text; the models cast it. */
import { STREAM_NAMES, type StreamName } from "../../src/catalog/stream_names.ts";
import { EXTRACTED_AT, isStream, TABLES } from "../../warehouse/columns.ts";
import { Database } from "../../warehouse/database.ts";
import type { Message } from "../support/protocol.ts";
import { makeTextTables } from "../../warehouse/raw_tables.ts";

export const DATASETS = ["usage", "costs"] as const;
export type Dataset = (typeof DATASETS)[number];

/** A row of a stream as a platform has received it. */
export interface KeptRow {
  readonly stream: StreamName;
  readonly data: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly emittedAt: number;
}

/** The row that a message brings, if it brings one. */
export const keptRowOf = ({ record }: Message): KeptRow[] =>
  record !== undefined && isStream(record.stream)
    ? [{ stream: record.stream, data: record.data, emittedAt: record.emitted_at }]
    : [];

/** A database in memory with the rows in the order of their arrival: a destination in append mode. */
export async function tablesOf(rows: readonly KeptRow[]): Promise<Database> {
  const database = await Database.inMemory();
  await makeTextTables(database);
  for (const stream of STREAM_NAMES) {
    const names = TABLES[stream].columns.map(({ name }) => name.slice(1, -1));
    const own = rows.filter((row) => row.stream === stream);
    await database.append(
      stream,
      own.map(({ data, emittedAt }) => [
        ...names.map((name) => textOf(data[name])),
        new Date(emittedAt).toISOString(),
      ]),
    );
  }
  return database;
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The account label of {@link addDeduped}, and the end of its reading ids. */
export const DEDUPED = "dedup";

const renamed = (column: string): string => `substr(${column}, 1, 9) || '${DEDUPED}' AS ${column}`;

/**
 * Adds the same account as a destination in append and dedup mode keeps it: with the row of the newest reading for each record. It
 * stands in the same tables as an account of its own, because the models take as long for two accounts as for one.
 */
export async function addDeduped(database: Database): Promise<void> {
  for (const name of DATASETS) {
    const { key, cursor } = TABLES[name];
    await database.run(`
      INSERT INTO ${name} SELECT * REPLACE (${renamed(cursor)}) FROM ${name}
      QUALIFY row_number() OVER (PARTITION BY ${key} ORDER BY ${cursor} DESC, ${EXTRACTED_AT} DESC, rowid DESC) = 1`);
  }
  const own = ["reading_id", "rows_reading_id"].map(renamed);
  await database.run(`
    INSERT INTO export_windows
    SELECT * REPLACE (id || '${DEDUPED}' AS id, '${DEDUPED}' AS chain, '${DEDUPED}' AS account, ${own.join(", ")})
    FROM export_windows`);
}
