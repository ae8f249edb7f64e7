/**
 * Reads one stream: its windows, taken one by one by the lanes, and its state. Whatever happens, the state says exactly
 * what has been written.
 */
import { type ReadingIds, Tables } from "../core/identity.ts";
import {
  type PlanInput,
  completed,
  type Plan,
  replan,
  retentionEdge,
  withoutFuture,
} from "../core/plan.ts";
import {
  advance,
  beginReading,
  dropOpen,
  type StateOwner,
  finishReading,
  keepOpen,
  type Reading,
  readPage,
  type StreamState,
} from "../core/state.ts";
import { formatInstant } from "../core/time.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import * as protocol from "../protocol.ts";
import { Notices } from "./notices.ts";
import { type Job, jobOf, replanned } from "./job.ts";
import type { Outlet } from "./outlet.ts";
import { PageWriter } from "./page_writer.ts";
import { toLines } from "./records.ts";
import { Repeats } from "./repeats.ts";
import { encodeState } from "./state_codec.ts";
import { countOf, describeLost, describePlan } from "./describe.ts";
import type {
  FetchedPage,
  Granularity,
  LanePlace,
  Output,
  PageSource,
  StreamDefinition,
} from "./stream.ts";

/** How often a window whose cursor is refused begins again (S4). */
const MAXIMUM_RESTARTS = 2;

export interface ReaderOptions {
  readonly stream: StreamDefinition;
  readonly plan: Plan<StreamState>;
  readonly circumstances: PlanInput;
  readonly fingerprint: StateOwner;
  readonly granularity: Granularity | null;
  readonly pageSize: number;
  readonly invalidRecords: "fail" | "warn";
  readonly pages: PageSource;
  readonly outlet: Outlet<Output>;
  readonly clock: Clock;
  readonly random: () => number;
  /** Lets requests leave, and answers come in, before a page is worked on. */
  readonly nextTurn: () => Promise<void>;
  /** Names readings, after all that are known of (R4). */
  readonly ids: ReadingIds;
  /** The provider's clock, in milliseconds since 1970. */
  readonly providerNow: () => number;
  /** The least time between two STATEs but the last, in milliseconds. */
  readonly stateInterval: number;
  /** Ends the reading of all streams. */
  readonly stop: AbortSignal;
  /** Told of every complete reading, before the state says so; null where the catalog does not ask for it (R5). */
  readonly report: ((reading: Reading) => Promise<void>) | null;
  /** Called once the stream is over, read or not. */
  readonly onEnd: () => void;
}

