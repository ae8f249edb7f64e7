/** The costs of each day by each label, for the part of the report in which people choose a label and a period. */
import { labels } from "../../src/generated/labels.ts";
import type { Database } from "../database.ts";
import { plain } from "../decimals.ts";
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

/** Days of the page, ten years at most. */
const DAYS = 3660;

/** The days and labels of the currency whose costs are in `report_costs`. */
export async function dimensionsOf(database: Database): Promise<Pick<View, "days" | "dimensions">> {
  const days = await daysOf(database);
  const dimensions: Dimension[] = [];
  for (const { name, column } of LABELS) {
    const dimension = await dimensionOf(database, name, column, days);
    if (dimension !== undefined) dimensions.push(dimension);
  }
  return { days, dimensions };
}

async function daysOf(database: Database): Promise<string[]> {
  const rows = await database.query(`
    SELECT CAST(unnest(generate_series(
      greatest(min(day) FILTER (records > 0), max(day) - ${DAYS})::TIMESTAMP, max(day)::TIMESTAMP, INTERVAL 1 DAY)) AS DATE)
    FROM report_costs`);
  return rows.map(([day = ""]) => day);
}

async function dimensionOf(
  database: Database,
  name: string,
  column: string,
  days: readonly string[],
): Promise<Dimension | undefined> {
  const rows = await database.query(`
    WITH named AS (
      SELECT day, ${column} IS NOT NULL AS is_named,
             coalesce(${column}, 'no ${name.toLowerCase()} (' || coalesce(charge_category, 'no category') || ')') AS value,
             billed_cost
      FROM report_costs WHERE records > 0),
    periods AS (
      SELECT unnest([through_day - 7, through_day - 14, through_day - 30, through_day - 60, month, previous_month,
        through_day - 90, through_day - 180, DATE '0001-01-01']) AS since FROM report_clock),
    placed AS (
      SELECT since, value, row_number() OVER (PARTITION BY since ORDER BY sum(abs(billed_cost)) DESC, value) AS place
      FROM named JOIN periods ON day >= since GROUP BY since, value),
    ranked AS (SELECT value, min(place) AS place FROM placed GROUP BY value)
    SELECT CASE WHEN place <= ${VALUES} THEN value ELSE 'all others' END, day, sum(billed_cost), min(place), bool_or(is_named)
    FROM named JOIN ranked USING (value) GROUP BY 1, 2 ORDER BY min(min(place)) OVER (PARTITION BY 1), 1, day`);
  if (!rows.some((row) => row[4] === "true")) return undefined;
  const indexOf = new Map(days.map((day, index) => [day, index]));
  const values = [
    ...new Set(rows.toSorted((a, b) => Number(a[3]) - Number(b[3])).map(([value = ""]) => value)),
  ];
  const placeOf = new Map(values.map((value, index) => [value, index]));
  const costs = rows.flatMap(([value = "", day = "", cost = "0"]): [number, number, string][] => {
    const index = indexOf.get(day);
    const amount = plain(cost);
    return index === undefined || amount === "0" ? [] : [[index, placeOf.get(value) ?? 0, amount]];
  });
  return { name, values, costs };
}
