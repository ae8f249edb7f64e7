/**
 * The Airbyte protocol (0.18) as a reader of stdout sees it. It is written from the protocol's own description and not
 * from src/protocol.ts, so that it finds mistakes there.
 */
import { Ajv } from "ajv";

export type Json = Readonly<Record<string, unknown>>;

export interface CatalogStream {
  readonly name: string;
  readonly json_schema: Json & { readonly properties: Readonly<Record<string, Json>> };
  readonly supported_sync_modes: readonly string[];
  readonly source_defined_cursor?: boolean;
  readonly default_cursor_field?: readonly string[];
  readonly source_defined_primary_key?: readonly (readonly string[])[];
  readonly is_resumable?: boolean;
}

export interface Catalog {
  readonly streams: readonly CatalogStream[];
}

export interface StreamState {
  readonly type: "STREAM";
  readonly stream: {
    readonly stream_descriptor: { readonly name: string };
    readonly stream_state: Json;
  };
  readonly sourceStats: { readonly recordCount: number };
}

export interface ErrorTrace {
  readonly message: string;
  readonly internal_message?: string;
  readonly stack_trace?: string;
  readonly failure_type: "config_error" | "transient_error" | "system_error";
  readonly stream_descriptor?: { readonly name: string };
}

export interface Trace {
  readonly type: "ERROR" | "ESTIMATE" | "STREAM_STATUS";
  readonly emitted_at: number;
  readonly error?: ErrorTrace;
  readonly estimate?: { readonly name: string; readonly row_estimate?: number };
  readonly stream_status?: {
    readonly stream_descriptor: { readonly name: string };
    readonly status: "STARTED" | "RUNNING" | "COMPLETE" | "INCOMPLETE";
    readonly reasons?: readonly Json[];
  };
}

/** One line. `type` says which of the other members is present. */
export interface Message {
  readonly type: string;
  readonly record?: { readonly stream: string; readonly data: Json; readonly emitted_at: number };
  readonly state?: StreamState;
  readonly log?: { readonly level: string; readonly message: string };
  readonly spec?: Json & { readonly connectionSpecification: Json };
  readonly connectionStatus?: { readonly status: string; readonly message?: string };
  readonly catalog?: Catalog;
  readonly trace?: Trace;
  readonly control?: {
    readonly emitted_at: number;
    readonly connectorConfig: { readonly config: Json };
  };
}

const text = { type: "string", minLength: 1 };
const count = { type: "integer", minimum: 0 };
const instant = { type: "integer", minimum: 1 };
const descriptor = { type: "object", required: ["name"], properties: { name: text } };

function object(required: readonly string[], properties: Json): Json {
  return { type: "object", required, properties };
}

/** One of several shapes that differ in `type`. */
function oneOf(shapes: readonly Json[]): Json {
  return {
    type: "object",
    discriminator: { propertyName: "type" },
    required: ["type"],
    oneOf: shapes,
  };
}

const emitted = { emitted_at: instant };
const reason = object(["type", "rate_limited"], {
  type: { const: "RATE_LIMITED" },
  rate_limited: object(["quota_reset"], { quota_reset: instant }),
});
const status = object(["stream_descriptor", "status"], {
  stream_descriptor: descriptor,
  status: { enum: ["STARTED", "RUNNING", "COMPLETE", "INCOMPLETE"] },
  reasons: { type: "array", items: reason },
});
const error = object(["message", "internal_message", "failure_type"], {
  message: text,
  internal_message: text,
  stack_trace: { type: "string" },
  failure_type: { enum: ["config_error", "transient_error", "system_error"] },
  stream_descriptor: descriptor,
});
const estimate = object(["name", "type"], {
  name: text,
  // The platform ignores estimates if a source mixes STREAM and SYNC.
  type: { const: "STREAM" },
  row_estimate: count,
  byte_estimate: count,
});

const stream = object(["name", "json_schema", "supported_sync_modes"], {
  name: text,
  json_schema: object(["properties"], { properties: { type: "object", minProperties: 1 } }),
  supported_sync_modes: {
    type: "array",
    minItems: 1,
    uniqueItems: true,
    items: { enum: ["full_refresh", "incremental"] },
  },
  source_defined_cursor: { type: "boolean" },
  default_cursor_field: { type: "array", items: text },
  source_defined_primary_key: { type: "array", items: { type: "array", items: text } },
  is_resumable: { type: "boolean" },
});

/** The messages that a source writes: the member that holds the payload, and its schema. */
const PAYLOADS: Readonly<Record<string, readonly [member: string, schema: Json]>> = {
  RECORD: [
    "record",
    object(["stream", "data", "emitted_at"], {
      stream: text,
      // The platform drops records without data.
      data: { type: "object", minProperties: 1 },
      emitted_at: instant,
    }),
  ],
  STATE: [
    "state",
    object(["type", "stream", "sourceStats"], {
      type: { const: "STREAM" },
      stream: object(["stream_descriptor", "stream_state"], {
        stream_descriptor: descriptor,
        stream_state: { type: "object", minProperties: 1 },
      }),
      sourceStats: object(["recordCount"], { recordCount: count }),
    }),
  ],
  LOG: [
    "log",
    object(["level", "message"], {
      level: { enum: ["FATAL", "ERROR", "WARN", "INFO", "DEBUG", "TRACE"] },
      message: text,
    }),
  ],
  SPEC: [
    "spec",
    object(["connectionSpecification"], {
      connectionSpecification: { type: "object", minProperties: 1 },
    }),
  ],
  CONNECTION_STATUS: [
    "connectionStatus",
    object(["status"], { status: { enum: ["SUCCEEDED", "FAILED"] }, message: text }),
  ],
  CATALOG: ["catalog", object(["streams"], { streams: { type: "array", items: stream } })],
  TRACE: [
    "trace",
    oneOf([
      object(["type", "emitted_at", "error"], { type: { const: "ERROR" }, ...emitted, error }),
      object(["type", "emitted_at", "estimate"], {
        type: { const: "ESTIMATE" },
        ...emitted,
        estimate,
      }),
      object(["type", "emitted_at", "stream_status"], {
        type: { const: "STREAM_STATUS" },
        ...emitted,
        stream_status: status,
      }),
    ]),
  ],
  CONTROL: [
    "control",
    object(["type", "emitted_at", "connectorConfig"], {
      type: { const: "CONNECTOR_CONFIG" },
      emitted_at: instant,
      connectorConfig: object(["config"], { config: { type: "object" } }),
    }),
  ],
};

const isMessage = new Ajv({ strict: false, discriminator: true }).compile<Message>(
  oneOf(
    Object.entries(PAYLOADS).map(([type, [member, schema]]) => ({
      ...object(["type", member], { type: { const: type }, [member]: schema }),
      // A message has its payload and no other member.
      additionalProperties: false,
    })),
  ),
);

/** A line of stdout as a message. Throws if a source must not write such a line. */
export function parseMessage(line: string): Message {
  const value: unknown = JSON.parse(line);
  if (isMessage(value)) return value;
  const [first] = isMessage.errors ?? [];
  throw new Error(`${first?.instancePath} ${first?.message}: ${line.slice(0, 300)}`);
}
