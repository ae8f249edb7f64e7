/** Runs one process, sends a signal at the drawn point, and checks the rules that hold for every run. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { catalogOf, type Config, type SyncMode } from "../support/config.ts";
import { faultsOf } from "../support/judge.ts";
import { type Finished, launch } from "../support/process.ts";
import { type Catalog, parseMessage, type StreamState } from "../support/protocol.ts";
import type { End, Point } from "./schedule.ts";

export interface AttemptOptions {
  readonly config: Config;
  readonly mode: SyncMode;
  readonly streams: readonly string[];
  readonly states: readonly StreamState[];
  readonly end: End | null;
  /** The catalog of `discover`. Every record must match its schema. */
  readonly catalog: Catalog;
  /** The address of the provider in this process, such as `127.0.0.1:8097`. */
  readonly host: string;
  readonly secret: string;
}

/** The result of an attempt. */
export interface Outcome extends Finished {
  /** Whether the signal was sent before the process had ended by itself. */
  readonly struck: boolean;
  /** Milliseconds from the signal to the end; 0 without a signal. */
  readonly dying: number;
  /** Requests that reached the provider. */
  readonly requests: number;
  /** Whether the received output ends within a line. */
  readonly partial: boolean;
  /** Broken rules that this run alone shows. */
  readonly faults: readonly string[];
}

/** The longest time that a process may need to end after SIGTERM, in milliseconds (design section 4). */
const PROMPT = 5000;

export async function runAttempt(options: AttemptOptions): Promise<Outcome> {
  const { config, mode, streams, end } = options;
  const catalog = catalogOf(mode, streams);
  const { child, stdout, done } = launch("read", {
    config,
    catalog,
    state: options.states,
    raw: true,
  });
  const received = new Received();
  let requests = 0;
  let struckAt: number | null = null;
  const strike = (): void => {
    if (end === null || struckAt !== null) return;
    const point = end.at.of === "requests" ? requests : received.countOf(end.at.of);
    if (point < end.at.count) return;
    struckAt = performance.now();
    child.kill(end.signal);
    if (end.cut) received.cutAt(end.at);
  };
  const onRequest = (message: unknown): void => {
    if (!isRequest(message) || message.request.headers.host !== options.host) return;
    requests += 1;
    strike();
  };
  subscribe(REQUESTS, onRequest);
  stdout?.on("data", (text: string) => {
    received.take(text);
    strike();
  });
  try {
    const ended = await done;
    const dying = struckAt === null ? 0 : performance.now() - struckAt;
    // The signal came too late. The pipe still holds the rest of the output, and a platform would read it.
    const isOver = ended.code === 0;
    if (isOver) received.keepAll();
    const lines = received.lines();
    const run = { ...ended, stdout: lines.join("\n"), messages: lines.map(parseMessage) };
    const struck = struckAt !== null && !isOver;
    const faults = [...faultsAmong(run, struck, options), ...endFaults(run, struck, dying, end)];
    return { ...run, struck, dying, requests, partial: received.isPartial, faults };
  } finally {
    unsubscribe(REQUESTS, onRequest);
  }
}

/** Node's diagnostics channel for each request that reaches an HTTP server of this process. */
const REQUESTS = "http.server.request.start";

function isRequest(message: unknown): message is { readonly request: IncomingMessage } {
  return typeof message === "object" && message !== null && "request" in message;
}

function faultsAmong(run: Finished, struck: boolean, options: AttemptOptions): string[] {
  const { streams, catalog, secret, end } = options;
  // A process that SIGKILL ended, or whose output was cut, need not finish its messages.
  const cut = struck && (end?.signal === "SIGKILL" || end?.cut === true);
  return faultsOf(run, { streams, catalog, secrets: [secret], cut });
}

function endFaults(run: Finished, struck: boolean, dying: number, end: End | null): string[] {
  if (!struck) return run.signal === null ? [] : [`it hung, or died by ${run.signal}`];
  if (end?.signal !== "SIGTERM") return [];
  // The process may have ended before the signal arrived.
  const isOver = run.signal === "SIGTERM" || run.code === 0 || run.code === 1;
  return [
    ...(isOver ? [] : [`SIGTERM ended it by ${String(run.signal ?? run.code)}`]),
    ...(dying > PROMPT ? [`SIGTERM took ${Math.round(dying)} ms`] : []),
  ];
}

const STATE = '{"type":"STATE"';

/** The output of stdout so far. */
class Received {
  #text = "";
  #lines = 0;
  #states = 0;
  /** The number of characters that are kept; later ones are lost. */
  #limit = Infinity;
  /** The beginning of the unfinished line. */
  #begin = 0;
  /** The ends of lines and of STATE lines: the output can be cut there. */
  readonly #ends: number[] = [];
  readonly #stateEnds: number[] = [];

  take(text: string): void {
    this.#text += text;
    for (;;) {
      const feed = this.#text.indexOf("\n", this.#begin);
      if (feed === -1) return;
      this.#lines += 1;
      this.#ends.push(feed + 1);
      if (this.#text.startsWith(STATE, this.#begin)) {
        this.#states += 1;
        this.#stateEnds.push(feed + 1);
      }
      this.#begin = feed + 1;
    }
  }

  countOf(what: Exclude<Point["of"], "requests">): number {
    return { lines: this.#lines, states: this.#states, characters: this.#text.length }[what];
  }

  /** Drops all output after the point. */
  cutAt({ of, count }: Point): void {
    const ends = { lines: this.#ends[count - 1], states: this.#stateEnds[count - 1] };
    this.#limit = of === "lines" || of === "states" ? (ends[of] ?? Infinity) : count;
  }

  /** Takes back {@link cutAt}. */
  keepAll(): void {
    this.#limit = Infinity;
  }

  get isPartial(): boolean {
    const kept = this.#text.slice(0, this.#limit);
    return kept !== "" && !kept.endsWith("\n");
  }

  /** The complete lines. */
  lines(): string[] {
    return this.#text.slice(0, this.#limit).split("\n").slice(0, -1);
  }
}
