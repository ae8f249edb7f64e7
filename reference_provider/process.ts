/** The reference provider as a process of its own, as `npm run provider` starts it; for tests. */
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Ended, startScript } from "../bin/process.ts";
import { isObject } from "./model.ts";

/** The script that `npm run provider` runs. */
export const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));

/** A provider that serves on a free port of 127.0.0.1. */
export interface ServingProcess {
  /** The line of JSON that it prints once it serves; README.md describes it. */
  readonly greeting: Readonly<Record<string, unknown>>;
  /** Its stderr up to now. */
  readonly errors: () => string;
  /** Sends SIGTERM and waits for the end. */
  readonly stop: () => Promise<Ended>;
}

/** Starts a provider with more arguments. Rejects where it ends before it serves. */
export async function startProcess(...args: readonly string[]): Promise<ServingProcess> {
  const { child, ended } = startScript(MAIN, ["--json", "--port", "0", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const errors: string[] = [];
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk.toString()));
  const stop = async (): Promise<Ended> => {
    child.kill("SIGTERM");
    return await ended;
  };
  try {
    if (child.stdout === null) throw new TypeError("stdout is no pipe");
    const [line]: unknown[] = await Promise.race([
      once(createInterface({ input: child.stdout }), "line"),
      ended.then(() => {
        throw new Error(`the provider did not start: ${errors.join("")}`);
      }),
    ]);
    const greeting: unknown = JSON.parse(String(line));
    if (!isObject(greeting)) throw new TypeError("the provider printed no object");
    return { greeting, errors: () => errors.join(""), stop };
  } catch (reason) {
    await stop();
    throw reason;
  }
}
