/** The requests and responses since a stream was last complete. */
import { DAY, nextDay } from "./calendar.ts";
import type { Span } from "./outages.ts";
import type { Exchange } from "./provider.ts";

interface Window extends Span {
  /** The instant of the last request for its first page; NaN if only later pages were requested. */
  begunAt: number;
  /** The latest header `Date` of such a request. If `Date` goes back later, a reading keeps the day that its `Date` named. */
  begunBy: number;
  /**
   * `available_through` of a finished reading: the smallest value of its pages. Of several finished readings the largest one counts;
   * -Infinity before one is finished. A reading that begins again later, such as the second one of P6, takes nothing back.
   */
  through: number;
}

export class Readings {
  /** The largest `available_through` of any page. */
  furthest = -Infinity;
  readonly #windows = new Map<string, Window>();
  /** The smallest `available_through` of the pages before a cursor. */
  readonly #saidBefore = new Map<string, readonly number[]>();

  /** Takes note of a page. */
  add({ start, end, at, date, cursor, nextCursor, availableThrough }: Exchange): void {
    this.furthest = Math.max(this.furthest, availableThrough);
    const key = `${start} ${end}`;
    const window = this.#windows.get(key) ?? {
      start,
      end,
      begunAt: Number.NaN,
      begunBy: -Infinity,
      through: -Infinity,
    };
    this.#windows.set(key, window);
    if (cursor === null) {
      window.begunAt = at;
      window.begunBy = Math.max(window.begunBy, date);
    }
    // After a kill, the next process may continue an earlier reading than the last one.
    const said = [...(this.#saidBefore.get(cursor ?? "") ?? []), availableThrough];
    if (nextCursor !== null) {
      this.#saidBefore.set(nextCursor, said);
    } else {
      window.through = Math.max(window.through, Math.min(...said));
    }
  }

  /**
   * The smallest `available_through` of the windows between two instants. If a day has several readings, the largest
   * value counts, because the position may have passed the day before the other readings. A window whose value is exactly its
   * end limits nothing: the provider may have clipped the value to the window (S1).
   */
  least(from: number, until: number): number {
    let least = Infinity;
    for (let at = from; at < until; at = nextDay(at + 1)) {
      const said = [...this.#windows.values()]
        .filter(({ start, end, through }) => start <= at && end > at && through > -Infinity)
        .map(({ end, through }) => (through === end ? Infinity : through));
      if (said.length > 0) least = Math.min(least, Math.max(...said));
    }
    return least;
  }

  /** The first whole day of a range that no window requested at or after `since`; null if there is none. */
  missing(range: Span2, since: number): number | null {
    return this.#missing(range, ({ begunAt }) => begunAt >= since);
  }

  /**
   * The same, but by the header `Date` of each window's first page: a process knows the day only by `Date`. `holds` tells whether a request
   * at such a `Date` still counts for a day.
   */
  missingBy(range: Span2, holds: (date: number, day: number) => boolean): number | null {
    return this.#missing(range, ({ begunBy }, day) => begunBy > -Infinity && holds(begunBy, day));
  }

  #missing({ from, until }: Span2, holds: (window: Window, day: number) => boolean): number | null {
    const windows = [...this.#windows.values()];
    for (let day = nextDay(from); day + DAY <= until; day += DAY) {
      const own = windows.filter(({ start, end }) => start <= day && end > day);
      if (!own.some((window) => holds(window, day))) return day;
    }
    return null;
  }
}

interface Span2 {
  readonly from: number;
  readonly until: number;
}
