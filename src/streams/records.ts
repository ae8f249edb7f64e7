/**
 * The hot path: the records of one page, checked (V1), freed of repeats (P5), added to their days (R6) and turned into
 * RECORD lines.
 *
 * Of a plain page (interface/scan.ts) no values are made but those that differ from the record before, and what is written
 * are the records' own bytes. All other pages are rewritten (rewriting.ts). Either way a record's content is hashed as the
 * bytes that are written of it, so that a repeat is known by whichever way it comes, and the lines of a page are written in
 * one piece.
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
  /** Control totals of these records; empty where nobody asked for them. */
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
  /** The known days that are written with this page, because it is all of its window (R6); null where more pages come. */
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
 * @throws ConnectorError `invalid_record` where a record breaks its schema (V1)
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

/** The names of foreign members, for each shape of plain records: records of one shape share the object of their members. */
const FOREIGN_NAMES = new WeakMap<Fields, readonly string[]>();

/** R3: the members that the interface does not name; null where there are none. A plain record has none of our names. */
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
