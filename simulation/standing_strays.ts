/**
 * R8 for strays (P5): if ten or more strays of a day stand that one window has shown, and a reading of the window shows less than half of
 * them, strays that the provider still has may leave only after two readings, an hour apart, that both lack them. The strays that
 * stand are those of the models (strays.ts).
 */
import { date, DAY, dayOf, iso } from "./calendar.ts";
import { selects } from "./listing.ts";
import { isWritten } from "./moving.ts";
import { isHidden, isStrayOf, overlap, type Span } from "./outages.ts";
import type { ReportRow, Row, StateValue, Warehouse } from "./platform.ts";
import type { Exchange, Rules } from "./provider.ts";
import { type Life, visible } from "./records.ts";
import { isDue } from "./reread.ts";
import { anHourBefore } from "./standing.ts";
import { type Gone, Models } from "./strays.ts";

/** R8: fewer strays are no sudden loss. */
const LEAST = 10;

/** The facts of a sync that the judgment depends on. */
export interface PassedStrays {
  readonly exchanges: readonly Exchange[];
  readonly endedAt: number;
  /** The instants that the config, and the shortest retention so far, let the sync read. */
  readonly asked: Span;
  /** The state with which the sync ended. */
  readonly state: StateValue | undefined;
  /** Whether the sync read the whole stream, and left nothing to the next sync. */
  readonly isComplete: boolean;
  /** R10: whether the platform has lost reports: then the state knows of readings that the table of reports does not have. */
  readonly lacksReports: boolean;
  /** The readings that no kept state has covered since their report. */
  readonly uncovered: ReadonlySet<string>;
  /** R4: the reports, and the readings of rows, for which the platform gave back a STATE that is too old. */
  readonly tooOldFor: ReadonlySet<string>;
}

/** A stray that stands. */
interface Stood {
  readonly row: Row;
  /** The window of the reading that wrote it. */
  readonly window: Span;
}

/** A stray that stood before a sync, and does not stand after it. */
interface Lost extends Stood {
  readonly gone: Gone;
}

/** The strays of one stream that stand, over many syncs. */
export class StandingStrays {
  readonly #rules: Rules;
  readonly #warehouse: Warehouse;
  /** The strays that stood after the last complete sync, and still did after each sync since, by id. */
  #stood = new Map<string, Stood>();
  #chain: string | undefined;
  /** The answers to all requests for the stream. */
  readonly #answers: Exchange[] = [];

  constructor(rules: Rules, warehouse: Warehouse) {
    this.#rules = rules;
    this.#warehouse = warehouse;
  }

