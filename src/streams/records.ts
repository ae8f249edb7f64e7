/**
 * The hot path: checks the records of one page (V1), drops repeats (P5), adds each record to its day (R6) and makes the
 * RECORD lines.
 *
 * The records of a plain page are copied, and those of every other page are written again (records/page_records.ts). Either way
 * the hash covers the bytes that are written, with the members in their usual order. So a record that comes once each way, or
 * with its members in another order, is recognized as a repeat. The lines of a page are written in one piece.
 *
 *     each record ─► check ─► hash ─► repeat? ─► its day ─► kept, where its day is or may be written ─┐
 *     the page's digests ─► a window of one page: the days that differ are written too ───────────────┴─► lines
 */
import type { DayDigest } from "../core/digests.ts";
import type { ProvisionalDay } from "../core/provisional.ts";
import type { StandingStrays } from "../core/reading.ts";
import type { DayTotal } from "../core/totals.ts";
import type { Range } from "../core/window.ts";
import type { PageRecords } from "../records/page_records.ts";
import { checked } from "./invalid.ts";
import { RecordFilter, type WindowContext } from "./record_filter.ts";
import { type RowOptions, Rows } from "./rows.ts";
import type { CameStrays } from "./stray_groups.ts";

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
  /** Days with a record whose row may be replaced by an older one (R4). */
  readonly incomplete: readonly number[];
  readonly hasStrays: boolean;
  readonly standing: readonly StandingStrays[];
  /** Rows that were written, by day. */
  readonly written: ReadonlyMap<number, number>;
  /** The strays that came, if the reading is to write strays. */
  readonly strays: CameStrays;
}

export interface LineOptions extends RowOptions {
  /** The known days that are written too, because the page is its whole window and they differ (R6). */
  readonly also: readonly number[];
}

/** A page whose records were checked and counted. */
export interface JudgedPage {
  readonly digests: readonly DayDigest[];
  /** Makes the RECORD lines. Gives the memory of the page's body back. */
  readonly write: (options: LineOptions) => Lines;
}

/**
 * Checks and counts the records of a page.
 *
 * @param doubtful see {@link doubtfulChanges}
 * @param isWhole whether the page is its whole window: then rows of all its days may be written
 * @throws ConnectorError `invalid_record` if a record breaks its schema (V1)
 */
export function judgePage(
  { records, doubtful }: { readonly records: PageRecords; readonly doubtful: Range },
  context: WindowContext,
  isWhole: boolean,
): JudgedPage {
  const { rules, window } = context;
  const filter = new RecordFilter(context, doubtful);
  const rows = new Rows(records.length);
  const writes = latest(context.writes);
  const isKept = (day: number): boolean => !Number.isNaN(day) && (isWhole || writes(day));
  const source = records.each(
    rules.stream.schema,
    (record, index) => {
      const day = filter.add(record, checked(record, index, window, rules));
      if (isKept(day)) rows.add(day, record.start, record.end, record.columns);
    },
    rules.warn,
  );
  const found = filter.result();
  return {
    digests: found.digests,
    write: (lines) => {
      const also = new Set(lines.also);
      if (isWhole) rows.keep(latest((day) => context.writes(day) || also.has(day)));
      const bytes = rows.joined(source, context, lines);
      records.release();
      return { ...found, bytes, count: rows.length, written: rows.byDay() };
    },
  };
}

/** The same function, which remembers its latest result: most records of a page start on the same day as the record before. */
function latest(writes: (day: number) => boolean): (day: number) => boolean {
  let last = Number.NaN;
  let result = false;
  return (day) => {
    if (day !== last) {
      last = day;
      result = writes(day);
    }
    return result;
  };
}
