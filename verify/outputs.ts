/** The file of `--out` and the memory beside it. Each replaces nothing but a file of its own kind. */
import { constants } from "node:fs";
import { access, open, readFile, realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { faultOfReplacing, replaceFile } from "../src/config/replace_file.ts";
import { codeOf, reasonOf } from "../src/file_faults.ts";
import { MEMORY_MARK, MOST_MEMORY_BYTES } from "./memory.ts";

/** The first member of the file of `--out`. */
export const REPORT_MARK = "source-ai-billing verify";

const BEGINNINGS = {
  report: `{\n  "kind": ${JSON.stringify(REPORT_MARK)}`,
  memory: `{"kind":${JSON.stringify(MEMORY_MARK)}`,
} as const;

/** `verify.memory.json` beside `verify.json`. */
export const memoryPathOf = (out: string): string => `${out.replace(/\.json$/i, "")}.memory.json`;

/** The reasons why the files could not be written, or should not; empty if there is none. Sends no request. */
export async function faultsOfOutputs(out: string): Promise<readonly string[]> {
  const memory = memoryPathOf(out);
  const [ofReport, ofMemory] = [await faultOf(out, "report"), await faultOf(memory, "memory")];
  // Both files lie in one folder, and a fault of the folder is named once.
  const isNamed = ofReport?.isOfFolder === true && ofMemory?.isOfFolder === true;
  const faults = [
    ["--out", out, ofReport?.text],
    ["The memory of --out", memory, isNamed ? undefined : ofMemory?.text],
  ] as const;
  return faults.flatMap(([what, path, fault]) =>
    fault === undefined ? [] : [`${what} cannot be written to "${path}": ${fault}`],
  );
}

interface Fault {
  readonly text: string;
  /** Whether no file of the folder could be written. */
  readonly isOfFolder: boolean;
}

async function faultOf(path: string, kind: keyof typeof BEGINNINGS): Promise<Fault | undefined> {
  const file = await realpath(path).catch(() => resolve(path));
  const text = await ownFaultOf(path, kind);
  if (text !== undefined) return { text, isOfFolder: false };
  const fault = await faultOfReplacing(file);
  if (fault === undefined) return undefined;
  return {
    text: fault === "ENOENT" ? "there is no such folder" : reasonOf({ code: fault }),
    isOfFolder: true,
  };
}

/** A fault of a file that is there already. */
async function ownFaultOf(
  path: string,
  kind: keyof typeof BEGINNINGS,
): Promise<string | undefined> {
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return "it is a folder";
    if (!stats.isFile()) return "it is no regular file";
    await access(path, constants.R_OK | constants.W_OK);
    if (stats.size > 0 && !(await beginsWith(path, BEGINNINGS[kind])))
      return "it holds something else, and only a file of an earlier run is replaced";
  } catch (reason) {
    if (codeOf(reason) !== "ENOENT") return reasonOf(reason);
  }
  return undefined;
}

async function beginsWith(path: string, beginning: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { length } = Buffer.from(beginning);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString("utf8", 0, bytesRead) === beginning;
  } finally {
    await file.close();
  }
}

/** The text of the memory; undefined if there is none, null if it is too long. */
export async function readMemory(out: string): Promise<string | undefined | null> {
  const path = memoryPathOf(out);
  try {
    if ((await stat(path)).size > MOST_MEMORY_BYTES) return null;
    const note = await readFile(path, "utf8");
    return note === "" ? undefined : note;
  } catch (reason) {
    if (codeOf(reason) === "ENOENT") return undefined;
    throw reason;
  }
}

/** Replaces a file as a whole. It keeps its mode, and a link stays a link. A new file is for its owner only. */
export async function write(path: string, text: string): Promise<void> {
  const file = await realpath(path).catch(() => resolve(path));
  const mode = await stat(file).then(
    (stats) => stats.mode & 0o777,
    () => undefined,
  );
  await replaceFile(file, text, mode);
}
