/** P5: the days that await strays when a sync has ended. */
import { LIMITS } from "../src/core/limits.ts";
import { dayOf } from "./calendar.ts";
import type { Judgeable } from "./judgeable.ts";
import { isHidden, isStrayOf } from "./outages.ts";
import type { Item, StateValue } from "./platform.ts";
import type { StreamName } from "./records.ts";
import { hasAwaited, isBetween } from "./reread.ts";
import { Models } from "./strays.ts";

/** A day of a stream after a sync, with the output of the sync and the states that it began with. */
interface DayAfter {
  readonly stream: StreamName;
  readonly day: number;
  readonly items: readonly Item[];
  readonly states: ReadonlyMap<string, { readonly value: StateValue }>;
}

/** Whether a day may await strays until the next sync. */
export function awaitsNext(
  judgeable: Judgeable,
  { stream, day, states, items }: DayAfter,
): boolean {
  const isSpent = !readsAllAgain(judgeable.world, stream);
  return (
    (isSpent && hasAwaited(stream, day, states, items)) ||
    awaitsWritten(judgeable, { stream, day, items }) ||
    awaitsHidden(judgeable, stream, day) ||
    awaitsInVain(judgeable, stream, day)
  );
}

/**
 * P5: whether a day awaits strays of a window that the last sync has not read whole: an end date, a later start date or the end of retention
 * has cut the window, so that no sync can prove the day. L1: or a sync had no room for strays, so that days between theirs await them, too.
 * P6: or no sync has room to read a window of several pages once more.
 */
export function awaitsInVain(
  { world, awaitedOf, mayLoseStrays }: Judgeable,
  stream: StreamName,
  day: number,
): boolean {
  const own = world.provider.exchanges.filter((one) => one.stream === stream);
  const isCramped = world.trials.limits.overtakenWindows === 0;
  return awaitedOf(stream).some(([from, until, start, end]) => {
    const over = own.filter((one) => one.start <= Date.parse(start) && one.end >= Date.parse(end));
    const isUnread = over.length === 0 || (isCramped && over.some(({ cursor }) => cursor !== null));
    return isBetween(day, from, until) && (mayLoseStrays || isUnread);
  });
}

/**
 * P5, R8: whether a day awaits a stray that an outage has hidden, and that the last sync has found again. R8 believes the loss of a few
 * strays at once. A reading that only lists the strays of their window may find one long after the outage, and the next sync writes it.
 */
export function awaitsHidden(
  { world, warehouse, awaitedOf, chainOf }: Judgeable,
  stream: StreamName,
  day: number,
): boolean {
  const rules = world.provider.rules(stream);
  const isAwaiting = awaitedOf(stream).some(([from, until]) => isBetween(day, from, until));
  if (rules === undefined || !isAwaiting) return false;
  const own = world.provider.exchanges.filter((one) => one.stream === stream);
  const shown = own.flatMap((window) =>
    window.versions.flatMap(({ record }) =>
      dayOf(record.start) === day && isStrayOf(window, record) ? record.id : [],
    ),
  );
  const hidden = [...new Set(shown)].filter((id) =>
    rules.outages.some(({ start }) => isHidden(rules, { id }, start)),
  );
  if (hidden.length === 0) return false;
  const models = new Models(stream, warehouse, chainOf(stream));
  const beganAt = own[0]?.date ?? Infinity;
  return hidden.some((id) => {
    const row = warehouse.deduplicated[stream].get(id);
    const window = warehouse.windows.get(row?.readingId ?? "");
    if (row === undefined || window === undefined || models.goneBy(row, window) !== null)
      return true;
    return warehouse.reports.some(
      (report) => report.reading_id === row.readingId && Date.parse(report.began_at) >= beganAt,
    );
  });
}

/** P5: whether a sync may read as many windows once more as a real one. With a small bound some days wait for the next sync. */
export const mayReadAgain = ({ trials }: Judgeable["world"]): boolean =>
  trials.limits.overtakenWindows === LIMITS.overtakenWindows;

/**
 * P5: whether the last sync has read all days of a stream once more that have awaited strays. If the bound is small, or the sync has read as
 * many windows again, some of these days wait for the next sync.
 */
export function readsAllAgain(world: Judgeable["world"], of: StreamName): boolean {
  const listings = world.provider.exchanges
    .filter(
      ({ stream, status, nextCursor }) => stream === of && status === 200 && nextCursor === null,
    )
    .map(({ start, end }) => `${start} ${end}`);
  const again = listings.length - new Set(listings).size;
  return mayReadAgain(world) && again < LIMITS.overtakenWindows;
}

/**
 * P5, P6: whether a day awaits strays of a window of which the sync has written a day. If the listing of such a window moved, the next sync
 * reads it again: no sync writes a day twice.
 */
function awaitsWritten(
  { world, awaitedOf }: Judgeable,
  { stream, day, items }: Pick<DayAfter, "stream" | "day" | "items">,
): boolean {
  const starts = items.flatMap((item) =>
    item.kind === "record" && item.stream === stream
      ? (world.provider.texts.get(item.text)?.record.start ?? [])
      : [],
  );
  return awaitedOf(stream).some(
    ([from, until, start, end]) =>
      isBetween(day, from, until) &&
      starts.some((at) => Date.parse(start) <= at && at < Date.parse(end)),
  );
}
