/** The reasons for which a sync reads a window again (R2, P5, R10). */
import { date, DAY, dayOf, monthOf } from "./calendar.ts";
import { isStrayOf, overlap, type Span } from "./outages.ts";
import type { Item, StateValue } from "./platform.ts";
import type { Exchange } from "./provider.ts";
import type { StreamName } from "./records.ts";

/** R10: a window is read once more if another window lost rows. Its days were asked for before, in the same windows or in others. */
export const isAgain = (window: Exchange, own: readonly Exchange[]): boolean =>
  own.some((other) => other.at < window.at && overlap(other, window));

/**
 * R10: the window of a written stray is read once more if the day of the stray was read after the stray was last listed, if another
 * stray of this day or a newer version of the stray is written (P5), or if a day of the window was due, or if the id of the stray stands in
 * place of its content. The newer version may start on another day. A window that is too long by now is read in parts.
 */
export const isListing = (
  window: Exchange,
  own: readonly Exchange[],
  { strays = [], due = [] }: StateValue,
): boolean =>
  strays.some(([hash, day, writtenBy, start, end, id]) => {
    const shownBy = { start: Date.parse(start ?? ""), end: Date.parse(end ?? "") };
    const at = Date.parse(day ?? "");
    const strayDay = { start: at, end: at + DAY };
    const isRead = own.some(
      (other) =>
        other.at < window.at &&
        (overlap(other, strayDay) ||
          other.versions.some(
            ({ record }) => dayOf(record.start) === at || isStrayOf(other, record),
          )),
    );
    const wasDue = due.some(([first, last]) =>
      overlap({ start: Date.parse(first), end: Date.parse(last) }, shownBy),
    );
    return writtenBy !== null && overlap(shownBy, window) && (isRead || wasDue || hash === id);
  });

/** P5: the strays of a window that is longer than windows may be by now are written again. Their windows and their days are read. */
export const isOfCut = (
  window: Span,
  { strays = [] }: StateValue,
  maximumWindowDays: number,
): boolean =>
  strays.some(([, day, writtenBy, from, until]) => {
    const [start, end, at] = [
      Date.parse(from ?? ""),
      Date.parse(until ?? ""),
      Date.parse(day ?? ""),
    ];
    const isCut = writtenBy !== null && end - start > maximumWindowDays * DAY;
    const isAbout =
      overlap({ start, end }, window) || overlap({ start: at, end: at + DAY }, window);
    return isCut && isAbout;
  });

/** The facts of a pass that tell why it read a window. */
export interface Told {
  readonly items: readonly Item[];
  /** The state of the stream before the pass. */
  readonly stored: StateValue;
  /** Whether the catalog has the reports. */
  readonly reports: boolean;
}

/**
 * R10: whether a pass read a window only to list its strays. Such a reading writes nothing, whatever the days of the window show. Its
 * reports speak of rows that another reading wrote. Without reports nobody can tell such a window from one that the plan needed too.
 */
export function wasListed(
  window: Exchange,
  own: readonly Exchange[],
  { items, stored, reports }: Told,
): boolean {
  if (!isListing(window, own, stored)) return false;
  const { stream, start, end } = window;
  const told = items.flatMap((item) =>
    item.kind === "report" &&
    item.row.dataset === stream &&
    Date.parse(item.row.window_start) === start &&
    Date.parse(item.row.window_end) === end
      ? [item.row]
      : [],
  );
  const isPlanned = told.some((row) => row.whole_window || row.rows_reading_id === row.reading_id);
  return !reports || (told.length > 0 && !isPlanned);
}

/** P5: a window is read too if strays of other windows start in it. */
export function isLook({ start, end }: Exchange, own: readonly Exchange[]): boolean {
  const isIn = ({ start: at }: { readonly start: number }): boolean => at >= start && at < end;
  return own.some(
    (other) =>
      (other.start >= end || other.end <= start) &&
      other.versions.some(({ record }) => isIn(record)),
  );
}

/** W3: whether a window has the first day that a state knows: no report has covered this day while it was the first of retention. */
export function isFirstKnown(window: Span, { known = [] }: StateValue): boolean {
  const start = Date.parse(known[0]?.[0] ?? "");
  return overlap(window, { start, end: start + DAY });
}

/** The beginning of the deep re-read of a day; null if it is turned off (R2). `now`: an instant of this day. */
export function deepRereadFrom(
  stream: StreamName,
  { reconcileDays }: { readonly reconcileDays: number | null },
  now: number,
): number | null {
  if (reconcileDays === 0) return null;
  if (reconcileDays !== null) return dayOf(now) - reconcileDays * DAY;
  return stream === "usage" ? dayOf(now) - 7 * DAY : monthOf(now, 2);
}

/** R2: the first day whose deep re-read is still missing. A deep re-read reads all that those of this day and of later days would read. */
export const firstMissed = (reconciledOn: string | null, now: number): number =>
  reconciledOn === null ? now : Math.min(now, Date.parse(reconciledOn) + DAY);

/** R10, P5: the strays that no report tells of, and those whose ids stand in place of their contents: they are written again. */
const writtenAgain = ({
  strays = [],
  unreported = [],
}: Pick<StateValue, "strays" | "unreported">): NonNullable<StateValue["strays"]> =>
  strays.filter(([hash, , writtenBy, start = "", end = "", id]) => {
    const [first, last] = [Date.parse(start ?? ""), Date.parse(end ?? "")];
    const isUntold = unreported.some(
      ([from, until]) => Date.parse(from) <= first && last <= Date.parse(until),
    );
    return writtenBy !== null && (isUntold || hash === id);
  });

/** R10: whether a window has a day that its stream's state names as due, or as one that awaits strays (P5), or is the window of these. */
export function isDue(
  window: Span,
  state: Pick<StateValue, "due" | "forgotten" | "shrunk" | "unreported" | "awaited" | "strays">,
): boolean {
  const { due = [], forgotten = [], shrunk = [], unreported = [], awaited = [] } = state;
  const told = writtenAgain(state).map(([, day]) => Date.parse(day ?? ""));
  const days = [...[...forgotten, ...shrunk].map(([day]) => Date.parse(day)), ...told];
  const waiting = awaited.flatMap((one) => [one.slice(0, 2), one.slice(2)]);
  const named = [...due, ...unreported, ...waiting].map((range) => range.map(Date.parse));
  const ranges = [...named, ...days.map((day) => [day, day + DAY])];
  return ranges.some(([start = 0, end = 0]) => overlap({ start, end }, window));
}

export const isBetween = (day: number, from: string, until: string): boolean =>
  Date.parse(from) <= day && day < Date.parse(until);

/** P5: whether a day awaited strays when a pass began, or a reading of the pass wrote strays of it. */
export function hasAwaited(
  stream: StreamName,
  day: number,
  states: ReadonlyMap<string, { readonly value: StateValue }>,
  items: readonly Item[],
): boolean {
  const awaited = states.get(stream)?.value.awaited ?? [];
  const isNew = items.some(
    (item) =>
      item.kind === "report" &&
      item.row.dataset === stream &&
      item.row.day === date(day) &&
      !item.row.inside_window &&
      item.row.rows_reading_id === item.row.reading_id,
  );
  return isNew || awaited.some(([from, until]) => isBetween(day, from, until));
}
