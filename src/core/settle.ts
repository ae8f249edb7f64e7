/**
 * The end of a reading (R5, R6, R8, P6): compares each day of the reading with the known days. The result has the new known
 * days, the reports of the days, and the days that a second reading has to write.
 *
 *     a day's content          its rows                      its report
 *     unknown before           written while it was read     this reading's rows stand
 *     same as before           not written                   the earlier reading's rows stand
 *     differs, one page        written with that page        this reading's rows stand
 *     differs, several pages   written by a second reading   by the second reading
 *     less than half           not written                   the earlier reading's rows stand, `shrunk`
 *
 * Every day is judged for "less than half", also a day whose rows were written before it could be judged: an unknown day whose earlier
 * number of records is remembered, and a day of a second reading. The provider shows the rows of such a day today, so they do no harm
 * beside the earlier rows. The report names the earlier rows, and the day stays forgotten: the next reading writes all of it.
 */
import { type DayDigest, daysOf, digestOf } from "./digests.ts";
import { renewed } from "./former.ts";
import { readingId } from "./identity.ts";
import {
  changeDays,
  confirm,
  contradict,
  forget,
  type ForgottenDay,
  isKnown,
  isSuspicious,
  judgeDay,
  type KnownDay,
  type KnownDays,
  learn,
  mostOf,
  suspect,
  type View,
} from "./known_days.ts";
import { daysAbout } from "./reading.ts";
import { DAY } from "./time.ts";
import type { Range } from "./window.ts";

/** The members of a complete reading that {@link settle} needs. */
export interface FinishedReading extends Range, View {
  readonly id: string;
  /** The end of the reading, in milliseconds since 1970 on the provider's clock. */
  readonly endedAt: number;
  /** Whether `as_of` changed between the pages (P6). */
  readonly moved: boolean;
  /** For a second reading: the days that it wrote, as the first reading saw them. Null for the reading of a whole window. */
  readonly rewrites: readonly DayDigest[] | null;
  /** All days that returned records. */
  readonly digests: readonly DayDigest[];
  /** See {@link Reading.incomplete}. */
  readonly incomplete: readonly number[];
  /** By day: the rows that were written under the reading's id, also before its window began again. */
  readonly rows?: ReadonlyMap<number, number>;
  /** R11: null if the source could show all of its rows. Else days before this instant may lack rows of earlier readings. */
  readonly unprovenBefore?: number | null;
}

/** The report of one day of a reading (R5). */
export interface DayReport {
  readonly day: number;
  /** Records that the reading returned. */
  readonly records: number;
  /** The reading whose rows stand for the day. */
  readonly rowsReadingId: string;
  /** The number of these rows. */
  readonly rows: number;
  readonly confirmed: boolean;
  readonly shrunk: boolean;
}

export interface Settlement {
  readonly known: KnownDays;
  readonly reports: readonly DayReport[];
  /** Days that a second reading of the window has to write, as this reading saw them; empty if no second reading is needed. */
  readonly rewrites: readonly DayDigest[];
  /** Days that show less than half of their records (R8). */
  readonly shrunk: readonly ShrunkDay[];
  /** Days that this reading wrote but could not confirm, for the first time in a row: the next sync reads them again (R10). */
  readonly doubtful: readonly number[];
  /**
   * Whether a day has fewer rows than before, or than were written before its window began again: a row of the day may have moved to a day
   * that was read before (R10).
   */
  readonly hasLost: boolean;
}

/** A day that shows less than half of its records. */
export interface ShrunkDay {
  readonly day: number;
  /** The largest number of records that is known of the day, and the number that the reading shows. */
  readonly most: number;
  readonly records: number;
}

/** Tells whether a reading writes a day while it reads: the unknown days; in a second reading, the days that differed. */
export function writesDay(
  known: KnownDays,
  rewrites: readonly DayDigest[] | null,
): (day: number) => boolean {
  if (rewrites !== null) {
    const days = new Set(rewrites.map(({ day }) => day));
    return (day) => days.has(day);
  }
  return (day) => !isKnown(known, day);
}

