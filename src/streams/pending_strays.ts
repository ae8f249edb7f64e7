/** The strays that wait for an owner, or to be written (P5). */
import type { Limits } from "../core/limits.ts";
import { addToMonth, isAwaited } from "../core/awaited.ts";
import { daysOf } from "../core/digests.ts";
import type { AwaitedStrays } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { clip, dayRange, includes, nameOf, overlaps, type Range } from "../core/window.ts";

/** A stray that waits. Hashes are 24 hexadecimal digits. */
export interface Pending {
  /** The hash of the record's id. */
  readonly id: string;
  /** The hash of the record's id and `x_RecordUpdatedAt`. */
  readonly version: string;
  /** The UTC day of its start. */
  readonly day: number;
  /** Whether it is no newer version of a written stray. */
  readonly isNew: boolean;
  /** The windows that showed it. */
  readonly windows: Range[];
  /**
   * Whether its day awaits it (`core/awaited.ts`): it is a newer version of a written stray, its row is to be written, or the day was read
   * without it. A day may own any other stray.
   */
  isAwaited: boolean;
  /** Whether a reading was to write it and it did not come again. */
  isAbsent: boolean;
}

function add(counts: Map<number, number>, day: number, by: 1 | -1): void {
  const count = (counts.get(day) ?? 0) + by;
  if (count === 0) counts.delete(day);
  else counts.set(day, count);
}

export class PendingStrays {
  readonly #limits: Pick<Limits, "pendingStrays" | "notedWindows">;
  readonly #byVersion = new Map<string, Pending>();
  /** The strays by the windows that showed them. */
  readonly #byWindow = new Map<string, Set<Pending>>();
  /** How many strays are awaited, by window and day, and by day in each window. */
  readonly #awaited = new Map<string, { readonly entry: AwaitedStrays; count: number }>();
  readonly #byDay = new Map<number, number>();
  /** All that this read has awaited, as one entry for each month of windows. */
  readonly #spans = new Map<number, AwaitedStrays>();
  /** The days of strays that found no room, as one entry for each month of windows: they await these strays until a later sync. */
  readonly #refused = new Map<number, AwaitedStrays>();
  #hasTold = false;
  /** The strays by the days that they start on. */
  readonly #waiting = new Map<number, Set<Pending>>();
  #noted = 0;

