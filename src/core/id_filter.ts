/** A set of ids in memory of a fixed size: a Bloom filter (P5). Pure. */

/** The bits of an entry. With as many ids as a filter has words, one in some 270 other ids is taken for one of them. */
const HASHES = 2;

export class IdFilter {
  readonly #words: Uint32Array;
  readonly #last: number;

  /** @param words the 32-bit words of the filter: a power of two */
  constructor(words: number) {
    this.#words = new Uint32Array(words);
    this.#last = 32 * words - 1;
  }

  /** @param id the hash of an id: at least two words */
  add(id: ArrayLike<number>): void {
    for (let hash = 0; hash < HASHES; hash++) {
      const bit = (id[hash] ?? 0) & this.#last;
      const word = bit >>> 5;
      this.#words[word] = (this.#words[word] ?? 0) | (1 << (bit & 31));
    }
  }

  /** Whether the id may be in the set: false if it was never added. */
  mayHave(id: ArrayLike<number>): boolean {
    for (let hash = 0; hash < HASHES; hash++) {
      const bit = (id[hash] ?? 0) & this.#last;
      if (((this.#words[bit >>> 5] ?? 0) & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }
}
