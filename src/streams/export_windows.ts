/** The stream `export_windows` (R5): the query, the times and the control totals of each complete reading. */
import { onOneLine } from "../core/lines.ts";
import { retentionFloor } from "../core/plan.ts";
import { type StateOwner, type Reading } from "../core/state.ts";
import { type Bucket, DAY, floorTo, formatDay, formatInstant } from "../core/time.ts";
import type { DayTotal } from "../core/totals.ts";
import type { Clock } from "../edges.ts";
import * as protocol from "../protocol.ts";
import type { Outlet } from "./flow.ts";
import type { Output } from "./stream.ts";

const NAME = "export_windows";

/** The facts of a report besides its reading. */
export interface ReadingContext {
  readonly owner: StateOwner;
  readonly bucket: Bucket;
  readonly retentionDays: number;
  /** The provider's clock, in milliseconds since 1970. */
  readonly now: number;
}

/** Writes the reports of all streams' readings, and keeps the stream's own state. */
export class ExportWindows {
  readonly #outlet: Outlet<Output>;
  readonly #clock: Clock;
  /** Tells one state from the next (S2): readings do not end in the order in which they began. */
  #lastReading: string | null;
  #newestReading: string | null;
  #pending = 0;
  #reports = 0;

  /** @param stored the stream's state, of which only ids are kept */
  constructor(outlet: Outlet<Output>, clock: Clock, stored: unknown) {
    this.#outlet = outlet;
    this.#clock = clock;
    this.#lastReading = idOf(stored, "last_reading_id");
    this.#newestReading = idOf(stored, "newest_reading_id") ?? this.#lastReading;
  }

  /** The newest reading id that this run or an earlier one has reported; null where there is none. */
  get newestReading(): string | null {
    return this.#newestReading;
  }

  async start(): Promise<void> {
    await this.#status("STARTED");
    await this.#status("RUNNING");
  }

  /**
   * Reports a reading whose last page was written. The reading's own stream sends {@link sendState} before its next STATE. The caller waits for this before the state counts the window as read, so that
   * each reading is reported. A reading that began without totals proves nothing and is not reported.
   */
  async report(reading: Reading, context: ReadingContext): Promise<void> {
    if (reading.totals === null) return;
    const rows = rowsOf(reading, reading.totals, context);
    const begin = `{"type":"RECORD","record":{"stream":"${NAME}","data":`;
    const end = `,"emitted_at":${this.#clock.now()}}}\n`;
    const text = rows.map((row) => `${begin}${onOneLine(JSON.stringify(row))}${end}`).join("");
    this.#pending += rows.length;
    this.#reports += 1;
    this.#lastReading = reading.id;
    if (reading.id > (this.#newestReading ?? "")) this.#newestReading = reading.id;
    const bytes = Buffer.from(text);
    await this.#outlet.send({ type: "RECORD_LINES", stream: NAME, bytes, count: rows.length });
  }

  /**
   * Sends a STATE if there are reports since the last one. Each other stream calls this just before it sends a STATE of its own:
   * so no state says that a window is read before the report of its reading is kept.
   */
  async sendState(): Promise<void> {
    if (this.#pending > 0) await this.#sendState();
  }

  /** Ends the stream; `complete` unless the run was stopped. */
  async finish(complete: boolean): Promise<void> {
    if (this.#reports === 0 || this.#pending > 0) await this.#sendState();
    await this.#status(complete ? "COMPLETE" : "INCOMPLETE");
  }

  async #sendState(): Promise<void> {
    const recordCount = this.#pending;
    this.#pending = 0;
    const state = {
      version: 1,
      last_reading_id: this.#lastReading,
      newest_reading_id: this.#newestReading,
    };
    await this.#outlet.send(protocol.state(NAME, state, recordCount));
  }

  async #status(status: protocol.StreamStatus): Promise<void> {
    await this.#outlet.send(protocol.streamStatus(NAME, status, this.#clock.now()));
  }
}

function idOf(stored: unknown, name: string): string | null {
  if (typeof stored !== "object" || stored === null) return null;
  const id: unknown = Reflect.get(stored, name);
  return typeof id === "string" ? id : null;
}

/** One row for each UTC day of the window, and one for each other day that records start on. */
function rowsOf(
  reading: Reading,
  totals: readonly DayTotal[],
  context: ReadingContext,
): protocol.JsonObject[] {
  const days: DayTotal[] = [];
  for (let day = floorTo(DAY, reading.start); day < reading.end; day += DAY) {
    const found = totals.find((total) => total.inside && total.day === day);
    days.push(found ?? { day, inside: true, records: 0, groups: [] });
  }
  days.push(...totals.filter(({ inside }) => !inside));
  return days.map((total) => rowOf(reading, total, context));
}

function rowOf(
  reading: Reading,
  total: DayTotal,
  { owner, bucket, retentionDays, now }: ReadingContext,
): protocol.JsonObject {
  const floor = retentionFloor(now, retentionDays) + DAY;
  const from = Math.max(total.day, reading.start, floor);
  const through = Math.min(
    total.day + DAY,
    floorTo(bucket, Math.min(reading.end, reading.availableThrough)),
  );
  const covers = total.inside && total.groups !== null && from < through;
  return {
    reading_id: reading.id,
    dataset: owner.dataset,
    granularity: owner.granularity,
    account: owner.account,
    base_url: owner.base_url,
    window_start: formatInstant(reading.start),
    window_end: formatInstant(reading.end),
    day: formatDay(total.day),
    inside_window: total.inside,
    covered_from: covers ? formatInstant(from) : null,
    covered_through: covers ? formatInstant(through) : null,
    began_at: formatInstant(reading.beganAt),
    ended_at: formatInstant(now),
    resumed: reading.resumed,
    first_as_of: reading.firstAsOf,
    last_as_of: reading.lastAsOf,
    moved: reading.moved,
    records: total.records,
    totals:
      total.groups?.map(({ labels, amounts, records }) => ({ ...labels, records, ...amounts })) ??
      null,
  };
}
