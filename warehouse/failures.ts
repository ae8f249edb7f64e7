/** Errors of DuckDB as errors for the person who runs the command. */
import { ConnectorError } from "../src/errors.ts";

const LOCKED = /Could not set lock on file|Conflicting lock/;
// An appender leaves out the kind of the error. How much of the memory is used ends the line of these errors only.
const OUT_OF_MEMORY = /^Out of Memory Error|^Failed to append: .* used\)$/m;

const DEPENDS =
  /^Dependency Error: Cannot \w+ entry ("[^"]*") because there are entries that depend on it/;

/** The remedy for an error of DuckDB, found by a part of its message. */
const KNOWN: readonly (readonly [RegExp, (database: string, text: string) => string])[] = [
  [
    LOCKED,
    (database, text) => {
      const [pid] = /PID \d+/.exec(text) ?? [];
      return `The database "${database}" is open in another process${pid === undefined ? "" : ` (${pid})`}. Wait until that process ends, or close it.`;
    },
  ],
  [
    /^(Constraint Error|Failed to append|TransactionContext Error: Failed to commit): .*(Duplicate key|(NOT NULL|CHECK) constraint failed|UNIQUE constraint violat)/i,
    (database) =>
      `A table of the database "${database}" has an index or a constraint that this program did not make, and it refuses a row. Nothing is lost. ` +
      '`query "SELECT table_name, index_name FROM duckdb_indexes()"` and `query "SELECT table_name, constraint_text FROM ' +
      "duckdb_constraints()\"` list them: drop the index, or remake the table in DuckDB's own shell (CREATE OR REPLACE TABLE costs AS FROM " +
      "costs), and run again.",
  ],
  [
    DEPENDS,
    (database, text) =>
      `A view or an index that this program did not make depends on the table ${DEPENDS.exec(text)?.[1] ?? ""} of the database "${database}", so ` +
      "that the table cannot be changed. Nothing is lost. Drop it, run again, and make it anew.",
  ],
  [
    /No space left on device|not enough disk space|max_temp_directory_size|Disk quota exceeded|File too large/i,
    (database) =>
      `The disk of the database "${database}" is full. Free some space and run again: nothing is lost, the sync goes on from its last commit.`,
  ],
  [
    OUT_OF_MEMORY,
    () =>
      "DuckDB needs more memory for this than it may take. Give it more with --memory, such as --memory 1GB. Nothing is lost: a sync goes on from its last commit.",
  ],
  [
    /not a valid DuckDB database file|Corrupt database file|Could not read enough bytes|Trying to read a database file with version|Serialization Error|newer version/,
    (database) =>
      `The file "${database}" is no database that this DuckDB can read. Name another file with --database, or install the DuckDB that wrote it.`,
  ],
  [
    /(file system|extension).* disabled by configuration/i,
    (database) =>
      `A statement, or a view of the database "${database}", asks for another file. This command reads the tables of its database only.`,
  ],
  [
    /Cannot execute statement of type .* which is attached in read-only mode/,
    (database) =>
      `A statement would change the database "${database}", and this command only reads it.`,
  ],
  [
    /Read-only file system/,
    (database) => `The database "${database}" lies on a disk that may only be read.`,
  ],
  [
    /Permission denied/,
    (database) =>
      `The database "${database}" may not be opened by this user. \`sync\` and \`close\` need the right to write the file and in its ` +
      "folder, the other commands that to read the file: allow it, or name another one with --database.",
  ],
  [
    /No such file or directory|database does not exist|Is a directory/,
    (database) => `The database "${database}" cannot be opened: there is no such file or folder.`,
  ],
];

const textOf = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason);

/** Whether another process holds the file: an error of DuckDB, or the one that {@link databaseError} made of it. */
export const isOpenElsewhere = (reason: unknown): boolean =>
  LOCKED.test(reason instanceof ConnectorError ? (reason.detail ?? "") : textOf(reason));

/** Whether DuckDB needed more memory than it may take. */
export const isOutOfMemory = (reason: unknown): boolean =>
  reason instanceof ConnectorError && OUT_OF_MEMORY.test(reason.detail ?? "");

/** An error of a file: opening, reading or writing it. Other errors stay as they are. */
export function databaseError(reason: unknown, database: string, note = ""): unknown {
  if (reason instanceof ConnectorError) return reason;
  const text = textOf(reason);
  for (const [pattern, say] of KNOWN) {
    if (!pattern.test(text)) continue;
    return new ConnectorError("database", say(database, text) + note, { detail: text });
  }
  return reason;
}

/** @throws ConnectorError `database`, which says how to install DuckDB */
export async function loadDuckDB(): Promise<typeof import("@duckdb/node-api")> {
  try {
    return await import("@duckdb/node-api");
  } catch (reason) {
    throw new ConnectorError(
      "database",
      "This command needs DuckDB, which is not installed. Install the package again with its optional dependencies " +
        "(npm install --include=optional), on a platform that DuckDB has binaries for.",
      { detail: textOf(reason) },
    );
  }
}
