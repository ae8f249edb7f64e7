/** The numbers of a read, gathered from its messages on their way to stdout, and the words for them. Pure. */
import type { Message } from "../src/protocol.ts";
import type { ProgressEvent } from "../src/streams/progress_event.ts";

/** An output on its way to stdout; of lines of records only their number matters here. */
export type Output =
  | Message
  | { readonly type: "RECORD_LINES"; readonly stream: string; readonly count: number };

interface StreamTally {
  rows: number;
  expected: number | null;
  pages: number;
  windows: number;
  /** How many windows are planned; null until the plan is told. */
  planned: number | null;
  /** The day before which everything was read; empty before the first state. */
  through: string;
  state: "waits to begin" | "is read" | "complete" | "incomplete";
  /** The end of the wait for the provider's rate limit, in milliseconds since 1970; 0 without a wait. */
  heldUntil: number;
  /** The instant at which the stream ended, in milliseconds since 1970; null before. */
  endedAt: number | null;
}

/** No estimate is given before this many milliseconds, because the first pages say little about the others. */
const FORETOLD = 5000;

export class Tally {
  readonly #streams = new Map<string, StreamTally>();
  readonly #began: number;

  /** @param now milliseconds since 1970 */
  constructor(now: number) {
    this.#began = now;
  }

  /** Call this for each output. */
  saw(output: Output, now: number): void {
    if (output.type === "RECORD_LINES") {
      this.#of(output.stream).rows += output.count;
    } else if (output.type === "STATE") {
      const { stream_descriptor: stream, stream_state: state } = output.state.stream;
      const { position } = state;
      if (typeof position === "string") this.#of(stream.name).through = position.slice(0, 10);
    } else if (output.type === "TRACE" && output.trace.type === "STREAM_STATUS") {
      const { stream_descriptor: stream, status, reasons } = output.trace.stream_status;
      const tally = this.#of(stream.name);
      tally.heldUntil = reasons?.[0]?.rate_limited.quota_reset ?? 0;
      tally.state = STATES[status];
      if (status === "COMPLETE" || status === "INCOMPLETE") tally.endedAt = now;
    } else if (output.type === "TRACE" && output.trace.type === "ESTIMATE") {
      const { name, row_estimate: rows } = output.trace.estimate;
      this.#of(name).expected = rows;
    }
  }

  /** Call this for each event. */
  told(event: ProgressEvent): void {
    const tally = this.#of(event.stream);
    if (event.type === "PLANNED") {
      tally.planned = event.windows;
    } else {
      tally.pages += 1;
      if (event.endsWindow) tally.windows += 1;
    }
  }

  /** Whether an output or an event has named a stream. */
  get hasBegun(): boolean {
    return this.#streams.size > 0;
  }

  /** A line for each stream, with what matters most at its beginning; one line before the first stream. */
  lines(now: number): readonly string[] {
    if (!this.hasBegun) return [`asks the provider what it offers, ${timeOf(now - this.#began)}`];
    return [...this.#streams].map(
      ([name, tally]) => `${name.padEnd(14)} ${this.#doing(tally, now)}; ${countsOf(tally)}`,
    );
  }

  /** The streams that are under way, in one line. */
  line(now: number): string {
    if (!this.hasBegun) return this.lines(now).join("");
    const under = [...this.#streams].filter(([, { state }]) => state === "is read");
    const shown = under.length === 0 ? [...this.#streams] : under;
    const parts = shown.map(([name, tally]) => `${name} ${countsOf(tally)}`);
    const left = Math.max(0, ...under.map(([, tally]) => this.#left(tally, now) ?? 0));
    const rest = left === 0 ? "" : `, about ${timeOf(left)} left`;
    return `${parts.join("; ")}; ${timeOf(now - this.#began)}${rest}`;
  }

  #doing(tally: StreamTally, now: number): string {
    const { state, heldUntil, endedAt } = tally;
    if (endedAt !== null) return `${state} after ${timeOf(endedAt - this.#began)}`;
    if (state !== "is read") return state;
    if (heldUntil > now) return `waits ${timeOf(heldUntil - now)} for the rate limit`;
    const left = this.#left(tally, now);
    return `${timeOf(now - this.#began)}${left === undefined ? "" : `, about ${timeOf(left)} left`}`;
  }

  /** An estimate of the time that is left, in milliseconds, at the provider's speed so far; undefined while there is none. */
  #left({ rows, expected, windows, planned }: StreamTally, now: number): number | undefined {
    const passed = now - this.#began;
    const [done, all] = expected === null ? [windows, planned ?? 0] : [rows, expected];
    if (passed < FORETOLD || done === 0 || all <= done) return undefined;
    return (passed / done) * (all - done);
  }

  #of(name: string): StreamTally {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const fresh: StreamTally = {
      rows: 0,
      expected: null,
      pages: 0,
      windows: 0,
      planned: null,
      through: "",
      state: "waits to begin",
      heldUntil: 0,
      endedAt: null,
    };
    this.#streams.set(name, fresh);
    return fresh;
  }
}

const STATES = {
  STARTED: "waits to begin",
  RUNNING: "is read",
  COMPLETE: "complete",
  INCOMPLETE: "incomplete",
} as const;

function countsOf({
  rows,
  expected,
  pages,
  windows,
  planned,
  through,
  state,
}: StreamTally): string {
  const of = state === "is read" && expected !== null && expected > rows;
  return [
    `${count(rows)}${of ? ` of about ${count(expected)}` : ""} rows`,
    ...(pages === 0 ? [] : [`${count(pages)} pages`]),
    ...(through === "" ? [] : [`days before ${through}`]),
    ...(planned === null ? [] : [`${windows} of ${planned} windows`]),
  ].join(", ");
}

const count = (number: number): string => number.toLocaleString("en-US");

function timeOf(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
