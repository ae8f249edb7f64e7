import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Answer } from "./faults/answers.ts";
import type { Struck } from "./faults/engine.ts";

const compress = promisify(gzip);

// Shorter text would hardly shrink by gzip.
const WORTH_COMPRESSING = 1024;

/** Whether an Accept-Encoding header allows gzip (RFC 9110 section 12.5.3). */
export function acceptsGzip(header: string | undefined): boolean {
  for (const item of (header ?? "").split(",")) {
    const [coding, ...parameters] = item.split(";").map((part) => part.trim().toLowerCase());
    if (coding === "gzip" || coding === "x-gzip")
      return !parameters.some((text) => /^q=0(\.0*)?$/.test(text));
  }
  return false;
}

/** The outcome of a response: its status, or the way in which the connection broke. */
export type Outcome = number | "reset" | "stalled" | "truncated";

function writeHead(
  response: ServerResponse,
  answer: Answer,
  headers: Record<string, string | number>,
  struck: Struck,
): void {
  let all: Record<string, string | number> = {
    "content-type": answer.contentType,
    ...answer.headers,
    ...headers,
  };
  for (const { set, drop } of struck.all("headers")) {
    const kept = Object.entries({ ...all, ...set }).filter(([name]) => !drop.includes(name));
    all = Object.fromEntries(kept);
    // Otherwise Node would send a `date` of its own in place of the dropped one.
    response.sendDate = !drop.includes("date");
  }
  response.writeHead(answer.status, all);
}

function hang(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed) resolve();
    else response.once("close", resolve);
  });
}

// The bytes must be sent before the connection breaks. Otherwise the client would see an earlier break than the fault
// says.
function flushed(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => {
      setImmediate(resolve);
    });
  });
}

/** Sends a response, completely or as far as the faults allow. Never rejects. */
export async function deliver(
  response: ServerResponse,
  answer: Answer,
  acceptEncoding: string | undefined,
  date: string,
  struck: Struck,
): Promise<Outcome> {
  const reset = struck.of("reset")?.at;
  const stall = struck.of("stall")?.at;
  if (reset === "before_headers") {
    response.socket?.resetAndDestroy();
    return "reset";
  }
  if (stall === "headers") {
    await hang(response);
    return "stalled";
  }
  const cut = struck.of("gzip_cut") !== undefined;
  let bytes: Buffer = Buffer.from(answer.body);
  const headers: Record<string, string | number> = { date };
  const unasked = struck.of("gzip_unasked") !== undefined;
  if (cut || unasked || (bytes.length >= WORTH_COMPRESSING && acceptsGzip(acceptEncoding))) {
    bytes = await compress(bytes, { level: constants.Z_BEST_SPEED });
    headers["content-encoding"] = "gzip";
  }
  headers["vary"] = "accept-encoding";
  headers["content-length"] = bytes.length;
  if (cut) {
    bytes = bytes.subarray(0, Math.floor(bytes.length / 2));
    headers["content-length"] = bytes.length;
  }
  writeHead(response, answer, headers, struck);
  if (reset === undefined && stall === undefined && struck.of("truncated") === undefined) {
    response.end(bytes);
    return cut ? "truncated" : answer.status;
  }
  if (reset === "after_headers") {
    response.flushHeaders();
    await new Promise((resolve) => setImmediate(resolve));
    response.socket?.resetAndDestroy();
    return "reset";
  }
  await flushed(response, bytes.subarray(0, Math.floor(bytes.length / 2)));
  if (stall === "body") {
    await hang(response);
    return "stalled";
  }
  if (reset === "mid_body") response.socket?.resetAndDestroy();
  else response.socket?.end();
  return reset === undefined ? "truncated" : "reset";
}
