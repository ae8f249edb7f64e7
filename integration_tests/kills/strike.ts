/** Counts the steps of a process, and sends the process a signal at a step that the schedule has drawn. */
import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";

/**
 * The steps that can be counted from outside: requests that reached the provider; lines, STATEs and characters on stdout; writes to the
 * files of a database.
 */
export type Step = "requests" | "lines" | "states" | "characters" | "writes";

/** The point of a signal: the step of this number. */
export interface Point<Kind extends Step = Step> {
  readonly of: Kind;
  readonly count: number;
}

export interface End {
  readonly signal: "SIGKILL" | "SIGTERM";
  readonly at: Point;
  /** Whether output after the point is lost, as if the platform died too. Otherwise the test reads the pipe to its end. */
  readonly cut: boolean;
}

/** Node's diagnostics channel for each request that reaches an HTTP server of this process. */
const REQUESTS = "http.server.request.start";

export class Strike implements Disposable {
  readonly #child: ChildProcess;
  readonly #end: End | null;
  readonly #counts = new Map<Step, number>();
  readonly #onRequest: (message: unknown) => void;
  #struckAt: number | null = null;

  /**
   * @param end null if no signal ends the process
   * @param host the host and port of the provider in this process, such as `127.0.0.1:8097`
   */
  constructor(child: ChildProcess, end: End | null, host: string) {
    this.#child = child;
    this.#end = end;
    this.#onRequest = (message) => {
      if (isRequest(message) && message.request.headers.host === host) this.pass("requests");
    };
    subscribe(REQUESTS, this.#onRequest);
  }

  /** Counts a step, or all steps of a kind up to a number. */
  pass(step: Step, count = this.count(step) + 1): void {
    this.#counts.set(step, count);
    const end = this.#end;
    if (end?.at.of !== step || count < end.at.count || this.#struckAt !== null) return;
    this.#struckAt = performance.now();
    this.#child.kill(end.signal);
  }

  count(step: Step): number {
    return this.#counts.get(step) ?? 0;
  }

  /** Milliseconds since the signal; null if none was sent. */
  since(): number | null {
    return this.#struckAt === null ? null : performance.now() - this.#struckAt;
  }

  [Symbol.dispose](): void {
    unsubscribe(REQUESTS, this.#onRequest);
  }
}

function isRequest(message: unknown): message is { readonly request: IncomingMessage } {
  return typeof message === "object" && message !== null && "request" in message;
}
