/**
 * A response's body as text: collected, decoded, checked. Whatever is wrong with it is a {@link BrokenBody}: the bytes
 * did not arrive as they were sent, which time may mend (P3, C4).
 */
import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { HttpResponse } from "../edges.ts";
import { ConnectorError } from "../errors.ts";

const inflate = promisify(gunzip);

/** The body cannot be what the provider meant to send; `message` says in what way. */
export class BrokenBody extends Error {
  override readonly name = "BrokenBody";
}

/** A body as it arrived, and as it reads. */
export interface BodyText {
  /** Without a byte order mark. */
  readonly text: string;
  /** Length in bytes, once decompressed. */
  readonly bytes: number;
}

/**
 * The whole body of a response, decompressed (`gzip` and `identity` are the encodings asked for) and decoded from UTF-8.
 *
 * @param maximumBytes the most that is held, compressed or not
 * @throws BrokenBody where it is cut short, no UTF-8, or encoded in a way that was not asked for
 * @throws ConnectorError `provider_fault` where it is larger than `maximumBytes`
 * @throws whatever the connection throws while the body arrives
 */
export async function readBody(response: HttpResponse, maximumBytes: number): Promise<BodyText> {
  const encoding = (response.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  const raw = await collect(response.body, maximumBytes);
  const buffer = await decompressed(raw, encoding, maximumBytes);
  if (!isUtf8(buffer)) throw new BrokenBody("the body is no valid UTF-8");
  const text = buffer.toString("utf8");
  return { text: text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, bytes: buffer.length };
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

async function collect(body: AsyncIterable<Uint8Array>, maximumBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maximumBytes) throw tooLarge(maximumBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

async function decompressed(raw: Buffer, encoding: string, maximumBytes: number): Promise<Buffer> {
  if (encoding === "identity" || encoding === "") return raw;
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
