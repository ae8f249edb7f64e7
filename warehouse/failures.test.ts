import { expect, it } from "vitest";
import { ConnectorError } from "../src/errors.ts";
import { databaseError } from "./failures.ts";

it.each([
  [
    'IO Error: Could not set lock on file "/a/b": Conflicting lock is held in /usr/bin/node (PID 17).',
    "open in another process (PID 17)",
  ],
  ['IO Error: Could not write file "b": No space left on device', "The disk of the database"],
  [
    "Out of Memory Error: failed to offload data block of size 256.0 KiB. This limit was set by the 'max_temp_directory_size' setting.",
    "The disk of the database",
  ],
  [
    "Out of Memory Error: failed to allocate data of size 16.0 MiB (370.7 MiB/384.0 MiB used)",
    "--memory",
  ],
  [
    "Failed to append: could not allocate block of size 7.6 MiB (100.0 KiB/976.5 KiB used)\n\nPossible solutions:",
    "--memory",
  ],
  ['IO Error: Could not write file "b": Disk quota exceeded', "The disk of the database"],
  ['IO Error: Could not write file "b": File too large', "The disk of the database"],
  ["IO Error: The file exists, but it is not a valid DuckDB database file!", "no database"],
  [
    'IO Error: Cannot open file "/a/b": Permission denied',
    "need the right to write the file and in its folder",
  ],
  [
    'Constraint Error: Duplicate key "x_RecordId: c-1" violates primary key constraint.',
    "an index or a constraint that this program did not make",
  ],
  [
    'Dependency Error: Cannot drop entry "costs" because there are entries that depend on it.',
    'depends on the table "costs"',
  ],
  ['IO Error: Cannot open file "/a/b": Read-only file system', "on a disk that may only be read"],
])("%s", (message, words) => {
  const error = databaseError(new Error(message), "b");
  expect(error).toBeInstanceOf(ConnectorError);
  expect(error).toMatchObject({ code: "database", message: expect.stringContaining(words) });
});

it("leaves other errors as they are", () => {
  const error = new Error("Parser Error: syntax error");
  expect(databaseError(error, "b")).toBe(error);
});
