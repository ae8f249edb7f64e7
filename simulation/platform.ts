/** The reader of stdout: a platform that keeps states, and a warehouse that keeps rows. */
import { date, DAY, dayOf } from "./calendar.ts";
import type { Span } from "./outages.ts";
import type { Exchange } from "./provider.ts";
import type { Life, StreamName, Version } from "./records.ts";

/** One line that arrived. */
export type Item =
  | {
      readonly kind: "record";
      readonly stream: string;
      readonly text: string;
      readonly readingId: string;
    }
  | { readonly kind: "report"; readonly row: ReportRow }
  | {
      readonly kind: "state";
      readonly stream: string;
      readonly json: string;
      readonly value: StateValue;
      readonly recordCount: number;
    }
  | { readonly kind: "status"; readonly stream: string; readonly status: string }
  | {
      readonly kind: "error";
      readonly stream: string | undefined;
      readonly message: string;
      readonly failureType: string;
    }
  | { readonly kind: "log"; readonly level: string; readonly message: string }
  | { readonly kind: "other" };

/** The checked members of a row of export_windows (R5). */
export interface ReportRow {
  readonly id: string;
  readonly reading_id: string;
  readonly chain: string;
  readonly rows_reading_id: string;
  readonly rows: number;
  readonly window_start: string;
  readonly window_end: string;
  readonly whole_window: boolean;
  readonly resumed: boolean;
  readonly began_at: string;
  readonly pass_began_at: string;
  readonly earlier_ended: boolean;
  readonly moved: boolean;
  readonly confirmed: boolean;
  readonly shrunk: boolean;
  readonly first_as_of: string;
  readonly last_as_of: string;
  readonly dataset: string;
  /** The control totals of each group of the day's rows; null if an earlier reading wrote them. */
  readonly totals: readonly { readonly quantity?: string; readonly billed?: string }[] | null;
  readonly day: string;
  readonly inside_window: boolean;
  readonly covered_from: string | null;
  readonly covered_through: string | null;
  readonly records: number;
}

/** A window in a state's pass; instants as RFC 3339 text. */
export interface OpenWindow {
  /** The id of an open window's reading. */
  readonly id?: string;
  readonly start: string;
  readonly end: string;
  /** The days that an open window has shown so far. */
  readonly digests?: readonly (readonly [day: string, records: number, digest: string])[];
}

/** The members of a state that the checks use; for the platform a state is opaque JSON. */
export interface StateValue {
  readonly chain?: string;
  readonly mode: "incremental" | "full_refresh";
  readonly start: string;
  readonly end?: string;
  readonly position?: string;
  readonly done?: boolean;
  readonly reconciled_on?: string | null;
  readonly provisional?: readonly [string, number, Readonly<Record<string, string>>][];
  /** R6: the days that were read completely, as ranges. */
  readonly known?: readonly (readonly [start: string, end: string])[];
  /** R6: the days that have rows, by the reading whose rows stand, each with the number of its rows and their digest. */
  readonly days?: readonly (readonly [
    readingId: string,
    days: readonly (readonly [day: string, records: number, digest: string])[],
  ])[];
  /** Days that no second reading has confirmed yet. */
  readonly unconfirmed?: readonly string[];
  /** R10: ranges of days, and entries whose first item is the day. */
  readonly due?: readonly (readonly [start: string, end: string])[];
  readonly forgotten?: readonly (readonly [day: string, ...rest: unknown[]])[];
  /** R8: the days that a loss has not confirmed yet, each with the number that the first reading showed, its digest and its end. */
  readonly shrunk?: readonly (readonly [
    day: string,
    records: number,
    digest: string,
    endedAt: string,
  ])[];
  /** R10: ranges of days that no report tells of. */
  readonly unreported?: readonly (readonly [start: string, end: string])[];
  /** R10: the streams that `export_windows` has told of. */
  /** R10: of a stream the first report that was counted, and the number since; of `export_windows` both for each stream. */
  readonly reported?: readonly unknown[] | null;
  readonly streams?: readonly string[];
  /** P5: the days that await strays, each range with the window that has shown the strays. */
  readonly fewer?: readonly (readonly [string, string])[];
  readonly awaited?: readonly (readonly [
    from: string,
    until: string,
    start: string,
    end: string,
  ])[];
  readonly longest_retention?: number;
  /** The strays whose rows stand: hash, day of the start, the reading that wrote the row (null if the day owns the stray), window, id. */
  readonly strays?: readonly (readonly (string | null)[])[];
  readonly pass?: {
    readonly day: string;
    readonly reads: readonly OpenWindow[];
    readonly open: readonly OpenWindow[];
  };
}

/**
 * The state of a stream before a sync, or as the next sync will find it. R10: no report tells of the days if the stream of reports has not
 * told of this stream, or lacks reports that came before the state.
 */
