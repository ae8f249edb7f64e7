/**
 * R8: if a row stands and the provider still has it, the row may leave only after two readings, an hour apart, that both lack it. The
 * rows that stand are those of the models (dbt/macros/judged.sql): the rows that the newest proven report of a day names, and later
 * rows.
 * Long charges and strays have rules of their own and are left out here.
 */
import { date, DAY, HOUR, iso, MINUTE } from "./calendar.ts";
import type { ReportRow, Row, StateValue, Warehouse } from "./platform.ts";
import { isHidden, isStrayOf } from "./outages.ts";
import { type Exchange, isPostedLater, type Rules } from "./provider.ts";
import { seenSince } from "./moving.ts";
import { isDue } from "./reread.ts";
import { type Life, type Version, visible } from "./records.ts";

/** The longest time that a reading may wait for its first page, in milliseconds. */
const SLACK = 10 * MINUTE;

/** R8: an earlier reading that began by the returned instant confirms the loss that a reading of `readAt` shows. */
export const anHourBefore = (readAt: number): number => readAt - HOUR + SLACK;

/** The facts of a sync that the judgment depends on. */
export interface Passed {
  readonly exchanges: readonly Exchange[];
  readonly endedAt: number;
  /** The first instant that the config and retention let a sync read. */
  readonly from: number;
  /** R2: days before this instant have left retention by the connector's clock in some sync, so their provisional costs are not followed. */
  readonly followedFrom: number;
  /** W3: the state knows nothing of days before this instant. They had left every retention, even if a longer one shows them again. */
  readonly keptFrom: number;
  /** R8: days from here on lie more than a day ahead of `Date`, so the state knows nothing of them, although an earlier `Date` was ahead. */
  readonly keptUntil: number;
  /** The state with which the sync began, and the one with which it ended. */
  readonly began: StateValue | undefined;
  readonly state: StateValue | undefined;
  /** Whether the sync read the whole stream. */
  readonly isComplete: boolean;
  /** A5: whether records keep their values. Else rows come again as strays with other values, and no sum can be followed. */
  readonly keepsValues: boolean;
  /** Whether a state has left out the numbers of records of days (S8), or was cleared, so that a sudden loss is believed at once. */
  readonly forgetsNumbers: boolean;
  /** The readings that no kept state has covered since their report. */
  readonly uncovered: ReadonlySet<string>;
  /** R4: the reports, and the readings of rows, for which the platform gave back a STATE that is too old. */
  readonly tooOldFor: ReadonlySet<string>;
}

interface Day {
  readonly rows: ReadonlyMap<string, Version>;
  readonly anchor: ReportRow | undefined;
}

/** The rows of one stream that stand, over many syncs. */
export class Standing {
  readonly #rules: Rules;
  readonly #warehouse: Warehouse;
  #days = new Map<string, Day>();
  #chain: string | undefined;
  /** The number of rows that the state knows of each day. */
  #known = new Map<string, number>();
  /** The number of rows that a reading had shown of each day before it was given up. The state knows no other number of these days. */
  readonly #shown = new Map<string, number>();
  /** The number of rows of each day whose loss a second reading has confirmed. */
  readonly #agreed = new Map<string, number>();
  /** The state with which the last sync ended. */
  #state: StateValue | undefined;
  /** The days that had left every retention, each with the reading that proved it last: the state knows neither. */
  readonly #left = new Map<string, string>();
  /** The ids of the rows that came last from a window that does not hold their start. */
  readonly #strays = new Set<string>();
  /** The answers that were given during an outage. */
  readonly #blind: Exchange[] = [];

  constructor(rules: Rules, warehouse: Warehouse) {
    this.#rules = rules;
    this.#warehouse = warehouse;
  }

