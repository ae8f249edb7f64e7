/** A set of ids in memory of a fixed size: a Bloom filter (P5). Pure. */

/** The bits of an entry. With as many ids as a filter has words, one in some 270 other ids is taken for one of them. */
const HASHES = 2;

/** The ids that wait at most: 8 KiB. */
const WAITING = 1024;

export class IdFilter {
  readonly #words: Uint32Array;
  readonly #last: number;
  /** Hashes that are not in the filter yet. To add many at once is quicker, because the processor fetches several words at a time. */
  readonly #waiting = new Uint32Array(HASHES * WAITING);
  #count = 0;

  /** @param words the 32-bit words of the filter: a power of two */
  constructor(words: number) {
    this.#words = new Uint32Array(words);
    this.#last = 32 * words - 1;
  }

  /** @param id the hash of an id: at least two words */
  add(id: Uint32Array): void {
    const waiting = this.#waiting;
    for (let hash = 0; hash < HASHES; hash++) waiting[this.#count++] = id[hash] ?? 0;
    if (this.#count === waiting.length) this.#addWaiting();
  }

  #addWaiting(): void {
    const words = this.#words;
    const waiting = this.#waiting;
    for (let index = 0; index < this.#count; index++) {
      const bit = (waiting[index] ?? 0) & this.#last;
      words[bit >>> 5] = (words[bit >>> 5] ?? 0) | (1 << (bit & 31));
    }
    this.#count = 0;
  }

  /** Whether the id may be in the set: false if it was never added. */
  mayHave(id: ArrayLike<number>): boolean {
    this.#addWaiting();
    for (let hash = 0; hash < HASHES; hash++) {
      const bit = (id[hash] ?? 0) & this.#last;
      if (((this.#words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}
