/**
 * Windows of a single page with days that differ (R6). The digests of these days must leave the state before the first row of them
 * is written. With a STATE for each such window, a sync of many small windows would write more bytes of STATE than of rows. So the
 * rows of these windows are held for a short time, and one STATE goes before all of them:
 *
 *     page made ─► days differ ─► held ─┐
 *     page made ─► days differ ─► held ─┴─► STATE without these days ─► rows of all held windows ─► the windows end
 *
 * If the process is killed or the stream fails before that, no row of a held window is written, and the window does not count as
 * read.
 */
import type { Limits } from "../core/limits.ts";
import { renewed } from "../core/former.ts";
import type { GoneDay } from "../core/known_days.ts";
import { differingDays, standsUnproven } from "../core/settle.ts";
import { knownOf } from "../core/state.ts";
import type { Ledger } from "./ledger.ts";
import type { OpenWindow } from "./open_window.ts";
import type { Lines } from "./records.ts";
import type { RowOptions } from "./rows.ts";
import type { FetchedPage } from "./stream.ts";
import type { Output } from "../protocol.ts";

const NO_LINES = Buffer.alloc(0);

interface Held {
  readonly window: OpenWindow;
  readonly lines: Lines;
  /** The known days that differ and have rows. */
  readonly days: readonly GoneDay[];
}

/** A window whose rows are handed over. */
interface Released {
  readonly window: OpenWindow;
  readonly written: Promise<void>;
}

export interface HeldOptions {
  readonly ledger: Ledger;
  readonly stream: string;
  /** The longest time that rows are held while other pages come, in milliseconds. */
  readonly interval: number;
  readonly limits: Limits;
  readonly now: () => number;
  /** See `SourceNotes` in stream.ts. */
  readonly unprovenBefore?: () => number | null;
  /** Puts an item behind all that was sent before. Resolves when the item is written. */
  readonly send: (item: Output) => Promise<void>;
}

export class HeldWindows {
  readonly #options: HeldOptions;
  readonly #held: Held[] = [];
  readonly #released: Released[] = [];
  #since = 0;

  constructor(options: HeldOptions) {
    this.#options = options;
  }

  has(window: OpenWindow): boolean {
    return this.#held.some((held) => held.window === window);
  }

  /** Whether the held rows should be written now. */
  get isDue(): boolean {
    const { interval, limits, now } = this.#options;
    const bytes = this.#held.reduce((sum, { lines }) => sum + lines.bytes.length, 0);
    return this.#held.length > 0 && (bytes >= limits.heldBytes || now() - this.#since >= interval);
  }

  /**
   * Makes a page's lines. The lines of a page that is held are left out. All other lines come behind those that are held, so that
   * the order of time is kept (C1).
   *
   * @throws ConnectorError `invalid_record` if a record breaks its schema (V1)
   */
  make(window: OpenWindow, page: FetchedPage, { emittedAt, take }: RowOptions): Lines {
    const judged = window.judge(page);
    const also = window.isWhole(page) ? this.#differing(window, judged.digests, page.asOf) : [];
    const days = judged.digests
      .filter(({ day }) => also.includes(day))
      .map(({ day, records }): GoneDay => ({ day, records, writtenBy: null }));
    let mayHold = false;
    const lines = window.write(judged, {
      emittedAt,
      also,
      take: (length) => {
        mayHold = days.length > 0 && length <= this.#options.limits.heldPageBytes;
        return mayHold ? Buffer.allocUnsafeSlow(length) : take(length);
      },
    });
    if (lines.count === 0) return lines;
    if (mayHold) {
      if (this.#held.length === 0) this.#since = this.#options.now();
      this.#held.push({ window, lines, days });
      return { ...lines, bytes: NO_LINES, count: 0 };
    }
    this.#handOver(days, window);
    this.#options.ledger.made(lines.count, lines.bytes.length);
    return lines;
  }

  /**
   * Writes the rows of all held windows.
   *
   * @returns all windows whose rows went out since the last call: they can end now
   */
  async release(): Promise<readonly OpenWindow[]> {
    this.#handOver([], null);
    return await this.released();
  }

  /** The windows whose held rows went out since the last call. Resolves when these rows are written. */
  async released(): Promise<readonly OpenWindow[]> {
    const released = this.#released.splice(0);
    await Promise.all(released.map(({ written }) => written));
    return released.map(({ window }) => window);
  }

  #differing(window: OpenWindow, digests: Lines["digests"], asOf: string): readonly number[] {
    const known = renewed(knownOf(this.#options.ledger.state), digests);
    const before = this.#options.unprovenBefore?.() ?? null;
    const { job, reading } = window;
    const differing = differingDays(known, job.window, digests, { ...reading, firstAsOf: asOf });
    return differing.filter((day) => !standsUnproven(known, day, before));
  }

  /**
   * Hands over a STATE, if one is needed, and then the rows of all held windows, before it returns.
   *
   * @param more days that leave the state with those of the held windows
   * @param next the window whose rows come next; null if none do
   */
  #handOver(more: readonly GoneDay[], next: OpenWindow | null): void {
    const { stream, ledger, send } = this.#options;
    const held = this.#held.splice(0);
    const windows = [...held.map(({ window }) => window), ...(next === null ? [] : [next])];
    const newest = windows
      .map(({ reading }) => reading.id)
      .toSorted()
      .at(-1);
    const isNew = newest !== undefined && ledger.reserve(newest);
    void ledger.forget([...held.flatMap(({ days }) => days), ...more]);
    if (isNew) void ledger.sendAhead(); // nothing if the STATE has just gone out
    for (const { window, lines } of held) {
      const { bytes, count } = lines;
      ledger.made(count, bytes.length);
      this.#released.push({
        window,
        written: send({ type: "RECORD_LINES", stream, bytes, count }),
      });
    }
  }
}
