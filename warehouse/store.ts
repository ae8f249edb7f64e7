/**
 * The tables that a sync keeps in its database besides those of the streams, in the schema `source_ai_billing`: the accounts
 * whose data it holds, their states, and the sums after each sync.
 */
import { STREAM_NAMES } from "../src/catalog/stream_names.ts";
import { ConnectorError } from "../src/errors.ts";
import { belongs, isSamePlace, type Owner, type Place } from "./accounts.ts";
import { type Column, EXTRACTED_AT, identifier, literal, type Table, TABLES } from "./columns.ts";
import type { Database } from "./database.ts";
import { assertLayout } from "./layout.ts";
import { readLostInstantsAgain } from "./lost_instants.ts";
import { assertOwn, type Names, noteMade } from "./made.ts";
import { inputTables, modelNames } from "./models.ts";
import { clearedEntry } from "./stored_state.ts";

const OWN_TABLES = `
  CREATE SCHEMA IF NOT EXISTS source_ai_billing;
  CREATE TABLE IF NOT EXISTS source_ai_billing.accounts (name VARCHAR, base_url VARCHAR, account VARCHAR, granularity VARCHAR);
  CREATE TABLE IF NOT EXISTS source_ai_billing.asked (base_url VARCHAR, account VARCHAR);
  CREATE TABLE IF NOT EXISTS source_ai_billing.states (base_url VARCHAR, account VARCHAR, stream VARCHAR, state JSON);
  CREATE TABLE IF NOT EXISTS source_ai_billing.bills (
    sync BIGINT, synced_at TIMESTAMP, base_url VARCHAR, account VARCHAR, currency VARCHAR, month DATE,
    final DECIMAL(38,18), provisional DECIMAL(38,18))`;

/**
 * Makes the tables of the streams, adds columns that an older version of this package had not, and notes the accounts.
 *
 * @throws ConnectorError `database` if the file holds the data of another account, and not all of its accounts are named; or as
 *   {@link bringTablesUp} does
 */
export async function prepare(database: Database, owners: readonly Owner[]): Promise<void> {
  await database.transaction(async () => {
    await bringTablesUp(database);
    await claim(database, owners);
  });
}

/**
 * Makes the tables of the streams and of the accounts as this version has them. Belongs into a transaction.
 *
 * @throws ConnectorError `database` if a newer version has written to the file, or if it holds a table or view of somebody else with a
 *   name that this program writes
 */
export async function bringTablesUp(database: Database): Promise<void> {
  await assertLayout(database);
  const noted = await assertOwn(database, await writtenNames(database));
  await takeOwnerOver(database);
  await database.run(OWN_TABLES);
  const columns = await knownColumns(database);
  for (const stream of STREAM_NAMES) {
    await makeTable(database, TABLES[stream], columns.get(stream) ?? new Map<string, string>());
  }
  await noteMade(
    database,
    STREAM_NAMES.filter((name) => !noted.has(name)),
  );
  await readLostInstantsAgain(database);
}

/** The names that commands write. Internal models are temporary tables, which hide those of a file and change none. */
async function writtenNames(database: Database): Promise<Names> {
  const altered = (await inputTables()).flatMap(
    (statement) => /^alter table (\w+)/.exec(statement)?.[1] ?? [],
  );
  return {
    own: [...STREAM_NAMES, ...(await modelNames())],
    inputs: [...new Set(altered)],
    isUnused: (name) => isUnused(database, name),
  };
}

/** Whether a table is a raw table without a row, and with just our columns. sql/duckdb.sql makes `labels` so, beside the inputs. */
async function isUnused(database: Database, name: string): Promise<boolean> {
  const table = Object.values(TABLES).find((each) => each.name === name);
  if (table === undefined) return false;
  const known = (await knownColumns(database)).get(name);
  const wanted = spelledOf(table);
  if (known?.size !== wanted.length || !wanted.every((column) => known.has(column.name))) {
    return false;
  }
  return (await database.query(`SELECT 1 FROM main.${name} LIMIT 1`)).length === 0;
}

/** The columns of a raw table as `sync` makes it. */
const spelledOf = ({ columns }: Table): readonly Omit<Column, "isDecimal">[] => [
  ...columns,
  { name: EXTRACTED_AT, type: "TIMESTAMP" },
];

/** The columns of the raw tables that are there, by the name of their table: quoted, each with its type. */
async function knownColumns(
  database: Database,
): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
  const rows = await database.query(`
    SELECT lower(table_name), column_name, data_type FROM duckdb_columns()
    WHERE database_name = current_database() AND schema_name = 'main'
      AND lower(table_name) IN (${STREAM_NAMES.map(literal).join(", ")})`);
  const found = new Map<string, Map<string, string>>();
  for (const [table = "", column = "", type = ""] of rows) {
    const columns = found.get(table) ?? new Map<string, string>();
    found.set(table, columns.set(identifier(column), type));
  }
  return found;
}

