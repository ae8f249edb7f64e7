/**
 * The steps between a window's last page and the moment when the window counts as finished:
 *
 *     window read ─► its days are judged (R6) and reported (R5) ─► some differ ─► second reading ─┐
 *                                                  │                                              │
 *                                                  ▼                                              │
 *                       has strays (P5)? ── no ──► finished ◄─────────────────────────────────────┘
 *                              │ yes: waits until all windows are read
 *                              ▼
 *     days that strays start on are looked at ─► strays without an owner are written ─► finished
 *
 * A window whose strays do not come again, or would need too many looks, is not finished: the pass stays in the state, and the next
 * sync reads the window again.
 */
import { renewed } from "../core/former.ts";
import { daysAbout } from "../core/reading.ts";
import { uncoveredDays } from "../core/retention.ts";
import { settle, settleAgain, type Settlement } from "../core/settle.ts";
import {
  advance,
  finishWindow,
  knownOf,
  settleReading,
  type StreamState,
  withLoss,
} from "../core/state.ts";
import { afterReport, tellsLate, withUnreported } from "../core/unreported.ts";
import { clip, dayRange, intersect, type Range, rangesOf } from "../core/window.ts";
import { announce, isNamed } from "./announce.ts";
import type { CompletionOptions } from "./completion_options.ts";
import { Confirmations } from "./confirmations.ts";
import { describeAbsent, describeShrunk, tooManyLooks, tooManyStrays } from "./describe.ts";
import { DueWindows } from "./due_windows.ts";
import {
  asLearned,
  doubtOf,
  doubtsOf,
  type EndedWindow,
  incompleteDays,
  isAboutOf,
  otherDays,
  type Resumable,
  standingOf,
  standsAsShown,
  withStrayCosts,
} from "./ended_reading.ts";
import { jobAgain, jobOf, rewriteJob } from "./job.ts";
import { straysOf } from "./known_strays.ts";
import { Losses } from "./losses.ts";
import { Reporter } from "./reporter.ts";
import { STATES_AT_ONCE, StrayReads } from "./stray_reads.ts";
import type { Strays } from "./strays.ts";
import { type Waiting, WaitingWindows } from "./waiting_windows.ts";

export class Completion {
  readonly strays: Strays;
  readonly #options: CompletionOptions;
  readonly #due: DueWindows;
  readonly #losses: Losses;
  readonly #reads: StrayReads;
  readonly #confirmations: Confirmations;
  readonly #reporter: Reporter;
  readonly #waiting = new WaitingWindows();

  constructor(options: CompletionOptions) {
    this.#options = options;
    this.strays = straysOf(options);
    this.#due = new DueWindows(options.input.now);
    this.#confirmations = new Confirmations(options);
    this.#losses = new Losses(options.plan.state.pass, () => this.#reads.awaited.days);
    this.#reads = new StrayReads(this.strays, options);
    this.#reporter = new Reporter(this.strays.groups, this.#reads.awaited, options);
  }

  /** Whether every window that was read counts as finished. */
  get isWhole(): boolean {
    return this.#waiting.leavesNone;
  }

  /** Whether {@link goOn} has more to do once all windows are read. */
  get hasMore(): boolean {
    const hasWaiting = !this.#waiting.isEmpty || this.#reads.hasUnjudged;
    return hasWaiting || this.#losses.hasOvertaken || this.strays.listings.hasUnlisted;
  }

  /** To be called before each page is written. */
  async goesOn(window: Resumable, asOf: string): Promise<void> {
    await this.#reporter.doubt(doubtOf(window, asOf));
  }

  /** To be called once for each reading, after its last page. */
  async end(ended: EndedWindow): Promise<void> {
    const { job } = ended;
    switch (job.purpose.kind) {
      case "window":
      case "rewrite":
        return await this.#settle(ended);
      case "collect":
        return await this.#collected(ended);
      case "strays":
        return await this.#wroteStrays(ended, job.purpose.ids);
      case "confirm":
        return await this.#confirmed(ended, job.purpose.days);
      case "look":
        return await this.#options.ledger.leave(
          otherDays(knownOf(this.#options.ledger.state), ended.reading, job.purpose.days),
        );
    }
  }

  /** Judges the days of a reading, and warns of those that show less than half. No other window comes between this and the caller. */
  async #judged({ job, reading, endedAt, alsoWritten, writes }: EndedWindow): Promise<Settlement> {
    const { ledger, limits, warn } = this.#options;
    const isOut = (day: number): boolean => writes(day) || alsoWritten.includes(day);
    const incomplete = incompleteDays(reading, job, isOut);
    const unprovenBefore = this.#options.unprovenBefore();
    const judge = (): Settlement =>
      settle(
        renewed(knownOf(ledger.state), reading.digests),
        { ...reading, endedAt, incomplete, unprovenBefore, rows: job.written },
        alsoWritten,
      );
    for (const message of describeShrunk(judge().shrunk)) await warn(message);
    if (this.strays.pending.takeRefusal()) await warn(tooManyStrays(limits));
    // Other windows may have changed the state while a warning was sent.
    return judge();
  }

