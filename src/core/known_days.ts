/**
 * Known days: the days that a stream has read completely, with the digest of each (R6, R8, P6). Pure: every function returns
 * a new value.
 *
 *     ranges        [────────────────────────)        [──────)      read completely
 *     entries           │  │ │    │││ │                  │ │         days inside the ranges that have records
 *                   a day without an entry is empty   a day outside is unknown
 *     forgotten                                  │  │                unknown days of which an earlier reading has said something
 *     inPart                              │                         unknown days of which readings that were given up have shown a part
 */
import { type DayDigest, EMPTY_DIGEST } from "./digests.ts";
import { DAY, HOUR, parseInstant } from "./time.ts";
import { clip, dayRange, includes, type Range, subtract, union } from "./window.ts";

/** A reading showed less than half of a day's records, and no later reading has confirmed this yet (R8). */
export interface Shrinkage {
  readonly records: number;
  readonly digest: string;
  /** The digest is of the form of 0.2.0; left out otherwise (`former.ts`). */
  readonly isFormer?: true;
  /**
   * The end of the first reading with this digest, in milliseconds since 1970 on the provider's clock. The hour of R8 counts from
   * the end, because an outage may begin during a long reading.
   */
  readonly at: number;
}

/** A day that has records. */
export interface KnownDay extends DayDigest {
  /** The digest is of the form of 0.2.0; left out otherwise (`former.ts`). */
  readonly isFormer?: true;
  /** The reading whose rows stand for the day: `rows_reading_id` of its report. */
  readonly readingId: string;
  /** Whether the digest is proven: the listing did not move during the reading, or two readings agree (P6). */
  readonly confirmed: boolean;
  readonly shrinkage: Shrinkage | null;
}

/**
 * A day whose rows in the table may be a mixture: it left the known days before its rows were written again, or rows under the id of
 * its reading are not the records that the reading returned (R4). The next reading writes the day, whatever it returns. This entry
 * stays until the day is known again, because R8 needs a number to compare that reading with.
 */
export interface ForgottenDay {
  readonly day: number;
  /** The largest number of records that a reading has shown (R8). */
  readonly most: number;
  /** The reading whose rows stand for the day, and the number of these rows; null if no such reading is known. */
  readonly readingId: string | null;
  readonly records: number;
  /** Whether the digest was proven before the day was forgotten, see {@link KnownDay}; true for a day that was unknown before. */
  readonly confirmed: boolean;
  readonly shrinkage: Shrinkage | null;
}

export interface KnownDays {
  /** The ranges that were read completely: on whole days, sorted, disjoint. */
  readonly ranges: readonly Range[];
  readonly days: ReadonlyMap<number, KnownDay>;
  /** Unknown days. */
  readonly forgotten: ReadonlyMap<number, ForgottenDay>;
  /**
   * Other unknown days: the largest number of records that a reading has shown which was given up before its end (R8). Such a day is not
   * due for that: its window is read in any case, and may go on where another reading of it has stopped.
   */
  readonly inPart: ReadonlyMap<number, number>;
}

export const NOTHING_KNOWN: KnownDays = {
  ranges: [],
  days: new Map(),
  forgotten: new Map(),
  inPart: new Map(),
};

/** The verdict on a day that a complete reading returned. */
export type DayVerdict =
  /** The day was unknown: its rows were written while it was read. */
  | "unknown"
  /** The content has not changed: no row is written. */
  | "same"
  /** The content differs: every row of the day is written. */
  | "differs"
  /** Less than half of the records is left, and no reading an hour or more before has shown the same: no row is written (R8). */
  | "shrunk";

/** A day with fewer known records than this may shrink without suspicion (R8). */
const SUSPICIOUS_FROM = 10;

/** A view that stands still for so long counts as another one. It is less than a day, so that a sync of the next day at the same time can tell. */
const STILL = 20 * HOUR;

/** Whether the states before and after a reading know something else of a day. */
export const hasChanged = (before: KnownDays, after: KnownDays, day: number): boolean =>
  isKnown(before, day) !== isKnown(after, day) ||
  before.days.get(day) !== after.days.get(day) ||
  before.forgotten.get(day) !== after.forgotten.get(day);

