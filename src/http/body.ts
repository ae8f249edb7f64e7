/**
 * A response's body as text: collected, decoded, checked. Whatever is wrong with it is a {@link BrokenBody}: the bytes
 * did not arrive as they were sent, which time may mend (P3, C4).
 */
import { isAscii, isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { BufferPool } from "./buffers.ts";
import type { HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";

const inflate = promisify(gunzip);

/** The body cannot be what the provider meant to send; `message` says in what way. */
export class BrokenBody extends Error {
  override readonly name = "BrokenBody";
}

/** A body as bytes. */
export interface Body {
  readonly bytes: Buffer;
  /** Gives its memory to the next; `bytes` are not read after it. */
  readonly release: () => void;
}

/**
 * The whole body of a response, decompressed (`gzip` and `identity` are the encodings asked for).
 *
 * @param maximumBytes the most that is held, compressed or not
 * @throws BrokenBody where it is cut short, or encoded in a way that was not asked for
 * @throws ConnectorError `provider_fault` where it is larger than `maximumBytes`
 * @throws whatever the connection throws while the body arrives
 */
export async function readBytes(
  response: HttpResponse,
  maximumBytes: number,
  pool: BufferPool,
): Promise<Body> {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const announced = Number(response.headers["content-length"] ?? 0);
  const expected = announced <= maximumBytes ? announced : 0; // also where it is no number
  const raw = await collect(response.body, expected, maximumBytes, pool);
  try {
    if (encoding === "identity" || encoding === "") return raw;
    const bytes = await decompressed(raw.bytes, encoding, maximumBytes);
    raw.release();
    return { bytes, release: () => undefined };
  } catch (reason) {
    raw.release();
    throw reason;
  }
}

/**
 * The whole body of a response as text.
 *
 * @throws what {@link readBytes} and {@link decode} throw
 */
export async function readBody(
  response: HttpResponse,
  maximumBytes: number,
): Promise<{ readonly text: string }> {
  const { bytes } = await readBytes(response, maximumBytes, new BufferPool());
  return { text: decode(bytes) };
}

/**
 * A body as text, decoded from UTF-8, without a byte order mark.
 *
 * @throws BrokenBody where it is no UTF-8
 */
export function decode(body: Buffer): string {
  // Most pages are ASCII, which is copied where UTF-8 is decoded.
  if (isAscii(body)) return body.toString("latin1");
  if (!isUtf8(body)) throw new BrokenBody("the body is no valid UTF-8");
  const text = body.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/**
 * The beginning of an error's body as text, never an error of its own: what cannot be read is empty. Reading to the end
 * keeps the connection usable; a body longer than `maximumBytes` is not worth that and is cut off with its connection.
 */
export async function readErrorBody(response: HttpResponse, maximumBytes: number): Promise<string> {
  try {
    return (await readBody(response, maximumBytes)).text;
  } catch {
    return "";
  }
}

/** Copies what arrives into one buffer at once, so that the pieces it comes in live as short as can be. */
async function collect(
  body: AsyncIterable<Uint8Array>,
  expected: number,
  maximumBytes: number,
  pool: BufferPool,
): Promise<Body> {
  let buffer = pool.take(expected);
  let length = 0;
  for await (const chunk of body) {
    if (length + chunk.length > maximumBytes) throw tooLarge(maximumBytes);
    if (length + chunk.length > buffer.length) {
      const larger = pool.take(Math.max(2 * buffer.length, length + chunk.length));
      buffer.copy(larger, 0, 0, length);
      pool.give(buffer);
      buffer = larger;
    }
    buffer.set(chunk, length);
    length += chunk.length;
  }
  const whole = buffer;
  return { bytes: whole.subarray(0, length), release: () => pool.give(whole) };
}

async function decompressed(raw: Buffer, encoding: string, maximumBytes: number): Promise<Buffer> {
  if (encoding !== "gzip" && encoding !== "x-gzip") {
    throw new BrokenBody(`the body has the content-encoding "${encoding.slice(0, 40)}"`);
  }
  try {
    return await inflate(raw, { maxOutputLength: maximumBytes });
  } catch (reason) {
    if (reason instanceof RangeError) throw tooLarge(maximumBytes);
    throw new BrokenBody("the body is no whole gzip stream", { cause: reason });
  }
}

function tooLarge(maximumBytes: number): ConnectorError {
  const limit = `${Math.round(maximumBytes / 1024 ** 2)} MiB`;
  return new ConnectorError(
    "provider_fault",
    `The provider sent a body of more than ${limit} where a page of records was asked for. Set a smaller page_size; ` +
      "if that does not help, report it to the provider.",
    { detail: `body larger than ${maximumBytes} bytes` },
  );
}
