/**
 * Memory for bodies and for lines, used over and over. Left to the collector of garbage, those that wait longer than two of
 * its rounds would pile up until it looks at old memory, which it does late.
 */

/** Buffers are made of multiples of this, so that pages of about one size fit the same ones; a quarter of a MiB. */
const UNIT = 256 * 1024;

/** Buffers kept at most; more than two for each of the lanes that a config may ask for are never in use. */
const KEPT = 32;

/** A buffer larger than this is not kept: 4 MiB, several times a page of 1,000 records. */
const LARGEST = 4 * 1024 * 1024;

export class BufferPool {
  readonly #free: Buffer[] = [];

  /** A buffer of at least `length` bytes, whatever stands in it. It is the caller's until {@link give}. */
  take(length: number): Buffer {
    const found = this.#free.findIndex((buffer) => buffer.length >= length);
    const [buffer] = found === -1 ? [] : this.#free.splice(found, 1);
    return buffer ?? Buffer.allocUnsafeSlow(Math.ceil(Math.max(1, length) / UNIT) * UNIT);
  }

  /**
   * Takes a buffer back, or a part of one, that nobody reads any more. One that is never given back is collected like any
   * other.
   */
  give({ buffer }: Buffer): void {
    if (buffer.byteLength <= LARGEST && this.#free.length < KEPT)
      this.#free.push(Buffer.from(buffer));
  }
}
