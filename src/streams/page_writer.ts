import { BufferPool } from "../http/buffers.ts";
import type { Outlet } from "./outlet.ts";
import type { Lines } from "./records.ts";
import type { Output } from "./stream.ts";

/**
 * Hands over the lines of a stream's pages, in the order in which they are asked for. While those of one page are written
 * the next are made, and no others: two pages of lines in memory, however many lanes read and however slow the reader of
 * stdout is (C3).
 */
export class PageWriter {
  readonly #stream: string;
  readonly #outlet: Outlet<Output>;
  readonly #nextTurn: () => Promise<void>;
  readonly #memory = new BufferPool();
  /** When the lines of the page before are made. */
  #made: Promise<void> = Promise.resolve();
  /** When they are written, and those of the page before that. */
  #written: Promise<void> = Promise.resolve();
  #writtenBefore: Promise<void> = Promise.resolve();

  /** @param nextTurn lets requests leave and answers come in: to make a page's lines takes longer than either */
  constructor(stream: string, outlet: Outlet<Output>, nextTurn: () => Promise<void>) {
    this.#stream = stream;
    this.#outlet = outlet;
    this.#nextTurn = nextTurn;
  }

  /**
   * Makes a page's lines once there is room, and hands them over: what is sent after this comes behind them.
   *
   * @param make writes them into memory that `take` gives
   * @throws whatever `make` throws
   */
  async write(make: (take: BufferPool["take"]) => Lines): Promise<Lines> {
    const ready = [this.#made, this.#writtenBefore, this.#nextTurn()];
    const made = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    [this.#made, this.#writtenBefore, this.#written] = [
      made.promise,
      this.#written,
      written.promise,
    ];
    await Promise.all(ready);
    try {
      const lines = make((length) => this.#memory.take(length));
      void this.#hand(lines).then(written.resolve);
      return lines;
    } catch (reason) {
      written.resolve();
      throw reason;
    } finally {
      made.resolve();
    }
  }

  async #hand({ bytes, count }: Lines): Promise<void> {
    if (count > 0) {
      await this.#outlet.send({ type: "RECORD_LINES", stream: this.#stream, bytes, count });
    }
    this.#memory.give(bytes);
  }
}
