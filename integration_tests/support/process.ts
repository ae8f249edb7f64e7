/**
 * Starts the connector as users do, by the launcher in bin/, which runs the bundle on the pinned Node. Unlike
 * `node cli/main.ts`, this also tests the bundle, its lazily loaded parts, and `exec`.
 */
import { type ChildProcess, execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { LAUNCHER, start, type Started } from "../../bin/process.ts";
import { type Message, parseMessage } from "./protocol.ts";

/** Milliseconds; longer than any process here needs. A process that hangs is killed and its test fails. */
const PATIENCE = 110_000;

/**
 * A process ends within five seconds after a signal (`cli/signals.test.ts`). On a machine with many processes more than that may pass, in
 * milliseconds, until a test sees the end.
 */
export const UNTIL_END = 20_000;

/** The contents of the files of a command. A text is written unchanged, any other value as JSON. */
export interface Inputs {
  readonly config?: unknown;
  readonly catalog?: unknown;
  readonly state?: unknown;
}

export interface LaunchOptions extends Inputs {
  /** More arguments, after the ones for the files. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a pipe, as platforms give it. A descriptor hides stdout from the test. */
  readonly stdout?: "pipe" | "socket" | number;
  /** Leaves stdout unread until `resume` or the end. */
  readonly paused?: boolean;
  /** Leaves all of stdout to the test. */
  readonly raw?: boolean;
}

/** The result of a process. */
export interface Finished {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The complete lines of stdout; a last line without a line feed does not count. */
  readonly messages: readonly Message[];
}

/** Writes the files of a command into a new folder. Gives the folder and the path of each file. */
export function writeInputs(inputs: Inputs): {
  readonly folder: string;
  readonly paths: Readonly<Partial<Record<keyof Inputs, string>>>;
} {
  const folder = mkdtempSync(join(tmpdir(), "billing-"));
  const paths: Partial<Record<keyof Inputs, string>> = {};
  for (const name of ["config", "catalog", "state"] as const) {
    const content = inputs[name];
    if (content === undefined) continue;
    const path = join(folder, `${name}.json`);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    paths[name] = path;
  }
  return { folder, paths };
}

/** Starts a command. Its files are in a folder that is removed when the process ends. */
export function launch(command: string | null, options: LaunchOptions = {}): Running {
  const { folder, paths } = writeInputs(options);
  const line = command === null ? [] : [command];
  for (const [name, path] of Object.entries(paths)) line.push(`--${name}`, path);
  const { stdout = "pipe" } = options;
  const pipe = stdout === "pipe" ? openPipe(join(folder, "stdout")) : undefined;
  // For "pipe" Node would give a socket, which the process writes to in another way.
  const given = stdout === "socket" ? "pipe" : stdout;
  const started = start([LAUNCHER, ...line, ...(options.args ?? [])], {
    cwd: folder,
    // The process gets only PATH from the test's own environment.
    env: { PATH: process.env["PATH"] ?? "", ...options.env },
    stdio: ["ignore", pipe?.writer ?? given, "pipe"],
    timeout: PATIENCE,
  });
  if (pipe !== undefined) closeSync(pipe.writer);
  return new Running(started, pipe?.stdout ?? started.child.stdout, folder, options);
}

function openPipe(path: string): { readonly stdout: Readable; readonly writer: number } {
  execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const stdout = new Socket({ fd: reader, writable: false });
  return { stdout, writer: openSync(path, constants.O_WRONLY) };
}

interface Waiting {
  readonly fits: (message: Message) => boolean;
  readonly resolve: (message: Message) => void;
  readonly reject: (reason: Error) => void;
}

/** A running process. */
export class Running {
  readonly child: ChildProcess;
  /** Null if the test gave a descriptor. */
  readonly stdout: Readable | null;
  readonly done: Promise<Finished>;
  readonly #messages: Message[] = [];
  readonly #errors: string[] = [];
  #waiting: Waiting[] = [];
  #stdout = "";
  /** The beginning of an unfinished line. */
  #rest = "";
  #fault: Error | null = null;

  constructor(
    { child, ended }: Started,
    stdout: Readable | null,
    folder: string,
    { paused, raw }: LaunchOptions,
  ) {
    this.child = child;
    this.stdout = stdout;
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.#errors.push(text));
    stdout?.setEncoding("utf8");
    if (raw !== true) stdout?.on("data", (text: string) => this.#take(text));
    if (paused === true) stdout?.pause();
    const closed = new Promise<void>((resolve) => {
      if (stdout === null) resolve();
      else stdout.once("close", () => resolve());
    });
    this.done = this.#end(ended, closed).finally(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    this.done.catch(() => undefined);
  }

  /** Begins to read stdout after a start with `paused`. */
  resume(): void {
    this.stdout?.resume();
  }

  /** Resolves to the first message that fits, as soon as it arrives. Rejects if the process ends without one. */
  until(fits: (message: Message) => boolean): Promise<Message> {
    const found = this.#messages.find(fits);
    if (found !== undefined) return Promise.resolve(found);
    return new Promise((resolve, reject) => this.#waiting.push({ fits, resolve, reject }));
  }

  /** Sends a signal. Resolves to the result of the process. */
  async kill(signal: NodeJS.Signals): Promise<Finished> {
    this.child.kill(signal);
    return await this.done;
  }

  #take(text: string): void {
    this.#stdout += text;
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#read(line);
  }

  #read(line: string): void {
    try {
      const message = parseMessage(line);
      this.#messages.push(message);
      this.#waiting = this.#waiting.filter(({ fits, resolve }) => {
        const found = fits(message);
        if (found) resolve(message);
        return !found;
      });
    } catch (reason) {
      // `--help` and `--version` print text. The test decides whether lines must be messages.
      this.#fault ??= reason instanceof Error ? reason : new Error(String(reason));
    }
  }

  async #end(ended: Started["ended"], closed: Promise<void>): Promise<Finished> {
    const { code, signal } = await ended;
    this.resume();
    await closed;
    const none = new Error(
      `the process ended (${String(code ?? signal)}) without the message waited for`,
    );
    for (const { reject } of this.#waiting) reject(none);
    const isText = this.#fault !== null && this.#messages.length === 0;
    if (this.#fault !== null && !isText) throw this.#fault;
    return {
      code,
      signal,
      stdout: this.#stdout,
      stderr: this.#errors.join(""),
      messages: this.#messages,
    };
  }
}

/** The most memory that a process has had (Linux), in MiB; 0 where it cannot be read. */
export function peakMemory(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0; // the process has just ended
  }
}
