/**
 * Reads the raw tables from PostgreSQL. One transaction that may only read shows one moment of all tables. Every value is
 * fetched as PostgreSQL's own text, so that no decimal passes through a float.
 */
import type pg from "pg";
import { ConnectorError } from "../src/errors.ts";
import { reasonOf } from "../src/file_faults.ts";
import { identifier } from "./columns.ts";
import { Database } from "./database.ts";
import { type FoundTable, makeTextTables, matchedColumns, matchedTables } from "./raw_tables.ts";

/** Rows that are fetched at a time. */
const BATCH = 5000;

/** Milliseconds to wait for a connection. */
const PATIENCE = 10_000;

/**
 * The connection string for `pg`. `postgresql:` alone stands for `DATABASE_URL`, or for the variables `PGHOST`, `PGUSER` and so on.
 *
 * @throws ConnectorError `invalid_arguments` if it is no address
 */
export function connectionString(
  given: string,
  databaseUrl: string | undefined,
): string | undefined {
  if (/^postgres(ql)?:(\/\/)?$/.test(given)) return databaseUrl;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined) {
    throw new ConnectorError(
      "invalid_arguments",
      "The address after --database is no postgresql:// address.",
    );
  }
  return given;
}

/**
 * The raw tables of a PostgreSQL database, in a database in memory.
 *
 * @param address a connection string; absent for the variables of the environment
 * @param schema absent for the first schema of the search path
 * @param memory bytes that DuckDB may take; absent for a part of what the process may have
 * @throws ConnectorError `database` if the server cannot be reached or read, or lacks a raw table
 */
export async function copyFromPostgres(
  address: string | undefined,
  schema: string | undefined,
  memory: number | undefined,
): Promise<Database> {
  const client = await connect(address);
  const database = await Database.inMemory(memory);
  try {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await client.query("SET LOCAL TIME ZONE 'UTC'; SET LOCAL DateStyle = 'ISO'");
    await makeTextTables(database);
    await copyTables(client, database, schema);
    return database;
  } catch (reason) {
    database.close();
    throw postgresError(reason);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function connect(address: string | undefined): Promise<pg.Client> {
  const { Client } = (await loadPg()).default;
  try {
    const client = new Client({
      ...(address === undefined ? {} : { connectionString: address }),
      connectionTimeoutMillis: PATIENCE,
      application_name: "source-ai-billing",
    });
    // A connection that breaks rejects the query that waits for it; without a listener the event would end the process.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  } catch (reason) {
    throw postgresError(reason);
  }
}

async function loadPg(): Promise<typeof import("pg")> {
  try {
    return await import("pg");
  } catch {
    throw new ConnectorError(
      "database",
      "A report from PostgreSQL needs the package pg, which is not installed. Install this package again with its " +
        "optional dependencies (npm install --include=optional).",
    );
  }
}

/** The server's own words. Neither `pg` nor PostgreSQL repeats a password. */
function postgresError(reason: unknown): unknown {
  if (reason instanceof ConnectorError) return reason;
  const causes = reason instanceof AggregateError ? reason.errors : [reason];
  const words = causes.map((cause) => {
    const isOfSystem = cause instanceof Error && "syscall" in cause;
    return isOfSystem ? reasonOf(cause) : cause instanceof Error ? cause.message : String(cause);
  });
  return new ConnectorError(
    "database",
    `PostgreSQL cannot be read: ${[...new Set(words)].join("; ")}.`,
  );
}

async function copyTables(
  client: pg.Client,
  database: Database,
  schema: string | undefined,
): Promise<void> {
  const place = schema ?? (await firstText(client, "SELECT current_schema()"));
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `SELECT c.relname AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'v', 'm', 'f', 'p') GROUP BY c.relname`,
    [place],
  );
  const matched = matchedTables(rows, `The schema "${place}" of the PostgreSQL database`);
  for (const [table, held] of matched) {
    const columns = matchedColumns(table, held);
    await copyRows(client, database, { table: table.name, held, columns, schema: place });
  }
}

async function firstText(client: pg.Client, sql: string): Promise<string> {
  const { rows } = await client.query<string[]>({ text: sql, rowMode: "array" });
  return rows[0]?.[0] ?? "public";
}

interface Copy {
  readonly table: string;
  readonly held: FoundTable;
  readonly columns: ReturnType<typeof matchedColumns>;
  readonly schema: string;
}

async function copyRows(
  client: pg.Client,
  database: Database,
  { table, held, columns, schema }: Copy,
): Promise<void> {
  const chosen = columns.map(({ from }) =>
    from === null ? "NULL::text" : `${identifier(from)}::text`,
  );
  const source = `${identifier(schema)}.${identifier(held.name)}`;
  await client.query(
    `DECLARE rows_of NO SCROLL CURSOR FOR SELECT ${chosen.join(", ")} FROM ${source}`,
  );
  for (;;) {
    const { rows } = await client.query<(string | null)[]>({
      text: `FETCH ${BATCH} FROM rows_of`,
      rowMode: "array",
    });
    await database.append(table, rows);
    if (rows.length < BATCH) break;
  }
  await client.query("CLOSE rows_of");
}
