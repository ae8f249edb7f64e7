/**
 * R10: a window that waits for its strays or for its second reading is due until it is finished. Its last reading takes its days from
 * the list of days that are due, and its provisional costs may have become final. So if the sync fails before the strays or the days
 * that differ are written, nothing else would lead the next sync to this window.
 */
import { afterReading, withDue } from "../core/due.ts";
import type { Reading } from "../core/reading.ts";
import { asDue, type IncrementalState, type StreamState } from "../core/state.ts";
import { dayRange, type Range, rangesOf, subtract, union } from "../core/window.ts";

export class DueWindows {
  readonly #now: number;
  /** By the start of a window: the days that are due only because the window waits. */
  readonly #waiting = new Map<number, readonly Range[]>();

  /** @param now the provider's clock at the start of the sync */
  constructor(now: number) {
    this.#now = now;
  }

  /** The state with more days that are due. They stay due when a window that waits is finished. */
  mark(state: StreamState, ranges: readonly Range[]): StreamState {
    const marked = withDue([], ranges, this.#now);
    for (const [start, days] of this.#waiting) this.#waiting.set(start, subtract(days, marked));
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
    const about = rewrites === null ? [{ start, end }] : rangesOf(rewrites);
    const others = subtract(this.#waiting.get(start) ?? [], about);
    const more = waits ? subtract(withDue([], [{ start, end }], this.#now), state.due) : [];
    this.#waiting.set(start, union([...others, ...more]));
    return this.#keep(state);
  }

  /**
   * The state behind a second reading that has confirmed days of its window (P6). While the window waits, these days are still due,
   * but only because of that.
   */
  confirm(state: IncrementalState, { start }: Range, days: readonly number[]): StreamState {
    const waiting = this.#waiting.get(start);
    if (waiting !== undefined) this.#waiting.set(start, union([...waiting, ...days.map(dayRange)]));
    return this.#keep({ ...state, due: afterReading(state.due, days, []) });
  }

  /** The state with the days of all windows that wait. */
  #keep(state: StreamState): StreamState {
    return asDue(state, [...this.#waiting.values()].flat(), this.#now);
  }

  /** The state once a window waits no longer. */
  finish(state: StreamState, { start }: Range): StreamState {
    const days = this.#waiting.get(start) ?? [];
    this.#waiting.delete(start);
    if (state.mode !== "incremental" || days.length === 0) return state;
    return { ...state, due: subtract(state.due, days) };
  }
}
