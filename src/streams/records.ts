/**
 * The hot path: the records of one page, checked (V1), freed of repeats (P5) and turned into RECORD lines.
 *
 * A page is parsed once, to be checked. What is written are the records' own bytes, cut out of the page wherever it can
 * be proven where each of them begins and ends ({@link cutOut}): that is every page of plain records, and several times
 * faster than to make text of what was just made of text. All other pages take the plain path ({@link written}), where
 * JSON.stringify gives back what was parsed. A record that holds other properties may hide a number that a double
 * cannot hold: where there is one, the page is parsed once more with every number kept as the text that it came as (V3).
 *
 * The lines of a page become bytes once, all together: they are hashed where they lie, eight bytes at a time, and
 * written in one piece. Repeats, line separators and lone surrogates are rare, and take a slower way around.
 */
import { addDecimals } from "../core/decimal.ts";
import { type Fingerprint, hashBytes, hashTexts } from "../core/identity.ts";
import type { ProvisionalDay } from "../core/state.ts";
import { DAY, floorTo, parseInstant } from "../core/time.ts";
import { type DayTotal, PageTotals } from "../core/totals.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import { checked, clipped, isFields, type RecordRules, textOf } from "./invalid.ts";
import { judgeRepeat, type Memory } from "./repeats.ts";
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

/** What a page's records are judged by. */
export interface PageContext extends RecordRules, Memory {
  readonly readingId: string;
  /** The earliest instant that the plan asks for. */
  readonly from: number;
  /** Milliseconds since 1970. */
  readonly emittedAt: number;
  /** Whether to make control totals (R5). */
  readonly withTotals: boolean;
}

/** The lines of one page, ready to be written, and what they come to. */
export interface Lines {
  /** RECORD lines in UTF-8, each ended by a line feed. */
  readonly bytes: Buffer;
  readonly count: number;
  /** Records of the page that its reading had not seen before, whether or not they are emitted again. */
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  /** Control totals of the records that carry this reading's id; empty where nobody asked for them. */
  readonly totals: readonly DayTotal[];
}

/**
 * The RECORD lines of a page.
 *
 * @param values the page's `data` as JSON.parse gave it
 * @param text the page's whole body
 * @throws ConnectorError `invalid_record` where a record breaks its schema (V1)
 */
export function toLines(values: readonly unknown[], text: string, context: PageContext): Lines {
  const records = values.map((value, index) => checked(value, index, context));
  const begin = `{"type":"RECORD","record":{"stream":"${context.stream.name}","data":`;
  const end = `,"x_ReadingId":"${context.readingId}"},"emitted_at":${context.emittedAt}}}\n`;
  const sift = new Sift(context);
  if (records.length === 0) return { bytes: Buffer.alloc(0), count: 0, ...sift.result() };
  let parts = cutOut(records, text);
  const isCut = parts !== null;
  parts ??= written(records, text, context);
  let body = parts.join(end + begin);
  let length = Buffer.byteLength(body);
  if (!isFit(body, length, isCut)) {
    parts = parts.map((part) => fitForLines(part, context));
    body = parts.join(end + begin);
    length = Buffer.byteLength(body);
  }
  const isAscii = length === body.length;
  const bytes = Buffer.allocUnsafe(begin.length + length + end.length);
  bytes.write(begin, "latin1");
  bytes.write(body, begin.length, "utf8");
  bytes.write(end, begin.length + length, "latin1");

  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0; // where the next line of the page begins
  let to = 0; // where the next line that is kept goes
  let count = 0;
  for (const [index, part] of parts.entries()) {
    const from = at;
    const size = isAscii ? part.length : Buffer.byteLength(part);
    at += begin.length + size + end.length;
    const content = hashBytes(view, from + begin.length, from + begin.length + size);
    if (!sift.keeps(records[index] ?? {}, content)) continue;
    if (to !== from) bytes.copyWithin(to, from, at); // something before it was dropped
    to += at - from;
    count += 1;
  }
  return { bytes: bytes.subarray(0, to), count, ...sift.result() };
}

