/**
 * Judges the tables of a destination with the models of sql/duckdb.sql, as a user sees them. The models cannot know which rows
 * and sums are right, so those come from the provider.
 */
import { literal } from "../../warehouse/columns.ts";
import type { Database } from "../../warehouse/database.ts";
import { dropInternal, makeModels } from "../../warehouse/models.ts";
import { type Dataset, DATASETS, DEDUPED } from "./tables.ts";
import type { Rows, Truth, Version } from "./truth.ts";

/** The models that the judge asks, and those that the tests of upgrades ask after it. */
const MODELS = [
  "completeness",
  "current_costs",
  "current_usage",
  "invalid_rows",
  "reconciliation",
  "removed_rows",
];

/** @param models the models to make; fewer take less time */
export async function makeJudges(
  database: Database,
  models: readonly string[] = MODELS,
): Promise<void> {
  await database.transaction(async () => {
    await dropInternal(database, await makeModels(database, models));
  });
}

/** A query for each dataset, in one. */
const both = (query: (dataset: Dataset) => string): string =>
  DATASETS.map((dataset) => query(dataset)).join(" UNION ALL ");

/** Queries that find faults, one in each row. */
type Faults = Readonly<Record<string, string>>;

const OF_TABLES: Faults = {
  "the tables hold two accounts":
    "SELECT dataset, day FROM completeness WHERE why LIKE '%set account%'",
  "a value cannot be used": "SELECT dataset, record_id, column_name, value FROM invalid_rows",
  "a proven day does not add up":
    "SELECT dataset, coalesce(account, ''), day, measure, difference FROM reconciliation WHERE is_proven AND difference <> 0",
};

/** These queries read the raw tables: the models would take a chain that no report names for another account. */
const OF_CHAINS: Faults = {
  "R9: rows of a chain that no report has": `
    (${both((dataset) => `SELECT '${dataset}', substr(x_ReadingId, 10) FROM ${dataset}`)})
    EXCEPT SELECT dataset, chain FROM export_windows`,
  "R9: several chains of one account": `
    SELECT dataset, base_url, account, list(DISTINCT chain) FROM export_windows
    GROUP BY dataset, base_url, account HAVING count(DISTINCT chain) > 1`,
};

async function find(database: Database, faults: Faults): Promise<string[]> {
  const found: string[] = [];
  for (const [rule, query] of Object.entries(faults)) {
    for (const row of await database.query(query)) found.push(`${rule}: ${row.join(" ")}`);
  }
  return found;
}

/** The faults that the tables show by themselves. Rows of a full refresh have no reports. */
export const judgeTables = (database: Database): Promise<string[]> => find(database, OF_TABLES);

/** R9: each account has one chain, however often a process died. Rows of version 0.1.0 have none. */
export const judgeChains = (database: Database): Promise<string[]> => find(database, OF_CHAINS);

/** Rows that stand twice in tables to which each row is written once: of equal id, reading and instant of change. */
export async function judgeDoubles(database: Database): Promise<string[]> {
  const rows = await database.query(`
    ${both(
      (dataset) => `SELECT '${dataset}', x_RecordId FROM ${dataset}
                    GROUP BY x_RecordId, x_ReadingId, x_RecordUpdatedAt HAVING count(*) > 1`,
    )}
    UNION ALL SELECT 'export_windows', id FROM export_windows
    WHERE id IS NOT NULL GROUP BY id, ended_at HAVING count(*) > 1`);
  return rows.map((row) => `there twice: ${row.join(" ")}`);
}

/** The sum of a column, without trailing zeros. */
export const sumOf = (amount: string): string =>
  `regexp_replace(sum(${amount})::VARCHAR, '[.]?0+$', '')`;

/** Sums by day, in the order of the members of `GET /control/totals`. */
const SUMS: Readonly<Record<Dataset, string>> = {
  usage: `day, usage_type, consumed_unit, count(*), ${sumOf("consumed_quantity")}`,
  costs: `day, billing_currency, cost_status, count(*), ${sumOf("billed_cost")}, ${sumOf("effective_cost")}`,
};

/**
 * Compares the sums of the current rows of an account with the provider's sums. A sum is a text: its group, then its amounts.
 *
 * @param wanted the provider's sums; a dataset is absent if neither side has a row of it
 * @param sums the columns of the texts
 * @param isTold whether the provider tells such a sum
 */
