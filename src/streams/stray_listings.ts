/**
 * R10: the windows that have to list their written strays once more. The models take a written stray for a row that its day no longer
 * shows if the day was proven after the last reading that has listed the stray.
 *
 *     its day is proven later, or its window is due ──► open ──► asked ──► a reading lists it ──► done
 *                                                                     ├──► a reading misses it ──► its window stays due
 *                                                                     └──► no reading can tell ──► done
 */
import type { DayReport } from "../core/settle.ts";
import type { KnownStray } from "../core/state.ts";
import {
  clip,
  contains,
  dayRange,
  intersect,
  nameOf,
  type Range,
  subtract,
  union,
} from "../core/window.ts";

/** A window, and the id of the reading that has read it. */
export type Listing = Range & { readonly id: string };

export type WrittenStray = KnownStray & { readonly readingId: string };

/** A read, as far as it may list strays once more. */
export interface ListingPlan {
  /** The range that the read may request. */
  readonly bounds: Range;
  /** The days that were due before this read. The process before may not have listed the strays that their windows show. */
  readonly due: readonly Range[];
  /** The days before the retention floor that a longer retention may show again (W3); none if left out. */
  readonly left?: Range;
}

export const EVERYTHING: ListingPlan = { bounds: { start: -Infinity, end: Infinity }, due: [] };

const NONE: Range = { start: 0, end: 0 };

/** The windows of strays, each once. */
export const distinct = (strays: readonly KnownStray[]): Range[] => [
  ...new Map(strays.map(({ window }) => [nameOf(window), window])).values(),
];

/** A stray has its content as its key in all tables here. */
export class StrayListings {
  /** The written strays that the read knows at this moment. */
  readonly #written: () => readonly WrittenStray[];
  readonly #bounds: Range;
  /** The days that a later sync may read, although this one may not: its end date or its retention may be later or longer. */
  readonly #later: readonly Range[];
  /** The newest reading that has listed a stray, if it is not the one that wrote it. */
  readonly #listed = new Map<string, string>();
  /** By day: the newest reading that has proven it, and judged its strays. */
  readonly #reported = new Map<number, string>();
  /** The strays that have to be listed, no matter when their day was proven. */
  readonly #open: Set<string>;
  /** The strays whose windows {@link takeUnlisted} has given, and which no reading has listed since. */
  readonly #asked = new Set<string>();
  /** The strays that a second reading missed and no reading has listed since; `#missed`: all that one has missed in this read. */
  readonly #missing = new Set<string>();
  readonly #missed = new Set<string>();
  /** The strays that the latest reading of their window lacks, whose listing moved. */
  readonly #lacking = new Set<string>();
  /**
   * Windows whose strays the next sync has to judge: the reading that judged them was resumed, a newer one had listed strays that are
   * written again, or the state has forgotten some.
   */
  readonly #unjudged: Range[] = [];
  /** The strays that {@link loses} has found. */
  readonly #lost = new Set<string>();
  /** The parts of a stray's window that such readings have listed without the stray. */
  readonly #unseen = new Map<string, readonly Range[]>();

  constructor(written: () => readonly WrittenStray[], { bounds, due, left = NONE }: ListingPlan) {
    this.#written = written;
    this.#bounds = bounds;
    this.#later = [left, { start: bounds.end, end: Infinity }];
    const open = written().filter(
      ({ window }) => intersect(due, clip([window], bounds)).length > 0,
    );
    this.#open = new Set(open.map(({ hash }) => hash));
  }

  /** To be called with the known strays that a complete reading has shown. */
  listed(shown: ReadonlySet<string>, readingId: string): void {
    for (const hash of shown) {
      this.#listed.set(hash, readingId);
      this.#asked.delete(hash);
      this.#missing.delete(hash);
      this.#lacking.delete(hash);
      this.#unseen.delete(hash);
      this.#open.delete(hash);
    }
  }

