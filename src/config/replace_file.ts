/** Replaces files so that no crash and no full disk leaves half a file. */
import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";

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
