/** Writes the config file, for users without a platform that stores their tokens. */
import { constants } from "node:fs";
import { access, open, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ConnectorError } from "../errors.ts";

/**
 * Replaces a config file with one that only its owner may read (mode 0600). At every moment either the old file or the
 * new file is there as a whole. A symbolic link stays a link.
 *
 * @throws ConnectorError `invalid_config` if the file cannot be written
 */
export async function writeConfigFile(path: string, config: unknown): Promise<void> {
  let temporary: string | undefined;
  try {
    const file = await realpath(path);
    temporary = `${file}.new`;
    // A killed process may have left its file behind.
    await rm(temporary, { force: true });
    const handle = await open(temporary, "wx", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(config, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (reason) {
    if (temporary !== undefined) await rm(temporary, { force: true }).catch(() => undefined);
    throw unwritable(path, reason);
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