export class StreamReader {
  readonly #options: ReaderOptions;
  readonly #notices: Notices;
  readonly #queue: Job[];
  readonly #edgeRecords = new Repeats();
  readonly #writer: PageWriter;
  /** Memory of windows that have been read, for those to come. */
  readonly #tables = new Tables();
  readonly #failure = new AbortController();
  readonly #signal: AbortSignal;
  #state: StreamState;
  #error: ConnectorError | null = null;
  #active = 0;
  #lastStateAt = -Infinity;
  #lastState = "";
  #windowsRead = 0;
  #records = 0;
  #pages = 0;
  #bytes = 0;
  /** Records handed over since the last STATE. */
  #pending = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { plan, stream, stop, outlet, nextTurn } = options;
    this.#writer = new PageWriter(stream.name, outlet, nextTurn);
    this.#notices = new Notices(stream.name, (message) => void outlet.send(message));
    this.#signal = AbortSignal.any([stop, this.#failure.signal]);
    this.#state = plan.state;
    for (const { id } of plan.resumed) options.ids.follow(id);
    this.#queue = [
      ...plan.resumed.map((reading) => jobOf(reading, reading)),
      ...plan.windows.map((window) => jobOf(window, null)),
    ].toSorted((a, b) => a.window.start - b.window.start);
  }

  get name(): string {
    return this.#options.stream.name;
  }

  /** Whether the stream was read to its end; false until it has been. */
  get succeeded(): boolean {
    return this.#error === null && this.#queue.length === 0 && this.#active === 0;
  }

  /** Says what is to be read; before the first {@link take}. */
  async start(): Promise<void> {
    const { plan, clock } = this.#options;
    await this.#send(protocol.streamStatus(this.name, "STARTED", clock.now()));
    for (const message of describePlan(this.name, plan)) await this.#send(message);
    await this.#send(protocol.streamStatus(this.name, "RUNNING", clock.now()));
    if (this.#queue.length === 0) await this.#finish();
  }

  /** The next window to read, the earliest first; undefined where none waits. */
  take(): Job | undefined {
    const job = this.#error === null ? this.#queue.shift() : undefined;
    if (job === undefined) return undefined;
    this.#active += 1;
    return { ...job, repeats: job.repeats ?? new Repeats(this.#tables) };
  }

  /** Reads a window to its end. Never throws: a fault ends the stream, and its last STATE says what was read. */
  async read(job: Job, place: LanePlace): Promise<void> {
    try {
      const isOver = await this.#readWindow(job, place);
      if (isOver) job.repeats?.release();
    } catch (reason) {
      await this.#goOnAfter(job, ConnectorError.from(reason));
    }
    this.#active -= 1;
    const over = this.#active === 0 && (this.#error !== null || this.#queue.length === 0);
    if (over) await this.#finish();
  }

  /** Whether the window is over: it is not where it had to be planned anew. */
  async #readWindow(job: Job, place: LanePlace): Promise<boolean> {
    if (job.reading === null && this.#hasLeftRetention(job)) return false;
    const { pages, circumstances, pageSize } = this.#options;
    let reading = job.reading ?? this.#begin(job, pageSize);
    const { start, end, limit, cursor } = reading;
    for await (const page of pages({ start, end, limit }, cursor, this.#signal, place)) {
      if (page.nextCursor === null) place.onLastPage();
      reading = await this.#emit(job, reading, page);
      const { now, bucket } = circumstances;
      if (page.nextCursor === null) {
        await this.#options.report?.(reading);
        const state = finishReading(this.#state, reading, now);
        this.#windowsRead += 1;
        this.#state =
          state.mode === "incremental"
            ? advance(state, this.#options.plan.rereadFrom, bucket)
            : state;
      } else {
        this.#state = keepOpen(this.#state, reading, now);
      }
      const isLast = page.nextCursor === null && this.#active === 1 && this.#queue.length === 0;
      if (!isLast) await this.#sendStateWhenDue(); // after the last page the final STATE says it all
    }
    return true;
  }

  #begin({ window, startsOver }: Job, limit: number): Reading {
    const totals = this.#options.report === null ? null : [];
    if (startsOver !== null) {
      const { id, beganAt, resumed } = startsOver;
      return { ...beginReading(window, { id, limit, beganAt }, totals), resumed };
    }
    const { providerNow, random, ids } = this.#options;
    const beganAt = Math.trunc(providerNow());
    return beginReading(window, { id: ids.next(beganAt, random()), limit, beganAt }, totals);
  }

  /** Writes a page's records and counts it; the reading as it is after the page. */
  async #emit(job: Job, reading: Reading, page: FetchedPage): Promise<Reading> {
    const { stream, plan, granularity, invalidRecords, clock, circumstances } = this.#options;
    const repeats = job.repeats ?? new Repeats();
    const lines = await this.#writer.write((take) => {
      const context = {
        stream,
        granularity,
        invalidRecords,
        window: reading,
        readingId: reading.id,
        from: plan.from,
        emittedAt: clock.now(),
        repeats,
        seenSinceRestart: job.seenSinceRestart ?? repeats,
        withTotals: reading.totals !== null,
        edgeRecords: this.#edgeRecords,
        warn: this.#notices.warn,
      };
      const made = this.#orFail(() => toLines(page.records, context, take));
      this.#pending += made.count;
      return made;
    });
    if (repeats.hasForgotten || this.#edgeRecords.hasForgotten) {
      this.#notices.once("there are too many records to recognize each that a provider repeats.");
    }
    this.#pages += 1;
    this.#records += lines.count;
    this.#bytes += lines.bytes.length;
    return readPage(reading, { ...page, ...lines, records: lines.records }, circumstances.now);
  }

  /**
   * The fingerprints of a page that cannot be made may stay behind, and another window's page lose what they stand for: no
   * page is made after it.
   */
  #orFail<Result>(make: () => Result): Result {
    this.#failure.signal.throwIfAborted();
    try {
      return make();
    } catch (reason) {
      this.#failure.abort(ConnectorError.from(reason));
      throw reason;
    }
  }

  /** W3: a slow sync may reach a window only after its start has left retention. */
  #hasLeftRetention(job: Job): boolean {
    const now = this.#options.providerNow();
    const at = { ...this.#options.circumstances, now };
    if (job.window.start >= retentionEdge(now, at.retentionDays)) return false;
    this.#requeue(job, at);
    return true;
  }

  async #goOnAfter(job: Job, error: ConnectorError): Promise<void> {
    const { circumstances, providerNow } = this.#options;
    if (error.code === "bad_request" && job.reading === null) {
      const windows = withoutFuture(job.window, circumstances);
      if (windows !== null) {
        await this.#send(
          protocol.log(
            "INFO",
            `${this.name}: the provider refuses a window that ends in the future; reading up to the last whole bucket.`,
          ),
        );
        this.#queue.unshift(...windows.map((window) => ({ ...job, window })));
        return;
      }
    }
    if (error.code === "cursor_refused" && job.restarts < MAXIMUM_RESTARTS) {
      const { start, end } = job.window;
      const all = this.#state.pass?.open ?? [];
      const open = all.find((each) => each.start === start && each.end === end) ?? null;
      if (open !== null) this.#state = dropOpen(this.#state, open.id);
      await this.#send(
        protocol.log(
          "WARN",
          `${this.name}: ${error.message} Reading the window anew from its first page.`,
        ),
      );
      const restarts = job.restarts + 1;
      const again = { ...job, startsOver: open, restarts, seenSinceRestart: new Repeats() };
      this.#requeue(again, { ...circumstances, now: providerNow() });
      return;
    }
    await this.#fail(error);
  }

  /** Puts a window back in front of the queue, under the floor and limits of `at`. */
  #requeue(job: Job, at: PlanInput): void {
    const { windows, lost } = replan(job.window, at);
    for (const message of describeLost(this.name, lost)) void this.#send(message);
    this.#queue.unshift(...replanned(job, windows, lost.length > 0));
  }

  async #fail(error: ConnectorError): Promise<void> {
    if (this.#error !== null) return;
    this.#error = error.of(this.name);
    this.#failure.abort(this.#error);
    if (error.code === "aborted") return;
    await this.#send(protocol.errorTrace(this.#error.toTrace(), this.#options.clock.now()));
  }

  async #finish(): Promise<void> {
    const { plan, clock, onEnd } = this.#options;
    onEnd();
    if (this.#error === null && !plan.positionInFuture) this.#state = completed(this.#state, plan);
    await this.#sendState();
    this.#notices.summarize();
    await this.#send(protocol.log("INFO", this.#summary()));
    const status = this.#error === null ? "COMPLETE" : "INCOMPLETE";
    await this.#send(protocol.streamStatus(this.name, status, clock.now()));
  }

  #summary(): string {
    const read = `${this.name}: ${countOf(this.#records, "record")} in ${countOf(this.#pages, "page")}`;
    const { mode } = this.#state;
    return mode === "incremental" && this.#error === null
      ? `${read}; complete through ${formatInstant(this.#state.position)}.`
      : `${read}.`;
  }

  async #sendStateWhenDue(): Promise<void> {
    const now = this.#options.clock.now();
    if (now - this.#lastStateAt < this.#options.stateInterval) return;
    this.#lastStateAt = now; // at once: other lanes come by while the estimate is on its way
    await this.#sendEstimate(now);
    await this.#sendState();
  }

  async #sendState(): Promise<void> {
    this.#lastStateAt = this.#options.clock.now();
    const state = encodeState(this.#state, this.#options.fingerprint);
    const text = JSON.stringify(state);
    // Platforms count on states that differ (S2). Records that are still pending are of a page whose progress is not in
    // the state yet: they are counted with the STATE that covers them.
    if (text === this.#lastState) return;
    this.#lastState = text;
    const recordCount = this.#pending;
    this.#pending = 0;
    await this.#send(protocol.state(this.name, state, recordCount));
  }

  /** What the whole sync is likely to come to, by the windows that have been read. */
  async #sendEstimate(now: number): Promise<void> {
    if (this.#windowsRead === 0) return;
    const windows = this.#windowsRead + this.#queue.length + this.#active - 1;
    const times = windows / this.#windowsRead;
    const [rows, bytes] = [this.#records, this.#bytes].map((sum) => Math.round(sum * times));
    await this.#send(protocol.estimate(this.name, rows ?? 0, bytes ?? 0, now));
  }

  #send(item: Output): Promise<void> {
    return this.#options.outlet.send(item);
  }
}
