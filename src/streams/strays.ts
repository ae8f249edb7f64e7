/**
 * Strays (P5): records that start outside the window that returned them. A stray belongs to the window that contains its
 * start. So it waits until the other windows of the pass are read; only a stray that no window returned as its own is
 * written, by reading the window that showed it once more.
 *
 *     window shows a stray ──► pending ──► a window returns it as its own ──► dropped
 *                                     └──► all windows are read ──► its own day is read ──► dropped, or written
 *     an earlier sync wrote it ──► standing: reported, not written again
 */
import type { WrittenStray } from "../core/state.ts";
import { floorTo, DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";

/** A window as the key of a map. */
const nameOf = ({ start, end }: Range): string => `${start} ${end}`;

/** The most strays that wait at once; of more, some are written although a window returns them. */
const MAXIMUM_PENDING = 50_000;

/** The most written strays that the state remembers (S8). */
const MAXIMUM_WRITTEN = 2000;

/** The most days that are read to look for the owners of strays. */
export const MAXIMUM_LOOKS = 31;

interface Pending {
  readonly day: number;
  readonly windows: Set<string>;
}

/** The strays of one stream's read. Hashes are 24 hexadecimal digits. */
export class Strays {
  readonly #written: Map<string, WrittenStray>;
  readonly #pending = new Map<string, Pending>();
  readonly #seen = new Set<string>();

  constructor(written: readonly WrittenStray[]) {
    this.#written = new Map(written.map((stray) => [stray.hash, stray]));
  }

  /** Whether {@link own} has anything to say: nearly never. */
  get isEmpty(): boolean {
    return this.#pending.size === 0 && this.#written.size === 0;
  }

  /**
   * Takes note of a stray.
   *
   * @returns what an earlier sync wrote of it; null where it waits now
   */
  see(hash: string, start: number, window: Range): WrittenStray | null {
    const written = this.#written.get(hash);
    if (written !== undefined) {
      this.#seen.add(hash);
      return written;
    }
    const pending = this.#pending.get(hash) ?? { day: floorTo(DAY, start), windows: new Set() };
    if (this.#pending.size < MAXIMUM_PENDING) this.#pending.set(hash, pending);
    pending.windows.add(nameOf(window));
    return null;
  }

  /** A window returned the record as its own: it is no stray, and no row of its own stands any more. */
  own(hash: string): void {
    this.#pending.delete(hash);
    this.#written.delete(hash);
  }

  /** The strays that a window showed and nobody has returned as its own. */
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

  /** Strays of a window were written: they wait no longer, and the state remembers them. */
  wrote(hashes: ReadonlySet<string>, window: Range, readingId: string): void {
    for (const hash of hashes) {
      const pending = this.#pending.get(hash);
      this.#pending.delete(hash);
      if (pending === undefined) continue;
      this.#written.set(hash, { hash, day: pending.day, readingId, window });
      this.#seen.add(hash);
    }
  }

  /** Strays that the window did not show any more when they were to be written. */
  drop(hashes: ReadonlySet<string>): void {
    for (const hash of hashes) this.#pending.delete(hash);
  }

  /** A complete reading of a window showed the strays that it has: those that it showed before and no longer shows are gone. */
  judge(window: Range): void {
    for (const { hash, window: shown } of this.#written.values()) {
      const isInside = window.start <= shown.start && shown.end <= window.end;
      if (isInside && !this.#seen.has(hash)) this.#written.delete(hash);
    }
  }

  /** For the state: the newest, as many as it may remember. */
  get written(): readonly WrittenStray[] {
    return [...this.#written.values()].slice(-MAXIMUM_WRITTEN);
  }
}
