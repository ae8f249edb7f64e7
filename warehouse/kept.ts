/**
 * A refresh keeps this for the next one, in the schema `source_ai_billing`: steps of few rows, and the facts that tell the changes.
 */
import { createHash } from "node:crypto";
import { labels } from "../src/generated/labels.ts";
import { literal } from "./columns.ts";
import type { Database } from "./database.ts";
import { modelsSql } from "./files.ts";
import { inputNames, modelNames } from "./models.ts";

export const DATASETS = ["usage", "costs"] as const;
export type Dataset = (typeof DATASETS)[number];

/** The schema of what a refresh keeps for the next one. */
export const OWN = "source_ai_billing";

/** The day of rows without one, which is before all others. */
const NO_DAY = "DATE '0001-01-01'";

/** The day of a row of a raw table, as the models have it. */
export const RAW_DAY = `CASE WHEN year("ChargePeriodStart") BETWEEN 1000 AND 9999 THEN "ChargePeriodStart"::DATE ELSE ${NO_DAY} END`;

const dayIn = (column: string): string => `coalesce(${column}, ${NO_DAY})`;

/** The day of a row of a model. */
export const DAY = dayIn("day");

/** Steps of few rows, from which the proofs of days follow without the rows themselves, and the dataset of each. */
export const STEPS: ReadonlyMap<string, Dataset> = new Map<string, Dataset>([
  ...["counts", "live", "removed", "shown"].flatMap((step) =>
    DATASETS.map((dataset): [string, Dataset] => [`ai_billing__${step}_${dataset}`, dataset]),
  ),
  ["ai_billing__arrived_costs", "costs"],
  ["ai_billing__found_costs", "costs"],
]);

/** A step that has no column for the day. A refresh makes the rows of changed records again. */
const SAID = "ai_billing__provider_costs";

/** Another such step. Only the books read it, so it is neither made nor kept without a closed month. */
export const FOUND = "ai_billing__book_found";

/** The steps of which a refresh makes the rows of changed records again. */
export const stepsOfRecords = async (database: Database): Promise<readonly string[]> =>
  (await isAnyClosed(database)) ? [SAID, FOUND] : [SAID];

const isAnyClosed = async (database: Database): Promise<boolean> =>
  (await database.query("SELECT 1 FROM main.ai_billing_closes LIMIT 1")).length > 0;

/** The queries of all datasets, joined by UNION ALL. */
export const both = (
  query: (dataset: Dataset) => string,
  datasets: readonly Dataset[] = DATASETS,
): string => datasets.map((dataset) => query(dataset)).join(" UNION ALL ");

/** The rows that only one of two queries has. Each query has a row once, and is computed once. */
export const onlyInOne = (one: string, other: string): string =>
  `SELECT * FROM (FROM (${one}) UNION ALL FROM (${other})) GROUP BY ALL HAVING count(*) = 1`;

type Queries = Readonly<Record<string, string>>;

/**
 * The number of the logic of a refresh: of what refresh.ts, changed_days.ts, steps.ts, marts.ts, parts.ts and this file do with the SQL.
 * Raise it with each change of these files after which a refresh may leave other rows than before. The first refresh of the new version
 * then makes all models. Otherwise rows that the old version got wrong would stay until their days change.
 */
export const LOGIC = 1;

/** The parts of a program that make the models; a test may give those of another program. */
interface Program {
  /** The SQL of the models. */
  readonly models?: string;
  readonly logic?: number;
}

/**
 * All models depend on these facts, besides the rows and the reports. A version that keeps other rows or facts makes all models again: it
 * could not compare them with those that an older version kept.
 */
export async function firstFacts({ models, logic = LOGIC }: Program = {}): Promise<Queries> {
  const sql = createHash("sha256")
    .update(models ?? (await modelsSql()))
    .update(JSON.stringify([logic, ALL_ROWS, ALL_FACTS, DAILY_FACTS, CHAINS, ANCHORS]))
    .digest("hex");
  const names = (await modelNames()).map(literal).join(", ");
  return {
    sql: `SELECT ${literal(sql)}`,
    models: `SELECT table_name FROM duckdb_tables() WHERE schema_name = 'main' AND NOT temporary AND table_name IN (${names})`,
    ...Object.fromEntries((await inputNames()).map((table) => [table, `FROM main.${table}`])),
  };
}

/** The reports, from which the models of proofs are made. A process may be killed when they are stored and no model is made yet. */
export const REPORTS: Queries = { reports: "FROM main.export_windows" };

