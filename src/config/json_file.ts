/** Reads the JSON files that the command line names. No message quotes the content of a file: a config has secrets. */
import { readFile } from "node:fs/promises";
import { STDIN } from "../config_place.ts";
import { ConnectorError, type ErrorCode } from "../errors.ts";
import { type RepeatedKey, repeatedKeys } from "./repeated_keys.ts";

/** The purpose of a file; it decides the error's code and words. */
export type InputKind = "config" | "catalog" | "state";

const CODES = {
  config: "invalid_config",
  catalog: "invalid_catalog",
  state: "invalid_state",
} as const satisfies Record<InputKind, ErrorCode>;

/** The image runs as user 1000, and `login` writes files that only their owner may read. */
const FORBIDDEN =
  "may not be read by this user. Run the connector as the owner of the file, in a container with " +
  '`docker run --user "$(id -u):$(id -g)"`, or let this user read it with `chmod`';

/** The reason why a file cannot be read, by the system's code, as the end of a sentence. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EISDIR: "is a directory",
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  ENAMETOOLONG: "has too long a name",
};

/**
 * The JSON value of a file, in UTF-8 with or without a byte order mark. An empty state file is no state: `undefined`.
 *
 * @throws ConnectorError with the code of the kind, if the file is missing, unreadable, empty, or no JSON (then the
 * message has the line and column, both from 1, of the first character that cannot be right).
 */
export async function readJsonFile(path: string, what: InputKind): Promise<unknown> {
  const code = CODES[what];
  // If the user passed the JSON itself, any other message would quote it with its secrets.
  if (/^\s*[{[]/.test(path)) {
    throw new ConnectorError(code, `--${what} takes the name of a file, not the JSON itself.`);
  }
  if (path === STDIN && what !== "config") {
    throw new ConnectorError(
      code,
      `--${what} takes the name of a file: stdin gives only the config.`,
    );
  }
  return await parseJsonFile(await load(path, nameOf(path, what), code), path, what);
}

/**
 * Parses the bytes of a file; `path` appears only in messages.
 *
 * @throws ConnectorError like {@link readJsonFile}, except for a file that is missing or unreadable; also for a config that has a key
 *   more than once in one object, because its last value would count and the others would be lost without a word
 */
export async function parseJsonFile(
  bytes: Uint8Array,
  path: string,
  what: InputKind,
): Promise<unknown> {
  const code = CODES[what];
  const file = nameOf(path, what);
  const text = decode(bytes, file, code);
  if (text.trim() === "") {
    if (what === "state") return undefined;
    throw new ConnectorError(code, `${file} is empty.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (reason) {
    // The engine's message quotes the text around the fault, so neither it nor the error is passed on.
    const { jsonFaultOffset } = await import("./json_fault.ts");
    const { line, column } = placeOf(text, jsonFaultOffset(text, String(reason)));
    throw new ConnectorError(
      code,
      `${file} is not valid JSON: look at line ${line}, column ${column}.`,
    );
  }
  // Machines write states and catalogs.
  const repeated = what === "config" ? repeatedKeys(text) : [];
  if (repeated.length > 0) {
    throw new ConnectorError(
      code,
      `${file} has the same key more than once in one object, and only its last value would count: ` +
        `${repeated.map((key) => shownKey(text, key)).join(", ")}. Keep one of each.`,
    );
  }
  return value;
}

/** The most characters of a path in a message. */
const LONGEST_PATH = 200;

/** A key with its lines: `token (lines 2, 5)`. */
function shownKey(text: string, { path, offsets }: RepeatedKey): string {
  const lines = [...new Set(offsets.map((offset) => placeOf(text, offset).line))];
  const shown = path.length > LONGEST_PATH ? `…${path.slice(-LONGEST_PATH)}` : path;
  return `${shown} (${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")})`;
}

const nameOf = (path: string, what: InputKind): string =>
  path === STDIN ? `The ${what} from stdin` : `The ${what} file "${path}"`;

async function load(path: string, file: string, code: ErrorCode): Promise<Uint8Array> {
  try {
    return await readFile(path);
  } catch (error) {
    const cause = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new ConnectorError(code, `${file} ${REASONS[cause] ?? "cannot be read"}.`, {
      detail: cause,
    });
  }
}

function decode(bytes: Uint8Array, file: string, code: ErrorCode): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new ConnectorError(code, `${file} is not text in UTF-8. Save it with that encoding.`);
  }
}

function placeOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}
