/**
 * Reads the body of a response: collects, decompresses and decodes it. A body that did not arrive as it was sent is a
 * {@link BrokenBody}, which the client retries (P3, C4).
 */
import { isAscii, isUtf8 } from "node:buffer";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { foreignText } from "../core/foreign_text.ts";
import type { BodyChunks, HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { ByteBudget, type Hold } from "./budget.ts";
import { BufferPool } from "./buffers.ts";

/** The body was damaged on its way. `message` names the damage and completes "The request failed: …". */
export class BrokenBody extends Error {
  override readonly name = "BrokenBody";
}

/** A body as bytes. */
export interface Body {
  readonly bytes: Buffer;
  /**
   * Raises the body's share of the budget to that of a parsed body. Waits while the budget has no room.
   *
   * @throws ConnectorError `provider_fault` if the body is larger than 8 MiB
   */
  readonly growForParsing: () => Promise<void>;
  /** Gives the memory back to the pool. Nobody may read `bytes` after this call. More calls do nothing. */
  readonly recycle: () => void;
  /** Recycles the memory and ends the body's share of the budget. */
  readonly release: () => void;
}

/** The largest body for JSON.parse, in bytes: 12 times a page of 1,000 records. Plain pages may have 32 MiB. */
const MAXIMUM_PARSED_BYTES = 8 * 1024 ** 2;

/** The memory of a parsed body, in multiples of its bytes: its text, its values and what is written of them. */
const PARSED_SIZE = 4;

/** The memory for a body, and its limits. */
export interface BodyLimits {
  /** The limit of the decompressed body in bytes. */
  readonly maximumBytes: number;
  /** Whether the body is a page, which a smaller page_size makes shorter. */
  readonly isPage?: boolean;
  /** Shared by all bodies. The body holds its share until it is released or `signal` aborts. */
  readonly budget: ByteBudget;
  readonly pool: BufferPool;
  readonly signal: AbortSignal;
}

/**
 * Reads the whole body of a response and decompresses it. The client asks for `gzip` and `identity` only.
 *
 * @throws BrokenBody if the body is cut short, or has another encoding
 * @throws ConnectorError `provider_fault` if the body is larger than `maximumBytes`
 * @throws the error of the connection, if the connection breaks while the body arrives
 */
export async function readBytes(response: HttpResponse, limits: BodyLimits): Promise<Body> {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const announced = Number(response.headers["content-length"] ?? 0);
  const hold = limits.budget.hold(limits.signal);
  try {
    switch (encoding) {
      case "":
      case "identity": {
        const isPlausible = announced <= limits.maximumBytes; // false for NaN, too
        return await collect(response.body, isPlausible ? announced : 0, hold, limits);
      }
      case "gzip":
      case "x-gzip":
        return await decompress(response.body, hold, limits);
      default:
        await drop(response.body);
        throw new BrokenBody(`the body has the content-encoding "${foreignText(encoding)}"`);
    }
  } catch (reason) {
    hold.release();
    throw reason;
  }
}

/** Closes the connection of a body that nobody reads. Else the connection could take no other request until the answer's time limit. */
async function drop(body: BodyChunks): Promise<void> {
  for await (const _chunk of body) break;
}

/**
 * Reads the whole body of a response as text, without a budget.
 *
 * @throws the errors of {@link readBytes} and {@link decode}
 */
export async function readBody(
  response: HttpResponse,
  maximumBytes: number,
): Promise<{ readonly text: string }> {
  const budget = new ByteBudget(maximumBytes);
  const signal = new AbortController().signal;
  const limits = { maximumBytes, budget, pool: new BufferPool(), signal };
  const { bytes } = await readBytes(response, limits);
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
  chunks: BodyChunks,
  expected: number,
  hold: Hold,
  { maximumBytes, isPage = false, pool }: BodyLimits,
): Promise<Body> {
  await hold.grow(expected);
  let buffer = pool.take(expected);
  let length = 0;
  const put = (chunk: Uint8Array): void => {
    buffer.set(chunk, length);
    length += chunk.length;
  };
  const enlarge = async (needed: number): Promise<void> => {
    const size = Math.max(needed, Math.min(2 * buffer.length, maximumBytes));
    await hold.grow(size);
    const larger = pool.take(size);
    buffer.copy(larger, 0, 0, length);
    pool.give(buffer);
    buffer = larger;
  };
  try {
    await eachOf(chunks, (chunk) => {
      const needed = length + chunk.length;
      if (needed > maximumBytes) throw tooLarge(maximumBytes, isPage);
      if (needed > buffer.length) return enlarge(needed).then(() => put(chunk));
      put(chunk);
      return undefined;
    });
    return bodyOf(buffer, length, hold, pool);
  } catch (reason) {
    pool.give(buffer);
    throw reason;
  }
}

async function eachOf(
  chunks: BodyChunks,
  take: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<void> {
  if (chunks.each !== undefined) return chunks.each(take);
  for await (const chunk of chunks) await take(chunk);
}

function bodyOf(buffer: Buffer, length: number, hold: Hold, pool: BufferPool): Body {
  let isRecycled = false;
  const recycle = (): void => {
    if (!isRecycled) pool.give(buffer);
    isRecycled = true;
  };
  const release = (): void => {
    recycle();
    hold.release();
  };
  const growForParsing = async (): Promise<void> => {
    // Only a page may be that large.
    if (length > MAXIMUM_PARSED_BYTES) throw tooLarge(MAXIMUM_PARSED_BYTES, true);
    await hold.grow(PARSED_SIZE * length);
  };
  return { bytes: buffer.subarray(0, length), growForParsing, recycle, release };
}

/** Bytes that the decompressor gives at a time: a page of 600 kB takes 0.6 ms, with Node's usual 16 KiB several times that. */
const INFLATED_BYTES = 256 * 1024;

async function decompress(body: BodyChunks, hold: Hold, limits: BodyLimits): Promise<Body> {
  try {
    const gunzip = createGunzip({ chunkSize: INFLATED_BYTES });
    return await pipeline(body, gunzip, (chunks: AsyncIterable<Uint8Array>) =>
      collect(chunks, 0, hold, limits),
    );
  } catch (reason) {
    const code = reason instanceof Error && "code" in reason ? reason.code : undefined;
    const isDamaged = typeof code === "string" && code.startsWith("Z_");
    throw isDamaged
      ? new BrokenBody("the body is no whole gzip stream", { cause: reason })
      : reason;
  }
}

function tooLarge(maximumBytes: number, isPage: boolean): ConnectorError {
  const limit = `${Math.round(maximumBytes / 1024 ** 2)} MiB`;
  const remedy = isPage
    ? "Set a smaller page_size; if that does not help, report it to the provider."
    : "Report it to the provider.";
  return new ConnectorError(
    "provider_fault",
    `The provider sent an answer of more than ${limit}. ${remedy}`,
    { detail: `answer larger than ${maximumBytes} bytes (L1)` },
  );
}
