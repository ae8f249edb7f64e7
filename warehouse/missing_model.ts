/** A database that holds the raw tables, and not yet the models over them. */
import { identifier } from "./columns.ts";
import type { Database } from "./database.ts";
import { modelsPath } from "./files.ts";
import { modelNames } from "./models.ts";

/** The remedy if a statement names a model, and the database holds the raw tables only; else undefined. */
export async function missingModel(database: Database, text: string): Promise<string | undefined> {
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

/** The remedy if a statement of this program fails because the models are those of another version; else undefined. */
export const modelsOfOthers = ({ path }: Database, text: string): string | undefined =>
  /^(Binder|Catalog) Error/.test(text)
    ? `The models in the database "${path}" are those of another version of this program: run \`sync\` again, which makes them anew.`
    : undefined;

/** Quotes a path for a shell if it needs that. */
const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
