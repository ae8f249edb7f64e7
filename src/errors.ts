/**
 * The one error class of the connector. Every caught value enters through {@link ConnectorError.from}.
 *
 * `message` is for the person who runs the sync: the event, the stream and window, the remedy. `detail` is for a developer:
 * HTTP status, problem document, broken rule. Neither holds a secret.
 */
import type { ErrorTrace, FailureType } from "./protocol.ts";

/** The reasons for a failure. Each code has one failure type, by which the platform decides whether to try again. */
const FAILURE_TYPES = {
  /** The command line cannot be understood. */
  invalid_arguments: "config_error",
  /** The config breaks its rules, or asks for something that the provider does not offer. */
  invalid_config: "config_error",
  /** The configured catalog cannot be understood or names a stream that does not exist. */
  invalid_catalog: "config_error",
  /** The state cannot be understood or has another owner (S5). */
  invalid_state: "config_error",
  /** The database or the report of `sync` cannot be opened or written, or belongs to another account. */
  database: "config_error",
  /** 401: the credential is missing, wrong or expired for good. */
  unauthorized: "config_error",
  /** 403: the credential lacks a scope or the account. */
  forbidden: "config_error",
  /** The first request shows that the address is wrong (C4). */
  wrong_address: "config_error",
  /** 429 for longer than the connector waits (C2). */
  rate_limited: "transient_error",
  /** 5xx, resets and time-outs that outlasted the retries (C4). */
  unavailable: "transient_error",
  /** P3: the bodies of 200 answers were broken, or no JSON, and outlasted the retries. */
  broken_answer: "transient_error",
  /** The state's position lies in the future of the provider's clock (L3): one of the two is wrong. */
  position_in_future: "transient_error",
  /** A signal or a closed stdout ended the run. */
  aborted: "transient_error",
  /** 400: the provider refuses a query that follows the interface. */
  bad_request: "system_error",
  /** 400 to a request with a cursor (S4); an error only after the restarts are used up. */
  cursor_refused: "system_error",
  /** The provider breaks the interface. */
  provider_fault: "system_error",
  /** A record breaks its schema (V1). */
  invalid_record: "system_error",
  /** A defect of the connector. */
  internal: "system_error",
} as const satisfies Record<string, FailureType>;

export type ErrorCode = keyof typeof FAILURE_TYPES;

const OF_CONTENT: ReadonlySet<ErrorCode> = new Set([
  "broken_answer",
  "provider_fault",
  "invalid_record",
]);

export interface ErrorContext {
  /** The stream that failed, if one did. */
  readonly stream?: string | undefined;
  /** For a developer: status, problem `type`, `title` and `detail`, rule. Never a secret. */
  readonly detail?: string | undefined;
  readonly cause?: unknown;
}

export class ConnectorError extends Error {
  override readonly name = "ConnectorError";
  readonly code: ErrorCode;
  readonly stream: string | undefined;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    this.stream = context.stream;
    this.detail = context.detail;
  }

  get failureType(): FailureType {
    return FAILURE_TYPES[this.code];
  }

  /** Converts a caught value: a ConnectorError stays itself, every other value is a defect of the connector. */
  static from(reason: unknown): ConnectorError {
    if (reason instanceof ConnectorError) return reason;
    const detail = reason instanceof Error ? `${reason.name}: ${reason.message}` : String(reason);
    return new ConnectorError(
      "internal",
      "Something went wrong inside the connector. Nothing is lost: the state of all that was read is kept. " +
        "Run again, and report it with the log if it persists.",
      { detail, cause: reason },
    );
  }

  /** Gives this error with a stream. An error that already names a stream stays as it is. */
  of(stream: string): ConnectorError {
    if (this.stream !== undefined) return this;
    const { detail, cause } = this;
    const named = new ConnectorError(this.code, `Stream "${stream}": ${this.message}`, {
      stream,
      detail,
      cause,
    });
    if (this.stack !== undefined) named.stack = this.stack;
    return named;
  }

  /**
   * Whether the content of a page is at fault. The provider can mend it, but a cursor that belongs to a snapshot would show the
   * same page for ever (V1).
   */
  get isOfContent(): boolean {
    return OF_CONTENT.has(this.code);
  }

  /** The line that a command for people prints with `--json`, so that a program gets a line from a failed command, too. */
  toJson(): string {
    const { code, message } = this;
    return `${JSON.stringify({ ok: false, error: { code, message } })}\n`;
  }

  /** The payload of an error trace (protocol 0.18, AirbyteErrorTraceMessage). */
  toTrace(): ErrorTrace {
    return {
      message: this.message,
      internal_message: `${this.code}: ${this.detail ?? this.message}`,
      failure_type: this.failureType,
      // A stack helps to find a defect of the connector, and says nothing about any other failure.
      ...(this.code === "internal" ? { stack_trace: stackOf(this) } : {}),
      ...(this.stream === undefined ? {} : { stream_descriptor: { name: this.stream } }),
    };
  }
}

/** The stacks of an error and its causes. The error's own message stands elsewhere in the trace. */
function stackOf(error: Error): string {
  const frames: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    frames.push(at === error ? at.name : `Caused by: ${at.name}: ${at.message}`);
    frames.push(...(at.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line)));
  }
  return frames.join("\n");
}
