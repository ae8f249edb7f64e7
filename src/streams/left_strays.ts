/** The strays about which only a later reading of their windows can tell (P5). */
import { addToMonth } from "../core/awaited.ts";
import type { AwaitedStrays } from "../core/state.ts";
import { dayRange, nameOf, type Range } from "../core/window.ts";

/** A stray's day, and the window that has shown the stray. */
export interface LeftStray {
  readonly day: number;
  readonly window: Range;
}

/** The days that await such strays, until they are taken. */
export class LeftStrays {
  readonly #most: number;
  #days = new Map<string, AwaitedStrays>();
  /** One entry for each month of windows, if there are more days. */
  #months = new Map<number, AwaitedStrays>();

  /** @param most the largest number of days of single windows, >= 0 */
  constructor(most: number) {
    this.#most = most;
  }

  add(strays: readonly LeftStray[]): void {
    for (const { day, window } of strays) {
      const entry = { days: dayRange(day), window: { start: window.start, end: window.end } };
      const name = `${day} ${nameOf(window)}`;
      if (this.#days.size < this.#most || this.#days.has(name)) this.#days.set(name, entry);
      else addToMonth(this.#months, entry);
    }
  }

  take(): readonly AwaitedStrays[] {
    const taken = [...this.#days.values(), ...this.#months.values()];
    this.#days = new Map();
    this.#months = new Map();
    return taken;
  }
}
