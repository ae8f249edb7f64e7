/**
 * The progress of a read, for a person at a terminal: one line on stderr for each stream, kept up to date. The display learns
 * the progress from the messages on their way to stdout. Pure, except for the clock and the writer that it is given.
 */
import type { Message } from "../src/protocol.ts";
import type { ProgressEvent } from "../src/streams/progress_event.ts";

/** An output on its way to stdout; of lines of records only their number matters here. */
type Output =
  | Message
  | { readonly type: "RECORD_LINES"; readonly stream: string; readonly count: number };

/** The least time between two drawings, in milliseconds: more often only flickers. */
const INTERVAL = 200;

/** The width that a line is cut to; a line that wraps could not be drawn over. */
const WIDTH = 100;

interface StreamProgress {
  records: number;
  expected: number | null;
  requests: number;
  windows: number;
  /** How many windows are planned; null until the plan is told. */
  planned: number | null;
  state: "waits to begin" | "is read" | "complete" | "incomplete";
  /** Until when the provider's rate limit holds the stream, in milliseconds since 1970; 0 where it does not. */
  heldUntil: number;
}

export class Progress {
  readonly #streams = new Map<string, StreamProgress>();
  readonly #write: (text: string) => void;
  readonly #now: () => number;
  #drawnAt = -Infinity;
  /** How many lines the last drawing has, over which the next one goes. */
  #lines = 0;

  /** @param write to a terminal */
  constructor(write: (text: string) => void, now: () => number) {
    this.#write = write;
    this.#now = now;
  }

  /** To be told of each output, after it has been written. */
  saw(output: Output): void {
    if (output.type === "RECORD_LINES") {
      this.#of(output.stream).records += output.count;
    } else if (output.type === "TRACE" && output.trace.type === "STREAM_STATUS") {
      const { stream_descriptor: stream, status, reasons } = output.trace.stream_status;
      const progress = this.#of(stream.name);
      progress.heldUntil = reasons?.[0]?.rate_limited.quota_reset ?? 0;
      progress.state = STATES[status];
    } else if (output.type === "TRACE" && output.trace.type === "ESTIMATE") {
      const { name, row_estimate: rows } = output.trace.estimate;
      this.#of(name).expected = rows;
    }
    this.#draw(false);
  }

  /** To be told of each event. */
  told(event: ProgressEvent): void {
    const progress = this.#of(event.stream);
    if (event.type === "PLANNED") {
      progress.planned = event.windows;
    } else {
      progress.requests += 1;
      if (event.endsWindow) progress.windows += 1;
    }
    this.#draw(false);
  }

  /** Leaves the last picture standing. */
  end(): void {
    if (this.#streams.size > 0) this.#draw(true);
  }

  #of(name: string): StreamProgress {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const fresh: StreamProgress = {
      records: 0,
      expected: null,
      requests: 0,
      windows: 0,
      planned: null,
      state: "waits to begin",
      heldUntil: 0,
    };
    this.#streams.set(name, fresh);
    return fresh;
  }

  #draw(last: boolean): void {
    const now = this.#now();
    if (!last && now - this.#drawnAt < INTERVAL) return;
    this.#drawnAt = now;
    const lines = [...this.#streams].map(([name, progress]) => lineOf(name, progress, now));
    const back = this.#lines === 0 ? "" : `\u001B[${this.#lines}A`;
    this.#lines = lines.length;
    this.#write(back + lines.map((line) => `\r\u001B[K${line.slice(0, WIDTH)}\n`).join(""));
  }
}

const STATES = {
  STARTED: "waits to begin",
  RUNNING: "is read",
  COMPLETE: "complete",
  INCOMPLETE: "incomplete",
} as const;

function lineOf(name: string, progress: StreamProgress, now: number): string {
  const { records, expected, requests, windows, planned, heldUntil, state } = progress;
  const under = state === "is read";
  const of = under && expected !== null && expected > records ? ` of about ${count(expected)}` : "";
  const parts = [`${count(records)}${of} records`];
  if (planned !== null) parts.unshift(`${windows} of ${planned} windows`);
  if (requests > 0) parts.push(`${count(requests)} requests`);
  const held = under && heldUntil > now;
  const doing = held ? `waits ${Math.ceil((heldUntil - now) / 1000)} s for the rate limit` : state;
  return `${name.padEnd(14)} ${parts.join(", ")}; ${doing}`;
}

const count = (number: number): string => number.toLocaleString("en-US");
