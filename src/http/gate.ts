/**
 * One rate gate for all lanes and both streams (C2): a 429 to any of them pauses all of them.
 *
 * Requests that were in flight together when the limit was reached are refused together. That is one event: such
 * answers lengthen the pause where they ask for more, but they do not make it grow and are not told anew. Each request
 * therefore holds a pass with the number of the pause that it came after.
 */
import type { RateLimitPolicy } from "../core/retry.ts";
import { rateLimitWait } from "../core/retry.ts";
import { formatInstant } from "../core/time.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";

/** A pause of all requests; instants in milliseconds since 1970 on this side's clock. */
export interface Hold {
  /** When requests go on: `quota_reset` of the platform's RATE_LIMITED status. */
  readonly untilMs: number;
  /** How long that is from now, in milliseconds. */
  readonly waitMs: number;
  /** For the log: what happened and until when. */
  readonly message: string;
}

export interface GateOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly policy: RateLimitPolicy;
  /** `false` for `check`, which does not sleep: the first 429 is an error at once. */
  readonly waits: boolean;
  /** Told once for each pause, and again where a later answer moves its end by a second or more. */
  readonly onHold?: ((hold: Hold) => void) | undefined;
}

/** What a request holds while it is in flight; opaque to its holder. */
export interface Ticket {
  readonly pause: number;
}

/** A change of a pause's end that is smaller is not worth telling, in milliseconds. */
const WORTH_TELLING_MS = 1000;

export class Gate {
  readonly #options: GateOptions;
  /** Requests wait until this instant. */
  #until = Number.NEGATIVE_INFINITY;
  /** How many pauses there were. */
  #pauses = 0;
  /** 429 in a row, counting those of one pause once. */
  #inARow = 0;
  /** When the first 429 since the last page came. */
  #since: number | undefined;
  /** Set when the gate gives up, for good: every lane ends with it. */
  #givenUp: ConnectorError | undefined;
  readonly #closed = new AbortController();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /**
   * Waits until requests may be sent.
   *
   * @throws ConnectorError `rate_limited` where the gate has given up, also while this waits; the signal's reason as
   *   soon as it aborts
   */
  async pass(signal: AbortSignal): Promise<Ticket> {
    const { clock } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      if (this.#givenUp !== undefined) throw this.#givenUp;
      const wait = this.#until - clock.now();
      if (wait <= 0) return { pause: this.#pauses };
      await this.#sleep(wait, signal);
    }
  }

  /** A sleep that giving up ends too: the lanes would otherwise sleep on for up to an hour. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#closed.signal]);
    try {
      await this.#options.clock.sleep(ms, either);
    } catch (reason) {
      if (!either.aborted) throw reason;
    }
  }

  /** Pauses all requests until an instant (milliseconds since 1970), or longer where they already wait longer. */
  hold(untilMs: number): void {
    this.#until = Math.max(this.#until, untilMs);
  }

  /** A page came: what follows is no longer 429 after 429. */
  succeeded(pass: Ticket): void {
    this.#since = undefined;
    // An answer that was already under way when the pause began says nothing about the limit.
    if (pass.pause === this.#pauses) this.#inARow = 0;
  }

  /**
   * A 429 came; `askedMs` is what its `Retry-After` asks for, where that can be understood. Returns where the request
   * is to {@link pass} again.
   *
   * @throws ConnectorError `rate_limited` where the gate does not wait, where more than an hour is asked for, and where
   *   the wait would make it more than an hour without a page
   */
  limited(pass: Ticket, askedMs: number | undefined): void {
    const { clock, policy, random, waits } = this.#options;
    if (this.#givenUp !== undefined) throw this.#givenUp;
    const now = clock.now();
    const known = pass.pause < this.#pauses;
    const wait = known
      ? rateLimitWait(askedMs, 0, 0, policy)
      : rateLimitWait(askedMs, this.#inARow, random(), policy);
    this.#since ??= now;
    if (!waits) throw limitedError(askedMs, "It was not waited for: run again then.");
    if (wait === "give_up") {
      this.#giveUp(askedMs, `That is more than ${minutes(policy.giveUpMs)}.`);
    } else if (now + wait - this.#since > policy.giveUpMs) {
      this.#giveUp(askedMs, `No page has come for about ${minutes(policy.giveUpMs)}.`);
    } else {
      this.#pause(now, wait, known);
    }
  }

  #pause(now: number, wait: number, known: boolean): void {
    const before = this.#until;
    this.hold(now + wait);
    if (!known) {
      this.#pauses += 1;
      this.#inARow += 1;
    }
    if (known && this.#until - before < WORTH_TELLING_MS) return;
    this.#options.onHold?.({
      untilMs: this.#until,
      waitMs: this.#until - now,
      message:
        "The provider limits the rate of requests (HTTP 429): all requests wait " +
        `${seconds(this.#until - now)}, until ${formatInstant(this.#until)}.`,
    });
  }

  #giveUp(askedMs: number | undefined, why: string): never {
    this.#givenUp = limitedError(
      askedMs,
      `${why} The sync stops here and keeps its state: the next one goes on where it stopped. If it happens often, ` +
        "lower the concurrency or ask the provider for a higher limit.",
    );
    this.#closed.abort(this.#givenUp);
    throw this.#givenUp;
  }
}

function limitedError(askedMs: number | undefined, rest: string): ConnectorError {
  const asked =
    askedMs === undefined ? "names no valid time to wait" : `asks to wait ${seconds(askedMs)}`;
  return new ConnectorError(
    "rate_limited",
    `The provider limits the rate of requests (HTTP 429) and ${asked}. ${rest}`,
    { detail: `HTTP 429, Retry-After ${askedMs === undefined ? "invalid" : seconds(askedMs)}` },
  );
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;
const minutes = (ms: number): string => `${Math.round(ms / 60_000)} minutes`;
