/**
 * The tables of lives in a real database, and the models that ship (sql/duckdb.sql) made of them. Each form of each life is an account
 * of its own, so that all of them cost one run of the models.
 */
import type { Database } from "../../warehouse/database.ts";
import { Loader } from "../../warehouse/loader.ts";
import { makeModels } from "../../warehouse/models.ts";
import { openEmpty } from "../../warehouse/testing_refresh.ts";
import { iso } from "../../simulation/calendar.ts";
import type { Connection } from "../../simulation/connection.ts";
import type { ReportRow } from "../../simulation/platform.ts";
import type { StreamName, Version } from "../../simulation/records.ts";

/** A table that only grows, or one in which a destination has merged rows by key. */
type Form = "append" | "dedup";
export const FORMS: readonly Form[] = ["append", "dedup"];

/** All rows and reports that a platform has at a moment. */
export interface Snapshot {
  readonly seed: number;
  readonly connection: Connection;
  readonly rows: Readonly<Record<Form, readonly LoadedRow[]>>;
  readonly reports: readonly ReportRow[];
  readonly at: number;
}

interface LoadedRow {
  readonly version: Version;
  readonly readingId: string;
}

export function snapshotOf(seed: number, connection: Connection): Snapshot {
  const { appended, deduplicated, reports } = connection.warehouse;
  const dedup = [...deduplicated.usage.values(), ...deduplicated.costs.values()];
  const { now } = connection.scheduler;
  return { seed, connection, rows: { append: appended, dedup }, reports: [...reports], at: now };
}

/** A day as the models show it. */
export interface JudgedDay {
  readonly snapshot: Snapshot;
  readonly form: Form;
  readonly stream: StreamName;
  readonly day: string;
  readonly status: string;
  /** Why the day is not proven; empty if it is. */
  readonly why: string;
  /** The id of the deciding reading, as the connector drew it. */
  readonly readingId: string;
  readonly rows: readonly JudgedRow[];
}

/** A row that counts. */
interface JudgedRow {
  readonly version: Version;
  readonly isStray: boolean;
  /** In units of 10^-6, as in the version. */
  readonly amount: number;
}

/** The column of each stream that has the amount of a version. */
const AMOUNTS = [
  ["usage", "consumed_quantity"],
  ["costs", "billed_cost"],
] as const;

/** R4: the digits of a reading id before those of its chain. */
const TIME_DIGITS = 9;

/** Gives chains other names, because the accounts of one life must not share a chain (R9). */
class Names {
  readonly #given = new Map<string, string>();
  readonly #original = new Map<string, string>();

  of(chain: string, account: string): string {
    const key = `${account} ${chain}`;
    const known = this.#given.get(key);
    if (known !== undefined) return known;
    const name = this.#given.size.toString(36).padStart(5, "0");
    this.#given.set(key, name);
    this.#original.set(name, chain);
    return name;
  }

  ofReading(id: string, account: string): string {
    return id.slice(0, TIME_DIGITS) + this.of(id.slice(TIME_DIGITS), account);
  }

