/** A reading that has ended, and its report on its days and its strays (R5). */
import { digestOf } from "../core/digests.ts";
import { asFormer } from "../core/former.ts";
import type { KnownDays } from "../core/known_days.ts";
import { addMissingDays } from "../core/provisional.ts";
import { daysAbout, type Reading, type StandingStrays } from "../core/reading.ts";
import { type DayReport, settleAgain, type Settlement } from "../core/settle.ts";
import type { StreamState, SyncPass } from "../core/state.ts";
import type { DayTotal } from "../core/totals.ts";
import type { Job } from "./job.ts";
import type { CameStrays } from "./stray_groups.ts";

/** A complete reading, and what a report says of it (R5). */
export interface Said {
  readonly reading: Reading;
  /** When the last page of the reading came, on the provider's clock. */
  readonly endedAt: number;
  /** Whether the reading covers its whole window, strays included. */
  readonly isWhole: boolean;
  readonly days: readonly DayReport[];
  readonly strays: readonly StandingStrays[];
}

/** The report of a complete reading (R5). */
export interface ReadingReport extends Said {
  /** The pass of the reading. */
  readonly pass: Pick<SyncPass, "beganAt" | "earlierEnded">;
}

/** A window whose last page has been handed over. */
export interface EndedWindow {
  readonly job: Job;
  readonly reading: Reading;
  /** When the last page came, on the provider's clock. */
  readonly endedAt: number;
  /** The known days that were written because the window is a single page (R6). */
  readonly alsoWritten: readonly number[];
  /** The days that the reading writes. */
  readonly writes: (day: number) => boolean;
  /** The pages of the window in this process. */
  readonly pageCount: number;
  /** The strays that came, if the window was read to write strays. */
  readonly strays: CameStrays;
}

/** A window that this process goes on with, or begins. */
export type Resumable = Pick<EndedWindow, "job" | "reading" | "endedAt" | "writes">;

/**
 * R4: a process goes on with a window of a killed process, and a page comes with another `as_of`. Before the process writes the
 * first such page, it sends this report. The killed process may have reported the whole reading. The platform may have lost the
 * last rows of this reading, or keeps them until rows of this process replace them. From this page on, rows of a later moment
 * follow under the same id, and each report on that id would prove them. So this report needs an id that is newer than the ids of
 * all those reports. Null if nothing has to be taken back.
 */
export function doubtOf({ job, reading, endedAt, writes }: Resumable, asOf: string): Said | null {
  // All earlier pages of this process had the same `as_of` as the last page of the killed process.
  const isFirst = job.reading?.lastAsOf === reading.lastAsOf && reading.lastAsOf !== asOf;
  const days = isFirst ? daysAbout(reading).filter(writes) : [];
  if (days.length === 0) return null;
  return {
    // Without control totals the report would not go out (R5).
    reading: { ...reading, lastAsOf: asOf, moved: true, totals: reading.totals ?? [] },
    endedAt,
    isWhole: false,
    days: days.map((day) => {
      const { records } = digestOf(reading.digests, day);
      const unproven = { rowsReadingId: reading.id, confirmed: false, shrunk: false };
      return { ...unproven, day, records, rows: records };
    }),
    strays: [],
  };
}

/**
 * The days whose rows under the reading's id may not be exactly the records that the reading returned, or may not stand (R4). There are
 * four causes:
 *
 * - The reading was restarted and did not return all records that it had written before.
 * - Another window had already written some of the records.
 * - An earlier process was killed after rows that no STATE covers, and the reading was resumed before these rows. If `as_of` has
 *   changed since, the killed process may have written records that the provider no longer shows. If not, the pages are the same.
 * - A record has changed while the reading went on, so that the row of an earlier day may replace its row by key.
 */
