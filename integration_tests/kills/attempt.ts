/** One process: started, read, ended by a signal at its point, and judged by the rules that hold for every run. */
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
  /** What `discover` offers: every record keeps it. */
  readonly catalog: Catalog;
  /** `127.0.0.1:8097`: where the provider serves, in this process. */
  readonly host: string;
  readonly secret: string;
}

/** What an attempt came to. */
export interface Outcome extends Finished {
  /** Whether its point came before its own end, so that a signal was sent. */
  readonly struck: boolean;
  /** From the signal to the end, in milliseconds; 0 without one. */
  readonly dying: number;
  /** Requests that reached the provider. */
  readonly requests: number;
  /** Whether what was received ends within a line. */
  readonly partial: boolean;
  /** What is wrong with it by itself. */
  readonly faults: readonly string[];
}

/** The longest that a process may take to end by SIGTERM, in milliseconds (design section 4). */
const PROMPT = 5000;

export async function runAttempt(options: AttemptOptions): Promise<Outcome> {
  const { config, mode, streams, end } = options;
  const catalog = catalogOf(mode, streams);
  const { child, done } = launch("read", { config, catalog, state: options.states, raw: true });
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
  child.stdout?.on("data", (text: string) => {
    received.take(text);
    strike();
  });
  try {
    const ended = await done;
    const dying = struckAt === null ? 0 : performance.now() - struckAt;
    const lines = received.lines();
    const run = { ...ended, stdout: lines.join("\n"), messages: lines.map(parseMessage) };
    const struck = struckAt !== null;
    const faults = [...faultsAmong(run, struck, options), ...endFaults(run, struck, dying, end)];
    return { ...run, struck, dying, requests, partial: received.isPartial, faults };
  } finally {
    unsubscribe(REQUESTS, onRequest);
  }
}

/** Node's own word of each request that an http server of this process takes. */
const REQUESTS = "http.server.request.start";

function isRequest(message: unknown): message is { readonly request: IncomingMessage } {
  return typeof message === "object" && message !== null && "request" in message;
}

function faultsAmong(run: Finished, struck: boolean, options: AttemptOptions): string[] {
  const { streams, catalog, secret, end } = options;
  // Whoever is killed outright, or not listened to, owes no end.
  const cut = struck && (end?.signal === "SIGKILL" || end?.cut === true);
  return faultsOf(run, { streams, catalog, secrets: [secret], cut });
}

function endFaults(run: Finished, struck: boolean, dying: number, end: End | null): string[] {
  if (!struck) return run.signal === null ? [] : [`it hung, or died by ${run.signal}`];
  if (end?.signal !== "SIGTERM") return [];
  // It may have been over when the signal came.
  const isOver = run.signal === "SIGTERM" || run.code === 0 || run.code === 1;
  return [
    ...(isOver ? [] : [`SIGTERM ended it by ${String(run.signal ?? run.code)}`]),
    ...(dying > PROMPT ? [`SIGTERM took ${Math.round(dying)} ms`] : []),
  ];
}

const STATE = '{"type":"STATE"';

/** What has come out of stdout. */
class Received {
  #text = "";
  #lines = 0;
  #states = 0;
  /** Characters that count; what comes behind is lost. */
  #limit = Infinity;
  /** Where the line begins that is still to end. */
  #begin = 0;
  /** Ends of lines and of STATE lines, to be cut at. */
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

  /** Loses what came or comes after the point. */
  cutAt({ of, count }: Point): void {
    const ends = { lines: this.#ends[count - 1], states: this.#stateEnds[count - 1] };
    this.#limit = of === "lines" || of === "states" ? (ends[of] ?? Infinity) : count;
  }

  get isPartial(): boolean {
    const kept = this.#text.slice(0, this.#limit);
    return kept !== "" && !kept.endsWith("\n");
  }

  /** The lines that have come whole. */
  lines(): string[] {
    return this.#text.slice(0, this.#limit).split("\n").slice(0, -1);
  }
}
