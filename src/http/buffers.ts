/**
 * A pool of buffers for bodies and for lines. Without a pool, a buffer that survives two scavenges is promoted to the old
 * generation, which V8 collects late, so that unused buffers would pile up.
 */

/** Buffer sizes are multiples of 256 KiB, so that pages of similar size can use the same buffers. */
const UNIT = 256 * 1024;

/** The most free buffers that the pool keeps: two for each of the 16 lanes that a config may ask for. */
const KEPT = 32;

/** The largest buffer that the pool keeps: 4 MiB, several times a page of 1,000 records. */
const LARGEST = 4 * 1024 * 1024;

export class BufferPool {
  readonly #free: Buffer[] = [];

  /** Gives a buffer of at least `length` bytes with arbitrary content. The caller owns it until {@link give}. */
  take(length: number): Buffer {
    const found = this.#free.findIndex((buffer) => buffer.length >= length);
    const [buffer] = found === -1 ? [] : this.#free.splice(found, 1);
    return buffer ?? Buffer.allocUnsafeSlow(Math.ceil(Math.max(1, length) / UNIT) * UNIT);
  }

  /**
   * Takes a buffer, or a part of one, back. Nobody may read the buffer after this call. A buffer that is too large to keep
   * is freed at once; the garbage collector would do so late.
   */
  give({ buffer }: Buffer): void {
    if (buffer.byteLength <= LARGEST && this.#free.length < KEPT) {
      this.#free.push(Buffer.from(buffer));
    } else if (buffer instanceof ArrayBuffer) {
      buffer.transfer(0); // detaches the memory, which nobody owns then
    }
  }
}
