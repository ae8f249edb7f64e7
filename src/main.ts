/** The process edge: the only file that names `process`. */
import { setMaxListeners } from "node:events";
import type { Writable } from "node:stream";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import packageJson from "../package.json" with { type: "json" };
import type { Command } from "./cli.ts";
import type { Host } from "./connector.ts";
import type { Clock } from "./edges.ts";
import { Emitter, Secrets } from "./emit.ts";
import { ConnectorError } from "./errors.ts";
import type { InputKind } from "./config/json_file.ts";
import type { Progress } from "./progress.ts";
import { errorTrace, failureOf } from "./protocol.ts";
import { specification } from "./spec.ts";

/** The least time between two STATEs of a stream, in milliseconds (S2). */
const STATE_INTERVAL = 1000;

/** The descriptor of stdout. */
const STDOUT = 1;

/** The time after a signal in which the last states may be written, in milliseconds (design section 4). */
const GRACE = 4500;

const clock: Clock = {
  now: () => Date.now(),
  computed: () => performance.eventLoopUtilization().active,
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

// Loaded with their first use, because `spec` needs none of it: Node's module for cryptography alone takes 6 ms.
const configFile = {
  write: async (path: string, config: unknown): Promise<void> =>
    await (await import("./config/file.ts")).writeConfigFile(path, config),
  assertWritable: async (path: string): Promise<void> =>
    await (await import("./config/file.ts")).assertWritable(path),
};
const readJson = async (path: string, what: InputKind): Promise<unknown> =>
  await (await import("./config/json_file.ts")).readJsonFile(path, what);

/** Commands with options of their own; see warehouse/. */
const WAREHOUSE_COMMANDS: ReadonlySet<string> = new Set(["sync", "init", "query", "report"]);

type Running = Extract<Command, { debug: boolean }>;

async function main(): Promise<void> {
  const secrets = new Secrets();
  const stop = stopOnSignals();
  let emitter: Emitter | undefined;
  const plainEmitter = (): Emitter => new Emitter(process.stdout, secrets, false);
  try {
    const command = await commandOf(process.argv.slice(2));
    if ("text" in command) {
      await plainEmitter().print(command.text);
      return;
    }
    if (command.kind === "conform") {
      process.exitCode = await runConform(command.argv, stop.signal);
      return;
    }
    if (command.kind === "login") {
      await signIn(command, secrets, stop.signal);
      return;
    }
    if (command.kind === "warehouse") {
      await runWarehouse(command.argv, plainEmitter(), secrets, stop.signal);
      return;
    }
    emitter = new Emitter(await stdoutOf(command), secrets, command.debug);
    const ok = await perform(command, emitter, secrets, stop.signal);
    await emitter.flush();
    process.exitCode = ok ? 0 : 1;
  } catch (reason) {
    stop.end();
    process.exitCode = 1;
    await tell(ConnectorError.from(reason), emitter ?? plainEmitter(), secrets);
  } finally {
    stop.die();
  }
}

/** Parses the command line. The single word `spec` needs no parser: the parser takes longer to load than all other modules. */
async function commandOf(argv: readonly string[]): Promise<Command> {
  if (argv.length === 1 && argv[0] === "spec") return { kind: "spec", debug: false };
  // Its options are its own, and so are its errors and exit codes.
  if (argv[0] === "conform") return { kind: "conform", argv: argv.slice(1) };
  if (WAREHOUSE_COMMANDS.has(argv[0] ?? "")) return { kind: "warehouse", argv };
  const { parseCommandLine } = await import("./cli.ts");
  return parseCommandLine(argv, packageJson.version);
}

/** Runs a command. Gives whether all went well. `spec` answers at once, without the modules of the other commands. */
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
  const connector = await import("./connector.ts");
  const progress = await watched(command, secrets);
  const outputs = connector.run(command, {
    ...hostOf(connector, secrets, stop),
    onProgress: (event) => progress?.told(event),
  });
  let pages = 0;
  try {
    for (;;) {
      const next = await outputs.next();
      if (next.done === true) return next.value;
      if (next.value.type === "RECORD_LINES" && pages++ === 0) await limitHeapGrowth();
      await emitter.write(next.value);
      progress?.saw(next.value);
      if (next.value.type !== "RECORD_LINES") await explain(failureOf(next.value), secrets);
    }
  } finally {
    progress?.end();
    await outputs.return(false); // where stdout is broken the run must not go on
  }
}

/**
 * The next turn of the event loop. It is asked for after all promises have gone on, so that the requests that they send leave
 * before it: undici sends a request on a used connection in a turn of its own.
 */
async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => process.nextTick(resolve));
  await setImmediate();
}

/** Stdout for a command. A read has a stdout of its own; see stdout.ts. */
async function stdoutOf({ kind }: Running): Promise<Writable> {
  if (kind !== "read") return process.stdout;
  return (await import("./stdout.ts")).openStdout(STDOUT, () => process.stdout);
}

/** This process, as the connector sees it. */
function hostOf(
  { openTransport, TRANSPORT_LIMITS }: typeof import("./connector.ts"),
  secrets: Secrets,
  stop: AbortSignal,
): Host {
  return {
    version: packageJson.version,
    clock,
    random: Math.random,
    nextTurn,
    stop,
    secrets,
    readJson,
    configFile,
    openTransport: (connections) =>
      openTransport({ limits: TRANSPORT_LIMITS, connections, proxies: process.env }),
    stateInterval: STATE_INTERVAL,
  };
}

/**
 * Lets the heap grow by a fifth, not to its double, before V8 collects garbage. A read of 300,000 records then peaks at
 * 103 MiB instead of 121 MiB, in the same time. A flag in the launcher would do the same but makes Node refuse the compiled
 * code in its cache, its own modules included: every command would start 18 ms later (`spec`: 40 ms instead of 31 ms).
 */
