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
 * A 64-bit hash of bytes. Two 32-bit halves take in eight bytes a turn: each half gets a mixture of both words, and the
 * two mixtures together are as telling as the words themselves, so that what differs in eight bytes differs in a half.
 * The halves do not wait for one another, and every sum is cut to 32 bits at once: one that may grow past them is
 * computed as a double. Of 1,000 records: 0.2 ms instead of 0.5 with four bytes a turn.
 *
 * @param view where the bytes are; hashed from `start` (inclusive) to `end` (exclusive)
 */
export function hashBytes(view: DataView, start: number, end: number): Hash {
  const length = end - start;
  let low = length ^ 0x1e3779b9;
  let high = length ^ 0x05ebca6b;
  let at = start;
  for (; at + 8 <= end; at += 8) {
    const first = view.getInt32(at, true);
    const second = view.getInt32(at + 4, true);
    low = Math.imul(low ^ ((first + Math.imul(second, 0x2c1b3c6c)) | 0), 0x5bd1e995);
    high = Math.imul(high ^ ((second + Math.imul(first, 0x297a2d38)) | 0), 0x01000193);
    low ^= low >>> 15; // a product's high bits never reach its low ones by themselves
    high ^= high >>> 13;
  }
  for (; at < end; at++) {
    const byte = view.getUint8(at);
    low = Math.imul(low ^ byte, 0x5bd1e995);
    high = Math.imul(high ^ low, 0x01000193);
  }
  return { high: mix(high), low: mix(low ^ high) };
}

/** A 64-bit hash of two short texts, by their code units. */
export function hashTexts(first: string, second: string): Hash {
  const [a, b] = [hashText(first), hashText(second)];
  return {
    high: mix(Math.imul(a.high, 0x5bd1e995) ^ b.high),
    low: mix(Math.imul(a.low, 0x01000193) ^ b.low),
  };
}

function hashText(text: string): Hash {
  let low = text.length ^ 0x1e3779b9;
  let high = text.length ^ 0x05ebca6b;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x5bd1e995);
    high = Math.imul(high ^ unit, 0x01000193);
    low ^= low >>> 15;
    high ^= high >>> 13;
  }
  return { high: mix(high), low: mix(low ^ high) };
}

function mix(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

/** What tells a record apart: `version` is its id and when it was updated, `content` all of it. */
export interface Fingerprint {
  readonly version: Hash;
  readonly content: Hash;
}

/** `conflict`: the version was seen before, with another content. */
export type Sighting = "new" | "repeat" | "conflict";

/** Slots of a table at first: 16 kB. */
const SLOTS = 1024;

/** Of the slots, how many may be taken; where more are, a search passes too many of them. */
const MAXIMUM_LOAD = 0.75;

/**
 * The fingerprints of records in one flat table (open addressing), 16 bytes a slot: content, then version. A record is
 * looked for where its version belongs, so that one search finds both whether it was seen and whether another content
 * was. Bounded: past `capacity` it forgets nothing that it holds and takes nothing more.
 */
export class FingerprintTable {
  readonly #capacity: number;
  #table = new Uint32Array(4 * SLOTS);
  #size = 0;

  /** @param capacity entries at most */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether it is full, so that a repeat may pass unseen. */
  get isFull(): boolean {
    return this.#size >= this.#capacity;
  }

  /** Whether it held the record; adds it where it did not and there is room. */
  note({ version, content }: Fingerprint): Sighting {
    const low = version.low === 0 ? 1 : version.low; // an empty slot has a zero there
    const table = this.#table;
    let slot = homeOf(version.high, table);
    let sighting: Sighting = "new";
    for (; table[slot + 3] !== 0; slot = slot + 4 === table.length ? 0 : slot + 4) {
      if (table[slot + 3] !== low || table[slot + 2] !== version.high) continue;
      if (table[slot] === content.high && table[slot + 1] === content.low) return "repeat";
      sighting = "conflict";
    }
    if (this.isFull) return sighting;
    table[slot] = content.high;
    table[slot + 1] = content.low;
    table[slot + 2] = version.high;
    table[slot + 3] = low;
    this.#size += 1;
    if (this.#size > (table.length / 4) * MAXIMUM_LOAD) this.#grow();
    return sighting;
  }

  /** Forgets all that it holds, and keeps its memory for the next: to allocate it anew takes longer than to clear it. */
  clear(): void {
    if (this.#size === 0) return;
    this.#table.fill(0);
    this.#size = 0;
  }

  #grow(): void {
    const old = this.#table;
    const enough = Math.ceil(this.#capacity / MAXIMUM_LOAD) + 1;
    const table = new Uint32Array(4 * Math.min((old.length / 4) * 2, enough));
    for (let from = 0; from < old.length; from += 4) {
      if (old[from + 3] === 0) continue;
      let slot = homeOf(old[from + 2] ?? 0, table);
      while (table[slot + 3] !== 0) slot = slot + 4 === table.length ? 0 : slot + 4;
      for (let word = 0; word < 4; word++) table[slot + word] = old[from + word] ?? 0;
    }
    this.#table = table;
  }
}

/** Where the search for a version begins; the number of slots need not be a power of two. */
function homeOf(high: number, table: Uint32Array): number {
  return 4 * Math.floor((high / 2 ** 32) * (table.length / 4));
}
