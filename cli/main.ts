/** The process edge. No file of the engine names `process`. */
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { isatty } from "node:tty";
import packageJson from "../package.json" with { type: "json" };
import type { AskingCommand } from "../src/asking.ts";
import type { Host } from "../src/connector.ts";
import { Emitter } from "../src/emit.ts";
import { NOTICE_URL } from "../src/config_place.ts";
import { ConnectorError } from "../src/errors.ts";
import type { LoginCommand } from "../src/login/login.ts";
import { errorTrace, failureOf } from "../src/protocol.ts";
import { Secrets } from "../src/secrets.ts";
import { specification } from "../src/spec.ts";
import type { VerifyCommand } from "../verify/options.ts";
import type { WarehouseCommand } from "../warehouse/commands.ts";
import type { Watcher } from "../warehouse/host.ts";
import { clock } from "./clock.ts";
import { filesOf } from "./files.ts";
import { interrupt, stopOnSignals } from "./signals.ts";
import type { Command, WrongLine } from "./tree.ts";

/** The least time between two STATEs of a stream, in milliseconds (S2). */
const STATE_INTERVAL = 1000;

/** The descriptor of stdout. */
const STDOUT = 1;

const { configFile, readFile, readInput, readJson } = filesOf(process);

/** New files are for their owner only: a database, its log, a report and a recording hold what a company spends. */
const PRIVATE = 0o077;

/**
 * The exit codes of a command that failed, and of one that could not run: its line is wrong, or it is a check. For a check, 1 means that
 * it has found something.
 */
const FAILED = 1;
const NOT_RUN = 2;

/** A command whose result is messages of the protocol. */
type Running = AskingCommand | Extract<Command, { kind: "spec" }>;

async function main(): Promise<void> {
  const secrets = new Secrets();
  const stop = stopOnSignals(process);
  let emitter: Emitter | undefined;
  let failure = FAILED;
  // One for the whole run: it knows that stdout is broken, so that the failure is told once.
  const plainEmitter = (): Emitter => (emitter ??= new Emitter(process.stdout, secrets, false));
  try {
    const command = await commandOf(process.argv.slice(2));
    if (hasStates(command)) stop.keepStates();
    if (leavesNothing(command)) stop.keepNothing();
    switch (command.kind) {
      case "help":
      case "version":
      case "completion":
        return await plainEmitter().print(command.text);
      case "absent":
        return failInWords(notInstalled(), sayOnStderr(secrets));
      case "wrong":
        return await refuse(command, plainEmitter());
      case "conform":
        process.exitCode = await (
          await import("./judging.ts")
        ).runConform(command, process, (path) => readJson(path, "config"), stop.signal);
        return;
      case "verify":
        failure = NOT_RUN;
        process.umask(PRIVATE);
        return await verify(command, plainEmitter(), secrets, stop.signal);
      case "login":
        return await signIn(command, secrets, stop.signal);
      case "warehouse":
        return await runWarehouse(command.command, plainEmitter(), secrets, stop.signal);
      case "record":
        process.umask(PRIVATE);
        break;
      case "spec":
      case "check":
      case "discover":
      case "read":
    }
    emitter = new Emitter(await stdoutOf(command), secrets, command.debug);
    const ok = await perform(command, emitter, secrets, stop.signal);
    await emitter.flush();
    process.exitCode = ok ? 0 : 1;
  } catch (reason) {
    stop.end();
    process.exitCode = failure;
    await tell(ConnectorError.from(reason), plainEmitter(), secrets);
  } finally {
    stop.die();
  }
}

/** Whether a command writes states: after a signal it gets time to write the last ones. */
const hasStates = (command: Command): boolean =>
  command.kind === "read" || (command.kind === "warehouse" && command.command.kind === "sync");

/** Whether a command leaves nothing behind if it is killed: a report is written beside its file and renamed, a book is one transaction. */
const leavesNothing = (command: Command): boolean =>
  command.kind === "warehouse" &&
  ["costs", "query", "report", "close"].includes(command.command.kind);

/** Parses the command line. The single word `spec` needs no parser: the parser takes longer to load than all other modules. */
async function commandOf(argv: readonly string[]): Promise<Command> {
  if (argv.length === 1 && argv[0] === "spec") return { kind: "spec", debug: false };
  return await (await import("./tree.ts")).parseCommandLine(argv, packageJson.version);
}

/**
 * Answers a wrong command line. A person reads the fault and the help on stderr. A platform reads the fault from stdout, so a trace
 * goes there unless stdout is a terminal or the command is for people.
 */
async function refuse(
  { error, help, isForPeople, isJson }: WrongLine,
  emitter: Emitter,
): Promise<void> {
  process.exitCode = NOT_RUN;
  if (isJson) await emitter.print(error.toJson());
  if (isForPeople || (await isWatched())) {
    process.stderr.on("error", () => undefined); // nobody is left to be told
    process.stderr.write(`${error.message}\n\n${help}`);
  }
  if (!process.stdout.isTTY && !isForPeople)
    await emitter.write(errorTrace(error.toTrace(), clock.now()));
  await emitter.flush();
}

