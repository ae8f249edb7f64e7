/** Views of a dataset: one that is made again every few hours, or a cache of answers. `as_of` names the moment of the view. */
import { HOUR, MINUTE } from "./calendar.ts";
import type { Span } from "./outages.ts";
import { chanceOf, type Random } from "./random.ts";

export interface Views {
  /** The time from a view to the next one, in milliseconds. */
  readonly every: number;
  /** Whether each window has views of its own: a window that is asked for later may then show an earlier moment. */
  readonly isOfWindow: boolean;
}

export function drawViews(random: Random): Views {
  return { every: random.pick([5 * MINUTE, HOUR, 9 * HOUR]), isOfWindow: random.chance(0.6) };
}

/** The moment that a listing shows. */
export function viewAt(
  views: Views | null,
  salt: number,
  { start, end }: Span,
  now: number,
): number {
  if (views === null) return now;
  const { every, isOfWindow } = views;
  const first = isOfWindow ? Math.floor(chanceOf(salt, start, end, 13) * every) : 0;
  return now - ((now - first) % every);
}

/** The longest time by which a page shows an earlier moment than that of the request. */
export const behindOf = ({ views }: { readonly views: Views | null }): number => views?.every ?? 0;
