/** Writes the config file, for users without a platform that stores their tokens. */
import { constants } from "node:fs";
import { access, lstat, readdir, realpath, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { STDIN } from "../config_place.ts";
import { ConnectorError } from "../errors.ts";
import { codeOf, reasonOf } from "../file_faults.ts";
import { faultOfReplacing, replaceFile, TEMPORARY } from "./replace_file.ts";

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
    throw new ConnectorError(
      "invalid_config",
      `The config file "${path}" is not written: ${whyNotMade(reason)}.`,
      { detail: codeOf(reason) },
    );
  }
}

/**
 * The reason why {@link createConfigFile} would fail, as the end of a sentence; undefined if it would not. To be asked before a
 * person types a secret.
 */
export async function configFileFault(path: string): Promise<string | undefined> {
  try {
    const isFolder = (await lstat(path)).isDirectory();
    return whyNotMade({ code: isFolder ? "EISDIR" : "EEXIST" });
  } catch (reason) {
    if (codeOf(reason) !== "ENOENT") return whyNotMade(reason);
  }
  try {
    await access(dirname(resolve(path)), constants.W_OK | constants.X_OK);
    return undefined;
  } catch (reason) {
    return whyNotMade(reason);
  }
}

const whyNotMade = (reason: unknown): string => {
  if (codeOf(reason) === "EEXIST")
    return "there is one already. Add an account to it with --add NAME, remove it first, or name another one";
  return codeOf(reason) === "ENOENT" ? "there is no such folder" : reasonOf(reason);
};

/**
 * Replaces a config file with one that only its owner may read (mode 0600), see {@link replaceFile}. A symbolic link stays a link.
 *
 * @throws ConnectorError `invalid_config` if the file cannot be written
 */
export async function writeConfigFile(path: string, config: unknown): Promise<void> {
  try {
    const file = await realpath(path);
    const writtenAt = await replaceFile(file, `${JSON.stringify(config, null, 2)}\n`);
    await removeLeftOvers(file, writtenAt);
  } catch (reason) {
    throw unwritable(path, reason);
  }
}

/** Removes the temporary files of killed processes: they hold tokens. Never rejects. */
async function removeLeftOvers(file: string, nowMs: number): Promise<void> {
  const prefix = `${basename(file)}.`;
  const names = await readdir(dirname(file)).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(prefix) || !TEMPORARY.test(name.slice(prefix.length))) continue;
    const path = join(dirname(file), name);
    const age = nowMs - (await stat(path).catch(() => ({ mtimeMs: nowMs }))).mtimeMs;
    if (age > LEFT_OVER_AGE) await rm(path, { force: true }).catch(() => undefined);
  }
}

/**
 * Checks whether {@link writeConfigFile} can work. It runs before a refresh: after the refresh the old token is spent,
 * and a failed write would lose the new one.
 *
 * @param mounts see {@link faultOfReplacing}
 * @throws ConnectorError `invalid_config` if the file cannot be written
 */
export async function assertWritable(path: string, mounts?: string): Promise<void> {
  if (path === STDIN) {
    throw new ConnectorError(
      "invalid_config",
      "The config from stdin has a refresh token, and the provider may replace it at each use: new tokens would be lost. " +
        "Put the config into a file that this user may write, and name it with --config.",
    );
  }
  let fault: string | undefined;
  try {
    const file = await realpath(path);
    await access(file, constants.R_OK);
    fault = await faultOfReplacing(file, mounts);
  } catch (reason) {
    throw unwritable(path, reason);
  }
  if (fault !== undefined) throw unwritable(path, { code: fault });
}

function unwritable(path: string, reason: unknown): ConnectorError {
  return new ConnectorError(
    "invalid_config",
    `The config file "${path}" cannot be replaced, so new tokens would be lost: ${reasonOf(reason)}. A config with a refresh ` +
      "token needs a place where this user may write, in a folder where files may be made.",
    { detail: codeOf(reason) },
  );
}