  /** Judges what a sync has changed. */
  after(passed: Passed): string[] {
    const { exchanges, began, state, uncovered } = passed;
    // An older state may know of no such reading.
    if (began !== this.#state) this.#shown.clear();
    this.#state = state;
    for (const [day, records] of began?.pass?.open.flatMap(({ digests = [] }) => digests) ?? []) {
      const isKnown = began?.known?.some(([start, end]) => start <= day && day < end) === true;
      if (!isKnown) this.#shown.set(day, Math.max(records, this.#shown.get(day) ?? 0));
    }
    const { outages, stream } = this.#rules;
    for (const exchange of exchanges) {
      const isBlind = outages.some(
        ({ start, end }) => start <= exchange.asOf && exchange.asOf < end,
      );
      if (isBlind && exchange.stream === stream && exchange.status === 200)
        this.#blind.push(exchange);
    }
    const before = this.#days;
    const isSame = this.#chain === state?.chain;
    this.#chain = state?.chain;
    this.#days = this.#standing();
    const faults: string[] = [];
    if (isSame) {
      for (const [day, { rows }] of before) faults.push(...this.#lost(day, rows, passed));
    } else {
      this.#known.clear();
      this.#shown.clear();
      this.#agreed.clear();
    }
    for (const [day, { anchor }] of this.#days) {
      const known = this.#known.get(day);
      const at = Date.parse(day);
      const hasLeft = at < passed.keptFrom || at >= passed.keptUntil;
      if (hasLeft && anchor !== undefined) this.#left.set(day, anchor.reading_id);
      if (hasLeft || (anchor !== undefined && this.#left.get(day) === anchor.reading_id)) {
        this.#known.delete(day);
        this.#shown.delete(day);
      } else if (anchor !== undefined && !uncovered.has(anchor.reading_id)) {
        this.#known.set(day, this.#acceptedOf(day, anchor.rows, uncovered));
        this.#shown.delete(day);
      } else if (known !== undefined) {
        this.#known.set(day, this.#acceptedOf(day, known, uncovered));
      }
    }
    this.#accept(state);
    this.#acceptLosses(passed);
    return [...faults, ...this.#forgotten(passed)];
  }

  /**
   * The number of a reading that proves nothing counts, if it is half of the number before or more: a reading without control totals is not
   * reported (L1), and the report of a day that awaits strays is unconfirmed (P5). It does not count if the listing moved.
   */
  #accept(state: StateValue | undefined): void {
    for (const [id, days] of state?.days ?? []) {
      for (const [day, rows] of days) {
        const reports = this.#reportsOf(day).filter((report) => report.rows_reading_id === id);
        if (reports.some(({ moved }) => moved)) continue;
        for (const numbers of [this.#known, this.#shown]) {
          const known = numbers.get(day) ?? 0;
          if (rows < known && 2 * rows >= known) numbers.set(day, rows);
        }
      }
    }
  }

  /**
   * R8: two readings an hour apart may agree without a report of the second one. Then the state no longer names the loss, and the smaller
   * number counts as long as the state has it.
   */
  #acceptLosses({ began, state, exchanges }: Passed): void {
    const days = new Map(state?.days?.flatMap(([, own]) => own.map(([day, rows]) => [day, rows])));
    for (const [day, rows, , endedAt] of began?.shrunk ?? []) {
      if (state?.shrunk?.some(([named]) => named === day) === true) continue;
      const at = Date.parse(day);
      const last = exchanges.findLast(
        ({ stream, start, end }) => stream === this.#rules.stream && start <= at && at < end,
      );
      if (last !== undefined && Date.parse(endedAt) <= anHourBefore(last.date))
        this.#agreed.set(day, rows);
    }
    for (const [day, rows] of this.#agreed) {
      const isKnown = state?.known?.some(([start, end]) => start <= day && day < end) === true;
      if (!isKnown || (days.get(day) ?? 0) !== rows) this.#agreed.delete(day);
      else
        for (const numbers of [this.#known, this.#shown])
          if (rows < (numbers.get(day) ?? 0)) numbers.set(day, rows);
    }
  }

  /**
   * R8: the number of rows with which the next reading of a day is compared. It falls after a reading with half of the rows or more,
   * or after two readings an hour apart that show the same number, also if the listing of the second one moved (P6). `proven`: the number
   * of the newest proof that a state covers. A later reading that covers only a part of the day counts, too.
   */
  #acceptedOf(day: string, proven: number, uncovered: ReadonlySet<string>): number {
    const newest = this.#reportsOf(day).at(-1);
    if (newest === undefined || newest.shrunk || uncovered.has(newest.reading_id)) return proven;
    const isBelieved = newest.confirmed && 2 * newest.rows >= proven;
    return isBelieved || this.#isDoubted(day, newest) ? Math.min(proven, newest.rows) : proven;
  }

  /** Whether a reading an hour or more before showed as many records of a day, and was not believed. */
  #isDoubted(day: string, reading: ReportRow): boolean {
    return this.#reportsOf(day).some(
      ({ shrunk, records, began_at: beganAt }) =>
        shrunk &&
        records === reading.rows &&
        Date.parse(beganAt) <= anHourBefore(Date.parse(reading.began_at)),
    );
  }

  /**
   * The reports of a day in the chain of the state, the earliest first. A reading that is resumed after its report may report again: then
   * the later report counts, as in the model ai_billing__manifest.
   */
  #reportsOf(day: string): ReportRow[] {
    const found = new Map<string, ReportRow>();
    for (const report of this.#warehouse.reportsOf(this.#rules.stream, day)) {
      if (report.chain !== this.#chain) continue;
      const key = `${report.reading_id} ${report.rows_reading_id}`;
      found.delete(key);
      found.set(key, report);
    }
    return [...found.values()];
  }

  /** The rows that stand, by day. */
  #standing(): Map<string, Day> {
    const { stream } = this.#rules;
    const { deduplicated, windows } = this.#warehouse;
    const byDay = new Map<string, Row[]>();
    this.#strays.clear();
    for (const row of deduplicated[stream].values()) {
      const { start } = row.version.record;
      const window = windows.get(row.readingId);
      const isStray = window !== undefined && isStrayOf(window, row.version.record);
      if (isStray) this.#strays.add(row.version.record.id);
      if (isStray) continue;
      const day = date(start);
      const rows = byDay.get(day);
      if (rows === undefined) byDay.set(day, [row]);
      else rows.push(row);
    }
    return new Map(
      [...byDay].map(([day, rows]) => {
        // A report also counts the long charges of its day.
        const anchor = this.#anchorOf(day, rows);
        const short = rows.filter(({ version: { record } }) => record.end <= Date.parse(day) + DAY);
        const standing = short.filter(
          ({ readingId }) =>
            anchor === undefined ||
            readingId === anchor.rows_reading_id ||
            readingId > anchor.reading_id,
        );
        return [
          day,
          { anchor, rows: new Map(standing.map((row) => [row.version.record.id, row.version])) },
        ];
      }),
    );
  }

  /** The newest proven report of a day whose rows are in the table; one that covers the whole day comes first. */
  #anchorOf(day: string, rows: readonly Row[]): ReportRow | undefined {
    let best: ReportRow | undefined;
    for (const report of this.#proofsOf(day)) {
      const isBetter =
        best === undefined ||
        (coversDay(report) === coversDay(best)
          ? report.reading_id > best.reading_id
          : coversDay(report));
      if (!isBetter) continue;
      const there = rows.filter(
        ({ readingId }) => readingId === report.rows_reading_id || readingId > report.reading_id,
      );
      if (there.length >= report.rows) best = report;
    }
    return best;
  }

