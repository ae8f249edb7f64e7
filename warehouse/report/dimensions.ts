/** The costs of each day by each label, for the part of the report in which people choose a label and a period. */
import { labels } from "../../src/generated/labels.ts";
import type { Asked } from "../database.ts";
import { literal } from "../columns.ts";
import type { Dimension, View } from "./model.ts";

/** `service_tier` as people read it: `Service tier`. The key of an API is just a key to them. */
function titleOf(dimension: string): string {
  const words = dimension.replace("api_key", "key").replaceAll("_", " ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

/** The columns that show the values of a label: the names of ids, if they have any. Two values never show as one. */
const SHOWN: Readonly<Record<string, string>> = {
  project_id: "project_name",
  workspace_id: "workspace_name",
  api_key_id: "api_key_name",
};

/** The labels that people choose from. One that no cost has is left out. */
const LABELS = [
  ...labels.costs.map(({ dimension, name }) => ({
    name: titleOf(dimension),
    column: SHOWN[name] ?? name,
  })),
  { name: "Team", column: "team" },
  { name: "Provider", column: "service_provider_name" },
  { name: "Service", column: "service_name" },
  { name: "Usage type", column: "usage_type" },
  { name: "Charge", column: "charge_category" },
];

/**
 * Values of a label that the page tells apart in each period; the others are added up, so that a file of many keys stays small. A value
 * that is large in one of the periods has a line of its own in all of them: a new key must not hide behind the keys of earlier years.
 */
const VALUES = 60;

/** Days of the page before the day with which it ends, and days after it: ten years each at most. */
const DAYS = 3660;

/** The days and labels of the currency whose costs are in `report_costs`. */
export async function dimensionsOf(database: Asked): Promise<Pick<View, "days" | "dimensions">> {
  const days = await daysOf(database);
  const counts = LABELS.map(({ column }) => `count(${column})`).join(", ");
  const [named = []] = await database.query(`SELECT ${counts} FROM report_costs WHERE records > 0`);
  const used = LABELS.filter((_, index) => Number(named[index]) > 0);
  const dimensions: Dimension[] = [];
  for (const label of used) dimensions.push(await dimensionOf(database, label, days[0] ?? ""));
  return { days, dimensions };
}

/** One cost of a wrong year, such as 2126, must not push the running month out of the page. */
async function daysOf(database: Asked): Promise<string[]> {
  const rows = await database.query(`
    WITH reach AS (
      SELECT min(day) FILTER (records > 0) AS first_day, max(day) AS last_day, coalesce(any_value(through_day), max(day)) AS through_day
      FROM report_costs CROSS JOIN report_clock)
    SELECT CAST(unnest(generate_series(
      greatest(first_day, through_day - ${DAYS})::TIMESTAMP, least(last_day, through_day + ${DAYS})::TIMESTAMP, INTERVAL 1 DAY)) AS DATE)
    FROM reach`);
  return rows.map(([day = ""]) => day);
}

/** The costs of each value as one text (day_costs.ts): a page has tens of thousands of them. */
async function dimensionOf(
  database: Asked,
  { name, column }: (typeof LABELS)[number],
  firstDay: string,
): Promise<Dimension> {
  const rows = await database.query(`
    WITH named AS (
      SELECT day, coalesce(${column}, 'no ${name.toLowerCase()} (' || coalesce(charge_category, 'no category') || ')') AS value,
             sum(billed_cost) AS billed, sum(abs(billed_cost)) AS size
      FROM report_costs WHERE records > 0 GROUP BY 1, 2),
    periods AS (
      SELECT unnest([through_day - 7, through_day - 14, through_day - 30, through_day - 60, month, previous_month,
        through_day - 90, through_day - 180, DATE '0001-01-01']) AS since FROM report_clock),
    placed AS (
      SELECT since, value, row_number() OVER (PARTITION BY since ORDER BY sum(size) DESC, value) AS place
      FROM named JOIN periods ON day >= since GROUP BY since, value),
    ranked AS (SELECT value, min(place) AS place FROM placed GROUP BY value),
    shown AS (
      SELECT CASE WHEN place <= ${VALUES} THEN value ELSE 'all others' END AS value, day - DATE ${literal(firstDay)} AS day,
             rtrim(rtrim(CAST(sum(billed) AS VARCHAR), '0'), '.') AS cost, min(place) AS place
      FROM named JOIN ranked USING (value) WHERE day >= DATE ${literal(firstDay)} GROUP BY 1, 2 HAVING sum(billed) <> 0),
    spaced AS (SELECT *, day - 1 - coalesce(lag(day) OVER (PARTITION BY value ORDER BY day), -1) AS skipped FROM shown)
    SELECT value, string_agg(CASE WHEN skipped = 0 THEN '' ELSE skipped || ':' END || cost, ' ' ORDER BY day)
    FROM spaced GROUP BY value ORDER BY min(place), value`);
  return {
    name,
    values: rows.map(([value = ""]) => value),
    costs: rows.map(([, costs = ""]) => costs),
  };
}