function notInstalled(): ConnectorError {
  return new ConnectorError(
    "invalid_arguments",
    "This command is not a part of the image: install it with `npm install --global source-ai-billing`.",
  );
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
  const connector = await import("../src/connector.ts");
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
 * Resolves in the next turn of the event loop, after all waiting promises have gone on. So the requests that they send leave
 * first: undici sends a request on a used connection in a turn of its own.
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
  { openTransport, TRANSPORT_LIMITS }: typeof import("../src/connector.ts"),
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
async function watched({ kind }: Running, secrets: Secrets): Promise<Watcher | undefined> {
  if (kind !== "read" || !process.stderr.isTTY || isatty(STDOUT)) return undefined;
  return (await watcherOf(secrets))();
}

/** Makes the display of a read's progress on stderr. */
async function watcherOf(secrets: Secrets): Promise<() => Watcher> {
  const { watchOn } = await import("./watch.ts");
  return watchOn(process, (text) => secrets.mask(text));
}

/** `login` talks to a person: it reports errors on stderr, in plain text. */
async function signIn(command: LoginCommand, secrets: Secrets, stop: AbortSignal): Promise<void> {
  const [{ beginSignIn, openTransport, TRANSPORT_LIMITS }, { login }, { openBrowser }] =
    await Promise.all([
      import("../src/connector.ts"),
      import("../src/login/login.ts"),
      import("../src/login/browser.ts"),
    ]);
  const warn = sayOnStderr(secrets);
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
      readJson: readFile, // a file only, because login saves the tokens in it
      configFile,
      begin: (config, redirectUri) => beginSignIn(config, redirectUri, host),
      openBrowser: (address) => openBrowser(address, process.platform),
      say: (text) => void process.stdout.write(text),
    });
  } catch (reason) {
    failInWords(ConnectorError.from(reason), warn);
  }
}

async function verify(
  command: VerifyCommand,
  emitter: Emitter,
  secrets: Secrets,
  stop: AbortSignal,
): Promise<void> {
  const [connector, { runVerify }] = await Promise.all([
    import("../src/connector.ts"),
    import("./judging.ts"),
  ]);
  const host = hostOf(connector, secrets, stop);
  const error = await runVerify(command, process, host, emitter);
  if (error === undefined) return;
  failInWords(error, sayOnStderr(secrets));
  process.exitCode = NOT_RUN;
}

const sayOnStderr =
  (secrets: Secrets) =>
  (text: string): void =>
    void process.stderr.write(`${secrets.mask(text)}\n`);

/** Ends a command that talks to people: the message of its error on stderr, and exit code 1. */
function failInWords(error: ConnectorError, warn: (text: string) => void): void {
  warn(error.message);
  if (error.code === "internal") warn(error.detail ?? "");
  process.exitCode = 1;
}

/** `sync`, `init`, `costs`, `query`, `report` and `close`: their result goes to stdout, in words or as JSON, and all else to stderr. */
async function runWarehouse(
  command: WarehouseCommand,
  emitter: Emitter,
  secrets: Secrets,
  stop: AbortSignal,
): Promise<void> {
  const { stdin, stdout, stderr, env: environment } = process;
  process.umask(PRIVATE);
  stderr.on("error", () => undefined); // the sync goes on if the terminal closes
  const [connector, { warehouse }, { cleanedMessage }, { askAt }, { poster }] = await Promise.all([
    import("../src/connector.ts"),
    import("../warehouse/command.ts"),
    import("../warehouse/text.ts"),
    import("../src/login/prompt.ts"),
    import("./post.ts"),
  ]);
  // DuckDB and PostgreSQL quote names and texts of a database that may be foreign.
  const warn = (text: string): void => sayOnStderr(secrets)(cleanedMessage(text));
  const host = hostOf(connector, secrets, stop);
  try {
    const ok = await warehouse(command, {
      now: () => clock.now(),
      sleep: (ms) => clock.sleep(ms, stop),
      secrets,
      engine: (asking, edges) => connector.run(asking, { ...host, ...edges }),
      readJson,
      say: (text) => emitter.print(secrets.mask(text)),
      isTerminal: stdout.isTTY,
      hasColors: stdout.isTTY && !environment["NO_COLOR"] && environment["TERM"] !== "dumb",
      warn,
      watch: await watcherOf(secrets),
      ask: stdin.isTTY && stderr.isTTY ? askAt(stdin, stderr, stop, interrupt(process)) : undefined,
      noticeUrl: environment[NOTICE_URL],
      post: poster(connector, process.env, packageJson, stop),
      databaseUrl: environment["DATABASE_URL"],
      readInput: async () => Buffer.from(await readInput()).toString("utf8"),
    });
    process.exitCode = ok ? 0 : 1;
  } catch (reason) {
    if (emitter.isBrokenBy(reason)) throw reason; // no defect of the connector: see `tell`
    failInWords(ConnectorError.from(reason), warn);
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
  if (failure === undefined || !(await isWatched())) return;
  process.stderr.on("error", () => undefined); // nobody is left to be told
  process.stderr.write(`${secrets.mask(failure)}\n`);
}

/** Whether a person reads stderr: at a terminal, or where stdout goes to a file. */
const isWatched = async (): Promise<boolean> =>
  process.stderr.isTTY || (await import("./stdout.ts")).isFile(STDOUT);

/** Whether the reader of stdout has gone away, so that nobody can read a report. */
function isGone({ cause }: ConnectorError): boolean {
  return cause instanceof Error && "code" in cause && cause.code === "EPIPE";
}

await main();
