/** `conform` and `verify`: they judge a provider. Exit code 1 says that they have found something, 2 that they could not run. */
import { setTimeout as sleep } from "node:timers/promises";
import { conform } from "../conform/command.ts";
import type { ConformCommand } from "../conform/options.ts";
import packageJson from "../package.json" with { type: "json" };
import type { Host } from "../src/connector.ts";
import type { Emitter } from "../src/emit.ts";
import { ConnectorError } from "../src/errors.ts";
import type { VerifyCommand } from "../verify/options.ts";
import { clock } from "./clock.ts";
import { often } from "./watch.ts";

/** `conform` writes a report for people to stdout. Gives its exit code. */
export async function runConform(
  { options }: ConformCommand,
  own: NodeJS.Process,
  readConfig: (path: string) => Promise<unknown>,
  stop: AbortSignal,
): Promise<number> {
  const { stdout, stderr } = own;
  const stopped = new Promise<number>((resolve) => {
    stop.addEventListener("abort", () => resolve(2));
    // A report that nobody can read is no proof. The error may come after the run has ended with its own code.
    stdout.on("error", (reason) => {
      stderr.write(`The report cannot be written to stdout (${reason.message}).\n`);
      own.exitCode = 2;
      resolve(2);
    });
  });
  const checked = conform(options, {
    version: packageJson.version,
    readConfig,
    environment: own.env,
    clock: { now: () => clock.now(), sleep: (ms) => sleep(ms) },
    say: (text) => void stdout.write(text),
    isTerminal: stdout.isTTY,
    warn: (text) => void stderr.write(text),
    progress: stderr.isTTY ? (line) => void stderr.write(`\r\u001B[K${line}`) : undefined,
    often: (act) => often(own, act),
  });
  return Promise.race([checked, stopped]);
}

/**
 * `verify` writes what it finds to stdout, and sets the exit code if it could run.
 *
 * @returns the error if it could not run; undefined if it could, or was stopped
 * @throws the error of stdout
 */
export async function runVerify(
  command: VerifyCommand,
  own: NodeJS.Process,
  host: Host,
  emitter: Emitter,
): Promise<ConnectorError | undefined> {
  const { verify } = await import("../verify/command.ts");
  const { secrets, stop } = host;
  own.stderr.on("error", () => undefined); // the result is on stdout
  // The client of conform knows no signal.
  const stopped = new Promise<never>((_, reject) => {
    stop.addEventListener("abort", () => reject(ConnectorError.from(stop.reason)));
  });
  const ended = verify(command, {
    ...host,
    environment: own.env,
    say: (text) => emitter.print(secrets.mask(text)),
    warn: (text) => void own.stderr.write(`${secrets.mask(text)}\n`),
  });
  ended.catch(() => undefined); // the race reports its error
  try {
    own.exitCode = (await Promise.race([ended, stopped])) ? 0 : 1;
    return undefined;
  } catch (reason) {
    if (emitter.isBrokenBy(reason)) throw reason;
    const error = ConnectorError.from(reason);
    return error.code === "aborted" ? undefined : error;
  }
}
