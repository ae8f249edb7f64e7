/** Runs commands of the connector for people, in a folder of their own: as a process, or in the process of the test. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LAUNCHER, localEnvironment, start } from "../../bin/process.ts";
import { poster } from "../../cli/post.ts";
import { parseCommandLine } from "../../cli/tree.ts";
import { readJsonFile } from "../../src/config/json_file.ts";
import { openTransport, run as runEngine } from "../../src/connector.ts";
import { ConnectorError } from "../../src/errors.ts";
import { hostOf } from "../../src/testing_host.ts";
import { warehouse } from "../../warehouse/command.ts";
import { hostWith } from "../../warehouse/testing.ts";

export interface Said {
  /** The exit code, or the signal that ended the process. */
  readonly end: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const nothing = (): void => undefined;

const NEVER = new AbortController().signal;

export class Shell implements AsyncDisposable {
  readonly folder: string;
  readonly #launcher: string;

  private constructor(folder: string, launcher: string) {
    this.folder = folder;
    this.#launcher = launcher;
  }

  /** @param launcher the program; by default the one of this repository */
  static async open(launcher: string = LAUNCHER): Promise<Shell> {
    return new Shell(await mkdtemp(join(tmpdir(), "shell-")), launcher);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Runs a command to its end, with a text as its input. */
  async run(args: readonly string[], input = ""): Promise<Said> {
    return await this.start(args, input).said;
  }

  /**
   * Runs `sync`, `init`, `query` or `report` to its end in the process of the test, because a process for each takes twice as long.
   * The process's own part is tested elsewhere: signals, the environment, stdin and a broken stdout.
   *
   * @param noticeUrl the address for notices in the environment
   */
  async here(args: readonly string[], input = "", noticeUrl?: string): Promise<Said> {
    const [stdout, stderr]: [string[], string[]] = [[], []];
    const engine = hostOf({});
    const warn = (words: string): void => void stderr.push(`${engine.secrets.mask(words)}\n`);
    const command = await parseCommandLine(args, "0.0.0");
    if (command.kind !== "warehouse") throw new TypeError(`${args.join(" ")} is not for people`);
    const before = process.cwd();
    process.chdir(this.folder);
    let end = 1;
    try {
      const host = hostWith({
        now: () => Date.now(),
        secrets: engine.secrets,
        engine: (asking, edges) => runEngine(asking, { ...engine, ...edges }),
        readJson: readJsonFile,
        say: async (words) => void stdout.push(engine.secrets.mask(words)),
        warn,
        watch: () => ({ saw: nothing, told: nothing, note: warn, end: nothing }),
        readInput: async () => input,
        noticeUrl,
        post: poster({ openTransport }, {}, { name: "test", version: "0.0.0" }, NEVER),
      });
      end = (await warehouse(command.command, host)) ? 0 : 1;
    } catch (reason) {
      warn(ConnectorError.from(reason).message);
    } finally {
      process.chdir(before);
    }
    return { end, stdout: stdout.join(""), stderr: stderr.join("") };
  }

  /** The rows of a query, in the process of the test. Fails if the query does. */
  async query(sql: string): Promise<unknown[]> {
    const { end, stdout, stderr } = await this.here(["query", "--json", sql]);
    if (end !== 0) throw new Error(`${sql}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** Starts a command, with variables besides those of this process. */
  start(args: readonly string[], input = "", variables: Readonly<Record<string, string>> = {}) {
    const { child, ended } = start([this.#launcher, ...args], {
      cwd: this.folder,
      env: { ...localEnvironment(), ...variables },
      stdio: "pipe",
      timeout: 150_000,
    });
    child.stdin?.end(input);
    const texts = [child.stdout, child.stderr].map((stream) =>
      stream === null ? Promise.resolve("") : text(stream),
    );
    const said = Promise.all([ended, ...texts]).then(
      ([{ code, signal }, stdout = "", stderr = ""]): Said => ({
        end: code ?? signal,
        stdout,
        stderr,
      }),
    );
    return { child, said };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
