/**
 * The messages of the Airbyte protocol that this source writes (airbyte-protocol 0.18), and their constructors.
 * No I/O, no clock: instants are arguments, in milliseconds since 1970.
 */

export type FailureType = "config_error" | "transient_error" | "system_error";
export type LogLevel = "FATAL" | "ERROR" | "WARN" | "INFO" | "DEBUG";
export type StreamStatus = "STARTED" | "RUNNING" | "COMPLETE" | "INCOMPLETE";
export type SyncMode = "full_refresh" | "incremental";

/** A JSON object whose members the connector does not check. */
export type JsonObject = Readonly<Record<string, unknown>>;

export interface StreamDescriptor {
  readonly name: string;
}

export interface ErrorTrace {
  readonly message: string;
  readonly internal_message: string;
  readonly failure_type: FailureType;
  readonly stack_trace?: string;
  readonly stream_descriptor?: StreamDescriptor;
}

export interface CatalogStream {
  readonly name: string;
  readonly json_schema: JsonObject;
  readonly supported_sync_modes: readonly SyncMode[];
  readonly source_defined_cursor: boolean;
  readonly default_cursor_field: readonly string[];
  readonly source_defined_primary_key: readonly (readonly string[])[];
  readonly is_resumable: boolean;
}

export interface LogMessage {
  readonly type: "LOG";
  readonly log: { readonly level: LogLevel; readonly message: string };
}
export interface SpecMessage {
  readonly type: "SPEC";
  readonly spec: JsonObject;
}
export interface ConnectionStatusMessage {
  readonly type: "CONNECTION_STATUS";
  readonly connectionStatus: { readonly status: "SUCCEEDED" | "FAILED"; readonly message?: string };
}
export interface CatalogMessage {
  readonly type: "CATALOG";
  readonly catalog: { readonly streams: readonly CatalogStream[] };
}
export interface RecordMessage {
  readonly type: "RECORD";
  readonly record: {
    readonly stream: string;
    readonly data: JsonObject;
    readonly emitted_at: number;
  };
}
export interface StateMessage {
  readonly type: "STATE";
  readonly state: {
    readonly type: "STREAM";
    readonly stream: {
      readonly stream_descriptor: StreamDescriptor;
      readonly stream_state: JsonObject;
    };
    /** `recordCount`: RECORDs of this stream since its previous STATE in this run. */
    readonly sourceStats: { readonly recordCount: number };
  };
}
export interface TraceMessage {
  readonly type: "TRACE";
  readonly trace: { readonly emitted_at: number } & (
    | { readonly type: "ERROR"; readonly error: ErrorTrace }
    | {
        readonly type: "STREAM_STATUS";
        readonly stream_status: {
          readonly stream_descriptor: StreamDescriptor;
          readonly status: StreamStatus;
          readonly reasons?: readonly RateLimitedReason[];
        };
      }
    | {
        readonly type: "ESTIMATE";
        readonly estimate: {
          readonly name: string;
          readonly type: "STREAM";
          readonly row_estimate: number;
          readonly byte_estimate: number;
        };
      }
  );
}
export interface RateLimitedReason {
  readonly type: "RATE_LIMITED";
  /** `quota_reset`: when the wait ends, in milliseconds since 1970. */
  readonly rate_limited: { readonly quota_reset: number };
}
export interface ControlMessage {
  readonly type: "CONTROL";
  readonly control: {
    readonly type: "CONNECTOR_CONFIG";
    readonly emitted_at: number;
    /** The entire config, which replaces the platform's copy. */
    readonly connectorConfig: { readonly config: JsonObject };
  };
}

export type Message =
  | LogMessage
  | SpecMessage
  | ConnectionStatusMessage
  | CatalogMessage
  | RecordMessage
  | StateMessage
  | TraceMessage
  | ControlMessage;

/**
 * RECORD lines on their way to stdout, in UTF-8, each ended by a line feed. `bytes` are written as they are. Their memory is
 * recycled after the write; do not keep it.
 */
export interface RecordLines {
  readonly type: "RECORD_LINES";
  readonly stream: string;
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** An output of the connector: a message, or records that are lines already. */
export type Output = Message | RecordLines;

/** The sentence for a person in a message that reports a failure; undefined for every other message. */
export function failureOf(message: Message): string | undefined {
  if (message.type === "TRACE" && message.trace.type === "ERROR")
    return message.trace.error.message;
  if (message.type !== "CONNECTION_STATUS") return undefined;
  const { status, message: text } = message.connectionStatus;
  return status === "FAILED" ? text : undefined;
}

export function log(level: LogLevel, message: string): LogMessage {
  return { type: "LOG", log: { level, message } };
}

export function connectionStatus(
  status: "SUCCEEDED" | "FAILED",
  message?: string,
): ConnectionStatusMessage {
  return {
    type: "CONNECTION_STATUS",
    connectionStatus: { status, ...(message === undefined ? {} : { message }) },
  };
}

export function state(stream: string, streamState: JsonObject, recordCount: number): StateMessage {
  return {
    type: "STATE",
    state: {
      type: "STREAM",
      stream: { stream_descriptor: { name: stream }, stream_state: streamState },
      sourceStats: { recordCount },
    },
  };
}

/** A stream's status. With `quotaReset` (milliseconds since 1970) the stream waits for a rate limit until then. */
export function streamStatus(
  stream: string,
  status: StreamStatus,
  emittedAt: number,
  quotaReset?: number,
): TraceMessage {
  const reasons: RateLimitedReason[] =
    quotaReset === undefined
      ? []
      : [{ type: "RATE_LIMITED", rate_limited: { quota_reset: quotaReset } }];
  return {
    type: "TRACE",
    trace: {
      type: "STREAM_STATUS",
      emitted_at: emittedAt,
      stream_status: {
        stream_descriptor: { name: stream },
        status,
        ...(reasons.length === 0 ? {} : { reasons }),
      },
    },
  };
}

/** Hands the entire config to the platform, which replaces its copy. */
export function connectorConfig(config: JsonObject, emittedAt: number): ControlMessage {
  return {
    type: "CONTROL",
    control: { type: "CONNECTOR_CONFIG", emitted_at: emittedAt, connectorConfig: { config } },
  };
}

export function errorTrace(error: ErrorTrace, emittedAt: number): TraceMessage {
  return { type: "TRACE", trace: { type: "ERROR", emitted_at: emittedAt, error } };
}

/** The likely rows and bytes of a stream's whole sync. */
export function estimate(
  stream: string,
  rows: number,
  bytes: number,
  emittedAt: number,
): TraceMessage {
  return {
    type: "TRACE",
    trace: {
      type: "ESTIMATE",
      emitted_at: emittedAt,
      estimate: { name: stream, type: "STREAM", row_estimate: rows, byte_estimate: bytes },
    },
  };
}
