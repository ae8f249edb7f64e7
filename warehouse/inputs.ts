/**
 * The inputs of allocation, budgets, conversion, invoices and shared costs: CSV files that become the tables which the models read. The
 * model `invalid_inputs` judges their rows, so that a file and a table have the same rules.
 */
import { open } from "node:fs/promises";
import { ConnectorError } from "../src/errors.ts";
import { reasonOf } from "../src/file_faults.ts";
import { literal, textsOf } from "./columns.ts";
import { type Asked, Database } from "./database.ts";
import { plain } from "./decimals.ts";
import { inputTables, modelQuery } from "./models.ts";

/** The inputs, each with the option of the command line, the table and the columns in their order. A file may lack the optional ones. */
export const INPUTS = [
  {
    option: "teams",
    table: "ai_billing_teams",
    columns: ["label", "value", "team", "valid_from", "valid_to"],
    optional: ["valid_from", "valid_to"],
  },
  {
    option: "budgets",
    table: "ai_billing_budgets",
    columns: [
      "team",
      "month",
      "billing_currency",
      "budget",
      "project_id",
      "model_id",
      "service_provider_name",
    ],
    optional: ["project_id", "model_id", "service_provider_name"],
  },
  {
    option: "exchange-rates",
    table: "ai_billing_exchange_rates",
    columns: ["from_currency", "to_currency", "valid_from", "rate"],
    optional: [],
  },
  {
    option: "invoices",
    table: "ai_billing_invoice_totals",
    columns: ["invoice_issuer_name", "invoice_id", "billing_currency", "billed_total"],
    optional: [],
  },
  {
    option: "shared",
    table: "ai_billing_shared",
    columns: [
      "rule",
      "label",
      "value",
      "method",
      "team",
      "part",
      "billing_currency",
      "valid_from",
      "valid_to",
    ],
    optional: ["billing_currency", "valid_from", "valid_to"],
  },
] as const;

export type Input = (typeof INPUTS)[number];

/** The columns that a file must have, and those that it may have. */
export function columnsOf({ columns, optional }: Input): {
  readonly needed: readonly string[];
  readonly optional: readonly string[];
} {
  const left: readonly string[] = optional;
  return { needed: columns.filter((column) => !left.includes(column)), optional };
}

/** Paths of CSV files by option, such as `teams`; undefined where the user names none. */
export type InputFiles = Readonly<Record<Input["option"], string | undefined>>;

/** The rows of each file that was given. */
export type InputRows = ReadonlyMap<Input, readonly (readonly string[])[]>;

/**
 * Reads the files and judges their rows.
 *
 * @throws ConnectorError `invalid_arguments` with every fault of every file
 */
export async function readInputs(files: InputFiles): Promise<InputRows> {
  const rows = new Map<Input, readonly (readonly string[])[]>();
  if (Object.values(files).every((path) => path === undefined)) return rows;
  const faults: string[] = [];
  const database = await Database.inMemory();
  try {
    for (const table of await inputTables()) await database.run(table);
    for (const input of INPUTS) {
      const path = files[input.option];
      if (path === undefined) continue;
      const found = await rowsOf(database, input, path);
      if (typeof found === "string") faults.push(`--${input.option} ${path}: ${found}`);
      else rows.set(input, found);
    }
    await storeInputs(database, rows);
    for (const [name = "", given = "", why = ""] of await database.query(
      `SELECT DISTINCT input, given, why FROM (${await modelQuery("invalid_inputs")}) ORDER BY ALL`,
    )) {
      const input = INPUTS.find(({ table }) => table === `ai_billing_${name}`);
      const option = input?.option ?? name;
      faults.push(`--${option} ${files[input?.option ?? "teams"] ?? ""}: row "${given}": ${why}`);
    }
  } finally {
    database.close();
  }
  if (faults.length === 0) return rows;
  throw new ConnectorError(
    "invalid_arguments",
    `Nothing was read, because the input files have faults. ${faults.join(". ")}.`,
  );
}

/** Replaces the rows of each input that was given; the rows of the others stay. */
export async function storeInputs(database: Database, rows: InputRows): Promise<void> {
  for (const [{ table }, given] of rows) {
    await database.run(`DELETE FROM ${table}`);
    await database.append(table, given);
  }
}

/** The table that holds the first month of the fiscal year: one row, or none. The models read it. */
export const FISCAL_YEAR_TABLE = "ai_billing_fiscal_year_start";

/** Keeps the first month of the fiscal year for this sync and those after it. Without one, that of an earlier sync stays. */
export async function storeFiscalYear(
  database: Database,
  firstMonth: string | undefined,
): Promise<void> {
  if (firstMonth === undefined) return;
  await database.run(`DELETE FROM ${FISCAL_YEAR_TABLE}`);
  await database.append(FISCAL_YEAR_TABLE, [[firstMonth]]);
}

/** A budget against which no cost can count, as its values, and the reason. */
interface IdleBudget {
  readonly given: string;
  readonly why: string;
}

/**
 * The budgets whose team is in no row of teams, or whose currency no cost has. A budget may be given before its team, so this is no
 * fault that stops a sync. Reads the model `current_costs`; without any costs no currency is missing.
 */
