/**
 * Cursors of an adapter. A cursor holds all that the adapter knows of a half-read window, so the process after a kill goes on at
 * the same page.
 */
import { hash } from "node:crypto";
import type { Place, Query } from "./report.ts";

/** The most characters of a cursor (L1). */
const MAXIMUM_CHARACTERS = 8192;

/** A position in the records of a window. */
export interface Cursor extends Place {
  /** Which of the dataset's reports, from 0. */
  readonly report: number;
  /** The last record that was given of the page at this place; null if none was given. */
  readonly after: { readonly start: number; readonly id: string } | null;
  /** Digest of the bucket that was given in part. A different digest means that the report has changed. */
  readonly digest: string | null;
  /** The reports of this window, from 0, that were refused and count as empty. */
  readonly refused: readonly number[];
  /** `as_of` of the page before, milliseconds since 1970. */
  readonly asOf: number;
}

/** The cursor as text; undefined if it is longer than a cursor may be. */
export function encodeCursor(cursor: Cursor, api: string, query: Query): string | undefined {
  const { report, start, size, page, after, digest, asOf, refused } = cursor;
  const place = [digestOf(api, query), report, start, size, page];
  const parts = [...place, after?.start ?? null, after?.id ?? null, digest, asOf, refused];
  const text = Buffer.from(JSON.stringify(parts)).toString("base64url");
  return text.length > MAXIMUM_CHARACTERS ? undefined : text;
}

/** The content of a cursor; undefined if the adapter did not make this cursor, or made it for another query. */
export function decodeCursor(text: string, api: string, query: Query): Cursor | undefined {
  if (text.length > MAXIMUM_CHARACTERS) return undefined;
  try {
    const parts: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!Array.isArray(parts) || parts.length !== 10) return undefined;
    const [bound, report, start, size, page, afterStart, afterId, digest, asOf, names]: unknown[] =
      parts;
    const refused: unknown[] = Array.isArray(names) ? names : [];
    if (!refused.every(isWhole)) return undefined;
    if (bound !== digestOf(api, query) || !isWhole(report) || !isWhole(start)) return undefined;
    if (!isWhole(size) || size < 1 || !isWhole(asOf)) return undefined;
    if (!isTextOrNull(page) || !isTextOrNull(digest)) return undefined;
    const after =
      isWhole(afterStart) && typeof afterId === "string"
        ? { start: afterStart, id: afterId }
        : null;
    return { report, start, size, page, after, digest, asOf, refused };
  } catch {
    return undefined;
  }
}

function digestOf(api: string, query: Query): string {
  return hash("sha256", JSON.stringify([api, query]), "base64url").slice(0, 12);
}

function isWhole(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}
