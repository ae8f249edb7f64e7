/**
 * Makes the bytes of pages that are not plain: JSON.stringify writes the records that JSON.parse has read. A record with
 * properties that the interface does not name may contain a number that a double cannot represent. If a page has such a
 * record, the page is parsed once more, and every number keeps its original text (V3).
 */
import { onOneLine } from "../core/lines.ts";
import { ConnectorError } from "../errors.ts";
import { type Fields, isFields } from "./fields.ts";
import type { Warn } from "./page_records.ts";
import { ADDED, type RecordSchema } from "./record_schema.ts";
import { compareMembers, compareNames } from "./usual_order.ts";

declare global {
  interface JSON {
    /** ECMA-262 2026, JSON.rawJSON: a value that is stringified as this very text. */
    rawJSON(text: string): object;
    isRawJSON(value: unknown): boolean;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** The records of a page as JSON. */
export interface RewrittenRecords {
  /** The bytes of all records, one after the other. */
  readonly bytes: Buffer;
  /** The end (exclusive) of each record in them. */
  readonly ends: readonly number[];
  /** The `x_ProviderColumns` of a record; null if it has none. */
  columnsOf(index: number): ProviderColumns | null;
  /** The members of a record in their usual order, without the closing brace; null if `bytes` has this order (R6). */
  inOrder(index: number): string | null;
}

/** Members that the interface does not name (R3). */
export interface ProviderColumns {
  readonly json: string;
  /** Number of bytes before the record's closing brace that are hashed but not written: its members with names of {@link ADDED}. */
  readonly hidden: number;
}

/**
 * Writes all records of a page. They are not checked here.
 *
 * @param values the records as JSON.parse gives them
 * @param text the whole page
 */
export function rewritten(
  values: readonly unknown[],
  text: string,
  schema: RecordSchema,
  warn: Warn,
): RewrittenRecords {
  let exact: readonly unknown[] | null = null;
  const columns = new Map<number, ProviderColumns>();
  const parts = values.map((value, index) => {
    if (!isFields(value) || !hasForeignMembers(value, schema)) return stringify(value);
    exact ??= recordsOf(text);
    const record = exact[index];
    if (!isFields(record)) return stringify(record);
    const foreign = foreignMembers(record, schema);
    if (foreign === null) return stringify(record);
    const hidden = hiddenMembers(record, warn);
    const json = fitForLines(stringify(foreign), warn);
    columns.set(index, { json, hidden: Buffer.byteLength(hidden) });
    return hidden === ""
      ? stringify(record)
      : `${stringify(withoutOurs(record)).slice(0, -1)}${hidden}}`;
  });
  const lines = parts.map((part) => (UNFIT.test(part) ? fitForLines(part, warn) : part));
  const ends: number[] = [];
  let size = 0;
  for (const line of lines) ends.push((size += Buffer.byteLength(line)));
  const bytes = Buffer.allocUnsafeSlow(size); // each line is copied by itself: a joined text would hold the page once more
  for (const [index, line] of lines.entries()) bytes.write(line, ends[index - 1] ?? 0);
  const columnsOf = (index: number): ProviderColumns | null => columns.get(index) ?? null;
  const inOrder = (index: number): string | null => {
    if (isInOrder(values[index])) return null;
    const json = stringify(ordered(exact?.[index] ?? values[index]));
    return fitted(json, () => undefined).slice(0, -1);
  };
  return { bytes, ends, columnsOf, inOrder };
}

/** Whether the bytes of a record have its members in their usual order. A record with a member of {@link ADDED} never has. */
function isInOrder(record: unknown): boolean {
  if (!isFields(record)) return true;
  let before: string | null = null;
  for (const name in record) {
    const isNext = before === null || compareMembers(before, name) < 0;
    if (!isNext || ADDED.has(name) || !isSorted(record[name])) return false;
    before = name;
  }
  return true;
}

/** Whether all objects in a value have their members sorted by name. */
function isSorted(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (Array.isArray(value)) return value.every(isSorted);
  const names = Object.keys(value);
  const isNext = (name: string, index: number): boolean =>
    index === 0 || compareNames(names[index - 1] ?? "", name) < 0;
  return names.every(isNext) && Object.values(value).every(isSorted);
}

/** A record with its members in their usual order. Numbers keep their original text. */
function ordered(record: unknown): unknown {
  if (!isFields(record)) return record;
  const members = Object.entries(record).toSorted(([a], [b]) => compareMembers(a, b));
  return Object.fromEntries(members.map(([name, value]) => [name, sorted(value)]));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).toSorted(([a], [b]) => compareNames(a, b));
  return Object.fromEntries(members.map(([name, member]) => [name, sorted(member)]));
}

/** Whether a record may contain a number: it has a foreign member, or a value that is no text. */
function hasForeignMembers(record: Fields, schema: RecordSchema): boolean {
  for (const key in record) {
    if (!schema.isNamed(key)) return true;
    const value = record[key];
    if (typeof value !== "string" && value !== null && typeof value !== "boolean") return true;
  }
  return false;
}

/** The members that the interface does not name, as they came (R3); null if there are none. */
function foreignMembers(record: Fields, schema: RecordSchema): Fields | null {
  const foreign = Object.entries(record).filter(([name]) => !schema.isNamed(name));
  return foreign.length === 0 ? null : Object.fromEntries(foreign);
}

const withoutOurs = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !ADDED.has(name)));

/** The provider's members with names of {@link ADDED}, as the end of a record's JSON; empty if there are none. */
function hiddenMembers(record: Fields, warn: Warn): string {
  const hidden = Object.entries(record).filter(([name]) => ADDED.has(name));
  if (hidden.length === 0) return "";
  return `,${fitForLines(stringify(Object.fromEntries(hidden)), warn).slice(1, -1)}`;
}

/** Parses the page once more. Every number keeps its original text. */
function recordsOf(text: string): readonly unknown[] {
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const page = withinDepth(() =>
    JSON.parse(json, (_key, value, { source }) =>
      typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value,
    ),
  );
  const data = isFields(page) ? page["data"] : undefined;
  if (!Array.isArray(data)) throw new ConnectorError("internal", "A page lost its records.");
  return data;
}

function stringify(data: unknown): string {
  return withinDepth(() => JSON.stringify(data));
}

/** Runs recursive work on a value. The JavaScript engine overflows its stack at some thousands of levels. */
function withinDepth<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw new ConnectorError(
      "invalid_record",
      "The provider sent a record that is nested too deeply to be passed on. Report it to the provider.",
      { cause },
    );
  }
}

/** Characters that some readers take for the end of a line, and lone surrogates as JSON.stringify escapes them (V4). */
const UNFIT = /[\u0085\u2028\u2029]|\\ud[89a-f]/;

/**
 * Escapes line separators and replaces lone surrogates. JSON.stringify writes a lone surrogate as an escape, and strict
 * readers refuse a whole line that contains one. So it becomes U+FFFD, with a warning.
 */
function fitForLines(line: string, warn: Warn): string {
  return fitted(line, () =>
    warn(
      "lone surrogates",
      "a record holds half a character (a lone surrogate), which is no valid text; U+FFFD stands in its place.",
    ),
  );
}

function fitted(line: string, onSurrogate: () => void): string {
  return onOneLine(line).replaceAll(/\\(ud[89a-f][0-9a-f]{2}|.)/g, (escape, what: string) => {
    if (what.length === 1) return escape;
    onSurrogate();
    return "\uFFFD";
  });
}