/**
 * The records' own texts, each without its closing brace, where it can be proven that this is what they are; null where
 * not.
 *
 * 1. The page holds no backslash: every quote begins or ends a text, and what a text says is what was parsed. It holds
 *    one opening bracket: the only list is that of the records, so that objects that follow one another are records.
 * 2. A record of texts and nulls only, of which the lengths are known, can be no shorter than `length`: blanks, members
 *    that were given twice, all that parsing drops would only make it longer.
 * 3. `},{"` before a letter separates two objects: were it inside of a text, its quote would end the text, which no
 *    letter may follow in what JSON.parse took for JSON. So the first separator at or after `length` ends the record,
 *    and one at just `length` proves that the record is as short as can be, and dropped nothing.
 *
 * The last record is followed by none and always written anew. Of 1,000 records: 0.3 ms instead of 0.9.
 */
function cutOut(records: readonly Fields[], text: string): string[] | null {
  let at = text.indexOf("[") + 1;
  if (text.includes("[", at) || text.includes("\\")) return null;
  const parts: string[] = [];
  for (const record of records) {
    const length = lengthOf(record);
    if (length === null) return null;
    if (parts.length === records.length - 1) {
      parts.push(stringify(record).slice(0, -1));
    } else {
      const next = at + length;
      if (!separates(text, next)) return null;
      parts.push(text.slice(at, next - 1));
      at = next + 1;
    }
  }
  return parts;
}

/** The least that a record of texts and nulls takes as JSON without escapes; null for any other, and for one with a property of ours. */
function lengthOf(record: Fields): number | null {
  let length = 1; // two braces, and one comma less than there are members
  for (const key in record) {
    const value = record[key];
    if (typeof value === "string") length += key.length + value.length + 6;
    else if (value === null) length += key.length + 8;
    else return null;
  }
  return "x_ReadingId" in record ? null : length;
}

/** Whether `},{"` and a letter (or what else lies behind A and is no bracket) stand around the comma at `at`. */
function separates(text: string, at: number): boolean {
  const letter = text.charCodeAt(at + 3);
  return (
    text.charCodeAt(at - 1) === 0x7d &&
    text.charCodeAt(at) === 0x2c &&
    text.charCodeAt(at + 1) === 0x7b &&
    text.charCodeAt(at + 2) === 0x22 &&
    letter >= 0x41 &&
    letter !== 0x5d &&
    letter !== 0x7d
  );
}

/** The plain path: the records written anew, each without its closing brace. */
function written(records: readonly Fields[], text: string, context: PageContext): string[] {
  let exact: readonly unknown[] | null = null;
  return records.map((record, index) => {
    let data: unknown = record;
    if (mayHideNumbers(record, context)) {
      exact ??= recordsOf(text);
      data = withoutOwnProperty(exact[index]);
    }
    return stringify(data).slice(0, -1);
  });
}

/** Tells the records of a page that are to be emitted from those that were already, and adds up what they come to. */
class Sift {
  readonly #context: PageContext;
  readonly #provisional = new Map<number, ProvisionalDay>();
  readonly #totals = new PageTotals();
  #records = 0;
  // Most records of a page have the charge period of the one before.
  #start = "";
  #end = "";
  #isWithin = false;

  constructor(context: PageContext) {
    this.#context = context;
  }

