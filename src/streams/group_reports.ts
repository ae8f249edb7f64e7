/**
 * The groups of written strays that reports list (P5, R10). A report only counts the rows of a group, so the models know a group as a
 * whole: if rows that a report has counted are gone, and no report says so, they call the group's day unproven.
 */
import type { Reading, StandingStrays } from "../core/reading.ts";
import { DAY } from "../core/time.ts";
import { contains, type Range } from "../core/window.ts";
import { groupOf, sizesOutside } from "./stray_groups.ts";
import type { Listing, WrittenStray } from "./stray_listings.ts";

/** A reading that is reported. */
export type Reported = Listing & Pick<Reading, "standing" | "resumed">;

export class GroupReports {
  /** By group: the newest reading whose report lists it. Strays of the group may have an owner since. */
  readonly #listedBy = new Map<string, string>();
  /** The groups that no report may list any more. */
  readonly #broken = new Set<string>();
  /** The groups of which newer versions, or their days, have replaced rows since a report has listed them. */
  readonly #replaced = new Map<string, Pick<WrittenStray, "day" | "readingId">>();
  readonly #keptFrom: number;

  /** @param keptFrom the first day that is surely within retention */
  constructor(keptFrom: number) {
    this.#keptFrom = keptFrom;
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
  replaced(stray: WrittenStray): void {
    this.#replaced.set(groupOf(stray), stray);
  }

  broken(group: string): void {
    this.#broken.add(group);
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
   * @param written the written strays whose rows stand
   * @param taken the strays that days have taken over while the old rows still stand
   */
  listed(
    reading: Reported,
    written: readonly WrittenStray[],
    taken: readonly WrittenStray[],
  ): readonly StandingStrays[] {
    const standing = [...written, ...taken];
    const left = this.leftIn(reading, standing);
    const sizes = sizesOutside(reading, standing);
    const groups = new Map<string, StandingStrays>();
    for (const said of [...reading.standing, ...countsOf(left)]) {
      const group = groupOf({ ...said, readingId: said.rowsReadingId });
      if (said.records >= (sizes.get(group) ?? 0)) groups.set(group, said);
    }
    // A sync may replace rows of as many groups as there are strays, so that the strays are not searched for each group (L2).
    const rows = this.#replaced.size === 0 ? null : Map.groupBy(standing, groupOf);
    const takenGroups = new Set(taken.map(groupOf));
    for (const [group, { day, readingId }] of this.#replaced) {
      // A resumed reading has an old id, and the newest report counts.
      const isNewest = !reading.resumed && !this.isListedBehind(group, reading.id);
      if (!isNewest && !groups.has(group)) continue;
      const records = rows?.get(group)?.length ?? 0;
      groups.set(group, { day, rowsReadingId: readingId, records });
      if (isNewest && !takenGroups.has(group)) this.#replaced.delete(group);
    }
    for (const group of this.#broken) groups.delete(group);
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
