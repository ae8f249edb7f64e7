/** The models' verdicts on what scripted reads have written: the real reports and the SQL that we ship, without a provider. */
import { DAY } from "../../src/core/time.ts";
import type { Output } from "../../src/protocol.ts";
import type { Fields } from "../../src/records/fields.ts";
import { ExportWindows } from "../../src/streams/export_windows.ts";
import { Outlet } from "../../src/streams/flow.ts";
import {
  dataOf,
  type fourWindows,
  isReport,
  lastState,
  readScript,
  type Run,
} from "../../src/streams/scripted/testing.ts";
import { DAY_ONE, pageOf } from "../../src/streams/testing.ts";
import { identifier, literal } from "../columns.ts";
import { Database } from "../database.ts";
import { makeOnDemand } from "../models.ts";
import { makeTextTables } from "../raw_tables.ts";

/** A read of usage that marks its reports, and its rows and reports that the platform has kept. */
export interface Part {
  readonly run: Run;
  /** The provider's clock when the read was planned. */
  readonly now: number;
  /** The number of outputs that were kept; all by default. */
  readonly kept?: number;
  /** 30 by default. */
  readonly retentionDays?: number;
}

const OWNER = {
  base_url: "https://a.example",
  dataset: "usage",
  granularity: "1d",
  account: null,
} as const;

/** The rows of `export_windows` for the reports among the kept outputs. */
async function reportsOf({
  run,
  now,
  kept = run.outputs.length,
  retentionDays = 30,
}: Part): Promise<Fields[]> {
  const outlet = new Outlet<Output>();
  const clock = { now: () => now, sleep: () => Promise.resolve() };
  const ids = { reserve: (id: string): string => id };
  const windows = new ExportWindows({ outlet, clock, ids, stored: undefined });
  const work = (async () => {
    const context = { owner: OWNER, chain: "chain", bucket: DAY, retentionDays, now } as const;
    const count = run.outputs.slice(0, kept).filter(isReport).length;
    for (const said of run.said.slice(0, count)) await windows.report(said, context);
    outlet.close();
  })();
  const sent: Output[] = [];
  for await (const output of outlet) sent.push(structuredClone(output));
  await work;
  return dataOf({ outputs: sent });
}

async function insert(database: Database, table: string, rows: readonly Fields[]): Promise<void> {
  const known = await database.query(
    `SELECT column_name FROM duckdb_columns() WHERE table_name = ${literal(table)}`,
  );
  const names = known.map(([name]) => name ?? "");
  for (const row of rows) {
    const values = names.map((name) => {
      const value = row[name];
      if (value === null || value === undefined) return "NULL";
      return literal(typeof value === "string" ? value : JSON.stringify(value));
    });
    await database.run(
      `INSERT INTO ${table} (${names.map(identifier).join(", ")}) VALUES (${values.join(", ")})`,
    );
  }
}

/**
 * Asks the models about usage that some reads of one connection have written, one after the other.
 *
 * @returns for each day its status, and the ids of the records that count: `01-01 proven: a b`
 */
export async function verdictsOn(parts: readonly Part[]): Promise<string[]> {
  const database = await Database.inMemory();
  try {
    await makeTextTables(database);
    for (const part of parts) {
      const { run, kept } = part;
      await insert(database, "usage", dataOf({ outputs: run.outputs.slice(0, kept) }));
      await insert(database, "export_windows", await reportsOf(part));
    }
    await makeOnDemand(database);
    const days = await database.query(
      `SELECT strftime(day, '%m-%d'), status, coalesce(ids, '') FROM completeness
       LEFT JOIN (SELECT day, string_agg(record_id, ' ' ORDER BY record_id) AS ids FROM current_usage GROUP BY day) USING (day)
       WHERE dataset = 'usage' ORDER BY 1`,
    );
    return days.map(([day, status, ids]) => `${day} ${status}: ${ids}`.trimEnd());
  } finally {
    database.close();
  }
}

/** Reads from a script behind earlier reads. Each request takes a second. */
export async function sync(
  script: Parameters<typeof readScript>[0],
  input: typeof fourWindows,
  before: readonly Part[] = [],
  more: Parameters<typeof readScript>[1] = {},
): Promise<Part & { readonly all: readonly Part[] }> {
  let requests = 0;
  const last = before.at(-1);
  const run = await readScript(script, {
    input,
    stored: last === undefined ? null : lastState(keptOf(last)),
    marksReports: true,
    providerNow: () => input.now + 1000 * requests++,
    ...more,
  });
  const part = { run, now: input.now };
  return { ...part, all: [...before, part] };
}

/** The run with the states that were kept. */
export const keptOf = ({ run, kept = run.outputs.length }: Part): Run => ({
  ...run,
  states: run.outputs.slice(0, kept).filter((output) => output.type === "STATE"),
});

/** A record, and the days of its posting, by their numbers from 0. */
export type Posted = readonly [on: readonly number[], record: Fields];

const shownIn = (
  all: readonly Posted[],
  { start, end }: { start: number; end: number },
): Fields[] =>
  all
    .filter(([on]) => on.some((day) => start <= DAY_ONE + day * DAY && DAY_ONE + day * DAY < end))
    .map(([, record]) => record);

/** A provider that selects by the days of posting. */
export const posting =
  (...all: readonly Posted[]) =>
  (window: { start: number; end: number }) => [
    pageOf(shownIn(all, window), null, { availableThrough: DAY_ONE + 40 * DAY }),
  ];