async function limitHeapGrowth(): Promise<void> {
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--heap-growing-percent=20");
}

/** Shows progress if a person watches a read at a terminal and stdout is redirected. */
async function watched({ kind }: Running, secrets: Secrets): Promise<Progress | undefined> {
  const { stderr } = process;
  if (kind !== "read" || !stderr.isTTY || isatty(STDOUT)) return undefined;
  const { Progress } = await import("./progress.ts");
  stderr.on("error", () => undefined); // the read goes on if the terminal closes
  return new Progress(
    (text) => void stderr.write(secrets.mask(text)),
    () => clock.now(),
  );
}

/** `conform` writes a report for people to stdout. Gives its exit code. */
async function runConform(argv: readonly string[], stop: AbortSignal): Promise<number> {
  const { conform } = await import("../conform/command.ts");
  const { stdout, stderr } = process;
  const stopped = new Promise<number>((resolve) => {
    stop.addEventListener("abort", () => resolve(2));
  });
  const checked = conform(argv, {
    version: packageJson.version,
    environment: process.env,
    clock: { now: () => clock.now(), sleep: (ms) => sleep(ms) },
    say: (text) => void stdout.write(text),
    isTerminal: stdout.isTTY,
    warn: (text) => void stderr.write(text),
    progress: stderr.isTTY ? (line) => void stderr.write(`\r\u001B[K${line}`) : undefined,
  });
  return Promise.race([checked, stopped]);
}

/** `login` talks to a person: it reports errors on stderr, in plain text. */
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
      readJson,
      configFile,
      begin: (config, redirectUri) => beginSignIn(config, redirectUri, host),
      openBrowser: (address) => openBrowser(address, process.platform),
      say: (text) => void process.stdout.write(text),
    });
  } catch (reason) {
    failInWords(ConnectorError.from(reason), warn);
  }
}

/** Ends a command that talks to people: the message of its error on stderr, and exit code 1. */
function failInWords(error: ConnectorError, warn: (text: string) => void): void {
  warn(error.message);
  if (error.code === "internal") warn(error.detail ?? "");
  process.exitCode = 1;
}

/** `sync`, `init`, `query` and `report`: their result goes to stdout, in words or as JSON, and all else to stderr. */
async function runWarehouse(
  argv: readonly string[],
  emitter: Emitter,
  secrets: Secrets,
  stop: AbortSignal,
): Promise<void> {
  const { stdin, stderr } = process;
  stderr.on("error", () => undefined); // the sync goes on if the terminal closes
  const warn = (text: string): void => void stderr.write(`${secrets.mask(text)}\n`);
  const [connector, folder, { askAt }] = await Promise.all([
    import("./connector.ts"),
    import("../warehouse/command.ts").catch(() => undefined), // the image has none of it
    import("./login/prompt.ts"),
  ]);
  if (folder === undefined) {
    warn(
      "This command is not a part of the image: install it with `npm install --global source-ai-billing`.",
    );
    process.exitCode = 1;
    return;
  }
  const host = hostOf(connector, secrets, stop);
  try {
    const ok = await folder.warehouse(argv, {
      now: () => clock.now(),
      sleep: (ms) => clock.sleep(ms, stop),
      secrets,
      engine: (command, edges) => connector.run(command, { ...host, ...edges }),
      readJson,
      say: (text) => emitter.print(secrets.mask(text)),
      warn,
      draw: stderr.isTTY ? (text) => void stderr.write(secrets.mask(text)) : undefined,
      ask: stdin.isTTY && stderr.isTTY ? askAt(stdin, stderr) : undefined,
      databaseUrl: process.env["DATABASE_URL"],
      readInput: async () => await (await import("node:stream/consumers")).text(stdin),
    });
    process.exitCode = ok ? 0 : 1;
  } catch (reason) {
    const error = ConnectorError.from(reason);
    if (!isGone(error)) failInWords(error, warn);
  }
}

/** Reports the error that ends the process: as a trace, or on stderr if stdout cannot be written. */
async function tell(error: ConnectorError, emitter: Emitter, secrets: Secrets): Promise<void> {
  if (isGone(error)) return;
  try {
    if (error.code !== "aborted") await emitter.write(errorTrace(error.toTrace(), clock.now()));
    await emitter.flush();
    await explain(error.message, secrets);
  } catch (reason) {
    // Usually stdout has now failed with the same error that is to be reported. Then one message is enough.
    const lines = error.cause === reason ? [] : [error.message];
    const why = reason instanceof Error ? reason.message : String(reason);
    lines.push(`Stdout cannot be written (${why}): free its disk or mend its pipe, and run again.`);
    process.stderr.write(`${secrets.mask(lines.join("\n"))}\n`);
  }
}

/**
 * Says on stderr why a command failed, if a person is there: at a terminal, or where stdout goes to a file and hides the
 * message. Platforms read stdout through a pipe, and get nothing twice.
 */
async function explain(failure: string | undefined, secrets: Secrets): Promise<void> {
  if (failure === undefined) return;
  if (!process.stderr.isTTY && !(await import("./stdout.ts")).isFile(STDOUT)) return;
  process.stderr.on("error", () => undefined); // nobody is left to be told
  process.stderr.write(`${secrets.mask(failure)}\n`);
}

/** Whether the reader of stdout has gone away, so that nobody can read a report. */
function isGone({ cause }: ConnectorError): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EPIPE";
}

/**
 * SIGTERM and SIGINT end the run in good order: no new request, then the states of all that was written. Then the process
 * dies by the signal, so that no platform takes the run for a success. A signal does nothing to PID 1 of a container, so the
 * exit code is set, too.
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
