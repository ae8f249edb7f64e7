/**
 * One rate gate for all lanes and all streams (C2): a 429 to one request pauses all requests.
 *
 * A provider that reaches its limit refuses all requests in flight. These refusals are one event: a later one may lengthen
 * the pause, but does not count as "429 after 429". Each request therefore holds a ticket with the number of the latest
 * pause before it was sent.
 *
 * The gate sees every request, so it also decides how many lanes there are if the config names no number (C1).
 */
import {
  afterFault,
  afterLimit,
  afterPage,
  type Concurrency,
  FIRST_CONCURRENCY,
  spacingOf,
} from "../core/concurrency.ts";
import type { RateLimitPolicy } from "../core/retry.ts";
import { rateLimitWait } from "../core/retry.ts";
import { formatInstant } from "../core/time.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";

/** A pause of all requests. Instants are milliseconds since 1970 on the local clock. */
export interface Hold {
  /** The end of the pause: `quota_reset` of the platform's RATE_LIMITED status. */
  readonly untilMs: number;
  /** The length of the pause from now, in milliseconds. */
  readonly waitMs: number;
  /** For the log: the reason and the end of the pause. */
  readonly message: string;
}

export interface GateOptions {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly policy: RateLimitPolicy;
  /** `false` for `check`, which does not wait: the first 429 is an error. */
  readonly waits: boolean;
  /** Requests at once, 1 to 16; undefined: the gate finds the number (core/concurrency.ts). */
  readonly concurrency?: number | undefined;
  /** Called once for each pause, and again if a later answer moves its end by a second or more. */
  readonly onHold?: ((hold: Hold) => void) | undefined;
}

/** A request holds a ticket while it is in flight. Opaque to its holder. */
export interface Ticket {
  readonly pause: number;
  /** Whether the request has waited for the pace after a 429. */
  readonly isPaced: boolean;
}

/** The main thread counts as busy from this share of the time on. The share is measured over this many milliseconds at least. */
const BUSY = 0.75;
const MEASURED_MS = 50;

/** The smallest change of a pause's end that is reported, in milliseconds. */
const WORTH_TELLING_MS = 1000;

