/**
 * The hot path: checks the records of one page (V1), drops repeats (P5) and makes RECORD lines.
 *
 * A plain page (interface/scan.ts) is not parsed: only the values that differ from the record before become texts, and the lines
 * take over the records' own bytes. Every other page is {@link rewritten} by JSON.stringify. A record with unknown properties may
 * hold a number that does not fit a double; such a page is parsed once more, with each number kept as its text (V3).
 *
 * On both paths the bytes that are written of a record are hashed, so that a repeat is recognized across the paths. The lines of
 * a page are written in one piece.
 */
import { addAmounts } from "../core/decimal.ts";
import { type RecordFingerprint, hashBytes, hashTexts } from "../core/identity.ts";
import { foreignText } from "../core/foreign_text.ts";
import { onOneLine } from "../core/lines.ts";
import type { Place, WindowMemory } from "../core/sightings.ts";
import type { ProvisionalDay } from "../core/state.ts";
import { DAY, floorTo, parseInstant } from "../core/time.ts";
import { type DayTotal, PageTotals } from "../core/totals.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import type { PageRecords, ParsedRecords, ScannedRecords } from "../interface/scan.ts";
import { checked, isFields, type RecordRules, textOf } from "./invalid.ts";
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

/** How the pages of one window are made into lines. */
export interface WindowContext {
  readonly rules: RecordRules;
  readonly window: Range;
  readonly readingId: string;
  /** The earliest instant that the plan asks for. */
  readonly planFrom: number;
  /** Whether to make control totals (R5). */
  readonly withTotals: boolean;
  readonly memory: WindowMemory;
}

/** The lines of one page, ready to be written, and their sums. */
export interface Lines {
  /** RECORD lines in UTF-8, each ended by a line feed. */
  readonly bytes: Buffer;
  readonly count: number;
  /** Records of the page that are new to its reading; after a restart they count again without being emitted again. */
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  /** Control totals of the records that carry this reading's id; empty without {@link WindowContext.withTotals}. */
  readonly totals: readonly DayTotal[];
}

/**
 * The RECORD lines of a page. Gives the memory of the page's body back.
 *
 * @param emittedAt milliseconds since 1970
 * @param take gives memory of at least so many bytes to write into
 * @throws ConnectorError `invalid_record` where a record breaks its schema (V1)
 */
export function toLines(
  page: PageRecords,
  context: WindowContext,
  emittedAt: number,
  take: (length: number) => Buffer,
): Lines {
  const { rules, window, readingId } = context;
  const { stream } = rules;
  const begin = Buffer.from(`{"type":"RECORD","record":{"stream":"${stream.name}","data":`);
  const end = Buffer.from(`,"x_ReadingId":"${readingId}"},"emitted_at":${emittedAt}}}\n`);
  const records = "values" in page ? rewritten(page, context) : page;
  const { bytes: source, length } = records;
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const bytes = take(source.length + length * (begin.length + end.length));
  const filter = new RecordFilter(context);
  let to = 0;
  let count = 0;
  records.each((index, value, start, brace) => {
    const record = checked(value, index, window, rules);
    const content = hashBytes(view, start, brace - 1);
    if (!filter.keeps(record, content)) return;
    bytes.set(begin, to);
    source.copy(bytes, to + begin.length, start, brace - 1);
    to += begin.length + (brace - 1 - start);
    bytes.set(end, to);
    to += end.length;
    count += 1;
  });
  records.release();
  return { bytes: bytes.subarray(0, to), count, ...filter.result() };
}

/** The records of any page as JSON.stringify writes them; not checked. */
function rewritten(
  { values, text, release }: ParsedRecords,
  context: WindowContext,
): RewrittenRecords {
  let exact: readonly unknown[] | null = null;
  const parts = values.map((value, index) => {
    if (!isFields(value) || !mayHideNumbers(value, context.rules)) return stringify(value);
    exact ??= recordsOf(text);
    return stringify(withoutOwnProperty(exact[index]));
  });
  const lines = parts.map((part) => (UNFIT.test(part) ? fitForLines(part, context) : part));
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
  return { length: lines.length, bytes, each, release };
}

/** The same interface as a plain page's records, for values of any kind. */
interface RewrittenRecords extends Omit<ScannedRecords, "each"> {
  each(visit: (index: number, value: unknown, start: number, end: number) => void): void;
}

/** Decides which records of a page are emitted, and adds up its records. */
class RecordFilter {
  readonly #context: WindowContext;
  readonly #provisional = new Map<number, ProvisionalDay>();
  readonly #totals = new PageTotals();
  #records = 0;
  // Most records of a page have the charge period of the one before.
  #start = "";
  #end = "";
  #place: Place = "within";

  constructor(context: WindowContext) {
    this.#context = context;
  }