export function beganWith(
  stored: ReadonlyMap<string, { readonly value: StateValue }>,
  stream: StreamName,
  reports: boolean,
): StateValue | undefined {
  const value = stored.get(stream)?.value;
  const { streams, reported } = stored.get("export_windows")?.value ?? {};
  const told = (reported ?? []).find((one) => Array.isArray(one) && one[0] === stream);
  const isTold = streams?.includes(stream) === true && !lacks(told, value?.reported);
  return value && reports && !isTold ? { ...value, unreported: value.known ?? [] } : value;
}

/** R10: whether the platform has lost reports behind which it has kept this state. Then the next sync reads all days again. */
export const lacksReports = (
  stored: Parameters<typeof beganWith>[0],
  stream: StreamName,
  reports: boolean,
): boolean => beganWith(stored, stream, reports) !== stored.get(stream)?.value;

/** Whether a count of reports, `[stream, since, number]`, is behind that of a stream, `[since, number]`. */
function lacks(told: unknown, relied: StateValue["reported"]): boolean {
  if (relied === null || relied === undefined) return false;
  const [, since, number] = Array.isArray(told) ? told : [];
  return since !== relied[0] || Number(number) < Number(relied[1]);
}

interface Line {
  readonly type: string;
  readonly record?: { stream: string; data: ReportRow };
  readonly state?: {
    stream: { stream_descriptor: { name: string }; stream_state: StateValue };
    sourceStats: { recordCount: number };
  };
  readonly trace?: {
    type: string;
    stream_status?: { stream_descriptor: { name: string }; status: string };
    error?: {
      message: string;
      internal_message: string;
      failure_type: string;
      stream_descriptor?: { name: string };
    };
  };
  readonly log?: { level: string; message: string };
}

/** Splits the received text into lines; an unfinished line does not count. */
export class Pipe {
  readonly items: Item[] = [];
  #rest = "";

  receive(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.items.push(itemOf(line));
  }
}

const BEGIN = '{"type":"RECORD","record":{"stream":"';
const DATA = '","data":';
const READING = ',"x_ReadingId":"';
const COLUMNS = ',"x_ProviderColumns":{';

/** A record's text in its line. It must equal the provider's text, byte for byte (V3). */
function recordOf(line: string): Item | null {
  if (!line.startsWith(BEGIN)) return null;
  const reading = line.lastIndexOf(READING);
  if (reading === -1) return null;
  const data = line.indexOf(DATA);
  const end = /^(\w+)"\},"emitted_at":\d+\}\}$/.exec(line.slice(reading + READING.length));
  if (end === null) throw new Error(`a RECORD line of another shape: ${line}`);
  const columns = line.lastIndexOf(COLUMNS, reading);
  const text = `${line.slice(data + DATA.length, columns === -1 ? reading : columns)}}`;
  if (columns !== -1) checkColumns(text, line.slice(columns + COLUMNS.length - 1, reading));
  return { kind: "record", stream: line.slice(BEGIN.length, data), text, readingId: end[1] ?? "" };
}

/** R3: the members that the interface does not name, repeated as they came. In the simulation they stand at the end of a record. */
function checkColumns(text: string, columns: string): void {
  const own = columns.slice(1, -1);
  if (own === "" || !text.endsWith(`,${own}}`))
    throw new Error(`R3: x_ProviderColumns ${columns} of ${text}`);
}

const STATE = ',"stream_state":';
const AFTER_STATE = '},"sourceStats":';

/**
 * The text of the state in a STATE line, as the line has it: to write a large state once more takes as long as to read it. Null if the
 * line has another shape than the usual one.
 */
function stateTextOf(line: string): string | null {
  const start = line.indexOf(STATE) + STATE.length;
  const end = line.lastIndexOf(AFTER_STATE);
  return start < STATE.length || end < start ? null : line.slice(start, end);
}

function itemOf(line: string): Item {
  const record = recordOf(line);
  if (record !== null) return record;
  const message: Line = JSON.parse(line);
  if (message.record?.stream === "export_windows")
    return { kind: "report", row: message.record.data };
  if (message.type === "RECORD") throw new Error(`a RECORD line of another shape: ${line}`);
  if (message.state !== undefined) {
    const { stream, sourceStats } = message.state;
    const { pass, ...rest } = stream.stream_state;
    const value: StateValue = pass == null ? rest : { ...rest, pass };
    return {
      kind: "state",
      stream: stream.stream_descriptor.name,
      json: stateTextOf(line) ?? JSON.stringify(stream.stream_state),
      value,
      recordCount: sourceStats.recordCount,
    };
  }
  const status = message.trace?.stream_status;
  if (status !== undefined)
    return { kind: "status", stream: status.stream_descriptor.name, status: status.status };
  const error = message.trace?.error;
  if (error !== undefined) {
    const stream = error.stream_descriptor?.name;
    return {
      kind: "error",
      stream,
      message: `${error.internal_message} | ${error.message}`,
      failureType: error.failure_type,
    };
  }
  return message.log === undefined ? { kind: "other" } : { kind: "log", ...message.log };
}

