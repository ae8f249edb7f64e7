/**
 * P5: written strays that a reading has returned as records of their day. If the rows of the day are still to be written, the old row of
 * such a stray stands until then.
 */
import type { RecordFingerprint } from "../core/identity.ts";
import type { WrittenStray } from "./stray_listings.ts";

export class TakenStrays {
  /** By content: the strays whose old rows stand. */
  readonly #standing = new Map<string, WrittenStray>();

  #hasReplaced = false;

  /** @param isOut whether the day's row goes out at once; otherwise it is still to be written */
  take(stray: WrittenStray, isOut: boolean): void {
    if (isOut) this.#hasReplaced = true;
    else this.#standing.set(stray.hash, stray);
  }

  /** Whether rows that have gone out replaced strays since the last call. */
  takeReplaced(): boolean {
    const hasReplaced = this.#hasReplaced;
    this.#hasReplaced = false;
    return hasReplaced;
  }

  /** A stray whose old row stands: a reading that shows the stray has to list it. */
  find(print: Pick<RecordFingerprint, "contentText">): WrittenStray | undefined {
    return this.#standing.size === 0 ? undefined : this.#standing.get(print.contentText);
  }

  get standing(): readonly WrittenStray[] {
    return [...this.#standing.values()];
  }

  /** @param stands whether the rows of a day stand as a complete reading has shown them */
  settle(stands: (day: number) => boolean): void {
    for (const { hash, day } of this.#standing.values())
      if (stands(day)) this.#standing.delete(hash);
  }
}
