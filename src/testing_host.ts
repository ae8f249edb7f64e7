/** Runs of the engine without a process of its own, for tests, the simulation and the bench. Never part of the connector. */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import type { AskingCommand } from "./asking.ts";
import { type Host, openTransport, run, TRANSPORT_LIMITS } from "./connector.ts";
import type { Emitter } from "./emit.ts";
import { ConnectorError } from "./errors.ts";
import { errorTrace, type Output } from "./protocol.ts";
import { Secrets } from "./secrets.ts";

/** A read of the files that `hostOf` is given under these names. */
export const READ = {
  kind: "read",
  config: "config",
  catalog: "catalog",
  state: "state",
  writeConfig: false,
  debug: false,
} as const;

/**
 * A host on this machine's clock and network.
 *
 * @param files the contents of the files, by their names
 * @param parts replaces parts of the host
 */
export function hostOf(files: Readonly<Record<string, unknown>>, parts: Partial<Host> = {}): Host {
  return {
    version: "0.0.0",
    clock: {
      now: () => Date.now(),
      sleep: async (ms, signal) => {
        await sleep(ms, undefined, { signal });
      },
    },
    random: Math.random,
    nextTurn: () => setImmediate(),
    stop: new AbortController().signal,
    secrets: new Secrets(),
    readJson: (path) => Promise.resolve(structuredClone(files[path])),
    openTransport: (connections) =>
      openTransport({ limits: TRANSPORT_LIMITS, connections, proxies: {} }),
    stateInterval: 1000,
    ...parts,
  };
}

/** A host like `host` that calls `sends` before each of its requests. */
export function watched(host: Host, sends: () => void): Host {
  return {
    ...host,
    openTransport: (connections) => {
      const opened = host.openTransport(connections);
      return {
        ...opened,
        transport: (request) => {
          sends();
          return opened.transport(request);
        },
      };
    },
  };
}

/**
 * Runs a command and writes its outputs, as cli/main.ts does.
 *
 * @param wrote is called after each output that was written
 * @returns what the command returned or threw
 */
export async function perform(
  command: AskingCommand,
  host: Host,
  emitter: Emitter,
  wrote: (output: Output) => void = () => undefined,
): Promise<boolean | ConnectorError> {
  const outputs = run(command, host);
  try {
    for (;;) {
      const { done, value } = await outputs.next();
      if (done === true) return value;
      await emitter.write(value);
      wrote(value);
    }
  } catch (reason) {
    const error = ConnectorError.from(reason);
    if (error.code !== "aborted")
      await emitter.write(errorTrace(error.toTrace(), host.clock.now()));
    return error;
  } finally {
    await emitter.flush();
  }
}
