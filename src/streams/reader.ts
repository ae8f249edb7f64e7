/**
 * Reads one stream: its windows, taken one by one by the lanes (flow.ts), and its state. After any failure the state says
 * exactly what has been written.
 */
import { knownRecords } from "../core/listing.ts";
import { formOf } from "../core/former.ts";
import { completed, replan, withoutFuture } from "../core/plan.ts";
import { retentionEdge } from "../core/retention.ts";
import { beginReading, type Reading, readPage } from "../core/reading.ts";
import { Sightings } from "../core/sightings.ts";
import { dropOpen, keepOpen, knownIds, knownOf } from "../core/state.ts";
import { hasUnreported } from "../core/unreported.ts";
import { ConnectorError } from "../errors.ts";
import * as protocol from "../protocol.ts";
import type { Output } from "../protocol.ts";
import { Completion } from "./completion.ts";
import { isAboutOf } from "./ended_reading.ts";
import { describeLost, describePlan, describeRead, positionInFuture } from "./describe.ts";
import type { WindowRead, WindowSource } from "./flow.ts";
import { HeldWindows } from "./held_windows.ts";
import type { RecordRules } from "./invalid.ts";
import { type JobQueue, queueOf } from "./job_queue.ts";
import { type Job, replanned, shortened, startOver, writesOf } from "./job.ts";
import { Ledger } from "./ledger.ts";
import { Notices } from "./notices.ts";
import { OpenWindow, toResume } from "./open_window.ts";
import type { ReaderOptions } from "./reader_options.ts";
import { isJudged, type WindowContext } from "./record_filter.ts";
import type { FetchedPage } from "./stream.ts";

/** How often a window whose cursor is refused begins again (S4). */
const MAXIMUM_RESTARTS = 2;

/** The window's start has left retention before the window's first request. */
class LeftRetention extends Error {}

export class StreamReader implements WindowSource {
  readonly #options: ReaderOptions;
  readonly #notices: Notices;
  readonly #ledger: Ledger;
  readonly #queue: JobQueue;
  readonly #sightings: Sightings;
  readonly #rules: RecordRules;
  readonly #failure = new AbortController();
  readonly #signal: AbortSignal;
  readonly #completion: Completion;
  readonly #held: HeldWindows;
  #error: ConnectorError | null = null;
  #active = 0;
  #pages = 0;

