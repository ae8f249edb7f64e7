/** Where lanes hand over what is to be written: a queue whose senders wait until their item has been consumed. */

interface Waiting<Item> {
  readonly item: Item;
  readonly written: () => void;
}

export class Outlet<Item> implements AsyncIterable<Item> {
  readonly #queue: Waiting<Item>[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  /**
   * Puts an item behind all others. Resolves once the consumer has finished with it and asks for more, so that a slow
   * reader of stdout slows down whoever reads from the provider (C3). Resolves at once after {@link close}.
   */
  send(item: Item): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((written) => {
      this.#queue.push({ item, written });
      this.#wake?.();
    });
  }

  /** No more items come; what was sent is still consumed. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    try {
      for (;;) {
        const next = this.#queue.shift();
        if (next !== undefined) {
          try {
            yield next.item;
          } finally {
            next.written(); // also where the consumer goes away with it
          }
        } else if (this.#closed) {
          return;
        } else {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          this.#wake = null;
        }
      }
    } finally {
      // A consumer that goes away leaves nobody waiting.
      this.#closed = true;
      for (const { written } of this.#queue.splice(0)) written();
    }
  }
}
