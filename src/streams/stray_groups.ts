/** Groups of strays (`core/stray_group.ts`): reports only count them, so the models know a group as a whole. */
import type { KnownStray } from "../core/state.ts";
import { groupOf } from "../core/stray_group.ts";
import { contains, type Range } from "../core/window.ts";
import type { WrittenStray } from "./stray_listings.ts";

/** A stray's row that was written. */
export interface StrayRow {
  /** The hash of the record's id. */
  readonly id: string;
  /** The UTC day of its start. */
  readonly day: number;
}

/** The strays that came in a reading which was to write them. Hashes are 24 hexadecimal digits. */
export interface CameStrays {
  /** The ids that came, in whatever version. */
  readonly ids: ReadonlySet<string>;
  /** The rows that were written, by content. */
  readonly rows: ReadonlyMap<string, StrayRow>;
}

/**
 * The days on which the rows under the id of such a reading are not the strays that it has shown at last: it began again, and has not shown
 * all strays that it had written before (S4).
 *
 * @param written the number of rows under its id, by day
 */
export function daysOfOthers({ rows }: CameStrays, written: ReadonlyMap<number, number>): number[] {
  const shown = Map.groupBy(rows.values(), ({ day }) => day);
  return [...written].flatMap(([day, count]) =>
    count === (shown.get(day)?.length ?? 0) ? [] : [day],
  );
}

export const isWritten = (stray: KnownStray): stray is WrittenStray => stray.readingId !== null;

/** The number of strays of each group whose window this one does not contain. */
export function sizesOutside(
  window: Range,
  strays: readonly WrittenStray[],
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>();
  for (const stray of strays) {
    const group = groupOf(stray);
    if (!contains(window, stray.window)) sizes.set(group, (sizes.get(group) ?? 0) + 1);
  }
  return sizes;
}

/**
 * The strays that a reading of a window has shown, without those of groups that it has shown in part. The window of such a group is
 * another one, which has to list the whole group.
 *
 * @param shown the strays, by content
 * @param standing all strays whose rows stand as strays
 */
export function ofWholeGroups(
  shown: ReadonlySet<string>,
  standing: readonly WrittenStray[],
  window: Range,
): ReadonlySet<string> {
  const absent = standing.filter(({ hash }) => !shown.has(hash));
  const cut = sizesOutside(window, absent);
  const ofCut = standing.filter((stray) => cut.has(groupOf(stray))).map(({ hash }) => hash);
  return shown.difference(new Set(ofCut));
}

/** At most so many strays: the newest that were written, then the newest that their days own. */
export function newestOf(strays: readonly KnownStray[], most: number): readonly KnownStray[] {
  if (strays.length <= most) return strays;
  const written = strays.filter((stray) => isWritten(stray)).slice(-most);
  const room = most - written.length;
  const owned = room === 0 ? [] : strays.filter((stray) => !isWritten(stray)).slice(-room);
  return [...written, ...owned];
}
