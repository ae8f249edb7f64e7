import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { Wire } from "./http.ts";
import { delayOf } from "./retry_after.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** The result of one request to a server that gives this answer. */
async function ask(answer: Answer, limits: { silence?: number; bytes?: number } = {}) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  const wire = new Wire({ silence: 20_000, total: 20_000, bytes: 1000, ...limits });
  try {
    const url = new URL(`http://127.0.0.1:${port}/`);
    return await wire.send({ method: "GET", url, headers: {} });
  } finally {
    wire.close();
    server.closeAllConnections();
    server.close();
  }
}

describe("an answer", () => {
  it("comes with its headers and text", async () => {
    const answer = await ask((_, response) => response.writeHead(200, { "X-A": "1" }).end("täxt"));
    expect(answer).toMatchObject({ status: 200, text: "täxt", broken: null });
    expect(answer.headers["x-a"]).toBe("1");
  });

  it("is decoded where it is gzip", async () => {
    const answer = await ask((_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("text")),
    );
    expect(answer).toMatchObject({ text: "text", broken: null });
  });

  it.each<[string, Answer, { silence?: number; bytes?: number }, RegExp]>([
    ["never comes", () => undefined, { silence: 20 }, /^nothing came for/],
    ["stops within", (_, response) => response.write("half"), { silence: 20 }, /^nothing came for/],
    ["is too long", (_, response) => response.end("x".repeat(1001)), {}, /longer than 1000 bytes/],
    [
      "is too long once decoded",
      (_, response) =>
        response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1001))),
      {},
      /longer than 1000 bytes/,
    ],
    [
      "ends within gzip",
      (_, response) =>
        response
          .writeHead(200, { "content-encoding": "gzip" })
          .end(gzipSync("text").subarray(0, 15)),
      {},
      /unexpected end/,
    ],
    ["is no UTF-8", (_, response) => response.end(Buffer.from([0x22, 0xff])), {}, /not UTF-8/],
    [
      "is cut off",
      (_, response) => {
        response.writeHead(200, { "content-length": 100 }).write("half", () => {
          response.socket?.end();
        });
      },
      {},
      /aborted|cut off/,
    ],
    ["is reset", (request) => request.socket.resetAndDestroy(), {}, /ECONNRESET/],
  ])("that %s is broken", async (_, answer, limits, message) => {
    expect((await ask(answer, limits)).broken).toMatch(message);
  });
});

it("keeps the beginning of a broken body only, because a run keeps all bodies", async () => {
  const { text, broken } = await ask((_, response) => response.end("x".repeat(1_000_000)), {
    bytes: 900_000,
  });
  expect(broken).toContain("longer than 900000 bytes");
  expect(text).toBe("x".repeat(4096));
});

describe("Retry-After", () => {
  const exchange = (value: string) => ({
    method: "GET",
    url: new URL("https://example.com"),
    sent: {},
    withToken: true,
    status: 429,
    headers: { "retry-after": value, date: "Mon, 01 Sep 2025 00:00:00 GMT" },
    text: "",
    broken: null,
  });

  it.each([
    ["30", 30_000],
    ["0", 0],
    ["Mon, 01 Sep 2025 00:01:00 GMT", 60_000],
    ["Monday, 01-Sep-25 00:01:00 GMT", 60_000],
    ["Mon Sep  1 00:01:00 2025", 60_000],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    ["", undefined],
  ])("%j is %s ms", (value, milliseconds) => {
    expect(delayOf(exchange(value))).toBe(milliseconds);
  });
});
