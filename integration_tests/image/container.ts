/** Runs the connector in a container, confined as platforms confine it. */
import { execFile } from "node:child_process";
import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { start as startProcess } from "../../bin/process.ts";
import { Running } from "../support/process.ts";

const IMAGE = process.env["IMAGE"] ?? "source-ai-billing:dev";

/** No capability, no way to gain one, and no writable file. */
const CONFINED =
  "--network=host --read-only --cap-drop=ALL --security-opt=no-new-privileges --pids-limit=64".split(
    " ",
  );

const execute = promisify(execFile);

/** Runs docker and returns its output. */
export async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await execute("docker", args, { maxBuffer: 2 ** 28 });
  return stdout.trim();
}

interface ImageConfig {
  readonly Labels: Readonly<Record<string, string>>;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly User: string;
}

export async function imageConfig(): Promise<ImageConfig> {
  // The shape is that of the engine's API.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return JSON.parse(
    await docker("image", "inspect", "--format", "{{json .Config}}", IMAGE),
  ) as ImageConfig;
}

/** Runs a shell in the image, as the image's own user and confined in the same way, and returns its output. */
export function shell(script: string, ...options: readonly string[]): Promise<string> {
  return docker(
    "run",
    "--rm",
    ...CONFINED,
    ...options,
    "--entrypoint=/bin/sh",
    IMAGE,
    "-c",
    script,
  );
}

export interface ContainerOptions {
  readonly config?: unknown;
  readonly catalog?: unknown;
  readonly state?: unknown;
  /** The container's memory in MiB. */
  readonly memory?: number;
  readonly name?: string;
}

/** Starts a command in the platform's folder /source, where its files are mounted read-only. */
export function start(command: string, options: ContainerOptions = {}): Running {
  const folder = mkdtempSync(join(tmpdir(), "billing-image-"));
  chmodSync(folder, 0o755); // the image's user is another one than the tests' user
  const line = [command];
  for (const name of ["config", "catalog", "state"] as const) {
    if (options[name] === undefined) continue;
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(options[name]));
    line.push(`--${name}`, `/source/${name}.json`);
  }
  const memory = `${options.memory ?? 256}m`;
  const run = ["run", "--rm", ...CONFINED, `--memory=${memory}`, `--memory-swap=${memory}`];
  const files = [`--volume=${folder}:/source:ro`, "--workdir=/source"];
  const name = options.name === undefined ? [] : [`--name=${options.name}`];
  const started = startProcess(["docker", ...run, ...files, ...name, IMAGE, ...line], {
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 110_000,
  });
  return new Running(started, started.child.stdout, folder, {});
}
