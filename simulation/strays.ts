/**
 * R10: after a complete sync each stray that the provider shows stands, unless a later sync has still to list it. The rows that stand are
 * those of the models (`strays_of` and `stray_judges` in dbt/macros/judged.sql).
 */
import { date, DAY, dayOf } from "./calendar.ts";
import type { ReportRow, Row, StateValue, Warehouse } from "./platform.ts";
import { isStrayOf, type Span } from "./outages.ts";
import type { Rules } from "./provider.ts";
import { type Life, visible } from "./records.ts";
import { isDue } from "./reread.ts";
import type { World } from "./world.ts";
import { behindOf } from "./views.ts";

/** The facts of a complete sync of one stream. */
export interface Completed {
  readonly warehouse: Warehouse;
  /** The reports of this sync. */
  readonly reports: readonly ReportRow[];
  readonly state: StateValue | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Whether datasets may change the way in which they select. */
  readonly mayReselect: boolean;
  /** R4: the reports that the platform kept behind a STATE that it gave back: the state does not know what they judge. */
  readonly tooOldFor: ReadonlySet<string>;
  /** The instants that the config and retention let the sync read. */
  readonly asked: Span;
  /** The first day that is surely within retention. */
  readonly keptFrom: number;
  /** The day on which the sync began, by `Date`. Each sync reads its window, so no state names the window as due. */
  readonly today: number;
}

/** Whether a state has room for all strays. If values differ in each answer, each answer has other strays (A5). */
export const remembersStrays = ({ provider, trials: { limits } }: World): boolean =>
  provider.options.members !== "volatile" &&
  Math.min(limits.knownStrays, limits.pendingStrays) > 100;

/** Finds each stray that no longer stands although the provider shows it, or stands although its window was read without it. */
export function judgeStrays(rules: Rules, completed: Completed): string[] {
  const { warehouse, state, today, tooOldFor, mayReselect } = completed;
  const { stream } = rules;
  // If a dataset begins to select in another way, its strays vanish.
  if (mayReselect && rules.selects !== "posting") return [];
  const models = new Models(stream, warehouse, state?.chain);
  const faults: string[] = [];
  for (const row of warehouse.deduplicated[stream].values()) {
    const { record } = row.version;
    const { id, start } = record;
    const window = warehouse.windows.get(row.readingId);
    if (window === undefined || window.end > today) continue;
    if (!isStrayOf(window, record)) continue;
    const day = { start: dayOf(start), end: dayOf(start) + DAY };
    if (state !== undefined && (isDue(window, state) || isDue(day, state))) continue;
    const gone = models.goneBy(row, window);
    if (gone !== null && tooOldFor.has(gone.report.id)) continue;
    const name = `R10: the stray ${id} of ${date(start)}`;
    if (gone !== null && mustStand(rules, { record, window }, completed))
      faults.push(`${name} no longer stands: ${gone.why}`);
    const missedBy = gone === null ? missed(rules, { record, window }, completed) : undefined;
    if (missedBy !== undefined)
      faults.push(`${name} stands, and ${missedBy.reading_id} has read its window without it`);
  }
  return faults;
}

interface Stray {
  readonly record: Life;
  /** The window of the reading that wrote it. */
  readonly window: Span;
}

/** Whether this sync could read a stray's day and window, and the provider showed it all the time. */
function mustStand(
  rules: Rules,
  { record, window }: Stray,
  { asked, startedAt, endedAt }: Completed,
): boolean {
  const { outages } = rules;
  const instants = [record.start, record.postedAt, window.start];
  return (
    instants.every((at) => at >= asked.start && at < asked.end) &&
    [startedAt - behindOf(rules), endedAt].every((at) => visible(record, at) !== undefined) &&
    !outages.some(({ start, end }) => end > record.start && start <= endedAt)
  );
}

/** A reading of a stray's whole window, if the stray was withdrawn before this sync. A listing that moved proves nothing alone (P6). */
function missed(
  rules: Rules,
  { record, window }: Stray,
  { reports, startedAt, keptFrom }: Completed,
): ReportRow | undefined {
  if (record.withdrawnAt >= startedAt - behindOf(rules)) return undefined;
  // W3: no provider has to show a record whose day has left retention, so that its row stands.
  if (dayOf(record.start) < keptFrom) return undefined;
  const whole = reports.filter(
    ({ dataset, whole_window: isWhole, window_start: start, window_end: end }) =>
      dataset === record.stream &&
      isWhole &&
      Date.parse(start) <= window.start &&
      Date.parse(end) >= window.end,
  );
  const moved = whole.filter((report) => report.moved && !report.resumed);
  const [first] = moved;
  const second = moved.find(({ reading_id: id }) => id !== first?.reading_id);
  return whole.find((report) => !report.moved) ?? second;
}

