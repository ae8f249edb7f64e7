/**
 * R4 to R9: if the newest report proves a day, each table has the rows that the provider showed when the day was read. This is judged
 * for a table that keeps all rows, and for one that keeps the newest row of each key.
 */
import { DAY } from "../../reference_provider/instants.ts";
import type { StreamState } from "../support/protocol.ts";
import { type Dataset, newestReports, type Row, type TableKind } from "../support/warehouse.ts";
import { DATASETS, recordOf } from "./platform.ts";
import type { Rows } from "./truth.ts";
import type { Judged } from "./verdict.ts";

/** The reports and rows of one dataset. */
interface Shown {
  readonly dataset: Dataset;
  readonly table: TableKind;
  readonly rows: readonly Row[];
}

/**
 * The broken proofs after a sync.
 *
 * @param states the platform's states; only readings of their chains count (R9)
 * @param calm whether the sync met no fault and nothing has changed since: then every day that it read must be proven
 */
export function judgeProofs(
  judged: Judged,
  states: readonly StreamState[],
  { calm }: { readonly calm: boolean },
): string[] {
  return DATASETS.flatMap((dataset) => {
    const chain = chainOf(dataset, states);
    const others = otherChains(judged, dataset, chain);
    if (others.size > 0) return [`R4: ${dataset}: chains that no STATE has: ${[...others].join()}`];
    const reports = reportsOf(judged, dataset, chain);
    return TABLES.flatMap((table) => {
      const rows =
        table === "append" ? judged.warehouse[dataset].rows : judged.warehouse.deduped(dataset);
      return reports.flatMap((report) =>
        judgeDay(judged, { dataset, table, rows }, { report, calm }),
      );
    });
  });
}

const TABLES: readonly TableKind[] = ["append", "dedup"];

function chainOf(dataset: Dataset, states: readonly StreamState[]): unknown {
  const state = states.find(({ stream }) => stream.stream_descriptor.name === dataset);
  return state?.stream.stream_state["chain"];
}

/** The chains of rows and reports that are not the one of the state. To the models each would be another account (R9). */
function otherChains({ warehouse }: Judged, dataset: Dataset, chain: unknown): Set<unknown> {
  const reports = warehouse.windows.filter((report) => report["dataset"] === dataset);
  const rows = warehouse[dataset].rows.map((row) => String(row["x_ReadingId"]).slice(-5));
  const chains = new Set([...rows, ...reports.map((report) => report["chain"])]);
  chains.delete(chain);
  return chains;
}

/** The newest reports of the days in a chain. */
function reportsOf({ warehouse }: Judged, dataset: Dataset, chain: unknown): readonly Row[] {
  const own = warehouse.windows.filter(
    (report) => report["dataset"] === dataset && report["chain"] === chain,
  );
  return [...newestReports(own).values()];
}

interface Claim {
  readonly report: Row;
  readonly calm: boolean;
}

function judgeDay(judged: Judged, shown: Shown, { report, calm }: Claim): string[] {
  if (!coversDay(report)) return [];
  const day = String(report["day"]);
  const own = shown.rows.filter(
    (row) =>
      row["x_ReadingId"] === report["rows_reading_id"] &&
      String(row["ChargePeriodStart"]).startsWith(day),
  );
  const found: Rows = new Map(own.map((row) => [String(row["x_RecordId"]), recordOf(row)]));
  const where = `${shown.dataset} ${day}, ${shown.table}, reading ${String(report["reading_id"])}`;
  if (!isProven(report)) return calm && mustBeProven(report) ? [`P6: ${where}: unproven`] : [];
  // The models call a day with too few rows incomplete, so that it misleads nobody. After a calm sync none may miss rows.
  if (found.size !== report["rows"]) {
    const counts = `${String(report["rows"])} rows reported, ${found.size} found`;
    return calm ? [`R5: ${where}: ${counts}`] : [];
  }
  return wrongRows(judged, shown.dataset, report, found).map((fault) => `R4: ${where}: ${fault}`);
}

/** Every row that stood still while the reading went on must be there, and no row that the provider did not show then. */
function wrongRows({ truth }: Judged, dataset: Dataset, report: Row, found: Rows): string[] {
  const [first = new Map<string, string>(), last = new Map<string, string>()] = [
    report["first_as_of"],
    report["last_as_of"],
  ].map((asOf) => truth.rows(dataset, Date.parse(String(asOf))));
  const isOfDay = (text: string): boolean =>
    text.includes(`"ChargePeriodStart":"${String(report["day"])}T`);
  const lost = [...first].filter(
    ([id, text]) => isOfDay(text) && last.get(id) === text && found.get(id) !== text,
  );
  const isUnmoved = report["first_as_of"] === report["last_as_of"];
  const strange = [...found].filter(([id, text]) =>
    isUnmoved ? first.get(id) !== text : !truth.isVersion(dataset, text),
  );
  return [
    ...lost.map(([, text]) => `lost ${text}`),
    ...strange.map(([, text]) => `not shown by the provider: ${text}`),
  ];
}

function coversDay(report: Row): boolean {
  const start = Date.parse(String(report["day"]));
  const [from, through] = [report["covered_from"], report["covered_through"]].map((instant) =>
    Date.parse(String(instant)),
  );
  return from === start && through === start + DAY;
}

function isProven(report: Row): boolean {
  return report["confirmed"] === true && report["shrunk"] === false && report["totals"] !== null;
}

/** A day that a reading wrote just now may have to wait for a second reading that agrees with it (P6). */
function mustBeProven(report: Row): boolean {
  return report["reading_id"] !== report["rows_reading_id"];
}
