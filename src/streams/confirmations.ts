/** Second readings in the same sync. They compare days with what the state knows of them, and write nothing (P6, R10). */
import type { Limits } from "../core/limits.ts";
import type { PlanInput } from "../core/plan.ts";
import type { Reading } from "../core/reading.ts";
import { DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { type Job, jobOf } from "./job.ts";
import type { Overtaken } from "./losses.ts";

export interface ConfirmationOptions {
  readonly input: Pick<PlanInput, "now">;
  readonly limits: Pick<Limits, "confirmedPages" | "confirmations" | "overtakenWindows">;
  /** Puts a job in front of the queue. */
  readonly queue: (job: Job) => void;
}

export class Confirmations {
  readonly #options: ConfirmationOptions;
  #moved = 0;
  #overtaken = 0;

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

  /** R10: queues one more reading of the windows that a loss has overtaken. Returns whether there is one. */
  ofOvertaken(windows: readonly Overtaken[]): boolean {
    const taken = windows.slice(0, this.#options.limits.overtakenWindows - this.#overtaken);
    this.#overtaken += taken.length;
    for (const { window, days } of taken.toReversed()) this.#queue(window, days);
    return taken.length > 0;
  }

  #queue({ start, end }: Range, days: readonly number[]): void {
    this.#options.queue(jobOf({ start, end }, { kind: "confirm", days }));
  }
}