/** The known days that differ in a window of a single page. They are written with that page. */
export function differingDays(
  known: KnownDays,
  window: Range,
  digests: readonly DayDigest[],
  view: View,
): number[] {
  return daysOf(window).filter(
    (day) => judgeDay(known, digestOf(digests, day), view) === "differs",
  );
}

/**
 * R11: whether the earlier rows of a day stand although a reading has other ones, because the source could not show all of its rows.
 *
 * @param before see {@link FinishedReading.unprovenBefore}
 */
export function standsUnproven(known: KnownDays, day: number, before: number | null): boolean {
  return before !== null && day < before && known.days.has(day);
}

/**
 * Judges the days of a complete reading.
 *
 * @param known the known days before the reading's first row was written
 * @param written known days that the reading wrote, because its window is a single page
 */
export function settle(
  known: KnownDays,
  reading: FinishedReading,
  written: readonly number[],
): Settlement {
  const nothing: Omit<Settlement, "known"> = {
    reports: [],
    rewrites: [],
    shrunk: [],
    doubtful: [],
    hasLost: false,
  };
  const settled: Settlement[] = [];
  const after = changeDays(known, daysAbout(reading), (own, day) => {
    const settlement = settleDay({ known: own, ...nothing }, day, reading, written);
    settled.push(settlement);
    return settlement.known;
  });
  return {
    known: after,
    reports: settled.flatMap(({ reports }) => reports),
    rewrites: settled.flatMap(({ rewrites }) => rewrites),
    shrunk: settled.flatMap(({ shrunk }) => shrunk),
    doubtful: settled.flatMap(({ doubtful }) => doubtful),
    hasLost: settled.some(({ hasLost }) => hasLost),
  };
}

/** Settles one day. `before` knows of this day only. */
function settleDay(
  before: Settlement,
  day: number,
  reading: FinishedReading,
  written: readonly number[],
): Settlement {
  const { known } = before;
  const seen = digestOf(reading.digests, day);
  const isWritten = reading.rewrites !== null || written.includes(day);
  const unproven = settleUnproven(before, seen, reading);
  if (unproven !== null) return unproven;
  switch (isWritten ? "unknown" : judgeDay(known, seen, reading)) {
    case "unknown":
      return settleWritten(before, seen, reading);
    case "same": {
      const rowsReadingId = known.days.get(day)?.readingId ?? reading.id;
      const isProven = reading.unprovenBefore == null;
      return {
        ...before,
        known: isProven ? confirm(known, day) : known,
        reports: [...before.reports, reportOf(seen, { rowsReadingId, confirmed: isProven })],
      };
    }
    case "differs":
      // An empty day has no rows to write, so no second reading is needed.
      if (seen.records === 0) return wrote(before, seen, reading);
      return { ...before, rewrites: [...before.rewrites, seen] };
    case "shrunk":
      return doubted(before, seen, reading);
  }
}

/**
 * R11: settles a day that has earlier rows, while the source cannot show all of its rows: the earlier rows stand, and nothing is
 * proven. Rows that the reading has already written do no harm beside them, and such a day stays forgotten.
 *
 * @returns null if R11 does not apply to the day
 */
function settleUnproven(
  before: Settlement,
  seen: DayDigest,
  { unprovenBefore }: FinishedReading,
): Settlement | null {
  const { day } = seen;
  const { days, forgotten } = before.known;
  const standing = days.get(day) ?? forgotten.get(day);
  const rowsReadingId = standing?.readingId ?? null;
  if (unprovenBefore == null || day >= unprovenBefore || rowsReadingId === null) return null;
  const report = reportOf(seen, { rowsReadingId, confirmed: false });
  return { ...before, reports: [...before.reports, { ...report, rows: standing?.records ?? 0 }] };
}

/** Settles a day that this reading wrote before the day could be judged. */
function settleWritten(before: Settlement, seen: DayDigest, reading: FinishedReading): Settlement {
  const first = reading.rewrites?.find(({ day }) => day === seen.day)?.records ?? 0;
  if (!isSuspicious(before.known, seen, reading, first)) return wrote(before, seen, reading);
  // For this day the state forgets what it knew and keeps the number of records of the window's first reading (R8).
  const gone = { day: seen.day, records: first, writtenBy: null };
  return doubted({ ...before, known: forget(before.known, [gone]) }, seen, reading);
}

