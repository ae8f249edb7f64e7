/**
 * The hot path: the records of one page, checked (V1), freed of repeats (P5) and turned into RECORD lines.
 *
 * A record that holds nothing but the schema's properties is text and null throughout, so that JSON.stringify gives back
 * what was parsed, digit for digit. One with other properties may hide a number that a double cannot hold: where there
 * is one, the page is parsed once more with every number kept as the text that it came as (V3).
 *
 * The lines of a page become bytes once, all together: they are hashed where they lie, four bytes at a time, and written
 * in one piece. Repeats, line separators and lone surrogates are rare, and take a slower way around.
 */
import { addDecimals } from "../core/decimal.ts";
import { hash, hashBytes } from "../core/identity.ts";
import type { ProvisionalDay } from "../core/state.ts";
import { DAY, floorTo, parseInstant } from "../core/time.ts";
import { type DayTotal, PageTotals } from "../core/totals.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import { checked, clipped, isFields, type RecordRules } from "./invalid.ts";
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
  const begin = `{"type":"RECORD","record":{"stream":"${context.stream.name}","data":`;
  const end = `,"x_ReadingId":"${context.readingId}"},"emitted_at":${context.emittedAt}}}\n`;
  const records: Fields[] = [];
  let lines: string[] = [];
  let exact: readonly unknown[] | null = null;
  for (const [index, value] of values.entries()) {
    const record = checked(value, index, context);
    let data: unknown = value;
    if (mayHideNumbers(record, context)) {
      exact ??= recordsOf(text);
      data = withoutOwnProperty(exact[index]);
    }
    records.push(record);
    lines.push(begin + stringify(data).slice(0, -1) + end);
  }
  let page = lines.join("");
  if (!isFit(page)) {
    lines = lines.map((line) => fitForLines(line, context));
    page = lines.join("");
  }
  const bytes = Buffer.from(page);
  const sift = new Sift(context);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isAscii = bytes.length === page.length;
  let at = 0;
  const kept = lines.filter((line, index) => {
    const next = at + (isAscii ? line.length : Buffer.byteLength(line));
    const content = hashBytes(view, at + begin.length, next - end.length);
    at = next;
    return sift.keeps(records[index] ?? {}, content);
  });
  return {
    bytes: kept.length === lines.length ? bytes : Buffer.from(kept.join("")),
    count: kept.length,
    ...sift.result(),
  };
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

  keeps(record: Fields, content: { high: number; low: number }): boolean {
    const { stream, window, withTotals } = this.#context;
    const verdict = judgeRepeat(content, this.#within(record), this.#context);
    if (verdict.counts) {
      this.#records += 1;
      const found = stream.provisionalOf(record);
      const day = found === null ? null : dayOf(record, window, this.#context.from);
      if (found !== null && day !== null) addTo(this.#provisional, day, found);
    }
    if (verdict.owned && withTotals) addToTotals(this.#totals, record, this.#context);
    if (!verdict.repeats) this.#warnOfConflict(record);
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
    const start = String(record["ChargePeriodStart"]);
    const end = String(record["ChargePeriodEnd"]);
    if (start !== this.#start || end !== this.#end) {
      this.#isWithin = isWithin(start, end, this.#context.window);
      this.#start = start;
      this.#end = end;
    }
    return this.#isWithin;
  }

  #warnOfConflict(record: Fields): void {
    const id = String(record["x_RecordId"]);
    const version = hash(`${id}\n${String(record["x_RecordUpdatedAt"])}`);
    if (!this.#context.repeats.hasSeenVersion(version)) return;
    this.#context.warn(
      "conflicting versions",
      `record "${clipped(id)}" came twice with the same x_RecordUpdatedAt and different contents; both are passed on.`,
    );
  }
}

/** Whether no other window can return a record, however the provider selects (by start, overlap or containment). */
function isWithin(startText: string, endText: string, window: Range): boolean {
  const start = parseInstant(startText);
  const end = parseInstant(endText);
  if (start === undefined || end === undefined) return false;
  return start >= window.start && start < window.end && end <= window.end;
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
  const page = JSON.parse(json, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value,
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
  try {
    return JSON.stringify(data);
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
  const start = parseInstant(String(record["ChargePeriodStart"])) ?? window.start;
  const end = parseInstant(String(record["ChargePeriodEnd"])) ?? start;
  const isStrange = start >= window.end || Math.max(start + 1, end) <= window.start;
  if (isStrange) return floorTo(DAY, Math.min(Math.max(start, window.start), window.end - 1));
  const at = Math.max(start, from);
  return at >= window.start && at < window.end ? floorTo(DAY, at) : null;
}

function addToTotals(totals: PageTotals, record: Fields, { stream, window }: PageContext): void {
  const start = parseInstant(String(record["ChargePeriodStart"]));
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

/** Whether any reader takes each line for one line, in valid Unicode (V4). */
function isFit(page: string): boolean {
  return !/[\u0085\u2028\u2029]/.test(page) && !/\\ud[89a-f]/.test(page);
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