export class Gate {
  readonly #options: GateOptions;
  /** Requests wait until this instant. */
  #until = Number.NEGATIVE_INFINITY;
  /** The number of pauses so far. */
  #pauses = 0;
  /** The number of 429s in a row; those of one pause count once. */
  #inARow = 0;
  /** The instant of the first 429 since the last page. */
  #since: number | undefined;
  /** Set when the gate gives up. It stays set, and every lane ends with this error. */
  #givenUp: ConnectorError | undefined;
  readonly #closed = new AbortController();
  /** A number if the config names it. */
  #concurrency: Concurrency | number;
  /** Whether the main thread computed nearly all the time, and the beginning of the present measurement. */
  #isBusy = false;
  #measured: { readonly at: number; readonly computed: number };
  /** The instant at which the next request may leave, by the pace. */
  #slot = Number.NEGATIVE_INFINITY;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#concurrency = options.concurrency ?? FIRST_CONCURRENCY;
    this.#measured = this.#measurement();
  }

  /** How many requests may be under way at once now: a whole number from 1 to 16. */
  get lanes(): number {
    return typeof this.#concurrency === "number" ? this.#concurrency : this.#concurrency.lanes;
  }

  /**
   * Waits until requests may be sent.
   *
   * @throws ConnectorError `rate_limited` if the gate has given up, or gives up during the wait
   * @throws the signal's reason as soon as the signal aborts
   */
  async pass(signal: AbortSignal): Promise<Ticket> {
    const { clock } = this.#options;
    let isPaced = false;
    for (;;) {
      signal.throwIfAborted();
      if (this.#givenUp !== undefined) throw this.#givenUp;
      const wait = this.#until - clock.now();
      const now = clock.now();
      if (wait > 0) {
        await this.#sleep(wait, signal);
      } else if (this.#slot > now) {
        isPaced = true;
        await this.#sleep(Math.ceil(this.#slot - now), signal);
      } else {
        this.#slot =
          now + (typeof this.#concurrency === "number" ? 0 : spacingOf(this.#concurrency));
        return { pause: this.#pauses, isPaced };
      }
    }
  }

  /** Sleeps until the pause ends or the gate gives up. Otherwise the lanes would sleep on for up to an hour. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    const either = AbortSignal.any([signal, this.#closed.signal]);
    try {
      await this.#options.clock.sleep(ms, either);
    } catch (reason) {
      if (!either.aborted) throw reason;
    }
  }

  /** Pauses all requests until an instant (milliseconds since 1970). Never shortens a pause. */
  hold(untilMs: number): void {
    this.#until = Math.max(this.#until, untilMs);
  }

  /**
   * Reports an answer: the next 429 is no longer "429 after 429".
   *
   * @param page for a page of records: its latency in milliseconds, and whether its lane waited for it, not for the reader of stdout
   */
  succeeded(
    ticket: Ticket,
    page?: { readonly latency: number; readonly isAwaited: boolean },
  ): void {
    this.#since = undefined;
    // An answer to a request from before the pause says nothing about the limit.
    if (ticket.pause === this.#pauses) this.#inARow = 0;
    if (page === undefined || typeof this.#concurrency === "number") return;
    const at = this.#options.clock.now();
    const latency = Math.max(0, page.latency);
    const waitedFor = ticket.isPaced ? "pace" : page.isAwaited ? "page" : "output";
    this.#measure();
    const isBusy = this.#isBusy;
    this.#concurrency = afterPage(this.#concurrency, { at, latency, waitedFor, isBusy });
  }

  #measurement(): { readonly at: number; readonly computed: number } {
    const { clock } = this.#options;
    return { at: clock.now(), computed: clock.computed?.() ?? 0 };
  }

  #measure(): void {
    const { at, computed } = this.#measurement();
    const passed = at - this.#measured.at;
    if (passed < MEASURED_MS) return;
    this.#isBusy = computed - this.#measured.computed > BUSY * passed;
    this.#measured = { at, computed };
  }

  /** Reports a fault that time may mend (C4). */
  failed(): void {
    if (typeof this.#concurrency !== "number") this.#concurrency = afterFault(this.#concurrency);
  }

  /**
   * Reports a 429. After this call the request has to {@link pass} again.
   *
   * @param retryAfterMs the wait of a valid `Retry-After` header, in milliseconds
   * @throws ConnectorError `rate_limited` if the gate does not wait, if the wait is longer than an hour, or if no page
   *   would come for more than an hour
   */
  limited(ticket: Ticket, retryAfterMs: number | undefined): void {
    const { clock, policy, random, waits } = this.#options;
    if (this.#givenUp !== undefined) throw this.#givenUp;
    const now = clock.now();
    const known = ticket.pause < this.#pauses;
    const wait = known
      ? rateLimitWait(retryAfterMs, 0, 0, policy)
      : rateLimitWait(retryAfterMs, this.#inARow, random(), policy);
    this.#since ??= now;
    if (!waits) throw limitedError(retryAfterMs, "This command does not wait: run it again later.");
    if (wait === "give_up") {
      this.#giveUp(retryAfterMs, `That is more than ${minutes(policy.giveUpMs)}.`);
    } else if (now + wait - this.#since > policy.giveUpMs) {
      this.#giveUp(retryAfterMs, `No page has come for about ${minutes(policy.giveUpMs)}.`);
    } else {
      // A pace is compared with the wait that the provider asks for, not with one that has grown.
      const asked = Math.max(policy.minimumMs, retryAfterMs ?? 0);
      this.#pause(now, wait, known ? null : asked);
    }
  }

  /** @param askedMs the wait that the provider asks for; null if the pause has begun with an earlier 429 */
  #pause(now: number, wait: number, askedMs: number | null): void {
    const before = this.#until;
    this.hold(now + wait);
    if (askedMs !== null) {
      this.#pauses += 1;
      this.#inARow += 1;
      if (typeof this.#concurrency !== "number")
        this.#concurrency = afterLimit(this.#concurrency, now, askedMs);
    }
    if (askedMs === null && this.#until - before < WORTH_TELLING_MS) return;
    this.#options.onHold?.({
      untilMs: this.#until,
      waitMs: this.#until - now,
      message:
        "The provider limits the rate of requests (HTTP 429): all requests wait " +
        `${seconds(this.#until - now)}, until ${formatInstant(this.#until)}.`,
    });
  }

  #giveUp(retryAfterMs: number | undefined, why: string): never {
    this.#givenUp = limitedError(
      retryAfterMs,
      `${why} The sync stops here and keeps its state: the next one goes on where it stopped. If it happens often, ` +
        "lower the concurrency or ask the provider for a higher limit.",
    );
    this.#closed.abort(this.#givenUp);
    throw this.#givenUp;
  }
}

function limitedError(retryAfterMs: number | undefined, rest: string): ConnectorError {
  const demand =
    retryAfterMs === undefined
      ? "names no valid time to wait"
      : `asks to wait ${seconds(retryAfterMs)}`;
  return new ConnectorError(
    "rate_limited",
    `The provider limits the rate of requests (HTTP 429) and ${demand}. ${rest}`,
    {
      detail: `HTTP 429, Retry-After ${retryAfterMs === undefined ? "invalid" : seconds(retryAfterMs)}`,
    },
  );
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;
const minutes = (ms: number): string => `${Math.round(ms / 60_000)} minutes`;
