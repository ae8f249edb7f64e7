/** The reader of stdout: a platform that keeps states, and a warehouse that keeps rows. */
import type { StreamName, Version } from "./records.ts";

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
  readonly reading_id: string;
  readonly dataset: string;
  readonly day: string;
  readonly inside_window: boolean;
  readonly covered_from: string | null;
  readonly covered_through: string | null;
  readonly records: number;
}

/** A window in a state's pass; instants as RFC 3339 text. */
export interface OpenWindow {
  readonly start: string;
  readonly end: string;
}

/** The members of a state that the checks use; for the platform a state is opaque JSON. */
export interface StateValue {
  readonly mode: "incremental" | "full_refresh";
  readonly start: string;
  readonly end?: string;
  readonly position?: string;
  readonly done?: boolean;
  readonly reconciled_on?: string | null;
  readonly provisional?: readonly [string, number, Readonly<Record<string, string>>][];
  readonly pass?: {
    readonly day: string;
    readonly reads: readonly OpenWindow[];
    readonly open: readonly OpenWindow[];
  };
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

/** A record's text in its line. It must equal the provider's text, byte for byte (V3). */
function recordOf(line: string): Item | null {
  const reading = line.lastIndexOf(READING);
  if (reading === -1 || !line.startsWith(BEGIN)) return null;
  const data = line.indexOf(DATA);
  const end = /^(\w+)"\},"emitted_at":\d+\}\}$/.exec(line.slice(reading + READING.length));
  if (end === null) throw new Error(`a RECORD line of another shape: ${line}`);
  const text = `${line.slice(data + DATA.length, reading)}}`;
  return { kind: "record", stream: line.slice(BEGIN.length, data), text, readingId: end[1] ?? "" };
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
    const value = stream.stream_state;
    return {
      kind: "state",
      stream: stream.stream_descriptor.name,
      json: JSON.stringify(value),
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

/** The newest version of each row by stream and key, as a deduplicating destination keeps them. */
export class Warehouse {
  readonly rows = { usage: new Map<string, Version>(), costs: new Map<string, Version>() };
  /** The rows of each reading's id, in a table that is only appended to. */
  readonly readings = new Map<string, Set<Version>>();
  readonly reports: ReportRow[] = [];

  /** Newest x_RecordUpdatedAt wins, ties by arrival. */
  load(version: Version, readingId: string): void {
    const reading = this.readings.get(readingId) ?? new Set();
    this.readings.set(readingId, reading.add(version));
    const { id, stream } = version.record;
    const before = this.rows[stream].get(id);
    if (before === undefined || version.at >= before.at) this.rows[stream].set(id, version);
  }

  clear(stream: StreamName): void {
    this.rows[stream].clear();
  }
}

/** All record texts that the provider may ever send, with their records. */
export function versionsByText(
  lives: readonly { readonly versions: readonly Version[] }[],
): Map<string, Version> {
  return new Map(
    lives.flatMap(({ versions }) => versions).map((version) => [version.text, version]),
  );
}