  original(id: string): string {
    return id.slice(0, TIME_DIGITS) + (this.#original.get(id.slice(TIME_DIGITS)) ?? "");
  }
}

/** Gives all days of all snapshots, as the models show them. */
export async function judgedDays(snapshots: readonly Snapshot[]): Promise<readonly JudgedDay[]> {
  const { database, remove } = await openEmpty();
  try {
    const names = new Names();
    await load(database, linesOf(snapshots, names));
    await makeModels(database, ["completeness", "current_costs", "current_usage"]);
    const rows = await rowsByDay(database, snapshots, names);
    const days = await database.query(
      `SELECT account, dataset, day, status, coalesce(reading_id, ''), coalesce(why, '') FROM completeness`,
    );
    return days.flatMap(
      ([account = "", dataset, day = "", status = "", readingId = "", why = ""]) => {
        const [index, form] = account.split(":");
        const snapshot = snapshots[Number(index)];
        if (snapshot === undefined) return [];
        const stream = dataset === "usage" ? "usage" : "costs";
        return {
          snapshot,
          form: form === "append" ? "append" : "dedup",
          stream,
          day,
          status,
          why,
          readingId: names.original(readingId),
          rows: rows.get(`${account} ${stream} ${day}`) ?? [],
        };
      },
    );
  } finally {
    await remove();
  }
}

async function load(
  database: Database,
  lines: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const loader = new Loader(database, { base_url: "https://a.example", account: "x" }, () => 0);
  for (const [name, own] of Object.entries(lines)) {
    await loader.stage(name, Buffer.from(`${own.join("\n")}\n`), own.length);
    const stream = { stream_descriptor: { name }, stream_state: {} };
    const sourceStats = { recordCount: own.length };
    await loader.take({ type: "STATE", state: { type: "STREAM", stream, sourceStats } });
  }
  await loader.commit();
}

/** The rows that count, by account, stream and day. */
async function rowsByDay(
  database: Database,
  snapshots: readonly Snapshot[],
  names: Names,
): Promise<ReadonlyMap<string, readonly JudgedRow[]>> {
  const rows = new Map<string, JudgedRow[]>();
  const versions = versionsOf(snapshots);
  for (const [stream, amount] of AMOUNTS) {
    const found = await database.query(`
      SELECT counted.account, counted.day, record_id, counted.reading_id, epoch_ms(counted.record_updated_at),
        CAST(1000000 * counted.${amount} AS BIGINT), is_stray
      FROM current_${stream} AS counted
      JOIN (SELECT scope, record_id, is_stray FROM ai_billing__judged_${stream} WHERE judge_reading_id IS NULL)
      USING (scope, record_id)`);
    for (const [account = "", day = "", id, readingId = "", updatedAt, sum, isStray] of found) {
      const name = `${account} ${id} ${names.original(readingId)} ${iso(Number(updatedAt))}`;
      const version = versions.get(name);
      if (version === undefined) throw new Error(`${stream} has a row that never came: ${name}`);
      const key = `${account} ${stream} ${day}`;
      const row = { version, isStray: isStray === "true", amount: Number(sum) };
      rows.set(key, [...(rows.get(key) ?? []), row]);
    }
  }
  return rows;
}

/** The RECORD lines of each stream. */
function linesOf(
  snapshots: readonly Snapshot[],
  names: Names,
): Readonly<Record<string, readonly string[]>> {
  const lines: Record<StreamName | "export_windows", string[]> = {
    usage: [],
    costs: [],
    export_windows: [],
  };
  for (const [index, { rows, reports, at }] of snapshots.entries()) {
    const known = new Set(reports.map(({ dataset, chain }) => `${dataset} ${chain}`));
    for (const form of FORMS) {
      const account = `${index}:${form}`;
      for (const { version, readingId } of rows[form]) {
        const { stream } = version.record;
        // Without a report of its chain nothing tells to which of several accounts a row belongs.
        if (!known.has(`${stream} ${readingId.slice(TIME_DIGITS)}`)) continue;
        const data = `${version.text.slice(0, -1)},"x_ReadingId":"${names.ofReading(readingId, account)}"}`;
        lines[stream].push(lineOf(stream, data, at));
      }
      for (const report of reports) {
        const data = {
          ...report,
          account,
          id: `${report.id} ${account}`,
          chain: names.of(report.chain, account),
          reading_id: names.ofReading(report.reading_id, account),
          rows_reading_id: names.ofReading(report.rows_reading_id, account),
        };
        lines.export_windows.push(lineOf("export_windows", JSON.stringify(data), at));
      }
    }
  }
  return lines;
}

const lineOf = (stream: string, data: string, at: number): string =>
  `{"type":"RECORD","record":{"stream":"${stream}","data":${data},"emitted_at":${at}}}`;

/** The versions by account, id, reading and x_RecordUpdatedAt. */
function versionsOf(snapshots: readonly Snapshot[]): ReadonlyMap<string, Version> {
  const found = new Map<string, Version>();
  for (const [index, { rows }] of snapshots.entries()) {
    for (const form of FORMS) {
      for (const { version, readingId } of rows[form]) {
        // A version that shows an earlier one again has the earlier one's text.
        const updatedAt = /"x_RecordUpdatedAt":"([^"]+)"/.exec(version.text)?.[1] ?? "";
        const name = `${index}:${form} ${version.record.id} ${readingId}`;
        found.set(`${name} ${iso(Date.parse(updatedAt))}`, version);
      }
    }
  }
  return found;
}
