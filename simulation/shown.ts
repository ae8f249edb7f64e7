/**
 * R6, R10: if a complete sync has read a day, the day is proven only with rows that a reading of this sync has shown, also if the sync
 * reports nothing. Else the day is due, or no report tells of it. A change that comes later is a late one (A3).
 */
import { date, DAY, dayOf } from "./calendar.ts";
import { newestReports } from "./current.ts";
import { isHidden, type Span } from "./outages.ts";
import type { ReportRow, StateValue, Warehouse } from "./platform.ts";
import { type Exchange, isPostedLater, type Rules } from "./provider.ts";
import { isDue, isListing } from "./reread.ts";
import { type Life, livesOn, type Version, visible } from "./records.ts";

/** The facts of a complete sync of one stream. */
export interface Reading {
  readonly warehouse: Warehouse;
  readonly exchanges: readonly Exchange[];
  readonly lives: readonly Life[];
  /** The states before and after the sync. */
  readonly before: StateValue | undefined;
  readonly state: StateValue | undefined;
}

/** A window that was read from its first page to its last one. */
interface Listing {
  readonly start: number;
  readonly end: number;
  /** The moments of its first page and of its last one; null if another process has read its first pages. */
  readonly span: Span | null;
  readonly versions: readonly Version[];
}

/** Finds each day that is proven with rows which no reading of the sync has shown. */
export function judgeShown(
  rules: Rules,
  { warehouse, exchanges, lives, before, state }: Reading,
): string[] {
  // A8: a window that is asked for later may show an earlier moment.
  if (rules.views !== null) return [];
  const own = exchanges.filter(({ stream }) => stream === rules.stream);
  const newest = newestReports(rules.stream, warehouse.reports, state?.chain);
  const faults: string[] = [];
  for (const [day, listings] of listingsByDay(own)) {
    const report = newest.get(date(day));
    if (report === undefined || !report.confirmed || report.shrunk) continue;
    if (isDue({ start: day, end: day + DAY }, state ?? {})) continue;
    const shown = new Set(listings.map((listing) => textsOfMoment(rules, listing, lives, day)));
    if (shown.has(null) || isListed(own, day, before)) continue;
    const rows = standing(rules, report, warehouse);
    if (rows === null || shown.has(textsOf(rules, rows, day))) continue;
    faults.push(
      `R10: ${rules.stream} ${date(day)} is proven by ${report.reading_id} as of ${report.last_as_of} with ${rows.length} rows, and no ` +
        `reading of this sync shows these`,
    );
  }
  return faults;
}

/** R10: whether a window with a day may have been read only to list its strays: such a reading does not judge its other days. */
const isListed = (own: readonly Exchange[], day: number, before: StateValue | undefined): boolean =>
  before !== undefined &&
  own.some((one) => one.start <= day && day < one.end && isListing(one, own, before));

/** The rows of a proven day; null if some are missing, so that the models call the day unproven. */
function standing(
  { stream }: Rules,
  { rows_reading_id: readingId, day, rows }: ReportRow,
  { deduplicated }: Warehouse,
): Version[] | null {
  const found = [...deduplicated[stream].values()]
    .filter((row) => row.readingId === readingId && date(row.version.record.start) === day)
    .map(({ version }) => version);
  return found.length === rows ? found : null;
}

/** The texts of the records of a day that each window with the day shows. */
function textsOf(rules: Rules, versions: readonly Version[], day: number): string {
  const own = versions.filter(
    ({ record }) =>
      dayOf(record.start) === day && record.end <= day + DAY && !isPostedLater(rules, record),
  );
  return JSON.stringify([...new Set(own.map(({ text }) => text))].toSorted());
}

/** The texts of a day that a listing shows; null if the day changed while it was read, or the listing moved and has skipped some. */
function textsOfMoment(
  rules: Rules,
  { span, versions }: Listing,
  lives: readonly Life[],
  day: number,
): string | null {
  if (span === null) return null;
  const shown = textsOf(rules, versions, day);
  const isTrue = [span.start, span.end].every((at) => {
    const there = livesOn(lives, rules.stream, day)
      .filter((life) => !isHidden(rules, life, at))
      .flatMap((life) => visible(life, at) ?? []);
    return textsOf(rules, there, day) === shown;
  });
  return isTrue ? shown : null;
}

/** The complete listings of the windows that contain a day. */
function listingsByDay(own: readonly Exchange[]): Map<number, Listing[]> {
  const byDay = new Map<number, Listing[]>();
  for (const listing of listingsOf(own)) {
    for (let day = dayOf(listing.start); day + DAY <= listing.end; day += DAY) {
      if (day < listing.start) continue;
      byDay.set(day, [...(byDay.get(day) ?? []), listing]);
    }
  }
  return byDay;
}

function listingsOf(own: readonly Exchange[]): Listing[] {
  const open = new Map<string, Exchange[]>();
  const listings: Listing[] = [];
  for (const exchange of own) {
    const { start, end, cursor, status, nextCursor } = exchange;
    if (status !== 200) continue;
    const key = `${start} ${end}`;
    const pages = cursor === null ? [exchange] : [...(open.get(key) ?? []), exchange];
    open.set(key, pages);
    if (nextCursor !== null) continue;
    const versions = pages.flatMap((page) => page.versions);
    const isWhole = pages[0]?.cursor === null;
    const span = isWhole ? { start: pages[0]?.asOf ?? 0, end: exchange.asOf } : null;
    listings.push({ start, end, span, versions });
  }
  return listings;
}
