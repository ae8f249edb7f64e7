/**
 * Renews the models after a sync. Most syncs read days again and find nothing else: they write reports, and no row. Then a
 * refresh makes only the models that say when a day was read. They need few rows: numbers of rows by day and reading, which the
 * refresh before has kept. If rows of some days changed, a refresh makes these days again (changed_days.ts, steps.ts), and only
 * those models that read them (marts.ts).
 *
 * If any other fact that the models depend on has changed since the last refresh, all models are made again. So the result always
 * equals that of a whole refresh; `refresh.test.ts` compares them, row by row, after random histories.
 */
import { dropChangedDays, findChangedDays, keepRecords } from "./changed_days.ts";
import type { Database } from "./database.ts";
import { withoutEmpty } from "./empty_models.ts";
import {
  differingDays,
  EVERYTHING,
  firstFacts,
  keepFacts,
  keepReports,
  OWN,
  RAW_DAYS,
  REPORTS,
  valuesOf,
} from "./kept.ts";
import { forgetAnswers } from "./kept_answers.ts";
import { Marts } from "./marts.ts";
import { allModels, inputNames, makeAllModels, rawRows, withinMemory } from "./models.ts";
import { Steps } from "./steps.ts";

/**
 * The models that a refresh made: none; those of proofs, and those that compare books with costs; also those that changed days affect;
 * or all.
 */
export type Made = "none" | "proofs" | "days" | "all";

async function isTrue(database: Database, condition: string): Promise<boolean> {
  const [row] = await database.query(`SELECT ${condition}`);
  return row?.[0] === "true";
}

const areKept = (
  database: Database,
  facts: Readonly<Record<string, string>>,
  kept = "kept_facts",
): Promise<boolean> =>
  isTrue(database, `NOT EXISTS (${valuesOf(facts)} EXCEPT FROM ${OWN}.${kept})`);

/**
 * Makes only the models and days again that have changed.
 *
 * @param rows the number of rows of the raw tables, which tells how many threads pay
 * @returns undefined if all models must be made as a whole
 */
async function renew(database: Database, rows: number): Promise<Made | undefined> {
  // The inputs are those of the last refresh, so these models are empty since then.
  const models = await withoutEmpty(database, await allModels(), await inputNames());
  const isKept = (facts: Readonly<Record<string, string>>): Promise<boolean> =>
    areKept(database, facts);
  const steps = new Steps(database, models);
  try {
    await findChangedDays(database);
    if (await isFresh(database)) return "none";
    if (!(await steps.make(isKept))) return undefined;
    if (steps.datasets.length > 0) await database.useThreads(rows);
    const marts = new Marts(database, models, steps);
    let isMore = false;
    await database.transaction(async () => {
      isMore = await marts.make(isKept);
      await keepReports(database);
      if (isMore) await forgetAnswers(database);
      // Days that were made again with the same rows are kept too: else each refresh would make them again.
      else if (steps.datasets.length === 0) return;
      await steps.keep();
      await keepRecords(database);
      await keepFacts(database, marts.facts);
    });
    return isMore ? "days" : "proofs";
  } finally {
    await steps.drop();
    await dropChangedDays(database);
  }
}

/** Whether neither a day nor a report has changed. */
const isFresh = async (database: Database): Promise<boolean> =>
  (await isTrue(database, "NOT EXISTS (FROM changed_days)")) &&
  (await areKept(database, REPORTS, "kept_reports"));

/** Brings the models up to date with the tables of the streams and the inputs. */
export async function refreshModels(database: Database): Promise<Made> {
  const rows = await rawRows(database);
  await database.useCompression(rows);
  if ((await hasKept(database)) && (await areKept(database, await firstFacts()))) {
    const made = await withinMemory(database, rows, (some) => renew(database, some));
    if (made !== undefined) return made;
  }
  await makeAllModels(database, EVERYTHING);
  return "all";
}

/** Whether a database, which may be open for reading only, has the models of this program, made of just the rows that it holds. */
export async function hasFreshModels(database: Database): Promise<boolean> {
  const { sql = "", ...others } = await firstFacts();
  return (
    (await hasKept(database)) &&
    // First, because a file of another program may lack the tables that the other facts are about.
    (await areKept(database, { sql })) &&
    (await areKept(database, REPORTS, "kept_reports")) &&
    (await areKept(database, others)) &&
    (await isTrue(database, `NOT EXISTS (${differingDays(RAW_DAYS)})`))
  );
}

/** Whether a refresh before has kept something. */
const hasKept = (database: Database): Promise<boolean> =>
  isTrue(
    database,
    `EXISTS (FROM duckdb_tables() WHERE schema_name = '${OWN}' AND table_name = 'kept_day_facts')`,
  );