/** The rows of the raw tables by day: their number, and a number that tells two contents apart. */
export const RAW_DAYS = both(
  (dataset) => `
    SELECT '${dataset}' AS dataset, day, count(*) AS rows_, sum(content) AS content
    FROM (SELECT ${RAW_DAY} AS day, hash(found) AS content FROM main.${dataset} AS found) GROUP BY day`,
);

/** Chains tell which account a row belongs to, and the accounts that have read a day judge the rows of no account. */
export const CHAINS: Queries = {
  chains: both((dataset) => `SELECT '${dataset}' AS dataset, * FROM ai_billing__chains_${dataset}`),
  accounts: "SELECT DISTINCT dataset, place FROM ai_billing__manifest WHERE inside_window",
};

const STANDING_MONTHS =
  "SELECT *, date_trunc('month', day) AS month FROM ai_billing__standing_costs";

/** Models of amounts take these facts from steps; each has the name of its step. A reading that only confirms a day changes none. */
export const STEP_FACTS: Queries = {
  ai_billing__calendar_costs: "FROM ai_billing__calendar_costs",
  // Models of single days read this step, too. If the step changes for a day with rows, the day is made again (DAY_FACTS).
  ai_billing__standing_costs: `
    SELECT base_url, account, month, min(since)::DATE AS since, NULL::DATE AS until FROM (${STANDING_MONTHS}) GROUP BY ALL
    UNION ALL SELECT base_url, account, month, since::DATE, until::DATE FROM (${STANDING_MONTHS}) WHERE NOT is_kept`,
  ai_billing__manifest: `SELECT DISTINCT place, began_at::DATE FROM ai_billing__manifest WHERE dataset = 'costs'`,
};

/** The days that `cost_anomalies` compares. Their statuses are left out, because the model only shows them. */
export const COMPARED_DAYS: Queries = {
  "compared days": "SELECT * EXCLUDE (day_status) FROM ai_billing__calendar_costs",
};

/** The reports of days with adjustments. They tell when an adjustment was proven, also if no cost and no status has changed. */
export const ADJUSTED_DAYS: Queries = {
  "adjusted days": "FROM ai_billing__manifest SEMI JOIN main.adjustments USING (day)",
};

/**
 * The columns that tell the kind of a row. One row of each kind is all that a model of days takes from other days: the currencies of an
 * account, its services, and the labels that ever have a value.
 */
export const kindsOf = (dataset: Dataset): string => {
  const named = ["scope", "service_provider_name", "service_name"];
  const own = dataset === "costs" ? ["billing_currency", "charge_category"] : [];
  return [...named, ...own, ...labels[dataset].map(({ name }) => `${name} IS NULL`)].join(", ");
};

/** Facts of the rows that count. They are asked for when these rows have changed. */
export const ROW_FACTS: Queries = Object.fromEntries(
  DATASETS.map((dataset) => [
    `kinds of ${dataset}`,
    `SELECT DISTINCT ${kindsOf(dataset)} FROM main.current_${dataset}`,
  ]),
);

/**
 * The rows of a day take these facts from the reports of their own readings. Each query has the columns dataset and day. Chains are the
 * same as before, and each place has one (CHAINS), so the place of a reading tells its chain.
 */
const READINGS: Queries = {
  "readings of rows": `
    SELECT dataset, kept.day, reading_id, found.place, found.window_start, found.window_end, found.began_at
    FROM (
      SELECT dataset, reading_id, max(place) AS place, max(window_start) AS window_start,
             max(window_end) AS window_end, max(began_at) AS began_at
      FROM ai_billing__manifest GROUP BY dataset, reading_id) AS found
    JOIN ${OWN}.kept_readings AS kept USING (dataset, reading_id)`,
};

/** The rows of a day take these facts from all reports of the day. */
const DAY_FACTS: Queries = {
  strays: both((dataset) => `SELECT '${dataset}' AS dataset, * FROM ai_billing__strays_${dataset}`),
  anchors: both(
    (dataset) =>
      `SELECT '${dataset}' AS dataset, scope, day, anchor_rows_reading_id, anchor_window_start, anchor_window_end
       FROM ai_billing__days_${dataset}`,
  ),
  standing: "SELECT 'costs' AS dataset, * EXCLUDE (last_seen_at) FROM ai_billing__standing_costs",
  // A row that is missing, that started outside its window, or that has no account is judged by the ids of reports.
  "reports of judged days": `FROM ai_billing__manifest SEMI JOIN ${OWN}.kept_judged_days USING (dataset, day)`,
};

