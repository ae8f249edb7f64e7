/**
 * R10: a window that waits for its strays or for its second reading is due until it is finished. Its last reading takes its days from
 * the list of days that are due, and its provisional costs may have become final. So if the sync fails before the strays or the days
 * that differ are written, nothing else would lead the next sync to this window.
 */
import { afterReading, withDue } from "../core/due.ts";
import type { Reading } from "../core/reading.ts";
import { asDue, type IncrementalState, type StreamState } from "../core/state.ts";
import { clip, dayRange, nameOf, type Range, rangesOf, subtract, union } from "../core/window.ts";

/** A window that may wait, and the days that are due only because it waits. */
interface Waiting {
  readonly window: Range;
  readonly days: readonly Range[];
}

export class DueWindows {
  readonly #now: number;
  readonly #waiting = new Map<string, Waiting>();

  /** @param now the provider's clock at the start of the sync */
  constructor(now: number) {
    this.#now = now;
  }

  /** The state with more days that are due. They stay due when a window that waits is finished. */
  mark(state: StreamState, ranges: readonly Range[]): StreamState {
    const marked = withDue([], ranges, this.#now);
    for (const [name, { window, days }] of this.#waiting)
      this.#waiting.set(name, { window, days: subtract(days, marked) });
    return asDue(state, ranges, this.#now);
  }

  /**
   * The state behind a complete reading. The reading has decided which of its days are due.
   *
   * @param waits whether the window waits for strays or for its second reading
   */
  settle(
    state: StreamState,
    { start, end, rewrites }: Pick<Reading, "start" | "end" | "rewrites">,
    waits: boolean,
  ): StreamState {
    if (state.mode !== "incremental") return state;
    const window = { start, end };
    const about = rewrites === null ? [window] : rangesOf(rewrites);
    const isFirst = rewrites === null;
    const same = this.#waiting.get(nameOf(window));
    const earlier = same ?? (isFirst ? undefined : this.#takeLonger(window));
    const others = subtract(earlier?.days ?? [], about);
    this.#decided(subtract(about, state.due));
    const more = waits ? subtract(withDue([], [window], this.#now), state.due) : [];
    this.#waiting.set(nameOf(window), { window, days: union([...others, ...more]) });
    return this.#keep(state);
  }

  /** W4: a second reading may be shortened. It then ends the waiting of the longer window whose first reading came before it. */
  #takeLonger({ start, end }: Range): Waiting | undefined {
    for (const [name, waiting] of this.#waiting) {
      const { window } = waiting;
      if (window.start !== start || window.end <= end) continue;
      this.#waiting.delete(name);
      return waiting;
    }
    return undefined;
  }

  /** The state behind a second reading that has confirmed days (P6, R10). */
  confirm(state: IncrementalState, days: readonly number[]): StreamState {
    this.#decided(days.map(dayRange));
    return this.#keep({ ...state, due: afterReading(state.due, days, []) });
  }

  /** Days are due no longer by themselves. While a window of theirs waits, they are due because of that. */
  #decided(days: readonly Range[]): void {
    for (const [name, { window, days: own }] of this.#waiting) {
      const inside = clip(days, window);
      if (inside.length > 0) this.#waiting.set(name, { window, days: union([...own, ...inside]) });
    }
  }

  /** The state with the days of all windows that wait. */
  #keep(state: StreamState): StreamState {
    const days = [...this.#waiting.values()].flatMap((waiting) => waiting.days);
    return asDue(state, days, this.#now);
  }

  /** The state once a window waits no longer. */
  finish(state: StreamState, window: Range): StreamState {
    const days = this.#waiting.get(nameOf(window))?.days ?? [];
    this.#waiting.delete(nameOf(window));
    if (state.mode !== "incremental" || days.length === 0) return state;
    return this.#keep({ ...state, due: subtract(state.due, days) });
  }
}
