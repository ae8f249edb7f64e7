/**
 * The statements of a user. DuckDB's lock keeps them from all files but its own: the database, its log and the folder of spilled rows.
 * `COPY` could still replace these, although the database is open for reading only. So each statement is judged before it runs.
 */
import type { DuckDBConnection, DuckDBPreparedStatement, DuckDBResult } from "@duckdb/node-api";
import { ConnectorError } from "../src/errors.ts";
import { loadDuckDB } from "./failures.ts";

type Statements = Awaited<ReturnType<DuckDBConnection["extractStatements"]>>;

/** Statements that write no file. Some would change the database: DuckDB refuses them by itself, and allows temporary tables. */
const HARMLESS = [
  "SELECT",
  "CALL",
  "PRAGMA",
  "SET",
  "VARIABLE_SET",
  "TRANSACTION",
  "CREATE",
  "CREATE_FUNC",
  "INSERT",
  "UPDATE",
  "DELETE",
  "MERGE_INTO",
  "ALTER",
  "DROP",
  "ANALYZE",
  "VACUUM",
] as const;

/**
 * The statement that EXPLAIN is about. A remark before it is not skipped: DuckDB ends nested remarks elsewhere than a pattern does, and
 * would then run another statement than the judged one.
 */
const EXPLAINED =
  /^\s*explain\b(?:\s+analyze\b|\s*\(\s*(?:analyze|format)\b[^()]*\))?(?<rest>.*)$/is;

/**
 * Judges each statement, and runs it. DuckDB makes several statements of a PIVOT.
 *
 * @returns the result of the last one
 * @throws ConnectorError `database` for a statement that could write a file, `invalid_arguments` for one before the last that returns
 *   rows, which nobody would see; the errors of DuckDB
 */
export async function lastResult(connection: DuckDBConnection, sql: string): Promise<DuckDBResult> {
  const { ResultReturnType } = await loadDuckDB();
  const statements = await connection.extractStatements(sql);
  for (let index = 0; ; index += 1) {
    const prepared = await statements.prepare(index);
    try {
      if (!(await isHarmless(prepared, statements, connection, sql))) throw refused();
      const result = await prepared.stream();
      if (index === statements.count - 1) return result;
      if (result.returnType === ResultReturnType.QUERY_RESULT) throw unseen();
    } finally {
      prepared.destroySync();
    }
  }
}

async function isHarmless(
  { statementType }: DuckDBPreparedStatement,
  { count }: Statements,
  connection: DuckDBConnection,
  sql: string,
): Promise<boolean> {
  const { StatementType } = await loadDuckDB();
  // EXPLAIN ANALYZE runs what it explains.
  if (statementType === StatementType.EXPLAIN)
    return count === 1 && (await isOfSelect(connection, sql));
  return HARMLESS.some((name) => StatementType[name] === statementType);
}

/** Whether an EXPLAIN, which is the whole text, is about a SELECT. */
async function isOfSelect(connection: DuckDBConnection, sql: string): Promise<boolean> {
  const { StatementType } = await loadDuckDB();
  const rest = EXPLAINED.exec(sql)?.groups?.["rest"];
  if (rest === undefined) return false;
  const statements = await connection.extractStatements(rest);
  const prepared = await statements.prepare(0);
  const { statementType } = prepared;
  prepared.destroySync();
  return statements.count === 1 && statementType === StatementType.SELECT;
}

const refused = (): ConnectorError =>
  new ConnectorError(
    "database",
    "The statement is none that only reads. To keep a result in a file, take --csv or --json and send stdout there. EXPLAIN stands alone, " +
      "without a remark before it, and is about a SELECT.",
  );

const unseen = (): ConnectorError =>
  new ConnectorError(
    "invalid_arguments",
    "A statement before the last one returns rows, and only the rows of the last one would be shown. Run `query` once for each of them.",
  );
