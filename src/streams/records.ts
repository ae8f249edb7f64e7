/**
 * The hot path: the records of one page, checked (V1), freed of repeats (P5) and turned into RECORD lines.
 *
 * A record that holds nothing but the schema's properties is text and null throughout, so that JSON.stringify gives back
 * what was parsed, digit for digit. One with other properties may hide a number that a double cannot hold: where there
 * is one, the page is parsed once more with every number kept as the text that it came as (V3).
 */
import { addDecimals } from "../core/decimal.ts";
import { FingerprintSet, type Hash, hash } from "../core/identity.ts";
import type { ProvisionalDay } from "../core/state.ts";
import { type DayTotal, PageTotals } from "../core/totals.ts";
import { DAY, floorTo, formatInstant, parseInstant } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import type { Violation } from "../generated/validators.js";
import type { Fields, Granularity, StreamDefinition } from "./stream.ts";

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

/** Fingerprints that one set holds at most: 64-bit ones of 500 full pages, 8 to 16 MB. */
const FINGERPRINTS = 500_000;

/** Recognizes what a provider repeats (P5): one for each window, and one for all windows of a stream's read. */
export class Repeats {
  readonly #versions = new FingerprintSet(FINGERPRINTS);
  readonly #contents = new FingerprintSet(FINGERPRINTS);
  /** Few: records that reach beyond their window and that another window emitted first. */
  readonly #foreign = new Set<string>();

  /** Whether it takes no more, so that a repeat may pass unseen. */
  get isFull(): boolean {
    return this.#contents.isFull;
  }

  /** Whether this very content was seen before. */
  hasSeen(content: Hash): boolean {
    return this.#contents.seen(content);
  }

  /** Notes that another window of the read emitted it; always true. */
  markForeign(content: Hash): true {
    this.#foreign.add(nameOf(content));
    return true;
  }

  isForeign(content: Hash): boolean {
    return this.#foreign.has(nameOf(content));
  }

  /** Whether this version of a record was seen before. */
  hasSeenVersion(version: Hash): boolean {
    return this.#versions.seen(version);
  }
}

const nameOf = ({ high, low }: Hash): string => `${high}-${low}`;

/** What a page's records are judged by. */
export interface PageContext {
  readonly stream: StreamDefinition;
  readonly granularity: Granularity | null;
  readonly invalidRecords: "fail" | "warn";
  readonly window: Range;
  readonly readingId: string;
  /** Milliseconds since 1970. */
  readonly emittedAt: number;
  /** What the window has emitted in this read, before and after a restart (S4). */
  readonly repeats: Repeats;
  /** What this passage through the window has counted; the same as `repeats` unless the window was restarted. */
  readonly counted: Repeats;
  /** Whether to make control totals (R5). */
  readonly withTotals: boolean;
  /** For records that reach beyond their window, which another window may return as well. */
  readonly crossing: Repeats;
  /** Takes a warning of a kind; the reader says each kind a few times and then counts. */
  readonly warn: (kind: string, message: string) => void;
}

