/**
 * R10: rows that were found missing may have moved to a day whose reading had begun before. That reading may have shown the day as it
 * was before the move, even if it ends later:
 *
 *     reading of a    [─────── shows `a` before the move ───────────]   `a` is due
 *     reading of b        [──── shows `b` after the move ───]           a row of `b` is missing
 *     reading of c                                           [──────]   `c` may be proven
 */
import type { SyncPass } from "../core/state.ts";
import { dayRange, intersect, type Range, subtract, union, wholeDays } from "../core/window.ts";

/** A reading that has ended. */
interface Ended {
  /** The days that it is about. */
  readonly days: readonly number[];
  /** When it began and when its last page came, on the provider's clock. */
  readonly beganAt: number;
  readonly endedAt: number;
  /** Other days that its report takes the proof from, because they await strays (P5). */
  readonly awaiting?: readonly { readonly day: number }[];
}

/** The days that are due because of rows that were found missing. */
interface Missed {
  /** Days of other readings, which have ended before. */
  readonly before: readonly Range[];
  /** Days of the reading itself. */
  readonly own: readonly Range[];
}

export class Losses {
  /** The windows that earlier processes of the pass have read. */
  readonly #reads: readonly Range[];
  readonly #ended: { readonly about: readonly Range[]; readonly beganAt: number }[] = [];
  /** The days that are due because rows were missing, since the last call of {@link takeOvertaken}. */
  #overtaken: readonly Range[] = [];
  readonly #awaited: () => readonly Range[];
  /** The last end of a reading that has found rows missing. */
  #lostAt: number;

  /**
   * @param pass the pass that this process goes on with. If a part of a window that it has read is out of date (S3), the rest may end
   *   within a day: the day counts as a whole.
   * @param awaited the days that no reading proves before their strays are written (P5)
   */
  constructor(
    pass: Pick<SyncPass, "reads" | "lostUntil"> | null,
    awaited: () => readonly Range[] = () => [],
  ) {
    this.#awaited = awaited;
    this.#reads = union((pass?.reads ?? []).map(wholeDays));
    this.#lostAt = pass?.lostUntil ?? -Infinity;
  }

  /** To be called for each reading that judges days, once it has ended. */
  settle({ days, beganAt, endedAt, awaiting = [] }: Ended, hasLost: boolean): Missed {
    const about = days.map(dayRange);
    const own = beganAt < this.#lostAt ? about : [];
    const before = hasLost ? subtract(this.#readBefore(endedAt), about) : [];
    this.#overtaken = union([...this.#overtaken, ...before, ...own]);
    this.wait(awaiting.map(({ day }) => day));
    this.#ended.push({ about, beganAt });
    if (hasLost) this.#lostAt = Math.max(this.#lostAt, endedAt);
    return { before, own };
  }

  /** A reading that began in the same millisecond counts, too: as it has ended already, it began earlier in most cases. */
  #readBefore(endedAt: number): Range[] {
    const earlier = this.#ended.filter((other) => other.beganAt <= endedAt);
    return [...this.#reads, ...earlier.flatMap((other) => other.about)];
  }

  /** P5: days that a reading does not prove, because they await strays, are read once more after these are written. */
  wait(days: readonly number[]): readonly number[] {
    if (days.length > 0) this.#overtaken = union([...this.#overtaken, ...days.map(dayRange)]);
    return days;
  }

  get hasOvertaken(): boolean {
    return subtract(this.#overtaken, this.#awaited()).length > 0;
  }

  /** Gives the days that a loss has overtaken and that are still due, once. Days that await strays are given when these are written. */
  takeOvertaken(due: readonly Range[]): Range[] {
    const awaited = this.#awaited();
    const overtaken = subtract(this.#overtaken, awaited);
    this.#overtaken = intersect(this.#overtaken, awaited);
    return intersect(overtaken, due);
  }
}
