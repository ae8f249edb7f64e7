/** Queries the views for the data of the report. */
import { billsOf, latestChanges } from "../bills.ts";
import { literal } from "../columns.ts";
import type { Database } from "../database.ts";
import { plain, subtract } from "../decimals.ts";
import { removedCosts } from "../figures.ts";
import type {
  DayCost,
  DayProof,
  ModelCost,
  ProjectCost,
  ProofRange,
  ReportData,
  Status,
  SyncBill,
} from "./model.ts";

/** The number of models with their own color. */
const LARGEST = 8;

/** The most syncs that the figure of the bill shows. */
const SYNCS = 12;

/** The facts of the report that the database may not know. */
export interface Known {
  /** The billed total by the provider's own account. */
  readonly truth: string | null;
  /** Titles of the syncs by their instants, to the minute, such as `2026-01-31T06:00`. */
  readonly titles: ReadonlyMap<string, string>;
  readonly madeBy: string;
}

/** The report of a database of `sync`. */
export const databaseReport = (database: Database): Promise<ReportData> =>
  reportData(database, { truth: null, titles: new Map(), madeBy: "source-ai-billing sync" });

/** All data of the report. */
export async function reportData(database: Database, known: Known): Promise<ReportData> {
  const [about] = await database.query(`
    SELECT coalesce(any_value(service_provider_name), ''), billing_currency
    FROM current_costs GROUP BY billing_currency ORDER BY count(*) DESC LIMIT 1`);
  const [provider = "your provider", currency = "USD"] = about ?? [];
  await database.run(`
    CREATE OR REPLACE TEMP TABLE report_costs AS
    SELECT day, coalesce(model_id, '(no model)') AS model_id, coalesce(project_id, '(no project)') AS project_id,
           billed_cost, cost_status
    FROM current_costs WHERE is_counted AND billing_currency = ${literal(currency)}`);
  const largestModels = (await costByModel(database)).slice(0, LARGEST);
  const sums = await totals(database, currency);
  const bills = await latestBills(database, currency, known.titles);
  const removed = await removedCosts(database);
  return {
    provider,
    currency,
    asOf: await lastReading(database),
    ...sums,
    truth: known.truth,
    excess: subtract(sums.naive, known.truth ?? sums.current),
    largestModels,
    otherModels: await otherModels(database, largestModels),
    days: await costByDay(database),
    projects: await costByProject(database),
    ...bills,
    completeness: await proofByDay(database),
    ranges: await proofRanges(database),
    removed: removed.map((row) => ({ ...row, billed: plain(row.billed) })),
    madeBy: known.madeBy,
  };
}

async function totals(
  database: Database,
  currency: string,
): Promise<Pick<ReportData, "naive" | "current" | "provisional" | "final">> {
  const [row] = await database.query(`
    SELECT (SELECT coalesce(sum(BilledCost), 0) FROM costs WHERE BillingCurrency = ${literal(currency)}),
           coalesce(sum(billed_cost), 0),
           coalesce(sum(billed_cost) FILTER (cost_status IS DISTINCT FROM 'final'), 0),
           coalesce(sum(billed_cost) FILTER (cost_status = 'final'), 0)
    FROM report_costs`);
  const [naive = "0", current = "0", provisional = "0", final = "0"] = (row ?? []).map(plain);
  return { naive, current, provisional, final };
}

/** The instant of the newest reading, on the provider's clock; empty without one. */
async function lastReading(database: Database): Promise<string> {
  const [row] = await database.query(
    "SELECT coalesce(strftime(max(ended_at), '%Y-%m-%dT%H:%M:%SZ'), '') FROM export_windows",
  );
  return row?.[0] ?? "";
}

/** The newest billing period's bill after each of the last syncs that changed it. */
async function latestBills(
  database: Database,
  currency: string,
  titles: Known["titles"],
): Promise<Pick<ReportData, "billingPeriod" | "syncs">> {
  const changes = await latestChanges(database);
  const month = changes.find((change) => change.currency === currency)?.month;
  if (month === undefined) return { billingPeriod: "", syncs: [] };
  const bills = await billsOf(database, currency, month);
  const syncs = bills.slice(-SYNCS).map(({ at, final, provisional, naive }): SyncBill => {
    const title = titles.get(at.slice(0, 16)) ?? "";
    return { at, title, final, provisional, naive };
  });
  return { billingPeriod: month, syncs };
}

