/**
 * Flow control: when a page is requested, parsed, made into lines and written. Nothing else in the connector decides this.
 *
 *     lane    request 1     request 2                      request 3
 *       │         │             │                              │
 *       │      page 1 ─ parse ──┼─► lines ─► write ───────┐ page 3 …
 *       │                       │   (a turn of its own)   │
 *       │                    page 2 arrives, waits as     └─► parse ─► lines ─► write
 *       │                    the bytes that came
 *
 * 1. **Request** (C1). As soon as a page has arrived, its lane requests the next page, before it works on the arrived one. The next
 *    page belongs to the same window, or is the first of the next window. So a lane has one request under way, and never two.
 * 2. **Parse** (C3). The body of the next page waits as bytes until the lane's page before it is written. A parsed page is up to
 *    20,000 values, and every garbage collection during the wait would copy them. So a lane holds two pages at most: one that
 *    is worked on, and one that waits.
 * 3. **Lines** ({@link PageWriter}). Pages of all lanes are made into lines one at a time. Each page gets its own turn of the event
 *    loop, because it takes some milliseconds in which no request leaves and no answer arrives. While the lines of one page are
 *    written, only the lines of the next page are made. So memory holds the lines of two pages at most, for any number of lanes.
 * 4. **Write** ({@link Outlet}). One queue leads to stdout. Each sender waits until its item is written. So a slow reader of
 *    stdout stops step 3, which stops step 2, which stops step 1.
 */
import { BufferPool } from "../http/buffers.ts";
import type { Lines } from "./records.ts";
import type { FetchedPage } from "./stream.ts";
import type { Output } from "../protocol.ts";

/** A window that a lane reads, page after page. */
export interface WindowRead {
  /**
   * Requests the window's next page. Defers parsing until `parseAfter` resolves.
   *
   * @throws ConnectorError the final error of the provider's client
   */
  request(parseAfter: Promise<void>): Promise<FetchedPage>;
  /**
   * Writes a page, then the STATE that covers the page if one is due.
   *
   * @throws ConnectorError if the page cannot be made into lines
   */
  write(page: FetchedPage): Promise<void>;
  /** Called once: after the last page was written, or with the error that `request` or `write` threw. Never rejects. */
  end(failure?: unknown): Promise<void>;
}

/** A stream as the lanes see it. */
export interface WindowSource {
  /** The next window to read; undefined if none waits now. */
  take(): WindowRead | undefined;
}

/**
 * Reads all streams side by side; the streams take turns. Never rejects.
 *
 * @param lanes how many lanes there may be now, 1 or more. If there are fewer, lanes begin; if there are more, a lane ends after its
 *   page, and another lane goes on with its window.
 */
export async function readOverLanes(
  sources: readonly WindowSource[],
  lanes: () => number,
): Promise<void> {
  await new Lanes(sources, lanes).ended;
}

/** A page under way, and the window that it belongs to. */
interface Request {
  readonly window: WindowRead;
  readonly page: Promise<FetchedPage>;
}

function request(window: WindowRead | undefined, parseAfter: Promise<void>): Request | undefined {
  if (window === undefined) return undefined;
  const page = window.request(parseAfter);
  page.catch(() => undefined); // it may fail while the page before it is written, or after its stream has failed
  return { window, page };
}

/** The lanes of a read, and the windows that lanes have put down. */
class Lanes {
  readonly #sources: readonly WindowSource[];
  readonly #allowed: () => number;
  readonly #done = Promise.withResolvers<void>();
  /** Windows whose lane has ended; all their pages so far are written. */
  readonly #parked: WindowRead[] = [];
  #turn = 0;
  #isDrained = false;
  /** Lanes that send requests. */
  #running = 0;
  /** Lanes that send requests or still write their last page. */
  #open = 0;

  constructor(sources: readonly WindowSource[], allowed: () => number) {
    this.#sources = sources;
    this.#allowed = allowed;
    this.#fill();
    if (this.#open === 0) this.#done.resolve();
  }

  get ended(): Promise<void> {
    return this.#done.promise;
  }

  /**
   * Begins lanes as long as more are allowed and windows wait. Once no window waits, no further lane begins: the windows that still come
   * are the second readings of a few windows, and the lanes that run read them in the order of the queue.
   */
  #fill(): void {
    while (this.#running < (this.#isDrained && this.#parked.length === 0 ? 1 : this.#allowed())) {
      const first = request(this.#take(), Promise.resolve());
      if (first === undefined) return;
      this.#running += 1;
      this.#open += 1;
      void this.#run(first);
    }
  }

  #take(): WindowRead | undefined {
    const parked = this.#parked.shift();
    if (parked !== undefined) return parked;
    for (let tried = 0; tried < this.#sources.length; tried++) {
      const window = this.#sources[this.#turn++ % this.#sources.length]?.take();
      if (window !== undefined) return window;
    }
    this.#isDrained = true;
    return undefined;
  }

