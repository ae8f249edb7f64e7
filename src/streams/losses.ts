/**
 * R10: rows that were found missing may have moved to a day whose reading had begun before. That reading may have shown the day as it
 * was before the move, even if it ends later:
 *
 *     reading of a    [─────── shows `a` before the move ───────────]   `a` is due
 *     reading of b        [──── shows `b` after the move ───]           a row of `b` is missing
 *     reading of c                                           [──────]   `c` may be proven
 */
import { clip, dayRange, type Range, subtract } from "../core/window.ts";

/** A reading of a window that has ended. */
interface Ended extends Range {
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

/** Days of a window that are to be read once more. */
export interface Overtaken {
  readonly window: Range;
  readonly days: readonly number[];
}

export class Losses {
  /** The windows that earlier processes of the pass have read. */
  readonly #reads: readonly Range[];
  readonly #ended: Ended[] = [];
  /** The readings whose days are due because rows were missing, since the last call of {@link takeOvertaken}. */
  readonly #overtaken = new Set<Ended>();
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
    { start, end, days, beganAt, endedAt }: Ended,
    hasLost: boolean,
    doubtful: readonly number[] = [],
  ): Missed {
    const reading = { start, end, days, beganAt, endedAt };
    const about = days.map(dayRange);
    const own = beganAt < this.#lostAt ? about : [];
    // In the same millisecond the order is not known. A reading that has ended already began earlier in most cases.
    const earlier = hasLost ? this.#ended.filter((other) => other.beganAt <= endedAt) : [];
    const read = hasLost ? this.#reads : [];
    const before = subtract(
      [...read, ...earlier.flatMap((other) => other.days.map(dayRange))],
      about,
    );
    for (const other of earlier) this.#overtaken.add(other);
    if (own.length > 0) this.#overtaken.add(reading);
    this.#ended.push(reading);
    if (hasLost) {
      for (const day of doubtful) this.#unproven.add(day);
      this.#lostAt = Math.max(this.#lostAt, endedAt);
    }
    return { before, own };
  }

  /** To be called for a second reading that proves days (P6). The models count rows as missing since this reading. */
  confirm(reading: Ended): Missed {
    return this.settle(
      reading,
      reading.days.some((day) => this.#unproven.has(day)),
    );
  }

  get hasOvertaken(): boolean {
    return this.#overtaken.size > 0;
  }

  /** The windows of this process that hold days which a loss has overtaken, each window once, with those of its days that are due. */
  takeOvertaken(due: readonly Range[]): Overtaken[] {
    const windows = new Map<number, Overtaken>();
    for (const { start, end, days } of this.#overtaken) {
      const earlier = windows.get(start)?.days ?? [];
      const left = days.filter((day) => clip(due, dayRange(day)).length > 0);
      windows.set(start, { window: { start, end }, days: [...new Set([...earlier, ...left])] });
    }
    this.#overtaken.clear();
    return [...windows.values()].filter(({ days }) => days.length > 0);
  }
}
