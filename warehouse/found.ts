/** Tells what a path holds before a command writes there, so that no command replaces a file of another kind. */
import { closeSync, openSync, readSync, type Stats, statSync } from "node:fs";

/** The content of a path. `hidden` may be anything, and `other` is a file of any other kind, or something that is no file. */
export type FoundKind =
  | "nothing"
  | "empty"
  | "database"
  | "unfinished database"
  | "report"
  | "hidden"
  | "other";

export interface Found {
  readonly kind: FoundKind;
  /** Words for a message, such as "a JSON file". */
  readonly words: string;
}

/** The bytes that tell the kind of a file. */
const HEAD = 4096;

/** DuckDB writes three headers of 4096 bytes when it makes a file. */
const HEADERS = 3 * 4096;

/** The first lines of a report of 0.2.0, which carries no mark. */
const REPORT_0_2_0 =
  /^\n?<!doctype html>\n<html lang="en-US">\n<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-/;

/** Marks a report as ours; stands among its first lines. */
export const REPORT_MARK = '<meta name="generator" content="source-ai-billing report">';

/** The mark of a DuckDB file, at byte 8. */
export const isMarked = (head: Buffer): boolean => head.toString("latin1", 8, 12) === "DUCK";

/** Links are followed. */
export function findAt(path: string): Found {
  const stats = statOf(path);
  if (stats === undefined) return { kind: "nothing", words: "nothing" };
  if (stats === "hidden") return { kind: "hidden", words: "something that this user may not see" };
  if (stats.isDirectory()) return { kind: "other", words: "a folder" };
  if (!stats.isFile()) return { kind: "other", words: "a device, a pipe or a socket" };
  if (stats.size === 0) return { kind: "empty", words: "an empty file" };
  return kindOf(headOf(path, HEAD), stats.size);
}

function kindOf(head: Buffer, size: number): Found {
  if (isMarked(head)) {
    return size < HEADERS
      ? { kind: "unfinished database", words: "an unfinished DuckDB database" }
      : { kind: "database", words: "a DuckDB database" };
  }
  if (head.length === 0) return { kind: "hidden", words: "a file that this user may not read" };
  const text = head.toString("utf8");
  if (text.includes(REPORT_MARK) || REPORT_0_2_0.test(text)) {
    return { kind: "report", words: "a report of this program" };
  }
  return { kind: "other", words: wordsOf(text) };
}

function wordsOf(text: string): string {
  if (text.startsWith("SQLite format 3")) return "an SQLite database";
  if (text.includes("\0")) return "a binary file";
  const begin = text.trimStart();
  if (begin.startsWith("{") || begin.startsWith("[")) return "a JSON file";
  if (/^<(!doctype html|html)/i.test(begin)) return "a web page";
  return /^[^\n]*,[^\n]*\n/.test(begin) ? "a CSV file" : "a text file";
}

function statOf(path: string): Stats | "hidden" | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return "hidden";
  }
}

/** The first bytes of a file; fewer if it is shorter, none if it cannot be read. */
export function headOf(path: string, length: number): Buffer {
  const head = Buffer.alloc(length);
  try {
    const file = openSync(path, "r");
    try {
      return head.subarray(0, readSync(file, head));
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}