/** Settles a day that shows less than half of its records: the earlier rows stand (R8). */
function doubted(before: Settlement, seen: DayDigest, reading: FinishedReading): Settlement {
  const { day, records } = seen;
  const entry = before.known.days.get(day);
  const standing = entry ?? before.known.forgotten.get(day);
  const most = mostOf(before.known, day);
  const rowsReadingId = standing?.readingId ?? null;
  const report: DayReport = {
    ...reportOf(seen, { rowsReadingId: rowsReadingId ?? reading.id, confirmed: false }),
    rows: rowsReadingId === null ? records : (standing?.records ?? 0),
    shrunk: true,
  };
  return {
    ...before,
    known: suspect(before.known, seen, reading.endedAt),
    reports: [...before.reports, report],
    shrunk: [...before.shrunk, { day, most, records }],
    // The rows may have moved, also if the loss is believed only in a later pass.
    hasLost: true,
  };
}

/** Settles a day whose rows are those of this reading. */
function wrote(before: Settlement, seen: DayDigest, reading: FinishedReading): Settlement {
  const { id, moved, rewrites, incomplete } = reading;
  const { day, records } = seen;
  const isWhole = !incomplete.includes(day);
  const earlier = before.known.days.get(day) ?? before.known.forgotten.get(day);
  const first = rewrites?.find((other) => other.day === day) ?? earlier?.shrinkage;
  const isProven = isWhole && (!moved || first?.digest === seen.digest);
  const confirmed = isProven && reading.unprovenBefore == null;
  // R10: while a day goes on, its listing moves all the time, so a reading at that time does not count as the first of two.
  // If the number of rows has changed, this reading counts as the first of two again.
  const isFirst = earlier?.confirmed !== false || wasToday(earlier) || earlier.records !== records;
  const isDoubtful = isWhole && !confirmed && isFirst;
  const hasLost = records < mostOf(before.known, day);
  // R8: an outage may have begun while the listing moved. The number of records that counts falls once a second reading agrees.
  const isBelieved = isProven || !hasLost;
  const gone = forget(before.known, [{ day, records, writtenBy: id }]);
  const unlearned = isBelieved ? gone : suspect(gone, seen, reading.endedAt);
  return {
    ...before,
    doubtful: isDoubtful ? [...before.doubtful, day] : before.doubtful,
    hasLost: before.hasLost || hasLost || records < (reading.rows?.get(day) ?? 0),
    known:
      isWhole && isBelieved ? learn(before.known, seen, { readingId: id, confirmed }) : unlearned,
    reports: [...before.reports, reportOf(seen, { rowsReadingId: id, confirmed })],
  };
}

/** Whether the rows of a day were written while the day went on; ids of readings sort by time. */
const wasToday = ({ day, readingId: id }: KnownDay | ForgottenDay): boolean =>
  id !== null && id < readingId(day + DAY, "");

/**
 * Judges some days of a window a second time in the same sync, without writing any (P6). A day that agrees with the known one is
 * confirmed and reported. The reading reports nothing of any other day: the next sync reads that day.
 */
export function settleAgain(
  before: KnownDays,
  reading: Pick<FinishedReading, "id" | "digests" | keyof View>,
  days: readonly number[],
): Pick<Settlement, "known" | "reports"> {
  const { id, digests } = reading;
  const known = renewed(before, digests);
  const shown = days.map((day) => digestOf(digests, day));
  const agrees = (seen: DayDigest): boolean => judgeDay(known, seen, reading) === "same";
  return {
    known: changeDays(known, days, (own, day) => {
      const seen = digestOf(digests, day);
      return agrees(seen) ? confirm(own, day) : contradict(own, seen);
    }),
    reports: shown.filter(agrees).map((seen) => {
      const rowsReadingId = known.days.get(seen.day)?.readingId ?? id;
      return reportOf(seen, { rowsReadingId, confirmed: true });
    }),
  };
}

const reportOf = (
  { day, records }: DayDigest,
  said: Pick<DayReport, "rowsReadingId" | "confirmed">,
): DayReport => ({ day, records, rows: records, shrunk: false, ...said });
