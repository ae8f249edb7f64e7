/**
 * The groups of written strays that reports list (P5, R10). A report only counts the rows of a group, so the models know a group as a
 * whole: if rows that a report has counted are gone, and no report says so, they call the group's day unproven.
 */
import type { Reading, StandingStrays } from "../core/reading.ts";
import type { KnownStray, StrayGroup } from "../core/state.ts";
import { groupOf, hasContent, withoutContent } from "../core/stray_group.ts";
import { DAY } from "../core/time.ts";
import { contains, type Range } from "../core/window.ts";
import { isWritten, sizesOutside } from "./stray_groups.ts";
import type { Listing, WrittenStray } from "./stray_listings.ts";
import type { TakenStrays } from "./taken_strays.ts";

/** A reading that is reported. */
export type Reported = Listing & Pick<Reading, "standing" | "resumed">;

/** The facts that groups depend on. */
export interface GroupPlan {
  /** The groups of which a process before this one has not said yet that they have lost rows. */
  readonly fewer: readonly StrayGroup[];
  /** The first day that is surely within retention. */
  readonly keptFrom: number;
  /** Whether readings are reported; true if left out. */
  readonly reports?: boolean;
}

export class GroupReports {
  /** By group: the newest reading whose report lists it. Strays of the group may have an owner since. */
  readonly #listedBy = new Map<string, string>();
  /** The groups that no report may list any more. */
  readonly #broken = new Set<string>();
  /** The groups of which newer versions, or their days, have replaced rows. */
  readonly #replaced = new Map<string, StrayGroup>();
  /** By group: those of these rows, and those that are gone, of which no report says so yet. */
  readonly #untold = new Map<string, Set<StrayGroup>>();
  /** Groups that have lost strays, and are listed until their other strays are written again. */
  readonly #losing = new Set<string>();
  #hasLost = false;
  /** Groups that break once a report has listed them without rows. */
  readonly #gone = new Set<string>();
  readonly #keptFrom: number;
  readonly #reports: boolean;
  readonly #written: () => readonly WrittenStray[];
  readonly #taken: Pick<TakenStrays, "standing">;
  readonly #tells: (strays: readonly WrittenStray[]) => void;

  /**
   * @param known the strays of the state. A group of `fewer` has lost strays if the state has no content of one of its strays: the others
   *   are written again then. Otherwise rows of the group were only replaced.
   * @param written the written strays that the read knows at this moment
   * @param tells is called with the strays that a report lists, whether or not a window of this read has shown them; not with those that are
   *   written again
   */
  constructor(
    {
      fewer,
      keptFrom,
      reports = true,
      known,
    }: GroupPlan & { readonly known: readonly KnownStray[] },
    written: () => readonly WrittenStray[],
    taken: Pick<TakenStrays, "standing">,
    tells: (strays: readonly WrittenStray[]) => void,
  ) {
    this.#keptFrom = keptFrom;
    this.#reports = reports;
    this.#written = written;
    this.#taken = taken;
    this.#tells = tells;
    const whole = new Set(known.filter(isWritten).filter(hasContent).map(groupOf));
    for (const group of fewer) {
      if (whole.has(groupOf(group))) this.replaced(group);
      else this.loses(group);
    }
  }