  keeps(record: Fields, content: Fingerprint["content"]): boolean {
    const { stream, window, withTotals } = this.#context;
    const version = hashTexts(textOf(record["x_RecordId"]), textOf(record["x_RecordUpdatedAt"]));
    const verdict = judgeRepeat({ version, content }, this.#within(record), this.#context);
    if (verdict.counts) {
      this.#records += 1;
      const found = stream.provisionalOf(record);
      const day = found === null ? null : dayOf(record, window, this.#context.from);
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

  #within(record: Fields): boolean {
    const start = textOf(record["ChargePeriodStart"]);
    const end = textOf(record["ChargePeriodEnd"]);
    if (start !== this.#start || end !== this.#end) {
      this.#isWithin = isWithin(start, end, this.#context.window);
      this.#start = start;
      this.#end = end;
    }
    return this.#isWithin;
  }

  #warnOfConflict(record: Fields): void {
    const id = textOf(record["x_RecordId"]);
    this.#context.warn(
      "conflicting versions",
      `record "${clipped(id)}" came twice with the same x_RecordUpdatedAt and different contents; both are passed on.`,
    );
  }
}

/**
 * Whether no other window can return a record, however the provider selects: by start, overlap or containment, and with
 * edges that it takes for inclusive although they are not. So what lies at an edge of its window is not within it.
 */
function isWithin(startText: string, endText: string, window: Range): boolean {
  const start = parseInstant(startText);
  const end = parseInstant(endText);
  if (start === undefined || end === undefined) return false;
  return start > window.start && end < window.end && start < window.end;
}

/** Whether a number, or something that may hold one, stands in it, or the property that we are about to add. */
function mayHideNumbers(record: Fields, { stream }: PageContext): boolean {
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

/**
 * The UTC day that a record's provisional cost is kept under: that of its start, so that it is the same whichever windows
 * return it and whichever lane is first. Null in a window that only shares a later part of its charge period. One that
 * starts before all that is read counts where reading begins; one that has nothing to do with its window (a provider that
 * selects by something else than charge period) in the window that returns it.
 */
function dayOf(record: Fields, window: Range, from: number): number | null {
  const start = parseInstant(textOf(record["ChargePeriodStart"])) ?? window.start;
  const end = parseInstant(textOf(record["ChargePeriodEnd"])) ?? start;
  // A provider to which the end counts as inside: the window that begins there returns it as well.
  if (start === window.end) return null;
  const isStrange = start > window.end || Math.max(start + 1, end) <= window.start;
  if (isStrange) return floorTo(DAY, Math.min(Math.max(start, window.start), window.end - 1));
  const at = Math.max(start, from);
  return at >= window.start && at < window.end ? floorTo(DAY, at) : null;
}

function addToTotals(totals: PageTotals, record: Fields, { stream, window }: PageContext): void {
  const start = parseInstant(textOf(record["ChargePeriodStart"]));
  const inside = start !== undefined && start >= window.start && start < window.end;
  totals.add(floorTo(DAY, start ?? window.start), inside, stream.amountsOf(record));
}

function addTo(
  days: Map<number, ProvisionalDay>,
  day: number,
  found: Omit<ProvisionalDay, "day">,
): void {
  const before = days.get(day) ?? { day, records: 0, billed: {} };
  const billed: Record<string, string> = { ...before.billed };
  for (const [currency, amount] of Object.entries(found.billed)) {
    billed[currency] = addDecimals(billed[currency] ?? "0", amount);
  }
  days.set(day, { day, records: before.records + found.records, billed });
}

/**
 * Whether any reader takes each line for one line, in valid Unicode (V4). What is cut out of a page holds no escape, and
 * what is as many bytes as characters none of the separators: most pages are never searched.
 */
function isFit(body: string, length: number, isCut: boolean): boolean {
  if (!isCut && /\\ud[89a-f]/.test(body)) return false;
  return length === body.length || !/[\u0085\u2028\u2029]/.test(body);
}

/**
 * A line in which separators are escaped. JSON.stringify writes a lone surrogate as an escape, which strict readers
 * refuse together with the whole line: half a character is no text, and becomes U+FFFD, with a warning.
 */
function fitForLines(line: string, context: PageContext): string {
  return line
    .replaceAll(
      /[\u0085\u2028\u2029]/g,
      (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )
    .replaceAll(/\\(ud[89a-f][0-9a-f]{2}|.)/g, (escape, what: string) => {
      if (what.length === 1) return escape;
      context.warn(
        "lone surrogates",
        "a record holds half a character (a lone surrogate), which is no valid text; U+FFFD stands in its place.",
      );
      return "\uFFFD";
    });
}
