/**
 * Strays (P5): records that start outside the window that returned them. A stray belongs to the window that contains the
 * stray's start. So each stray waits until all windows of the pass are read. A stray that no window has returned as its own is
 * then written, by one more reading of the window that showed the stray.
 *
 *     window shows a stray ──► pending ──► a window returns it as its own ──► dropped
 *                                     ├──► all windows are read ──► its own day is read ──► dropped, or written
 *                                     └──► it does not come again ──► absent: its window stays unfinished
 *     an earlier sync wrote it ──► standing: reported, not written again ──► another one of its group is gone ──► pending
 *     an earlier sync found it on its own day ──► owned: neither looked for nor written
 *
 * A stray that waits is recognized by its id and version, because a provider may restate the record before the second reading. A stray
 * in the state is recognized by its content, so that a change is noticed.
 */
import { type Limits, LIMITS } from "../core/limits.ts";
import type { Reading, StandingStrays } from "../core/reading.ts";
import type { KnownStray } from "../core/state.ts";
import { groupOf, withoutContent } from "../core/stray_group.ts";
import { DAY, floorTo } from "../core/time.ts";
import { contains, nameOf, type Range } from "../core/window.ts";
import { type GroupPlan, GroupReports, type Reported } from "./group_reports.ts";
import type { AwaitedPending } from "./awaited_days.ts";
import { LeftStrays } from "./left_strays.ts";
import { type Pending, PendingStrays } from "./pending_strays.ts";
import { RecognizedStrays } from "./recognized_strays.ts";
import { type DayRows, StrayDoubts, type Viewed } from "./stray_doubts.ts";
import { type CameStrays, isWritten, newestOf, ofWholeGroups } from "./stray_groups.ts";
import {
  distinct,
  EVERYTHING,
  type Listing,
  type ListingPlan,
  StrayListings,
  type WrittenStray,
} from "./stray_listings.ts";
import type { StrayPrint } from "./stray_table.ts";
import { TakenStrays } from "./taken_strays.ts";

/**
 * The strays of a window that a complete reading has shown to this process. A listing that moved may have skipped some (P6), and an earlier
 * process may have seen some.
 */
export type Shows = "all" | "moved" | "part";

/** It contains no other window. */
const NO_WINDOW: Range = { start: Infinity, end: -Infinity };

/** The strays of one stream's read. */
export class Strays {
  /** The strays of the state, by content. */
  readonly #known: RecognizedStrays;
  readonly #pending: PendingStrays;
  /** By window: the known strays that its present passage has shown. */
  readonly #shown = new Map<string, Set<string>>();
  /** Contents of known strays that the latest reading of their day has returned as its own. */
  readonly #returned = new Set<string>();
  /** The windows that have to list their written strays once more. */
  readonly listings: StrayListings;
  readonly taken = new TakenStrays();
  readonly doubts: StrayDoubts;
  /** Owned strays of days whose reading is not settled: a STATE with them would have the stray, but not yet the row of its day. */
  readonly #unsettled = new Set<KnownStray>();
  /**
   * The strays about which only a later reading of their windows can tell: new ones that a second reading has shown, written ones that a
   * second reading has missed, and those that a report has listed although no window of this read has shown them.
   */
  readonly left: LeftStrays;
  readonly #limits: Limits;
  readonly groups: GroupReports;

