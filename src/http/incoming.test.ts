import type { RequestListener } from "node:http";
import { setImmediate } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import type { BodyChunks } from "../edges.ts";
import { SMALL_LIMITS, serveHttp, serveTcp } from "./testing.ts";
import { openTransport, type OpenTransport } from "./transport.ts";

const opened: OpenTransport[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

/** The body of the answer to a GET. */
async function bodyOf(origin: string, signal = new AbortController().signal): Promise<BodyChunks> {
  const one = openTransport(SMALL_LIMITS);
  opened.push(one);
  return (await one.transport({ url: new URL(origin), headers: {}, signal })).body;
}

/** 3 MB in which no two places look alike. */
const LARGE = Buffer.from(Uint32Array.from({ length: 750_000 }, (_, index) => index).buffer);

/** A server of {@link LARGE}: with its length, or in pieces of HTTP's chunked encoding. */
const serving =
  (isChunked: boolean): RequestListener =>
  (_, response) => {
    response.writeHead(200, isChunked ? {} : { "content-length": LARGE.length });
    for (let at = 0; at < LARGE.length; at += 50_000)
      response.write(LARGE.subarray(at, at + 50_000));
    response.end();
  };

type Take = (chunk: Uint8Array) => Promise<void> | undefined;

async function eachOf(body: BodyChunks, take: Take): Promise<void> {
  if (body.each === undefined) throw new Error("this body hands nothing over");
  await body.each(take);
}

/** Copies a body, because the memory of a chunk is freed after its copy. */
async function copied(body: BodyChunks, pause: (chunk: number) => boolean): Promise<Buffer> {
  const copies: Buffer[] = [];
  await eachOf(body, (chunk) => {
    copies.push(Buffer.from(chunk));
    return pause(copies.length) ? setImmediate() : undefined;
  });
  return Buffer.concat(copies);
}

describe.each([
  ["with its length", false],
  ["in chunked encoding", true],
])("a body %s", (_, isChunked) => {
  test.each<[string, (chunk: number) => boolean]>([
    ["a reader that never waits", () => false],
    ["a reader that waits now and then", (chunk) => chunk % 3 === 0],
    ["a reader that waits for each chunk", () => true],
  ])("reaches %s whole", async (__, pause) => {
    await using server = await serveHttp(serving(isChunked));
    expect((await copied(await bodyOf(server.origin), pause)).equals(LARGE)).toBe(true);
  });

  test("reaches a loop over its chunks whole", async () => {
    await using server = await serveHttp(serving(isChunked));
    const chunks: Uint8Array[] = [];
    for await (const chunk of await bodyOf(server.origin)) chunks.push(chunk);
    expect(Buffer.concat(chunks).equals(LARGE)).toBe(true);
  });

  test("waits for a reader that comes late", async () => {
    await using server = await serveHttp(serving(isChunked));
    const body = await bodyOf(server.origin);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    expect((await copied(body, () => false)).equals(LARGE)).toBe(true);
  });
});

test("a body without a length ends with its connection, also if its reader waits", async () => {
  const zipped = gzipSync(LARGE);
  await using server = await serveTcp((socket) => {
    socket.once("data", () => {
      socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
      socket.end(zipped);
    });
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of await bodyOf(server.origin)) chunks.push(chunk);
  expect(gunzipSync(Buffer.concat(chunks)).equals(LARGE)).toBe(true);
  expect((await copied(await bodyOf(server.origin), () => true)).equals(zipped)).toBe(true);
});

describe("a reader that gives up closes the connection", () => {
  async function closing(read: (body: BodyChunks) => Promise<void>): Promise<void> {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    await using server = await serveHttp((request, response) => {
      request.socket.once("close", () => resolve());
      serving(false)(request, response);
    });
    await read(await bodyOf(server.origin));
    await closed;
  }

  test("with an error, which it gets back", () =>
    closing(async (body) => {
      const read = eachOf(body, () => {
        throw new Error("too large");
      });
      await expect(read).rejects.toThrow("too large");
    }));

  test("with an error after a wait", () =>
    closing(async (body) => {
      const read = eachOf(body, () => Promise.reject(new Error("no memory")));
      await expect(read).rejects.toThrow("no memory");
    }));

  test("by leaving its loop", () =>
    closing(async (body) => {
      for await (const chunk of body) if (chunk.length > 0) break;
    }));
});

test("an abort reaches a reader, with its reason", async () => {
  await using server = await serveTcp((socket) => {
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"));
  });
  const stop = new AbortController();
  const body = await bodyOf(server.origin, stop.signal);
  const read = eachOf(body, () => {
    stop.abort(new Error("stopped"));
    return undefined;
  });
  await expect(read).rejects.toThrow("stopped");
});

test("an abort before the request is its error", async () => {
  await using server = await serveHttp(serving(false));
  const body = bodyOf(server.origin, AbortSignal.abort(new Error("stopped")));
  await expect(body).rejects.toThrow("stopped");
});
