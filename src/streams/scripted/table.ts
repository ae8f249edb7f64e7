/** A destination in memory: the rows and the reports that a stream has written, and the rows that the models take as standing. */
import { digestOf, PageDigests } from "../../core/digests.ts";
import { RecordFingerprint } from "../../core/identity.ts";
import type { IncrementalState } from "../../core/state.ts";
import { DAY, floorTo, formatDay } from "../../core/time.ts";
import { contains, type Range } from "../../core/window.ts";
import type { Output } from "../../protocol.ts";
import type { Fields } from "../../records/fields.ts";
import { ParsedRecords } from "../../records/parsed.ts";
import type { ReadingReport } from "../ended_reading.ts";
import { costs } from "../costs.ts";
import { isReport, type Run } from "./testing.ts";

/** A row of costs, with its charge period as a range. */
interface Row extends Range {
  readonly id: string;
  readonly readingId: string;
  readonly day: number;
  /** The record as the provider sent it. */
  readonly text: string;
}

/** The newest proven report of a day whose rows are in the table (`anchors` in dbt/macros/judged.sql). */
interface Anchor {
  readonly readingId: string;
  readonly rowsReadingId: string;
  readonly window: Range;
}

/** The newest reading that has shown strays of an earlier one again. */
interface Listing {
  readonly by: string;
  readonly window: Range;
  readonly records: number;
}

const isStray = ({ start }: Row, window: Range | undefined): boolean =>
  window !== undefined && (start < window.start || start >= window.end);

export class Table {
  readonly rows: readonly Row[];
  readonly reports: readonly ReadingReport[];
  /** The newest row of each id: the table of a destination that merges by key. */
  readonly newest: ReadonlyMap<string, Row>;

  constructor(rows: readonly Row[] = [], reports: readonly ReadingReport[] = []) {
    this.rows = rows;
    this.reports = reports;
    const newest = new Map<string, Row>();
    for (const row of rows) {
      if (row.readingId >= (newest.get(row.id)?.readingId ?? "")) newest.set(row.id, row);
    }
    this.newest = newest;
  }

  /** The table with the first outputs of a run, which has to mark its reports. */
  with({ outputs, said }: Pick<Run, "outputs" | "said">, length = outputs.length): Table {
    const kept = outputs.slice(0, length);
    const reports = kept.filter(isReport);
    return new Table(
      [...this.rows, ...kept.flatMap(rowsOf)],
      [...this.reports, ...said.slice(0, reports.length)],
    );
  }

  /** The newest rows that the models take as standing, by id (`judging_steps` in dbt/macros/judged.sql). */
  standing(): ReadonlyMap<string, Row> {
    const windows = new Map(this.reports.map(({ reading }) => [reading.id, reading]));
    const anchors = this.#anchors(windows, () => true);
    const judges = this.#anchors(windows, (report, own) => report.isWhole || own);
    const listings = this.#listings();
    const stands = (row: Row): boolean => {
      const anchor = anchors.get(row.day);
      const own = windows.get(row.readingId);
      if (isStray(row, own))
        return this.#strayStands(row, {
          own,
          anchor: judges.get(row.day),
          listing: listings.get(`${row.day} ${row.readingId}`),
        });
      if (anchor === undefined) return true;
      if (row.readingId === anchor.rowsReadingId || row.readingId > anchor.readingId) return true;
      const isLong = row.end > row.day + DAY;
      const isShown =
        contains(anchor.window, row) || (own !== undefined && contains(anchor.window, own));
      return isLong && !isShown;
    };
    return new Map([...this.newest].filter(([, row]) => stands(row)));
  }

  /** The days whose reading began before another reading of its pass found rows missing (`overtaken` in dbt/macros/completeness.sql). */
  overtaken(): readonly number[] {
    const deciding = new Map<number, ReadingReport>();
    for (const report of this.reports) {
      for (const { day } of report.days)
        if (report.reading.id > (deciding.get(day)?.reading.id ?? "")) deciding.set(day, report);
    }
    const shrunk = this.reports.filter(({ days }) => days.some((day) => day.shrunk));
    const losses = [...this.#losses(), ...shrunk];
    const isOvertaken = ({ reading, pass }: ReadingReport): boolean =>
      losses.some(
        (loss) =>
          loss.pass.beganAt === pass.beganAt &&
          loss.reading.id !== reading.id &&
          (reading.id < loss.reading.id ||
            (reading.beganAt >= loss.reading.beganAt && reading.beganAt < loss.endedAt)),
      );
    return [...deciding].flatMap(([day, report]) => (isOvertaken(report) ? [day] : []));
  }

  /** The reports of the readings that found rows missing (`found_missing` in dbt/macros/completeness.sql). */
  #losses(): readonly ReadingReport[] {
    const standing = this.standing();
    const windows = new Map(this.reports.map(({ reading }) => [reading.id, reading]));
    const listings = this.#listings();
    const sorted = this.reports.toSorted((a, b) => (a.reading.id < b.reading.id ? -1 : 1));
    const losses = [...this.newest.values()].filter(({ id }) => !standing.has(id));
    return losses.flatMap((row) => {
      const own = windows.get(row.readingId);
      if (isStray(row, own)) {
        const listing = listings.get(`${row.day} ${row.readingId}`);
        const judge = sorted.find((report) =>
          listing?.records === 0
            ? report.reading.id === listing.by
            : this.#judges(report, own ?? row, listing),
        );
        return judge === undefined ? [] : [judge];
      }
      const later = sorted.filter(({ days }) =>
        days.some(({ day, rowsReadingId }) => day === row.day && rowsReadingId > row.readingId),
      );
      const isProof = ({ days }: ReadingReport): boolean =>
        days.some(({ day, confirmed }) => day === row.day && confirmed);
      return later.slice(0, later.findIndex(isProof) + 1);
    });
  }

  /** Whether a reading can tell that a stray is gone: it covers the stray's window and is newer than the stray's last listing. */
  #judges(
    { isWhole, reading, days }: ReadingReport,
    window: Range,
    listing: Listing | undefined,
  ): boolean {
    const speaks = isWhole && !reading.moved && !reading.resumed && days.length > 0;
    return speaks && listing !== undefined && reading.id > listing.by && contains(reading, window);
  }

  #strayStands(
    row: Row,
    {
      own,
      anchor,
      listing,
    }: {
      readonly own: Range | undefined;
      readonly anchor: Anchor | undefined;
      readonly listing: Listing | undefined;
    },
  ): boolean {
    if (listing === undefined) return true;
    const window = own ?? listing.window;
    const isGone =
      listing.records === 0 || this.reports.some((report) => this.#judges(report, window, listing));
    const isReturned =
      anchor !== undefined && anchor.readingId > listing.by && contains(anchor.window, row);
    return !isGone && !isReturned;
  }

  /** @param judges whether a report counts; `isOwn`: the rows that it names are those of its own reading */
  #anchors(
    windows: ReadonlyMap<string, Range>,
    judges: (report: ReadingReport, isOwn: boolean) => boolean,
  ): ReadonlyMap<number, Anchor> {
    const own = [...this.newest.values()].filter(
      (row) => !isStray(row, windows.get(row.readingId)),
    );
    const anchors = new Map<number, Anchor>();
    for (const report of this.reports) {
      const { reading, days } = report;
      for (const { day, rowsReadingId, rows, confirmed, shrunk } of days) {
        if (!judges(report, rowsReadingId === reading.id)) continue;
        if (!confirmed || shrunk || reading.id < (anchors.get(day)?.readingId ?? "")) continue;
        const there = own.filter(
          (row) =>
            row.day === day && (row.readingId === rowsReadingId || row.readingId > reading.id),
        );
        if (there.length < rows) continue;
        anchors.set(day, { readingId: reading.id, rowsReadingId, window: reading });
      }
    }
    return anchors;
  }

  /** By the day of the strays and the reading that wrote them. */
  #listings(): ReadonlyMap<string, Listing> {
    const listings = new Map<string, Listing>();
    for (const { reading, strays } of this.reports) {
      for (const { day, rowsReadingId, records } of strays) {
        const name = `${day} ${rowsReadingId}`;
        if (reading.id >= (listings.get(name)?.by ?? ""))
          listings.set(name, { by: reading.id, window: reading, records });
      }
    }
    return listings;
  }
}

