/** The stream `export_windows` (R5): the query, the times and the control totals of each complete reading. */
import * as z from "zod";
import type { ReadingIds } from "../core/identity.ts";
import { onOneLine } from "../core/lines.ts";
import { retentionFloor } from "../core/retention.ts";
import type { Reading } from "../core/reading.ts";
import type { StateOwner } from "../core/state.ts";
import { type Bucket, DAY, floorTo, formatDay, formatInstant } from "../core/time.ts";
import type { DayTotal } from "../core/totals.ts";
import type { Clock } from "../edges.ts";
import * as protocol from "../protocol.ts";
import type { Output } from "../protocol.ts";
import type { ReadingReport } from "./ended_reading.ts";
import type { Outlet } from "./flow.ts";
import { streams } from "./index.ts";
import { ReportCounts, type Reported } from "./reported.ts";

const NAME = "export_windows";

/** The facts of a report besides its reading. */
export interface ReadingContext {
  readonly owner: StateOwner;
  /** The chain of the stream's reading ids (R4). */
  readonly chain: string;
  readonly bucket: Bucket;
  readonly retentionDays: number;
  /** The provider's clock, in milliseconds since 1970. */
  readonly now: number;
}

/** The reports that are missing behind a state of their stream (R10). */
export type Missing = "none" | "some" | "all";

export interface ExportOptions {
  readonly outlet: Outlet<Output>;
  readonly clock: Clock;
  readonly ids: Pick<ReadingIds, "reserve">;
  /** The stream's state, of which only ids are kept. */
  readonly stored: unknown;
}

/** Writes the reports of all streams' readings, and keeps the stream's own state. */
export class ExportWindows {
  readonly #outlet: Outlet<Output>;
  readonly #clock: Clock;
  readonly #ids: ExportOptions["ids"];
  /** The reading that was reported last. It makes each STATE differ from the one before (S2). */
  #lastReading: string | null;
  /** R4: the reports have ids up to this one, which is in a STATE before the first of them. */
  #newestReading: string | null;
  /** The last readings that STATEs with the present newest id have named. */
  readonly #named = new Set<string | null>();
  /** The streams of which reports have told since this stream is new, or was cleared (R10). */
  readonly #told: Set<string>;
  /** The streams with a pass that has been reported, and that has not ended yet (P5). */
  readonly #underWay: Set<string>;
  readonly #counts: ReportCounts;
  #hasEnded = false;
  #pending = 0;
  #reports = 0;

