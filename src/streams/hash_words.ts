import type { StrayPrint } from "./stray_table.ts";

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

  /** Whether a record may be among them, by its version or its content; `byFormer`: or by its content in the form of 0.2.0. */
  mayHaveRecord({ version, content, former }: StrayPrint, byFormer: boolean): boolean {
    return this.mayHave(version) || this.mayHave(content) || (byFormer && this.mayHave(former));
  }
}