/** The lines of one page, ready to be written, and what they come to. */
export interface Lines {
  /** RECORD lines, each ended by a line feed. */
  readonly text: string;
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
 * @param records the page's `data` as JSON.parse gave it
 * @param text the page's whole body
 * @throws ConnectorError `invalid_record` where a record breaks its schema (V1)
 */
export function toLines(records: readonly unknown[], text: string, context: PageContext): Lines {
  const provisional = new Map<number, ProvisionalDay>();
  const end = `,"x_ReadingId":"${context.readingId}"},"emitted_at":${context.emittedAt}}}\n`;
  const begin = `{"type":"RECORD","record":{"stream":"${context.stream.name}","data":`;
  let exact: readonly unknown[] | null = null;
  let counted = 0;
  const totals = new PageTotals();
  const lines: string[] = [];
  for (const [index, value] of records.entries()) {
    const record = checked(value, index, context);
    let data = value;
    if (mayHideNumbers(record, context)) {
      exact ??= recordsOf(text);
      data = withoutOwnProperty(exact[index]);
    }
    const line = stringify(data);
    const verdict = judge(record, line, context);
    if (verdict.counts) {
      counted += 1;
      const found = context.stream.provisionalOf(record);
      if (found !== null) addTo(provisional, dayWithin(record, context.window), found);
    }
    if (verdict.owned && context.withTotals) addToTotals(totals, record, context);
    if (!verdict.repeats) lines.push(`${begin}${line.slice(0, -1)}${end}`);
  }
  return {
    text: fitForLines(lines.join(""), context),
    count: lines.length,
    records: counted,
    provisional: [...provisional.values()],
    totals: totals.result(),
  };
}

/** A record that may be emitted: it keeps its schema, or is let through with a warning (V1). */
function checked(value: unknown, index: number, context: PageContext): Fields {
  const { stream, granularity } = context;
  if (stream.validate(value) && isFields(value)) {
    if (granularity === null || value["x_Granularity"] === granularity) return value;
    return tolerated(
      value,
      index,
      `x_Granularity must be "${granularity}", which was asked for`,
      context,
    );
  }
  return tolerated(value, index, ruleOf(stream.validate.errors?.[0]), context);
}

function tolerated(value: unknown, index: number, rule: string, context: PageContext): Fields {
  const { stream, window, invalidRecords } = context;
  const id = isFields(value) ? value["x_RecordId"] : undefined;
  const named =
    typeof id === "string" && id !== "" ? `"${clipped(id)}"` : `number ${index + 1} of its page`;
  const range = `${formatInstant(window.start)} to ${formatInstant(window.end)}`;
  const what = `record ${named} of the window ${range} breaks the interface: ${rule}`;
  const identified =
    isFields(value) &&
    typeof id === "string" &&
    id !== "" &&
    ["ChargePeriodStart", "ChargePeriodEnd"].every((key) => typeof value[key] === "string");
  if (identified && invalidRecords === "warn") {
    context.warn("invalid record", `${what}. It is passed on as it came.`);
    return value;
  }
  throw new ConnectorError(
    "invalid_record",
    `The provider's ${what}. Nothing was dropped: the position stays before it. Report it to the provider` +
      (identified
        ? `, or set invalid_records to "warn" to pass such records on as they come.`
        : "; a record without an identifier and a charge period cannot be passed on."),
    { stream: stream.name, detail: what },
  );
}

/** A broken rule in words, e.g. `BilledCost must be string`. Says no value but that of an enum or constant. */
function ruleOf(violation: Violation | undefined): string {
  if (violation === undefined) return "it breaks its schema";
  const where = violation.instancePath.slice(1).replaceAll("/", ".") || "it";
  const allowed = violation.params["allowedValues"] ?? violation.params["allowedValue"];
  const values = allowed === undefined ? "" : ` (${JSON.stringify(allowed)})`;
  return `${where} ${violation.message ?? violation.keyword}${values}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a number, or something that may hold one, stands in it, or a property that we are about to add. */
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
  const page = JSON.parse(
    text.startsWith("\uFEFF") ? text.slice(1) : text,
    (_key, value, { source }) =>
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

interface Verdict {
  /** Whether this read has emitted it already. */
  readonly repeats: boolean;
  /** Whether it is new to its reading: what was emitted before a restart counts again after it. */
  readonly counts: boolean;
  /** Whether it counts and carries this reading's id, not that of another window's which returned it first (P5). */
  readonly owned: boolean;
}

function judge(record: Fields, line: string, context: PageContext): Verdict {
  const { repeats, counted, crossing, window } = context;
  const content = hash(line);
  const inWindow = repeats.hasSeen(content);
  const counts = counted === repeats ? !inWindow : !counted.hasSeen(content);
  if (isWithin(record, window)) {
    if (inWindow) return { repeats: true, counts, owned: counts };
  } else if (crossing.hasSeen(content)) {
    const isForeign = inWindow ? repeats.isForeign(content) : repeats.markForeign(content);
    return { repeats: true, counts, owned: counts && !isForeign };
  }
  const id = String(record["x_RecordId"]);
  if (repeats.hasSeenVersion(hash(`${id}\n${String(record["x_RecordUpdatedAt"])}`))) {
    context.warn(
      "conflicting versions",
      `record "${clipped(id)}" came twice with the same x_RecordUpdatedAt and different contents; both are passed on.`,
    );
  }
  return { repeats: false, counts, owned: counts };
}

/** Whether no other window can return the record, however the provider selects (by start, overlap or containment). */
function isWithin(record: Fields, window: Range): boolean {
  const start = parseInstant(String(record["ChargePeriodStart"]));
  const end = parseInstant(String(record["ChargePeriodEnd"]));
  if (start === undefined || end === undefined) return false;
  return start >= window.start && start < window.end && end <= window.end;
}

/** The UTC day that a record's provisional cost is kept under: its own, or the nearest one of the window. */
function dayWithin(record: Fields, window: Range): number {
  const start = parseInstant(String(record["ChargePeriodStart"])) ?? window.start;
  return floorTo(DAY, Math.min(Math.max(start, window.start), window.end - 1));
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

/** Lines that any reader takes for one line each, in valid Unicode (V4). */
function fitForLines(text: string, context: PageContext): string {
  const separated = /[\u0085\u2028\u2029]/.test(text)
    ? text.replaceAll(
        /[\u0085\u2028\u2029]/g,
        (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
      )
    : text;
  return /\\ud[89a-f]/.test(separated) ? withoutLoneSurrogates(separated, context) : separated;
}

/**
 * JSON.stringify writes a lone surrogate as an escape, which strict readers refuse together with the whole line. Half
 * a character is no text: it becomes U+FFFD, with a warning.
 */
function withoutLoneSurrogates(text: string, context: PageContext): string {
  return text.replaceAll(/\\(ud[89a-f][0-9a-f]{2}|.)/g, (escape, what: string) => {
    if (what.length === 1) return escape;
    context.warn(
      "lone surrogates",
      "a record holds half a character (a lone surrogate), which is no valid text; U+FFFD stands in its place.",
    );
    return "\uFFFD";
  });
}

function clipped(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
