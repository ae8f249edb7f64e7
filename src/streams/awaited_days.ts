/** P5: the days that await strays while a read goes on, so that no reading proves them (`core/awaited.ts`). */
import { boundedAwaited, distinctAwaited, isAwaited, isShownWhole } from "../core/awaited.ts";
import { daysOf } from "../core/digests.ts";
import type { Reading } from "../core/reading.ts";
import type { DayReport } from "../core/settle.ts";
import type { AwaitedStrays, StreamState } from "../core/state.ts";
import { clip, contains, nameOf, overlaps, type Range, union } from "../core/window.ts";
import type { PendingStrays } from "./pending_strays.ts";

/** The strays that a read has shown. */
export type AwaitedPending = Pick<PendingStrays, "awaited" | "awaitedIn" | "awaits" | "waitsOn">;

interface Options {
  /** The entries of the state before the read. */
  readonly earlier: readonly AwaitedStrays[];
  readonly pending: AwaitedPending;
  /** Takes the days of strays about which only a later reading of their windows can tell, with these windows. */
  readonly takeLeft: () => readonly AwaitedStrays[];
  /** The names of windows that were read in parts, and had strays which no part has shown and which are not judged yet (R8). */
  readonly unjudged: () => ReadonlySet<string>;
  /** The windows that this process has read as a whole. */
  readonly reads: readonly Reading[];
  /** The range that the read may request. */
  readonly bounds: Range;
  readonly maximumWindowDays: number;
  /** The largest number of entries. */
  readonly most: number;
}

export class AwaitedDays {
  readonly #options: Options;
  /** The entries of earlier processes: those whose windows this one has still to show whole, and those whose strays still wait. */
  #unshown: readonly AwaitedStrays[];
  #waiting: readonly AwaitedStrays[] = [];
  /** The entries of {@link Options.takeLeft} so far: the next process has to show their windows whole. */
  #left: readonly AwaitedStrays[] = [];
  /** The days of {@link Options.takeLeft} of which {@link takeDoubted} has not told yet. */
  #doubted: readonly Range[] = [];
  /** How many of the windows that were read are taken into account. */
  #judged = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#unshown = options.earlier;
  }

  /**
   * Takes the strays into account that are left to a later reading, and the windows that were read since. Only the entries that these
   * windows touch may have changed (L2).
   */
  #judge(): void {
    const { reads, maximumWindowDays, pending, most } = this.#options;
    const left = this.#options.takeLeft();
    if (left.length > 0) {
      this.#left = boundedAwaited(distinctAwaited([...this.#left, ...left]), most);
      this.#doubted = union([...this.#doubted, ...left.map(({ days }) => days)]);
    }
    if (this.#judged < reads.length && this.#unshown.length > 0) {
      const latest = reads.slice(this.#judged);
      const shown = this.#unshown.filter(
        ({ window }) =>
          latest.some((read) => overlaps(read, window)) &&
          isShownWhole(window, reads, maximumWindowDays),
      );
      this.#unshown = this.#unshown.filter((one) => !shown.includes(one));
      this.#waiting = [...this.#waiting, ...shown];
    }
    this.#judged = reads.length;
    if (this.#waiting.length > 0) {
      const unjudged = this.#options.unjudged();
      this.#waiting = this.#waiting.filter(
        ({ days, window }) => pending.waitsOn(days) || unjudged.has(nameOf(window)),
      );
    }
  }

  get #open(): readonly AwaitedStrays[] {
    this.#judge();
    return [...this.#unshown, ...this.#waiting, ...this.#left];
  }

  /** The state with the days that await strays. A full refresh looks for strays of its own. */
  namedIn<State extends StreamState>(state: State): State {
    if (state.mode !== "incremental") return state;
    return { ...state, awaited: this.#all };
  }

  get #all(): readonly AwaitedStrays[] {
    const { pending, most } = this.#options;
    return boundedAwaited(distinctAwaited([...this.#open, ...pending.awaited(most)]), most);
  }

  has(day: number): boolean {
    return isAwaited(this.#open, day) || this.#options.pending.awaits(day);
  }

  /** The reports of days, of which none proves a day that awaits strays. */
  judged(reports: readonly DayReport[]): readonly DayReport[] {
    return reports.map((one) =>
      one.confirmed && this.has(one.day) ? { ...one, confirmed: false } : one,
    );
  }

  /** The days among these that await strays and that a later sync can prove. No sync shows a window whole that lies outside the read's range. */
  comingOf(days: readonly number[]): number[] {
    const { pending, bounds } = this.#options;
    const reachable = this.#open.filter(({ window }) => contains(bounds, window));
    return days.filter((day) => isAwaited(reachable, day) || pending.awaits(day));
  }

  /** All days that await strays. */
  get days(): readonly Range[] {
    return union(this.#all.map(({ days }) => days));
  }

  /**
   * The days that are due no longer once a second reading has proven them: those that it covers (R5), and that awaited no strays of an
   * earlier process. Reports of that process may list strays that no state knows, and only a whole reading of the day judges these.
   */
  provenAgain(days: readonly number[], uncovered: readonly number[]): number[] {
    const { earlier } = this.#options;
    return days.filter((day) => !uncovered.includes(day) && !isAwaited(earlier, day));
  }

  /**
   * The days within the range of the read that await strays which this window has shown.
   *
   * @param onlyNew whether days do not count that await only newer versions of written strays
   */
  shownBy(window: Range, onlyNew = false): number[] {
    const { pending, bounds } = this.#options;
    return pending.awaitedIn(window, bounds, onlyNew);
  }

  /** The days within the range of the read that await strays only since the last call: a report before may have proven them. */
  takeDoubted(): number[] {
    this.#judge();
    const doubted = clip(this.#doubted, this.#options.bounds);
    this.#doubted = [];
    return doubted.flatMap(daysOf);
  }

  /** The windows of earlier processes that have to be read as a whole. */
  get unread(): readonly Range[] {
    this.#judge();
    return [...new Map(this.#unshown.map(({ window }) => [nameOf(window), window])).values()];
  }
}
