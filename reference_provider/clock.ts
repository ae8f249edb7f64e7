import { requireInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";

const FIRST = requireInstant("0001-01-01T00:00:00Z");
const LAST = requireInstant("9999-12-31T23:59:59.999Z");

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

  /** Throws a RangeError for an instant that RFC 3339 cannot write. */
  set(instant: Instant): void {
    if (!(instant >= FIRST && instant <= LAST))
      throw new RangeError("the clock shows the years 1 to 9999 only");
    this.#offset = instant - this.#base();
  }

  /** Moves the clock by milliseconds, forward or (negative) back. Throws a RangeError as {@link set} does. */
  advance(milliseconds: number): void {
    this.set(this.now() + milliseconds);
  }
}
