/**
 * P5: written strays that a reading has returned as records of their day, or in a newer version. The last report on the window of such a
 * stray lists the stray, so that the window has to list its strays again. If the rows of the day are still to be written, the old row
 * stands until then.
 */
import type { RecordFingerprint } from "../core/identity.ts";
import { contains, nameOf, type Range } from "../core/window.ts";
import type { WrittenStray } from "./stray_listings.ts";

export class TakenStrays {
  /** By content: the strays whose old rows stand. */
  readonly #standing = new Map<string, WrittenStray>();
  readonly #outdated = new Map<string, Range>();

  /** @param isOut whether the stray's row is written at once as a record of its day */
  take(stray: WrittenStray, isOut: boolean): void {
    this.replace(stray);
    if (!isOut) this.#standing.set(stray.hash, stray);
  }

  /** A newer version of the stray was written. */
  replace({ window }: WrittenStray): void {
    this.#outdated.set(nameOf(window), window);
  }

  /** A stray whose old row stands: a reading that shows the stray has to list it. */
  find(print: Pick<RecordFingerprint, "contentText">): WrittenStray | undefined {
    return this.#standing.size === 0 ? undefined : this.#standing.get(print.contentText);
  }

  get standing(): readonly WrittenStray[] {
    return [...this.#standing.values()];
  }

  /** The windows that have to list their strays again. */
  get outdated(): readonly Range[] {
    return [...this.#outdated.values()];
  }

  /** To be called with a window whose strays a complete reading lists as they are now. */
  listed(window: Range): void {
    for (const [name, own] of this.#outdated)
      if (contains(window, own)) this.#outdated.delete(name);
  }

  /** @param stands whether the rows of a day stand as a complete reading has shown them */
  settle(stands: (day: number) => boolean): void {
    for (const { hash, day } of this.#standing.values())
      if (stands(day)) this.#standing.delete(hash);
  }
}