  keeps(record: Fields, content: RecordFingerprint["content"]): boolean {
    const { rules, window, planFrom, withTotals, memory } = this.#context;
    const { stream } = rules;
    const version = hashTexts(textOf(record["x_RecordId"]), textOf(record["x_RecordUpdatedAt"]));
    const verdict = memory.judge({ version, content }, this.#placeOf(record));
    if (verdict.counts) {
      this.#records += 1;
      const found = stream.provisionalOf(record);
      const day = found === null ? null : dayOf(record, window, planFrom);
      if (found !== null && day !== null) addTo(this.#provisional, day, found);
    }
    if (verdict.owned && withTotals) addToTotals(this.#totals, record, this.#context);
    if (verdict.conflicts) this.#warnOfConflict(record);
    return !verdict.repeats;
  }

  result(): Pick<Lines, "records" | "provisional" | "totals"> {
    return {
      records: this.#records,
      provisional: [...this.#provisional.values()],
      totals: this.#totals.result(),
    };
  }

  #placeOf(record: Fields): Place {
    const start = textOf(record["ChargePeriodStart"]);
    const end = textOf(record["ChargePeriodEnd"]);
    if (start !== this.#start || end !== this.#end) {
      this.#place = placeOf(start, end, this.#context.window);
      this.#start = start;
      this.#end = end;
    }
    return this.#place;
  }

  #warnOfConflict(record: Fields): void {
    const id = textOf(record["x_RecordId"]);
    this.#context.rules.warn(
      "conflicting versions",
      `record "${foreignText(id)}" came twice with the same x_RecordUpdatedAt and different contents; both are passed on.`,
    );
  }
}

/** See {@link Place}. A record whose charge period cannot be read may lie anywhere. */
function placeOf(startText: string, endText: string, window: Range): Place {
  const start = parseInstant(startText);
  const end = parseInstant(endText);
  if (start === undefined || end === undefined) return "reaches";
  if (start < window.start || start >= window.end || end > window.end) return "reaches";
  return start > window.start && end < window.end ? "within" : "touches";
}

/** Whether the record may hold a number, or holds the property that we are about to add. */
function mayHideNumbers(record: Fields, { stream }: RecordRules): boolean {
  for (const key in record) {
    if (key === "x_ReadingId") return true;
    const value = record[key];
    if (typeof value === "string" || value === null) continue;
    if (!stream.properties.has(key) || typeof value !== "boolean") return true;
  }
  return false;
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

/** A provider's own `x_ReadingId` gives way to ours (R3). */
function withoutOwnProperty(record: unknown): unknown {
  if (!isFields(record) || !("x_ReadingId" in record)) return record;
  const { x_ReadingId: _theirs, ...rest } = record;
  return rest;
}

function stringify(data: unknown): string {
  return withinDepth(() => JSON.stringify(data));
}

/** Does recursive work on a value; the engine's stack allows some thousands of levels. */
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

/**
 * The UTC day that keeps a record's provisional cost: the day of its start. So the day is the same whichever windows return the
 * record, and whichever lane is first. Null in a window that only shares a later part of the charge period. A record that starts
 * before the plan counts on the plan's first day. If the charge period lies outside the window (a provider may select by other
 * criteria), the record counts on the nearest day inside.
 */
function dayOf(record: Fields, window: Range, from: number): number | null {
  const start = parseInstant(textOf(record["ChargePeriodStart"])) ?? window.start;
  const end = parseInstant(textOf(record["ChargePeriodEnd"])) ?? start;
  // The provider takes the end as inclusive: the window that begins there returns the record too.
  if (start === window.end) return null;
  const isStrange = start > window.end || Math.max(start + 1, end) <= window.start;
  if (isStrange) return floorTo(DAY, Math.min(Math.max(start, window.start), window.end - 1));
  const at = Math.max(start, from);
  return at >= window.start && at < window.end ? floorTo(DAY, at) : null;
}

function addToTotals(totals: PageTotals, record: Fields, { rules, window }: WindowContext): void {
  const start = parseInstant(textOf(record["ChargePeriodStart"]));
  const inside = start !== undefined && start >= window.start && start < window.end;
  totals.add(floorTo(DAY, start ?? window.start), inside, rules.stream.amountsOf(record));
}

function addTo(
  days: Map<number, ProvisionalDay>,
  day: number,
  found: Omit<ProvisionalDay, "day">,
): void {
  const before = days.get(day) ?? { day, records: 0, billed: {} };
  const billed = addAmounts(before.billed, found.billed);
  days.set(day, { day, records: before.records + found.records, billed });
}

/** Characters that some readers take for the end of a line, and lone surrogates as JSON.stringify writes them (V4). */
const UNFIT = /[\u0085\u2028\u2029]|\\ud[89a-f]/;

/**
 * A line with escaped separators. JSON.stringify writes a lone surrogate as an escape, and strict readers refuse a line with such
 * an escape. So half a character becomes U+FFFD, with a warning.
 */
function fitForLines(line: string, context: WindowContext): string {
  return onOneLine(line).replaceAll(/\\(ud[89a-f][0-9a-f]{2}|.)/g, (escape, what: string) => {
    if (what.length === 1) return escape;
    context.rules.warn(
      "lone surrogates",
      "a record holds half a character (a lone surrogate), which is no valid text; U+FFFD stands in its place.",
    );
    return "\uFFFD";
  });
}