/** Whether the day was read completely before, so that the next reading is compared with its digest. */
export function isKnown(known: KnownDays, day: number): boolean {
  return includes(known.ranges, day);
}

/** When a reading saw its days. */
export interface View {
  /** The start of the reading, in milliseconds since 1970 on the provider's clock. */
  readonly beganAt: number;
  /** `as_of` of its first page, as the provider wrote it. */
  readonly firstAsOf: string | null;
}

/** Compares a day, as a complete reading returned it, with the known days. */
export function judgeDay(known: KnownDays, seen: DayDigest, view: View): DayVerdict {
  if (!isKnown(known, seen.day)) return "unknown";
  const entry = known.days.get(seen.day);
  if (seen.digest === (entry?.digest ?? EMPTY_DIGEST) && seen.records === (entry?.records ?? 0)) {
    return "same";
  }
  return isSuspicious(known, seen, view) ? "shrunk" : "differs";
}

/** The largest number of records that is known of a day (R8). */
export const mostOf = ({ days, forgotten, inPart }: KnownDays, day: number): number =>
  Math.max(days.get(day)?.records ?? 0, forgotten.get(day)?.most ?? 0, inPart.get(day) ?? 0);

/**
 * Whether a day shows less than half of the largest number of records that is known of it, and no earlier reading confirms that
 * (R8). Also holds for a forgotten day.
 *
 * @param first the number of records in the first reading of the same window; 0 if there is none
 */
export function isSuspicious(known: KnownDays, seen: DayDigest, view: View, first = 0): boolean {
  const entry = known.days.get(seen.day);
  const forgotten = known.forgotten.get(seen.day);
  const most = Math.max(mostOf(known, seen.day), first);
  if (!isSuddenLoss(most, seen.records)) return false;
  const shrinkage = entry?.shrinkage ?? forgotten?.shrinkage ?? null;
  return shrinkage?.digest !== seen.digest || !confirms(view, shrinkage.at);
}

/** Whether less than half is left of the records that were known. */
export const isSuddenLoss = (most: number, records: number): boolean =>
  most >= SUSPICIOUS_FROM && 2 * records < most;

/**
 * Whether a reading can confirm one that ended at an instant: it began an hour later, and shows a view of the data that was made since. A
 * provider whose view stands still is believed in the end.
 */
export function confirms({ beganAt, firstAsOf }: View, endedAt: number): boolean {
  const later = beganAt - endedAt;
  const madeAt = parseInstant(firstAsOf ?? "") ?? -Infinity;
  return later >= (madeAt > endedAt ? HOUR : STILL);
}

/** Returns the known days after a reading has written a day with this content, or has found the day empty. */
export function learn(
  known: KnownDays,
  { day, records, digest }: DayDigest,
  written: Pick<KnownDay, "readingId" | "confirmed">,
): KnownDays {
  const days = new Map(known.days);
  if (records === 0) days.delete(day);
  else days.set(day, { day, records, digest, ...written, shrinkage: null });
  const forgotten = new Map(known.forgotten);
  forgotten.delete(day);
  const inPart = without(known.inPart, [day]);
  return { ranges: union([...known.ranges, dayRange(day)]), days, forgotten, inPart };
}

function without(inPart: KnownDays["inPart"], gone: readonly number[]): KnownDays["inPart"] {
  if (!gone.some((day) => inPart.has(day))) return inPart;
  const left = new Map(inPart);
  for (const day of gone) left.delete(day);
  return left;
}

/**
 * Returns the known days after a reading was given up that had shown these days so far. The numbers of unknown days stay, and the
 * suspicion of a day ends if half of the records or more are there again (R8). A known day is due because of its suspicion, so its
 * suspicion takes the content of this part, which no reading of less than half can show. To forget the day would not do: its window may
 * begin again, and does not write the records that it has returned before.
 */
