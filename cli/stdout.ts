/** Stdout as a file or a pipe. Loaded where it is needed, because Node's module for files takes 3 ms. */
import { fstatSync, type Stats, write } from "node:fs";
import { Writable } from "node:stream";

/**
 * Writes to a pipe in a thread of Node's pool. A pipe holds 64 KiB, so the lines of one page need a dozen writes, each after its
 * reader has read. The thread waits for the reader, and the main thread goes on with the next page.
 *
 * Somebody may have set the pipe to non-blocking mode: Node itself does so if stderr is the same pipe. Bytes that the thread
 * cannot write at once then go to `fallback`.
 */
export class PipeWriter extends Writable {
  readonly #descriptor: number;
  readonly #fallback: () => Writable;

  /**
   * @param descriptor of the pipe
   * @param fallback gives another stream to the same pipe, which can wait in non-blocking mode
   */
  constructor(descriptor: number, fallback: () => Writable) {
    super();
    this.#descriptor = descriptor;
    this.#fallback = fallback;
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error | null) => void): void {
    write(this.#descriptor, chunk, (error, written) => {
      if (error?.code === "EAGAIN") this.#writeRest(chunk, done);
      else if (error !== null || written === chunk.length) done(error);
      else this._write(chunk.subarray(written), _, done);
    });
  }

  #writeRest(chunk: Buffer, done: (error?: Error | null) => void): void {
    const fallback = this.#fallback();
    // An error reaches the callback below. Without a listener it would also end the process.
    if (fallback.listenerCount("error") === 0) fallback.on("error", () => undefined);
    fallback.write(chunk, done);
  }
}

/**
 * Opens stdout for a read. A pipe gets a thread of its own, all else is left to Node.
 *
 * @param plain Node's own stream. It is not opened for a pipe, because Node would set the pipe to non-blocking mode.
 */
export function openStdout(descriptor: number, plain: () => Writable): Writable {
  const isPipe = statOf(descriptor)?.isFIFO() === true;
  return isPipe ? new PipeWriter(descriptor, plain) : plain();
}

/** Whether a descriptor is a file. False if it is closed. */
export function isFile(descriptor: number): boolean {
  return statOf(descriptor)?.isFile() === true;
}

function statOf(descriptor: number): Stats | undefined {
  try {
    return fstatSync(descriptor);
  } catch {
    return undefined; // it is closed
  }
}
