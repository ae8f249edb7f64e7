/**
 * The hot path: checks the records of one page (V1), drops repeats (P5), adds each record to its day (R6) and makes the
 * RECORD lines.
 *
 * A plain page (interface/scan.ts) is copied: its lines contain the records' own bytes, and only the values that differ from
 * the record before are decoded. Every other page is written again from its values (rewriting.ts). On both paths the hash
 * covers the bytes that are written, so a record that comes once on each path is recognized as a repeat. The lines of a page
 * are written in one piece.
 *
 *     each record ─► check ─► hash ─► repeat? ─► its day ─► kept, where its day is or may be written ─┐
 *     the page's digests ─► a window of one page: the days that differ are written too ───────────────┴─► lines
 */
import type { DayDigest } from "../core/digests.ts";
import type { ProvisionalDay } from "../core/provisional.ts";
import type { StandingStrays } from "../core/reading.ts";
import type { DayTotal } from "../core/totals.ts";
import type { PageRecords, ScannedRecords } from "../interface/scan.ts";
import { checked } from "./invalid.ts";
import { RecordFilter, type WindowContext } from "./record_filter.ts";
import { type ProviderColumns, rewritten } from "./rewriting.ts";
import type { Fields } from "./stream.ts";

/** The lines of one page, ready to be written, and their sums. */
export interface Lines {
  /** RECORD lines in UTF-8, each ended by a line feed. */
  readonly bytes: Buffer;
  readonly count: number;
  /** Records of the page that its reading had not seen before, whether or not they are written. */
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  /** Control totals of these records; empty if the catalog does not select `export_windows`. */
  readonly totals: readonly DayTotal[];
  readonly digests: readonly DayDigest[];
  readonly hasStrays: boolean;
  readonly standing: readonly StandingStrays[];
  /** Rows that were written, by day. */
  readonly written: ReadonlyMap<number, number>;
  /** The hashes of the strays that were written. */
  readonly strays: ReadonlySet<string>;
}

export interface LineOptions {
  /** Milliseconds since 1970. */
  readonly emittedAt: number;
  /** Gives memory of at least so many bytes to write into. */
  readonly take: (length: number) => Buffer;
  /** Gives the known days that are written with this page; null if the page is not its whole window (R6). */
  readonly alsoWrites: ((digests: readonly DayDigest[]) => readonly number[]) | null;
}

/** The place of a record that may be written, in the page's bytes. */
interface Kept {
  readonly day: number;
  readonly start: number;
  readonly end: number;
  readonly columns: string | null;
}

/**
 * The RECORD lines of a page. Gives the memory of the page's body back.
 *
 * @throws ConnectorError `invalid_record` if a record breaks its schema (V1)
 */
export function toLines(page: PageRecords, context: WindowContext, options: LineOptions): Lines {
  const { rules, window } = context;
  const records = "values" in page ? rewritten(page, rules) : page;
  const { bytes: source } = records;
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const filter = new RecordFilter(context);
  const mayWriteAll = options.alsoWrites !== null;
  const kept: Kept[] = [];
  records.each((index: number, value: unknown, start: number, brace: number) => {
    const record = checked(value, index, window, rules);
    const columns = columnsOf(records, index, record, context);
    const day = filter.add(record, view, start, brace - 1);
    if (Number.isNaN(day) || !(mayWriteAll || context.writes(day))) return;
    const hidden = columns?.hidden ?? 0;
    kept.push({ day, start, end: brace - 1 - hidden, columns: columns?.json ?? null });
  });
  const found = filter.result();
  const also = new Set(options.alsoWrites?.(found.digests));
  const rows = kept.filter(({ day }) => context.writes(day) || also.has(day));
  const written = new Map<number, number>();
  for (const { day } of rows) written.set(day, (written.get(day) ?? 0) + 1);
  const bytes = joined(rows, source, context, options);
  records.release();
  return { ...found, bytes, count: rows.length, written };
}

function joined(
  rows: readonly Kept[],
  source: Buffer,
  { rules, readingId }: WindowContext,
  { emittedAt, take }: LineOptions,
): Buffer {
  const begin = Buffer.from(`{"type":"RECORD","record":{"stream":"${rules.stream.name}","data":`);
  const end = Buffer.from(`,"x_ReadingId":"${readingId}"},"emitted_at":${emittedAt}}}\n`);
  const own = rows.reduce((sum, row) => sum + row.end - row.start, 0);
  const more = rows.reduce((sum, { columns }) => sum + 3 * (columns?.length ?? 0) + 24, 0);
  const bytes = take(own + more + rows.length * (begin.length + end.length));
  let to = 0;
  for (const row of rows) {
    bytes.set(begin, to);
    to += begin.length;
    source.copy(bytes, to, row.start, row.end);
    to += row.end - row.start;
    if (row.columns !== null) to += bytes.write(`,"x_ProviderColumns":${row.columns}`, to);
    bytes.set(end, to);
    to += end.length;
  }
  return bytes.subarray(0, to);
}

/** Names of foreign members, cached by record object: the scanner reuses one object for all plain records of the same shape. */
const FOREIGN_NAMES = new WeakMap<Fields, readonly string[]>();

/** R3: the members that the interface does not name; null if there are none. A plain record has no member with a name of our own properties. */
function columnsOf(
  records: ScannedRecords | ReturnType<typeof rewritten>,
  index: number,
  record: Fields,
  { rules }: WindowContext,
): ProviderColumns | null {
  if ("columnsOf" in records) return records.columnsOf(index);
  let names = FOREIGN_NAMES.get(record);
  if (names === undefined) {
    names = Object.keys(record).filter((name) => !rules.stream.properties.has(name));
    FOREIGN_NAMES.set(record, names);
  }
  if (names.length === 0) return null;
  const json = JSON.stringify(Object.fromEntries(names.map((name) => [name, record[name]])));
  return { json, hidden: 0 };
}