/** The statuses of days. Rows carry them, and nothing else of a row depends on them. */
const STATUSES: Queries = {
  statuses: both(
    (dataset) => `SELECT dataset, scope, day, status FROM ai_billing__completeness_${dataset}`,
  ),
};

/** Rows as a number that tells two contents apart. */
export const contentOf = (rows: string): string =>
  `(SELECT count(*) || ' ' || coalesce(sum(hash(rows_)), 0) FROM (${rows}) AS rows_)`;

/** The facts as rows: the name, and a number that tells two contents apart. */
export const valuesOf = (facts: Queries): string =>
  Object.entries(facts)
    .map(
      ([name, query]) =>
        `SELECT ${literal(name)} AS fact, count(*) || ' ' || coalesce(sum(hash(found)), 0) AS value FROM (${query}) AS found`,
    )
    .join(" UNION ALL ");

/** The same by dataset and day. */
const dailyOf = (facts: Queries): string =>
  Object.entries(facts)
    .map(
      ([name, query]) => `
        SELECT ${literal(name)} AS fact, dataset, ${DAY} AS day, count(*) || ' ' || sum(hash(found)) AS value
        FROM (${query}) AS found GROUP BY ALL`,
    )
    .join(" UNION ALL ");

const changedDays = (facts: Queries): string => {
  const kept = `FROM ${OWN}.kept_day_facts WHERE fact IN (${Object.keys(facts).map(literal).join(", ")})`;
  return `SELECT DISTINCT dataset, day FROM (${onlyInOne(dailyOf(facts), kept)})`;
};

/** The days on which a raw table differs from the kept days: a query with the columns of RAW_DAYS. */
export const differingDays = (daysNow: string): string =>
  onlyInOne(daysNow, `FROM ${OWN}.kept_days`);

/** Days of rows whose own readings were reported otherwise than before: a query of dataset and day. */
export const REPORTED_DAYS = changedDays(READINGS);

/** Days whose rows count otherwise than before, because of the reports: a query of dataset and day. */
export const REJUDGED_DAYS = changedDays(DAY_FACTS);

/** Days of costs of which the tables have lost rows, or had: `costs_as_known` says so, also if no row of the day is left. */
export const LOST_DAYS = `
  SELECT 'costs' AS dataset, day FROM ai_billing__standing_costs WHERE NOT is_kept
  UNION ALL SELECT 'costs', day FROM main.costs_as_known WHERE NOT is_history_kept`;

/** Days whose status has changed: a query of dataset and day. */
export const STATUS_DAYS = changedDays(STATUSES);

/**
 * Days on which a newer reading decides than before, and there are rows of a reading between the two, although nothing else of the day
 * has changed. These rows counted because no reading after them had decided. Rows that do not count are judged rows (DAY_FACTS).
 */
export const REDECIDED_DAYS = both(
  (dataset) => `
    SELECT DISTINCT '${dataset}' AS dataset, ${dayIn("days.day")} AS day FROM ai_billing__days_${dataset} AS days
    JOIN ${OWN}.kept_anchors AS kept ON kept.dataset = '${dataset}' AND kept.scope = days.scope AND kept.day = days.day
    JOIN ${OWN}.kept_ai_billing__live_${dataset} AS live ON live.scope = days.scope AND live.day = days.day
    WHERE live.reading_id > kept.anchor_reading_id AND live.reading_id <= days.anchor_reading_id`,
);

/** A row for each account with several chains. Their rows tell which chain has taken over, so all rows are needed. */
export const SEVERAL_CHAINS = `
  SELECT 1 FROM ai_billing__manifest GROUP BY dataset, place HAVING count(DISTINCT chain) > 1`;

/** Readings and judged days of the rows that the steps `placed` and `judged` have; each query has the columns dataset and day. */
export const OF_ROWS = (datasets: readonly Dataset[]): Queries => ({
  readings: both(
    (dataset) => `
      SELECT DISTINCT '${dataset}' AS dataset, reading_id, day
      FROM (SELECT reading_id, day FROM ai_billing__placed_${dataset}
            UNION ALL SELECT judge_reading_id, day FROM ai_billing__removed_${dataset})`,
    datasets,
  ),
  judged_days: both(
    (dataset) => `
      SELECT DISTINCT '${dataset}' AS dataset, day FROM ai_billing__judged_${dataset}
      WHERE judge_reading_id IS NOT NULL OR is_stray OR scope = ''`,
    datasets,
  ),
});

