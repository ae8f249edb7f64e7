/**
 * R10: rows that were found missing may have moved to a day whose reading had begun before. That reading may have shown the day as it
 * was before the move, even if it ends later:
 *
 *     reading of a    [─────── shows `a` before the move ───────────]   `a` is due
 *     reading of b        [──── shows `b` after the move ───]           a row of `b` is missing
 *     reading of c                                           [──────]   `c` may be proven
 */
import { dayRange, type Range, subtract } from "../core/window.ts";

/** A reading that has ended. */
interface Ended {
  /** The days that it is about. */
  readonly days: readonly number[];
  /** When it began and when its last page came, on the provider's clock. */
  readonly beganAt: number;
  readonly endedAt: number;
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
  /** The days of which a reading has found rows missing, but has proven nothing (P6). */
  readonly #unproven = new Set<number>();
  /** The last end of a reading that has found rows missing. */
  #lostAt = -Infinity;

  constructor(reads: readonly Range[]) {
    this.#reads = reads;
  }

  /**
   * To be called for each reading that judges days, once it has ended.
   *
   * @param doubtful the days that it has not proven, so that a second reading may follow
   */
  settle(
    { days, beganAt, endedAt }: Ended,
    hasLost: boolean,
    doubtful: readonly number[] = [],
  ): Missed {
    const about = days.map(dayRange);
    const own = beganAt < this.#lostAt ? about : [];
    const before = hasLost ? subtract(this.#readBefore(endedAt), about) : [];
    this.#ended.push({ about, beganAt });
    if (hasLost) {
      for (const day of doubtful) this.#unproven.add(day);
      this.#lostAt = Math.max(this.#lostAt, endedAt);
    }
    return { before, own };
  }

  /** In the same millisecond the order is not known. A reading that has ended already began earlier in most cases. */
  #readBefore(endedAt: number): Range[] {
    const earlier = this.#ended.filter((other) => other.beganAt <= endedAt);
    return [...this.#reads, ...earlier.flatMap((other) => other.about)];
  }

  /** To be called for a second reading that proves days (P6). The models count rows as missing since this reading. */
  confirm(reading: Ended): Missed {
    return this.settle(
      reading,
      reading.days.some((day) => this.#unproven.has(day)),
    );
  }
}
