import { MINUTE } from "./instants.ts";
import { ProblemError } from "./problems.ts";

/**
 * Allows a number of requests a minute and account. It has a running clock of its own, in milliseconds, because the
 * client waits in real time, while the provider's clock may stand still.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #time: () => number;
  readonly #recent = new Map<string, number[]>();

  constructor(perMinute: number, time: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#time = time;
  }

  /** Counts a request. Above the limit, throws the 429 with the whole seconds to wait in Retry-After. */
  count(account: string): void {
    const now = this.#time();
    const recent = (this.#recent.get(account) ?? []).filter((time) => time > now - MINUTE);
    this.#recent.set(account, recent);
    const [oldest] = recent;
    if (oldest !== undefined && recent.length >= this.#perMinute) {
      const seconds = Math.max(1, Math.ceil((oldest + MINUTE - now) / 1000));
      throw new ProblemError(
        "rate-limited",
        `At most ${this.#perMinute} requests a minute are served.`,
        {
          "retry-after": String(seconds),
        },
      );
    }
    recent.push(now);
  }
}