  /**
   * To be called after a complete reading that lists the written strays once more. If this read may request only a part of a
   * stray's window, no reading tells whether the stray is missing: the stray is done once all of this part was listed without it.
   *
   * @returns the strays that the reading misses and that no such reading has missed before in this read
   */
  misses(window: Range, isShown: (hash: string) => boolean): readonly WrittenStray[] {
    const before = new Set(this.#missed);
    for (const stray of this.#written()) {
      const { hash, day, window: own } = stray;
      // A window that contains the day returns such a record as its own.
      if (isShown(hash) || contains(window, dayRange(day))) continue;
      if (contains(window, own)) {
        this.miss([stray]);
      } else {
        this.#unseen.set(hash, union([...(this.#unseen.get(hash) ?? []), window]));
      }
    }
    const missed = this.#missed.difference(before);
    return missed.size === 0 ? [] : this.#written().filter(({ hash }) => missed.has(hash));
  }

  /** To be called with strays that a reading has missed. If their newer versions wait, their windows stay due as long as their old rows stand. */
  miss(strays: readonly WrittenStray[]): void {
    for (const { hash } of strays) {
      this.#missing.add(hash);
      this.#missed.add(hash);
    }
  }

  /** The contents of the strays that the latest reading which could show them has missed. */
  get missing(): ReadonlySet<string> {
    return this.#missing;
  }

  /** To be called with a stray that a complete reading shows. Other strays of its group may be missing. */
  shows({ hash }: WrittenStray): void {
    this.#lacking.delete(hash);
  }

  /**
   * To be called with a stray that a complete reading lacks whose listing moved (P6): it may have skipped the stray.
   *
   * @returns whether it is the second such reading in a row. So it is if an earlier reading was not believed to miss the stray (R8).
   */
  lacks({ hash, missedAt }: WrittenStray): boolean {
    if (missedAt !== undefined || this.#lacking.delete(hash)) return true;
    this.#lacking.add(hash);
    return false;
  }

  /** The windows of strays that one such reading lacks. */
  lacking(): Range[] {
    return distinct(this.#written().filter(({ hash }) => this.#lacking.has(hash)));
  }

  /** To be called with the reports of a complete reading on its days. */
  reported(days: readonly Pick<DayReport, "day" | "confirmed">[], readingId: string): void {
    for (const { day, confirmed } of days) {
      if (confirmed && readingId > (this.#reported.get(day) ?? ""))
        this.#reported.set(day, readingId);
    }
  }

  /**
   * To be called with the days that a second reading confirms. Such a reading judges strays only on days without rows
   * ({@link reported}). But on all its days, a stray counts as listed only if a reading of the same pass has listed it.
   */
  confirmed(days: readonly number[]): void {
    this.open(({ hash, day }) => days.includes(day) && !this.#listed.has(hash));
  }

  /** Some strays have to be listed. */
  open(isOpen: (stray: WrittenStray) => boolean): void {
    for (const stray of this.#written()) if (isOpen(stray)) this.#open.add(stray.hash);
  }

  /** The next sync has to judge the strays of this window. */
  judgeNext({ start, end }: Range): void {
    this.#unjudged.push({ start, end });
  }

  /**
   * The windows that are due for their strays. There are four causes: the day of a stray was proven after the last listing of
   * the stray, a second reading has missed a stray, a reading whose listing moved lacks it, or the next sync has to judge the strays of
   * the window.
   */
  unlisted(): Range[] {
    return [...distinct(this.#unlisted), ...this.lacking(), ...this.#unjudged];
  }

  get hasUnlisted(): boolean {
    return this.#toAsk.length > 0;
  }

  /**
   * R10: to be called once days were reported as proven. If no reading can list a stray of such a day any more, the models take it for gone.
   * The parts of its window behind the read's range, and before the floor of a retention that was longer before, are due: a later sync
   * may have a later end date, or a longer retention. A start date that moves back needs none of this: all days behind it are read (S3).
   *
   * @returns whether there are more such strays than before: they count as missing
   */
  loses(): boolean {
    const lost = this.#written().filter(
      (stray) =>
        this.#isProvenLater(stray) &&
        !this.#missing.has(stray.hash) &&
        !this.#lost.has(stray.hash) &&
        !this.#mayBeListed(stray),
    );
    for (const { hash } of lost) this.#lost.add(hash);
    const windows = lost.map(({ window }) => window);
    for (const part of this.#later.flatMap((range) => clip(windows, range))) this.judgeNext(part);
    return lost.length > 0;
  }

  /** Whether the next sync does not know a stray, because its row no longer stands. A newer version may still replace the row. */
  isLost({ hash }: KnownStray): boolean {
    return this.#lost.has(hash);
  }

  /** Gives the windows of {@link unlisted} that were not asked for yet. */
  takeUnlisted(): Range[] {
    const taken = this.#toAsk;
    for (const { hash } of taken) this.#asked.add(hash);
    return distinct(taken);
  }

  get #toAsk(): WrittenStray[] {
    const isJudged = (hash: string): boolean => this.#missing.has(hash) || this.#lacking.has(hash);
    return this.#unlisted.filter(({ hash }) => !this.#asked.has(hash) && !isJudged(hash));
  }

  get #unlisted(): WrittenStray[] {
    return this.#written().filter(
      (stray) =>
        this.#missing.has(stray.hash) || (this.#isOvertaken(stray) && this.#mayBeListed(stray)),
    );
  }

  #isOvertaken(stray: WrittenStray): boolean {
    return this.#open.has(stray.hash) || this.#isProvenLater(stray);
  }

  #isProvenLater({ hash, day, readingId }: WrittenStray): boolean {
    return (this.#reported.get(day) ?? "") > (this.#listed.get(hash) ?? readingId);
  }

  /** Whether the stray's window has a part that this read may request, and that was not listed without the stray yet. */
  #mayBeListed({ hash, window }: WrittenStray): boolean {
    return subtract(clip([window], this.#bounds), this.#unseen.get(hash) ?? []).length > 0;
  }
}