export async function idleBudgets(database: Asked): Promise<readonly IdleBudget[]> {
  // Most accounts have none, and DuckDB plans the query below for longer than all else that a small page asks.
  const [[budgets = "0"] = []] = await database.query("SELECT count(*) FROM ai_billing_budgets");
  if (budgets === "0") return [];
  const rows = await database.query(`
    WITH budgets AS (${await modelQuery("ai_billing__budgets")}), teams AS (${await modelQuery("ai_billing__teams")}),
    judged AS (
      SELECT *, team IS NOT NULL AND team NOT IN (SELECT team FROM teams) AS has_no_team,
             billing_currency NOT IN (SELECT billing_currency FROM current_costs WHERE billing_currency IS NOT NULL)
               AND billing_currency NOT IN (${await modelQuery("ai_billing__reporting_currency")})
               AND EXISTS (FROM current_costs) AS has_no_cost
      FROM budgets)
    SELECT coalesce(value, ''), coalesce('FY' || fiscal_year, strftime(first_month, '%Y-%m')), billing_currency, budget, has_no_team
    FROM judged WHERE has_no_team OR has_no_cost ORDER BY ALL`);
  return rows.map(([value = "", period = "", currency = "", budget = "0", hasNoTeam]) => ({
    given: [value, period, currency, plain(budget)].join(", "),
    why: hasNoTeam === "true" ? "its team is in no row of teams" : `no cost is in ${currency}`,
  }));
}

/** Warns of all {@link idleBudgets} at once. */
export async function warnOfBudgets(database: Asked, warn: (text: string) => void): Promise<void> {
  const found = await idleBudgets(database);
  if (found.length === 0) return;
  const rows = found.map(({ given, why }) => `"${given}" (${why})`);
  warn(
    `No cost can count against ${found.length === 1 ? "a budget" : `${found.length} budgets`}: ${rows.join(", ")}. Correct ` +
      "--budgets (in team names, upper and lower case differ), or give the keys and projects of these teams with --teams.",
  );
}

/** The rows of a file, in the order of the input's columns, or its fault. Every value is text; an empty one is empty. */
async function rowsOf(
  database: Database,
  input: Input,
  path: string,
): Promise<string[][] | string> {
  const missing = await unopenable(path);
  if (missing !== undefined) return missing;
  let width = columnsOf(input).needed.length;
  const csv = `read_csv(${literal(path)}, header = true, all_varchar = true, delim = ',', quote = '"', escape = '"', auto_detect = false, columns = `;
  try {
    // The titles are read as a row, so that a wrong one can be named.
    const [first] = await database.query(
      `SELECT to_json(list(line))::VARCHAR FROM (SELECT unnest(string_split(regexp_replace(content, '\\r?\\n.*', '', 's'), ',')) AS line FROM read_text(${literal(path)}))`,
    );
    const titles = titlesOf(first?.[0] ?? "[]");
    const fault = faultOf(titles, columnsOf(input));
    if (fault !== undefined) return fault;
    width = titles.length;
    const types = titles.map((title) => `${literal(title)}: 'VARCHAR'`).join(", ");
    const chosen = input.columns
      .map((column) => (titles.includes(column) ? `coalesce(trim("${column}"), '')` : "''"))
      .join(", ");
    const rows = await database.query(`SELECT ${chosen} FROM ${csv}{${types}})`);
    return rows.map((row) => [...row]);
  } catch (reason) {
    return unreadable(reason instanceof Error ? reason.message : String(reason), width);
  }
}

/** The reason why a file cannot be opened; DuckDB's own words name no file, or a database. */
async function unopenable(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    const isFolder = (await file.stat()).isDirectory();
    await file.close();
    return isFolder ? "it is a folder" : undefined;
  } catch (reason) {
    return reasonOf(reason);
  }
}

/** DuckDB's message about a file that it cannot read, in words about the file. */
function unreadable(message: string, columns: number): string {
  const [first = message] = message.split("\n");
  const line = /CSV Error on Line: (\d+)/.exec(first)?.[1];
  if (line !== undefined) {
    return `line ${line} does not have ${columns} columns, or a quotation mark in it is not closed`;
  }
  if (first.includes("state machine reached an invalid state")) {
    return "some of its lines end with LF and others with CR LF: save it with one kind of line end";
  }
  return first.includes("UTF-8") ? "it is not UTF-8 text: save it as CSV in UTF-8" : first;
}

/** Titles in lower case: spreadsheets and people write them in any. */
const titlesOf = (list: string): string[] =>
  textsOf(list).map((title) =>
    title
      .replace(/^\uFEFF/, "")
      .trim()
      .replace(/^"(.*)"$/, "$1")
      .trim()
      .toLowerCase(),
  );

/** Every fault of the titles: the columns may stand in any order. */
function faultOf(
  titles: readonly string[],
  { needed, optional }: ReturnType<typeof columnsOf>,
): string | undefined {
  const missing = needed.filter((column) => !titles.includes(column));
  const unknown = titles.filter((title) => !needed.includes(title) && !optional.includes(title));
  const twice = titles.filter((title, index) => titles.indexOf(title) < index);
  if (missing.length + unknown.length + twice.length === 0) return undefined;
  // A file with none of the columns is a file of another kind. Its first line may hold a secret, so no title is quoted.
  if (missing.length === needed.length)
    return `the first line has none of the columns ${needed.join(", ")}`;
  const more = optional.length === 0 ? "" : `, and may have ${optional.join(", ")}`;
  return [
    `the first line must have the columns ${needed.join(", ")}${more}, with commas between them`,
    ...(missing.length === 0 ? [] : [`${missing.join(", ")} is missing`]),
    ...(unknown.length === 0 ? [] : [`"${unknown.join('", "')}" is not known`]),
    ...(twice.length === 0 ? [] : [`${twice.join(", ")} stands twice`]),
  ].join("; ");
}
