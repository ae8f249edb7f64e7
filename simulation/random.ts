/** The only source of randomness in a simulation: a seed gives the same numbers on every machine. */

/** sfc32: small, fast and random enough for schedules. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) ^ 0x9e3779b9;
    this.#c = 0x243f6a88;
    for (let warm = 0; warm < 12; warm++) this.next();
  }

  /** Uniform in [0, 1). */
  readonly next = (): number => {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };

  /** A whole number, both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<const Items extends readonly [unknown, ...unknown[]]>(items: Items): Items[number] {
    return items[this.int(0, items.length - 1)] ?? items[0];
  }

  /** An independent generator, so that the draws of one part do not change those of another. */
  fork(): Random {
    return new Random(this.int(0, 2 ** 32 - 1) + this.int(0, 2 ** 20) * 2 ** 32);
  }
}

/** A random number in [0, 1) that depends only on its arguments: the same for every call. */
export function chanceOf(...numbers: readonly number[]): number {
  let mixed = 0x2545f491;
  for (const number of numbers) {
    mixed = Math.imul(mixed ^ (number | 0), 0x5bd1e995);
    mixed = Math.imul(mixed ^ Math.floor(number / 2 ** 32) ^ (mixed >>> 15), 0x1b873593);
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
}
