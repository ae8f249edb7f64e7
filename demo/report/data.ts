/** Queries the views for the data of the report. */
import { type Bill, removedCosts } from "../figures.ts";
import { plain, subtract } from "../reconciliation.ts";
import type { Warehouse } from "../warehouse.ts";
import type {
  DayCost,
  DayProof,
  ModelCost,
  ProjectCost,
  ProofRange,
  ReportData,
  Status,
} from "./model.ts";

/** The number of models with their own color. */
const LARGEST = 8;

/** The facts of the report that do not come from the warehouse. */
export interface Known extends Pick<ReportData, "billingPeriod" | "naive" | "current" | "truth"> {
  readonly syncs: readonly { readonly at: string; readonly title: string; readonly bill: Bill }[];
}

/** All data of the report. Reads the tables `shown_…` that `Warehouse.look` makes. */
export async function reportData(warehouse: Warehouse, known: Known): Promise<ReportData> {
  const { billingPeriod, naive, current, truth } = known;
  const models = await costByModel(warehouse);
  const [totals] = await warehouse.query(`
    SELECT coalesce(sum(billed_cost) FILTER (cost_status = 'provisional'), 0),
           coalesce(sum(billed_cost) FILTER (cost_status = 'final'), 0)
    FROM shown_current_costs`);
  const [provisional = "0", final = "0"] = (totals ?? []).map(plain);
  const [about] = await warehouse.query(`
    SELECT any_value(service_provider_name), any_value(billing_currency) FROM shown_current_costs`);
  const [provider = "", currency = ""] = about ?? [];
  const largestModels = models.slice(0, LARGEST);
  const removed = await removedCosts(warehouse);
  return {
    provider,
    currency,
    asOf: known.syncs.at(-1)?.at ?? "",
    naive,
    current,
    truth,
    excess: subtract(naive, truth),
    provisional,
    final,
    largestModels,
    otherModels: await otherModels(warehouse, largestModels),
    days: await costByDay(warehouse),
    projects: await costByProject(warehouse),
    billingPeriod,
    syncs: known.syncs.map(({ at, title, bill }) => ({
      at,
      title,
      provisional: plain(bill.provisional),
      final: plain(bill.final),
      naive: plain(bill.naive),
    })),
    completeness: await proofByDay(warehouse),
    ranges: await proofRanges(warehouse),
    removed: removed.map((row) => ({ ...row, billed: plain(row.billed) })),
  };
}

async function costByModel(warehouse: Warehouse): Promise<ModelCost[]> {
  const rows = await warehouse.query(`
    SELECT model_id, sum(billed_cost) AS cost FROM shown_current_costs
    GROUP BY ALL ORDER BY cost DESC, model_id`);
  return rows.map(([model = "", cost = "0"]) => ({ model, cost: plain(cost) }));
}

async function otherModels(
  warehouse: Warehouse,
  largest: readonly ModelCost[],
): Promise<ReportData["otherModels"]> {
  const names = largest.map(({ model }) => `'${model.replaceAll("'", "''")}'`).join(", ");
  const [row] = await warehouse.query(`
    SELECT count(DISTINCT model_id), coalesce(sum(billed_cost), 0)
    FROM shown_current_costs WHERE model_id NOT IN (${names})`);
  const [count = "0", cost = "0"] = row ?? [];
  return { count: Number(count), cost: plain(cost) };
}

async function costByDay(warehouse: Warehouse): Promise<DayCost[]> {
  const rows = await warehouse.query(`
    SELECT day, sum(sum(billed_cost)) OVER (PARTITION BY day) AS total, model_id, sum(billed_cost) AS cost
    FROM shown_current_costs
    GROUP BY day, model_id ORDER BY day, cost DESC, model_id`);
  const days = new Map<string, { readonly total: string; readonly models: ModelCost[] }>();
  for (const [day = "", total = "0", model = "", cost = "0"] of rows) {
    const of = days.get(day) ?? { total: plain(total), models: [] };
    days.set(day, of);
    of.models.push({ model, cost: plain(cost) });
  }
  return [...days].map(([day, of]) => ({ day, ...of }));
}

async function costByProject(warehouse: Warehouse): Promise<ProjectCost[]> {
  const rows = await warehouse.query(`
    SELECT project_id, sum(billed_cost) AS cost, count(DISTINCT model_id) FROM shown_current_costs
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

async function proofByDay(warehouse: Warehouse): Promise<DayProof[]> {
  const rows = await warehouse.query(`
    SELECT day,
           any_value(status) FILTER (dataset = 'costs'),
           coalesce(any_value(current_rows) FILTER (dataset = 'costs'), 0),
           any_value(status) FILTER (dataset = 'usage'),
           coalesce(any_value(current_rows) FILTER (dataset = 'usage'), 0)
    FROM shown_completeness GROUP BY day ORDER BY day`);
  return rows.map(([day = "", costs = "", costRows = "0", usage = "", usageRows = "0"]) => ({
    day,
    costs: statusOf(costs),
    costRows: Number(costRows),
    usage: statusOf(usage),
    usageRows: Number(usageRows),
  }));
}

async function proofRanges(warehouse: Warehouse): Promise<ProofRange[]> {
  const rows = await warehouse.query(`
    WITH numbered AS (
      SELECT dataset, day, status, coalesce(why, '') AS why, current_rows,
             day - row_number() OVER (PARTITION BY dataset, status, why ORDER BY day)::INTEGER AS run
      FROM shown_completeness)
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
