/** Starts programs of this repository as processes of their own: for the demo, the bench and the integration tests. */
import { type ChildProcess, spawn, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The connector as users start it: it runs the bundle on the pinned Node. */
export const LAUNCHER = fileURLToPath(new URL("source-ai-billing", import.meta.url));

export interface StartOptions {
  /** Default: that of this process. */
  readonly cwd?: string;
  /** Replaces the environment. Default: {@link localEnvironment}. */
  readonly env?: NodeJS.ProcessEnv;
  /** Default: no stdin, a pipe for stdout, and this process's stderr. */
  readonly stdio?: StdioOptions;
  /** Milliseconds after which the process is killed by SIGKILL. Default: never. */
  readonly timeout?: number;
}

/** How a process ended: with an exit code or by a signal. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A process and its end, which comes after the last of its output. Rejects where the program cannot be started. */
export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
}

/** Starts a program. `command` is its path, or its name on PATH, and its arguments. */
export function start(command: readonly string[], options: StartOptions = {}): Started {
  const [program = "", ...args] = command;
  const { env = localEnvironment(), stdio = ["ignore", "pipe", "inherit"], ...rest } = options;
  const child = spawn(program, args, { env, stdio, killSignal: "SIGKILL", ...rest });
  const ended = endOf(child);
  ended.catch(() => undefined); // the caller may wait for something else first
  return { child, ended };
}

/** Starts a script of this repository on the Node that runs this one. */
export function startScript(
  path: string,
  args: readonly string[],
  options?: StartOptions,
): Started {
  return start([process.execPath, path, ...args], options);
}

async function endOf(child: ChildProcess): Promise<Ended> {
  const [code, signal]: unknown[] = await once(child, "close");
  return {
    code: typeof code === "number" ? code : null,
    signal: typeof signal === "string" ? signal : null,
  };
}

/** This process's environment, with no proxy for the servers of this machine. */
export function localEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" };
}
