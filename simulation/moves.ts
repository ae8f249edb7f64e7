/**
 * R10: a row moves from one day to another. A pass that reads the old day after the move, and the new day before it, finds the row on
 * neither day. Then the new day is due, or it is not proven.
 */
import { date, DAY, dayOf } from "./calendar.ts";
import { newestReports } from "./current.ts";
import type { ReportRow, StateValue, Warehouse } from "./platform.ts";
import { isHidden } from "./outages.ts";
import { isPostedLater, type Rules } from "./provider.ts";
import { type Life, visible } from "./records.ts";
import { isDue } from "./reread.ts";

export interface Moving {
  readonly lives: readonly Life[];
  readonly warehouse: Warehouse;
  readonly state: StateValue | undefined;
  /** The state before the sync. */
  readonly before: StateValue | undefined;
  /** The readings of which no state knows: those that were reported behind the last STATE that the platform kept, or before a state was lost. */
  readonly uncovered: ReadonlySet<string>;
  /** The day on which the sync began, by `Date`. Each sync reads it, so no state names it as due. */
  readonly today: number;
}

/** A record that disappears from one day, and appears on another at the same instant. */
interface Move {
  readonly from: Life;
  readonly to: Life;
  readonly at: number;
}

/** Finds each row that stands on no day, although the days on which it was and is are both proven by one pass. */
export function judgeMoves(
  rules: Rules,
  { lives, warehouse, state, before, uncovered, today }: Moving,
): string[] {
  // A8: a window that is asked for later may show an earlier moment.
  if (rules.views !== null) return [];
  const moves = movesOf(rules, lives).filter(
    (move) =>
      wasNoted(move, warehouse, uncovered) &&
      isKnown(before, move.from) &&
      !wasHidden(rules, move.from, move.at),
  );
  if (moves.length === 0) return [];
  const newest = newestReports(rules.stream, warehouse.reports, state?.chain);
  const faults: string[] = [];
  for (const { from, to, at } of moves) {
    const [old, now] = [newest.get(date(from.start)), newest.get(date(to.start))];
    if (old === undefined || now === undefined || !isProven(old) || !isProven(now)) continue;
    const isOnNone = Date.parse(old.first_as_of) >= at && Date.parse(now.last_as_of) < at;
    if (!isOnNone || old.pass_began_at !== now.pass_began_at) continue;
    const day = dayOf(to.start);
    // A day that has left retention is never read again.
    if (day <= today - rules.retentionDays * DAY) continue;
    if (day >= today || isDue({ start: day, end: day + DAY }, state ?? {})) continue;
    if (gained(rules, from, { lives, warehouse, readAt: Date.parse(old.first_as_of) })) continue;
    // A process died behind the reading of the new day, and no later one of the pass reads this day: no state knows that one has.
    if (uncovered.has(now.reading_id)) continue;
    faults.push(
      `R10: ${from.id} moved from ${old.day} to ${now.day}, and stands on neither: ${old.reading_id} as of ${old.last_as_of} and ` +
        `${now.reading_id} as of ${now.last_as_of} prove both`,
    );
  }
  return faults;
}

/**
 * Whether a STATE that the platform kept stands behind a report of the old day with the row. Else no state knows that the day had it:
 * perhaps only processes that died have written the row, and a later one cannot miss it. Nor can one whose state was lost.
 */
const wasNoted = (
  { from, at }: Move,
  warehouse: Warehouse,
  uncovered: ReadonlySet<string>,
): boolean =>
  warehouse.reportsOf(from.stream, date(from.start)).some((report) => {
    if (uncovered.has(report.reading_id) || Date.parse(report.last_as_of) >= at) return false;
    const rows = warehouse.readings.get(report.rows_reading_id) ?? [];
    return [...rows].some(({ record }) => record === from);
  });

/** Whether the state knows rows of the day on which a row was. After a process that died early it may know nothing of the day. */
function isKnown(state: StateValue | undefined, { start }: Life): boolean {
  const known = [...(state?.days ?? []).flatMap(([, own]) => own), ...(state?.forgotten ?? [])];
  return known.some(([day]) => day === date(start));
}

/** Whether an outage may have hidden the row on its old day before it moved. The state then does not know that the day has lost it. */
const wasHidden = (rules: Rules, life: Life, movedAt: number): boolean =>
  rules.outages.some(({ start }) => start < movedAt && isHidden(rules, life, start));

const isProven = ({ confirmed, shrunk }: ReportRow): boolean => confirmed && !shrunk;

/** The moves of records that no window shows as strays. */
function movesOf(rules: Rules, lives: readonly Life[]): Move[] {
  const own = lives.filter(
    (life) =>
      life.stream === rules.stream &&
      !isPostedLater(rules, life) &&
      life.end <= dayOf(life.start) + DAY,
  );
  const leaving = own.filter(({ withdrawnAt }) => withdrawnAt < Infinity);
  return leaving.flatMap((from) =>
    own
      .filter(({ id, start, versions }) => {
        const isSame = id === from.id && versions[0]?.at === from.withdrawnAt;
        return isSame && dayOf(start) !== dayOf(from.start);
      })
      .map((to) => ({ from, to, at: from.withdrawnAt })),
  );
}

/**
 * R10: whether the old day of a row may have gained another one, so that the day does not have fewer rows than before. A row that an outage
 * has hidden from an earlier reading of the day comes back like a new one.
 */
function gained(
  rules: Rules,
  from: Life,
  { lives, warehouse, readAt }: Pick<Moving, "lives" | "warehouse"> & { readonly readAt: number },
): boolean {
  const since = from.versions[0]?.at ?? -Infinity;
  const earlier = warehouse
    .reportsOf(from.stream, date(from.start))
    .map((report) => Date.parse(report.last_as_of))
    .filter((asOf) => asOf < readAt);
  return lives.some((life) => {
    const { stream, start, versions } = life;
    if (stream !== from.stream || dayOf(start) !== dayOf(from.start)) return false;
    const first = versions[0]?.at ?? Infinity;
    const isBack =
      visible(life, readAt) !== undefined && earlier.some((asOf) => isHidden(rules, life, asOf));
    return (first > since && first <= readAt) || isBack;
  });
}
