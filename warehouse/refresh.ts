/**
 * Renews the models after a sync. Most syncs read days again and find nothing else: they write reports, and no row. Then only the models
 * that say when a day was read are made, and of few rows: numbers of rows by day and reading, which the refresh before has kept.
 *
 * All else is made again unless each fact that it depends on is the one of the last whole refresh. So the result always equals that of a
 * whole refresh; `refresh.test.ts` compares them, row by row, after random histories.
 */
import { createHash } from "node:crypto";
import { literal } from "./columns.ts";
import type { Database } from "./database.ts";
import { modelsSql } from "./files.ts";
import {
  allModels,
  dropSteps,
  inputNames,
  makeAllModels,
  makeTables,
  modelNames,
} from "./models.ts";

const DATASETS = ["usage", "costs"] as const;

/** The schema of what a refresh keeps for the next one. */
const OWN = "source_ai_billing";

/** Steps of few rows, from which the proofs of days follow without the rows themselves. */
const KEPT: readonly string[] = [
  "ai_billing__arrived_costs",
  ...["counts", "live", "removed", "shown"].flatMap((step) =>
    DATASETS.map((dataset) => `ai_billing__${step}_${dataset}`),
  ),
];

/** The models that each report may change. */
const PROOFS =
  /^(ai_billing__(manifest|calendar_costs|standing_costs|(chains|strays|days|sums|completeness)_(usage|costs))|completeness|reconciliation|removed_rows)$/;

/** A query for each dataset, in one. */
const both = (query: (dataset: string) => string): string =>
  DATASETS.map((dataset) => query(dataset)).join(" UNION ALL ");

/** What all models depend on besides the reports. */
async function firstFacts(): Promise<Readonly<Record<string, string>>> {
  const sql = createHash("sha256")
    .update(await modelsSql())
    .digest("hex");
  const names = (await modelNames()).map(literal).join(", ");
  return {
    sql: `SELECT ${literal(sql)}`,
    models: `SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND NOT temporary AND table_name IN (${names})`,
    ...Object.fromEntries(
      [...DATASETS, ...(await inputNames())].map((table) => [table, `FROM main.${table}`]),
    ),
  };
}

/** The reports, from which the models of proofs are made. A process may be killed when they are stored and no model is made yet. */
const REPORTS = { reports: "FROM main.export_windows" };

/** What the models of amounts take from the reports. A reading of a day that only confirms the one before changes none of it. */
const FACTS: Readonly<Record<string, string>> = {
  chains: both(
    (dataset) =>
      `SELECT '${dataset}' AS dataset, place, chain, account, base_url, scope, is_disputed FROM ai_billing__chains_${dataset}`,
  ),
  strays: both((dataset) => `SELECT '${dataset}' AS dataset, * FROM ai_billing__strays_${dataset}`),
  anchors: both(
    (dataset) =>
      `SELECT '${dataset}' AS dataset, scope, place, day, chain, anchor_rows_reading_id, anchor_window_start, anchor_window_end
       FROM ai_billing__days_${dataset}`,
  ),
  statuses: both(
    (dataset) =>
      `SELECT dataset, scope, account, base_url, day, status FROM ai_billing__completeness_${dataset}`,
  ),
  calendar: "FROM ai_billing__calendar_costs",
  standing: "SELECT * EXCLUDE (last_seen_at) FROM ai_billing__standing_costs",
  "days of readings": `SELECT DISTINCT place, began_at::DATE FROM ai_billing__manifest WHERE dataset = 'costs'`,
  "readings of rows": `
    SELECT dataset, reading_id, max(place), max(chain), max(window_start), max(window_end), max(began_at)
    FROM ai_billing__manifest SEMI JOIN ${OWN}.kept_readings USING (dataset, reading_id) GROUP BY dataset, reading_id`,
  // A row that is missing, or that started outside its window, is judged by the ids of reports.
  "reports of judged days": `FROM ai_billing__manifest SEMI JOIN ${OWN}.kept_judged_days USING (dataset, day)`,
};

/** Keeps the reports that the models are made of. Belongs into the transaction that makes them. */
const keepReports = (database: Database): Promise<void> =>
  database.run(`CREATE OR REPLACE TABLE ${OWN}.kept_reports AS ${valuesOf(REPORTS)}`);

/** The facts as rows: the name, and a number that tells two contents apart. */
const valuesOf = (facts: Readonly<Record<string, string>>): string =>
  Object.entries(facts)
    .map(
      ([name, query]) =>
        `SELECT ${literal(name)} AS fact, count(*) || ' ' || coalesce(sum(hash(found)), 0) AS value FROM (${query}) AS found`,
    )
    .join(" UNION ALL ");

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