  async #settle(ended: EndedWindow): Promise<void> {
    const { job, reading, endedAt, pageCount } = ended;
    const { ledger, input, queue, report, lacking, warn } = this.#options;
    const isWhole = job.purpose.kind === "window" && !job.isLook;
    for (const day of job.written.keys()) this.#reads.written.add(day);
    const settlement = await this.#judged(ended);
    // The earlier process that began a resumed reading may have seen strays that this process does not know.
    const shows = !isWhole || reading.resumed ? "part" : reading.moved ? "moved" : "all";
    const open = this.strays.listings.unlisted();
    const misses = this.strays.judge({ ...reading, endedAt }, isAboutOf(reading), shows);
    if (reading.resumed) this.strays.listings.judgeNext(reading);
    if (shows !== "part") this.#reads.read.push({ ...reading, endedAt });
    this.#reads.expectStrays(reading);
    const { rewrites, doubtful } = settlement;
    const days = this.#reads.awaited.judged(settlement.reports);
    this.strays.listings.reported(days, reading.id);
    const reports = report && days;
    const isLate = tellsLate(ledger.state, reports);
    const isLost = this.strays.listings.loses();
    this.strays.settle((day) => standsAsShown(settlement, reading, day));
    const lists = this.#reporter.lists(this.strays.doubts.shownBy(reading), shows);
    const hasLost = settlement.hasLost || misses || isLost || isLate || lists.hasLost;
    const missed = this.#lose({ ...reading, ...lists, endedAt, days: daysAbout(reading) }, hasLost);
    const doubted = misses ? doubtsOf(settlement, reading) : [];
    const unproven = rangesOf([...settlement.shrunk, ...doubted, ...lists.awaiting]);
    this.#announce([...unproven, ...missed.before], open);
    const said = { reading, endedAt, isWhole, days: [...days, ...doubted], strays: lists.strays };
    const reported = this.#reporter.reportAll(said, lists);
    const uncovered = uncoveredDays(ledger.state, reading, input, endedAt);
    const left = { isLook: job.isLook, uncovered, known: settlement.known };
    const coming = this.#losses.wait(this.#reads.awaited.comingOf(days.map(({ day }) => day)));
    const stays = this.#due.staysBehind(ledger.state, reading, left);
    const waiting = [...doubtful, ...stays, ...coming];
    const learned = asLearned({ ...settlement, doubtful: waiting }, reading);
    const shrunk = this.#reads.keepingCosts({ ...reading, endedAt }, settlement, ledger.state);
    const settled = settleReading(ledger.state, reading, { ...learned, shrunk }, input.now);
    const marked = this.#due.mark(settled, [...missed.before, ...missed.own]);
    const waits = job.missesStrays || this.strays.hasPending(reading) || rewrites.length > 0;
    const decided = this.#due.release(this.#due.settle(marked, reading, waits), reading);
    const told = { ...settlement, reading, reports, waiting, misses, lacking, uncovered };
    ledger.update(this.#remembered(afterReport(decided, ledger.state, told)));
    if (rewrites.length === 0) {
      this.#finish({ ...job, ...reading, window: reading });
      if (this.#options.unprovenBefore() === null && ledger.state.mode === "incremental")
        this.#confirmations.ofMoved(reading, pageCount, doubtful);
    }
    await Promise.all([reported, ...this.strays.doubts.takeWarnings().map(warn)]);
    if (rewrites.length === 0) return;
    await ledger.forget(rewrites.map(({ day, records }) => ({ day, records, writtenBy: null })));
    queue(rewriteJob(reading, rewrites, job, this.strays.hasPending(reading)));
  }

  /** See {@link Losses.settle}. The pass of the state keeps the end of the loss. */
  #lose(...[ended, hasLost]: Parameters<Losses["settle"]>): ReturnType<Losses["settle"]> {
    const { ledger } = this.#options;
    if (hasLost) ledger.update(withLoss(ledger.state, ended.endedAt));
    return this.#losses.settle(ended, hasLost);
  }

  /**
   * See {@link announce}.
   *
   * @param open the windows that had still to list their strays before this reading: it may be the one that lists them
   */
  #announce(unproven: readonly Range[], open: readonly Range[]): void {
    const unlisted = [...this.strays.listings.unlisted(), ...open];
    const { ledger, report } = this.#options;
    const { awaited } = this.#reads;
    if (report !== null) announce(ledger, this.#due, { unproven, unlisted, awaited });
  }

