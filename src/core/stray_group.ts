/** The strays that one reading wrote on one day are a group (P5). */
import type { KnownStray } from "./state.ts";
import { contains, daysIn, type Range } from "./window.ts";

/** The name of a written stray's group. */
export const groupOf = ({ day, readingId }: Pick<KnownStray, "day" | "readingId">): string =>
  `${day} ${readingId}`;

/** Whether a window that shows the stray again shows a known one. Otherwise the id stands in place of the content. */
export const hasContent = ({ hash, id }: Pick<KnownStray, "hash" | "id">): boolean => hash !== id;

/** The stray with its id in place of its content, so that its old row counts in its group until it is written again; none without an id. */
export const withoutContent = <Stray extends KnownStray>(stray: Stray): readonly Stray[] =>
  stray.id === undefined ? [] : [{ ...stray, hash: stray.id }];

/** Whether a stray's window is longer than the provider allows by now, so that the window is read in parts. */
export const isCut = ({ window }: Pick<KnownStray, "window">, maximumWindowDays: number): boolean =>
  daysIn(window) > maximumWindowDays;

/**
 * The names of the groups of strays whose windows are longer than the provider allows by now, if a sync may read these windows. The parts of
 * such a window may show the strays of a group in turn, and then no report could list the group. So its strays are written again.
 */
export function groupsOfCut(
  strays: readonly KnownStray[],
  bounds: { readonly floor: number; readonly within: Range; readonly maximumWindowDays: number },
): ReadonlySet<string> {
  const mayRead = ({ id, day, readingId, window }: KnownStray): boolean =>
    id !== undefined &&
    readingId !== null &&
    day >= bounds.floor &&
    contains(bounds.within, window);
  const groups = [...Map.groupBy(strays, groupOf)].filter(
    ([, own]) => own.some((stray) => isCut(stray, bounds.maximumWindowDays)) && own.every(mayRead),
  );
  return new Set(groups.map(([name]) => name));
}