export function withParts(known: KnownDays, shown: readonly DayDigest[]): KnownDays {
  let next = known;
  for (const seen of shown) {
    const { day, records } = seen;
    const before = mostOf(next, day);
    const isBack = 2 * records >= before;
    if (isKnown(next, day)) {
      if (isBack) next = suspectedAnew(next, seen);
      continue;
    }
    if (isBack) next = contradict(next, seen);
    if (records <= before) continue;
    const { forgotten, inPart } = next;
    const entry = forgotten.get(day);
    next =
      entry === undefined
        ? { ...next, inPart: new Map(inPart).set(day, records) }
        : { ...next, forgotten: new Map(forgotten).set(day, { ...entry, most: records }) };
  }
  return next;
}

function suspectedAnew(known: KnownDays, { day, records, digest }: DayDigest): KnownDays {
  const entry = known.days.get(day);
  if (entry?.shrinkage == null) return known;
  const { at } = entry.shrinkage;
  const days = new Map(known.days).set(day, { ...entry, shrinkage: { records, digest, at } });
  return { ...known, days };
}

/**
 * Returns the known days after a second reading of a day. If an earlier reading showed fewer rows than were known, and the second
 * one shows another content, the earlier one is no longer the first of two in a row (P6), and the suspicion ends (R8).
 */
export function contradict(known: KnownDays, { day, digest }: DayDigest): KnownDays {
  const unsuspected = <Entry extends KnownDay | ForgottenDay>(
    entries: ReadonlyMap<number, Entry>,
  ): ReadonlyMap<number, Entry> => {
    const entry = entries.get(day);
    if (entry?.shrinkage == null || entry.shrinkage.digest === digest) return entries;
    return new Map(entries).set(day, { ...entry, shrinkage: null });
  };
  const { days, forgotten } = known;
  return { ...known, days: unsuspected(days), forgotten: unsuspected(forgotten) };
}

/** Returns the known days after a reading has found a day unchanged: the day is confirmed (P6), and no longer suspected (R8). */
export function confirm(known: KnownDays, day: number): KnownDays {
  const entry = known.days.get(day);
  if (entry === undefined || (entry.confirmed && entry.shrinkage === null)) return known;
  const days = new Map(known.days).set(day, { ...entry, confirmed: true, shrinkage: null });
  return { ...known, days };
}

/**
 * The end of the first reading that was not believed. If the provider's clock was years ahead at that time, the hour would not begin for
 * years. A clock that is put back by hours does not shorten it.
 */
export const firstEnd = (at: number, now: number): number => Math.min(at, now + DAY);

/**
 * Returns the known days after a reading has shown less than half of a day. Keeps the end of the first such reading (R8).
 *
 * @param now the end of the reading, in milliseconds since 1970 on the provider's clock
 */
export function suspect(known: KnownDays, seen: DayDigest, now: number): KnownDays {
  const { day, records, digest } = seen;
  const doubted = <Entry extends KnownDay | ForgottenDay>(entry: Entry): Entry => {
    const at = entry.shrinkage?.digest === digest ? firstEnd(entry.shrinkage.at, now) : now;
    return { ...entry, shrinkage: { records, digest, at } };
  };
  const entry = known.days.get(day);
  if (entry !== undefined) return { ...known, days: new Map(known.days).set(day, doubted(entry)) };
  const forgotten = known.forgotten.get(day);
  if (forgotten === undefined) return known;
  return { ...known, forgotten: new Map(known.forgotten).set(day, doubted(forgotten)) };
}

/** A day that leaves the known days. */
export interface GoneDay {
  readonly day: number;
  /** The number of records that the present reading shows; 0 if no reading is under way. */
  readonly records: number;
  /** The reading that has written rows of the day; null if none has yet. */
  readonly writtenBy: string | null;
}

/**
 * Returns the known days without the days in `gone`. The next reading writes those days again. Their numbers of records stay, so that
 * a sudden loss is noticed in that reading too (R8).
 */
export function forget(known: KnownDays, gone: readonly GoneDay[]): KnownDays {
  if (gone.length === 0) return known;
  const days = new Map(known.days);
  const forgotten = new Map(known.forgotten);
  for (const each of gone) {
    const { day } = each;
    forgotten.set(day, remembered(each, mostOf(known, day), days.get(day), forgotten.get(day)));
    days.delete(day);
  }
  const removed = gone.map(({ day }) => dayRange(day));
  const inPart = without(
    known.inPart,
    gone.map(({ day }) => day),
  );
  return { ranges: subtract(known.ranges, removed), days, forgotten, inPart };
}