  /**
   * R10: some windows are read once more in the same sync: those of the days that a loss has overtaken, and those that have to
   * list their written strays because the days of these strays were read later. Returns whether there are some.
   */
  #readOnceMore(): boolean {
    const { state } = this.#options.ledger;
    const mayProve = state.mode === "incremental" && this.#options.unprovenBefore() === null;
    // A forgotten day has no content that a reading could agree with.
    const due = mayProve ? intersect(state.known.ranges, state.due) : [];
    const overtaken = this.#losses.takeOvertaken(due);
    const unlisted = this.strays.listings.takeUnlisted();
    return this.#confirmations.ofOvertaken(overtaken, mayProve ? unlisted : [], knownOf(state));
  }

  async #confirmed({ reading, endedAt }: EndedWindow, days: readonly number[]): Promise<void> {
    const { ledger, input, lacking, report, warn } = this.#options;
    const provable = this.#reads.provable(reading, days);
    const { reports, known } = settleAgain(knownOf(ledger.state), reading, provable);
    if (this.#options.unprovenBefore() !== null) return;
    const agreed = reports.map(({ day }) => day);
    const open = this.strays.listings.unlisted();
    const isLate = tellsLate(ledger.state, report && reports);
    const misses = !reading.moved && this.strays.misses({ ...reading, endedAt });
    // R10: the report of a day without rows names this reading. So the models let this reading judge the strays of the day.
    const judged = reports.filter(({ rowsReadingId }) => rowsReadingId === reading.id);
    this.strays.listings.reported(judged, reading.id);
    const isLost = this.strays.listings.loses();
    // A listing that moved may show only a part of a group, and the models would take this part for all of it.
    const strays = report === null ? [] : this.strays.listedAgain(reading);
    const hasLost = misses || isLost || isLate || this.strays.groups.takeLoss();
    const { before, own } = this.#lose({ ...reading, endedAt, days: agreed }, hasLost);
    const said = { reading, endedAt, isWhole: false, days: reports, strays };
    const awaiting = this.#reporter.doubted();
    this.#announce(rangesOf(awaiting), open);
    const reported = this.#reporter.reportAll(said, { own: null, awaiting });
    this.strays.listings.confirmed(agreed);
    const { state } = ledger;
    if (state.mode === "incremental") {
      const uncovered = uncoveredDays(state, reading, input, endedAt);
      const covered = this.#reads.awaited.provenAgain(agreed, uncovered);
      const confirmed = this.#due.confirm({ ...state, known }, covered);
      const marked = this.#due.mark(confirmed, [...before, ...own]);
      const told = { reading, reports: report && reports, lacking, uncovered };
      ledger.update(this.#remembered(afterReport(marked, state, told)));
    }
    await Promise.all([reported, ...this.strays.doubts.takeWarnings().map(warn)]);
  }

  /** This process knows the strays now that an earlier one has seen. Their days may have been read in the meantime (P5). */
  async #collected({ job, reading, endedAt }: EndedWindow): Promise<void> {
    this.#reads.expectStrays(reading);
    const awaiting = this.#reporter.doubted(reading);
    this.#announce(rangesOf(awaiting), []);
    const said = { reading, endedAt, isWhole: false, days: [], strays: [] };
    const reported = this.#reporter.reportAll(said, { own: null, awaiting });
    this.#finish({ ...job, missesStrays: false });
    await reported;
  }

  async #wroteStrays(ended: EndedWindow, ids: ReadonlySet<string>): Promise<void> {
    const { job, reading, endedAt, strays } = ended;
    const absent = this.#reads.wrote(ended, ids);
    const { ledger, warn } = this.#options;
    if (absent > 0) await warn(describeAbsent(absent, job.window));
    const lists = this.#reporter.lists(reading);
    const lost = this.#lose({ ...reading, endedAt, days: [] }, lists.hasLost).before;
    if (lost.length > 0) this.#announce(lost, []);
    // The groups that lose rows come first. A process that dies between the two leaves written strays that no report lists: they count.
    const strayLists = [...lists.strays, ...standingOf(reading, lists.strays)];
    const said = { reading, endedAt, isWhole: false, days: [], strays: strayLists };
    const reported = this.#reporter.reportAll(said, lists);
    const released = this.#due.release(ledger.state, job.window);
    const untold = this.#options.report === null ? [job.window] : [];
    ledger.update(withStrayCosts(withUnreported(this.#remembered(released), untold), reading));
    this.#finish({ ...job, missesStrays: false });
    await reported;
    await ledger.leave(this.#reads.replaced(ledger.state, strays));
  }

  /** Counts a window as finished if none of its strays is pending; else the window waits. */
  #finish(waiting: Waiting): void {
    const { ledger, input, plan } = this.#options;
    const { window, missesStrays } = waiting;
    if (missesStrays || this.strays.hasPending(window)) return this.#waiting.add(waiting);
    const read = this.#waiting.hasPart(waiting)
      ? ledger.state
      : finishWindow(ledger.state, { ...waiting, ...window }, input.now);
    const finished = this.#due.finish(read, window);
    ledger.update(
      finished.mode === "incremental" ? advance(finished, plan.rereadFrom, input.bucket) : finished,
    );
  }

  /**
   * To be called when no window is left to read. Queues the jobs that overtaken days and pending strays need next. The order
   * matters: first the overtaken days and the windows with strays to list are read once more; then the windows with strays that
   * this process has not seen; then the days that may own the strays. At last the strays without an owner are written.
   */
  async goOn(): Promise<void> {
    const { ledger, limits, queue, warn } = this.#options;
    if (await this.#readUnjudged()) return;
    this.strays.openOthers();
    if (this.#readOnceMore() || this.#waiting.isEmpty) return;
    const missing = this.#waiting.takeMissing();
    for (const each of missing) queue(jobAgain(each, { kind: "collect" }));
    if (missing.length > 0) return;
    const { looks, left, leftToNext } = this.#reads.looks(ledger.state);
    await ledger.leave(left);
    if (leftToNext.size > 0) await warn(tooManyLooks(limits, leftToNext.size));
    const days = this.#reads.strayDays;
    for (const window of looks) queue(jobOf(window, this.#reads.purposeOf(window, days)));
    if (looks.length > 0) return;
    await ledger.leave(this.#reads.unsure(ledger.state, this.#reads.strayDays));
    this.#writeStrays(this.#waiting.takeAll());
  }

  /** Queues the readings that write the strays without an owner. Windows whose strays all have an owner are finished. */
  #writeStrays(waiting: readonly Waiting[]): void {
    const { shares, writing } = this.#reads.sharesOf(waiting);
    const replaces = this.strays.replacing(new Set(shares.flatMap(({ ids }) => [...ids])));
    for (const { each, all, ids } of shares) {
      if (ids.size > 0) {
        // All these windows are held for the same days, so one look at the strays is enough, however many windows write some (L2).
        if (each.window === writing[0])
          void this.#hold(writing, this.#reads.strayDays.map(dayRange), replaces);
        this.#options.queue(jobAgain(each, { kind: "strays", ids }));
      } else if (all.size > 0) this.#waiting.add(each);
      else if (this.strays.hasPending(each.window)) this.#waiting.leave(each);
      else this.#finish(each);
    }
  }

  /** P5: reads windows as a whole whose strays no reading has judged. */
  async #readUnjudged(): Promise<boolean> {
    const { ledger, queue, warn } = this.#options;
    const { now, next } = this.#reads.takeUnjudged(ledger.state);
    for (const [number, window] of now.entries()) {
      const sent = this.#hold([window], [window]);
      if ((number + 1) % STATES_AT_ONCE === 0) await sent;
    }
    for (const window of now) queue(jobOf(window));
    for (const window of next) this.strays.listings.judgeNext(window);
    ledger.update(this.#remembered(ledger.state));
    await Promise.all(this.strays.doubts.takeWarnings().map(warn));
    return now.length > 0;
  }

  /**
   * P5: the state of a STATE that covers a page of a window. If rows of the page have replaced strays, this state forgets the strays: a
   * process that goes on with the window does not see these rows again.
   */
  get behindPage(): StreamState {
    const { state } = this.#options.ledger;
    return this.strays.taken.takeReplaced() ? this.#remembered(state) : state;
  }

  /**
   * P5: a STATE names days as due before readings of windows that the next process would not read again.
   *
   * @param always whether a STATE goes out although an earlier one has named these days
   */
  async #hold(windows: readonly Range[], days: readonly Range[], always = false): Promise<void> {
    const { ledger, plan } = this.#options;
    const own = days.flatMap((day) => clip([day], { start: plan.from, end: plan.end }));
    ledger.update(this.#remembered(this.#due.hold(ledger.state, windows, own)));
    if (ledger.state.mode !== "incremental") return;
    if (always || !isNamed(ledger, this.#due, own)) await ledger.sendAhead();
  }

  /** The state with the strays of this moment, and with the windows that have still to list theirs. */
  #remembered(state: StreamState): StreamState {
    return this.#reads.remembered(this.#due.list(state, this.strays.listings.unlisted()));
  }
}
