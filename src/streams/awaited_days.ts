/** P5: the days that await strays while a read goes on, so that no reading proves them (`core/awaited.ts`). */
import { boundedAwaited, distinctAwaited, isAwaited, isShownWhole } from "../core/awaited.ts";
import type { Reading } from "../core/reading.ts";
import type { DayReport } from "../core/settle.ts";
import type { AwaitedStrays, StreamState } from "../core/state.ts";
import { contains, dayRange, nameOf, overlaps, type Range, union } from "../core/window.ts";
import type { PendingStrays } from "./pending_strays.ts";

interface Options {
  /** The entries of the state before the read. */
  readonly earlier: readonly AwaitedStrays[];
  /** The strays that this read has shown. */
  readonly pending: Pick<PendingStrays, "awaited" | "awaits" | "days">;
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
  #earlier: readonly AwaitedStrays[];

  constructor(options: Options) {
    this.#options = options;
    this.#earlier = options.earlier;
  }

  /** The entries of earlier processes, until this one has shown their windows whole, and none of the strays that wait is of their days. */
  get #open(): readonly AwaitedStrays[] {
    if (this.#earlier.length === 0) return this.#earlier;
    const waiting = this.#options.pending.days();
    this.#earlier = this.#earlier.filter(
      (one) => !this.#isShown(one) || waiting.some((day) => overlaps(one.days, dayRange(day))),
    );
    return this.#earlier;
  }

  #isShown({ window }: AwaitedStrays): boolean {
    const { reads, maximumWindowDays } = this.#options;
    return isShownWhole(window, reads, maximumWindowDays);
  }

  /** The state with the days that await strays. A full refresh looks for strays of its own. */
  namedIn<State extends StreamState>(state: State): State {
    if (state.mode !== "incremental") return state;
    const { pending, most } = this.#options;
    const all = distinctAwaited([...this.#open, ...pending.awaited]);
    return { ...state, awaited: boundedAwaited(all, most) };
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
    return union([...this.#open, ...this.#options.pending.awaited].map(({ days }) => days));
  }

  /** The windows of earlier processes that have to be read as a whole. */
  get unread(): readonly Range[] {
    const unread = this.#open.filter((one) => !this.#isShown(one));
    return [...new Map(unread.map(({ window }) => [nameOf(window), window])).values()];
  }
}
