/**
 * Strays (P5): records that start outside the window that returned them. A stray belongs to the window that contains the
 * stray's start. So each stray waits until all windows of the pass are read. A stray that no window has returned as its own is
 * then written, by one more reading of the window that showed the stray.
 *
 *     window shows a stray ──► pending ──► a window returns it as its own ──► dropped
 *                                     └──► all windows are read ──► its own day is read ──► dropped, or written
 *     an earlier sync wrote it ──► standing: reported, not written again
 */
import { type Limits, LIMITS } from "../core/limits.ts";
import type { WrittenStray } from "../core/state.ts";
import { floorTo, DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";

/** The key of a window in a map. */
const nameOf = ({ start, end }: Range): string => `${start} ${end}`;

interface Pending {
  readonly day: number;
  readonly windows: Set<string>;
}

/** The strays of one stream's read. Hashes are 24 hexadecimal digits. */
export class Strays {
  readonly #written: Map<string, WrittenStray>;
  readonly #pending = new Map<string, Pending>();
  readonly #seen = new Set<string>();
  readonly #limits: Limits;
  #noted = 0;

  constructor(written: readonly WrittenStray[], limits: Limits = LIMITS) {
    this.#limits = limits;
    this.#written = new Map(written.map((stray) => [stray.hash, stray]));
  }

  /** Whether there is nothing for {@link own} to do. Usually true. */
  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#written.size === 0;
  }

  /** Whether no further stray can wait. */
  get isFull(): boolean {
    return this.#pending.size >= this.#limits.pendingStrays;
  }

  /**
   * Takes note of a stray.
   *
   * @returns the entry of an earlier sync that wrote this stray; null if the stray waits now
   */
  see(hash: string, start: number, window: Range): WrittenStray | null {
    const written = this.#written.get(hash);
    if (written !== undefined) {
      this.#seen.add(hash);
      return written;
    }
    const pending = this.#pending.get(hash) ?? { day: floorTo(DAY, start), windows: new Set() };
    if (!this.isFull) this.#pending.set(hash, pending);
    if (pending.windows.size === 0 || this.#noted < this.#limits.notedWindows) {
      this.#noted += 1;
      pending.windows.add(nameOf(window));
    }
    return null;
  }

  /** A window returned the record as its own. The record is no stray any more, so its entries are removed. */
  own(hash: string): void {
    this.#pending.delete(hash);
    this.#written.delete(hash);
  }

  /** Hashes of the strays that this window showed and that no window has returned as its own. */
  pendingOf(window: Range): ReadonlySet<string> {
    const name = nameOf(window);
    const own = [...this.#pending].filter(([, { windows }]) => windows.has(name));
    return new Set(own.map(([hash]) => hash));
  }

  /** The days that pending strays start on. */
  pendingDays(): number[] {
    return [...new Set([...this.#pending.values()].map(({ day }) => day))].toSorted(
      (a, b) => a - b,
    );
  }

  /**
   * Notes strays that were written: they wait no longer, and the state remembers them. Each of them may be a new version of a
   * stray that an earlier sync wrote on the same day. So the strays of these days that no window has shown in this read are
   * forgotten: if a provider goes back to such a version, it is written again.
   */
  wrote(hashes: ReadonlySet<string>, window: Range, readingId: string): void {
    const days = new Set<number>();
    for (const hash of hashes) {
      const pending = this.#pending.get(hash);
      this.#pending.delete(hash);
      if (pending === undefined) continue;
      this.#written.set(hash, { hash, day: pending.day, readingId, window });
      this.#seen.add(hash);
      days.add(pending.day);
    }
    for (const { hash, day } of this.#written.values()) {
      if (days.has(day) && !this.#seen.has(hash)) this.#written.delete(hash);
    }
  }

  /** Removes strays from the pending ones: their window did not return them again when they were to be written. */
  drop(hashes: ReadonlySet<string>): void {
    for (const hash of hashes) this.#pending.delete(hash);
  }

  /** To be called after a complete reading of a window. Forgets written strays that the window no longer shows. */
  judge(window: Range): void {
    for (const { hash, window: shown } of this.#written.values()) {
      const isInside = window.start <= shown.start && shown.end <= window.end;
      if (isInside && !this.#seen.has(hash)) this.#written.delete(hash);
    }
  }

  /** The written strays for the state: the newest ones (S8). */
  get written(): readonly WrittenStray[] {
    return [...this.#written.values()].slice(-this.#limits.writtenStrays);
  }
}
