/**
 * Copies the raw tables and the inputs of any database into tables of this process, so that the report needs no models, no
 * write access and one dialect of SQL. Names of columns are compared without regard to case: some destinations fold them.
 */
import { STREAM_NAMES, type StreamName } from "../src/catalog/stream_names.ts";
import { ConnectorError } from "../src/errors.ts";
import { EXTRACTED_AT, identifier, literal, TABLES, textsOf } from "./columns.ts";
import type { Database } from "./database.ts";
import { FISCAL_YEAR_TABLE, INPUTS } from "./inputs.ts";
import { inputTables } from "./models.ts";
import { CURRENCY_TABLE } from "./reporting.ts";

/** A raw table of the user's database, and the columns that it has, as they are spelled there. */
export interface FoundTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** A table that the models need. `wanted` are the columns as the models spell them. */
export interface WantedTable {
  readonly name: string;
  readonly wanted: readonly string[];
}

/** Without these there is nothing to report. Not every provider has names, and a report of costs needs no usage. */
const REQUIRED: readonly StreamName[] = ["costs", "export_windows"];

/** The raw tables and the tables of the inputs. */
export const WANTED: readonly WantedTable[] = [
  ...STREAM_NAMES.map((name) => ({
    name,
    wanted: [
      ...TABLES[name].columns.map((column) => column.name.slice(1, -1)),
      EXTRACTED_AT.slice(1, -1),
    ],
  })),
  ...INPUTS.map(({ table, columns }) => ({ name: table, wanted: [...columns] })),
  { name: CURRENCY_TABLE, wanted: ["currency"] },
  { name: FISCAL_YEAR_TABLE, wanted: ["month"] },
];

/** The column of a found table for each wanted one; null where the table lacks it. */
export function matchedColumns(
  { wanted }: WantedTable,
  { columns }: FoundTable,
): { readonly as: string; readonly from: string | null }[] {
  const byName = new Map(columns.map((column) => [column.toLowerCase(), column]));
  return wanted.map((as) => ({
    as,
    from: columns.includes(as) ? as : (byName.get(as.toLowerCase()) ?? null),
  }));
}

/**
 * The found table for each wanted one that exists, by the name that the models use.
 *
 * @param place words for the schema in the message
 * @throws ConnectorError `database` if the schema lacks a raw table
 */
export function matchedTables(
  found: readonly FoundTable[],
  place: string,
): ReadonlyMap<WantedTable, FoundTable> {
  const matched = new Map<WantedTable, FoundTable>();
  for (const table of WANTED) {
    const held =
      found.find(({ name }) => name === table.name) ??
      found.find(({ name }) => name.toLowerCase() === table.name);
    if (held !== undefined) matched.set(table, held);
  }
  const names = new Set([...matched.keys()].map(({ name }) => name));
  const missing = REQUIRED.filter((name) => !names.has(name));
  if (missing.length === 0) return matched;
  const others = found.map(({ name }) => name).slice(0, 10);
  throw new ConnectorError(
    "database",
    `${place} has no table ${missing.join(" and no table ")}. ` +
      (others.length === 0 ? "It has no tables. " : `It has ${others.join(", ")}. `) +
      "Name the schema of the raw tables with --schema.",
  );
}

/**
 * Makes the tables of a database in memory, without rows. Every value is text: the models judge and cast it. The models' own statements
 * make the inputs, and the table of names, which most databases do not have.
 */
export async function makeTextTables(database: Database): Promise<void> {
  for (const statement of await inputTables()) await database.run(statement);
  for (const name of STREAM_NAMES) {
    const table = WANTED.find((each) => each.name === name);
    const columns = (table?.wanted ?? []).map((column) => `${identifier(column)} VARCHAR`);
    await database.run(`CREATE TABLE IF NOT EXISTS ${name} (${columns.join(", ")})`);
  }
}

/**
 * Copies the raw tables of a DuckDB file, which is only read, and what a sync has noted of its accounts.
 *
 * @param database a database in memory
 * @param schema the schema of the raw tables
 * @throws ConnectorError `database` if the schema lacks a raw table
 */
export async function copyFromDuckDB(
  database: Database,
  path: string,
  schema: string,
): Promise<void> {
  const source = "ai_billing_source";
  await database.run(`ATTACH ${literal(path)} AS ${source} (READ_ONLY)`);
  // A table of a foreign file may be a view, and its code may read any file of this user.
  await database.lock();
  const rows = await database.query(`
    SELECT table_name, to_json(list(column_name ORDER BY ordinal_position))::VARCHAR
    FROM information_schema.columns
    WHERE table_catalog = ${literal(source)} AND table_schema = ${literal(schema)}
    GROUP BY ALL ORDER BY ALL`);
  const found = rows.map(([name = "", columns = "[]"]): FoundTable => ({
    name,
    columns: textsOf(columns),
  }));
  const matched = matchedTables(found, `The schema "${schema}" of "${path}"`);
  await makeTextTables(database);
  for (const [table, held] of matched) {
    const chosen = matchedColumns(table, held).map(({ as, from }) =>
      from === null ? `NULL AS ${identifier(as)}` : `${textOf(from)} AS ${identifier(as)}`,
    );
    await database.run(
      `INSERT INTO ${table.name} BY NAME SELECT ${chosen.join(", ")}
       FROM ${[source, schema, held.name].map(identifier).join(".")}`,
    );
  }
  if (schema === "main") await copyNotes(database, source);
}

/** The tables in which a sync notes its accounts, with the columns that the report reads. */
const NOTED = new Map([
  ["accounts", ["name", "base_url", "account"]],
  ["asked", ["base_url", "account"]],
  ["states", ["base_url", "account", "stream"]],
]);

/** Copies the notes of a sync on its accounts: without them the page would not know of an account that was never read. */
async function copyNotes(database: Database, source: string): Promise<void> {
  const rows = await database.query(`
    SELECT table_name, to_json(list(column_name))::VARCHAR FROM information_schema.columns
    WHERE table_catalog = ${literal(source)} AND table_schema = 'source_ai_billing' GROUP BY ALL`);
  for (const [name = "", held = "[]"] of rows) {
    const columns = NOTED.get(name) ?? [];
    const known = textsOf(held);
    if (columns.length === 0 || !columns.every((column) => known.includes(column))) continue;
    await database.run("CREATE SCHEMA IF NOT EXISTS source_ai_billing");
    await database.run(
      `CREATE TABLE source_ai_billing.${name} AS
       SELECT ${columns.map((column) => `${textOf(column)} AS ${column}`).join(", ")} FROM ${source}.source_ai_billing.${name}`,
    );
  }
}

// DuckDB writes a timestamp with a zone in the zone of the session, with the offset. The models read this form.
const textOf = (column: string): string => `CAST(${identifier(column)} AS VARCHAR)`;
