/** A reading: one passage through one window, from its first page to its last (S3). Pure. */
import { addDigests, type DayDigest, daysOf } from "./digests.ts";
import { addProvisional, type ProvisionalDay } from "./provisional.ts";
import { addTotals, type DayTotal } from "./totals.ts";
import type { Range } from "./window.ts";

/** Strays that an earlier reading wrote and that this reading has returned again (P5). */
export interface StandingStrays {
  /** The UTC day of their starts. */
  readonly day: number;
  /** The reading that wrote their rows. */
  readonly rowsReadingId: string;
  readonly records: number;
}

/** A reading between its first and its last page, with all that a later process needs to continue at `cursor`. */
export interface Reading extends Range {
  /** Sorts by the time when the reading began, on the provider's clock (R4). */
  readonly id: string;
  /** Page size of the frozen query. */
  readonly limit: number;
  /** `next_cursor` of the last page that was emitted; null before the first page. */
  readonly cursor: string | null;
  /** The smallest `available_through` of its pages, no later than the start of the sync on the provider's clock. */
  readonly availableThrough: number;
  readonly beganAt: number;
  /** `as_of` of the first and of the latest page, as the provider wrote them; null before the first page. */
  readonly firstAsOf: string | null;
  readonly lastAsOf: string | null;
  /** Whether `as_of` changed between two pages (P6). */
  readonly moved: boolean;
  /** Whether an earlier process began the reading. */
  readonly resumed: boolean;
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  /** Whether `export_windows` was selected when the reading began, so that a process may have reported the reading (R4). */
  readonly isReported: boolean;
  /** Control totals (R5); null if the reading is not reported, or if they had to leave the state (S8). */
  readonly totals: readonly DayTotal[] | null;
  /** For a second reading: the days to write, as the first reading saw them (R6). Null for the reading of a whole window. */
  readonly rewrites: readonly DayDigest[] | null;
  /** The digests of the days with records so far. */
  readonly digests: readonly DayDigest[];
  /** Whether 0.2.0 began the reading, so that its digests are of that form (`former.ts`). */
  readonly isFormer: boolean;
  /** Days with rows under this id that are not exactly the returned records, or that an older row may replace. They stay unknown (R4). */
  readonly incomplete: readonly number[];
  /** Whether the window returned strays that no earlier sync has written (P5). */
  readonly hasStrays: boolean;
  readonly standing: readonly StandingStrays[];
}

/** The id and the limits of a new reading. */
export interface ReadingStart extends Pick<Reading, "id" | "limit" | "beganAt"> {
  readonly withTotals: boolean;
  /** See {@link Reading.rewrites}. */
  readonly rewrites?: Reading["rewrites"];
  /** For a second reading: `availableThrough` of the first. The second one never claims a later instant. */
  readonly availableThrough?: number;
  /** For a reading that takes no note of strays: whether the window has returned some that still wait, or may have. */
  readonly hasStrays?: boolean;
  /** For a second reading: whether the first one made digests of 0.2.0, because the two readings are compared. */
  readonly isFormer?: boolean;
}

export function beginReading(window: Range, start: ReadingStart): Reading {
  const { id, limit, beganAt, withTotals, rewrites = null, availableThrough = Infinity } = start;
  const { hasStrays = false, isFormer = false } = start;
  return {
    start: window.start,
    end: window.end,
    id,
    limit,
    cursor: null,
    availableThrough,
    beganAt,
    firstAsOf: null,
    lastAsOf: null,
    moved: false,
    resumed: false,
    records: 0,
    provisional: [],
    isReported: withTotals,
    totals: withTotals ? [] : null,
    rewrites,
    digests: [],
    isFormer,
    incomplete: [],
    hasStrays,
    standing: [],
  };
}

/** The facts that one page adds to its reading. */
export interface PageFacts extends Pick<
  Reading,
  "records" | "provisional" | "digests" | "incomplete" | "hasStrays" | "standing"
> {
  readonly nextCursor: string | null;
  readonly asOf: string;
  readonly availableThrough: number;
  readonly totals: readonly DayTotal[];
}

/** The reading after one more page. `now` is the provider's clock at the start of the sync. */
export function readPage(reading: Reading, page: PageFacts, now: number): Reading {
  return {
    ...reading,
    cursor: page.nextCursor,
    availableThrough: Math.min(reading.availableThrough, page.availableThrough, now),
    firstAsOf: reading.firstAsOf ?? page.asOf,
    lastAsOf: page.asOf,
    moved: reading.moved || (reading.lastAsOf !== null && reading.lastAsOf !== page.asOf),
    records: reading.records + page.records,
    provisional: addProvisional(reading.provisional, page.provisional),
    totals: reading.totals === null ? null : addTotals(reading.totals, page.totals),
    digests: addDigests(reading.digests, page.digests),
    incomplete: [...new Set([...reading.incomplete, ...page.incomplete])],
    hasStrays: reading.hasStrays || page.hasStrays,
    standing: addStanding(reading.standing, page.standing),
  };
}

function addStanding(
  a: readonly StandingStrays[],
  b: readonly StandingStrays[],
): readonly StandingStrays[] {
  if (b.length === 0) return a;
  const nameOf = ({ day, rowsReadingId }: StandingStrays): string => `${day} ${rowsReadingId}`;
  const sums = new Map(a.map((entry) => [nameOf(entry), entry]));
  for (const entry of b) {
    const before = sums.get(nameOf(entry));
    const records = (before?.records ?? 0) + entry.records;
    sums.set(nameOf(entry), { ...entry, records });
  }
  return [...sums.values()];
}

/** The clocks of a provider's machines may differ by this much: that of `Date` and that of `x_RecordUpdatedAt`. */
const SKEW = 10_000;

/**
 * R4: the time of a reading, with some seconds before and after it. A record that has changed in this time may be shown as it was before
 * by a window whose reading has begun later.
 *
 * @param pageCameAt when the latest page came, on the provider's clock
 */
export const doubtfulChanges = (
  { beganAt }: Pick<Reading, "beganAt">,
  pageCameAt: number,
): Range => ({ start: beganAt - SKEW, end: pageCameAt + SKEW });

/** The days that a reading is about: those of its window, or of a second reading those that it writes (R6). */
export function daysAbout({
  rewrites,
  ...window
}: Pick<Reading, "start" | "end" | "rewrites">): number[] {
  return rewrites?.map(({ day }) => day) ?? daysOf(window);
}