async function costByModel(database: Database): Promise<ModelCost[]> {
  const rows = await database.query(`
    SELECT model_id, sum(billed_cost) AS cost FROM report_costs
    GROUP BY ALL ORDER BY cost DESC, model_id`);
  return rows.map(([model = "", cost = "0"]) => ({ model, cost: plain(cost) }));
}

async function otherModels(
  database: Database,
  largest: readonly ModelCost[],
): Promise<ReportData["otherModels"]> {
  const names = ["''", ...largest.map(({ model }) => literal(model))].join(", ");
  const [row] = await database.query(`
    SELECT count(DISTINCT model_id), coalesce(sum(billed_cost), 0)
    FROM report_costs WHERE model_id NOT IN (${names})`);
  const [count = "0", cost = "0"] = row ?? [];
  return { count: Number(count), cost: plain(cost) };
}

async function costByDay(database: Database): Promise<DayCost[]> {
  const rows = await database.query(`
    SELECT day, sum(sum(billed_cost)) OVER (PARTITION BY day) AS total, model_id, sum(billed_cost) AS cost
    FROM report_costs
    GROUP BY day, model_id ORDER BY day, cost DESC, model_id`);
  const days = new Map<string, { readonly total: string; readonly models: ModelCost[] }>();
  for (const [day = "", total = "0", model = "", cost = "0"] of rows) {
    const of = days.get(day) ?? { total: plain(total), models: [] };
    days.set(day, of);
    of.models.push({ model, cost: plain(cost) });
  }
  return [...days].map(([day, of]) => ({ day, ...of }));
}

async function costByProject(database: Database): Promise<ProjectCost[]> {
  const rows = await database.query(`
    SELECT project_id, sum(billed_cost) AS cost, count(DISTINCT model_id) FROM report_costs
    GROUP BY ALL ORDER BY cost DESC, project_id LIMIT 10`);
  return rows.map(([project = "", cost = "0", models = "0"]) => ({
    project,
    cost: plain(cost),
    models: Number(models),
  }));
}

const STATUSES: ReadonlySet<string> = new Set<Status>(["proven", "unproven", "incomplete"]);
const isStatus = (text: string): text is Status => STATUSES.has(text);

// A day without any entry of a dataset is not complete.
const statusOf = (text: string): Status => (isStatus(text) ? text : "incomplete");

async function proofByDay(database: Database): Promise<DayProof[]> {
  const rows = await database.query(`
    SELECT day,
           any_value(status) FILTER (dataset = 'costs'),
           coalesce(any_value(current_rows) FILTER (dataset = 'costs'), 0),
           any_value(status) FILTER (dataset = 'usage'),
           coalesce(any_value(current_rows) FILTER (dataset = 'usage'), 0)
    FROM completeness GROUP BY day ORDER BY day`);
  return rows.map(([day = "", costs = "", costRows = "0", usage = "", usageRows = "0"]) => ({
    day,
    costs: statusOf(costs),
    costRows: Number(costRows),
    usage: statusOf(usage),
    usageRows: Number(usageRows),
  }));
}

async function proofRanges(database: Database): Promise<ProofRange[]> {
  const rows = await database.query(`
    WITH numbered AS (
      SELECT dataset, day, status, coalesce(why, '') AS why, current_rows,
             day - row_number() OVER (PARTITION BY dataset, status, why ORDER BY day)::INTEGER AS run
      FROM completeness)
    SELECT dataset, min(day), max(day), count(*), sum(current_rows), status, why
    FROM numbered GROUP BY dataset, status, why, run ORDER BY dataset, min(day)`);
  return rows.map(
    ([dataset = "", from = "", through = "", days = "0", count = "0", status = "", why = ""]) => ({
      dataset,
      from,
      through,
      days: Number(days),
      rows: Number(count),
      status: statusOf(status),
      why,
    }),
  );
}
