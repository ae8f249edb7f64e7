/** The windows that a pass reads because of strays, besides those of its plan (P5). */
import { isShownWhole, sureOf } from "../core/awaited.ts";
import { daysOf } from "../core/digests.ts";
import { isKnown } from "../core/known_days.ts";
import type { Limits } from "../core/limits.ts";
import type { Plan, PlanInput } from "../core/plan.ts";
import type { Reading } from "../core/reading.ts";
import type { Settlement } from "../core/settle.ts";
import { knownOf, type StreamState } from "../core/state.ts";
import {
  clip,
  contains,
  dayRange,
  daysIn,
  nameOf,
  nearestDay,
  overlaps,
  type Range,
  wholeDays,
} from "../core/window.ts";
import { AwaitedDays } from "./awaited_days.ts";
import { type EndedWindow, isAboutOf } from "./ended_reading.ts";
import { type Looks, lookPurpose, looksAt } from "./looks.ts";
import type { Purpose } from "./record_filter.ts";
import type { Viewed } from "./stray_doubts.ts";
import { type CameStrays, daysOfOthers } from "./stray_groups.ts";
import type { WrittenStray } from "./stray_listings.ts";
import type { Strays } from "./strays.ts";

export interface StrayReadsOptions {
  readonly plan: Plan<StreamState>;
  readonly input: PlanInput;
  readonly limits: Pick<Limits, "looks" | "overtakenWindows" | "knownStrays">;
  /** Whether no record of this read was forgotten yet (`Sightings` in core/sightings.ts). */
  readonly remembersAll: () => boolean;
  /** Whether a window of this read may have returned a version of the record with this id as its own. */
  readonly mayHaveOwner: (id: string) => boolean;
}

/** L2: a large STATE takes some ten milliseconds. After so many of them in one step, the last one is written before the next one. */
export const STATES_AT_ONCE = 10;

/** The days that a window covers from their beginning. */
const wholeDaysOf = (window: Range): number[] =>
  daysOf(window).filter((day) => window.start <= day);

/** A window that was read in parts. It shows the provider's data as of its first part at the earliest. */
function viewOf({ start, end }: Range, parts: readonly (Reading & Viewed)[]): Viewed {
  const [first] = parts.toSorted((one, other) => one.beganAt - other.beganAt);
  const endedAt = Math.max(...parts.map((part) => part.endedAt));
  const { id = "", beganAt = endedAt, firstAsOf = null } = first ?? {};
  return { start, end, id, beganAt, firstAsOf, endedAt };
}

export class StrayReads {
  readonly #options: StrayReadsOptions;
  readonly #strays: Strays;
  /** The windows that this pass has read as a whole, by this process. */
  readonly read: (Reading & Pick<Viewed, "endedAt">)[] = [];
  /** The days that have rows written by this read, those of strays among them. */
  readonly written = new Set<number>();
  /** The days that this process has read by second readings, or by resumed ones. */
  readonly #alsoRead = new Set<number>();
  readonly awaited: AwaitedDays;
  /** How often {@link takeUnjudged} has taken each window to be read now, and the windows that wait for the next sync. */
  readonly #taken = new Map<string, number>();
  readonly #left = new Set<string>();
  /** The windows that were read in parts and whose strays are judged. */
  readonly #judgedCut = new Set<string>();
  /** The days of strays that this sync does not look for: too many windows would have to be read. */
  #leftToNext: ReadonlySet<number> = new Set();
  /** The days that {@link looks} has decided on, and the number of windows that it has given. */
  readonly #looked = new Set<number>();
  #looks = 0;

