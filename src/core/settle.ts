/**
 * The end of a reading (R5, R6, R8, P6): each day that it was about is judged against what is known of it. The result is
 * what the state knows now, what the report says, and which days a second reading has to write.
 *
 *     a day's content          its rows                      its report
 *     unknown before           written while it was read     this reading's rows stand
 *     same as before           not written                   the earlier reading's rows stand
 *     differs, one page        written with that page        this reading's rows stand
 *     differs, several pages   written by a second reading   by the second reading
 *     less than half           not written                   the earlier reading's rows stand, `shrunk`
 */
import { type DayDigest, daysOf, digestOf } from "./digests.ts";
import {
  confirm,
  type DayVerdict,
  forget,
  isKnown,
  judgeDay,
  type KnownDays,
  learn,
  suspect,
} from "./known_days.ts";
import type { Range } from "./window.ts";

/** A complete reading, as far as its end is judged by it. */
export interface FinishedReading extends Range {
  readonly id: string;
  /** When it began, in milliseconds since 1970 on the provider's clock. */
  readonly beganAt: number;
  /** Whether `as_of` changed while it went on (P6). */
  readonly moved: boolean;
  /** The days that differed in the reading before, which this one wrote; null for one of a whole window. */
  readonly rewrites: readonly DayDigest[] | null;
  /** All days that returned records. */
  readonly digests: readonly DayDigest[];
  /** Days whose rows of this reading's id are not exactly the records that it returned: they stay unknown (R4). */
  readonly incomplete: readonly number[];
}

/** What a reading says of one day (R5). */
export interface DayReport {
  readonly day: number;
  /** Records that the reading returned. */
  readonly records: number;
  /** The reading whose rows stand for the day, and how many they are. */
  readonly rowsReadingId: string;
  readonly rows: number;
  readonly confirmed: boolean;
  readonly shrunk: boolean;
}

export interface Settlement {
  readonly known: KnownDays;
  readonly reports: readonly DayReport[];
  /** Days that a second reading of the window has to write, as this one saw them; empty where none has. */
  readonly rewrites: readonly DayDigest[];
  /** Days that show less than half of their records, for the log: what is known and what was seen. */
  readonly shrunk: readonly { readonly known: DayDigest; readonly seen: DayDigest }[];
}

/** The days whose rows a page writes: those that nothing is known of; in a second reading those that differed. */
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

/** The known days that a window of a single page shows otherwise, and that are therefore written with that page. */
export function differingDays(
  known: KnownDays,
  window: Range,
  digests: readonly DayDigest[],
  beganAt: number,
): number[] {
  return daysOf(window).filter(
    (day) => judgeDay(known, digestOf(digests, day), beganAt) === "differs",
  );
}

/**
 * Judges the days of a complete reading.
 *
 * @param known what was known before the reading's first row was written
 * @param written the known days that the reading wrote, because its window is a single page
 */
export function settle(
  known: KnownDays,
  reading: FinishedReading,
  written: readonly number[],
): Settlement {
  const about = reading.rewrites?.map(({ day }) => day) ?? daysOf(reading);
  let settlement: Settlement = { known, reports: [], rewrites: [], shrunk: [] };
  for (const day of about) settlement = settleDay(settlement, day, reading, written);
  return settlement;
}

function settleDay(
  before: Settlement,
  day: number,
  reading: FinishedReading,
  written: readonly number[],
): Settlement {
  const seen = digestOf(reading.digests, day);
  const isWritten = reading.rewrites !== null || written.includes(day);
  const verdict: DayVerdict = isWritten ? "unknown" : judgeDay(before.known, seen, reading.beganAt);
  const entry = before.known.days.get(day);
  switch (verdict) {
    case "unknown":
      return wrote(before, seen, reading);
    case "same": {
      const rowsReadingId = entry?.readingId ?? reading.id;
      return {
        ...before,
        known: confirm(before.known, day),
        reports: [...before.reports, reportOf(seen, { rowsReadingId, confirmed: true })],
      };
    }
    case "differs":
      // An empty day has no rows to write: its report is all there is to say.
      if (seen.records === 0) return wrote(before, seen, reading);
      return { ...before, rewrites: [...before.rewrites, seen] };
    case "shrunk": {
      const [rowsReadingId, rows] = [entry?.readingId ?? reading.id, entry?.records ?? 0];
      const report = { ...reportOf(seen, { rowsReadingId, confirmed: false }), rows, shrunk: true };
      return {
        ...before,
        known: suspect(before.known, seen, reading.beganAt),
        reports: [...before.reports, report],
        shrunk: [...before.shrunk, { known: entry ?? seen, seen }],
      };
    }
  }
}

/** The rows of the day are those of this reading. */
function wrote(before: Settlement, seen: DayDigest, reading: FinishedReading): Settlement {
  const { id, moved, rewrites, incomplete } = reading;
  const isWhole = !incomplete.includes(seen.day);
  const agrees = rewrites?.some(({ day, digest }) => day === seen.day && digest === seen.digest);
  const confirmed = isWhole && (!moved || agrees === true);
  return {
    ...before,
    known: isWhole
      ? learn(before.known, seen, { readingId: id, confirmed })
      : forget(before.known, [seen.day]),
    reports: [...before.reports, reportOf(seen, { rowsReadingId: id, confirmed })],
  };
}

const reportOf = (
  { day, records }: DayDigest,
  said: Pick<DayReport, "rowsReadingId" | "confirmed">,
): DayReport => ({ day, records, rows: records, shrunk: false, ...said });
