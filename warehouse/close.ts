/**
 * `close`: writes the book of a month into the database of `sync`. dbt/macros/books.sql has the rules; docs/closing.md the words.
 * Everything happens in one transaction, so that a process that is killed leaves the whole book or none.
 */
import { ConnectorError } from "../src/errors.ts";
import { type ClosedBook, closedBook, closedLines, type Unread } from "./close_summary.ts";
import { literal } from "./columns.ts";
import { Database } from "./database.ts";
import { closeSql } from "./files.ts";
import type { WarehouseHost } from "./host.ts";
import { keepFound, keepInputs } from "./kept.ts";
import { dropInternal, inputTables, makeModels } from "./models.ts";
import { refreshModels } from "./refresh.ts";
import { nameIn, PLACE, UNREAD_ACCOUNTS } from "./report/clock.ts";
import { bringTablesUp } from "./store.ts";

export const VIEWS = ["billing-period", "month"] as const;
export type View = (typeof VIEWS)[number];

/** Which month is closed, and how. */
export interface BookOptions {
  /** `2026-10`. */
  readonly month: string;
  readonly view: View;
  /** Whether to book accruals for days that are provisional, not proven or not read. */
  readonly accrue: boolean;
  /** Why the month is closed again; absent for the first time. */
  readonly why: string | undefined;
}

export interface CloseOptions extends BookOptions {
  readonly database: string;
  readonly json: boolean;
}

/** The models that a close needs, and all that show what it wrote: no other model reads a table of the books. */
const NEEDED = [
  "ai_billing__teams",
  "ai_billing__exchange_rates",
  "ai_billing__reporting_currency",
  "ai_billing__shared_rules",
  "ai_billing__book_obstacles",
  "ai_billing__book_closing",
] as const;
const SHOWN = [
  "closes",
  "close_lines",
  "close_entries",
  "close_shares",
  "adjustments",
  "book_balance",
] as const;

/**
 * Closes a month.
 *
 * @throws ConnectorError `database` if the month cannot be closed, with every reason; nothing is written then
 */
export async function close(options: CloseOptions, host: WarehouseHost): Promise<void> {
  const book = await writtenBook(options, host.now());
  await host.say(options.json ? `${JSON.stringify(book)}\n` : `${closedLines(book).join("\n")}\n`);
}

async function writtenBook(options: CloseOptions, now: number): Promise<ClosedBook> {
  // Opened for reading first: a close makes no database.
  (await Database.open(options.database, "read")).close();
  const database = await Database.open(options.database, "write");
  try {
    await database.lock();
    await assertSynced(database);
    // An older version may have made the file, and no sync has followed yet.
    await database.transaction(async () => {
      await bringTablesUp(database);
      for (const table of await inputTables()) await database.run(table);
    });
    return await writeBook(database, options, now);
  } finally {
    database.close();
  }
}

/**
 * Closes a month in a database that is open.
 *
 * @throws ConnectorError as {@link close} does
 */
export async function writeBook(
  database: Database,
  options: BookOptions,
  now: number,
): Promise<ClosedBook> {
  await refreshModels(database);
  const made: string[] = [];
  let book: ClosedBook | undefined;
  await database.transaction(async () => {
    const id = await ask(database, options, now);
    made.push(...(await makeModels(database, NEEDED)));
    const accrued = await assertMayClose(database, options);
    for (const statement of await closeStatements()) await database.run(statement);
    made.push(...(await makeModels(database, SHOWN)));
    await keepFound(database);
    await keepInputs(database);
    book = await closedBook(database, id, await withoutEstimate(database, id, accrued));
  });
  await dropInternal(database, made);
  if (book === undefined) throw new ConnectorError("internal", "The book was not written.");
  return book;
}

async function assertSynced(database: Database): Promise<void> {
  const [found] = await database.query(
    "SELECT count(*) FROM information_schema.tables WHERE table_schema = 'source_ai_billing' AND table_name = 'states'",
  );
  if (found?.[0] === "1") return;
  throw new ConnectorError(
    "database",
    `No sync has written to "${database.path}": \`close\` needs a database of \`sync\`. Elsewhere the dbt package closes months.`,
  );
}

/** Asks for a book with a row that has no digest yet. Gives its id. */
async function ask(
  database: Database,
  { month, view, accrue, why }: BookOptions,
  now: number,
): Promise<string> {
  const [held] = await database.query(
    `SELECT coalesce(max(version), 0) FROM ai_billing_closes
     WHERE book_view = ${literal(view)} AND book_month = DATE ${literal(`${month}-01`)}`,
  );
  const version = why === undefined ? 1 : Math.max(2, Number(held?.[0] ?? 0) + 1);
  const id = `${view} ${month} v${version}`;
  const instant = new Date(now).toISOString().replace("T", " ").replace("Z", "");
  await database.run(
    `INSERT INTO ai_billing_closes (close_id, book_view, book_month, version, closed_at, with_accruals, why)
     VALUES (${literal(id)}, ${literal(view)}, DATE ${literal(`${month}-01`)}, ${version}, TIMESTAMP ${literal(instant)},
             ${accrue}, ${why === undefined ? "NULL" : literal(why)})`,
  );
  return id;
}

