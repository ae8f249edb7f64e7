/** How much memory DuckDB may take, and where it puts what does not fit. */
import { readdirSync, rmSync } from "node:fs";
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

/** A name of {@link ownSpillFolder}. */
const OWN = /^source-ai-billing-(\d+)\.tmp$/;

/** The folder in which DuckDB puts what does not fit into memory, beside the database. */
export const spillFolderOf = (path: string): string => `${path}.tmp`;

/** The same for a database in memory: a folder for this process among the temporary files. */
export const ownSpillFolder = (): string => join(tmpdir(), `source-ai-billing-${process.pid}.tmp`);

/** The names in a folder; none if it cannot be read. */
function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Removes what a killed process left in a folder that no process uses. A folder with a file of anyone else stays. */
export function removeSpilled(folder: string): void {
  const names = namesIn(folder);
  if (names.length === 0 || !names.every((name) => SPILLED.test(name))) return;
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // A folder that this user may not remove does no harm.
  }
}

/** Removes the folders of {@link ownSpillFolder} whose process has ended. */
export function removeSpilledOfOthers(): void {
  for (const name of namesIn(tmpdir())) {
    const pid = OWN.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) removeSpilled(join(tmpdir(), name));
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
