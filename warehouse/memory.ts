/** How much memory DuckDB may take, and where it puts what does not fit. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";

const MIB = 1_048_576;

/** The least with which DuckDB can work at all. */
export const LEAST_MEMORY = 128 * MIB;

/** More than this makes no model faster by default: it would only be taken from others on the machine. */
const MOST_BY_DEFAULT = 384 * MIB;

/** Node, the engine and what DuckDB does not count take the rest of the memory. */
const PART = 4;

/**
 * The memory that DuckDB counts, in bytes. It takes about 300 MiB that it does not count.
 *
 * @param has the memory that the process may have
 */
export const memoryOf = (has: number): number =>
  Math.min(MOST_BY_DEFAULT, Math.max(LEAST_MEMORY, Math.floor(has / PART)));

/** The same for this process. A control group without a limit tells a number above the machine's memory. */
export const defaultMemory = (): number =>
  memoryOf(Math.min(process.constrainedMemory() || Infinity, totalmem()));

/** Bytes as DuckDB's setting `memory_limit` takes them. */
export const memorySetting = (bytes: number): string => `${Math.floor(bytes / 1024)}KiB`;

/** The names that DuckDB gives to its temporary files. */
const SPILLED = /^duckdb_temp_/;

/** A name of {@link makeSpillFolder}: it has the id of the process. */
const OF_PROCESS = /^source-ai-billing-(\d+)-\w+$/;

/** The folders of {@link makeSpillFolder} that this process uses. */
const used = new Set<string>();

/** The folder in which DuckDB puts what does not fit into memory, for the one process that may write to the database. */
export const spillFolderOf = (path: string): string => `${path}.tmp`;

/**
 * Makes the same for a database that is only read, or that lives in memory. Several processes may read a database at once, and DuckDB
 * crashes if two of them share a folder. Its place is the folder of temporary files, because a reader may not be allowed to write
 * beside the database. No other user may read it.
 *
 * @returns an empty text if no folder can be made: DuckDB then does without
 */
export function makeSpillFolder(): string {
  try {
    const folder = mkdtempSync(join(tmpdir(), `source-ai-billing-${process.pid}-`));
    used.add(folder);
    return folder;
  } catch {
    return "";
  }
}

/** Removes a folder of {@link makeSpillFolder}. */
export function removeSpillFolder(folder: string): void {
  used.delete(folder);
  removeSpilled(folder);
}

/** The names in a folder; undefined if it cannot be read. */
function namesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

/** Removes what a killed process left in a folder that no process uses. A folder with a file of anyone else stays. */
export function removeSpilled(folder: string): void {
  if (namesIn(folder)?.every((name) => SPILLED.test(name)) !== true) return;
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A folder that this user may not remove does no harm.
  }
}

/**
 * Removes the folders of {@link makeSpillFolder} whose process has ended. One with the id of this process may be that of a process before
 * it: in a container, each process may get the same id.
 */
export function removeSpilledOfOthers(): void {
  for (const name of namesIn(tmpdir()) ?? []) {
    const pid = Number(OF_PROCESS.exec(name)?.[1]);
    const folder = join(tmpdir(), name);
    const isUsed = pid === process.pid ? used.has(folder) : Number.isNaN(pid) || isAlive(pid);
    if (!isUsed) removeSpilled(folder);
  }
}

/** Whether a process of this id runs. One of another user counts as running. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (reason) {
    return !(reason instanceof Error && "code" in reason && reason.code === "ESRCH");
  }
}
