/**
 * The hot path: checks the records of one page (V1), drops repeats (P5), adds each record to its day (R6) and makes the
 * RECORD lines.
 *
 * A plain page (records/scan.ts) is copied: its lines contain the records' own bytes, and only the values that differ from
 * the record before are decoded. Every other page is written again from its values (rewriting.ts). On both paths the hash
 * covers the bytes that are written, with the members in their usual order, so a record that comes once on each path, or with
 * its members in another order, is recognized as a repeat. The lines of a page are written in one piece.
 *
 *     each record ─► check ─► hash ─► repeat? ─► its day ─► kept, where its day is or may be written ─┐
 *     the page's digests ─► a window of one page: the days that differ are written too ───────────────┴─► lines
 */
import type { DayDigest } from "../core/digests.ts";
import type { ProvisionalDay } from "../core/provisional.ts";
import type { StandingStrays } from "../core/reading.ts";
import type { DayTotal } from "../core/totals.ts";
import type { PageRecords } from "../records/scan.ts";
import type { PlainShape } from "../records/plain_shape.ts";
import { checked, checkedPlain } from "./invalid.ts";
import { RecordFilter, type WindowContext } from "./record_filter.ts";
import { rewritten } from "./rewriting.ts";
import { type RowOptions, Rows } from "./rows.ts";
import type { CameStrays } from "./strays.ts";

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
 * @param isWhole whether the page is its whole window: then rows of all its days may be written
 * @throws ConnectorError `invalid_record` if a record breaks its schema (V1)
 */
export function judgePage(page: PageRecords, context: WindowContext, isWhole: boolean): JudgedPage {
  const { rules, window } = context;
  const records = "values" in page ? rewritten(page, rules) : page;
  const { bytes: source } = records;
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const filter = new RecordFilter(context);
  const rows = new Rows(records.length);
  const writes = latest(context.writes);
  const isKept = (day: number): boolean => !Number.isNaN(day) && (isWhole || writes(day));
  if ("columnsOf" in records) {
    records.each((index, value, start, brace) => {
      const record = checked(value, index, window, rules);
      const day = filter.addParsed(record, view, start, brace - 1, records.inOrder(index));
      const { json, hidden } = records.columnsOf(index) ?? NO_COLUMNS;
      if (isKept(day)) rows.add(day, start, brace - 1 - hidden, json);
    });
  } else {
    records.each(rules.stream.members, (index, start, brace, shape) => {
      const record = checkedPlain(shape, index, window, rules);
      const day = filter.addPlain(record, view, start, brace - 1, shape);
      if (isKept(day)) rows.add(day, start, brace - 1, foreignColumns(shape));
    });
  }
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

const NO_COLUMNS = { json: null, hidden: 0 };

/** R3: the members that the interface does not name; null if there are none. A plain record has no member with a name of our own properties. */
function foreignColumns({ foreign, members }: PlainShape): string | null {
  if (foreign.length === 0) return null;
  return JSON.stringify(Object.fromEntries(foreign.map((name) => [name, members[name]])));
}
