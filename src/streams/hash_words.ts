/** The first words of hashes: most records are in none of a stream's tables of strays, and a search by text takes longer. */
export class HashWords {
  readonly #words = new Set<number>();

  /** @param hash in hexadecimal digits */
  add(hash: string): void {
    this.#words.add(Number.parseInt(hash.slice(0, 8), 16));
  }

  /** Whether a hash with these words may be among them. */
  mayHave(words: ArrayLike<number>): boolean {
    return this.#words.has(words[0] ?? 0);
  }
}
