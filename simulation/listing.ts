/** The order of a listing, and the records that a window selects from it. */
import { iso } from "./calendar.ts";
import type { Outage, Span } from "./outages.ts";
import type { Life } from "./records.ts";

export const keyOf = ({ start, id }: Life): string => `${iso(start)} ${id}`;

/** In the order of every listing: by start, then by id. */
export const sorted = (lives: readonly Life[]): Life[] =>
  lives.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** Adds a record at its place in a sorted list, behind the records of the same start and id. */
export function insert(lives: Life[], life: Life): void {
  const key = keyOf(life);
  lives.splice(lives.findLastIndex((other) => keyOf(other) <= key) + 1, 0, life);
}

/** The index of the first record of a sorted list that starts at an instant or later. */
export function firstFrom(lives: readonly Life[], start: number): number {
  let [least, most] = [0, lives.length];
  while (least < most) {
    const middle = (least + most) >>> 1;
    if ((lives[middle]?.start ?? Infinity) < start) least = middle + 1;
    else most = middle;
  }
  return least;
}

/** How a window selects records. */
export type Selection = "start" | "overlap" | "containment" | "inclusive" | "posting";

export function selects(by: Selection, window: Span, life: Life): boolean {
  if (by === "overlap") return life.start < window.end && life.end > window.start;
  if (by === "posting") return life.postedAt >= window.start && life.postedAt < window.end;
  if (by === "inclusive") return life.start >= window.start && life.start <= window.end;
  return (
    life.start >= window.start &&
    (by === "start" ? life.start < window.end : life.end <= window.end)
  );
}

/** The last instant at which a record or an outage changed what the dataset shows; -Infinity if there is none. Each page asks for it. */
export function lastChange(lives: readonly Life[], outages: readonly Outage[], at: number): number {
  let last = -Infinity;
  const take = (change: number): void => {
    if (change <= at && change > last) last = change;
  };
  for (const { versions, withdrawnAt } of lives) {
    for (const version of versions) take(version.at);
    take(withdrawnAt);
  }
  for (const { start, end } of outages) {
    take(start);
    take(end);
  }
  return last;
}
