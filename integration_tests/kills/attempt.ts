/** Runs one `read`, sends a signal at the drawn point, and checks the rules that hold for every run. */
import { catalogOf, type Config, type SyncMode } from "../support/config.ts";
import { faultsOf } from "../support/judge.ts";
import { type Finished, launch, UNTIL_END } from "../support/process.ts";
import { type Catalog, parseMessage, type StreamState } from "../support/protocol.ts";
import type { Ended } from "./run.ts";
import { type End, type Point, Strike } from "./strike.ts";

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
export interface Outcome extends Finished, Ended {}

export async function runAttempt(options: AttemptOptions): Promise<Outcome> {
  const { config, mode, streams, end, states, host } = options;
  const catalog = catalogOf(mode, streams);
  const { child, stdout, done } = launch("read", { config, catalog, state: states, raw: true });
  using strike = new Strike(child, end, host);
  const received = new Received();
  stdout?.on("data", (text: string) => {
    received.take(text);
    for (const step of OUTPUT) strike.pass(step, received.countOf(step));
  });
  const ended = await done;
  const dying = strike.since();
  // If the signal came too late, the pipe still holds the rest of the output, and a platform would read it.
  const struck = dying !== null && ended.code !== 0;
  if (struck && end?.cut === true) received.cutAt(end.at);
  const lines = received.lines();
  const run = { ...ended, stdout: lines.join("\n"), messages: lines.map(parseMessage) };
  const { messages } = run;
  const errors = messages.flatMap(({ trace }) => trace?.error?.internal_message ?? []);
  const byTerm = struck && end?.signal === "SIGTERM";
  return {
    ...run,
    isDone: run.code === 0,
    struck,
    faults: [...faultsAmong(run, struck, options), ...endFaults(run, struck, dying ?? 0, end)],
    errors: errors.join("; "),
    line: lineOf(run, strike.count("requests"), received.isPartial),
    figures: {
      SIGKILL: struck && end?.signal === "SIGKILL" ? 1 : 0,
      SIGTERM: byTerm ? 1 : 0,
      "cut within a line": received.isPartial ? 1 : 0,
      requests: strike.count("requests"),
      "most ms from SIGTERM to the end": byTerm ? Math.ceil(dying) : 0,
    },
  };
}

function lineOf({ code, signal, messages }: Finished, requests: number, partial: boolean): string {
  const states = messages.filter(({ state }) => state !== undefined).length;
  const part = partial ? " and a part of one" : "";
  return `${String(signal ?? code)}, ${requests} requests, ${messages.length} lines${part}, ${states} states`;
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
  const isOver = run.signal === "SIGTERM" || run.code === 1;
  return [
    ...(isOver ? [] : [`SIGTERM ended it by ${String(run.signal ?? run.code)}`]),
    ...(dying > UNTIL_END ? [`SIGTERM took ${Math.round(dying)} ms`] : []),
  ];
}

const STATE = '{"type":"STATE"';
const OUTPUT = ["lines", "states", "characters"] as const;

/** The output of stdout so far. */
class Received {
  #text = "";
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
      this.#ends.push(feed + 1);
      if (this.#text.startsWith(STATE, this.#begin)) this.#stateEnds.push(feed + 1);
      this.#begin = feed + 1;
    }
  }

  countOf(step: (typeof OUTPUT)[number]): number {
    const counts = { lines: this.#ends, states: this.#stateEnds, characters: this.#text };
    return counts[step].length;
  }

  /** Drops all output after the point. */
  cutAt({ of, count }: Point): void {
    const ends = { lines: this.#ends[count - 1], states: this.#stateEnds[count - 1] };
    this.#limit = of === "lines" || of === "states" ? (ends[of] ?? Infinity) : count;
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