  /** Judges what a sync has changed. */
  after(passed: PassedStrays): string[] {
    const { exchanges, state, asked, lacksReports, isComplete } = passed;
    const { stream } = this.#rules;
    for (const exchange of exchanges)
      if (exchange.stream === stream && exchange.status === 200) this.#answers.push(exchange);
    // A state without a chain, or with another one, does not know the rows before it.
    if (this.#chain !== state?.chain || lacksReports) this.#stood.clear();
    this.#chain = state?.chain;
    const written = this.#written();
    if (lacksReports || (written.length === 0 && this.#stood.size === 0)) return [];
    const models = new Models(stream, this.#warehouse, this.#chain);
    const before = [...this.#stood.values()].filter((one) => isWithin(one, asked));
    const lost = before.flatMap((one) => this.#lostBy(models, one));
    const faults = this.#judge(before, lost, passed);
    const kept = isComplete
      ? written.filter((one) => isKnown(models, one, passed))
      : before.filter((one) => !lost.some(({ row, gone }) => row === one.row && !gone.isOfDay));
    this.#stood = new Map(kept.map((one) => [one.row.version.record.id, one]));
    return faults;
  }

  /** The strays in the table, of the days that have ten or more. */
  #written(): Stood[] {
    const byDay = new Map<string, Stood[]>();
    for (const row of this.#warehouse.deduplicated[this.#rules.stream].values()) {
      const { record } = row.version;
      const window = this.#warehouse.windows.get(row.readingId);
      // Long charges have rules of their own.
      if (window === undefined || !isStrayOf(window, record)) continue;
      if (record.end > dayOf(record.start) + DAY) continue;
      const day = date(record.start);
      const own = byDay.get(day);
      if (own === undefined) byDay.set(day, [{ row, window }]);
      else own.push({ row, window });
    }
    return [...byDay.values()].filter(({ length }) => length >= LEAST).flat();
  }

  /** A stray whose row is still in the table, and that a report takes for gone. */
  #lostBy(models: Models, { row, window }: Stood): Lost[] {
    const { record } = row.version;
    const now = this.#warehouse.deduplicated[this.#rules.stream].get(record.id);
    if (now?.readingId !== row.readingId || now.version !== row.version) return [];
    const gone = models.goneBy(row, window);
    return gone === null ? [] : [{ row, window, gone }];
  }

  #judge(before: readonly Stood[], lost: readonly Lost[], passed: PassedStrays): string[] {
    const faults: string[] = [];
    const named = new Set<string>();
    for (const one of lost) {
      const day = date(one.row.version.record.start);
      const read = readOf(one);
      const key = `${day} ${read.start} ${read.end}`;
      if (named.has(key) || !this.#isUnbelievable(one, passed)) continue;
      const isOfGroup = ({ row, window }: Stood): boolean =>
        visible(row.version.record, passed.endedAt) !== undefined &&
        date(row.version.record.start) === day &&
        read.start <= window.start &&
        read.end >= window.end;
      // A group that has lost strays counts as a whole for the models until the others are written again.
      const readAt = Date.parse(one.gone.report.began_at);
      const all = before.filter(isOfGroup);
      const group = all.filter(
        ({ row: { version } }) => !this.#isBelieved(version.record, all, readAt),
      );
      const gone = lost.filter(({ row }) => group.some((other) => other.row === row));
      const left = group.length - gone.length;
      if (group.length < LEAST || 2 * left >= group.length) continue;
      named.add(key);
      const { id } = one.row.version.record;
      faults.push(
        `R8: ${gone.length} of ${group.length} strays of ${day} no longer stand, ${id} among them: ` +
          `${one.gone.why}, and no reading of ${iso(read.start)} an hour before agrees`,
      );
    }
    return faults;
  }

  /** Whether the provider still has a lost stray, an outage hid it, and no reading an hour before did without it. */
  #isUnbelievable({ row, window, gone }: Lost, passed: PassedStrays): boolean {
    const { record } = row.version;
    const { endedAt, uncovered, tooOldFor, state } = passed;
    const { report } = gone;
    if (visible(record, endedAt) === undefined || waitsAgain(row, state)) return false;
    if (uncovered.has(report.reading_id) || tooOldFor.has(report.id)) return false;
    if (gone.isOfDay && !this.#mayJudge(gone, { record, window }, passed)) return false;
    const blind = this.#answersFor(record).filter(({ asOf }) =>
      isHidden(this.#rules, record, asOf),
    );
    const last = blind.at(-1);
    if (last === undefined) return false;
    return !this.#isMissed(record, gone.isOfDay ? last.date : Date.parse(report.began_at));
  }

  #answersFor(record: Life): Exchange[] {
    return this.#answers.filter((answer) => selects(this.#rules.selects, answer, record));
  }

  /** Whether a reading before an instant was believed to miss a record: one of two an hour apart, or one that showed half of the group. */
  #isBelieved(record: Life, group: readonly Stood[], readAt: number): boolean {
    const isShown = ({ row }: Stood, asOf: number): boolean =>
      !isHidden(this.#rules, row.version.record, asOf);
    const misses = this.#answersFor(record).filter(
      ({ asOf, date: at }) => at < readAt && isHidden(this.#rules, record, asOf),
    );
    return (
      this.#isMissed(record, readAt) ||
      misses.some(
        ({ asOf }) => 2 * group.filter((one) => isShown(one, asOf)).length >= group.length,
      )
    );
  }

  /** Whether a reading an hour or more before an instant did without a record. */
  #isMissed(record: Life, readAt: number): boolean {
    return this.#answersFor(record).some(
      ({ asOf, date: at }) =>
        at <= anHourBefore(readAt) &&
        (isHidden(this.#rules, record, asOf) || visible(record, asOf) === undefined),
    );
  }

  /**
   * R10: the report of a day takes its strays for gone until their window lists them again. A process may die between the two, the
   * bound of windows may leave the window to the next sync, no window contains a window that was longer than windows may be now, and a
   * listing that moved (P6), or was resumed, judges no strays. Then the window is due.
   */
  #mayJudge(
    { report: { day, began_at: beganAt, pass_began_at: pass }, listing }: Gone,
    { record, window }: { readonly record: Life; readonly window: Span },
    { exchanges, state, isComplete }: PassedStrays,
  ): boolean {
    if (!isComplete || state === undefined) return false;
    if (window.end - window.start > this.#rules.maximumWindowDays * DAY) return false;
    const start = Date.parse(day);
    if (!isDue(window, state) && !isDue({ start, end: start + DAY }, state)) return true;
    if (listing?.moved === true || listing?.resumed === true) return false;
    if (this.#waits(window, pass, state)) return false;
    return exchanges.some(
      (one) =>
        one.stream === record.stream &&
        one.status === 200 &&
        one.nextCursor === null &&
        // A listing of several pages may have moved, and tells nothing then (R10).
        (one.cursor === null || this.#rules.cursors === "snapshot") &&
        one.start <= window.start &&
        one.end >= window.end &&
        one.date > Date.parse(beganAt),
    );
  }

  /** P5: whether the next sync lists a window: this pass has written a day of it, or the state does not know one. */
  #waits(window: Span, pass: string, { forgotten = [] }: StateValue): boolean {
    const wrote = (report: ReportRow): boolean => {
      const start = Date.parse(report.day);
      return (
        report.dataset === this.#rules.stream &&
        report.pass_began_at === pass &&
        isWritten(report) &&
        overlap({ start, end: start + DAY }, window)
      );
    };
    return isDue(window, { forgotten }) || this.#warehouse.reports.some(wrote);
  }
}

/** P5: whether strays of the group of a row wait to be written again: the state has their ids in place of their contents. */
const waitsAgain = (
  { readingId, version: { record } }: Row,
  state: Pick<StateValue, "strays"> | undefined,
): boolean =>
  state?.strays?.some(
    ([hash, day, writtenBy, , , id]) =>
      hash === id && writtenBy === readingId && day === date(record.start),
  ) === true;

/** The window that the reading which took a stray for gone has read; of a reading of the stray's day, the window of the stray. */
const readOf = ({ gone: { report, isOfDay }, window }: Lost): Span =>
  isOfDay ? window : { start: Date.parse(report.window_start), end: Date.parse(report.window_end) };

/** Whether a sync reads the day and the window of a stray. */
const isWithin = ({ row, window }: Stood, { start, end }: Span): boolean =>
  [row.version.record.start, row.version.record.postedAt, window.start].every(
    (at) => at >= start && at < end,
  );

/** Whether a stray stands after a complete sync, and a report that the state knows of lists it. */
const isKnown = (
  models: Models,
  { row, window }: Stood,
  { asked, uncovered, tooOldFor }: PassedStrays,
): boolean =>
  models.isListed(row) &&
  models.goneBy(row, window) === null &&
  isWithin({ row, window }, asked) &&
  !uncovered.has(row.readingId) &&
  !tooOldFor.has(row.readingId);
