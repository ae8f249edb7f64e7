/** Texts as they stand in a page's bytes: whether a text is a decimal, and whether it is one of those seen before. */

/** Stands in place of a text's start if the value is null. */
export const NULL = -1;

const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
const MINUS = 0x2d;

/** Whether a text is a Decimal (interface section 2.1): `-?(0|[1-9][0-9]*)(\.[0-9]+)?`. */
export function isDecimal(bytes: Uint8Array, start: number, end: number): boolean {
  const from = bytes[start] === MINUS ? start + 1 : start;
  const dot = digitsEnd(bytes, from, end);
  if (dot === from || (bytes[from] === ZERO && dot > from + 1)) return false;
  if (dot === end) return true;
  return bytes[dot] === DOT && dot + 1 < end && digitsEnd(bytes, dot + 1, end) === end;
}

/** The place behind the digits that begin at `start`. */
function digitsEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && (bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= NINE) at += 1;
  return at;
}

/** The most texts of a set, and the most bytes of a text. */
const MOST_TEXTS = 64;
const MOST_BYTES = 64;

/** Slots of a set's table; a power of two. At most half of them are taken. */
const SLOTS = 2 * MOST_TEXTS;

/** A small set of short texts, and perhaps null. A text that finds no room stays out. */
export class KnownTexts {
  readonly #slots: (Uint8Array | undefined)[] = Array.from({ length: SLOTS });
  #size = 0;
  #hasNull = false;

  /** @param start the text's start in `bytes`; {@link NULL} for null */
  has(bytes: Uint8Array, start: number, end: number): boolean {
    if (start === NULL) return this.#hasNull;
    return this.#slots[this.#find(bytes, start, end)] !== undefined;
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    if (start === NULL) this.#hasNull = true;
    else if (this.#size < MOST_TEXTS && end - start <= MOST_BYTES && !this.has(bytes, start, end)) {
      this.#slots[this.#find(bytes, start, end)] = Uint8Array.from(bytes.subarray(start, end));
      this.#size += 1;
    }
  }

  /** The slot that holds a text, or else the free slot where it can be added. */
  #find(bytes: Uint8Array, start: number, end: number): number {
    const length = end - start;
    const ends = length === 0 ? 0 : (bytes[start] ?? 0) + 31 * (bytes[end - 1] ?? 0);
    for (let slot = ends + 7 * length; ; slot++) {
      const text = this.#slots[slot & (SLOTS - 1)];
      if (text === undefined || isSame(text, bytes, start, length)) return slot & (SLOTS - 1);
    }
  }
}

function isSame(text: Uint8Array, bytes: Uint8Array, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let at = 0; at < length; at++) if (text[at] !== bytes[start + at]) return false;
  return true;
}
