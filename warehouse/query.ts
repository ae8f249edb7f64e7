/** `query`: the result of a statement on a database of `sync`, as aligned text or as a list of JSON objects. */
import { ConnectorError } from "../src/errors.ts";
import { type Answer, Database } from "./database.ts";
import { plain } from "./decimals.ts";
import { databaseError } from "./failures.ts";
import { alignedLines } from "./text.ts";

/** Whole numbers of DuckDB, which its JSON has as text because JavaScript cannot hold all of them. */
const WHOLE = /^U?(BIGINT|HUGEINT)$/;

const isDecimal = (type: string): boolean => type.startsWith("DECIMAL");

/**
 * Runs a statement, which may only read.
 *
 * @param json a list of objects: decimals as text, whole numbers as numbers with all their digits
 * @throws ConnectorError `database` with DuckDB's own words
 */
export async function query(path: string, sql: string, json: boolean): Promise<string> {
  const database = await Database.open(path, "read");
  try {
    const answer = await database.answer(sql);
    return json ? jsonOf(answer) : textOf(answer);
  } catch (reason) {
    const error = databaseError(reason, path);
    if (error instanceof ConnectorError) throw error;
    throw new ConnectorError("database", reason instanceof Error ? reason.message : String(reason));
  } finally {
    database.close();
  }
}

function jsonOf({ columns, rows }: Answer): string {
  const objects = rows.map((row) => {
    const entries = columns.map(({ name, type }, index): [string, unknown] => {
      const value = row[index];
      if (typeof value !== "string") return [name, value];
      if (WHOLE.test(type)) return [name, JSON.rawJSON(value)];
      return [name, isDecimal(type) ? plain(value) : value];
    });
    return JSON.stringify(Object.fromEntries(entries));
  });
  return objects.length === 0 ? "[]\n" : `[\n${objects.join(",\n")}\n]\n`;
}

function textOf({ columns, rows }: Answer): string {
  const isNumber = ({ type }: Answer["columns"][number]): boolean =>
    isDecimal(type) || WHOLE.test(type) || type === "INTEGER";
  const cell = (value: unknown, type: string): string => {
    if (value === null) return "";
    if (typeof value !== "string") return JSON.stringify(value);
    return isDecimal(type) ? plain(value) : value;
  };
  const titles = columns.map((column) => ({
    title: column.name,
    align: isNumber(column) ? ("right" as const) : ("left" as const),
  }));
  const cells = rows.map((row) =>
    row.map((value, index) => cell(value, columns[index]?.type ?? "")),
  );
  return `${alignedLines(titles, cells).join("\n")}\n`;
}
