/**
 * The plain path: the records of a page that JSON.parse read, as JSON.stringify writes them. A record that holds other
 * properties may hide a number that a double cannot hold; where there is one, the page is parsed once more with every
 * number kept as the text that it came as (V3).
 */
import { onOneLine } from "../core/lines.ts";
import { ConnectorError } from "../errors.ts";
import type { ParsedRecords, ScannedRecords } from "../interface/scan.ts";
import { isFields, type RecordRules } from "./invalid.ts";
import type { Fields } from "./stream.ts";

declare global {
  interface JSON {
    /** ECMA-262 2026, JSON.rawJSON: a value that is stringified as this very text. */
    rawJSON(text: string): object;
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** Our own properties: a provider's members of these names give way, and stand in `x_ProviderColumns` (R3). */
const OURS: ReadonlySet<string> = new Set(["x_ReadingId", "x_ProviderColumns"]);

/** As those of a plain page, but of values that may be anything. */
export interface RewrittenRecords extends Omit<ScannedRecords, "each"> {
  each(visit: (index: number, value: unknown, start: number, end: number) => void): void;
  /** The `x_ProviderColumns` of a record; null where it has none. */
  columnsOf(index: number): ProviderColumns | null;
}

/** Members that the interface does not name (R3). */
export interface ProviderColumns {
  readonly json: string;
  /** The record's last bytes, before its brace, that are hashed but not written: its own members of our names. */
  readonly hidden: number;
}

/** The records of any page, written again one after the other; not checked. */
export function rewritten(
  { values, text, release }: ParsedRecords,
  rules: RecordRules,
): RewrittenRecords {
  let exact: readonly unknown[] | null = null;
  const columns = new Map<number, ProviderColumns>();
  const parts = values.map((value, index) => {
    if (!isFields(value) || !hasForeignMembers(value, rules)) return stringify(value);
    exact ??= recordsOf(text);
    const record = exact[index];
    if (!isFields(record)) return stringify(record);
    const foreign = foreignMembers(record, rules);
    if (foreign === null) return stringify(record);
    const hidden = hiddenMembers(record, rules);
    const json = fitForLines(stringify(foreign), rules);
    columns.set(index, { json, hidden: Buffer.byteLength(hidden) });
    return hidden === ""
      ? stringify(record)
      : `${stringify(withoutOurs(record)).slice(0, -1)}${hidden}}`;
  });
  const lines = parts.map((part) => (UNFIT.test(part) ? fitForLines(part, rules) : part));
  const ends: number[] = [];
  let size = 0;
  for (const line of lines) ends.push((size += Buffer.byteLength(line)));
  const bytes = Buffer.allocUnsafeSlow(size); // one write each: joined, a page of 32 MiB would be held once more
  for (const [index, line] of lines.entries()) bytes.write(line, ends[index - 1] ?? 0);
  const each: RewrittenRecords["each"] = (visit) => {
    for (const [index, end] of ends.entries()) {
      visit(index, values[index], ends[index - 1] ?? 0, end);
    }
  };
  const columnsOf = (index: number): ProviderColumns | null => columns.get(index) ?? null;
  return { length: lines.length, bytes, each, columnsOf, release };
}

/** Whether a record has members that the interface does not name, which may hide numbers, or a number in place of a text. */
function hasForeignMembers(record: Fields, { stream }: RecordRules): boolean {
  for (const key in record) {
    if (!stream.properties.has(key)) return true;
    const value = record[key];
    if (typeof value !== "string" && value !== null && typeof value !== "boolean") return true;
  }
  return false;
}

/** The members that the interface does not name, as they came (R3); null where there are none. */
function foreignMembers(record: Fields, { stream }: RecordRules): Fields | null {
  const foreign = Object.entries(record).filter(([name]) => !stream.properties.has(name));
  return foreign.length === 0 ? null : Object.fromEntries(foreign);
}

const withoutOurs = (record: Fields): Fields =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !OURS.has(name)));

/** The provider's own members of our names, as the end of a record; empty where there are none. */
function hiddenMembers(record: Fields, rules: RecordRules): string {
  const hidden = Object.entries(record).filter(([name]) => OURS.has(name));
  if (hidden.length === 0) return "";
  return `,${fitForLines(stringify(Object.fromEntries(hidden)), rules).slice(1, -1)}`;
}

/** The page's records once more, every number as the text that it came as. */
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

/** Work that goes down every level of a value, of which the engine manages some thousands. */
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

/** What some readers take for the end of a line, and lone surrogates as JSON.stringify writes them (V4). */
const UNFIT = /[\u0085\u2028\u2029]|\\ud[89a-f]/;

/**
 * A line in which separators are escaped. JSON.stringify writes a lone surrogate as an escape, which strict readers
 * refuse together with the whole line: half a character is no text, and becomes U+FFFD, with a warning.
 */
function fitForLines(line: string, rules: RecordRules): string {
  return onOneLine(line).replaceAll(/\\(ud[89a-f][0-9a-f]{2}|.)/g, (escape, what: string) => {
    if (what.length === 1) return escape;
    rules.warn(
      "lone surrogates",
      "a record holds half a character (a lone surrogate), which is no valid text; U+FFFD stands in its place.",
    );
    return "\uFFFD";
  });
}
