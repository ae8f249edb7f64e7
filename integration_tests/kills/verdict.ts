/** Compares the tables with the provider's data, row by row and in exact sums by day. */
import { isDeepStrictEqual } from "node:util";
import type { Provider } from "../../reference_provider/provider.ts";
import {
  costSums,
  type Dataset,
  type Group,
  inOrder,
  type Row,
  usageSums,
  type Warehouse,
} from "../support/warehouse.ts";
import type { Outcome } from "./attempt.ts";
import { DATASETS, recordOf } from "./platform.ts";
import type { Schedule } from "./schedule.ts";
import type { Rows, Truth } from "./truth.ts";

export interface Judged {
  readonly provider: Provider;
  readonly truth: Truth;
  readonly warehouse: Warehouse;
  readonly schedule: Schedule;
}

/** The newest version of each row and, if the catalog has export_windows, the rows that stand in each kind of table. */
function viewsOf(
  { warehouse, schedule }: Judged,
  dataset: Dataset,
): Readonly<Record<string, Rows>> {
  const newest = byId(warehouse.deduped(dataset));
  return schedule.mode === "incremental"
    ? {
        newest,
        append: byId(warehouse.latest(dataset, "append")),
        dedup: byId(warehouse.latest(dataset, "dedup")),
      }
    : { newest };
}

function byId(rows: readonly Row[]): Rows {
  return new Map(rows.map((row) => [String(row["x_RecordId"]), recordOf(row)]));
}

/**
 * S1: the position of an attempt never passes the instant that the provider declared available.
 *
 * @param ahead the largest number of milliseconds by which a fault has made that instant too late
 */
export function judgePositions(
  { messages }: Outcome,
  { provider, truth }: Pick<Judged, "provider" | "truth">,
  ahead: number,
): string[] {
  const now = provider.clock.now();
  return messages.flatMap(({ state }) => {
    const dataset = DATASETS.find((name) => name === state?.stream.stream_descriptor.name);
    const position = state?.stream.stream_state["position"];
    if (dataset === undefined || typeof position !== "string") return [];
    const limit = Math.min(truth.declared(dataset, now) + ahead, now);
    return Date.parse(position) > limit
      ? [`S1: ${dataset}: position ${position} beyond ${new Date(limit).toISOString()}`]
      : [];
  });
}

/** The rows that are equal in all of these snapshots. */
function standing(snapshots: readonly Rows[]): Rows {
  const [first = new Map<string, string>()] = snapshots;
  return new Map(
    [...first].filter(([id, text]) => snapshots.every((rows) => rows.get(id) === text)),
  );
}

/**
 * After a successful sync: every row that did not change since the first attempt is there, and no row that never
 * existed.
 */
export function judgeStanding(
  judged: Judged,
  snapshots: Readonly<Record<Dataset, readonly Rows[]>>,
): string[] {
  return DATASETS.flatMap((dataset) => {
    const expected = standing(snapshots[dataset]);
    return Object.entries(viewsOf(judged, dataset)).flatMap(([view, rows]) => [
      ...missing(`${dataset}, ${view}`, expected, rows),
      ...invented(judged, dataset, rows),
    ]);
  });
}

/** After an undisturbed sync long after the last change: rows and sums equal the provider's, to the last digit. */
export function judgeExactly(judged: Judged): string[] {
  const { provider, truth, schedule } = judged;
  const now = provider.clock.now();
  const { usage, costs } = provider.totals();
  const sums = { usage: usage[schedule.granularity].days, costs: costs.days };
  return DATASETS.flatMap((dataset) => {
    const expected = truth.rows(dataset, now);
    return Object.entries(viewsOf(judged, dataset)).flatMap(([view, rows]) => [
      ...missing(`${dataset}, ${view}`, expected, rows),
      ...invented(judged, dataset, rows),
      ...(isExact(view, schedule) ? surplus(`${dataset}, ${view}`, expected, rows) : []),
      ...unequalSums(`${dataset}, ${view}`, dataset, rows, expected, inOrder(sums[dataset])),
    ]);
  });
}

/**
 * Whether a view is without rows that the provider no longer has. An upsert cannot delete rows that were withdrawn or issued
 * under another id. The views of standing rows can.
 */
function isExact(view: string, { mode }: Schedule): boolean {
  return mode === "full_refresh" || view !== "newest";
}

/** An undisturbed full refresh has each row once. */
export function judgeOnce({ warehouse }: Judged): string[] {
  return DATASETS.flatMap((dataset) => {
    const [all, distinct] = [warehouse[dataset].rows.length, warehouse.deduped(dataset).length];
    return all === distinct ? [] : [`${dataset}: ${all} rows of ${distinct} records`];
  });
}

function missing(where: string, expected: Rows, found: Rows): string[] {
  return [...expected].flatMap(([id, text]) => {
    const row = found.get(id);
    if (row === text) return [];
    return [row === undefined ? `${where}: lost ${text}` : `${where}: ${row} instead of ${text}`];
  });
}

function invented({ truth }: Judged, dataset: Dataset, found: Rows): string[] {
  return [...found.values()].flatMap((text) =>
    truth.isVersion(dataset, text) ? [] : [`${dataset}: never sent like this: ${text}`],
  );
}

function surplus(where: string, expected: Rows, found: Rows): string[] {
  return [...found].flatMap(([id, text]) =>
    expected.has(id) ? [] : [`${where}: gone at the provider: ${text}`],
  );
}

/** Sums of the rows that the provider still has: of all rows, if none was withdrawn. */
function unequalSums(
  where: string,
  dataset: Dataset,
  rows: Rows,
  expected: Rows,
  sums: readonly Group[],
): string[] {
  const present = [...rows].filter(([id]) => expected.has(id)).map(([, text]) => parseRow(text));
  const found = dataset === "usage" ? usageSums(present) : costSums(present);
  return isDeepStrictEqual(found, sums)
    ? []
    : [`${where}: sums ${JSON.stringify(found)} instead of ${JSON.stringify(sums)}`];
}

function parseRow(text: string): Row {
  // The text was made from a row.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(text) as Row;
}