  constructor({ outlet, clock, ids, stored }: ExportOptions) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.#ids = ids;
    this.#lastReading = idOf(stored, "last_reading_id");
    this.#newestReading = newestReadingOf(stored);
    const known = this.#newestReading === null ? null : stored;
    this.#told = new Set(known === null ? [] : namesIn(known, "streams"));
    this.#underWay = new Set(known === null ? [] : namesIn(known, "under_way"));
    this.#counts = new ReportCounts(known);
  }

  /** Whether no run has reported a reading of a stream yet, as far as the state tells. */
  isNewFor(stream: string): boolean {
    return !this.#told.has(stream);
  }

  /**
   * To be called before the first report of a stream.
   *
   * @param stored the state of the stream
   * @returns which reports are missing that the state would need: all, because none has told of the stream, or some of those that came
   *   before the state (R10)
   */
  begins(stream: string, stored: unknown): Missing {
    const hasLost = this.#counts.lack(stream, stored);
    return this.isNewFor(stream) ? "all" : hasLost ? "some" : "none";
  }

  /** The reports of a stream up to now. */
  reportedOf(stream: string): Reported | null {
    return this.#counts.of(stream);
  }

  /** Whether a pass of a stream has been reported, and has not ended, as far as the state tells (P5). */
  isUnderWay(stream: string): boolean {
    return this.#underWay.has(stream);
  }

  /** To be called when the pass of a stream has ended, before the stream's last {@link sendState}. */
  passEnded(stream: string): void {
    if (this.#underWay.delete(stream)) this.#hasEnded = true;
  }

  /** The newest reading id that this run or an earlier one may have reported; null if there is none. */
  get newestReading(): string | null {
    return this.#newestReading;
  }

  async start(): Promise<void> {
    await this.#status("STARTED");
    await this.#status("RUNNING");
  }

  /**
   * Reports a reading whose last page was written. The reading's own stream sends {@link sendState} before its next STATE. The
   * caller waits for this before the state counts the window as read, so that each reading is reported. A reading that began
   * without totals proves nothing and is not reported.
   */
  async report(said: ReadingReport, context: ReadingContext): Promise<void> {
    const { reading } = said;
    if (reading.totals === null) return;
    const rows = rowsOf(said, reading.totals, context);
    const begin = `{"type":"RECORD","record":{"stream":"${NAME}","data":`;
    const end = `,"emitted_at":${this.#clock.now()}}}\n`;
    const text = rows.map((row) => `${begin}${onOneLine(JSON.stringify(row))}${end}`).join("");
    const { dataset } = context.owner;
    const isFirst = this.isNewFor(dataset) || !this.isUnderWay(dataset);
    if (isFirst || reading.id > (this.#newestReading ?? "")) {
      this.#told.add(dataset);
      this.#underWay.add(dataset);
      this.#reserve(reading.id);
      void this.#sendState(); // queued before the report
    }
    this.#counts.add(dataset, reading.id);
    this.#pending += rows.length;
    this.#reports += 1;
    this.#lastReading = reading.id;
    const bytes = Buffer.from(text);
    await this.#outlet.send({ type: "RECORD_LINES", stream: NAME, bytes, count: rows.length });
  }

  /**
   * Sends a STATE if there are reports since the last one, or a pass has ended. Each other stream calls this just before it sends a STATE
   * of its own: so no state says that a window is read before the report of its reading is kept.
   */
  async sendState(): Promise<void> {
    if (this.#pending > 0 || this.#hasEnded) await this.#sendState();
  }

  /** Ends the stream; `complete` unless the run was stopped. */
  async finish(complete: boolean): Promise<void> {
    if (this.#reports === 0 || this.#pending > 0) await this.#sendState();
    await this.#status(complete ? "COMPLETE" : "INCOMPLETE");
  }

  #reserve(id: string): void {
    this.#newestReading = this.#ids.reserve(id);
    this.#named.clear();
  }

  async #sendState(): Promise<void> {
    const last = this.#lastReading;
    // A reading that is reported in parts may become the last reading a second time, after the report of another one (S2).
    if (last !== null && this.#named.has(last)) this.#reserve(last);
    this.#named.add(last);
    const recordCount = this.#pending;
    this.#pending = 0;
    this.#hasEnded = false;
    const state = {
      version: 1,
      last_reading_id: this.#lastReading,
      newest_reading_id: this.#newestReading,
      streams: [...this.#told].toSorted(),
      under_way: [...this.#underWay].toSorted(),
      reported: this.#counts.toJSON(),
    };
    await this.#outlet.send(protocol.state(NAME, state, recordCount));
  }

  async #status(status: protocol.StreamStatus): Promise<void> {
    await this.#outlet.send(protocol.streamStatus(NAME, status, this.#clock.now()));
  }
}

/** The newest reading id that a run may have reported, from the state of `export_windows`; null if the state names none (R4). */
export const newestReadingOf = (stored: unknown): string | null =>
  idOf(stored, "newest_reading_id") ?? idOf(stored, "last_reading_id");

function idOf(stored: unknown, name: string): string | null {
  if (typeof stored !== "object" || stored === null) return null;
  const id: unknown = Reflect.get(stored, name);
  return typeof id === "string" ? id : null;
}

/** The streams in a member of a state. A state of an earlier version has no such member, and stands for all streams. */
function namesIn(stored: unknown, member: string): readonly string[] {
  const names = z.array(z.string()).safeParse(Reflect.get(Object(stored), member));
  return names.data ?? streams.map(({ name }) => name);
}

/** A row for each UTC day that the reading was about. For strays, a row for each day and each reading that wrote them. */
function rowsOf(
  said: ReadingReport,
  totals: readonly DayTotal[],
  context: ReadingContext,
): protocol.JsonObject[] {
  const { reading } = said;
  const about = aboutOf(said, context);
  // Strays may start on 50,000 days, so their totals are not searched one by one (L2).
  const byDay = Map.groupBy(totals, ({ day }) => day);
  const totalOf = (day: number, inside: boolean): DayTotal | undefined =>
    byDay.get(day)?.find((total) => total.inside === inside);
  const days = said.days.map((report) => ({
    id: `${reading.id}-${formatDay(report.day)}`,
    ...about,
    ...coverageOf(reading, report.day, context),
    day: formatDay(report.day),
    inside_window: true,
    rows_reading_id: report.rowsReadingId,
    rows: report.rows,
    records: report.records,
    confirmed: report.confirmed,
    shrunk: report.shrunk,
    totals: totalsOf(totalOf(report.day, true), report.records),
  }));
  const strays = said.strays.map(({ day, rowsReadingId, records }) => ({
    id: `${reading.id}-${formatDay(day)}-outside-${rowsReadingId}`,
    ...about,
    covered_from: null,
    covered_through: null,
    day: formatDay(day),
    inside_window: false,
    rows_reading_id: rowsReadingId,
    rows: records,
    records,
    confirmed: !reading.moved,
    shrunk: false,
    totals: rowsReadingId === reading.id ? totalsOf(totalOf(day, false), records) : null,
  }));
  // A process may die between two rows. A reading tells of the strays that are gone by the rows of its days, so these come last.
  return [...strays, ...days];
}

/** The members that all rows of a reading share. */
function aboutOf(
  { reading, pass, endedAt, isWhole }: ReadingReport,
  { owner, chain }: ReadingContext,
): protocol.JsonObject {
  return {
    reading_id: reading.id,
    chain,
    dataset: owner.dataset,
    granularity: owner.granularity,
    account: owner.account,
    base_url: owner.base_url,
    window_start: formatInstant(reading.start),
    window_end: formatInstant(reading.end),
    whole_window: isWhole,
    began_at: formatInstant(reading.beganAt),
    ended_at: formatInstant(endedAt),
    pass_began_at: formatInstant(pass.beganAt),
    earlier_ended: pass.earlierEnded,
    resumed: reading.resumed,
    first_as_of: reading.firstAsOf,
    last_as_of: reading.lastAsOf,
    moved: reading.moved,
  };
}

/** The part of a day that the reading covers: not near the retention floor, and not beyond the available data. */
function coverageOf(
  reading: Reading,
  day: number,
  { bucket, retentionDays, now }: ReadingContext,
): protocol.JsonObject {
  const floor = retentionFloor(now, retentionDays) + DAY;
  const from = Math.max(day, reading.start, floor);
  const through = Math.min(
    day + DAY,
    floorTo(bucket, Math.min(reading.end, reading.availableThrough)),
  );
  const covers = from < through;
  return {
    covered_from: covers ? formatInstant(from) : null,
    covered_through: covers ? formatInstant(through) : null,
  };
}

/** Null if a record has no exact amount: a sum that is not exact proves nothing. */
function totalsOf(total: DayTotal | undefined, records: number): unknown {
  const groups = total === undefined ? [] : total.groups;
  if (groups === null) return null;
  const counted = groups.reduce((sum, group) => sum + group.records, 0);
  if (counted !== records) return null;
  return groups.map(({ labels, amounts, records: own }) => ({
    ...labels,
    records: own,
    ...amounts,
  }));
}