  async #run(first: Request): Promise<void> {
    let coming: Request | undefined = first;
    let hasEnded = false;
    while (coming !== undefined) {
      const written = Promise.withResolvers<void>();
      const { window, page } = coming;
      coming = undefined;
      try {
        const fetched = await page;
        const isLast = fetched.nextCursor === null;
        hasEnded = this.#running > this.#allowed();
        if (hasEnded) this.#running -= 1;
        else coming = request(isLast ? this.#take() : window, written.promise);
        this.#fill();
        await window.write(fetched);
        if (isLast) await window.end();
        else if (hasEnded) this.#parked.push(window);
      } catch (failure) {
        await window.end(failure);
        if (coming?.window === window) coming = undefined;
      }
      written.resolve();
      if (!hasEnded) coming ??= request(this.#take(), written.promise);
      this.#fill();
    }
    if (!hasEnded) this.#running -= 1;
    this.#open -= 1;
    if (this.#open === 0) this.#done.resolve();
  }
}

/** Makes pages into lines and hands the lines over, in the order of the calls of {@link PageWriter.write}. */
export class PageWriter {
  readonly #outlet: Outlet<Output>;
  readonly #nextTurn: () => Promise<void>;
  readonly #memory = new BufferPool();
  /** Resolves when the lines of the latest page are made, or have failed to be made. */
  #made: Promise<unknown> = Promise.resolve();
  /** The pages with lines that are made and may not be written yet; two at most. */
  readonly #writing: Promise<void>[] = [];

  /** @param nextTurn resolves in the next turn of the event loop, when requests have left and answers have come in */
  constructor(outlet: Outlet<Output>, nextTurn: () => Promise<void>) {
    this.#outlet = outlet;
    this.#nextTurn = nextTurn;
  }

  /**
   * Makes a page's lines once there is room, and hands them to the outlet. Resolves when the lines are made, before they are
   * written. Everything that the caller then sends to the outlet comes behind these lines.
   *
   * @param make writes the lines into memory that `take` gives
   * @throws the error that `make` throws; later pages are not affected
   */
  write(stream: string, make: (take: BufferPool["take"]) => Lines): Promise<Lines> {
    const lines = this.#made.then(() => this.#make(stream, make));
    this.#made = lines.catch(() => undefined);
    return lines;
  }

  // The order matters. First wait for room, then for a new turn: the wait for room may take many turns, and two pages must not
  // be made in the same one.
  async #make(stream: string, make: (take: BufferPool["take"]) => Lines): Promise<Lines> {
    if (this.#writing.length === 2) await this.#writing.shift();
    await this.#nextTurn();
    const lines = make((length) => this.#memory.take(length));
    this.#writing.push(this.#hand(stream, lines));
    return lines;
  }

  async #hand(stream: string, { bytes, count }: Lines): Promise<void> {
    if (count === 0) return; // such lines have taken no memory
    await this.#outlet.send({ type: "RECORD_LINES", stream, bytes, count });
    this.#memory.give(bytes);
  }
}

interface Waiting<Item> {
  readonly item: Item;
  readonly written: () => void;
}

/** The queue that leads to stdout: a sender waits until its item has been consumed. */
export class Outlet<Item> implements AsyncIterable<Item> {
  readonly #queue: Waiting<Item>[] = [];
  #wake: (() => void) | null = null;
  #closed = false;

  /**
   * Puts an item behind all others. Resolves once the consumer has finished with it and asks for more, so that a slow reader
   * of stdout slows down the requests (C3). Resolves at once after {@link close}, or where the consumer has gone away.
   */
  send(item: Item): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((written) => {
      this.#queue.push({ item, written });
      this.#wake?.();
    });
  }

  /** Ends the queue; the consumer still gets every item that was sent. */
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
            next.written(); // also if the consumer goes away while it has this item
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