  #proofsOf(day: string): ReportRow[] {
    return this.#reportsOf(day).filter(({ confirmed, shrunk }) => confirmed && !shrunk);
  }

  #lost(
    day: string,
    before: ReadonlyMap<string, Version>,
    { endedAt, from, uncovered, forgetsNumbers }: Passed,
  ): string[] {
    const { rows, anchor } = this.#days.get(day) ?? {
      rows: new Map<string, Version>(),
      anchor: undefined,
    };
    const { stream } = this.#rules;
    const lost = [...before.values()]
      .map(({ record }) => record)
      // A record that is posted later is in no window that ends before its posting, as after an earlier end date.
      .filter((record) => !isPostedLater(this.#rules, record))
      .filter(({ start }) => start >= from)
      .filter(({ id }) => !rows.has(id) && !this.#strays.has(id))
      .filter((record) => visible(record, endedAt) !== undefined);
    const [first] = lost;
    if (first === undefined) return [];
    const what = `${lost.length} of ${before.size} rows of ${stream} ${day} no longer stand, ${first.id} among them`;
    if (anchor === undefined) return [`R4: ${what}`];
    // R4: the platform kept a report and dropped its rows. Rows of the next reading, or of the same one that is resumed, count in their
    // place until that reading is complete.
    const own = [...this.#warehouse.deduplicated[this.#rules.stream].values()].filter(
      ({ readingId, version }) =>
        readingId === anchor.rows_reading_id && date(version.record.start) === day,
    );
    const isTakenBack = this.#reportsOf(day).some(
      ({ reading_id: id, rows_reading_id: of, confirmed }) =>
        of === anchor.rows_reading_id && id > anchor.reading_id && !confirmed,
    );
    if (uncovered.has(anchor.reading_id) && (own.length < anchor.rows || isTakenBack)) return [];
    const said = `${anchor.reading_id} as of ${anchor.last_as_of} shows ${anchor.rows}`;
    const there = lost.find((record) => !this.#wasHidden(record, anchor));
    if (there !== undefined) return [`R4: ${what}: ${said}, and ${there.id} was there to see`];
    const known = this.#known.get(day) ?? this.#shown.get(day) ?? 0;
    if (forgetsNumbers || known < 10 || 2 * anchor.rows >= known) return [];
    if (this.#isAgreed(day, first, anchor)) return [];
    return [`R8: ${what}: ${said}, ${known} were known, and no reading an hour before agrees`];
  }

  /**
   * Whether a reading may lack a record. There are four reasons: an outage hid it, it moved to another day meanwhile, a listing that moved
   * skipped it (P6), or `Date` went back, so that the record lies in the future, which no window reaches. A reading may begin after the
   * end of its window.
   */
  #wasHidden(record: Life, report: ReportRow): boolean {
    const { first_as_of: first, last_as_of: last, began_at: now, window_end: end } = report;
    if (record.start >= Math.min(Date.parse(now), Date.parse(end))) return true;
    const [from, until] = [Date.parse(first), Date.parse(last)];
    const { outages } = this.#rules;
    return (
      isHidden(this.#rules, record, from) ||
      isHidden(this.#rules, record, until) ||
      outages.some(({ start }) => from <= start && start <= until) ||
      visible(record, seenSince(this.#rules, report, this.#warehouse)) === undefined
    );
  }

  /**
   * Whether an earlier reading agrees that the record is missing. An answer an hour or more before hid the record too, or a
   * reading an hour or more before showed as few records of the day: in an outage a moving listing may have skipped the record.
   */
  #isAgreed(day: string, record: Life, reading: ReportRow): boolean {
    const at = Date.parse(day);
    return (
      this.#isDoubted(day, reading) ||
      this.#blind.some(
        ({ start, end, date: then, asOf }) =>
          start <= at &&
          at < end &&
          then <= anHourBefore(Date.parse(reading.began_at)) &&
          isHidden(this.#rules, record, asOf),
      )
    );
  }

  /**
   * R2: the state names the day of every provisional cost that stands. A day that is due (R10) is excepted: the next sync reads it
   * anyway. Its newest reading is not confirmed, so the rows of an earlier reading stand, while the state has the newest sums.
   */
  #forgotten(passed: Passed): string[] {
    const { isComplete, keepsValues, state, from, followedFrom, tooOldFor } = passed;
    if (!isComplete || !keepsValues || this.#rules.stream !== "costs") return [];
    const { deduplicated } = this.#warehouse;
    const followed = new Set((state?.provisional ?? []).map(([day]) => day));
    const position = Date.parse(state?.position ?? iso(0));
    const faults: string[] = [];
    for (const [day, { rows, anchor }] of this.#days) {
      if (followed.has(day) || anchor === undefined || Date.parse(day) >= position) continue;
      if (tooOldFor.has(anchor.id)) continue;
      const start = Date.parse(day);
      if (state !== undefined && isDue({ start, end: start + DAY }, state)) continue;
      // No report covers the first day of retention as a whole, so a withdrawn row may still stand there (R5).
      if (!this.#known.has(day) || start < Math.max(from + DAY, followedFrom)) continue;
      // A5: rows that a newer report proves came again as strays with other values. Then an older report counts, and the provider has
      // withdrawn some of its rows.
      if (this.#proofsOf(day).some(({ reading_id: id }) => id > anchor.reading_id)) continue;
      // The state follows a cost that is posted later under a day of the window that shows it.
      const provisional = [...rows.values()].find(
        ({ status, record }) =>
          status === "provisional" &&
          !isPostedLater(this.#rules, record) &&
          !tooOldFor.has(deduplicated.costs.get(record.id)?.readingId ?? ""),
      );
      if (provisional !== undefined)
        faults.push(
          `R2: ${provisional.record.id} of ${day} stands, is provisional, and is not followed`,
        );
    }
    return faults;
  }
}

/** Whether a report covers its whole day. */
export function coversDay({
  day,
  covered_from: from,
  covered_through: through,
}: ReportRow): boolean {
  const start = Date.parse(day);
  return from === iso(start) && through === iso(start + DAY);
}