  constructor(
    known: readonly KnownStray[],
    limits: Limits = LIMITS,
    {
      keptFrom = -Infinity,
      fewer = [],
      reports = true,
      rowsOf = () => 0,
      ...plan
    }: ListingPlan & Partial<GroupPlan & DayRows> = EVERYTHING,
  ) {
    this.#limits = limits;
    this.doubts = new StrayDoubts((day) => Math.max(rowsOf(day), this.taken.on(day)));
    this.left = new LeftStrays(limits.knownStrays);
    const tells = (told: readonly WrittenStray[]): void =>
      this.left.add(told.filter(({ hash }) => !this.#known.seen.has(hash)));
    const groups = { fewer, keptFrom, reports, known };
    this.groups = new GroupReports(groups, () => this.#known.written, this.taken, tells);
    this.#pending = new PendingStrays(limits);
    this.#known = new RecognizedStrays(known);
    this.listings = new StrayListings(() => this.#known.written, plan);
  }

  /** Whether there is nothing for {@link own} to do. Usually true. */
  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#known.size === 0 && this.taken.isEmpty;
  }

  /** Whether strays are known by their hash of 0.2.0. */
  get hasFormer(): boolean {
    return this.#known.hasFormer;
  }

  /**
   * Takes note of a stray.
   *
   * @param id the hash of the record's id
   * @returns the entry of an earlier sync that wrote this stray, or found it on its own day; null if the stray waits now
   */
  see(print: StrayPrint, id: string, start: number, window: Range): KnownStray | null {
    const known = this.seeAgain(print, window);
    const shown = { id, version: print.versionText };
    if (known === null) this.#wait({ ...shown, day: floorTo(DAY, start) }, window);
    else if (isWritten(known)) this.#known.name(known, { ...shown, window });
    return known;
  }

  #wait(stray: Pick<Pending, "id" | "version" | "day">, window: Range): void {
    const isAwaited = this.#known.ofId(stray.id).some(isWritten);
    this.#known.shows(stray.id);
    if (this.#pending.add({ ...stray, isAwaited }, window)) this.#known.expect(stray.version);
  }

  /** Takes note of a stray that is in the state, and of no other. Returns its entry. */
  seeAgain(print: StrayPrint, window: Range): KnownStray | null {
    const known = this.#known.findIn(window, print);
    if (known === undefined) return null;
    this.#known.seen.add(known.hash);
    const name = nameOf(window);
    this.#shown.set(name, (this.#shown.get(name) ?? new Set()).add(known.hash));
    return known;
  }

  /** The stray with this content, if the state knows it: its row stands. */
  find(print: StrayPrint): KnownStray | undefined {
    return this.#known.find(print);
  }

  /**
   * To be called before the first page of a reading that lists strays, or compares or writes days. From here on it alone tells which
   * strays these days own, and which known strays the window shows: the provider may hide a record that the reading before has shown.
   */
  readAgain(window: Range, isAbout: (day: number) => boolean): void {
    this.#shown.delete(nameOf(window));
    for (const { hash, day } of this.#known.values()) if (isAbout(day)) this.#returned.delete(hash);
  }

  /**
   * A window returned the record as its own. So the record waits no longer, and is no stray that was written.
   *
   * @param remembers whether the record's day was compared with a known day: then the state remembers that the day owns the stray
   * @param written the hash of the record's id if its row is written at once, else null
   */
  own(print: StrayPrint, remembers: boolean, written: string | null): void {
    const isOut = written !== null;
    // A provider that keeps answers for each window may show a newer version to the windows of a stray than to that of its day. If a
    // window shows the newer one again, it waits again.
    if (isOut) {
      this.#takeVersions(written, true, (content) => content !== print.contentText);
      this.taken.replaced(written, print);
    }
    if (!this.#known.mayHave(print)) return;
    const known = this.#known.find(print);
    if (known !== undefined) {
      this.#returned.add(known.hash);
      this.#known.seen.add(known.hash);
      if (isWritten(known)) this.#take(known, isOut);
    }
    const pending = this.#pending.get(print.versionText);
    if (pending === undefined) return;
    this.#pending.remove(pending);
    // No window shows such an earlier version any more.
    this.#takeVersions(pending.id, isOut, (content) => this.listings.missing.has(content));
    const [window] = pending.windows;
    if (!remembers || window === undefined) return;
    const hash = print.contentText;
    const stray = { hash, day: pending.day, readingId: null, window };
    this.#known.learn(stray);
    this.#unsettled.add(stray);
    this.#returned.add(hash);
  }

  /** The day's row replaces the rows of other versions that were written as strays: those whose content is one of these. */
  #takeVersions(id: string, isOut: boolean, isOne: (content: string) => boolean): void {
    for (const stray of this.#known.ofId(id)) {
      if (isWritten(stray) && isOne(stray.hash)) this.#take(stray, isOut);
    }
  }

  #take(stray: WrittenStray, isOut: boolean): void {
    this.#known.delete(stray.hash);
    this.taken.take(stray, isOut);
    this.groups.replaced(stray);
  }

  /** A second reading shows a stray that it takes no note of. If the stray does not wait, the next reading of its window finds it. */
  leave(print: StrayPrint, start: number, window: Range): void {
    if (this.#pending.get(print.versionText) !== undefined) return;
    this.listings.judgeNext(window);
    this.left.add([{ day: floorTo(DAY, start), window }]);
  }

  /** Whether this window showed strays that no window has returned as its own. */
  hasPending(window: Range): boolean {
    return this.#pending.countIn(window) > 0;
  }

  get pending(): AwaitedPending & Pick<PendingStrays, "expect" | "takeRefusal" | "toWrite"> {
    return this.#pending;
  }

  /** See {@link PendingStrays.days}. */
  pendingDays(isAbout?: (id: string) => boolean): number[] {
    return this.#pending.days(isAbout);
  }

  /**
   * P5: to be called before these strays are written. From here on the state does not recognize their earlier versions by content: if the
   * process dies behind the new row, the state still takes the old row for standing, and would not write the old version again. The id
   * stands in place of the content, so that the old row still counts in its group until the new version is written.
   *
   * @returns whether the state knows such versions
   */
  replacing(ids: ReadonlySet<string>): boolean {
    this.#pending.writing(ids);
    // Another window may have written the new version in this read already.
    const earlier = this.#known.written.filter(({ hash }) => !this.#known.learned.has(hash));
    return this.#forgetContent(earlier.filter(({ id }) => ids.has(id ?? ""))).length > 0;
  }

  /**
   * To be called after a reading that was to write these strays of its window. The strays whose ids came wait no longer, and the
   * state remembers the rows. The other strays are absent. Earlier versions of a row are forgotten: if a provider goes back to
   * such a version, it is written again. A stray of the same day may be an earlier version, too, if the state has no id of the
   * stray, and no window has shown the stray in this read: it is forgotten with its group.
   *
   * @returns the number of ids that did not come
   */
  wrote(asked: ReadonlySet<string>, came: CameStrays, window: Range, readingId: string): number {
    const absent = this.#pending.wrote(asked, came.ids, window);
    for (const [hash, { id, day }] of came.rows)
      this.#known.learn({ hash, id, day, readingId, window });
    this.listings.listed(new Set(came.rows.keys()), readingId);
    const rows = [...came.rows.values()];
    const [ids, days] = [new Set(rows.map(({ id }) => id)), new Set(rows.map(({ day }) => day))];
    for (const stray of [...ids].flatMap((id) => this.#known.ofId(id))) {
      if (came.rows.has(stray.hash)) continue;
      this.#known.delete(stray.hash);
      if (isWritten(stray)) this.groups.replaced(stray);
    }
    const nameless = [...this.#known.values()].filter((stray) => this.#mayBeFormer(stray, days));
    const groups = new Set(nameless.filter(isWritten).map(groupOf));
    for (const stray of this.#known.written) if (groups.has(groupOf(stray))) this.#forget(stray);
    for (const { hash } of nameless) this.#known.delete(hash);
    return absent;
  }

  /**
   * P5: to be called after {@link wrote} with days on which other strays have rows of the same reading. The group has lost these strays, so
   * the next sync writes its other ones again.
   */
  wroteOthers(days: readonly number[], readingId: string): void {
    for (const day of days) {
      const group = groupOf({ day, readingId });
      this.#forgetContent(this.#known.written.filter((stray) => groupOf(stray) === group));
      this.groups.loses({ day, readingId });
    }
  }

  /** Whether a stray without an id may be an earlier version of one that is written and starts on one of these days. */
  #mayBeFormer({ hash, id, day }: KnownStray, days: ReadonlySet<number>): boolean {
    return id === undefined && !this.#known.seen.has(hash) && days.has(day);
  }

  /** Forgets a stray whose row stands. The next sync has to judge its window. */
  #forget({ hash, window }: WrittenStray): void {
    this.#known.delete(hash);
    this.listings.judgeNext(window);
  }

  /**
   * To be called after a complete reading of a window. Forgets the strays that the window no longer shows, and those that their day
   * no longer returns.
   *
   * @param window its `id` is the id of the reading
   * @param isAbout the days that the reading compares or writes
   * @param shows a stray that a listing may have skipped counts as gone once two such listings in a row lack it
   * @returns whether the models see that written strays are missing
   */
  judge(window: Viewed, isAbout: (day: number) => boolean, shows: Shows): boolean {
    const shown = this.#list(window);
    const gone: WrittenStray[] = [];
    for (const stray of this.#known.values()) {
      const { hash, day, readingId, window: own } = stray;
      const isThere = shown.has(hash) || this.#known.learned.has(hash);
      const isAbsent = contains(window, own) && !isThere;
      const isDisowned = readingId === null && isAbout(day) && !this.#returned.has(hash);
      if (!isWritten(stray)) {
        if ((isAbsent && shows === "all") || isDisowned) this.#known.delete(hash);
      } else if (isThere) {
        this.listings.shows(stray);
      } else if (isAbsent && (shows === "all" || (shows === "moved" && this.listings.lacks(stray))))
        gone.push(stray);
    }
    return this.#break(gone, window, shows);
  }

  /** R8: the missing strays that are gone. The others count as shown. Nothing proves their days before the next reading of their windows. */
  #believed(missing: readonly WrittenStray[], window: Viewed): WrittenStray[] {
    const doubted = this.doubts.add(missing, this.#known, window);
    this.left.add(doubted);
    // The models look for the old row in its own window. So the stray is written again from the other one, which the loss makes due.
    this.#forgetContent(doubted.filter((stray) => this.#known.hasMoved(stray)));
    const hashes = new Set(doubted.map(({ hash }) => hash));
    return missing.filter(({ hash }) => !hashes.has(hash));
  }

  /** P5: the strays of windows that are longer than the provider allows by now, and that no window of this read has shown. */
  unseenCut(maximumWindowDays: number): readonly WrittenStray[] {
    const cut = this.#known.cutBy(maximumWindowDays);
    if (cut.length === 0) return [];
    const waiting = this.#pending.ids;
    return cut.filter(({ hash }) => !waiting.has(hash));
  }

  /** P5: all parts of a window were read. To be called with its strays among {@link unseenCut}. */
  missesCut(missing: readonly WrittenStray[], window: Viewed): void {
    for (const stray of this.#believed(missing, window)) {
      this.#known.delete(stray.hash);
      this.groups.loses(stray);
    }
  }

  /**
   * P5: a window no longer shows some written strays. If a stray with the same id waits, the missing one was its earlier version.
   * The new row will replace the old one by the key. Until then the old row stands, so it stays known: the new version may never
   * come. The other strays of the group of every other missing stray wait once more. Until they are written, reports list the group with
   * fewer rows than it has.
   *
   * @returns whether the models see that strays are missing
   */
  #break(gone: readonly WrittenStray[], window: Viewed, shows: Shows): boolean {
    if (gone.length === 0) return false;
    const waiting = this.#pending.ids;
    const isReplaced = ({ id }: WrittenStray): boolean => id !== undefined && waiting.has(id);
    const missing = gone.filter((stray) => !isReplaced(stray));
    const lost = this.#believed(missing, window);
    this.listings.miss(gone.filter(isReplaced));
    for (const { hash } of lost) this.#known.delete(hash);
    const left = Map.groupBy(this.#known.written, groupOf);
    let misses = lost.length < gone.length;
    for (const [group, own] of Map.groupBy(lost, groupOf)) {
      const standing = left.get(group) ?? [];
      const isOld = (stray: WrittenStray): boolean =>
        isReplaced(stray) && this.listings.missing.has(stray.hash);
      const others = standing.filter((stray) => !isOld(stray));
      const isPart = standing.length > 0;
      const hasRoom = this.#pending.size + others.length <= this.#limits.pendingStrays;
      // The list of a newer reading of another window counts for more than this reading.
      const isListed = this.groups.isListedBehind(group, window.id);
      // Without room, or if the next sync may not read the window any more, the group stays as it is. The models call its day unproven.
      const isStuck = others.length > 0 && (!hasRoom || this.groups.isLeaving(window));
      // A listing that moved has to say that the group is gone. Another window may still show all of a group.
      const stays = isStuck || (isListed && (isPart || shows === "moved"));
      if (stays) for (const stray of own) this.#known.set(stray);
      else {
        for (const stray of others) this.#writeAgain(stray, window);
        this.#forgetContent(standing.filter(isOld));
        const [first] = own;
        if (first !== undefined && isPart) this.groups.loses(first);
        else if (first !== undefined && shows === "moved") this.groups.gone(first);
        else if (first !== undefined) this.groups.broken(first);
      }
      misses ||= stays || !isPart;
      if (stays || isListed) this.listings.judgeNext(window);
    }
    return misses;
  }

  /** A written stray waits once more. */
  #writeAgain(stray: WrittenStray, { start, end }: Listing): void {
    const print = this.#known.prints.get(stray.hash);
    if (print === undefined) return this.#forget(stray);
    this.#forgetContent([stray]);
    this.#wait({ ...print, day: stray.day }, { start, end });
  }

  /** The ids of strays stand in place of their contents. Their rows count in their groups until newer rows replace them. */
  #forgetContent(strays: readonly WrittenStray[]): readonly WrittenStray[] {
    for (const { hash } of strays) this.#known.delete(hash);
    const old = strays.flatMap(withoutContent);
    for (const stray of old) this.#known.set(stray);
    this.listings.miss(old);
    return old;
  }

  /**
   * {@link GroupReports.listed} for a reading that lists the written strays once more. If its listing moved, it lists the groups that it
   * has shown whole.
   */
  listedAgain(reading: Reported & Pick<Reading, "moved">): readonly StandingStrays[] {
    if (!reading.moved) return this.groups.listed(this.doubts.shownBy(reading));
    this.#list(reading, NO_WINDOW);
    return this.groups.listed(reading, NO_WINDOW);
  }

  /** The windows of written strays that this read has not shown. */
  unseen(): Range[] {
    return distinct(this.#known.written.filter(({ hash }) => !this.#known.seen.has(hash)));
  }

  /**
   * The known strays that a complete reading of a window has shown.
   *
   * @param whole the window whose strays the reading has surely shown
   */
  #list(window: Listing, whole: Range = window): ReadonlySet<string> {
    const left = this.groups.leftIn(window, this.#known.written).map(({ hash }) => hash);
    const shown = new Set([...(this.#shown.get(nameOf(window)) ?? []), ...left]);
    this.#shown.delete(nameOf(window));
    this.listings.listed(ofWholeGroups(shown, this.groups.standing, whole), window.id);
    return shown;
  }

  /**
   * To be called after a complete reading that lists the written strays once more (R10). A stray that it does not show stays known: the
   * next reading of the window judges it. If another window of this read has shown the stray, it has moved there (P5).
   *
   * @param window a listing that did not move; its `id` is the id of the reading
   * @returns whether it misses a stray that no such reading has missed before; a stray that comes and goes is missed once in a read
   */
  misses(window: Viewed): boolean {
    const shown = this.#list(window);
    const isShown = (hash: string): boolean => shown.has(hash) || this.#known.learned.has(hash);
    const missed = this.listings.misses(window, isShown);
    this.left.add(missed);
    const others = this.#believed(missed, window);
    this.#forgetContent(others.filter((stray) => this.#known.hasMoved(stray)));
    return missed.length > 0;
  }

  /**
   * P5: to be called before strays are written. The windows of other written strays of the same days have to list these strays, unless a
   * window of this read has shown them: see {@link wrote}.
   */
  openOthers(): void {
    const days = new Set(this.pendingDays());
    this.listings.open((stray) => this.#mayBeFormer(stray, days));
  }

  /**
   * To be called after a complete reading of days.
   *
   * @param stands whether the reading was about a day, and its rows stand as the reading has shown them
   */
  settle(stands: (day: number) => boolean): void {
    for (const stray of this.#unsettled) if (stands(stray.day)) this.#unsettled.delete(stray);
    this.taken.settle(stands);
  }

  /** The strays for the state (S8). */
  get known(): readonly KnownStray[] {
    const known = [...this.#known.values()].filter(
      (stray) => !this.#unsettled.has(stray) && !this.listings.isLost(stray),
    );
    return newestOf([...known, ...this.groups.taken], this.#limits.knownStrays);
  }
}
