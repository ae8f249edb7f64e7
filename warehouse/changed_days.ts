/**
 * The days that a refresh makes again, and their rows.
 *
 * A day is made again if one of its rows in the raw tables has changed, or if the reports judge its rows otherwise than before. Its
 * records take other days with them: days on which they have or had another version, and days with a correction of one of them, or with
 * the record that one of them corrects. All rows of the records of these days, and of the corrections beside them, are copied into
 * temporary tables with the names of the raw tables, so that the models read the copies instead.
 */
import { literal } from "./columns.ts";
import type { Database } from "./database.ts";
import {
  both,
  type Dataset,
  DATASETS,
  DAY,
  differingDays,
  OWN,
  RAW_DAYS,
  recordsOf,
} from "./kept.ts";

/** If more rows than these, and more than a quarter of all rows, are made again, it is quicker to make all rows again. */
const MANY_ROWS = 50_000;
export const areMost = (some: number, all: number): boolean => some > MANY_ROWS && some > all / 4;

async function count(database: Database, rows: string): Promise<number> {
  const [[found = "0"] = []] = await database.query(`SELECT count(*) FROM (${rows})`);
  return Number(found);
}

/** Finds the days on which a raw table changed: by the hashes of all rows, so that changes by hand are found, too. */
export async function findChangedDays(database: Database): Promise<void> {
  await database.run(`CREATE OR REPLACE TEMP TABLE days_now AS ${RAW_DAYS}`);
  await database.run(`
    CREATE OR REPLACE TEMP TABLE changed_days AS
    SELECT DISTINCT dataset, day FROM (${differingDays("FROM days_now")})`);
  await database.run("CREATE OR REPLACE TEMP TABLE made_days AS FROM changed_days");
  await database.run(`
    CREATE OR REPLACE TEMP TABLE new_records AS
    FROM (${both(recordsOf)}) SEMI JOIN changed_days USING (dataset, day)`);
  await database.run(
    `CREATE OR REPLACE TEMP VIEW all_records AS FROM ${OWN}.kept_records UNION ALL FROM new_records`,
  );
}

/**
 * Adds days to those that are made again. A day without rows has nothing to be made: each sync reads the newest days again, often
 * before they have any. A day that has lost all of its rows is a changed day anyway.
 *
 * @param rowless a query of days that are added also if they have no row
 * @returns whether any was new
 */
export async function addDays(database: Database, days: string, rowless = ""): Promise<boolean> {
  const before = await count(database, "FROM made_days");
  const others = rowless && `UNION ALL ${rowless}`;
  await database.run(
    `INSERT INTO made_days SELECT DISTINCT dataset, day FROM (${days})
     SEMI JOIN (SELECT dataset, day FROM days_now ${others}) AS held USING (dataset, day)
     ANTI JOIN made_days USING (dataset, day)`,
  );
  return (await count(database, "FROM made_days")) > before;
}

/** Finds the records of the days that are made again, those that they correct, and all corrections of one of them. */
async function findMadeRecords(database: Database): Promise<void> {
  await database.run(`
    CREATE OR REPLACE TEMP TABLE made_records AS
    SELECT DISTINCT dataset, record FROM all_records SEMI JOIN made_days USING (dataset, day)`);
  await database.run(`
    CREATE OR REPLACE TEMP TABLE corrections AS
    SELECT DISTINCT dataset, record, corrected FROM all_records WHERE corrected IS NOT NULL`);
  const linked = `
    SELECT DISTINCT dataset, record
    FROM (SELECT corrections.dataset, corrections.corrected AS record FROM corrections SEMI JOIN made_records USING (dataset, record)
          UNION ALL
          SELECT corrections.dataset, corrections.record
          FROM corrections JOIN made_records AS made ON corrections.dataset = made.dataset AND corrections.corrected = made.record)
    ANTI JOIN made_records USING (dataset, record)`;
  while ((await count(database, linked)) > 0) {
    await database.run(`INSERT INTO made_records ${linked}`);
  }
}

/**
 * Copies the rows of the days that are made again, and all other rows of their records.
 *
 * @returns the datasets that have such days, or undefined if there are so many rows that a whole refresh is quicker
 */
export async function copyRows(database: Database): Promise<readonly Dataset[] | undefined> {
  if ((await count(database, "FROM made_days")) === 0) return [];
  await findMadeRecords(database);
  await addDays(database, "FROM all_records SEMI JOIN made_records USING (dataset, record)");
  const [[made = "0", all = "0"] = []] = await database.query(`
    SELECT coalesce(sum(rows_) FILTER (WHERE made_days.day IS NOT NULL), 0), coalesce(sum(rows_), 0)
    FROM days_now LEFT JOIN made_days USING (dataset, day)`);
  if (areMost(Number(made), Number(all))) return undefined;
  // The days that came in have records of their own. The changes of a correction follow from all corrections of the same record.
  await findMadeRecords(database);
  const copied: Dataset[] = [];
  for (const dataset of DATASETS) {
    const [[first = "null", last = "null"] = []] = await database.query(`
      SELECT min(day), max(day) FROM all_records SEMI JOIN made_records USING (dataset, record) WHERE dataset = '${dataset}'`);
    // The bounds let DuckDB pass over most rows. Rows without a day have none.
    const isBounded = first !== "null" && !first.startsWith("0001-");
    const bounds = isBounded
      ? `"ChargePeriodStart" >= DATE ${literal(first)} AND "ChargePeriodStart" < DATE ${literal(last)} + 1 AND`
      : "";
    // An old temporary table would hide the raw table, even where a query names the raw table with its schema.
    await database.run(`DROP TABLE IF EXISTS temp.${dataset}`);
    await database.run(`
      CREATE TEMP TABLE ${dataset} AS
      SELECT * FROM main.${dataset}
      WHERE ${bounds} hash("x_RecordId") IN (SELECT record FROM made_records WHERE dataset = '${dataset}')`);
    const days = `SELECT 1 FROM made_days WHERE dataset = '${dataset}'`;
    if ((await count(database, days)) > 0) copied.push(dataset);
  }
  return copied;
}

/** Whether a row of a model lies on a day that is made again. */
export const isMade = (dataset: Dataset, day: string): string =>
  `${day} IN (SELECT made_days.day FROM made_days WHERE dataset = '${dataset}')`;

/** The same for a row that names its dataset. */
export const IS_MADE = `(dataset, ${DAY}) IN (SELECT (dataset, day) FROM made_days)`;

/** Keeps the records and days of the raw tables. Belongs into the transaction that makes the models. */
export async function keepRecords(database: Database): Promise<void> {
  await database.run(
    `DELETE FROM ${OWN}.kept_records WHERE (dataset, day) IN (SELECT (dataset, day) FROM changed_days)`,
  );
  await database.run(`INSERT INTO ${OWN}.kept_records FROM new_records`);
  await database.run(`CREATE OR REPLACE TABLE ${OWN}.kept_days AS FROM days_now`);
}

/** Drops what this file has made. */
export async function dropChangedDays(database: Database): Promise<void> {
  await database.run("DROP VIEW IF EXISTS temp.all_records");
  const tables = [
    "days_now",
    "changed_days",
    "made_days",
    "new_records",
    "made_records",
    "corrections",
  ];
  for (const table of [...tables, ...DATASETS]) {
    await database.run(`DROP TABLE IF EXISTS temp.${table}`);
  }
}