/** The statements of sql/close_duckdb.sql. None of them has a semicolon inside. */
async function closeStatements(): Promise<readonly string[]> {
  const code = (await closeSql()).replaceAll(/^--.*$/gm, "");
  return code.split(/;\n/).filter((statement) => statement.trim() !== "");
}

/** A reason against a close, and the days that it is about. */
interface Obstacle {
  /** The address and the label of the account, as the models have them. */
  readonly place: string;
  /** The name of the account for people; empty for the only one, if it has no label. */
  readonly account: string;
  readonly why: string;
  readonly days: string[];
  readonly isAccruable: boolean;
}

/**
 * The days of the month of accounts whose costs were never read. The model knows only those accounts whose usage was read from the
 * address of other costs.
 */
const unreadDays = (month: string): string => `
  SELECT 2, base_url, nullif(account, ''), 'not read', day::DATE, true
  FROM (${UNREAD_ACCOUNTS}) AS accounts, generate_series(
    DATE ${literal(`${month}-01`)}, last_day(DATE ${literal(`${month}-01`)}), INTERVAL 1 DAY) AS days(day)`;

/** Whether the file has several accounts, so that one without a label needs its address as its name. */
const IS_ONE_OF_SEVERAL = `(
  SELECT count(*) > 1 FROM (
    SELECT base_url, account FROM completeness UNION SELECT base_url, nullif(account, '') FROM source_ai_billing.accounts))`;

/**
 * Gives the obstacles for which accruals stand.
 *
 * @throws ConnectorError `database` with all other obstacles, if there are any
 */
async function assertMayClose(
  database: Database,
  options: BookOptions,
): Promise<readonly Obstacle[]> {
  const rows = await database.query(`
    WITH obstacles AS (
      SELECT number_, base_url, account, why, day, is_accruable FROM ai_billing__book_obstacles
      UNION ${unreadDays(options.month)})
    SELECT ${PLACE}, CASE WHEN ${IS_ONE_OF_SEVERAL} THEN ${nameIn("completeness")} ELSE coalesce(account, '') END AS name, why,
           coalesce(day::VARCHAR, ''), is_accruable
    FROM obstacles ORDER BY number_, why, name, 1, day`);
  const found = new Map<string, Obstacle>();
  for (const [place = "", account = "", why = "", day = "", isAccruable = ""] of rows) {
    const key = JSON.stringify([place, why]);
    const known = found.get(key) ?? {
      place,
      account,
      why,
      days: [],
      isAccruable: isAccruable === "true",
    };
    found.set(key, known);
    if (day !== "") known.days.push(day);
  }
  const every = [...found.values()];
  const all = every.filter(({ isAccruable }) => !(options.accrue && isAccruable));
  if (all.length === 0) return every;
  const remedy = all.every(({ isAccruable }) => isAccruable)
    ? " Sync again later, or book accruals for it with --accrue."
    : "";
  throw new ConnectorError(
    "database",
    `${options.month} by ${options.view} cannot be closed, and nothing was written: ${all.map(wordsOf).join("; ")}.${remedy}`,
  );
}

/** The days that were not read and that no estimate of the book stands for. Its reversals stand for no day. */
async function withoutEstimate(
  database: Database,
  id: string,
  accrued: readonly Obstacle[],
): Promise<readonly Unread[]> {
  const estimated = await database.query(`
    SELECT DISTINCT ${PLACE}, day FROM close_lines
    WHERE close_id = ${literal(id)} AND kind = 'accrual' AND reason = 'estimate'`);
  const known = new Set(estimated.map(([place, day]) => JSON.stringify([place, day])));
  return accrued
    .filter(({ why }) => why === "not read")
    .map(({ place, account, days }) => ({
      account,
      days: rangesOf(days.filter((day) => !known.has(JSON.stringify([place, day])))),
    }))
    .filter(({ days }) => days.length > 0);
}

/** An obstacle in words. The reason of an accruable one is the state of its days, such as `not read`. */
function wordsOf({ account, why, days, isAccruable }: Obstacle): string {
  const owner = account === "" ? "" : ` (account ${account})`;
  if (!isAccruable) {
    if (why === "its billing period is not over") return `${why}${owner}: it ends on ${days[0]}`;
    if (why === "months are closed in their order")
      return `months are closed in their order, and the next one is ${days[0]?.slice(0, 7) ?? ""}`;
    return why === "it is closed already"
      ? "it is closed already (--reopen --why closes it again)"
      : why;
  }
  return `${why}${owner}: ${rangesOf(days).join(", ")}`;
}

const DAY = 86_400_000;

/** Days in their order, with `2026-10-01 to 2026-10-05` for days that follow one another. */
export function rangesOf(days: readonly string[]): string[] {
  const ranges: { first: string; last: string }[] = [];
  for (const day of days) {
    const newest = ranges.at(-1);
    if (newest !== undefined && Date.parse(day) - Date.parse(newest.last) === DAY)
      newest.last = day;
    else ranges.push({ first: day, last: day });
  }
  return ranges.map(({ first, last }) => (first === last ? first : `${first} to ${last}`));
}
