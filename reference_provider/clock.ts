import type { Instant } from "./instants.ts";

/**
 * The provider's clock. It stands still until a caller moves it, so that late rows, settlement and retention can be
 * shown and tested; or it follows the machine's clock.
 */
export class Clock {
  #offset: number;
  readonly #base: () => Instant;

  /** A clock that shows `instant`; with `running` it continues from there. */
  constructor(instant: Instant, running = false) {
    this.#base = running ? Date.now : () => 0;
    this.#offset = instant - this.#base();
  }

  now(): Instant {
    return this.#base() + this.#offset;
  }

  set(instant: Instant): void {
    this.#offset = instant - this.#base();
  }

  /** Moves the clock by milliseconds, forward or (negative) back. */
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }
}