/** A deduplicated row. */
export interface Row {
  readonly version: Version;
  readonly readingId: string;
}

/** Two tables a stream: one that only grows, and one that keeps of each key the row with the greatest reading id (R3). */
export class Warehouse {
  /** The deduplicated table, by key. */
  readonly deduplicated = { usage: new Map<string, Row>(), costs: new Map<string, Row>() };
  /** The deduplicated records by key, without the ids of their readings. */
  readonly rows = { usage: new Map<string, Version>(), costs: new Map<string, Version>() };
  /** The rows of the table that only grows, by the id of their reading. */
  readonly readings = new Map<string, Set<Version>>();
  /** When the syncs began that loaded their first rows. */
  readonly #loadedBy = new Map<string, number>();
  readonly reports: ReportRow[] = [];
  /** The windows of the readings that were reported. */
  readonly windows = new Map<string, Span>();
  readonly #reportsOfDays = new Map<string, ReportRow[]>();
  /** When the last sync began in which a listing of the day ended, by stream and day. */
  readonly #listedBy = new Map<string, number>();
  /** The same for the syncs before a report. */
  readonly #listedBefore = new Map<ReportRow, number>();

  /** Call it with the exchanges of a sync, after the sync's lines are loaded. */
  listed(exchanges: readonly Exchange[], startedAt: number): void {
    for (const { stream, start, end, nextCursor, status } of exchanges) {
      if (nextCursor !== null || status !== 200) continue;
      for (let day = dayOf(start); day < end; day += DAY)
        this.#listedBy.set(`${stream} ${date(day)}`, startedAt);
    }
  }

  /** When the last sync before the report's sync began in which a listing of the day ended. */
  listedBefore(report: ReportRow): number {
    return this.#listedBefore.get(report) ?? Infinity;
  }

  report(row: ReportRow): void {
    this.reports.push(row);
    const { reading_id: id, window_start: start, window_end: end, dataset, day } = row;
    if (!this.windows.has(id))
      this.windows.set(id, { start: Date.parse(start), end: Date.parse(end) });
    if (!row.inside_window) return;
    const key = `${dataset} ${day}`;
    this.#listedBefore.set(row, this.#listedBy.get(key) ?? Infinity);
    const reports = this.#reportsOfDays.get(key);
    if (reports === undefined) this.#reportsOfDays.set(key, [row]);
    else reports.push(row);
  }

  /** The reports of a day's own rows (not of strays), in the order of their arrival. */
  reportsOf(stream: StreamName, day: string): readonly ReportRow[] {
    return this.#reportsOfDays.get(`${stream} ${day}`) ?? [];
  }

  /** When the sync began that loaded the first row of a reading; Infinity if there is no row. */
  loadedBy(readingId: string): number {
    return this.#loadedBy.get(readingId) ?? Infinity;
  }

  /**
   * The greatest x_ReadingId wins, ties by arrival.
   *
   * @param startedAt when the sync began that brings the row
   */
  load(version: Version, readingId: string, startedAt: number): void {
    const reading = this.readings.get(readingId) ?? new Set();
    if (reading.size === 0) this.#loadedBy.set(readingId, startedAt);
    this.readings.set(readingId, reading.add(version));
    const { id, stream } = version.record;
    const before = this.deduplicated[stream].get(id);
    if (before !== undefined && readingId < before.readingId) return;
    this.deduplicated[stream].set(id, { version, readingId });
    this.rows[stream].set(id, version);
  }

  /** The rows of the table that only grows, of both streams. */
  get appended(): readonly Row[] {
    return [...this.readings].flatMap(([readingId, versions]) =>
      [...versions].map((version) => ({ version, readingId })),
    );
  }

  /** The row of a record, unless its id was issued again and the row is the later record's. */
  rowOf(life: Life): Version | undefined {
    const row = this.rows[life.stream].get(life.id);
    return row?.record === life ? row : undefined;
  }

  /** The table of reports is emptied. */
  clearReports(): void {
    this.reports.length = 0;
    this.windows.clear();
    this.#reportsOfDays.clear();
    this.#listedBefore.clear();
  }

  /** The tables of a stream's records are emptied. Its reports stay. */
  clear(stream: StreamName): void {
    for (const [id, versions] of this.readings) {
      if (![...versions].some(({ record }) => record.stream === stream)) continue;
      this.readings.delete(id);
      this.#loadedBy.delete(id);
    }
    this.rows[stream].clear();
    this.deduplicated[stream].clear();
  }
}