  constructor(strays: Strays, options: StrayReadsOptions) {
    this.#strays = strays;
    this.#options = options;
    const { plan, input, limits } = options;
    this.awaited = new AwaitedDays({
      earlier: plan.state.mode === "incremental" ? plan.state.awaited : [],
      pending: strays.pending,
      takeLeft: () => (this.#isRefresh ? [] : strays.left.take()),
      unjudged: () => new Set(this.#cut().map(({ window }) => nameOf(window))),
      reads: this.read,
      bounds: this.#bounds,
      maximumWindowDays: input.maximumWindowDays,
      most: limits.knownStrays,
    });
  }

  /** The range that the read may request. */
  get #bounds(): Range {
    const { from, end } = this.#options.plan;
    return { start: from, end };
  }

  get #isRefresh(): boolean {
    return this.#options.plan.state.mode === "full_refresh";
  }

  /**
   * Windows of written strays that have to be read as a whole, and were not taken yet. The bounds of windows move from sync to sync, so
   * the pass may have read only a part of such a window, without its strays. A provider chooses itself which window shows a stray, so
   * only a reading of the same window, or of a longer one, tells whether the stray is gone. Other windows lack
   * a stray that their listing may have skipped, or await strays: these are read twice if their listing moves (P6).
   */
  unjudged(): Range[] {
    const { plan, input } = this.#options;
    // Such windows may be long, so that they are read once a day. A listing that moved may have skipped a stray.
    const isDue = plan.reconciledOn !== null || input.reconcileFrom === null;
    const read = isDue ? this.read.filter(({ moved }) => !moved) : [];
    const cut = this.#strays
      .unseen()
      .filter(
        (window) =>
          read.some((other) => overlaps(other, window)) &&
          !read.some((other) => contains(other, window)),
      );
    const awaited = this.awaited.unread
      .filter((own) => this.read.some((other) => overlaps(other, own)))
      .flatMap((own) => (daysIn(own) <= input.maximumWindowDays ? own : this.#movedIn(own)));
    const lacking = this.#strays.listings.lacking();
    // A window of hours may have ended within a day that is over by now. A part of a day would be compared with the whole one.
    const wholeOf = (own: Range): Range[] => clip([wholeDays(own)], this.#bounds);
    const names = new Set([...awaited, ...lacking].flatMap(wholeOf).map(nameOf));
    const mayTake = (own: Range): boolean =>
      !this.#left.has(nameOf(own)) &&
      (this.#taken.get(nameOf(own)) ?? 0) < (names.has(nameOf(own)) ? 2 : 1);
    const windows = [...cut, ...lacking, ...awaited].filter((own) => contains(this.#bounds, own));
    const whole = windows
      .flatMap(wholeOf)
      .filter((window) => mayTake(window) && daysIn(window) <= input.maximumWindowDays);
    return [...new Map(whole.map((window) => [nameOf(window), window])).values()];
  }

  /** P6: the parts of a window longer than the provider allows by now whose listings moved, and that have to be read once more. */
  #movedIn(own: Range): Range[] {
    const parts = this.read.filter((other) => overlaps(other, own));
    const sure = new Set(sureOf(parts));
    return parts.filter((part) => !sure.has(part));
  }

  /**
   * Takes windows of {@link unjudged}. A day that this read has written is not written twice, and a day that the state does not know
   * would be written: the windows of such days wait for the next sync, as do those beyond the bound. Two windows with a day in common
   * could both write it. So the longer one is taken first, and the other one only if it is still not judged by then.
   *
   * @returns the windows to read now, and those that wait for the next sync
   */
  takeUnjudged(state: StreamState): {
    readonly now: readonly Range[];
    readonly next: readonly Range[];
  } {
    const known = knownOf(state);
    const isFree = (window: Range): boolean =>
      daysOf(window).every((day) => isKnown(known, day) && !this.written.has(day));
    const taken = [...this.#taken.values()].reduce((sum, times) => sum + times, this.#left.size);
    const room = this.#options.limits.overtakenWindows - taken;
    const now: Range[] = [];
    const next: Range[] = [];
    const windows = this.unjudged().toSorted((one, other) => daysIn(other) - daysIn(one));
    for (const window of windows) {
      if (now.some((other) => overlaps(other, window))) continue;
      const name = nameOf(window);
      if (isFree(window) && now.length < room) {
        this.#taken.set(name, (this.#taken.get(name) ?? 0) + 1);
        now.push(window);
      } else {
        this.#left.add(name);
        next.push(window);
      }
    }
    if (now.length === 0)
      for (const { window, missing } of this.#cut()) {
        this.#judgedCut.add(nameOf(window));
        this.#strays.missesCut(missing, window);
      }
    return { now, next };
  }

  /** Whether {@link takeUnjudged} has something to do. */
  get hasUnjudged(): boolean {
    return this.unjudged().length > 0 || this.#cut().length > 0;
  }

  /**
   * P5: the windows that are longer than the provider allows by now, and that this process has read in parts as a whole, with the strays that
   * no part has shown.
   */
  #cut(): { readonly window: Viewed; readonly missing: readonly WrittenStray[] }[] {
    const { maximumWindowDays } = this.#options.input;
    const unseen = this.#strays.unseenCut(maximumWindowDays);
    const byWindow = Map.groupBy(unseen, ({ window }) => nameOf(window));
    return [...byWindow].flatMap(([name, missing]) => {
      const [first] = missing;
      if (this.#judgedCut.has(name)) return [];
      if (first === undefined || !isShownWhole(first.window, this.read, maximumWindowDays))
        return [];
      const parts = this.read.filter((part) => overlaps(part, first.window));
      return { window: viewOf(first.window, parts), missing };
    });
  }

  /**
   * The windows of the known days that strays start on: an earlier sync may have found the strays there. A window that this
   * pass has read is not read again, unless some records of this read are already forgotten. Then the days that this read has written
   * are read too. A full refresh has no known days. No day is looked at twice, but each call may find further days: a window that is
   * read because strays were written may show others.
   */
  looks(state: StreamState): Looks {
    const { input, limits, remembersAll } = this.#options;
    const known = knownOf(state);
    const isRefresh = this.#isRefresh;
    const isBlind = !remembersAll();
    const read = new Set((isBlind ? [] : this.read).flatMap(wholeDaysOf));
    const days = this.#strays
      .pendingDays()
      .filter((day) => isRefresh || isKnown(known, day) || (isBlind && this.written.has(day)))
      .filter((day) => !read.has(day) && !this.#looked.has(day));
    for (const day of days) this.#looked.add(day);
    const most = limits.looks - this.#looks;
    const found = looksAt(days, this.#bounds, input, { most, isRefresh });
    this.#looks += found.looks.length;
    this.#leftToNext = this.#leftToNext.union(found.leftToNext);
    return found;
  }

  /**
   * P5: to be called with each reading, before its report. If this read has read a day, and no window has returned a stray of it as its own,
   * the day awaits the stray, so that no report proves the day without it. So does the day of a resumed reading, although the earlier process
   * may have returned the stray as its own. A full refresh proves no day a second time.
   */
  expectStrays(reading: Reading, isSecond = false): void {
    if (this.#isRefresh) return;
    const isAbout = isAboutOf(reading);
    const days = daysOf(reading).filter((day) => isAbout(day) && contains(reading, dayRange(day)));
    if (isSecond || reading.resumed) for (const day of days) this.#alsoRead.add(day);
    const isRead = (day: number): boolean =>
      this.#alsoRead.has(day) || this.read.some((other) => contains(other, dayRange(day)));
    this.#strays.pending.expect(reading, days, isRead, this.#options.mayHaveOwner);
  }

  /** P5: the days among these that a second reading may confirm. To be called with each second reading, before its report. */
  provable(reading: Reading, days: readonly number[]): number[] {
    this.expectStrays(reading, true);
    return days.filter((day) => !this.awaited.has(day));
  }

  /** The state with the strays of this moment. */
  remembered(state: StreamState): StreamState {
    if (state.mode !== "incremental") return state;
    const fewer = this.#strays.groups.fewer.slice(-this.#options.limits.knownStrays);
    return this.awaited.namedIn({ ...state, strays: this.#strays.known, fewer });
  }

  /** The days of the strays that this sync may write. */
  get strayDays(): number[] {
    return this.#strays.pendingDays().filter((day) => !this.#leftToNext.has(day));
  }

  /**
   * The strays that each window is to write. If several windows showed a stray, the first of them writes the stray, and the others
   * wait for it.
   *
   * @returns for each window the ids of all its strays that can be written, and of those that it writes; and the windows that write some
   */
  sharesOf<Waiting extends { readonly window: Range }>(
    waiting: readonly Waiting[],
  ): {
    readonly shares: readonly {
      readonly each: Waiting;
      readonly all: ReadonlySet<string>;
      readonly ids: ReadonlySet<string>;
    }[];
    readonly writing: readonly Range[];
  } {
    const assigned = new Set<string>();
    const shares = waiting.map((each) => {
      const all = this.#strays.pending.toWrite(each.window, (day) => this.#leftToNext.has(day));
      const ids = all.difference(assigned);
      for (const id of ids) assigned.add(id);
      return { each, all, ids };
    });
    const writing = shares.filter(({ ids }) => ids.size > 0).map(({ each }) => each.window);
    return { shares, writing };
  }

  /**
   * The known days of which a stray that is written may replace a row. A day that shows less than half (R8) may be the owner of its
   * strays all the same. On another day this read may have returned the stray in another version, before the provider restated the stray
   * or went back to an earlier version.
   *
   * @param days the days of the strays that are to be written
   */
  unsure(state: StreamState, days: readonly number[]): number[] {
    const known = knownOf(state).days;
    const owners = new Set(this.#strays.pendingDays(this.#options.mayHaveOwner));
    return days.filter((day) => {
      const entry = known.get(day);
      return entry !== undefined && (entry.shrinkage !== null || owners.has(day));
    });
  }

  /**
   * The known days of which strays that were written may have replaced rows. A stray may have moved since it was seen, to a day that
   * returned it as its own, and whose record this read has forgotten since.
   */
  replaced(state: StreamState, { rows }: CameStrays): number[] {
    const known = knownOf(state).days;
    const days = [...rows.values()].flatMap(({ id, day }) =>
      known.has(day) && this.#options.mayHaveOwner(id) ? [day] : [],
    );
    return [...new Set(days)];
  }

  /**
   * To be called after a reading that was to write these strays.
   *
   * @returns the number of ids that did not come
   */
  wrote(
    { job, reading, strays }: Pick<EndedWindow, "job" | "reading" | "strays">,
    ids: ReadonlySet<string>,
  ): number {
    for (const day of job.written.keys()) this.written.add(day);
    const absent = this.#strays.wrote(ids, strays, job.window, reading.id);
    this.#strays.wroteOthers(daysOfOthers(strays, job.written), reading.id);
    return absent;
  }

  /**
   * R2: the days that keep their provisional sums. The cost of a written stray counts on the nearest day of its window. A reading of a part
   * of this window may not show the stray, and this pass, or a later one, reads the window as a whole.
   */
  keepingCosts(
    reading: Viewed,
    settlement: Pick<Settlement, "shrunk">,
    state: StreamState,
  ): readonly { readonly day: number }[] {
    if (state.mode !== "incremental") return [];
    const { maximumWindowDays } = this.#options.input;
    const followed = new Set(state.provisional.map(({ day }) => day));
    const isReadInPart = ({ window }: WrittenStray): boolean =>
      overlaps(reading, window) &&
      !contains(reading, window) &&
      contains(this.#bounds, window) &&
      daysIn(window) <= maximumWindowDays;
    const days = this.#strays.groups.standing
      .filter(isReadInPart)
      .map(({ day, window }) => ({ day: nearestDay(window, day) }))
      .filter(({ day }) => followed.has(day));
    return [...this.#strays.doubts.keepingCosts(reading, settlement), ...days];
  }

  /** @param days the days that strays start on */
  purposeOf(look: Range, days: readonly number[]): Purpose {
    return lookPurpose(look, days, { isRefresh: this.#isRefresh, written: this.written });
  }
}