  constructor(options: ReaderOptions) {
    this.#options = options;
    const { plan, stream, source, policy, run, reports } = options;
    this.#sightings = new Sightings(run.limits);
    this.#notices = new Notices(stream.name, (message) => void this.#send(message));
    this.#rules = { stream, ...policy, warn: this.#notices.warn };
    const shared = {
      stream: stream.name,
      interval: policy.stateInterval,
      limits: run.limits,
      now: () => run.edges.clock.now(),
      unprovenBefore: () => source.unprovenBefore?.() ?? null,
      send: (item: Output) => this.#send(item),
    };
    this.#ledger = new Ledger(plan.state, {
      ...shared,
      owner: source.owner,
      ids: run.ids,
      note: () => source.note?.() ?? null,
      reported: options.reported,
      before: () => void reports?.keep(),
      warn: this.#notices.once,
    });
    this.#signal = AbortSignal.any([run.edges.stop, this.#failure.signal]);
    this.#held = new HeldWindows({ ...shared, ledger: this.#ledger });
    this.#completion = new Completion({
      ...shared,
      ledger: this.#ledger,
      plan,
      input: options.input,
      report: reports?.send ?? null,
      warn: (message) => this.#log("WARN", message),
      lacking: source.lacking ?? [],
      remembersAll: () => this.#sightings.isComplete,
      mayHaveOwner: (id) => this.#sightings.mayHaveOwner(id),
      queue: (job) => this.#queue.unshift(job),
    });
    for (const reading of plan.resumed) run.ids.follow(reading.id);
    for (const id of knownIds(plan.state)) run.ids.follow(id);
    const planned = (windows: number): void =>
      run.onProgress({ type: "PLANNED", stream: stream.name, windows });
    this.#queue = queueOf(plan, options.input, policy, planned);
  }

  get name(): string {
    return this.#options.stream.name;
  }

  /** Whether the stream was read to its end; false until it has been. */
  get succeeded(): boolean {
    const isRead = this.#queue.length === 0 && this.#active === 0 && !this.#completion.hasMore;
    return this.#error === null && isRead;
  }

  /** Sends the plan to the log; to be called before the first {@link take}. */
  async start(): Promise<void> {
    const { plan, run } = this.#options;
    run.onProgress({ type: "PLANNED", stream: this.name, windows: this.#queue.length });
    await this.#sendStatus("STARTED");
    for (const message of describePlan(this.name, plan)) await this.#send(message);
    await this.#sendStatus("RUNNING");
    // R10: no later process takes the reports of this one for those of all days.
    if (this.#options.reports !== null && hasUnreported(plan.state)) await this.#ledger.sendAhead();
    if (plan.positionInFuture) await this.#fail(positionInFuture(plan.state));
    // R10: strays of windows that were due may have to be listed although the plan reads nothing.
    if (this.#queue.length === 0) await this.#completion.goOn();
    if (this.#queue.length === 0) await this.#finish();
  }

  /** The next window to read, the earliest first; undefined if no window waits. */
  take(): WindowRead | undefined {
    const job = this.#error === null ? this.#queue.shift() : undefined;
    if (job === undefined) return undefined;
    this.#active += 1;
    let window: OpenWindow | null = null;
    return {
      request: async (parseAfter) => {
        window ??= this.#open(job);
        const page = await window.pages.next(parseAfter);
        window.endedAt = Math.trunc(this.#options.run.providerNow());
        this.#queue.saw(job, page.records.length);
        const endsWindow = page.nextCursor === null;
        this.#options.run.onProgress({ type: "ANSWERED", stream: this.name, endsWindow });
        return page;
      },
      write: async (page) => {
        if (window !== null) await this.#write(window, page);
      },
      end: async (failure) => {
        if (failure !== undefined)
          await this.#goOnAfter(window?.job ?? job, failure, window?.reading ?? null);
        else window?.memory.close();
        const isLast = this.#active === 1 && this.#queue.length === 0 && this.#error === null;
        if (isLast) await this.#end(await this.#held.release());
        this.#active -= 1;
        const isIdle = this.#active === 0 && this.#queue.length === 0 && this.#error === null;
        if (isIdle && this.#completion.hasMore) await this.#completion.goOn();
        const isOver = this.#active === 0 && (this.#error !== null || this.#queue.length === 0);
        if (isOver) await this.#finish();
      },
    };
  }

  /** @throws LeftRetention if the window's start has left retention before its first request */
  #open(job: Job): OpenWindow {
    const { plan, source, run, input, policy } = this.#options;
    // W3: a slow sync may reach a window only after its start has left retention.
    const edge = retentionEdge(run.providerNow(), input.retentionDays);
    if (job.reading === null && job.window.start < edge) throw new LeftRetention();
    const reading = job.reading ?? this.#begin(job, policy.pageSize);
    const { start, end, limit, cursor } = reading;
    const known = knownOf(this.#ledger.state);
    const held = knownRecords(known, job.window);
    const memory = job.memory ?? this.#sightings.open(job.replaced);
    const context: WindowContext = {
      rules: this.#rules,
      window: job.window,
      readingId: reading.id,
      // A resumed window may begin before the plan, after a later start date was set. Its records keep their own days (R2).
      planFrom: Math.min(plan.from, job.window.start),
      planEnd: plan.end,
      withTotals: reading.totals !== null,
      memory,
      purpose: job.purpose,
      writes: writesOf(job, reading, known),
      strays: this.#completion.strays,
      form: formOf(reading, known, this.#completion.strays.hasFormer),
    };
    const pages = source.openPages({ start, end, limit }, cursor, this.#signal, this.#notices.warn);
    const parts = { memory, pages, context, reading };
    return new OpenWindow({ ...job, memory }, { ...parts, knownRecords: held });
  }

  #begin(job: Job, limit: number): Reading {
    const { reports, run } = this.#options;
    const { window, startsOver, purpose, rewrites } = job;
    const { strays } = this.#completion;
    if (isJudged(purpose)) strays.readAgain(window, isAboutOf({ ...window, rewrites }));
    if (purpose.kind === "confirm") strays.readAgain(window, () => false);
    const more = { ...job, limit, withTotals: reports !== null };
    if (startsOver !== null) {
      return beginReading(window, { ...more, id: startsOver.id, beganAt: startsOver.beganAt });
    }
    const beganAt = Math.trunc(run.providerNow());
    const id = run.ids.next(this.#ledger.state.chain);
    return beginReading(window, { id, beganAt, ...more });
  }

  /**
   * Writes a page. The order matters: first the page's lines are handed over, then the report of the reading (after its last
   * page), then the STATE that covers both. If the process is killed in between, the next one reads the page again.
   */
  async #write(window: OpenWindow, page: FetchedPage): Promise<void> {
    const { run, input } = this.#options;
    await this.#completion.goesOn(window, page.asOf);
    let isHeld = false;
    const lines = await run.writer.write(this.name, (take) => {
      const emittedAt = run.edges.clock.now();
      const made = this.#orFail(() => this.#held.make(window, page, { emittedAt, take }));
      // In the same step: the page of another lane may release this window before this function goes on.
      window.reading = readPage(window.reading, { ...page, ...made }, input.now);
      isHeld = this.#held.has(window);
      return made;
    });
    window.pages.wrote(window.memory.endPage(window.knownRecords), page);
    if (this.#sightings.hasForgotten) {
      this.#notices.inform(
        "there are too many records to recognize every record that the provider repeats.",
      );
    }
    if (lines.totals.some(({ groups }) => groups === null)) {
      this.#notices.once(
        "some days have no control totals, and prove nothing: a record's amount is no decimal of at most 100 digits, a label is " +
          "longer than 200 characters, or the day has more than 200 groups.",
      );
    }
    this.#pages += 1;
    if (isHeld && !this.#held.isDue) return;
    await this.#end(isHeld ? await this.#held.release() : await this.#held.released());
    const isLast = page.nextCursor === null;
    if (isLast && !isHeld) await this.#end([window]);
    if (!isLast && isJudged(window.job.purpose))
      this.#ledger.update(keepOpen(this.#completion.behindPage, toResume(window), input.now));
    const left = this.#queue.length + this.#active;
    if (isLast && left === 1 && !this.#completion.hasMore) return; // the final STATE follows at once and covers this page
    await this.#ledger.sendWhenDue(left - 1);
  }

  /** To be called when all rows of these windows are handed over. */
  async #end(windows: readonly OpenWindow[]): Promise<void> {
    for (const window of windows) {
      this.#ledger.windowRead();
      await this.#completion.end(window);
    }
  }

  /**
   * Makes a page's lines. A failed page has already marked its rows as seen. A later page would drop them, so the stream stops
   * and makes no page after it.
   */
  #orFail<Result>(make: () => Result): Result {
    this.#failure.signal.throwIfAborted();
    try {
      return make();
    } catch (reason) {
      this.#failure.abort(stopped());
      throw reason;
    }
  }

  /**
   * Decides what follows the failure of a window. The order matters. A fault of a page's content costs the window its cursor,
   * also if the stream has failed already. In that case nothing else is left to do, because the failure of the stream has ended
   * this window too. Next come the failures that a window survives. Every other failure ends the stream.
   */
  async #goOnAfter(job: Job, reason: unknown, reading: Reading | null): Promise<void> {
    const error = ConnectorError.from(reason);
    // S4: the cursor failed in the process before, and this process has got no page for it either.
    const isStuck = error.code === "unavailable" && reading !== null && reading === job.reading;
    // V1: the next sync begins with the first page. The days that this reading wrote are unknown, so they are written again (R4).
    if (error.isOfContent || isStuck) this.#dropPassage(reading);
    if (this.#error !== null) return;
    if (reason instanceof LeftRetention) {
      this.#requeue(job);
      return;
    }
    if (error.code === "bad_request" && job.reading === null && (await this.#shorten(job))) return;
    if (error.code === "cursor_refused" && job.restarts < MAXIMUM_RESTARTS) {
      await this.#restart(job, error, reading);
      return;
    }
    await this.#fail(error);
  }

  /** W4: shortens a refused window that reaches past now to its last whole bucket. False if the window does not reach past now. */
  async #shorten(job: Job): Promise<boolean> {
    const windows = withoutFuture(job.window, this.#options.input);
    if (windows === null) return false;
    await this.#log(
      "INFO",
      "the provider refuses a window that ends in the future; reading up to the last whole bucket.",
    );
    this.#queue.unshift(...windows.map((window) => shortened(job, window)));
    return true;
  }

  /** S4: if the provider has refused a window's cursor, reads the window again from its first page. */
  async #restart(job: Job, error: ConnectorError, reading: Reading | null): Promise<void> {
    this.#dropPassage(reading);
    // No later process may go on with the old passage: rows of the new one may have the same reading id (R4).
    await this.#ledger.send();
    await this.#log("INFO", `${error.message} Reading the window again from its first page.`);
    job.memory?.restart();
    this.#requeue({ ...startOver(job, reading), restarts: job.restarts + 1 });
  }

  /** Takes a passage out of the state. */
  #dropPassage(reading: Reading | null): void {
    if (reading !== null) this.#ledger.update(dropOpen(this.#ledger.state, reading));
  }

  /** Puts a window back in front of the queue, under the floor of now. */
  #requeue(job: Job): void {
    const { input, run } = this.#options;
    const { windows, lost } = replan(job.window, { ...input, now: run.providerNow() });
    for (const message of describeLost(this.name, lost)) void this.#send(message);
    this.#queue.unshift(...replanned(job, windows, lost.length > 0));
  }

  async #fail(error: ConnectorError): Promise<void> {
    this.#error = error.of(this.name);
    this.#failure.abort(stopped());
    if (error.code === "aborted") return;
    const now = this.#options.run.edges.clock.now();
    await this.#send(protocol.errorTrace(this.#error.toTrace(), now));
  }

  async #finish(): Promise<void> {
    const { plan, onEnd, reports } = this.#options;
    onEnd();
    if (this.#error === null && this.#completion.isWhole) {
      this.#ledger.update(completed(this.#ledger.state, plan));
      reports?.passEnded();
    }
    await this.#ledger.sendLast();
    this.#notices.summarize();
    const reached = this.#error === null ? this.#ledger.state : null;
    const read = { records: this.#ledger.records, pages: this.#pages };
    await this.#log("INFO", describeRead(plan, reached, read));
    await this.#sendStatus(this.#error === null ? "COMPLETE" : "INCOMPLETE");
  }

  #log(level: protocol.LogLevel, message: string): Promise<void> {
    return this.#send(protocol.log(level, `${this.name}: ${message}`));
  }

  #sendStatus(status: protocol.StreamStatus): Promise<void> {
    const { clock } = this.#options.run.edges;
    return this.#send(protocol.streamStatus(this.name, status, clock.now()));
  }

  #send(item: Output): Promise<void> {
    return this.#options.run.outlet.send(item);
  }
}

/** The error that ends the requests of a stream's other windows. It is never reported as the cause of the stream's end. */
function stopped(): ConnectorError {
  return new ConnectorError("aborted", "The stream has failed in another window.");
}
