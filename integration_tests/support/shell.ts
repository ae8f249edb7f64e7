/** Runs commands of the connector for people, in a folder of their own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { LAUNCHER, localEnvironment, start } from "../../bin/process.ts";

export interface Said {
  /** The exit code, or the signal that ended the process. */
  readonly end: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
}

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
