/**
 * R10: a window that waits for its strays or for its second reading is due until it is finished. Its last reading takes its days from
 * the list of days that are due, and its provisional costs may have become final. So if the sync fails before the strays or the days
 * that differ are written, nothing else would lead the next sync to this window. The same is true of a window whose written strays are
 * to be listed once more, or to be judged by the next sync.
 */
import { afterReading, withDue } from "../core/due.ts";
import { daysAbout, type Reading } from "../core/reading.ts";
import { hasChanged, type KnownDays } from "../core/known_days.ts";
import { asDue, type IncrementalState, knownOf, type StreamState } from "../core/state.ts";
import {
  dayRange,
  includes,
  intersect,
  nameOf,
  overlaps,
  type Range,
  rangesOf,
  subtract,
  union,
  wholeDays,
} from "../core/window.ts";

/** Days that are due only because something is still to come, and all days that this is about: on whole days. */
interface Waiting {
  readonly about: readonly Range[];
  readonly days: readonly Range[];
}

/** The reasons for which days stay due behind a reading. */
interface Left {
  readonly isLook: boolean;
  /** See `uncoveredDays` in core/retention.ts. */
  readonly uncovered: readonly number[];
  readonly known: KnownDays;
}

/** A window that may wait. */
interface WaitingWindow extends Waiting {
  readonly window: Range;
}

export class DueWindows {
  readonly #now: number;
  readonly #waiting = new Map<string, WaitingWindow>();
  /** The windows that have still to list their strays. */
  readonly #unlisted = new Map<string, Waiting>();
  /** By window: the days that are due until its next reading is reported. Windows that are held together share one value. */
  readonly #held = new Map<string, Waiting>();

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
   * P5: the state before readings of windows that no later process would read again. If a reading writes strays, and the process dies
   * behind their rows, no report names these rows: the next sync reads their days, so that the models judge the rows. If a reading
   * lists strays, and the process dies within its report, the models take the rest of the strays for gone: the next sync reads the window.
   */
  hold(state: StreamState, windows: readonly Range[], days: readonly Range[]): StreamState {
    if (state.mode !== "incremental") return state;
    const about = union(days.map(wholeDays));
    const held = { about, days: this.#among(about, this.#ownOf(state.due)) };
    for (const window of windows) this.#held.set(nameOf(window), held);
    return this.#keep(state);
  }

  /** The state once that reading is reported. */
  release(state: StreamState, window: Range): StreamState {
    const days = this.#held.get(nameOf(window))?.days ?? [];
    this.#held.delete(nameOf(window));
    if (state.mode !== "incremental" || days.length === 0) return state;
    return this.#without(state, days);
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
    const whole = [wholeDays(window)];
    const more = waits ? this.#among(whole, this.#ownOf(state.due)) : [];
    const days = union([...others, ...more]);
    this.#waiting.set(nameOf(window), { window, about: whole, days });
    return this.#keep(state);
  }

  /** W4: a second reading may be shorter than the first one. Takes out the window of the first reading, which waits no longer. */
  #takeLonger({ start, end }: Range): WaitingWindow | undefined {
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
    const gone = [...this.#unlisted].filter(([name]) => !left.has(name));
    for (const [name] of gone) this.#unlisted.delete(name);
    const listed = gone.flatMap(([, { days }]) => days);
    const due = subtract(state.due, listed);
    const own = this.#ownOf(due); // the same for all windows: those that join the list make no day due by itself
    for (const window of windows) {
      const name = nameOf(window);
      if (this.#unlisted.has(name)) continue;
      const about = [wholeDays(window)];
      this.#unlisted.set(name, { about, days: this.#among(about, own) });
    }
    return this.#keep({ ...state, due });
  }

  get #all(): Waiting[] {
    return [...this.#waiting.values(), ...this.#unlisted.values(), ...new Set(this.#held.values())];
  }

  /** Changes the days that are due only because their windows wait. */
  #change(daysOf: (waiting: Waiting) => Range[]): void {
    for (const [name, window] of this.#waiting)
      this.#waiting.set(name, { ...window, days: daysOf(window) });
    for (const [name, window] of this.#unlisted)
      this.#unlisted.set(name, { ...window, days: daysOf(window) });
    const shared = [...new Set(this.#held.values())];
    const changed = new Map(shared.map((held) => [held, { ...held, days: daysOf(held) }]));
    for (const [name, held] of this.#held) this.#held.set(name, changed.get(held) ?? held);
  }

  /**
   * The days that are due behind a reading, although it has judged them. First, all due days of a look (P5): a window of an earlier process
   * may wait for strays on them, and a look ignores strays. (If only windows of this read wait, they keep their days themselves.) Second,
   * the days that no report of the reading covers, if they were due or have changed: nothing proves them as they are now.
   *
   * @param known the days that the state knows behind the reading
   */
  staysBehind(state: StreamState, reading: Reading, { isLook, uncovered, known }: Left): number[] {
    const own = state.mode === "incremental" ? this.#ownOf(state.due) : [];
    const isDue = (day: number): boolean => includes(own, day);
    const open = uncovered.filter((day) => isDue(day) || hasChanged(knownOf(state), known, day));
    return isLook ? [...daysAbout(reading).filter(isDue), ...open] : open;
  }

  /** The days that are due by themselves. */
  #ownOf(due: readonly Range[]): Range[] {
    const others = this.#all.flatMap(({ days }) => days);
    return subtract(due, others);
  }

  /** Those of some whole days that are not due by themselves. A window of hours may end within a day, which counts as a whole. */
  #among(about: readonly Range[], own: readonly Range[]): Range[] {
    return subtract(withDue([], about, this.#now), intersect(about, own));
  }

  /** A reading has decided which of these days are due by themselves. Any other day is due while a window with this day waits. */
  #decide(days: readonly Range[], due: readonly Range[]): void {
    this.#change(({ about, days: own }) => {
      const inside = intersect(days, about);
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
    return this.#without(state, days);
  }

  /**
   * The state without days that one window was due for. All windows of a plan may be finished in one step, so this looks only at the
   * others that have days among them: the state names the days of all others already (L2).
   */
  #without(state: IncrementalState, days: readonly Range[]): StreamState {
    const bounds = { start: days[0]?.start ?? 0, end: days.at(-1)?.end ?? 0 };
    const others = this.#all.flatMap((other) => other.days.filter((day) => overlaps(day, bounds)));
    return asDue({ ...state, due: subtract(state.due, days) }, others, this.#now);
  }
}