/** Keeps the steps and the facts of a whole refresh. Belongs into its transaction. */
async function keep(database: Database): Promise<void> {
  const held = {
    ...Object.fromEntries(KEPT.map((name) => [name, `FROM temp.${name}`])),
    anchors: both(
      (dataset) =>
        `SELECT '${dataset}' AS dataset, scope, day, anchor_reading_id FROM ai_billing__days_${dataset}`,
    ),
    readings: both(
      (dataset) => `
        SELECT DISTINCT '${dataset}' AS dataset, reading_id
        FROM (SELECT reading_id FROM ai_billing__placed_${dataset}
              UNION ALL SELECT judge_reading_id FROM ai_billing__removed_${dataset})`,
    ),
    judged_days: both(
      (dataset) => `
        SELECT DISTINCT '${dataset}' AS dataset, day FROM ai_billing__judged_${dataset}
        WHERE judge_reading_id IS NOT NULL OR is_stray OR scope = ''`,
    ),
  };
  for (const [name, query] of Object.entries(held)) {
    await database.run(`CREATE OR REPLACE TABLE ${OWN}.kept_${name} AS ${query}`);
  }
  const facts = { ...(await firstFacts()), ...FACTS };
  await database.run(`CREATE OR REPLACE TABLE ${OWN}.kept_facts AS ${valuesOf(facts)}`);
  await keepReports(database);
}

/** Rows of which another reading decides now, although nothing else of their day has changed. */
const REJUDGED = both(
  (dataset) => `
    SELECT 1 FROM ai_billing__days_${dataset} AS days
    JOIN ${OWN}.kept_anchors AS kept ON kept.dataset = '${dataset}' AND kept.scope = days.scope AND kept.day = days.day
    JOIN ${OWN}.kept_ai_billing__live_${dataset} AS live ON live.scope = days.scope AND live.day = days.day
    WHERE days.anchor_reading_id IS DISTINCT FROM kept.anchor_reading_id
      AND live.reading_id <> days.anchor_rows_reading_id
      AND live.reading_id > least(days.anchor_reading_id, kept.anchor_reading_id)`,
);

/** Of two chains of one account, the rows tell which one has taken over. */
const SEVERAL_CHAINS = `
  SELECT 1 FROM ai_billing__manifest GROUP BY dataset, place HAVING count(DISTINCT chain) > 1`;

/** The books of closed months tell when a day was last read. */
const CLOSED = "FROM main.ai_billing_closes";

/** Makes the models of proofs from kept steps. @returns whether the models of amounts are the right ones beside them */
async function renewProofs(database: Database): Promise<boolean> {
  const models = await allModels();
  const proofs = models.filter(({ name }) => PROOFS.test(name));
  const steps = proofs.filter(({ name }) => name.startsWith("ai_billing__"));
  for (const name of KEPT) {
    await database.run(`CREATE OR REPLACE TEMP VIEW ${name} AS FROM ${OWN}.kept_${name}`);
  }
  for (const dataset of DATASETS) {
    await database.run(`
      CREATE OR REPLACE TEMP VIEW ai_billing__rows_${dataset} AS
      SELECT '' AS reading_id, '' AS record_id, NULL::DATE AS day WHERE false`);
  }
  try {
    await makeTables(database, steps);
    const isSame =
      !(await isTrue(database, `EXISTS (${CLOSED}) OR EXISTS (${SEVERAL_CHAINS})`)) &&
      (await areKept(database, FACTS)) &&
      !(await isTrue(database, `EXISTS (${REJUDGED})`));
    if (isSame) {
      await database.transaction(async () => {
        await makeTables(
          database,
          proofs.filter((model) => !steps.includes(model)),
        );
        await keepReports(database);
      });
    }
    return isSame;
  } finally {
    await dropSteps(database, steps);
    for (const name of [...KEPT, ...DATASETS.map((dataset) => `ai_billing__rows_${dataset}`)]) {
      await database.run(`DROP VIEW IF EXISTS temp.${name}`);
    }
  }
}

/**
 * Brings the models up to date with the tables of the streams and the inputs.
 *
 * @returns whether all of them had to be made
 */
export async function refreshModels(database: Database): Promise<boolean> {
  const hasKept = await hasTable(database, "kept_facts");
  if (hasKept && (await areKept(database, await firstFacts())) && (await renewProofs(database))) {
    return false;
  }
  await makeAllModels(database, () => keep(database));
  return true;
}

/** Whether a database, which may be open for reading only, has the models of this program, made of just the rows that it holds. */
export async function hasFreshModels(database: Database): Promise<boolean> {
  return (
    (await hasTable(database, "kept_reports")) &&
    (await areKept(database, REPORTS, "kept_reports")) &&
    (await areKept(database, await firstFacts()))
  );
}

const hasTable = (database: Database, name: string): Promise<boolean> =>
  isTrue(
    database,
    `EXISTS (FROM duckdb_tables() WHERE schema_name = '${OWN}' AND table_name = '${name}')`,
  );
