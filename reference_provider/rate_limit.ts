import { ProblemError } from "./problems.ts";

const MINUTE = 60_000;

/**
 * Allows so many requests a minute and account. It counts time on a clock of its own, in milliseconds, that runs: the
 * client waits in real time, whereas the provider's clock may stand still.
 */
export class RateLimit {
  readonly #perMinute: number;
  readonly #time: () => number;
  readonly #recent = new Map<string, number[]>();

  constructor(perMinute: number, time: () => number = () => performance.now()) {
    this.#perMinute = perMinute;
    this.#time = time;
  }

  /** Counts a request. Throws the 429, with the whole seconds to wait in Retry-After, where the account has had its share. */
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
