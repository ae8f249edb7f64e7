/** The windows of a stream that wait for a lane, the next one first. */
import { daysOf } from "../core/digests.ts";
import { isKnown } from "../core/known_days.ts";
import type { Plan, PlanInput } from "../core/plan.ts";
import { writesDay } from "../core/settle.ts";
import { share } from "../core/shares.ts";
import { knownOf, type StreamState } from "../core/state.ts";
import { monthStart } from "../core/time.ts";
import { daysIn, type Range } from "../core/window.ts";
import { type Job, jobOf, resumedJob } from "./job.ts";
import type { ReadPolicy } from "./reader_options.ts";

export interface JobQueueOptions {
  /** Requests at once, 1 to 16; the maximum if the config names no number (C1). */
  readonly lanes: number;
  /** Records of a page, >= 1. */
  readonly pageSize: number;
  /** `maximum_window_days` of the dataset, >= 1. */
  readonly maximumDays: number;
  /** Called with the new number of windows of the read, if cutting or joining windows has changed it. */
  readonly onPlanned: (windows: number) => void;
}

/** The windows of a plan. Windows of usage of which no day is known may be cut and joined. */
export function queueOf(
  plan: Plan<StreamState>,
  { byMonth, maximumWindowDays: maximumDays, reconcileFrom }: PlanInput,
  { lanes, pageSize }: ReadPolicy,
  onPlanned: JobQueueOptions["onPlanned"],
): JobQueue {
  const known = knownOf(plan.state);
  const isDivisible = (window: Range): boolean =>
    !byMonth && daysOf(window).every((day) => !isKnown(known, day));
  const jobs = [
    ...plan.resumed.map((reading) => resumedJob(reading, writesDay(known, reading.rewrites))),
    ...plan.windows.map((window) => ({ ...jobOf(window), isDivisible: isDivisible(window) })),
  ];
  // R10: if a row is missing, the days that the pass read before are due again. Rows come and go on recent days, so these are read first.
  const ageOf = ({ window: { end } }: Job): number => {
    if (end > plan.rereadFrom) return 0;
    return end > (reconcileFrom ?? plan.rereadFrom) ? 1 : 2;
  };
  const inOrder = jobs.toSorted((a, b) => ageOf(a) - ageOf(b) || a.window.start - b.window.start);
  return new JobQueue(inOrder, { lanes, pageSize, maximumDays, onPlanned });
}

export class JobQueue {
  readonly #options: JobQueueOptions;
  readonly #jobs: Job[];
  /** The number of windows of the read, with those that lanes have taken. */
  #windows: number;
  /** The days of all divisible jobs, and of those that lanes have taken. */
  readonly #planned: number;
  #taken = 0;
  /** The divisible jobs that had a page: the jobs, their days, and the records of their pages. */
  readonly #answered = new WeakSet<Job>();
  #days = 0;
  #records = 0;

  constructor(jobs: readonly Job[], options: JobQueueOptions) {
    this.#options = options;
    this.#jobs = [...jobs];
    this.#windows = jobs.length;
    const divisible = jobs.filter(({ isDivisible }) => isDivisible);
    this.#planned = divisible.reduce((sum, { window }) => sum + daysIn(window), 0);
  }

  get length(): number {
    return this.#jobs.length;
  }

  /** Puts jobs in front. Their windows are not divided, because they have been requested already. */
  unshift(...jobs: readonly Job[]): void {
    this.#jobs.unshift(...jobs.map((job) => ({ ...job, isDivisible: false })));
  }

  /** The next job. Once a page of unknown days has come, a lane takes a share of those that are left. */
  shift(): Job | undefined {
    const job = this.#jobs.shift();
    if (job === undefined || !job.isDivisible) return job;
    const hasSeen = this.#options.lanes > 1 && this.#days > 0;
    const window = hasSeen ? this.#share(job) : job.window;
    this.#taken += daysIn(window);
    return { ...job, window };
  }

  /** To be told of each page of a job. */
  saw(job: Job, records: number): void {
    if (!job.isDivisible) return;
    if (!this.#answered.has(job)) this.#days += daysIn(job.window);
    this.#answered.add(job);
    this.#records += records;
  }

  #share(job: Job): Range {
    const waiting = this.#jobs.length;
    const { first, rest } = share(this.#joined(job.window), {
      ...this.#options,
      planned: this.#planned,
      left: this.#planned - this.#taken,
      perDay: this.#records / this.#days,
    });
    if (rest !== null) this.#jobs.unshift({ ...job, window: rest });
    this.#windows += this.#jobs.length - waiting;
    if (this.#jobs.length !== waiting) this.#options.onPlanned(this.#windows);
    return first;
  }

  /** Joins a window with the next ones, if they can be read together (W1, W2). They leave the queue. */
  #joined(window: Range): Range {
    let joined = window;
    for (;;) {
      const [next] = this.#jobs;
      if (next === undefined || !next.isDivisible || next.window.start !== joined.end)
        return joined;
      const both = { start: joined.start, end: next.window.end };
      const isOneMonth = monthStart(both.start) === monthStart(both.end - 1);
      if (!isOneMonth || daysIn(both) > this.#options.maximumDays) return joined;
      joined = both;
      this.#jobs.shift();
    }
  }
}
