/** Windows of a pass that do not count as read, because some of their strays are neither dropped nor written yet (P5). */
import { overlaps, type Range } from "../core/window.ts";
import type { Job } from "./job.ts";

export type Waiting = Pick<Job, "window" | "availableThrough" | "missesStrays" | "isLook">;

export class WaitingWindows {
  #waiting: Waiting[] = [];
  /** Windows whose strays did not come. They wait for the next sync. */
  readonly #left: Range[] = [];

  /** Whether no window waits for this sync. */
  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Whether no window is left to the next sync. */
  get leavesNone(): boolean {
    return this.#left.length === 0;
  }

  add(waiting: Waiting): void {
    this.#waiting.push(waiting);
  }

  leave({ window }: Waiting): void {
    this.#left.push(window);
  }

  /** Takes the windows with strays that an earlier process saw, and that this process does not know. */
  takeMissing(): readonly Waiting[] {
    const missing = this.#waiting.filter(({ missesStrays }) => missesStrays);
    this.#waiting = this.#waiting.filter(({ missesStrays }) => !missesStrays);
    return missing;
  }

  takeAll(): readonly Waiting[] {
    const all = this.#waiting;
    this.#waiting = [];
    return all;
  }

  /**
   * Whether a window is a look at a part of a window that waits. If the process dies, the next one has to read all of that window for
   * its strays, so no part counts as read.
   */
  hasPart({ isLook, window }: Waiting): boolean {
    const windows = [...this.#waiting.map((waiting) => waiting.window), ...this.#left];
    return isLook && windows.some((other) => overlaps(other, window));
  }
}
