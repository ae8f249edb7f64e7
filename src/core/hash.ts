/**
 * MurmurHash3_x86_128 (Austin Appleby, public domain): a published non-cryptographic hash of 128 bits. It needs only 32-bit
 * arithmetic, so JavaScript computes the hash without BigInt. The connector uses it to find repeats (P5) and to make the digests
 * of days (R6).
 */

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/**
 * Hashes bytes with seed 0, as the reference implementation does on a little-endian machine. Writes the result into `out`,
 * because a page has 1,000 records, and an array for each record would keep the garbage collector busy. For the same reason the
 * function uses no destructuring: before V8 has compiled this code, each destructuring makes an array and an iterator.
 *
 * @param view the memory; hashed from `start` (inclusive) to `end` (exclusive)
 * @param out four words; overwritten
 */
export function hashBytes(view: DataView, start: number, end: number, out: Uint32Array): void {
  let h1 = 0;
  let h2 = 0;
  let h3 = 0;
  let h4 = 0;
  let at = start;
  for (; at + 16 <= end; at += 16) {
    let k1 = Math.imul(view.getInt32(at, true), C1);
    k1 = (k1 << 15) | (k1 >>> 17);
    h1 ^= Math.imul(k1, C2);
    h1 = (h1 << 19) | (h1 >>> 13);
    h1 = (Math.imul((h1 + h2) | 0, 5) + 0x561ccd1b) | 0;

    let k2 = Math.imul(view.getInt32(at + 4, true), C2);
    k2 = (k2 << 16) | (k2 >>> 16);
    h2 ^= Math.imul(k2, C3);
    h2 = (h2 << 17) | (h2 >>> 15);
    h2 = (Math.imul((h2 + h3) | 0, 5) + 0x0bcaa747) | 0;

    let k3 = Math.imul(view.getInt32(at + 8, true), C3);
    k3 = (k3 << 17) | (k3 >>> 15);
    h3 ^= Math.imul(k3, C4);
    h3 = (h3 << 15) | (h3 >>> 17);
    h3 = (Math.imul((h3 + h4) | 0, 5) + 0x96cd1c35) | 0;

    let k4 = Math.imul(view.getInt32(at + 12, true), C4);
    k4 = (k4 << 18) | (k4 >>> 14);
    h4 ^= Math.imul(k4, C1);
    h4 = (h4 << 13) | (h4 >>> 19);
    h4 = (Math.imul((h4 + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  h4 ^= Math.imul(rotated(Math.imul(word(view, at + 12, end), C4), 18), C1);
  h3 ^= Math.imul(rotated(Math.imul(word(view, at + 8, end), C3), 17), C4);
  h2 ^= Math.imul(rotated(Math.imul(word(view, at + 4, end), C2), 16), C3);
  h1 ^= Math.imul(rotated(Math.imul(word(view, at, end), C1), 15), C2);
  finish(h1, h2, h3, h4, end - start, out);
}

function finish(
  a: number,
  b: number,
  c: number,
  d: number,
  length: number,
  out: Uint32Array,
): void {
  let h1 = a ^ length;
  let h2 = b ^ length;
  let h3 = c ^ length;
  let h4 = d ^ length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = (h2 + h1) | 0;
  h3 = (h3 + h1) | 0;
  h4 = (h4 + h1) | 0;
  h1 = mixed(h1);
  h2 = mixed(h2);
  h3 = mixed(h3);
  h4 = mixed(h4);
  h1 = (h1 + h2 + h3 + h4) | 0;
  out[0] = h1;
  out[1] = h2 + h1;
  out[2] = h3 + h1;
  out[3] = h4 + h1;
}

/** The little-endian word at `at`. Bytes from `end` on count as 0. */
function word(view: DataView, at: number, end: number): number {
  let value = 0;
  for (let index = Math.min(at + 4, end) - 1; index >= at; index--) {
    value = (value << 8) | view.getUint8(index);
  }
  return value;
}

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** `fmix32` of the reference implementation. */
function mixed(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