  constructor(limits: Pick<Limits, "pendingStrays" | "notedWindows">) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#byVersion.size;
  }

  /** Whether a stray has found no room, and no call before this one has told so. */
  takeRefusal(): boolean {
    const isNew = this.#refused.size > 0 && !this.#hasTold;
    if (isNew) this.#hasTold = true;
    return isNew;
  }

  get ids(): ReadonlySet<string> {
    return new Set([...this.#byVersion.values()].map(({ id }) => id));
  }

  get(version: string): Pending | undefined {
    return this.#byVersion.get(version);
  }

  /** @returns whether there was room for the stray */
  add(stray: Pick<Pending, "id" | "version" | "day" | "isAwaited">, window: Range): boolean {
    const kept = this.#byVersion.get(stray.version);
    if (kept === undefined && this.size >= this.#limits.pendingStrays) {
      addToMonth(this.#refused, { days: dayRange(stray.day), window });
      return false;
    }
    const pending = kept ?? { ...stray, isNew: !stray.isAwaited, windows: [], isAbsent: false };
    if (kept === undefined)
      this.#waiting.set(stray.day, (this.#waiting.get(stray.day) ?? new Set()).add(pending));
    this.#byVersion.set(stray.version, pending);
    if (pending.windows.length === 0 || this.#noted < this.#limits.notedWindows)
      this.#note(pending, window);
    return true;
  }

  #note(pending: Pending, window: Range): void {
    const name = nameOf(window);
    const own = this.#byWindow.get(name) ?? new Set();
    if (own.has(pending)) return;
    this.#noted += 1;
    this.#byWindow.set(name, own.add(pending));
    pending.windows.push(window);
    if (pending.isAwaited) this.#count(pending, window, 1);
  }

  #count({ day }: Pending, window: Range, by: 1 | -1): void {
    const pair = `${day} ${nameOf(window)}`;
    const awaited = this.#awaited.get(pair) ?? { entry: { days: dayRange(day), window }, count: 0 };
    const { entry } = awaited;
    awaited.count += by;
    if (awaited.count === 0) this.#awaited.delete(pair);
    else this.#awaited.set(pair, awaited);
    addToMonth(this.#spans, entry);
    add(this.#byDay, day, by);
  }

  /** To be called before strays with these ids are written: from here on their days await them. */
  writing(ids: ReadonlySet<string>): void {
    for (const pending of this.#byVersion.values()) if (ids.has(pending.id)) this.#await(pending);
  }

  /**
   * To be called once a window was read, before its report: from here on days that were read await the strays that they do not own.
   *
   * @param days the days that the window has read
   * @param others whether this read has read a day, for the days of strays that the window has shown
   * @param owns whether a window of this read may have returned a record with this id as its own
   */
  expect(
    window: Range,
    days: readonly number[],
    others: (day: number) => boolean,
    owns: (id: string) => boolean,
  ): void {
    const shown = Map.groupBy(this.#byWindow.get(nameOf(window)) ?? [], ({ day }) => day);
    const ofOthers = [...shown].flatMap(([day, strays]) => (others(day) ? strays : []));
    const own = days.flatMap((day) => [...(this.#waiting.get(day) ?? [])]);
    for (const pending of [...ofOthers, ...own]) if (!owns(pending.id)) this.#await(pending);
  }

  #await(pending: Pending): void {
    if (pending.isAwaited) return;
    pending.isAwaited = true;
    for (const window of pending.windows) this.#count(pending, window, 1);
  }

  remove(pending: Pending): void {
    this.#byVersion.delete(pending.version);
    const ofDay = this.#waiting.get(pending.day);
    ofDay?.delete(pending);
    if (ofDay?.size === 0) this.#waiting.delete(pending.day);
    for (const window of pending.windows) {
      this.#byWindow.get(nameOf(window))?.delete(pending);
      if (pending.isAwaited) this.#count(pending, window, -1);
    }
  }

  /** The days that await strays, with the windows that have shown these: at most so many entries, or one for each month (L2). */
  awaited(most: number): readonly AwaitedStrays[] {
    const awaited =
      this.#awaited.size > most
        ? this.#spans.values()
        : [...this.#awaited.values()].map(({ entry }) => entry);
    return [...awaited, ...this.#refused.values()];
  }

  /**
   * The days within these bounds that await strays which this window has shown, or may have shown.
   *
   * @param onlyNew whether days do not count that await only newer versions of written strays
   */
  awaitedIn(window: Range, bounds: Range, onlyNew = false): number[] {
    const own = [...(this.#byWindow.get(nameOf(window)) ?? [])].filter(
      (one) => one.isAwaited && (one.isNew || !onlyNew),
    );
    const refused = [...this.#refused.values()].filter((one) => overlaps(one.window, window));
    const among = refused.map(({ days }) => days);
    const days = new Set([...own.map(({ day }) => day), ...clip(among, bounds).flatMap(daysOf)]);
    return [...days].filter((day) => includes([bounds], day));
  }

  /** Whether a day awaits strays. */
  awaits(day: number): boolean {
    return this.#byDay.has(day) || isAwaited([...this.#refused.values()], day);
  }

  /** Whether strays of some whole days wait, awaited or not. */
  waitsOn({ start, end }: Range): boolean {
    if (end - start === DAY) return this.#waiting.has(start);
    return [...this.#waiting.keys()].some((day) => start <= day && day < end);
  }

  /** The number of strays that this window showed. */
  countIn(window: Range): number {
    return this.#byWindow.get(nameOf(window))?.size ?? 0;
  }

  /** The ids of the strays that this window showed and that can be written now. `waits` tells the days whose strays cannot. */
  toWrite(window: Range, waits: (day: number) => boolean): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const { id, day, isAbsent } of this.#byWindow.get(nameOf(window)) ?? []) {
      if (!isAbsent && !waits(day)) ids.add(id);
    }
    return ids;
  }

  /**
   * To be called after a reading that was to write these strays of its window. Those whose ids came wait no longer; the others are absent.
   *
   * @returns the number of ids that did not come
   */
  wrote(asked: ReadonlySet<string>, came: ReadonlySet<string>, window: Range): number {
    const absent = new Set<string>();
    for (const pending of this.#byWindow.get(nameOf(window)) ?? []) {
      if (came.has(pending.id)) this.remove(pending);
      else if (asked.has(pending.id)) {
        pending.isAbsent = true;
        absent.add(pending.id);
      }
    }
    return absent.size;
  }

  /** The days that the strays start on, or only those with such an id. */
  days(isAbout: (id: string) => boolean = () => true): number[] {
    const about = [...this.#byVersion.values()].filter(({ id }) => isAbout(id));
    const days = new Set(about.map(({ day }) => day));
    return [...days].toSorted((a, b) => a - b);
  }
}
