/**
 * The tables that a sync keeps in its database besides those of the streams, in the schema `source_ai_billing`: the owner of the
 * data, the states, and the sums after each sync.
 */
import * as z from "zod";
import { STREAM_NAMES } from "../src/catalog/stream_names.ts";
import { ConnectorError } from "../src/errors.ts";
import { clearedState } from "../src/streams/cleared_state.ts";
import { type Column, EXTRACTED_AT, identifier, type Table, TABLES } from "./columns.ts";
import type { Database } from "./database.ts";

/** The account whose data a file holds. A file holds one account, in one granularity. */
export interface Owner {
  readonly base_url: string;
  /** The label in the config; empty without one. */
  readonly account: string;
  readonly granularity: string;
}

const OWN_TABLES = `
  CREATE SCHEMA IF NOT EXISTS source_ai_billing;
  CREATE TABLE IF NOT EXISTS source_ai_billing.owner (base_url VARCHAR, account VARCHAR, granularity VARCHAR);
  CREATE TABLE IF NOT EXISTS source_ai_billing.states (stream VARCHAR, state JSON);
  CREATE TABLE IF NOT EXISTS source_ai_billing.bills (
    sync BIGINT, synced_at TIMESTAMP, base_url VARCHAR, account VARCHAR, currency VARCHAR, month DATE,
    final DECIMAL(38,18), provisional DECIMAL(38,18))`;

/**
 * Makes the tables of the streams, adds columns that an older version of this package had not, and notes the owner.
 *
 * @throws ConnectorError `database` if the file holds the data of another owner
 */
export async function prepare(database: Database, owner: Owner): Promise<void> {
  await database.transaction(async () => {
    await database.run(OWN_TABLES);
    for (const stream of STREAM_NAMES) await makeTable(database, TABLES[stream]);
    await claim(database, owner);
    await takeBillsOver(database);
  });
}

async function makeTable(database: Database, { name, columns }: Table): Promise<void> {
  const found = await database.query(
    `SELECT column_name, data_type FROM information_schema.columns WHERE table_schema = 'main' AND table_name = '${name}'`,
  );
  const known = new Map(found.map(([column = "", type = ""]) => [identifier(column), type]));
  const spelled = [...columns, { name: EXTRACTED_AT, type: "TIMESTAMP", isDecimal: false }];
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

/** Gives the bills of version 0.2.0 their account. It kept all bills of a sync, also those that had not changed. */
async function takeBillsOver(database: Database): Promise<void> {
  const [older] = await database.query(
    "SELECT 1 FROM information_schema.columns WHERE table_schema = 'source_ai_billing' AND table_name = 'bills' AND column_name = 'naive'",
  );
  if (older === undefined) return;
  const all = "source_ai_billing.bills";
  // A bill that the last sync no longer had was 0 by then.
  await database.run(`
    CREATE TABLE ${all}_of_accounts AS
    SELECT sync, synced_at, base_url, account, coalesce(currency, '') AS currency, month, final, provisional
    FROM (
      SELECT * EXCLUDE (naive) FROM ${all}
      UNION ALL
      SELECT (SELECT max(sync) FROM ${all}), (SELECT max(synced_at) FROM ${all}), currency, month, 0, 0
      FROM ${all} GROUP BY currency, month HAVING max(sync) < (SELECT max(sync) FROM ${all})
    ), source_ai_billing.owner`);
  await database.run(`DROP TABLE ${all}`);
  await database.run(`ALTER TABLE ${all}_of_accounts RENAME TO bills`);
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
  await database.run(
    `CREATE TABLE ${name}_as_text AS SELECT * REPLACE (${texts.join(", ")}) FROM ${name}`,
  );
  await database.run(`DROP TABLE ${name}`);
  await database.run(`ALTER TABLE ${name}_as_text RENAME TO ${name}`);
}

async function claim(database: Database, owner: Owner): Promise<void> {
  const wanted = [owner.base_url, owner.account, owner.granularity];
  const [found] = await database.query("FROM source_ai_billing.owner");
  const names = ["address", "account label", "granularity"];
  const differing = names.filter((_, index) => found?.[index] !== wanted[index]);
  if (differing.length === 0) return;
  if (found !== undefined && (await hasRows(database))) {
    throw new ConnectorError(
      "database",
      `The database "${database.path}" holds data of another ${differing.join(" and another ")} than the config says. ` +
        "One file holds one account: name another file with --database, or change the config back.",
    );
  }
  // A file without rows has no owner yet: the first sync may have had a wrong address, account or granularity.
  await database.run("DELETE FROM source_ai_billing.states");
  await database.run("DELETE FROM source_ai_billing.owner");
  await database.run("INSERT INTO source_ai_billing.owner VALUES (?, ?, ?)", wanted);
}

async function hasRows(database: Database): Promise<boolean> {
  const streams = STREAM_NAMES.map((stream) => `EXISTS (FROM ${TABLES[stream].name})`);
  const [row] = await database.query(`SELECT ${streams.join(" OR ")}`);
  return row?.[0] === "true";
}

/** The states as the file of `read --state` has them: a JSON list, one entry for each stream. */
export async function storedStates(database: Database): Promise<unknown[]> {
  const rows = await database.query("SELECT state FROM source_ai_billing.states ORDER BY stream");
  return rows.map(([state = "null"]): unknown => JSON.parse(state));
}

/** Replaces the state of a stream; belongs into the transaction of the rows that it covers. */
export async function storeState(database: Database, stream: string, state: string): Promise<void> {
  await database.run("DELETE FROM source_ai_billing.states WHERE stream = ?", [stream]);
  await database.run("INSERT INTO source_ai_billing.states VALUES (?, ?)", [stream, state]);
}

/** The streams that a user may read from the beginning again. */
export const RESETTABLE = ["usage", "costs"] as const;
export type ResettableStream = (typeof RESETTABLE)[number];

/** Lets the next sync read streams from the beginning. No row is lost: newer versions replace the rows one by one. */
export async function resetStates(
  database: Database,
  streams: readonly ResettableStream[],
): Promise<void> {
  for (const entry of streams.length === 0 ? [] : await storedStates(database)) {
    const { data } = storedSchema.safeParse(entry);
    const name = data?.stream.stream_descriptor.name;
    const stream = streams.find((each) => each === name);
    if (data === undefined || stream === undefined) continue;
    const stream_state = clearedState(data.stream.stream_state);
    const state = { ...data, stream: { ...data.stream, stream_state } };
    await database.transaction(() => storeState(database, stream, JSON.stringify(state)));
  }
}

const storedSchema = z.looseObject({
  stream: z.looseObject({
    stream_descriptor: z.looseObject({ name: z.string() }),
    stream_state: z.unknown(),
  }),
});
