/**
 * R10: a window that waits for its strays or for its second reading is due until it is finished. Its last reading takes its days from
 * the list of days that are due, and its provisional costs may have become final. So if the sync fails before the strays or the days
 * that differ are written, nothing else would lead the next sync to this window. The same is true of a window whose written strays are
 * to be listed once more, or to be judged by the next sync.
 */
import { afterReading, withDue } from "../core/due.ts";
import type { Reading } from "../core/reading.ts";
import { asDue, type IncrementalState, type StreamState } from "../core/state.ts";
import {
  clip,
  dayRange,
  nameOf,
  type Range,
  rangesOf,
  subtract,
  union,
  wholeDays,
} from "../core/window.ts";

/** A window that may wait, or that has still to list its strays, and the days that are due only because of that. */
interface Waiting {
  readonly window: Range;
  readonly days: readonly Range[];
}

export class DueWindows {
  readonly #now: number;
  readonly #waiting = new Map<string, Waiting>();
  /** The windows that have still to list their strays. */
  readonly #unlisted = new Map<string, Waiting>();
  /** By window: the days that are due until its next reading is reported. */
  readonly #held = new Map<string, Waiting[]>();

  /** @param now the provider's clock at the start of the sync */
  constructor(now: number) {
    this.#now = now;
  }

  /** Whether a STATE that was sent names all of these days as due, as far as they may be due. */
  areNamed(days: readonly Range[], sent: StreamState): boolean {
    const named = sent.mode === "incremental" ? sent.due : [];
    return subtract(withDue([], days, this.#now), named).length === 0;
  }

  /** The state with more days that are due. They stay due when a window that waits is finished. */
  mark(state: StreamState, ranges: readonly Range[]): StreamState {
    const marked = withDue([], ranges, this.#now);
    this.#change(({ days }) => subtract(days, marked));
    return asDue(state, ranges, this.#now);
  }

  /**
   * P5: the state before a reading of a window that no later process would read again. If the reading writes strays, and the process dies
   * behind their rows, no report names these rows: the next sync reads their days, so that the models judge the rows. If the reading
   * lists strays, and the process dies within its report, the models take the rest of the strays for gone: the next sync reads the window.
   */
  hold(state: StreamState, window: Range, days: readonly Range[]): StreamState {
    if (state.mode !== "incremental") return state;
    const own = days.map((day) => ({ window: day, days: this.#ofWindow(day, state.due) }));
    this.#held.set(nameOf(window), own);
    return this.#keep(state);
  }

  /** The state once that reading is reported. */
  release(state: StreamState, window: Range): StreamState {
    const days = this.#held.get(nameOf(window))?.flatMap((day) => day.days) ?? [];
    this.#held.delete(nameOf(window));
    if (state.mode !== "incremental" || days.length === 0) return state;
    return this.#keep({ ...state, due: subtract(state.due, days) });
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
    this.#decide(about, state.due);
    const more = waits ? this.#ofWindow(window, state.due) : [];
    this.#waiting.set(nameOf(window), { window, days: union([...others, ...more]) });
    return this.#keep(state);
  }

  /** W4: a second reading may be shorter than the first one. Takes out the window of the first reading, which waits no longer. */
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
    const due = afterReading(state.due, days, []);
    this.#decide(days.map(dayRange), due);
    return this.#keep({ ...state, due });
  }

  /** The state in which just these windows have still to list their strays. */
  list(state: StreamState, windows: readonly Range[]): StreamState {
    if (state.mode !== "incremental" || this.#unlisted.size + windows.length === 0) return state;
    const left = new Set(windows.map(nameOf));
    let { due } = state;
    for (const [name, { days }] of this.#unlisted) {
      if (left.has(name)) continue;
      due = subtract(due, days);
      this.#unlisted.delete(name);
    }
    for (const window of windows) {
      const name = nameOf(window);
      if (!this.#unlisted.has(name))
        this.#unlisted.set(name, { window, days: this.#ofWindow(window, due) });
    }
    return this.#keep({ ...state, due });
  }

  get #all(): Waiting[] {
    const held = [...this.#held.values()].flat();
    return [...this.#waiting.values(), ...this.#unlisted.values(), ...held];
  }

  /** Changes the days that are due only because their windows wait. */
  #change(daysOf: (waiting: Waiting) => Range[]): void {
    const changed = (waiting: Waiting): Waiting => ({ ...waiting, days: daysOf(waiting) });
    for (const all of [this.#waiting, this.#unlisted])
      for (const [name, waiting] of all) all.set(name, changed(waiting));
    for (const [name, all] of this.#held) this.#held.set(name, all.map(changed));
  }

  /** The days of a window that are not due by themselves. A window of hours may end within a day, which counts as a whole. */
  #ofWindow(window: Range, due: readonly Range[]): Range[] {
    const whole = wholeDays(window);
    const others = this.#all.flatMap(({ days }) => clip(days, whole));
    const own = subtract(clip(due, whole), others);
    return subtract(withDue([], [whole], this.#now), own);
  }

  /** A reading has decided which of these days are due by themselves. Any other day is due while a window with this day waits. */
  #decide(days: readonly Range[], due: readonly Range[]): void {
    this.#change(({ window, days: own }) => {
      const inside = clip(days, wholeDays(window));
      return inside.length === 0
        ? [...own]
        : union([...subtract(own, inside), ...subtract(inside, due)]);
    });
  }

  /** The state with the days of all windows that wait. */
  #keep(state: StreamState): StreamState {
    const days = this.#all.flatMap((waiting) => waiting.days);
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