export async function judgeSums(
  database: Database,
  account: string,
  wanted: Readonly<Partial<Record<Dataset, readonly string[]>>>,
  sums: Readonly<Record<Dataset, string>> = SUMS,
  isTold: (text: string) => boolean = () => true,
): Promise<string[]> {
  const faults: string[] = [];
  for (const dataset of DATASETS) {
    if (wanted[dataset] === undefined) continue;
    const rows = await database.query(
      `SELECT ${sums[dataset]} FROM current_${dataset} WHERE coalesce(account, '') = ${literal(account)} GROUP BY ALL`,
    );
    const found = new Set(rows.map((row) => row.join(" ")).filter(isTold));
    const right = new Set(wanted[dataset]);
    for (const sum of found.symmetricDifference(right)) {
      faults.push(`${dataset}, ${account}: ${right.has(sum) ? "missing" : "wrong"} sum ${sum}`);
    }
  }
  return faults;
}

/** A row that the models show. */
interface Shown extends Version {
  readonly dataset: Dataset;
  /** The account label, or `newest` for the row of the newest reading of each record, without the models. */
  readonly account: string;
  readonly id: string;
  readonly isProven: boolean;
}

async function shownRows(database: Database): Promise<Shown[]> {
  const rows = await database.query(
    both(
      (dataset) => `
        SELECT '${dataset}', coalesce(account, ''), record_id, day, epoch_ms(record_updated_at), day_status = 'proven'
        FROM current_${dataset}
        UNION ALL
        SELECT '${dataset}', 'newest', x_RecordId, substr(ChargePeriodStart::VARCHAR, 1, 10),
               epoch_ms(x_RecordUpdatedAt::TIMESTAMP), false
        FROM ${dataset} WHERE substr(x_ReadingId, 10) = '${DEDUPED}'`,
    ),
  );
  return rows.map(([dataset, account = "", id = "", day = "", updatedAt, isProven]) => ({
    dataset: dataset === "usage" ? "usage" : "costs",
    account,
    id,
    day,
    updatedAt: Number(updatedAt),
    isProven: isProven === "true",
  }));
}

/** The rows of an account at the provider: those that the models must show, and all that they may show. */
export interface Expected {
  readonly account: string;
  readonly least: Readonly<Record<Dataset, Rows>>;
  /** Absent if rows that have changed lately may have any of their versions. */
  readonly most?: Readonly<Record<Dataset, Rows>>;
}

/** Compares the rows that the models show with the provider's, version by version. */
export async function judgeRows(
  database: Database,
  expected: readonly Expected[],
): Promise<string[]> {
  const rows = await shownRows(database);
  return expected.flatMap(({ account, least, most }) =>
    DATASETS.flatMap((dataset) => {
      const own = rows.filter((row) => row.account === account && row.dataset === dataset);
      const found = new Map(own.map((row) => [row.id, row]));
      const lost = [...least[dataset]].filter(([id, row]) => !isSame(found.get(id), row));
      const strange = own.filter(
        ({ id, ...row }) => most !== undefined && !isSame(most[dataset].get(id), row),
      );
      const where = `${dataset}, ${account}`;
      return [
        ...(found.size === own.length
          ? []
          : [`${where}: ${own.length} rows of ${found.size} records`]),
        ...lost.map(
          ([id, row]) => `${where}: lost ${id} ${shown(row)}, there is ${shown(found.get(id))}`,
        ),
        ...strange.map((row) => `${where}: not shown by the provider: ${row.id} ${shown(row)}`),
      ];
    }),
  );
}

/** An account as its provider has it now. */
export interface Side {
  readonly truth: Truth;
  readonly sums: Readonly<Record<Dataset, readonly string[]>>;
}

/** Long after the last change: rows and sums of each account are exactly the provider's. */
export async function judgeExactly(
  database: Database,
  accounts: Readonly<Record<string, Side>>,
  now: number,
): Promise<string[]> {
  const expected = Object.entries(accounts).map(([account, { truth }]) => {
    const all = { usage: truth.rows("usage", now), costs: truth.rows("costs", now) };
    return { account, least: all, most: all };
  });
  const faults = await judgeRows(database, expected);
  for (const [account, { sums }] of Object.entries(accounts)) {
    faults.push(...(await judgeSums(database, account, sums)));
  }
  return faults;
}