/** The records of a raw table and their days. */
export const recordsOf = (dataset: Dataset): string => `
  SELECT '${dataset}' AS dataset, hash("x_RecordId") AS record,
         ${dataset === "costs" ? 'CASE WHEN "x_CorrectsRecordId" IS NOT NULL THEN hash("x_CorrectsRecordId") END' : "NULL::UBIGINT"} AS corrected,
         ${RAW_DAY} AS day
  FROM main.${dataset}`;

/** Keeps the reports that the models are made of. Belongs into the transaction that makes them. */
export const keepReports = (database: Database): Promise<void> =>
  database.run(`CREATE OR REPLACE TABLE ${OWN}.kept_reports AS ${valuesOf(REPORTS)}`);

/** The facts that are kept by day. */
const DAILY_FACTS: Queries = { ...READINGS, ...DAY_FACTS, ...STATUSES };

/** The anchor of each day, which {@link REDECIDED_DAYS} compares. */
const ANCHORS = both(
  (dataset) =>
    `SELECT '${dataset}' AS dataset, scope, day, anchor_reading_id FROM ai_billing__days_${dataset}`,
);

/** Keeps facts as they are now. All others stay. Belongs into the transaction that makes the models. */
export async function keepThese(database: Database, facts: Queries): Promise<void> {
  const names = Object.keys(facts).map(literal).join(", ");
  await database.run(`DELETE FROM ${OWN}.kept_facts WHERE fact IN (${names})`);
  await database.run(`INSERT INTO ${OWN}.kept_facts ${valuesOf(facts)}`);
}

/** Keeps the inputs, after the models that read them were made again. Belongs into the transaction that makes them. */
export const keepInputs = async (database: Database): Promise<void> =>
  keepThese(database, await firstFacts());

/**
 * Keeps what all steps tell. Belongs into the transaction that makes the models.
 *
 * @param others facts that were asked for, besides the first ones and the chains; all others stay as they are
 */
export async function keepFacts(database: Database, others: Queries): Promise<void> {
  await database.run(`CREATE TABLE IF NOT EXISTS ${OWN}.kept_facts (fact VARCHAR, value VARCHAR)`);
  await keepThese(database, { ...(await firstFacts()), ...CHAINS, ...others });
  const held = { anchors: ANCHORS, day_facts: dailyOf(DAILY_FACTS) };
  for (const [name, query] of Object.entries(held)) {
    await database.run(`CREATE OR REPLACE TABLE ${OWN}.kept_${name} AS ${query}`);
  }
}

/** The facts that a whole refresh keeps, besides those of {@link keepFacts}. */
const ALL_FACTS: Queries = { ...STEP_FACTS, ...COMPARED_DAYS, ...ROW_FACTS, ...ADJUSTED_DAYS };

const ofStep = (name: string): string => `FROM temp.${name}`;

/** The rows that a whole refresh keeps; those of {@link FOUND} only if a month is closed. */
const ALL_ROWS: Queries = {
  ...Object.fromEntries([...STEPS.keys(), SAID, FOUND].map((name) => [name, ofStep(name)])),
  ...OF_ROWS(DATASETS),
  records: both(recordsOf),
  days: RAW_DAYS,
};

async function rowsOfWhole(database: Database): Promise<Queries> {
  const isFoundKept = await isAnyClosed(database);
  return Object.fromEntries(
    Object.entries(ALL_ROWS).filter(([name]) => isFoundKept || name !== FOUND),
  );
}

async function keepRows(database: Database, rows: Queries): Promise<void> {
  for (const [name, query] of Object.entries(rows)) {
    await database.run(`CREATE OR REPLACE TABLE ${OWN}.kept_${name} AS ${query}`);
  }
}

/** Keeps the step that only books read, after it was made of all records. Belongs into the transaction that closes a month. */
export const keepFound = (database: Database): Promise<void> =>
  keepRows(database, { [FOUND]: ofStep(FOUND) });

/** The steps and the facts of a whole refresh, and the steps that they are taken from. `run` belongs into its transaction. */
export const EVERYTHING = {
  async reads(database: Database): Promise<readonly string[]> {
    const queries = {
      ...(await rowsOfWhole(database)),
      ...ALL_FACTS,
      ...DAILY_FACTS,
      ...CHAINS,
      ANCHORS,
    };
    return Object.values(queries).flatMap((query) => query.match(/\bai_billing__\w+/g) ?? []);
  },

  async run(database: Database): Promise<void> {
    await keepRows(database, await rowsOfWhole(database));
    await database.run(`DROP TABLE IF EXISTS ${OWN}.kept_facts`);
    await keepFacts(database, ALL_FACTS);
    await keepReports(database);
  },
};