export function incompleteDays(
  reading: Reading,
  { written }: Job,
  writes: (day: number) => boolean,
): number[] {
  const { digests, incomplete, resumed, moved } = reading;
  if (resumed && moved) return daysAbout(reading).filter(writes);
  const days = new Set([...written.keys(), ...digests.map(({ day }) => day)]);
  const unequal = [...days].filter(
    (day) => writes(day) && (written.get(day) ?? 0) !== digestOf(digests, day).records,
  );
  return [...new Set([...incomplete, ...unequal])];
}

/** The days that a reading compares or writes: those of its window, or of a second reading those that it rewrites. */
export function isAboutOf({
  start,
  end,
  rewrites,
}: Pick<Reading, "start" | "end" | "rewrites">): (day: number) => boolean {
  if (rewrites === null) return (day) => start <= day && day < end;
  const days = new Set(rewrites.map(({ day }) => day));
  return (day) => days.has(day);
}

/**
 * P5: whether the state knows the day as the reading has shown it, so that the rows of its records stand. A day that shows less than
 * half (R8), or that another reading has still to write, is known as it was before.
 */
export function standsAsShown({ known }: Settlement, { digests }: Reading, day: number): boolean {
  return known.days.get(day)?.digest === digestOf(digests, day).digest;
}

/**
 * P5: the days of a look that the next sync has to write again. A stray is written if no look has found its owner. But a look during an
 * outage misses owners, and then the written row replaces the day's own row. And a look may find an owner that came after the day was
 * written. So a day leaves the state if the look shows another content than the state knows.
 *
 * @param strayDays the days that strays start on
 */
export function otherDays(
  known: KnownDays,
  reading: Reading,
  strayDays: readonly number[],
): number[] {
  const days = strayDays.filter((day) => reading.start <= day && day < reading.end);
  const { reports } = settleAgain(known, reading, days);
  const agreed = new Set(reports.map(({ day }) => day));
  return days.filter((day) => !agreed.has(day));
}

/** A reading that 0.2.0 began leaves digests of its form (`former.ts`). */
export function asLearned(settlement: Settlement, reading: Reading): Settlement {
  if (!reading.isFormer) return settlement;
  return { ...settlement, known: asFormer(settlement.known, daysAbout(reading)) };
}

/**
 * The strays that a reading wrote, by the day that they start on.
 *
 * @param listed the groups that its report lists besides: a group is listed once
 */
export function standingOf(
  { id, totals }: Pick<Reading, "id" | "totals">,
  listed: readonly StandingStrays[],
): StandingStrays[] {
  const isListed = ({ day }: DayTotal): boolean =>
    listed.some((group) => group.day === day && group.rowsReadingId === id);
  return (totals ?? [])
    .filter((total) => !total.inside && !isListed(total))
    .map(({ day, records }) => ({ day, rowsReadingId: id, records }));
}

/**
 * R5, P5: a reading that misses strays, and has no day to report, because it has still to write all of its days. Without a report the
 * models would not know that the strays are gone. So it reports the first of these days as unproven: its second reading proves it.
 */
export function doubtsOf(
  { reports, rewrites, known }: Settlement,
  { id }: Pick<Reading, "id">,
): DayReport[] {
  const [first] = rewrites;
  if (reports.length > 0 || first === undefined) return [];
  return [{ ...unprovenDay(known, first.day, id), records: first.records }];
}

/** An unconfirmed report of a known day, whose rows stand. It is that of a reading with this id, and tells of no other records. */
export function unprovenDay({ days }: KnownDays, day: number, id: string): DayReport {
  // The state has no entry of a day without rows. The report of such a day names the reading itself.
  const { readingId, records } = days.get(day) ?? { readingId: id, records: 0 };
  const unproven = { rowsReadingId: readingId, confirmed: false, shrunk: false };
  return { ...unproven, day, records, rows: records };
}

/** R2: the costs of written strays are followed from here, unless a reading of this pass has told the costs of their days. */
export const withStrayCosts = (
  state: StreamState,
  { provisional }: Pick<Reading, "provisional">,
): StreamState =>
  state.mode === "incremental"
    ? { ...state, provisional: addMissingDays(state.provisional, provisional) }
    : state;
