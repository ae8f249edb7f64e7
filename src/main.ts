/** The process edge: the only file that names `process`. */
import { setMaxListeners } from "node:events";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import packageJson from "../package.json" with { type: "json" };
import type { Command } from "./cli.ts";
import type { Host } from "./connector.ts";
import type { Clock } from "./edges.ts";
import { Emitter, Secrets } from "./emit.ts";
import { ConnectorError } from "./errors.ts";
import { assertWritable, writeConfigFile } from "./config/file.ts";
import { readJsonFile } from "./config/json_file.ts";
import { Progress } from "./progress.ts";
import { errorTrace } from "./protocol.ts";
import { specification } from "./spec.ts";

/** How often a STATE is worth its bytes, in milliseconds (S2). */
const STATE_INTERVAL = 5000;

/** How long a signal waits for the last states to be written, in milliseconds (design section 4). */
const GRACE = 4500;

const clock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    signal.throwIfAborted();
    try {
      await sleep(ms, undefined, { signal });
    } catch (reason) {
      signal.throwIfAborted();
      throw reason;
    }
  },
};

const configFile = { write: writeConfigFile, assertWritable };

type Running = Extract<Command, { debug: boolean }>;

async function main(): Promise<void> {
  const secrets = new Secrets();
  const stop = stopOnSignals();
  let emitter = new Emitter(process.stdout, secrets, false);
  try {
    const command = await commandOf(process.argv.slice(2));
    if ("text" in command) {
      process.stdout.write(command.text);
      return;
    }
    if (command.kind === "login") {
      await signIn(command, secrets, stop.signal);
      return;
    }
    emitter = new Emitter(process.stdout, secrets, command.debug);
    const ok = await perform(command, emitter, secrets, stop.signal);
    await emitter.flush();
    process.exitCode = ok ? 0 : 1;
  } catch (reason) {
    stop.end();
    process.exitCode = 1;
    await tell(ConnectorError.from(reason), emitter, secrets);
  } finally {
    stop.die();
  }
}

/** What the command line asks for. The bare word `spec` needs no parser, which takes longer to load than all the rest. */
async function commandOf(argv: readonly string[]): Promise<Command> {
  if (argv.length === 1 && argv[0] === "spec") return { kind: "spec", debug: false };
  const { parseCommandLine } = await import("./cli.ts");
  return parseCommandLine(argv, packageJson.version);
}

/** Runs a command; whether all went well. `spec` answers at once: nothing of what the others need is loaded for it. */
async function perform(
  command: Running,
  emitter: Emitter,
  secrets: Secrets,
  stop: AbortSignal,
): Promise<boolean> {
  if (command.kind === "spec") {
    await emitter.write({ type: "SPEC", spec: specification });
    return true;
  }
  const { openTransport, run, TRANSPORT_LIMITS } = await import("./connector.ts");
  const progress = watched(command, secrets);
  const host: Host = {
    version: packageJson.version,
    clock,
    random: Math.random,
    nextTurn: () => setImmediate(),
    stop,
    secrets,
    readJson: readJsonFile,
    configFile,
    openTransport: (connections) =>
      openTransport({ limits: TRANSPORT_LIMITS, connections, proxies: process.env }),
    stateInterval: STATE_INTERVAL,
    onAnswered: (request) => progress?.asked(request),
  };
  const outputs = run(command, host);
  let pages = 0;
  try {
    for (;;) {
      const next = await outputs.next();
      if (next.done === true) return next.value;
      if (next.value.type === "RECORD_LINES" && pages++ === 0) keepLean();
      await emitter.write(next.value);
      progress?.saw(next.value);
    }
  } finally {
    progress?.end();
  }
}

/**
 * From now on the heap grows by a fifth, not to its double, before what is no longer used is collected: a tenth less
 * memory at the peak, for nothing. Not from the start: while any flag of the engine differs from what Node was built with,
 * the code that was compiled ahead is refused, Node's own modules included, which takes another 40 ms.
 */
function keepLean(): void {
  setFlagsFromString("--heap-growing-percent=20");
}

/** Where a person watches a read, and does not see the messages themselves. */
function watched({ kind }: Running, secrets: Secrets): Progress | undefined {
  const { stdout, stderr } = process;
  if (kind !== "read" || !stderr.isTTY || stdout.isTTY) return undefined;
  stderr.on("error", () => undefined); // a terminal that closes is no reason to stop
  return new Progress(
    (text) => void stderr.write(secrets.mask(text)),
    () => clock.now(),
  );
}

/** `login` talks to a person: what went wrong is said on stderr, in plain text. */
async function signIn(
  command: Extract<Command, { kind: "login" }>,
  secrets: Secrets,
  stop: AbortSignal,
): Promise<void> {
  const [{ beginSignIn, openTransport, TRANSPORT_LIMITS }, { login }, { openBrowser }] =
    await Promise.all([
      import("./connector.ts"),
      import("./login/login.ts"),
      import("./login/browser.ts"),
    ]);
  const warn = (text: string): void => void process.stderr.write(`${secrets.mask(text)}\n`);
  const host = {
    version: packageJson.version,
    clock,
    random: Math.random,
    openTransport: (connections: number) =>
      openTransport({ limits: TRANSPORT_LIMITS, connections, proxies: process.env }),
    warn,
  };
  try {
    await login(command, {
      clock,
      stop,
      secrets,
      readJson: readJsonFile,
      configFile,
      begin: (config, redirectUri) => beginSignIn(config, redirectUri, host),
      openBrowser: (address) => openBrowser(address, process.platform),
      say: (text) => void process.stdout.write(text),
    });
  } catch (reason) {
    const error = ConnectorError.from(reason);
    warn(error.message);
    if (error.code === "internal") warn(error.detail ?? "");
    process.exitCode = 1;
  }
}

/** The last word: an error trace, or a line on stderr where stdout is gone. */
async function tell(error: ConnectorError, emitter: Emitter, secrets: Secrets): Promise<void> {
  if (isGone(error)) return;
  try {
    if (error.code !== "aborted") await emitter.write(errorTrace(error.toTrace(), clock.now()));
    await emitter.flush();
  } catch (reason) {
    // What cannot be written is most often the very error that is to be told.
    const lines = error.cause === reason ? [] : [error.message];
    const why = reason instanceof Error ? reason.message : String(reason);
    lines.push(`Stdout cannot be written (${why}): free its disk or mend its pipe, and run again.`);
    process.stderr.write(`${secrets.mask(lines.join("\n"))}\n`);
  }
}

/** Whether whoever read stdout has gone away: nobody is left to tell. */
function isGone({ cause }: ConnectorError): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EPIPE";
}

/**
 * SIGTERM and SIGINT end the run in good order: no new request, the states of what was written. Then the process dies
 * by the signal, so that no platform takes it for a success; as PID 1 of a container the signal does nothing, hence the
 * exit code.
 */
function stopOnSignals(): { readonly signal: AbortSignal; end(): void; die(): void } {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  let received: NodeJS.Signals | undefined;
  const die = (): void => {
    if (received === undefined) return;
    process.exitCode = received === "SIGTERM" ? 143 : 130;
    process.removeAllListeners(received);
    process.kill(process.pid, received);
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (received !== undefined) return;
      received = signal;
      const message = `The run was stopped by ${signal}; it goes on from its last state.`;
      controller.abort(new ConnectorError("aborted", message));
      setTimeout(die, GRACE).unref();
    });
  }
  const end = (): void => controller.abort(new ConnectorError("aborted", "The run is over."));
  return { signal: controller.signal, end, die };
}

await main();