  /**
   * The groups for the state. A group is none of them while the old rows of all its strays stand: if the days that have taken them over do
   * not write their rows, the next process has nothing to say of the group. Otherwise its first report would list the old rows unseen.
   */
  get fewer(): readonly StrayGroup[] {
    const old = new Set<StrayGroup>(this.#taken.standing);
    const hasLost = (group: string): boolean =>
      this.#losing.has(group) || this.#untold.get(group)?.isSubsetOf(old) === false;
    return [...this.#replaced].flatMap(([group, { day, readingId }]) =>
      hasLost(group) ? { day, readingId } : [],
    );
  }

  /** The strays whose rows stand as strays. */
  get standing(): readonly WrittenStray[] {
    return [...this.#written(), ...this.#taken.standing];
  }

  /**
   * The strays of a window whose days have left retention. A provider that keeps records by their starts no longer shows them. They count
   * as shown, because their rows stand.
   */
  leftIn(window: Range, strays: readonly WrittenStray[]): WrittenStray[] {
    return strays.filter(({ day, window: own }) => day < this.#keptFrom && contains(window, own));
  }

  /** Whether a window may have left retention by the next sync. */
  isLeaving(window: Range): boolean {
    return window.start < this.#keptFrom + DAY;
  }

  /** Another row replaces the row of a stray. */
  replaced(stray: StrayGroup): void {
    const group = groupOf(stray);
    this.#replaced.set(group, stray);
    this.#untold.set(group, (this.#untold.get(group) ?? new Set()).add(stray));
  }

  /** A window shows none of a group any more. Its report says so, or a later report has to: no later reading may contain the window. */
  broken(stray: WrittenStray): void {
    if (this.#reports) this.#broken.add(groupOf(stray));
    else this.gone(stray);
  }

  /** A stray of a group is missing, and the others are written again. The models see the loss once no row of the group is left. */
  loses(stray: StrayGroup): void {
    this.replaced(stray);
    this.#losing.add(groupOf(stray));
  }

  /**
   * For the state: the strays that days have taken over and whose old rows stand. If a group has lost strays, the others are written again,
   * unless their days take them over. So the state does not recognize them by their contents.
   */
  get taken(): readonly WrittenStray[] {
    return this.#taken.standing.flatMap((stray) =>
      this.#losing.has(groupOf(stray)) ? withoutContent(stray) : stray,
    );
  }

  /** Whether the models see a loss by the lists since the last call. */
  takeLoss(): boolean {
    const hasLost = this.#hasLost;
    this.#hasLost = false;
    return hasLost;
  }

  /** A group breaks. The next report has to say so, because it may be that of a listing that moved: such a list may lack groups. */
  gone(stray: WrittenStray): void {
    this.replaced(stray);
    this.#gone.add(groupOf(stray));
  }

  /**
   * Whether groups have lost rows and no report says so, because the reading that had lost them began before another one whose report lists
   * the group. Such a group is listed by a report of its own. To be called after {@link listed}.
   */
  get isBehind(): boolean {
    const takenGroups = new Set(this.#taken.standing.map(groupOf));
    return [...this.#untold.keys()].some((group) => !takenGroups.has(group));
  }

  /** Whether the report of a newer reading lists a group. */
  isListedBehind(group: string, readingId: string): boolean {
    return (this.#listedBy.get(group) ?? "") > readingId;
  }

  /**
   * The written strays that the report of a reading lists. No report lists a broken group, even if the reading had shown it before it
   * broke. A window that does not contain that of a group may show a part of the group, and does not list this part. A group whose rows
   * were replaced is listed with the rows that are left, perhaps none, whatever the reading had shown before.
   *
   * @param whole the window whose strays the reading has surely shown
   */
  listed(reading: Reported, whole: Range = reading): readonly StandingStrays[] {
    const { standing } = this;
    const left = this.leftIn(reading, standing);
    const sizes = sizesOutside(whole, standing);
    const groups = new Map<string, StandingStrays>();
    for (const said of [...reading.standing, ...countsOf(left)]) {
      const group = groupOf({ ...said, readingId: said.rowsReadingId });
      if (said.records >= (sizes.get(group) ?? 0)) groups.set(group, said);
    }
    // A sync may replace rows of as many groups as there are strays, so that the strays are not searched for each group (L2).
    const rows = this.#replaced.size === 0 ? null : Map.groupBy(standing, groupOf);
    const takenGroups = new Set(this.#taken.standing.map(groupOf));
    for (const [group, { day, readingId }] of this.#replaced) {
      // A resumed reading has an old id, and the newest report counts.
      const isNewest = !reading.resumed && !this.isListedBehind(group, reading.id);
      const tells = isNewest && this.#untold.has(group);
      if (!tells && !groups.has(group)) continue;
      const own = rows?.get(group) ?? [];
      const records = own.length;
      groups.set(group, { day, rowsReadingId: readingId, records });
      if (tells) this.#tells(own.filter(hasContent));
      if (isNewest && records === 0 && this.#losing.delete(group)) this.#hasLost = true;
      if (isNewest && !takenGroups.has(group)) this.#untold.delete(group);
    }
    for (const group of this.#broken) groups.delete(group);
    for (const group of this.#gone) {
      if (this.#untold.has(group)) continue;
      this.#gone.delete(group);
      this.#broken.add(group);
    }
    // Readings do not end in the order in which they begin.
    for (const group of groups.keys())
      if (!this.isListedBehind(group, reading.id)) this.#listedBy.set(group, reading.id);
    return [...groups.values()];
  }
}

function countsOf(strays: readonly WrittenStray[]): StandingStrays[] {
  return [...Map.groupBy(strays, groupOf).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined) return [];
    return { day: first.day, rowsReadingId: first.readingId, records: own.length };
  });
}
