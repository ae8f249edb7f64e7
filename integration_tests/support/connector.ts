/** The four commands for tests: each run is checked against the rules that hold for every run. */
import { expect, inject } from "vitest";
import { catalogOf, type Config, type ConfiguredCatalog } from "./config.ts";
import { type Expectations, faultsOf } from "./judge.ts";
import { inProcess, readInProcess } from "./in_process.ts";
import { type Finished, launch, type LaunchOptions, type Running } from "./process.ts";
import type { ErrorTrace, Json, StreamState, Trace } from "./protocol.ts";

/** A run that keeps the protocol. */
export interface Run extends Finished {
  /** The data of a stream's records, in the order of their arrival. */
  records(stream: string): readonly Json[];
  readonly states: readonly StreamState[];
  /** The last state of each stream: the input of the next sync. */
  readonly state: readonly StreamState[];
  readonly errors: readonly ErrorTrace[];
  /** `LEVEL: message` of each log line. */
  readonly logs: readonly string[];
  /** Statuses of a stream. */
  statuses(stream: string): readonly string[];
}

export interface ReadOptions {
  readonly catalog?: ConfiguredCatalog;
  /** Undefined for no `--state` at all. */
  readonly state?: readonly StreamState[] | string | undefined;
  /** Lets records through that break their schema. */
  readonly broken?: boolean;
}

export type StartOptions = ReadOptions &
  Pick<LaunchOptions, "args" | "env" | "paused" | "raw" | "stdout">;

/** Checks in this process. */
export async function check(config: Config | string): Promise<Run> {
  return judged(await inProcess("check", { config }), { secrets: secretsOf(config) });
}

/** Discovers in this process. */
export async function discover(config: Config | string): Promise<Run> {
  return judged(await inProcess("discover", { config }), { secrets: secretsOf(config) });
}

/** Runs any command to its end, in a process that the launcher starts. */
export async function command(name: string, options: LaunchOptions): Promise<Run> {
  return judged(await launch(name, options).done, { secrets: secretsOf(options.config) });
}

/** Reads to the end, in this process. */
export async function read(config: Config, options: ReadOptions = {}): Promise<Run> {
  const { catalog = catalogOf(), state } = options;
  return judged(await readInProcess({ config, catalog, state }), expectedOf(config, options));
}

/** Reads to the end as users do: in a process that the launcher starts. */
export async function readAsUsers(config: Config, options: StartOptions = {}): Promise<Run> {
  return await startRead(config, options).judged();
}

/** A read that is still running. */
export interface Reading {
  readonly running: Running;
  /** The result of the read. `cut`: SIGKILL ended it. */
  judged(cut?: boolean): Promise<Run>;
}

export function startRead(config: Config, options: StartOptions = {}): Reading {
  const { catalog = catalogOf(), broken: _, ...rest } = options;
  const running = launch("read", { config, catalog, ...rest });
  const expected = expectedOf(config, options);
  return {
    running,
    judged: async (cut = false) => judged(await running.done, { ...expected, cut }),
  };
}

function expectedOf(config: Config, { catalog = catalogOf(), broken }: ReadOptions): Expectations {
  return {
    streams: catalog.streams.map(({ stream }) => stream.name),
    secrets: secretsOf(config),
    catalog: broken === true ? undefined : inject("catalog"),
  };
}

/** The secrets of a config, by the names that the interface gives them. */
function secretsOf(config: unknown): string[] {
  const secrets: string[] = [];
  JSON.stringify(config, (key, value: unknown) => {
    const secret = ["access_token", "api_key", "refresh_token", "client_secret"].includes(key);
    if (secret && typeof value === "string" && value.length >= 4) secrets.push(value);
    return value;
  });
  return secrets;
}

function judged(run: Finished, expected: Expectations): Run {
  const faults = faultsOf(run, expected);
  const errors = run.messages.flatMap(({ trace }) => trace?.error ?? []);
  const why = errors.map(({ internal_message: message }) => message).join("\n");
  expect(faults, `${why}\n${run.stdout.slice(-2000)}`).toEqual([]);
  const states = run.messages.flatMap(({ state }) => state ?? []);
  return {
    ...run,
    states,
    state: lastStates(states),
    errors,
    logs: run.messages.flatMap(({ log }) =>
      log === undefined ? [] : [`${log.level}: ${log.message}`],
    ),
    records: (stream) =>
      run.messages.flatMap(({ record }) => (record?.stream === stream ? [record.data] : [])),
    statuses: (stream) => run.messages.flatMap(({ trace }) => statusOf(trace, stream) ?? []),
  };
}

function statusOf(trace: Trace | undefined, stream: string): string | undefined {
  const status = trace?.stream_status;
  return status?.stream_descriptor.name === stream ? status.status : undefined;
}

function lastStates(states: readonly StreamState[]): StreamState[] {
  const last = new Map(states.map((state) => [state.stream.stream_descriptor.name, state]));
  // Sorted by name, because the order in which the streams end is random.
  return [...last].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, state]) => state);
}