async function makeTable(
  database: Database,
  table: Table,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const { name, columns } = table;
  const spelled = spelledOf(table);
  if (known.size === 0) {
    const all = spelled.map((column) => `${column.name} ${column.type}`);
    await database.run(`CREATE TABLE ${name} (${all.join(", ")})`);
    return;
  }
  for (const column of spelled) {
    if (known.has(column.name)) continue;
    await database.run(`ALTER TABLE ${name} ADD COLUMN ${column.name} ${column.type}`);
  }
  const numbers = columns.filter((each) => each.isDecimal && isNumber(known.get(each.name)));
  if (numbers.length > 0) await makeTexts(database, name, numbers);
}

/**
 * Gives the states and bills of version 0.2.0 their account: a file had one owner. That version kept all bills of a sync, also those
 * that had not changed.
 */
async function takeOwnerOver(database: Database): Promise<void> {
  const own = "source_ai_billing";
  const tables = await database.query(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = '${own}'`,
  );
  const has = (name: string): boolean => tables.some(([found]) => found === name);
  if (!has("owner")) return;
  await database.run(
    `CREATE TABLE ${own}.accounts AS SELECT '' AS name, base_url, account, granularity FROM ${own}.owner`,
  );
  await database.run(
    `CREATE TABLE ${own}.states_of_accounts AS SELECT base_url, account, stream, state FROM ${own}.states, ${own}.owner`,
  );
  await database.run(`DROP TABLE ${own}.states`);
  await database.run(`ALTER TABLE ${own}.states_of_accounts RENAME TO states`);
  if (has("bills")) {
    const all = `${own}.bills`;
    // A bill that the last sync no longer had was 0 by then.
    await database.run(`
      CREATE TABLE ${all}_of_accounts AS
      SELECT sync, synced_at, base_url, account, coalesce(currency, '') AS currency, month, final, provisional
      FROM (
        SELECT sync, synced_at, currency, month, final, provisional FROM ${all}
        UNION ALL
        SELECT (SELECT max(sync) FROM ${all}), (SELECT max(synced_at) FROM ${all}), currency, month, 0, 0
        FROM ${all} GROUP BY currency, month HAVING max(sync) < (SELECT max(sync) FROM ${all})
      ), ${own}.owner`);
    await database.run(`DROP TABLE ${all}`);
    await database.run(`ALTER TABLE ${all}_of_accounts RENAME TO bills`);
  }
  await database.run(`DROP TABLE ${own}.owner`);
}

const isNumber = (type: string | undefined): boolean => type?.startsWith("DECIMAL") === true;

/**
 * Turns the decimals of version 0.2.0 into texts without the zeros that 0.2.0 had added. The table is made again instead of altered:
 * DuckDB cannot replay an ALTER with a function if the process is killed before the file is written.
 */
async function makeTexts(
  database: Database,
  name: string,
  columns: readonly Column[],
): Promise<void> {
  const texts = columns.map(
    (column) =>
      String.raw`regexp_replace(CAST(${column.name} AS VARCHAR), '([.][0-9]*[1-9])0+$|[.]0+$', '\1') AS ${column.name}`,
  );
  // Without a second table, whose name a user's table may have.
  await database.run(
    `CREATE OR REPLACE TABLE ${name} AS SELECT * REPLACE (${texts.join(", ")}) FROM ${name}`,
  );
}

/** Whether rows in the file belong to an account: rows that a reading reported, or rows that a killed sync wrote. */
const hasRows = (table: string): string => `(
  EXISTS (FROM export_windows AS reported WHERE ${belongs("reported", table)})
  OR (EXISTS (FROM source_ai_billing.states AS held
              WHERE held.base_url = ${table}.base_url AND held.account = ${table}.account)
      AND (${STREAM_NAMES.map((stream) => `EXISTS (FROM ${TABLES[stream].name})`).join(" OR ")})))`;

/** The accounts of a file: those of the configs in their order, then others whose rows it holds. */
export async function notedAccounts(database: Database, condition = "true"): Promise<Owner[]> {
  const rows = await database.query(`
    SELECT name, base_url, account, granularity FROM source_ai_billing.accounts
    WHERE ${condition} ORDER BY rowid`);
  return rows.map(([name = "", base_url = "", account = "", granularity = ""]) => ({
    name,
    base_url,
    account,
    granularity,
  }));
}

/**
 * Notes the accounts. A file that holds rows takes a further account only if the configs name all accounts that it holds, too:
 * else a wrong address or label would begin a second account, and its costs would count twice.
 */
async function claim(database: Database, owners: readonly Owner[]): Promise<void> {
  const held = await notedAccounts(database, hasRows("accounts"));
  const kept = held.filter((each) => !owners.some((owner) => isSamePlace(owner, each)));
  const isHeld = (owner: Owner): boolean => held.some((each) => isSamePlace(owner, each));
  if (kept.length > 0 && !owners.every(isHeld)) {
    throw new ConnectorError("database", wordsOfStranger(database.path, owners, kept));
  }
  for (const { name, granularity, ...place } of owners) {
    const before = held.find((each) => isSamePlace(place, each));
    if (before === undefined || before.granularity === granularity) continue;
    throw new ConnectorError(
      "database",
      `The database "${database.path}" holds data of another granularity than the config of "${name}" says. ` +
        "Name another file with --database, or change the config back.",
    );
  }
  const own = "source_ai_billing";
  // An account without rows belongs to nobody yet: its first sync may have had a wrong address, account or granularity.
  for (const { base_url, account, granularity } of owners.filter((each) => !isHeld(each))) {
    await database.run(
      `DELETE FROM ${own}.accounts WHERE base_url = ? AND account = ? AND granularity <> ?`,
      [base_url, account, granularity],
    );
  }
  const forget = `DELETE FROM ${own}.states WHERE (base_url, account) NOT IN (SELECT (base_url, account) FROM ${own}.accounts)`;
  await database.run(forget);
  await database.run(`DELETE FROM ${own}.accounts`);
  for (const { name, base_url, account, granularity } of [...owners, ...kept]) {
    const values = [name, base_url, account, granularity];
    const columns = "(name, base_url, account, granularity)";
    await database.run(`INSERT INTO ${own}.accounts ${columns} VALUES (?, ?, ?, ?)`, values);
  }
  await database.run(forget);
  // The accounts that this sync is to read. The others have ended, or another sync reads them.
  await database.run(`DELETE FROM ${own}.asked`);
  for (const { base_url, account } of owners) {
    await database.run(`INSERT INTO ${own}.asked VALUES (?, ?)`, [base_url, account]);
  }
}

/** Says which accounts a file holds that no config names. */
function wordsOfStranger(path: string, owners: readonly Owner[], kept: readonly Owner[]): string {
  const [missing] = kept;
  const [owner] = owners;
  if (owners.length === 1 && kept.length === 1 && owner !== undefined && missing !== undefined) {
    const differing = [
      ...(owner.base_url === missing.base_url ? [] : ["address"]),
      ...(owner.account === missing.account ? [] : ["account label"]),
    ];
    return (
      `The database "${path}" holds data of another ${differing.join(" and another ")} than the config says. ` +
      "To add an account, name the configs of all accounts with --config. Else name another file with --database, or change the " +
      "config back."
    );
  }
  const held = kept.map(({ name, base_url, account }) =>
    [`"${name}"`, base_url, ...(account === "" ? [] : [`account "${account}"`])].join(", "),
  );
  return (
    `The database "${path}" holds data of ${kept.length === 1 ? "an account" : `${kept.length} accounts`} that no config names ` +
    `(${held.join("; ")}), and a config names an account that it does not hold. To add an account, name the configs of all ` +
    "accounts with --config."
  );
}

/** The states of an account as the file of `read --state` has them: a JSON list, one entry for each stream. */
export async function storedStates(
  database: Database,
  { base_url, account }: Place,
): Promise<unknown[]> {
  const rows = await database.query(
    `SELECT state FROM source_ai_billing.states
     WHERE base_url = ${literal(base_url)} AND account = ${literal(account)} ORDER BY stream`,
  );
  return rows.map(([state = "null"]): unknown => JSON.parse(state));
}

/** Replaces the state of a stream; belongs into the transaction of the rows that it covers. */
export async function storeState(
  database: Database,
  { base_url, account }: Place,
  stream: string,
  state: string,
): Promise<void> {
  const place = [base_url, account, stream];
  await database.run(
    "DELETE FROM source_ai_billing.states WHERE base_url = ? AND account = ? AND stream = ?",
    place,
  );
  await database.run(
    "INSERT INTO source_ai_billing.states (base_url, account, stream, state) VALUES (?, ?, ?, ?)",
    [...place, state],
  );
}

/** The streams that a user may read from the beginning again. */
export const RESETTABLE = ["usage", "costs"] as const;
export type ResettableStream = (typeof RESETTABLE)[number];

/** Lets the next sync read streams of an account from the beginning. No row is lost: newer versions follow one by one. */
export async function resetStates(
  database: Database,
  place: Place,
  streams: readonly ResettableStream[],
): Promise<void> {
  for (const entry of streams.length === 0 ? [] : await storedStates(database, place)) {
    const cleared = clearedEntry(entry);
    const stream = streams.find((each) => each === cleared?.stream);
    if (cleared === undefined || stream === undefined) continue;
    await database.transaction(() => storeState(database, place, stream, cleared.state));
  }
}
