/** The reasons for which a sync reads a window although its plan does not need it (P5, R10). */
import { DAY, dayOf } from "./calendar.ts";
import { overlap } from "./outages.ts";
import type { StateValue } from "./platform.ts";
import type { Exchange } from "./provider.ts";

/** R10: a window is read once more if another window lost rows. Its days were asked for before, in the same windows or in others. */
export const isAgain = (window: Exchange, own: readonly Exchange[]): boolean =>
  own.some((other) => other.at < window.at && overlap(other, window));

/**
 * R10: the window of a written stray is read once more if the day of the stray was read after the stray was last listed, if another
 * stray of this day is written (P5), or if a day of the window was due. A window that is too long by now is read in parts.
 */
export const isListing = (
  window: Exchange,
  own: readonly Exchange[],
  { strays = [], due = [] }: StateValue,
): boolean =>
  strays.some(([, day, writtenBy, start, end]) => {
    const shownBy = { start: Date.parse(start ?? ""), end: Date.parse(end ?? "") };
    const at = Date.parse(day ?? "");
    const strayDay = { start: at, end: at + DAY };
    const isRead = own.some(
      (other) =>
        other.at < window.at &&
        (overlap(other, strayDay) ||
          other.versions.some(({ record }) => dayOf(record.start) === at)),
    );
    const wasDue = due.some(([first, last]) =>
      overlap({ start: Date.parse(first), end: Date.parse(last) }, shownBy),
    );
    return writtenBy !== null && overlap(shownBy, window) && (isRead || wasDue);
  });

/** P5: a window is read too if strays of other windows start in it. */
export function isLook({ start, end }: Exchange, own: readonly Exchange[]): boolean {
  const isIn = ({ start: at }: { readonly start: number }): boolean => at >= start && at < end;
  return own.some(
    (other) =>
      (other.start >= end || other.end <= start) &&
      other.versions.some(({ record }) => isIn(record)),
  );
}
