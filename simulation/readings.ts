/** What was asked for and said since a stream was last complete. */
import { DAY, nextDay } from "./calendar.ts";
import type { Exchange, Span } from "./provider.ts";

interface Window extends Span {
  /** When its first page was last asked for; NaN where only a later page was. */
  begunAt: number;
  finishedAt: number;
  /** The least that the pages of a finished reading said, of all such readings the furthest. */
  through: number;
}

export class Readings {
  /** The furthest that any page called available. */
  furthest = -Infinity;
  readonly #windows = new Map<string, Window>();
  /** What the pages of a reading said that led to a cursor. */
  readonly #saidBefore = new Map<string, readonly number[]>();

  /** Takes note of a page. */
  add({ start, end, at, cursor, nextCursor, availableThrough }: Exchange): void {
    this.furthest = Math.max(this.furthest, availableThrough);
    const key = `${start} ${end}`;
    const window = this.#windows.get(key) ?? {
      start,
      end,
      begunAt: Number.NaN,
      finishedAt: Number.NaN,
      through: -Infinity,
    };
    this.#windows.set(key, window);
    if (cursor === null) {
      window.begunAt = at;
      window.finishedAt = Number.NaN;
    }
    // A process that is killed may go on with the reading before the one that it began last.
    const said = [...(this.#saidBefore.get(cursor ?? "") ?? []), availableThrough];
    if (nextCursor !== null) {
      this.#saidBefore.set(nextCursor, said);
    } else {
      window.finishedAt = at;
      window.through = Math.max(window.through, Math.min(...said));
    }
  }

  /**
   * The least that windows between two instants said; of several readings of a day the one that said most, for the position
   * may have passed it before the others said less.
   */
  least(from: number, until: number): number {
    let least = Infinity;
    for (let at = from; at < until; at = nextDay(at + 1)) {
      const said = [...this.#windows.values()]
        .filter(
          ({ start, end, finishedAt }) => start <= at && end > at && !Number.isNaN(finishedAt),
        )
        .map(({ through }) => through);
      if (said.length > 0) least = Math.min(least, Math.max(...said));
    }
    return least;
  }

  /** The first whole day of a span that no window begun at `since` or later asked for; null where there is none. */
  missing({ from, until }: Span2, since: number): number | null {
    const recent = [...this.#windows.values()].filter(({ begunAt }) => begunAt >= since);
    for (let day = nextDay(from); day + DAY <= until; day += DAY) {
      if (!recent.some(({ start, end }) => start <= day && end > day)) return day;
    }
    return null;
  }
}

interface Span2 {
  readonly from: number;
  readonly until: number;
}
