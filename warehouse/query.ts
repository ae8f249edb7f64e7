/** `query`: the result of a statement on a database of `sync`, as aligned text, as CSV or as a list of JSON objects. */
import { ConnectorError } from "../src/errors.ts";
import { csvLine } from "./csv.ts";
import { type Answer, Database } from "./database.ts";
import { plain } from "./decimals.ts";
import { databaseError } from "./failures.ts";
import { missingModel } from "./missing_model.ts";
import { alignedLines, cleanedJson, cleanedLines, cleanedMessage } from "./text.ts";

/** Types of whole numbers that DuckDB's JSON has as text, because JavaScript cannot hold all their values exactly. */
const WHOLE = /^U?(BIGINT|HUGEINT)$/;

/** Spaces, semicolons and remarks: for a text of nothing else, DuckDB's words are "Error in native callback". */
const NO_STATEMENT = /--[^\n]*|\/\*[^]*?\*\/|[;\s]/g;

const isDecimal = (type: string): boolean => type.startsWith("DECIMAL");

export type QueryFormat = "text" | "json" | "csv";

/** The most rows that a person gets. */
const SHOWN = 100;

/**
 * Runs a statement, which may only read. Gives the result in parts, so that a result of any length takes little memory.
 *
 * @param format `json`: a list of objects, decimals as text, whole numbers as numbers with all their digits; `csv`: all rows under
 *   their titles; `text`: the first 100 rows as aligned text, and their number
 * @throws ConnectorError `invalid_arguments` for an empty statement, and for rows that would not be shown; `database` with DuckDB's own
 *   words, or with the way to the models if the database has none yet
 */
export async function* query(
  path: string,
  sql: string,
  format: QueryFormat,
): AsyncGenerator<string> {
  if (sql.replaceAll(NO_STATEMENT, "") === "") {
    throw new ConnectorError(
      "invalid_arguments",
      'The statement is empty. Write one in quotes, such as "SELECT * FROM daily_costs".',
    );
  }
  const database = await Database.open(path, "read");
  try {
    await database.lock();
    const answer = await database.answer(sql);
    yield* WRITERS[format](answer);
  } catch (reason) {
    const error = databaseError(reason, path);
    if (error instanceof ConnectorError) throw error;
    const text = reason instanceof Error ? reason.message : String(reason);
    throw new ConnectorError(
      "database",
      (await missingModel(database, text)) ?? cleanedMessage(text),
    );
  } finally {
    database.close();
  }
}

async function* jsonOf({ columns: given, rows }: Answer): AsyncGenerator<string> {
  const columns = distinct(given);
  let before = "[\n";
  for await (const part of rows) {
    const lines = part.map((row) => cleanedJson(JSON.stringify(objectOf(columns, row))));
    if (lines.length === 0) continue;
    yield `${before}${lines.join(",\n")}`;
    before = ",\n";
  }
  yield before === ",\n" ? "\n]\n" : "[]\n";
}

/** Columns without two of one name, because an object has each name once: `cost`, `cost_1`. */
function distinct(columns: Answer["columns"]): Answer["columns"] {
  const used = new Set(columns.map(({ name }) => name));
  const seen = new Set<string>();
  return columns.map(({ name, type }) => {
    let own = name;
    for (let number = 1; seen.has(own); number += 1) {
      const next = `${name}_${number}`;
      if (!used.has(next)) own = next;
    }
    used.add(own);
    seen.add(own);
    return { name: own, type };
  });
}

function objectOf(columns: Answer["columns"], row: readonly unknown[]): Record<string, unknown> {
  const entries = columns.map(({ name, type }, index): [string, unknown] => {
    const value = row[index];
    if (typeof value !== "string") return [name, value];
    if (WHOLE.test(type)) return [name, JSON.rawJSON(value)];
    return [name, isDecimal(type) ? plain(value) : value];
  });
  return Object.fromEntries(entries);
}

async function* csvOf({ columns, rows }: Answer): AsyncGenerator<string> {
  yield csvLine(columns.map(({ name }) => name));
  for await (const part of rows) {
    const lines = part.map((row) =>
      csvLine(row.map((value, index) => cellOf(value, columns[index]?.type ?? ""))),
    );
    if (lines.length > 0) yield lines.join("");
  }
}

/** A value as text. Null is empty. */
function cellOf(value: unknown, type: string): string {
  if (value === null) return "";
  if (typeof value !== "string") return JSON.stringify(value);
  return isDecimal(type) ? plain(value) : value;
}

/** The plan of EXPLAIN is a drawing of many lines. In a table it would be one line. */
async function* planOf(rows: Answer["rows"]): AsyncGenerator<string> {
  for await (const part of rows) {
    for (const [, plan] of part) yield `${cleanedLines(String(plan)).trimEnd()}\n`;
  }
}

async function* textOf({ columns, rows }: Answer): AsyncGenerator<string> {
  if (columns.map(({ name }) => name).join() === "explain_key,explain_value") {
    yield* planOf(rows);
    return;
  }
  const isNumber = ({ type }: Answer["columns"][number]): boolean =>
    isDecimal(type) || WHOLE.test(type) || type === "INTEGER";
  const shown: (readonly unknown[])[] = [];
  let count = 0;
  for await (const part of rows) {
    shown.push(...part.slice(0, SHOWN - shown.length));
    count += part.length;
  }
  const titles = columns.map((column) => ({
    title: column.name,
    align: isNumber(column) ? ("right" as const) : ("left" as const),
  }));
  const cells = shown.map((row) =>
    row.map((value, index) => cellOf(value, columns[index]?.type ?? "")),
  );
  yield `${alignedLines(titles, cells).join("\n")}\n`;
  if (count > SHOWN) {
    const all = count.toLocaleString("en-US");
    yield `These are the first ${SHOWN} of ${all} rows. --csv and --json give all of them.\n`;
  }
}

const WRITERS: Readonly<Record<QueryFormat, (answer: Answer) => AsyncGenerator<string>>> = {
  text: textOf,
  json: jsonOf,
  csv: csvOf,
};
