/**
 * P5: written strays that a reading has returned as records of their day. If the rows of the day are still to be written, the old row of
 * such a stray stands until then.
 */
import type { RecordFingerprint } from "../core/identity.ts";
import { isWritten } from "./stray_groups.ts";
import type { WrittenStray } from "./stray_listings.ts";
import { StrayTable } from "./stray_table.ts";

type Print = Pick<RecordFingerprint, "contentText">;

export class TakenStrays {
  /** The strays whose old rows stand. */
  readonly #standing = new StrayTable([]);
  /** By day: how many strays it has taken over in this read. */
  readonly #taken = new Map<number, number>();
  #hasReplaced = false;

  get isEmpty(): boolean {
    return this.#standing.size === 0;
  }

  /** @param isOut whether the day's row goes out at once; otherwise it is still to be written */
  take(stray: WrittenStray, isOut: boolean): void {
    this.#taken.set(stray.day, this.on(stray.day) + 1);
    if (isOut) this.#hasReplaced = true;
    else this.#standing.set(stray);
  }

  /** How many strays a day has taken over in this read. */
  on(day: number): number {
    return this.#taken.get(day) ?? 0;
  }

  /**
   * The day's row goes out that was still to be written.
   *
   * @param id the hash of the record's id; a stray without an id is found by its content
   */
  replaced(id: string, { contentText }: Print): void {
    if (this.isEmpty) return;
    const contents = [contentText, ...this.#standing.ofId(id).map(({ hash }) => hash)];
    const [before, table] = [this.#standing.size, this.#standing];
    for (const content of contents) table.delete(content);
    if (table.size < before) this.#hasReplaced = true;
  }

  /** Whether rows that have gone out replaced strays since the last call. */
  takeReplaced(): boolean {
    const hasReplaced = this.#hasReplaced;
    this.#hasReplaced = false;
    return hasReplaced;
  }

  /** A stray whose old row stands: a reading that shows the stray has to list it. */
  find(print: Print): WrittenStray | undefined {
    const stray = this.isEmpty ? undefined : this.#standing.get(print.contentText);
    return stray !== undefined && isWritten(stray) ? stray : undefined;
  }

  get standing(): readonly WrittenStray[] {
    return [...this.#standing.values()].filter(isWritten);
  }

  /** @param stands whether the rows of a day stand as a complete reading has shown them */
  settle(stands: (day: number) => boolean): void {
    for (const { hash, day } of this.#standing.values())
      if (stands(day)) this.#standing.delete(hash);
  }
}
