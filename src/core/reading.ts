/** A reading: one passage through one window, from its first page to its last (S3). Pure. */
import { addDigests, type DayDigest } from "./digests.ts";
import { addProvisional, type ProvisionalDay } from "./provisional.ts";
import { addTotals, type DayTotal } from "./totals.ts";
import type { Range } from "./window.ts";

/** Records that started outside the window, written by an earlier reading and seen again (P5). */
export interface StandingStrays {
  /** The day that they start on. */
  readonly day: number;
  /** The reading whose rows they are. */
  readonly rowsReadingId: string;
  readonly records: number;
}

/** A reading between its first and its last page: all that is needed to go on at the page that `cursor` names. */
export interface Reading extends Range {
  /** Orders readings by when they began on the provider's clock (R4). */
  readonly id: string;
  /** Page size of the frozen query. */
  readonly limit: number;
  /** `next_cursor` of the last page that was emitted; null before the first page. */
  readonly cursor: string | null;
  /** The smallest `available_through` of its pages, no later than the sync's own now. */
  readonly availableThrough: number;
  readonly beganAt: number;
  /** `as_of` of the first and of the last page as the provider wrote them, and whether it ever changed between (P6). */
  readonly firstAsOf: string | null;
  readonly lastAsOf: string | null;
  readonly moved: boolean;
  /** Whether an earlier process began it. */
  readonly resumed: boolean;
  readonly records: number;
  readonly provisional: readonly ProvisionalDay[];
  /** Control totals (R5); null where nobody asked for them when it began. */
  readonly totals: readonly DayTotal[] | null;
  /** The days that this reading is to write, as the reading before saw them; null where it is of a whole window (R6). */
  readonly rewrites: readonly DayDigest[] | null;
  /** The days that it has returned records of. */
  readonly digests: readonly DayDigest[];
  /** Days whose rows under this id are not exactly the records that it returned: they stay unknown (R4). */
  readonly incomplete: readonly number[];
  /** Whether it saw records from outside its window that may belong to another one (P5). */
  readonly hasStrays: boolean;
  readonly standing: readonly StandingStrays[];
}

/** What names a reading, and what bounds it. */
export interface ReadingStart extends Pick<Reading, "id" | "limit" | "beganAt"> {
  readonly withTotals: boolean;
  /** See {@link Reading.rewrites}. */
  readonly rewrites?: Reading["rewrites"];
  /** What the reading before said of the same window; a second reading cannot say more. */
  readonly availableThrough?: number;
}

export function beginReading(window: Range, start: ReadingStart): Reading {
  const { id, limit, beganAt, withTotals, rewrites = null, availableThrough = Infinity } = start;
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
    totals: withTotals ? [] : null,
    rewrites,
    digests: [],
    incomplete: [],
    hasStrays: false,
    standing: [],
  };
}

/** What one page adds to its reading. */
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
