/** Replaces files so that no crash and no full disk leaves half a file. */
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { access, open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "../file_faults.ts";

/** The end of a temporary file's name, after the name of the file that it is to replace and a dot. */
export const TEMPORARY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.new$/;

/**
 * Writes a new file beside the path and renames it. At every moment either the old file or the new file is there as a whole, also
 * if several processes write.
 *
 * @param path the file itself: a link would be replaced, so resolve it first
 * @param mode the permissions of the new file; by default only its owner may read and write it
 * @returns when the new file was written, in milliseconds since 1970, by the clock of the file system
 * @throws the error of the file system; no temporary file is left then
 */
export async function replaceFile(path: string, text: string, mode = 0o600): Promise<number> {
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    const handle = await open(temporary, "wx", 0o600);
    let writtenAt: number;
    try {
      await handle.writeFile(text);
      await handle.chmod(mode);
      await handle.sync();
      writtenAt = (await handle.stat()).mtimeMs;
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
    return writtenAt;
  } catch (reason) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw reason;
  }
}

/** The mounts that a process on Linux sees. The fifth word of a line is the path, with octal numbers for spaces. */
const MOUNTS = "/proc/self/mountinfo";

/**
 * Checks beforehand whether {@link replaceFile} can replace a file. It makes nothing.
 *
 * A container may have one file mounted, without its folder. Such a file can be written, and a new file can be made beside it. Only
 * the renaming fails, and then it is too late: the work is done, or the old token is spent.
 *
 * @returns the code of the system's error that would come; undefined if none is foreseen
 */
export async function faultOfReplacing(file: string, mounts = MOUNTS): Promise<string | undefined> {
  try {
    await access(dirname(file), constants.W_OK | constants.X_OK);
  } catch (reason) {
    return codeOf(reason);
  }
  const lines = await readFile(mounts, "utf8").catch(() => "");
  return lines.split("\n").some((line) => placeOfMount(line) === file) ? "EBUSY" : undefined;
}

const placeOfMount = (line: string): string | undefined =>
  line
    .split(" ")[4]
    ?.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
      String.fromCharCode(Number.parseInt(octal, 8)),
    );
