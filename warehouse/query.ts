/** `query`: the result of a statement on a database of `sync`, as aligned text or as a list of JSON objects. */
import { ConnectorError } from "../src/errors.ts";
import { identifier } from "./columns.ts";
import { type Answer, Database } from "./database.ts";
import { plain } from "./decimals.ts";
import { databaseError } from "./failures.ts";
import { modelsPath } from "./files.ts";
import { modelNames } from "./models.ts";
import { alignedLines } from "./text.ts";

/** Whole numbers of DuckDB, which its JSON has as text because JavaScript cannot hold all of them. */
const WHOLE = /^U?(BIGINT|HUGEINT)$/;

const isDecimal = (type: string): boolean => type.startsWith("DECIMAL");

/** The most rows that a person gets. */
const SHOWN = 100;

/**
 * Runs a statement, which may only read. Gives the result in parts, so that a result of any length takes little memory.
 *
 * @param json a list of objects: decimals as text, whole numbers as numbers with all their digits. Without it the first 100 rows as
 *   aligned text, and their number
 * @throws ConnectorError `invalid_arguments` for an empty statement; `database` with DuckDB's own words, or with the way to the
 *   models if the database has none yet
 */
export async function* query(path: string, sql: string, json: boolean): AsyncGenerator<string> {
  if (sql.trim() === "") {
    throw new ConnectorError(
      "invalid_arguments",
      'The statement is empty. Write one in quotes, such as "SELECT * FROM daily_costs".',
    );
  }
  const database = await Database.open(path, "read");
  try {
    await database.lock();
    const answer = await database.answer(sql);
    yield* json ? jsonOf(answer) : textOf(answer);
  } catch (reason) {
    const error = databaseError(reason, path);
    if (error instanceof ConnectorError) throw error;
    const text = reason instanceof Error ? reason.message : String(reason);
    throw new ConnectorError("database", (await missingModel(database, text)) ?? text);
  } finally {
    database.close();
  }
}

/** The remedy if a statement names a model, and the database holds the raw tables only; else undefined. */
async function missingModel(database: Database, text: string): Promise<string | undefined> {
  const name = /Table with name (\w+) does not exist/.exec(text)?.[1]?.toLowerCase() ?? "";
  const models = await modelNames();
  if (!models.includes(name)) return undefined;
  const tables = await database.query(
    "SELECT lower(table_name), table_schema FROM information_schema.tables WHERE table_catalog = current_database()",
  );
  const schema = tables.find(([table]) => table === "export_windows")?.[1];
  if (schema === undefined || tables.some(([table = ""]) => models.includes(table)))
    return undefined;
  const fault = `The database "${database.path}" has no ${name} yet: it holds the raw tables, and not the models over them.`;
  if (tables.some(([, each]) => each === "source_ai_billing"))
    return `${fault} A sync makes them at its end: run sync again.`;
  const use = schema === "main" ? "" : ` -cmd ${quoted(`USE ${identifier(schema)}`)}`;
  return `${fault} Make them with: duckdb${use} ${quoted(database.path)} < ${quoted(modelsPath())}`;
}

/** Quotes a path for a shell if it needs that. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;

async function* jsonOf({ columns, rows }: Answer): AsyncGenerator<string> {
  let before = "[\n";
  for await (const part of rows) {
    const lines = part.map((row) => JSON.stringify(objectOf(columns, row)));
    if (lines.length === 0) continue;
    yield `${before}${lines.join(",\n")}`;
    before = ",\n";
  }
  yield before === ",\n" ? "\n]\n" : "[]\n";
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

async function* textOf({ columns, rows }: Answer): AsyncGenerator<string> {
  const isNumber = ({ type }: Answer["columns"][number]): boolean =>
    isDecimal(type) || WHOLE.test(type) || type === "INTEGER";
  const cell = (value: unknown, type: string): string => {
    if (value === null) return "";
    if (typeof value !== "string") return JSON.stringify(value);
    return isDecimal(type) ? plain(value) : value;
  };
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
    row.map((value, index) => cell(value, columns[index]?.type ?? "")),
  );
  yield `${alignedLines(titles, cells).join("\n")}\n`;
  if (count > SHOWN) {
    const all = count.toLocaleString("en-US");
    yield `These are the first ${SHOWN} of ${all} rows. --json gives all of them.\n`;
  }
}
