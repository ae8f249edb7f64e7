/**
 * One process of the connector, from its start to its end or its kill. It replaces cli/main.ts and uses the engine's
 * writer.
 */
// This import comes first, so that the engine uses the replaced function.
// oxlint-disable-next-line import/no-unassigned-import
import "./gunzip.ts";
import { Writable } from "node:stream";
import type { Host } from "../src/connector.ts";
import { MAXIMUM_LANES } from "../src/core/concurrency.ts";
import type { Limits } from "../src/core/limits.ts";
import type { Clock } from "../src/edges.ts";
import { Emitter } from "../src/emit.ts";
import { Secrets } from "../src/secrets.ts";
import { ConnectorError } from "../src/errors.ts";
import { hostOf as realHostOf, perform, READ } from "../src/testing_host.ts";
import { Network, type Weather } from "./network.ts";
import { type Item, Pipe } from "./platform.ts";
import type { Provider } from "./provider.ts";
import type { Random } from "./random.ts";
import type { Scheduler } from "./scheduler.ts";

/** The ways in which a process ends early. */
export interface End {
  /** Killed during the write that brings the line of this number. */
  readonly killAfterLines?: number;
  /** Killed as soon as a matching line has arrived. */
  readonly killWhen?: (item: Item) => boolean;
  /** Killed this number of milliseconds after its start. */
  readonly killAfter?: number;
  /** Gets SIGTERM this number of milliseconds after its start. */
  readonly stopAfter?: number;
}

export interface SyncOptions {
  readonly scheduler: Scheduler;
  readonly provider: Provider;
  readonly random: Random;
  readonly weather: Weather;
  readonly config: Readonly<Record<string, unknown>> & { readonly concurrency: number | null };
  readonly catalog: unknown;
  readonly states: unknown;
  /** The milliseconds by which the connector's clock is ahead of the provider's. */
  readonly skew: number;
  /** The longest time of a write, in milliseconds. */
  readonly slowness: number;
  readonly stateInterval: number;
  readonly limits: Limits;
  readonly end: End;
}

export interface SyncResult {
  /** The result or the error of `run`; undefined if the process was killed. */
  readonly outcome: boolean | ConnectorError | undefined;
  readonly items: readonly Item[];
  readonly startedAt: number;
  readonly endedAt: number;
  readonly requests: number;
  /** The rules that it broke while it ran. */
  readonly faults: readonly string[];
  /** The milliseconds from SIGTERM to the end. */
  readonly stoppedFor: number | undefined;
}

/** After an outage a sync may read a day for a second time, and compare the pages instead of writing each. */
function writesAll({ states, provider }: SyncOptions): boolean {
  return Array.isArray(states) && states.length === 0 && provider.strikes.length === 0;
}

/** Runs a `read` in virtual time. */
export async function sync(options: SyncOptions): Promise<SyncResult> {
  const { scheduler, config, end } = options;
  const faults: string[] = [];
  const startedAt = scheduler.now;
  const pipe = new Pipe();
  const stop = new AbortController();
  let [alive, over, stoppedAt] = [true, false, Number.NaN];
  let outcome: SyncResult["outcome"];
  const isAlive = (): boolean => alive;
  const fault = (what: string): void => {
    if (alive) faults.push(what);
  };
  const network = new Network({
    ...options,
    concurrency: config.concurrency ?? MAXIMUM_LANES,
    writesAll: writesAll(options),
    alive: isAlive,
    fault,
  });
  const die = (): void => {
    alive = false;
  };
  const stdout = stdoutTo(pipe, options, isAlive, die);
  if (end.killAfter !== undefined) scheduler.after(end.killAfter, die);
  if (end.stopAfter !== undefined) {
    scheduler.after(end.stopAfter, () => {
      if (over || !alive) return;
      stoppedAt = scheduler.now;
      stop.abort(new ConnectorError("aborted", "stopped by the simulation"));
      scheduler.after(0, () => {
        network.stopped = true;
      });
    });
  }
  const secrets = new Secrets();
  const host = hostOf(options, secrets, network, stop.signal, isAlive);
  const running = async (): Promise<void> => {
    outcome = await perform(READ, host, new Emitter(stdout, secrets, false), (output) => {
      if (output.type === "RECORD_LINES" && output.stream !== "export_windows") network.written();
    });
    over = true;
  };
  void running();
  await scheduler.until(() => over || !alive);
  const stoppedFor = over && !Number.isNaN(stoppedAt) ? scheduler.now - stoppedAt : undefined;
  alive = false; // the rest of the process must have no effect
  // Node keeps the listeners of a signal. If they stayed, a killed process would stay in memory with its buffers.
  if (!over) stop.abort(new ConnectorError("aborted", "killed by the simulation"));
  const { requests } = network;
  return {
    outcome,
    items: pipe.items,
    startedAt,
    endedAt: scheduler.now,
    requests,
    faults,
    stoppedFor,
  };
}

function hostOf(
  { scheduler, random, config, catalog, states, skew, stateInterval, limits }: SyncOptions,
  secrets: Secrets,
  network: Network,
  stop: AbortSignal,
  alive: () => boolean,
): Host {
  const clock: Clock = {
    now: () => scheduler.now + skew,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = (): void => {
          if (alive())
            reject(signal.reason instanceof Error ? signal.reason : new Error("aborted"));
        };
        if (signal.aborted) return abort();
        signal.addEventListener("abort", abort, { once: true });
        scheduler.after(ms, () => {
          signal.removeEventListener("abort", abort);
          if (alive()) resolve();
        });
      }),
  };
  const files = { config, catalog, state: states };
  return realHostOf(files, {
    clock,
    random: random.fork().next,
    nextTurn: () => clock.sleep(0, stop).catch(() => undefined),
    stop,
    secrets,
    openTransport: () => ({ transport: network.transport, close: () => Promise.resolve() }),
    stateInterval,
    limits,
  });
}

/** A slow pipe. A kill loses its content, even within a line. */
function stdoutTo(
  pipe: Pipe,
  { scheduler, random, slowness, end }: SyncOptions,
  alive: () => boolean,
  die: () => void,
): Writable {
  const chance = random.fork();
  const last = end.killAfterLines ?? Infinity;
  const arrive = (text: string): void => {
    const { killWhen } = end;
    if (killWhen !== undefined) {
      for (const line of text.split("\n").slice(0, -1)) {
        pipe.receive(`${line}\n`);
        const item = pipe.items.at(-1);
        if (item !== undefined && killWhen(item)) return die();
      }
      return;
    }
    if (last === Infinity) return pipe.receive(text);
    const lines = text.split("\n").length - 1;
    if (pipe.items.length + lines < last) return pipe.receive(text);
    const kept = text.split("\n").slice(0, Math.max(0, last - pipe.items.length));
    pipe.receive(`${kept.map((line) => `${line}\n`).join("")}{"type":"RECO`);
    die();
  };
  return new Writable({
    decodeStrings: false,
    highWaterMark: chance.pick([1, 400, 16_384]),
    write(chunk: unknown, _encoding, done) {
      if (!alive()) return;
      const delay = slowness === 0 ? 0 : chance.int(0, slowness);
      const arrived = (): void => {
        if (!alive()) return;
        arrive(String(chunk));
        if (alive()) done();
      };
      if (delay === 0) arrived();
      else scheduler.after(delay, arrived);
    },
  });
}
