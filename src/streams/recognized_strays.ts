/** The strays that a read knows, as the records of its windows find them (P5). */
import type { KnownStray } from "../core/state.ts";
import { hasContent, isCut } from "../core/stray_group.ts";
import { contains, type Range } from "../core/window.ts";
import { HashWords } from "./hash_words.ts";
import type { Pending } from "./pending_strays.ts";
import { isWritten } from "./stray_groups.ts";
import type { WrittenStray } from "./stray_listings.ts";
import { type StrayPrint, StrayTable } from "./stray_table.ts";

interface Shown extends Pick<Pending, "id" | "version"> {
  readonly window: Range;
}

export class RecognizedStrays extends StrayTable {
  /** Contents that this read has shown. */
  readonly seen = new Set<string>();
  /** Contents that became known in this read. */
  readonly learned = new Set<string>();
  /** By content: the id and the version of the strays that this read has shown, and the last window that has shown them. */
  readonly prints = new Map<string, Shown>();
  /** All hashes in this table, and in that of the strays that wait. */
  readonly #words = new HashWords();
  /** How many strays came from 0.2.0 and have not been shown since. */
  #former: number;

  constructor(strays: readonly KnownStray[]) {
    super(strays);
    this.#former = strays.filter(({ isFormer }) => isFormer === true).length;
    for (const { hash } of strays) this.#words.add(hash);
  }

  /** Whether strays are known by their hash of 0.2.0. */
  get hasFormer(): boolean {
    return this.#former > 0;
  }

  /** Finds a stray that a window shows. So the stray was not missing in this window (R8). */
  findIn(window: Range, print: StrayPrint): KnownStray | undefined {
    const found = this.find(print);
    // Another window shows a stray that has moved there, and it stays missing in its own one.
    if (found?.missedAt === undefined || !contains(window, found.window)) return found;
    return this.#unsuspected(found);
  }

  /** A window shows a newer version of a stray with this id. */
  shows(id: string): void {
    for (const stray of this.ofId(id)) if (stray.missedAt !== undefined) this.#unsuspected(stray);
  }

  #unsuspected({ missedAt: _missedAt, ...stray }: KnownStray): KnownStray {
    this.set(stray);
    return stray;
  }

  /** A window shows a written stray: the stray has an id and a version from here on. */
  name(stray: KnownStray, shown: Shown): void {
    this.prints.set(stray.hash, shown);
    if (stray.id === undefined) this.set({ ...stray, id: shown.id });
  }

  /** Whether another window of this read has shown a stray. */
  hasMoved({ hash, window }: Pick<KnownStray, "hash" | "window">): boolean {
    const shownBy = this.prints.get(hash)?.window;
    return shownBy !== undefined && !contains(shownBy, window);
  }

  /** A record with this hash is looked for from here on, in this table or in that of the strays that wait. */
  expect(hash: string): void {
    this.#words.add(hash);
  }

  /** Whether a record may be in one of the two tables. */
  mayHave(print: StrayPrint): boolean {
    return this.#words.mayHaveRecord(print, this.hasFormer);
  }

  /** A stray becomes known in this read. */
  learn(stray: KnownStray): void {
    this.set(stray);
    this.seen.add(stray.hash);
    this.learned.add(stray.hash);
    this.expect(stray.hash);
  }

  find(print: StrayPrint): KnownStray | undefined {
    if (this.hasFormer && this.#words.mayHave(print.former)) this.#renew(print);
    return this.#words.mayHave(print.content) ? this.get(print.contentText) : undefined;
  }

  /** A stray that 0.2.0 wrote comes unchanged: it is known by its hash of today from here. */
  #renew(print: StrayPrint): void {
    const known = this.get(print.formerText);
    if (known?.isFormer !== true) return;
    const { isFormer: _isFormer, ...stray } = known;
    this.delete(known.hash);
    this.learn({ ...stray, hash: print.contentText });
    this.#former -= 1;
  }

  get written(): WrittenStray[] {
    return [...this.values()].filter((stray) => isWritten(stray));
  }

  /** The written strays of windows that are longer than the provider allows by now, and whose ids stand in place of their contents (P5). */
  cutBy(maximumWindowDays: number): WrittenStray[] {
    return this.written.filter((stray) => !hasContent(stray) && isCut(stray, maximumWindowDays));
  }
}