/** The report that takes a stray for gone, and why it does. */
export interface Gone {
  readonly report: ReportRow;
  readonly why: string;
  /** Whether the report is of the day on which the stray starts, and not of its window. */
  readonly isOfDay: boolean;
  /** The newest report that lists the stray's group. */
  readonly listing: ReportRow | undefined;
}

/** The strays of one stream that stand, as the models have it. */
export class Models {
  /** By day: its newest rows that are no strays. */
  readonly #rows = new Map<string, Row[]>();
  /** The newest listing of the strays of a day that a reading wrote. */
  readonly #listings = new Map<string, ReportRow>();
  /** One report of each reading of a whole window that speaks of its strays. */
  readonly #speaking = new Map<string, ReportRow>();
  /** By day: the proofs that judge strays. */
  readonly #statements = new Map<string, ReportRow[]>();

  constructor(stream: Rules["stream"], warehouse: Warehouse, chain: string | undefined) {
    for (const row of warehouse.deduplicated[stream].values()) {
      const { record } = row.version;
      const window = warehouse.windows.get(row.readingId);
      if (window !== undefined && isStrayOf(window, record)) continue;
      push(this.#rows, date(record.start), row);
    }
    for (const report of warehouse.reports) {
      if (report.dataset !== stream || report.chain !== chain) continue;
      if (report.inside_window && report.whole_window && !report.moved && !report.resumed)
        this.#speaking.set(report.reading_id, report);
      if (!report.inside_window) this.#addListing(report);
      else if (report.confirmed && !report.shrunk && judgesStrays(report))
        push(this.#statements, report.day, report);
    }
  }

  #addListing(report: ReportRow): void {
    const key = `${report.day} ${report.rows_reading_id}`;
    if (report.reading_id >= (this.#listings.get(key)?.reading_id ?? ""))
      this.#listings.set(key, report);
  }

  /** Whether a report lists the group of a stray. Else a process died between the row and its report. */
  isListed({ readingId, version: { record } }: Row): boolean {
    return this.#listings.has(`${date(record.start)} ${readingId}`);
  }

  /** The report that takes a stray for gone, and why it does; null if the stray stands. */
  goneBy({ readingId, version: { record } }: Row, window: Span): Gone | null {
    const day = date(record.start);
    // If a process died before it reported the stray, the reading that wrote the stray counts as the one that listed it.
    const listing = this.#listings.get(`${day} ${readingId}`);
    if (listing?.rows === 0)
      return { report: listing, why: "it lists the group without rows", isOfDay: false, listing };
    const listedBy = listing?.reading_id ?? readingId;
    for (const report of this.#speaking.values()) {
      const { reading_id: id, window_start: start, window_end: end } = report;
      if (id > listedBy && Date.parse(start) <= window.start && Date.parse(end) >= window.end) {
        const why = `its window was read by ${id} and listed it last with ${listedBy}`;
        return { report, why, isOfDay: false, listing };
      }
    }
    const judge = this.#judgeOf(day);
    if (judge === undefined || judge.reading_id <= listedBy) return null;
    const isInside =
      Date.parse(judge.window_start) <= record.start && Date.parse(judge.window_end) >= record.end;
    const why = `its day was read by ${judge.reading_id}, and ${listedBy} listed it last`;
    return isInside ? { report: judge, why, isOfDay: true, listing } : null;
  }

  /** The newest report of a day that judges strays and whose rows are there. */
  #judgeOf(day: string): ReportRow | undefined {
    const rows = this.#rows.get(day) ?? [];
    return this.#statements
      .get(day)
      ?.filter(
        (report) =>
          rows.filter(
            ({ readingId }) =>
              readingId === report.rows_reading_id || readingId > report.reading_id,
          ).length >= report.rows,
      )
      .toSorted((one, other) => (one.reading_id < other.reading_id ? -1 : 1))
      .at(-1);
  }
}

const judgesStrays = (report: ReportRow): boolean =>
  report.whole_window || report.rows_reading_id === report.reading_id;

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
