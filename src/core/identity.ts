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

/** Names readings. Each id sorts behind all earlier ones, also if the provider's clock stands still or is put back. */
export class ReadingIds {
  #last = -Infinity;

  /** Lets new ids sort behind this one; ignores a text that is no id. */
  follow(id: string): void {
    if (!/^[0-9a-z]{14}$/.test(id)) return;
    this.#last = Math.max(this.#last, Number.parseInt(id.slice(0, TIME_DIGITS), 36));
  }

  /** See {@link readingId}; the instant is moved on where an earlier id has it already. */
  next(beganAt: number, random: number): string {
    this.#last = Math.max(beganAt, this.#last + 1);
    return readingId(this.#last, random);
  }
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

/** The hashes that tell a record apart: `version` of its id and of its time of update, `content` of all its bytes. */
export interface RecordFingerprint {
  readonly version: Hash;
  readonly content: Hash;
}
