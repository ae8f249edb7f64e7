/** Writes the config file, for users without a platform that stores their tokens. */
import { constants } from "node:fs";
import { randomUUID } from "node:crypto";
import { access, open, readdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ConnectorError } from "../errors.ts";

/** The end of a temporary file's name. */
const UUID_NEW = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;

/** A temporary file is left over if it is older than this, in milliseconds: its writer was killed. */
const LEFT_OVER_AGE = 60_000;

/**
 * Makes a config file that only its owner may read (mode 0600).
 *
 * @throws ConnectorError `invalid_config` if there is a file already, or if none can be made
 */
export async function createConfigFile(path: string, config: unknown): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(config, null, 2)}\n`, { flag: "wx", mode: 0o600 });
  } catch (reason) {
    const code = reason instanceof Error && "code" in reason ? String(reason.code) : "unknown";
    const why =
      code === "EEXIST"
        ? "there is one already. Remove it first, or name another one"
        : `it cannot be made (${code})`;
    throw new ConnectorError(
      "invalid_config",
      `The config file "${path}" is not written: ${why}.`,
      {
        detail: code,
      },
    );
  }
}

/**
 * Replaces a config file with one that only its owner may read (mode 0600). At every moment either the old file or the
 * new file is there as a whole, also if several processes write. A symbolic link stays a link.
 *
 * @throws ConnectorError `invalid_config` if the file cannot be written
 */
export async function writeConfigFile(path: string, config: unknown): Promise<void> {
  let temporary: string | undefined;
  try {
    const file = await realpath(path);
    temporary = `${file}.${randomUUID()}.new`;
    const handle = await open(temporary, "wx", 0o600);
    let writtenAt: number;
    try {
      await handle.writeFile(`${JSON.stringify(config, null, 2)}\n`);
      await handle.sync();
      writtenAt = (await handle.stat()).mtimeMs;
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
    await removeLeftOvers(file, writtenAt);
  } catch (reason) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritable(path, reason);
  }
}

/** Removes the temporary files of killed processes: they hold tokens. Never rejects. */
async function removeLeftOvers(file: string, nowMs: number): Promise<void> {
  const prefix = `${basename(file)}.`;
  const names = await readdir(dirname(file)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix) || !UUID_NEW.test(name.slice(prefix.length))) continue;
    const path = join(dirname(file), name);
    const age = nowMs - (await stat(path).catch(() => ({ mtimeMs: nowMs }))).mtimeMs;
    if (age > LEFT_OVER_AGE) await rm(path, { force: true }).catch(() => undefined);
  }
}

/**
 * Checks whether {@link writeConfigFile} can work. It runs before a refresh: after the refresh the old token is spent,
 * and a failed write would lose the new one.
 *
 * @throws ConnectorError `invalid_config` if the file cannot be written
 */
export async function assertWritable(path: string): Promise<void> {
  try {
    const file = await realpath(path);
    await access(file, constants.R_OK);
    await access(dirname(file), constants.W_OK | constants.X_OK);
  } catch (reason) {
    throw unwritable(path, reason);
  }
}

function unwritable(path: string, reason: unknown): ConnectorError {
  const code = reason instanceof Error && "code" in reason ? String(reason.code) : "unknown";
  return new ConnectorError(
    "invalid_config",
    `The config file "${path}" cannot be replaced, so new tokens would be lost (${code}). Put it where this user may ` +
      "write, in a folder where files may be made.",
    { detail: code },
  );
}
