/**
 * Reads the body of a response: collects, decompresses and decodes it. A body that did not arrive as it was sent is a
 * {@link BrokenBody}, which the client retries (P3, C4).
 */
import { isAscii, isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { BufferPool } from "./buffers.ts";
import { foreignText } from "../core/foreign_text.ts";
import type { HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";

const inflate = promisify(gunzip);

/** The body was damaged on its way. `message` names the damage and completes "The request failed: …". */
export class BrokenBody extends Error {
  override readonly name = "BrokenBody";
}

/** A body as bytes. */
export interface Body {
  readonly bytes: Buffer;
  /** Gives the memory back to the pool. Nobody may read `bytes` after this call. */
  readonly release: () => void;
}

/**
 * Reads the whole body of a response and decompresses it. The client asks for `gzip` and `identity` only.
 *
 * @param maximumBytes limit of the body, before and after decompression
 * @throws BrokenBody if the body is cut short, or has another encoding
 * @throws ConnectorError `provider_fault` if the body is larger than `maximumBytes`
 * @throws the error of the connection, if the connection breaks while the body arrives
 */
export async function readBytes(
  response: HttpResponse,
  maximumBytes: number,
  pool: BufferPool,
): Promise<Body> {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const announced = Number(response.headers["content-length"] ?? 0);
  const expected = announced <= maximumBytes ? announced : 0; // NaN gives 0, too
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
 * Reads the whole body of a response as text.
 *
 * @throws the errors of {@link readBytes} and {@link decode}
 */
export async function readBody(
  response: HttpResponse,
  maximumBytes: number,
): Promise<{ readonly text: string }> {
  const { bytes } = await readBytes(response, maximumBytes, new BufferPool());
  return { text: decode(bytes) };
}

/**
 * Decodes a body from UTF-8. Removes a byte order mark.
 *
 * @throws BrokenBody if the body is not valid UTF-8
 */
export function decode(body: Buffer): string {
  // Most pages are ASCII, which V8 copies instead of decoding.
  if (isAscii(body)) return body.toString("latin1");
  if (!isUtf8(body)) throw new BrokenBody("the body is no valid UTF-8");
  const text = body.toString("utf8");
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

/**
 * Reads the body of an error response as text. Never throws: a body that cannot be read gives an empty text. Reading the
 * body to its end keeps the connection usable. A body longer than `maximumBytes` closes the connection instead.
 */
export async function readErrorBody(response: HttpResponse, maximumBytes: number): Promise<string> {
  try {
    return (await readBody(response, maximumBytes)).text;
  } catch {
    return "";
  }
}

/** Copies each chunk into one buffer at once, so that the garbage collector frees the chunks early. */
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
    throw new BrokenBody(`the body has the content-encoding "${foreignText(encoding)}"`);
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
