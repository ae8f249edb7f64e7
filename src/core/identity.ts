/** Reading ids (R4) and the fingerprints of records (P5). Pure: instants and random numbers are arguments. */

const TIME_DIGITS = 9; // 36^9 ms reach beyond the year 5000
const RANDOM_DIGITS = 5;

/**
 * An id that sorts, as text, by when its reading began: nine base-36 digits of milliseconds, then five random ones.
 *
 * @param beganAt milliseconds since 1970, on the provider's clock
 * @param random uniform in [0, 1): tells apart readings of one millisecond in two processes
 */
export function readingId(beganAt: number, random: number): string {
  const time = Math.trunc(beganAt).toString(36).padStart(TIME_DIGITS, "0");
  const salt = Math.floor(random * 36 ** RANDOM_DIGITS).toString(36);
  return time + salt.padStart(RANDOM_DIGITS, "0");
}

/** Two 32-bit halves of a hash. */
export interface Hash {
  readonly high: number;
  readonly low: number;
}

/**
 * A 64-bit hash of bytes: two multiplicative hashes with different seeds, fed four bytes at a time, each mixed at the end
 * (murmur's finalizer).
 *
 * @param view where the bytes are; hashed from `start` (inclusive) to `end` (exclusive)
 */
export function hashBytes(view: DataView, start: number, end: number): Hash {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b ^ (end - start);
  let at = start;
  for (; at + 4 <= end; at += 4) {
    const word = view.getInt32(at, true);
    low = Math.imul(low ^ word, 0x5bd1e995);
    low ^= low >>> 15; // a product's high bits never reach its low ones by themselves
    high = Math.imul(high + word, 0x01000193) ^ low;
  }
  for (; at < end; at++) {
    low = Math.imul(low ^ view.getUint8(at), 0x5bd1e995);
    high = Math.imul(high ^ low, 0x01000193);
  }
  return { high: mix(high), low: mix(low ^ high) };
}

/** A 64-bit hash of a short text, by its code units. */
export function hash(text: string): Hash {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b ^ text.length;
  for (let index = 0; index < text.length; index++) {
    low = Math.imul(low ^ text.charCodeAt(index), 0x5bd1e995);
    low ^= low >>> 15;
    high = Math.imul(high ^ low, 0x01000193);
  }
  return { high: mix(high), low: mix(low ^ high) };
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/**
 * A set of 64-bit fingerprints in one flat table (open addressing), 8 to 16 bytes an entry, bounded: past `capacity` it
 * forgets nothing that it holds and takes nothing more.
 */
export class FingerprintSet {
  readonly #capacity: number;
  #table = new Uint32Array(2 * 1024);
  #size = 0;

  /** @param capacity entries at most */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether it is full, so that a repeat may pass unseen. */
  get isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** Whether it held the fingerprint already; adds it where it did not and there is room. */
  seen(fingerprint: Hash): boolean {
    const { high } = fingerprint;
    const low = fingerprint.low === 0 && high === 0 ? 1 : fingerprint.low; // an empty slot is two zeros
    const slot = this.#find(high, low);
    if (this.#table[slot] !== 0 || this.#table[slot + 1] !== 0) return true;
    if (this.isFull) return false;
    this.#table[slot] = high;
    this.#table[slot + 1] = low;
    this.#size += 1;
    if (this.#size * 4 > this.#table.length) this.#grow(); // more than half of the slots are taken
    return false;
  }

  #find(high: number, low: number): number {
    const slots = this.#table.length / 2;
    let slot = (low & (slots - 1)) * 2;
    for (;;) {
      const [first, second] = [this.#table[slot], this.#table[slot + 1]];
      if ((first === 0 && second === 0) || (first === high && second === low)) return slot;
      slot = (slot + 2) % this.#table.length;
    }
  }

  #grow(): void {
    const old = this.#table;
    this.#table = new Uint32Array(old.length * 2);
    for (let slot = 0; slot < old.length; slot += 2) {
      const [high = 0, low = 0] = [old[slot], old[slot + 1]];
      if (high === 0 && low === 0) continue;
      const target = this.#find(high, low);
      this.#table[target] = high;
      this.#table[target + 1] = low;
    }
  }
}
