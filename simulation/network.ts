/** The network between the engine and the provider: latencies, faults, and counts of open requests and pages. */
import type { HttpRequest, HttpResponse, Transport } from "../src/edges.ts";
import { type Delivery, finalFault, type Outcome, passingFault, wellMeant } from "./faults.ts";
import type { Provider, Reply } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** The number of streams that the sync reads side by side. */
const STREAMS = 2;

/** The probabilities of faults for one request. */
export interface Weather {
  readonly passing: number;
  readonly final: number;
  /** The longest latency of a request, in milliseconds. */
  readonly latency: number;
  /** The outcome of a request, if a test decides it; undefined leaves the outcome to chance. */
  readonly intercept?: ((url: URL, reply: Reply) => Outcome | undefined) | undefined;
}

export const FAIR: Weather = { passing: 0, final: 0, latency: 300 };

export interface NetworkOptions {
  readonly scheduler: Scheduler;
  readonly provider: Provider;
  readonly random: Random;
  readonly weather: Weather;
  readonly concurrency: number;
  /** Whether every page has rows to write, because the state knows no day that the pages could be compared with (R6). */
  readonly writesAll: boolean;
  /** Whether the process that asks still lives. */
  readonly alive: () => boolean;
  /** Called with each broken rule. */
  readonly fault: (what: string) => void;
}

export class Network {
  readonly #options: NetworkOptions;
  #underWay = 0;
  /** The end of the pause that a 429 asks for, and the instant of the 429. */
  #hold = { from: -Infinity, until: -Infinity };
  /** Pages with new records that have arrived and are not yet written. */
  #unwritten = 0;
  readonly #arrived = new Set<string>();
  requests = 0;
  stopped = false;

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  readonly transport: Transport = (request) => {
    const { scheduler, random, weather, alive } = this.#options;
    this.#begin();
    const there = random.int(1, weather.latency);
    const back = random.int(1, weather.latency);
    return new Promise((resolve, reject) => {
      let over = false;
      const end = (settle: () => void): void => {
        if (over || !alive()) return;
        over = true;
        request.signal.removeEventListener("abort", abort);
        settle();
      };
      const abort = (): void =>
        end(() => {
          this.#underWay -= 1;
          reject(toError(request.signal.reason));
        });
      if (request.signal.aborted) return abort();
      request.signal.addEventListener("abort", abort);
      scheduler.after(there, () => {
        if (over || !alive()) return;
        const outcome = this.#outcome(request);
        if ("error" in outcome) {
          scheduler.after(outcome.delay, () =>
            end(() => {
              this.#underWay -= 1;
              reject(outcome.error);
            }),
          );
          return;
        }
        scheduler.after(back, () =>
          end(() => {
            outcome.arrives?.();
            resolve(this.#response(outcome.delivery, request));
          }),
        );
      });
    });
  };

  /** Call it when a page's records have been written. */
  written(): void {
    this.#unwritten -= 1;
  }

  /** C3: each lane holds at most two pages. Each stream also holds the lines of the page that it writes and of the next page. */
  #arrive(texts: readonly string[]): void {
    const { concurrency, provider, weather, fault, writesAll } = this.#options;
    // A stopped process or a failed stream never writes the pages that have arrived.
    if (!writesAll || weather.final > 0 || this.stopped) return;
    // If two windows return a row, the page that comes second may have nothing to write. If pages show earlier moments, a listing may move so
    // far that only its second reading, which writes nothing, shows a row.
    const isShared = provider.options.datasets.some(
      ({ selects, cursors, views }) =>
        (selects !== "start" && selects !== "containment") ||
        (cursors !== "snapshot" && views !== null),
    );
    if (isShared) return;
    const known = this.#arrived.size;
    for (const text of texts) this.#arrived.add(text);
    if (this.#arrived.size === known) return;
    this.#unwritten += 1;
    if (this.#unwritten > 2 * concurrency + 2 * STREAMS)
      fault(`C3: ${this.#unwritten} pages in memory`);
  }

  #begin(): void {
    const { concurrency, fault, scheduler } = this.#options;
    this.requests += 1;
    this.#underWay += 1;
    if (this.stopped) fault("stop: a request was sent after the signal");
    if (this.#underWay > concurrency)
      fault(`C1: ${this.#underWay} requests under way, ${concurrency} allowed`);
    const { now } = scheduler;
    if (now > this.#hold.from && now < this.#hold.until)
      fault("C2: a request was sent during a hold");
  }

  #outcome(request: HttpRequest): Outcome & { readonly arrives?: () => void } {
    const { provider, random, weather, scheduler } = this.#options;
    const before = provider.exchanges.length;
    const reply = provider.answer(request.url, scheduler.now);
    const served = provider.exchanges[before]?.versions.map(({ text }) => text) ?? [];
    const decided = weather.intercept?.(request.url, reply);
    if (decided !== undefined) return decided;
    const chance = random.next();
    if (chance < weather.final) {
      return finalFault(reply, request.url.searchParams.get("cursor"), random);
    }
    if (chance < weather.final + weather.passing) return passingFault(reply, random, scheduler.now);
    return { ...wellMeant(reply, random), arrives: () => this.#arrive(served) };
  }

  #response(
    { status, headers, chunks, breaks, asked }: Delivery,
    request: HttpRequest,
  ): HttpResponse {
    const { scheduler, random, alive } = this.#options;
    if (status === 429) {
      const until = scheduler.now + Math.max(asked ?? 0, 1000);
      this.#hold = { from: scheduler.now, until: Math.max(until, this.#hold.until) };
    }
    const pause = status === 429 ? 0 : random.int(0, 20);
    const pass = (ms: number): Promise<void> =>
      ms === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            scheduler.after(ms, () => {
              if (alive()) resolve();
            });
          });
    const end = (): void => {
      this.#underWay -= 1;
    };
    return {
      status,
      headers,
      body: (async function* () {
        try {
          for (const [index, chunk] of chunks.entries()) {
            if (index > 0) await pass(pause);
            if (request.signal.aborted) throw toError(request.signal.reason);
            yield chunk;
          }
          if (breaks !== undefined) throw breaks;
        } finally {
          end();
        }
      })(),
    };
  }
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("aborted");
}
