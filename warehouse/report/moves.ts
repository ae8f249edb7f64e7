/** "What moved": the change against the month before, in parts that add up to it. */
import type { Asked } from "../database.ts";
import { plain } from "../decimals.ts";
import { COMPARED } from "./clock.ts";
import type { Mover, Moves } from "./model.ts";

/** The parts with a name, and the values of each other label. */
const PARTS = 6;
const PER_LABEL = 2;

/** Labels in the order in which one of them is chosen for the parts. */
const LABELS = [
  { column: "model_id", name: "model" },
  { column: "project_name", name: "project" },
  { column: "api_key_name", name: "key" },
  { column: "team", name: "team" },
] as const;

/** The change in parts. The first label that one of the compared costs has makes the parts. */
export async function movesOf(database: Asked): Promise<Moves> {
  const [counts = []] = await database.query(
    `SELECT ${LABELS.map(({ column }) => `count(${column})`).join(", ")} FROM ${COMPARED}`,
  );
  const used = LABELS.filter((_, index) => Number(counts[index]) > 0);
  const [first = LABELS[0], ...others] = used;
  return {
    by: first.name,
    parts: await partsOf(database, first),
    largest: await largestOf(database, others),
  };
}

/** Costs without the label have a line for each charge category, so that a credit or a tax is seen. */
async function partsOf(
  database: Asked,
  { column, name }: (typeof LABELS)[number],
): Promise<Mover[]> {
  const rows = await database.query(`
    WITH named AS (
      SELECT ${column} IS NOT NULL AS is_named,
             coalesce('${name} ' || ${column}, 'no ${name} (' || coalesce(charge_category, 'no category') || ')') AS value,
             sum(billed) AS billed, sum(previous) AS previous
      FROM ${COMPARED} GROUP BY ALL),
    ranked AS (
      SELECT *, row_number() OVER (PARTITION BY is_named ORDER BY abs(billed - previous) DESC, value) AS place
      FROM named WHERE billed <> previous),
    lines AS (
      SELECT is_named AND place > ${PARTS} AS is_rest, CASE WHEN NOT is_named OR place <= ${PARTS} THEN value END AS value,
             count(*) AS number, sum(billed) AS billed, sum(previous) AS previous
      FROM ranked GROUP BY ALL)
    SELECT coalesce(value, 'the ' || number || ' other' || CASE WHEN number = 1 THEN '' ELSE 's' END),
           billed, previous, billed - previous
    FROM lines ORDER BY is_rest, abs(billed - previous) DESC, 1`);
  return rows.map(([value = "", billed = "0", previous = "0", change = "0"]) => ({
    names: [value],
    billed: plain(billed),
    previous: plain(previous),
    change: plain(change),
  }));
}

/** The largest changes of other labels: the same money once more. */
async function largestOf(
  database: Asked,
  labels: readonly (typeof LABELS)[number][],
): Promise<Mover[]> {
  if (labels.length === 0) return [];
  const summed = labels.map(
    ({ column, name }) =>
      `SELECT '${name}' AS label, ${column} AS value, sum(billed) AS billed, sum(previous) AS previous
       FROM ${COMPARED} WHERE ${column} IS NOT NULL GROUP BY ${column}`,
  );
  const rows = await database.query(`
    WITH summed AS (${summed.join(" UNION ALL ")})
    SELECT label, value, billed, previous, billed - previous FROM summed WHERE billed <> previous
    QUALIFY row_number() OVER (PARTITION BY label ORDER BY abs(billed - previous) DESC, value) <= ${PER_LABEL}
    ORDER BY abs(billed - previous) DESC, label, value`);
  return rows.map(([label = "", value = "", billed = "0", previous = "0", change = "0"]) => ({
    names: [`${label} ${value}`],
    billed: plain(billed),
    previous: plain(previous),
    change: plain(change),
  }));
}