/** The rows of outputs, because the same outputs are added to many tables. */
const read = new WeakMap<Output, readonly Row[]>();

function rowsOf(output: Output): readonly Row[] {
  if (output.type !== "RECORD_LINES") return [];
  const known = read.get(output);
  if (known !== undefined) return known;
  const lines = Buffer.from(output.bytes).toString().trim().split("\n");
  const rows = lines.map((line) => rowOf(JSON.parse(line).record.data));
  read.set(output, rows);
  return rows;
}

function rowOf({ x_ReadingId: readingId, ...data }: Fields): Row {
  const start = Date.parse(String(data["ChargePeriodStart"]));
  return {
    id: String(data["x_RecordId"]),
    readingId: String(readingId),
    start,
    end: Date.parse(String(data["ChargePeriodEnd"])),
    day: floorTo(DAY, start),
    text: JSON.stringify(data),
  };
}

const hashes = new Map<string, Uint32Array>();

/** The hash of a record's content, as the reader makes it. */
function hashOf(text: string): Uint32Array {
  const known = hashes.get(text);
  if (known !== undefined) return known;
  const print = new RecordFingerprint();
  const records = new ParsedRecords([JSON.parse(text)], `{"data":[${text}]}`, () => undefined);
  records.each(
    costs.schema,
    (record) => record.hashInto(print, false),
    () => undefined,
  );
  const hash = print.content.slice();
  hashes.set(text, hash);
  return hash;
}

function digestOfRows(texts: Iterable<string>): string {
  const digests = new PageDigests();
  for (const text of texts) digests.add(0, hashOf(text));
  return digestOf(digests.result(), 0).digest;
}

/** Compares states with the rows before them. */
export class Claims {
  readonly #days = new Map<string, Set<string>>();
  readonly #contents = new Set<string>();
  /** The days that were compared already. They are not compared with every STATE again. */
  readonly #kept = new Set<string>();

  constructor({ rows }: Table) {
    for (const row of rows) this.#add(row);
  }

  add(output: Output): void {
    for (const row of rowsOf(output)) this.#add(row);
  }

  #add({ day, readingId, text }: Row): void {
    const name = `${day} ${readingId}`;
    this.#days.set(name, (this.#days.get(name) ?? new Set()).add(text));
    this.#contents.add(digestOfRows([text]));
  }

  /** The known days of a state whose rows are not there (R6), and the strays whose row is not there (P5). */
  lacking({ known, strays }: IncrementalState): readonly string[] {
    const days = [...known.days.values()].filter(({ day, digest, readingId }) => {
      const own = this.#days.get(`${day} ${readingId}`) ?? new Set();
      const name = `${day} ${readingId} ${digest} ${own.size}`;
      if (this.#kept.has(name)) return false;
      this.#kept.add(name);
      return digestOfRows(own) !== digest;
    });
    // A stray whose newer version is being written has its id in place of its content.
    const gone = strays.filter(({ hash, id }) => hash !== id && !this.#contents.has(hash));
    return [
      ...days.map(({ day, records }) => `${records} rows of ${formatDay(day)}`),
      ...gone.map(({ day }) => `a stray of ${formatDay(day)}`),
    ];
  }
}
