/**
 * One budget of bytes for all bodies that are held at once (L1). A body that would exceed the budget waits until others are
 * released. So memory stays bounded however many lanes receive large pages.
 */

/** The bytes that one body holds of a budget. */
export interface Hold {
  /**
   * Raises the hold to `bytes`. Waits while the budget has no room.
   *
   * @throws the signal's reason as soon as the signal of the hold aborts
   */
  grow(bytes: number): Promise<void>;
  /** Ends the hold. More calls do nothing. The signal's abort ends the hold, too. */
  release(): void;
}

interface Waiting {
  readonly holder: symbol;
  readonly bytes: number;
  readonly granted: () => void;
}

export class ByteBudget {
  readonly #capacity: number;
  #used = 0;
  /** The bytes of each hold that has some. */
  readonly #held = new Map<symbol, number>();
  readonly #waiting: Waiting[] = [];
  /** The functions that end the waits in {@link room}. */
  readonly #asking: Set<() => void> = new Set();

  /** @param capacity in bytes */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Begins a hold of no bytes. */
  hold(signal: AbortSignal): Hold {
    const holder = Symbol("hold");
    let isOver = false;
    const release = (): void => {
      isOver = true;
      signal.removeEventListener("abort", release);
      this.#set(holder, 0);
      this.#serve();
    };
    const grow = async (bytes: number): Promise<void> => {
      signal.throwIfAborted();
      if (isOver) throw new Error("the hold is over");
      await this.#wait(holder, bytes, signal);
    };
    signal.addEventListener("abort", release, { once: true });
    return { grow, release };
  }

  /**
   * Waits while the bodies together hold more than `bytes`. A request that waits here leaves later, so that its body does not wait
   * for memory, or for its turn to be read.
   *
   * @throws the signal's reason as soon as the signal aborts
   */
  async room(bytes: number, signal: AbortSignal): Promise<void> {
    while (this.#used > bytes) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const abort = (): void => reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      this.#asking.add(resolve);
      await promise.finally(() => {
        signal.removeEventListener("abort", abort);
        this.#asking.delete(resolve);
      });
    }
  }

  async #wait(holder: symbol, bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve: granted, reject } = Promise.withResolvers<void>();
    const entry: Waiting = { holder, bytes, granted };
    const abort = (): void => {
      const place = this.#waiting.indexOf(entry);
      if (place !== -1) this.#waiting.splice(place, 1);
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    this.#waiting.push(entry);
    this.#serve();
    await promise.finally(() => signal.removeEventListener("abort", abort));
  }

  /** Grants what fits, in the order of arrival. */
  #serve(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined) return;
      const next = this.#fits(first) ? first : this.#largestIfStuck();
      if (next === undefined) return;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#set(next.holder, next.bytes);
      next.granted();
    }
  }

  #fits({ holder, bytes }: Waiting): boolean {
    return this.#used + bytes - this.#heldBy(holder) <= this.#capacity;
  }

  /**
   * If every hold waits for more, nobody would ever release one. The largest hold then goes beyond the capacity. It stays the
   * largest until its body is complete, so the budget is exceeded by one body at most.
   */
  #largestIfStuck(): Waiting | undefined {
    const waiting = new Set(this.#waiting.map(({ holder }) => holder));
    if (![...this.#held.keys()].every((holder) => waiting.has(holder))) return undefined;
    const bySize = this.#waiting.toSorted(
      (a, b) => this.#heldBy(b.holder) - this.#heldBy(a.holder),
    );
    return bySize[0];
  }

  #heldBy(holder: symbol): number {
    return this.#held.get(holder) ?? 0;
  }

  #set(holder: symbol, bytes: number): void {
    this.#used += bytes - this.#heldBy(holder);
    if (bytes > 0) this.#held.set(holder, bytes);
    else if (this.#held.delete(holder)) for (const ask of this.#asking) ask();
  }
}
