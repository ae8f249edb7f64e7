/**
 * The tables that this program made in a file. People keep tables and views of their own beside them, and some have names that this
 * program uses or will use: `prices`, `closes`, `labels`. So a command that writes only touches a table whose name is noted here.
 */
import { ConnectorError } from "../src/errors.ts";
import { literal } from "./columns.ts";
import type { Database } from "./database.ts";

const MADE = "source_ai_billing.made";

/** The tables that the sync of version 0.2.0 made, besides the inputs. It is the only release that noted no names. */
const OF_0_2_0: ReadonlySet<string> = new Set([
  "usage",
  "costs",
  "export_windows",
  "billed_by_invoice",
  "budget_status",
  "cache_savings",
  "completeness",
  "converted_costs",
  "cost_anomalies",
  "cost_changes",
  "cost_movers",
  "current_costs",
  "current_usage",
  "daily_costs",
  "focus_cost_and_usage",
  "invalid_inputs",
  "invalid_rows",
  "monthly_costs",
  "monthly_costs_as_of",
  "reconciliation",
  "removed_rows",
  "restatements",
  "team_costs",
  "unit_costs",
  "usage_against_costs",
]);

/** A table or view of the schema `main`. */
interface Held {
  /** As its maker spelled it. */
  readonly name: string;
  readonly kind: "table" | "view";
}

/** What a file holds. DuckDB compares names without regard to case, so the keys are in lower case. */
interface Stock {
  readonly main: ReadonlyMap<string, Held>;
  /** The tables of the schema `source_ai_billing`. */
  readonly own: ReadonlySet<string>;
}

/** The names that a command writes, in lower case. */
export interface Names {
  /** The tables that only this program may have made. */
  readonly own: readonly string[];
  /** The inputs that a command may alter. People may make and fill them as the documents say, but a view cannot be altered. */
  readonly inputs: readonly string[];
  /** Whether a table of one of the own names holds nothing that a person could lose. It is asked only of tables that are not noted. */
  readonly isUnused: (name: string) => Promise<boolean>;
}

async function stockOf(database: Database): Promise<Stock> {
  const rows = await database.query(`
    SELECT schema_name, table_name, 'table' FROM duckdb_tables() WHERE database_name = current_database()
    UNION ALL
    SELECT schema_name, view_name, 'view' FROM duckdb_views() WHERE database_name = current_database() AND NOT internal`);
  const main = new Map<string, Held>();
  const own = new Set<string>();
  for (const [schema = "", name = "", kind] of rows) {
    if (schema === "source_ai_billing") own.add(name);
    if (schema === "main") {
      main.set(name.toLowerCase(), { name, kind: kind === "view" ? "view" : "table" });
    }
  }
  return { main, own };
}

const isOfSync = ({ own }: Stock): boolean => own.has("accounts") || own.has("owner");

/** Whether a sync has written to a file. The schema alone tells nothing: a notice of an older build made it in any file. */
export const isFileOfSync = async (database: Database): Promise<boolean> =>
  isOfSync(await stockOf(database));

/**
 * The names that a file of an earlier version holds, each with the words that are noted of it. Of 0.2.0 we know the tables that it made,
 * so that a user's table is kept whose name became that of a model later. The builds after 0.2.0 had other models from week to week, and
 * a file does not tell which build made it. So each table of our names that stands there now is taken for theirs.
 */
function takenOver(stock: Stock, { own }: Names): ReadonlyMap<string, string> {
  if (!isOfSync(stock)) return new Map();
  // The builds after 0.2.0 that noted an owner, too, kept facts for the next refresh.
  const isOf020 =
    stock.own.has("owner") && ![...stock.own].some((name) => name.startsWith("kept_"));
  const held = own.filter((name) => stock.main.get(name)?.kind === "table");
  const names = isOf020 ? held.filter((name) => OF_0_2_0.has(name)) : held;
  const words = isOf020 ? "made by 0.2.0" : "found when names were first noted";
  return new Map(names.map((name) => [name, words]));
}

/**
 * Makes sure that a command writes no table or view that somebody else made. A file of an earlier version gets its notes here. Belongs
 * into the transaction of the writes, before the first of them.
 *
 * @returns the names that are noted
 * @throws ConnectorError `database` that names all that is not ours
 */
export async function assertOwn(database: Database, names: Names): Promise<ReadonlySet<string>> {
  const stock = await stockOf(database);
  const isNoted = stock.own.has("made");
  const before = isNoted ? new Map<string, string>() : takenOver(stock, names);
  const noted = new Set(
    isNoted ? (await database.query(`SELECT name FROM ${MADE}`)).flat() : before.keys(),
  );
  const isOurs = (name: string): boolean =>
    stock.main.get(name)?.kind === "table" && (noted.has(name) || names.inputs.includes(name));
  const others: Held[] = [];
  for (const name of [...names.own, ...names.inputs]) {
    const found = stock.main.get(name);
    if (found === undefined || isOurs(name)) continue;
    if (found.kind === "view" || !(await names.isUnused(name))) others.push(found);
  }
  if (others.length > 0) throw new ConnectorError("database", wordsOf(database.path, others));
  if (isNoted) return noted;
  await makeNotes(database);
  await note(database, before);
  return noted;
}

function wordsOf(path: string, others: readonly Held[]): string {
  const them = others.length === 1 ? "it" : "them";
  const hasView = others.some(({ kind }) => kind === "view");
  return (
    `The database "${path}" holds ${others.map(({ name, kind }) => `the ${kind} "${name}"`).join(", ")}. This program did not make ` +
    `${them}, and needs ${others.length === 1 ? "this name" : "these names"} for tables of its own. Nothing was changed. Rename ${them}, ` +
    "or name another file with --database." +
    (hasView ? " A view of sql/duckdb.sql can be dropped: a sync makes a table instead." : "")
  );
}

/** Notes tables as made by this program. Belongs into the transaction that makes them. */
export async function noteMade(database: Database, names: readonly string[]): Promise<void> {
  if (names.length === 0) return;
  await makeNotes(database);
  await note(database, new Map(names.map((name) => [name, "made"])));
}

async function makeNotes(database: Database): Promise<void> {
  await database.run("CREATE SCHEMA IF NOT EXISTS source_ai_billing");
  await database.run(`CREATE TABLE IF NOT EXISTS ${MADE} (name VARCHAR, how VARCHAR)`);
}

async function note(database: Database, names: ReadonlyMap<string, string>): Promise<void> {
  if (names.size === 0) return;
  const rows = [...names].map(([name, how]) => `(${literal(name)}, ${literal(how)})`);
  await database.run(
    `INSERT INTO ${MADE} (name, how) FROM (VALUES ${rows.join(", ")}) AS new (name, how) ANTI JOIN ${MADE} USING (name)`,
  );
}