function remembered(
  { day, records: shown, writtenBy }: GoneDay,
  before: number,
  entry: KnownDay | undefined,
  earlier: ForgottenDay | undefined,
): ForgottenDay {
  const most = Math.max(shown, before);
  // R8: rows that are shown again end the suspicion, so a later outage is the first one again.
  const isOver = shown > 0 && 2 * shown >= most;
  const shrinkage = isOver ? null : ((entry ?? earlier)?.shrinkage ?? null);
  if (entry !== undefined) {
    const { records, readingId, confirmed } = entry;
    return { day, most, records, readingId, confirmed, shrinkage };
  }
  if (earlier !== undefined) return { ...earlier, most, shrinkage };
  const records = writtenBy === null ? 0 : shown;
  return { day, most, records, readingId: writtenBy, confirmed: true, shrinkage: null };
}

/**
 * Returns the known days at the start of a sync. A day that an earlier sync left forgotten has no digest that a reading could agree
 * with, so its next reading is the first of two, whatever the readings before had found (R10).
 */
export function withFirstChances(known: KnownDays): KnownDays {
  const gone = [...known.forgotten.values()];
  if (gone.every(({ confirmed }) => confirmed)) return known;
  const renewed = gone.map((entry): ForgottenDay => ({ ...entry, confirmed: true }));
  return { ...known, forgotten: new Map(renewed.map((entry) => [entry.day, entry])) };
}

/**
 * Changes what is known of some days, each by itself. A copy of all days for each of thousands of them would take seconds (L2).
 *
 * @param days each of them once
 * @param change gets what is known of one day, and gives what is known of the same day afterwards
 */
export function changeDays(
  known: KnownDays,
  days: readonly number[],
  change: (own: KnownDays, day: number) => KnownDays,
): KnownDays {
  const parts = days.map((day): [number, KnownDays, KnownDays] => {
    const own = onlyDay(known, day);
    return [day, own, change(own, day)];
  });
  const changed = parts.filter(([, before, after]) => before !== after);
  if (changed.length === 0) return known;
  const next = {
    days: new Map(known.days),
    forgotten: new Map(known.forgotten),
    inPart: new Map(known.inPart),
  };
  for (const [day, , after] of changed) {
    put(next.days, day, after.days.get(day));
    put(next.forgotten, day, after.forgotten.get(day));
    put(next.inPart, day, after.inPart.get(day));
  }
  const others = subtract(
    known.ranges,
    changed.map(([day]) => dayRange(day)),
  );
  return { ...next, ranges: union([...others, ...changed.flatMap(([, , { ranges }]) => ranges)]) };
}

/** What is known of one day. */
function onlyDay(known: KnownDays, day: number): KnownDays {
  const own = <Entry>(entries: ReadonlyMap<number, Entry>): Map<number, Entry> => {
    const entry = entries.get(day);
    return new Map(entry === undefined ? [] : [[day, entry]]);
  };
  return {
    ranges: isKnown(known, day) ? [dayRange(day)] : [],
    days: own(known.days),
    forgotten: own(known.forgotten),
    inPart: own(known.inPart),
  };
}

function put<Entry>(entries: Map<number, Entry>, day: number, entry: Entry | undefined): void {
  if (entry === undefined) entries.delete(day);
  else entries.set(day, entry);
}

/** Returns all that is known of the days in a range of whole days. */
export function prune(known: KnownDays, { start, end }: Range): KnownDays {
  const isInside = (range: Range): boolean => range.start >= start && range.end <= end;
  const isDayInside = (day: number): boolean => day >= start && day < end;
  const unknown = [...known.forgotten.keys(), ...known.inPart.keys()];
  if (known.ranges.every(isInside) && unknown.every(isDayInside)) return known;
  return {
    ranges: clip(known.ranges, { start, end }),
    days: new Map([...known.days].filter(([day]) => isDayInside(day))),
    forgotten: new Map([...known.forgotten].filter(([day]) => isDayInside(day))),
    inPart: new Map([...known.inPart].filter(([day]) => isDayInside(day))),
  };
}