const isSame = (one: Version | undefined, other: Version | undefined): boolean =>
  one?.updatedAt === other?.updatedAt && one?.day === other?.day;

const shown = (row: Version | undefined): string =>
  row === undefined
    ? "nothing"
    : `of ${row.day}, changed at ${new Date(row.updatedAt).toISOString()}`;

/**
 * R4 to R9: each day that is proven has the rows that the provider showed when the deciding reading read the day.
 *
 * @param isShuffled whether listings have come in random orders: then two readings of a listing that moved may have skipped the same
 *   record, and P6 believes them. A resumed reading may have begun in such an order, and goes on in the usual one under the same `as_of`.
 */
export async function judgeProofs(
  database: Database,
  accounts: Readonly<Record<string, Pick<Side, "truth">>>,
  isShuffled = false,
): Promise<string[]> {
  const rows = (await shownRows(database)).filter(({ isProven }) => isProven);
  const days = await database.query(`
    SELECT completeness.dataset, coalesce(completeness.account, ''), completeness.day, reading_id,
           min(epoch_ms(first_as_of::TIMESTAMP)), max(epoch_ms(last_as_of::TIMESTAMP))
    FROM completeness JOIN export_windows AS report USING (reading_id)
    WHERE status = 'proven' AND report.day::DATE = completeness.day AND inside_window::BOOLEAN
      AND NOT (${isShuffled} AND (moved::BOOLEAN OR resumed::BOOLEAN))
    GROUP BY ALL`);
  return days.flatMap(([name, account = "", day = "", reading, first, last]) => {
    const dataset = name === "usage" ? "usage" : "costs";
    const truth = accounts[account]?.truth;
    if (truth === undefined) return [`${dataset}: a strange account ${account}`];
    const own = rows.filter(
      (row) => row.dataset === dataset && row.account === account && row.day === day,
    );
    const found = new Map(own.map((row) => [row.id, row]));
    const [before, after] = [first, last].map((at) => truth.rows(dataset, Number(at)));
    // A row that changed while the reading went on may have either version, and one that came or went may be absent.
    const lost = [...(before ?? [])].filter(
      ([id, row]) => row.day === day && isSame(after?.get(id), row) && !isSame(found.get(id), row),
    );
    const strange = own.filter((row) => first === last && !isSame(before?.get(row.id), row));
    const where = `R4: ${dataset} ${day}, ${account}, reading ${reading}`;
    return [
      ...lost.map(([id, row]) => `${where}: lost ${id} ${shown(row)}`),
      ...strange.map((row) => `${where}: not shown by the provider: ${row.id} ${shown(row)}`),
    ];
  });
}

/** Reasons for which the models leave a day unproven on purpose after a complete reading. The next sync proves such a day. */
const CAREFUL = [
  "a row that was found missing on another day%",
  "rows longer than a day or from outside a window%",
];

/**
 * After a sync that met no fault: each day that it read is proven, except for one that it wrote just now and that waits for a second
 * reading (P6), and for one that awaits a stray that a second reading has missed (P5): its rows stand as an earlier report says.
 */
export async function judgeCalm(database: Database): Promise<string[]> {
  const rows = await database.query(`
    SELECT dataset, coalesce(account, ''), day, why FROM completeness
    WHERE status <> 'proven' AND NOT (${CAREFUL.map((why) => `why LIKE ${literal(why)}`).join(" OR ")})
      AND covered_from = day AND covered_through = day + INTERVAL 1 DAY
      AND NOT (
        reading_id = rows_reading_id
        AND EXISTS (FROM export_windows AS report
                    WHERE report.reading_id = completeness.reading_id AND report.day::DATE = completeness.day
                      AND inside_window::BOOLEAN AND NOT confirmed::BOOLEAN))
      AND NOT (
        reading_id <> rows_reading_id
        AND why LIKE 'the reading was interrupted%'
        AND EXISTS (FROM export_windows AS report
                    WHERE report.dataset = completeness.dataset AND report.day::DATE = completeness.day
                      AND report.account IS NOT DISTINCT FROM completeness.account
                      AND NOT inside_window::BOOLEAN))`);
  return rows.map((row) => `P6: unproven: ${row.join(" ")}`);
}
