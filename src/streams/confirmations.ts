/** Second readings in the same sync. They compare days with what the state knows of them, and write nothing (P6, R10). */
import { daysOf } from "../core/digests.ts";
import type { Limits } from "../core/limits.ts";
import type { KnownDays } from "../core/known_days.ts";
import type { Plan, PlanInput } from "../core/plan.ts";
import { wholeMonths, windowsAgain } from "../core/plan_windows.ts";
import type { Reading } from "../core/reading.ts";
import type { StreamState } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { clip, contains, cut, nameOf, type Range, wholeDays } from "../core/window.ts";
import { type Job, jobOf } from "./job.ts";

export interface ConfirmationOptions {
  readonly plan: Pick<Plan<StreamState>, "from" | "end">;
  readonly input: PlanInput;
  readonly limits: Pick<Limits, "confirmedPages" | "confirmations" | "overtakenWindows">;
  /** Puts a job in front of the queue. */
  readonly queue: (job: Job) => void;
}

export class Confirmations {
  readonly #options: ConfirmationOptions;
  #moved = 0;
  #again = 0;

  constructor(options: ConfirmationOptions) {
    this.#options = options;
  }

  /**
   * P6: a listing has moved, and its days wait for a second reading that agrees. If the window has few pages, that reading is queued at
   * once. Today is left out: it goes on, so no reading could prove it.
   */
  ofMoved(reading: Reading, pageCount: number, doubtful: readonly number[]): void {
    const { input, limits } = this.#options;
    const days = doubtful.filter((day) => day + DAY <= input.now);
    const isCheap = pageCount <= limits.confirmedPages && this.#moved < limits.confirmations;
    if (days.length === 0 || reading.resumed || !isCheap) return;
    this.#moved += 1;
    this.#queue(reading, days);
  }

  /**
   * R10: queues one more reading of some windows, the earliest first. Returns whether there is one.
   *
   * @param days the days to compare, in the windows in which the next sync would read them
   * @param unlisted windows that list their strays
   */
  ofOvertaken(days: readonly Range[], unlisted: readonly Range[], known: KnownDays): boolean {
    const { plan, input, limits } = this.#options;
    const bounds = { start: plan.from, end: plan.end };
    const compared = windowsAgain(days, known, bounds, input);
    const listing = unlisted.flatMap((window) =>
      cut(wholeMonths([wholeDays(window)], bounds, input), input.maximumWindowDays, 1),
    );
    const more = listing.filter((window) => !compared.some((other) => contains(other, window)));
    const windows = [
      ...compared,
      ...new Map(more.map((window) => [nameOf(window), window])).values(),
    ];
    const taken = windows
      .toSorted((a, b) => a.start - b.start)
      .slice(0, limits.overtakenWindows - this.#again);
    this.#again += taken.length;
    for (const window of taken.toReversed())
      this.#queue(window, clip(days, window).flatMap(daysOf));
    return taken.length > 0;
  }

  #queue({ start, end }: Range, days: readonly number[]): void {
    this.#options.queue(jobOf({ start, end }, { kind: "confirm", days }));
  }
}
