import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import type { Socket } from "node:net";
import type { RequestListener } from "node:http";
import { createServer } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { BACKOFF_POLICY } from "../core/retry.ts";
import type { Transport } from "../edges.ts";
import type { GetRequest } from "./client.ts";
import type { HarnessOptions } from "./testing.ts";
import {
  failure,
  harness,
  listen,
  realClock,
  serveHttp,
  serveTcp,
  SMALL_LIMITS,
  TOKEN,
} from "./testing.ts";
import { openTransport, type OpenTransport, type TransportOptions } from "./transport.ts";

const opened: OpenTransport[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

function open(options: Partial<TransportOptions> = {}): Transport {
  const one = openTransport({ ...SMALL_LIMITS, ...options });
  opened.push(one);
  return one.transport;
}

function ask(origin: string, more: Partial<GetRequest> = {}): GetRequest {
  return { url: new URL("/v1/x", origin), signal: new AbortController().signal, ...more };
}

/** A client of a server on loopback; waits between retries are not slept. */
function clientOf(origin: string, options: HarnessOptions = {}) {
  return harness({ origin, transport: open(), ...options });
}

const json: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" }).end('{"a":1}');
};

describe("C4: time-outs, resets and broken bodies over real connections", () => {
  test("connections are kept and reused, no more of them than allowed", async () => {
    await using server = await serveHttp(json);
    const { client } = clientOf(server.origin, { transport: open({ connections: 2 }) });
    await Promise.all(Array.from({ length: 10 }, () => client.get(ask(server.origin))));
    await client.get(ask(server.origin));
    expect(server.connections()).toBe(2);
  });

  test("the next request on a used connection leaves in the turn in which the answer before it ended", async () => {
    await using server = await serveHttp(json);
    const transport = open({ connections: 2 });
    const request = { ...ask(server.origin), headers: {} };
    const first = await transport(request);
    for await (const _chunk of first.body);
    let sent = 0;
    const count = (): void => void (sent += 1);
    subscribe("undici:client:sendHeaders", count);
    const second = transport(request);
    for (let promise = 0; promise < 10; promise++) await Promise.resolve(); // the transport's own promises
    await setImmediate();
    unsubscribe("undici:client:sendHeaders", count);
    expect(sent).toBe(1);
    for await (const _chunk of (await second).body);
  });

  test("a connection is reused after errors that have a body", async () => {
    let count = 0;
    await using server = await serveHttp((request, response) => {
      count += 1;
      if (count < 4) response.writeHead(503).end("x".repeat(1000));
      else json(request, response);
    });
    const backoff = { ...BACKOFF_POLICY, baseMs: 20, factor: 1 };
    const { client } = clientOf(server.origin, { clock: realClock, backoff });
    await client.get(ask(server.origin));
    expect(server.connections()).toBe(1);
  });

  test.each([200, 503])(
    "a body in an unknown encoding (HTTP %i) does not keep its connection from the next request",
    async (status) => {
      let count = 0;
      await using server = await serveHttp((request, response) => {
        count += 1;
        if (count > 1) json(request, response);
        else {
          const headers = { "content-type": "application/json", "content-encoding": "br" };
          response.writeHead(status, headers).end("x".repeat(1000));
        }
      });
      const transport = open({ connections: 1, limits: PATIENT });
      const { client, retries } = clientOf(server.origin, { transport });
      expect((await client.get(ask(server.origin))).value).toEqual({ a: 1 });
      expect(retries).toHaveLength(1);
    },
  );

  test("nothing is compressed on loopback", async () => {
    let encoding: string | undefined;
    await using server = await serveHttp((request, response) => {
      encoding = request.headers["accept-encoding"]?.toString();
      json(request, response);
    });
    await clientOf(server.origin).client.get(ask(server.origin));
    expect(encoding).toBe("identity");
  });

  const faults: readonly [string, (socket: Socket) => void, string][] = [
    ["a reset before the headers", (socket) => void socket.resetAndDestroy(), "connection"],
    [
      "a reset inside the body",
      (socket) => {
        socket.write(HEAD + "content-length: 100\r\n\r\n{");
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
      "connection",
    ],
    [
      "a body that ends early",
      (socket) => void socket.end(HEAD + 'content-length: 100\r\n\r\n{"a":'),
      "connection",
    ],
    [
      "a chunked body that ends early",
      (socket) => void socket.end(HEAD + "transfer-encoding: chunked\r\n\r\n5\r\n[1,2,\r\n"),
      "connection",
    ],
    ["silence before the headers", () => undefined, "no answer came in time"],
    [
      "silence inside the headers",
      (socket) => void socket.write("HTTP/1.1 200 OK\r\n"),
      "no answer came in time",
    ],
    [
      "silence inside the body",
      (socket) => void socket.write(`${HEAD}content-length: 100\r\n\r\n{`),
      "the body stopped arriving",
    ],
    [
      "gzip cut short",
      (socket) => {
        const body = gzipSync('{"a":"some text that is long enough to be cut"}').subarray(0, -9);
        socket.write(`${HEAD}content-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`);
        socket.end(body);
      },
      "no whole gzip stream",
    ],
    [
      "an answer that is no HTTP",
      (socket) => void socket.end("SSH-2.0-OpenSSH_9.2\r\n"),
      "not HTTP",
    ],
  ];

  test.each(faults)("%s is retried, then read", async (_, fault, words) => {
    let requests = 0;
    await using server = await serveTcp((socket) => {
      socket.on("data", () => {
        requests += 1;
        if (requests === 1) fault(socket);
        else socket.end(`${HEAD}content-length: 7\r\nconnection: close\r\n\r\n{"a":1}`);
      });
    });
    const { client, retries } = clientOf(server.origin);
    expect((await client.get(ask(server.origin))).value).toEqual({ a: 1 });
    expect(retries).toHaveLength(1);
    expect(retries[0]?.message).toContain(words);
  });

  test.each(faults.filter(([name]) => name.includes("body") || name.includes("gzip")))(
    "%s says nothing about the address, even at the first request",
    async (name, fault) => {
      await using server = await serveTcp((socket) => void socket.on("data", () => fault(socket)));
      const backoff = { ...BACKOFF_POLICY, retries: 1 };
      const { client, slept } = clientOf(server.origin, { backoff });
      const error = await failure(client.get(ask(server.origin, { first: true })));
      expect(error.code).toBe(name.includes("gzip") ? "broken_answer" : "unavailable");
      expect(slept).toHaveLength(1);
    },
  );

  test("an answer that is no HTTP is a wrong address at the first request", async () => {
    await using server = await serveTcp((socket) => {
      socket.on("data", () => void socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    });
    const got = clientOf(server.origin).client.get(ask(server.origin, { first: true }));
    expect((await failure(got)).code).toBe("wrong_address");
  });

  test("a slow body is no silence", async () => {
    await using server = await serveHttp(async (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      for (const piece of '{"a":12}') {
        response.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 40));
      }
      response.end();
    });
    const { client, retries } = clientOf(server.origin);
    expect((await client.get(ask(server.origin))).value).toEqual({ a: 12 });
    expect(retries).toEqual([]);
  });

  test("a port where nobody listens is tried again, then unavailable", async () => {
    const server = await serveTcp(() => undefined);
    await server[Symbol.asyncDispose]();
    const { client, slept } = clientOf(server.origin);
    const error = await failure(client.get(ask(server.origin, { first: true })));
    expect(error.code).toBe("unavailable");
    expect(error.message).toContain("refused");
    expect(slept).toHaveLength(5);
  });

  test("TLS to a server that speaks none is a wrong address", async () => {
    await using server = await serveHttp(json);
    const origin = server.origin.replace("http:", "https:");
    const error = await failure(clientOf(origin).client.get(ask(origin, { first: true })));
    expect(error).toMatchObject({ code: "wrong_address" });
    expect(error.message).toContain("TLS");
  });

  test("an abort ends a request under way at once", async () => {
    await using server = await serveTcp(() => undefined);
    const stop = new AbortController();
    const transport = open({ limits: PATIENT });
    const got = failure(
      clientOf(server.origin, { transport }).client.get(
        ask(server.origin, { signal: stop.signal }),
      ),
    );
    setTimeout(() => stop.abort(), 30);
    expect((await got).code).toBe("aborted");
  });

  test("an abort inside a body ends it at once", async () => {
    await using server = await serveTcp((socket) => {
      socket.on("data", () => socket.write(`${HEAD}content-length: 100\r\n\r\n{`));
    });
    const stop = new AbortController();
    const transport = open({ limits: PATIENT });
    const got = failure(
      clientOf(server.origin, { transport }).client.get(
        ask(server.origin, { signal: stop.signal }),
      ),
    );
    setTimeout(() => stop.abort(), 30);
    expect((await got).code).toBe("aborted");
  });

  test("a deadline cuts off a provider that is silent", async () => {
    await using server = await serveTcp(() => undefined);
    const transport = open({ limits: PATIENT });
    const { client } = clientOf(server.origin, { transport, clock: realClock });
    const error = await failure(client.get(ask(server.origin, { deadlineMs: Date.now() + 100 })));
    expect(error.code).toBe("unavailable");
  });

  test("a redirect is not followed: the other host sees neither token nor request", async () => {
    let seen = 0;
    await using other = await serveHttp((request, response) => {
      seen += 1;
      json(request, response);
    });
    await using server = await serveHttp((_, response) => {
      response.writeHead(307, { location: `${other.origin}/v1/x` }).end();
    });
    const { client } = clientOf(server.origin);
    expect((await failure(client.get(ask(server.origin)))).code).toBe("provider_fault");
    expect((await failure(client.get(ask(server.origin, { first: true })))).code).toBe(
      "wrong_address",
    );
    expect(seen).toBe(0);
  });

  test("the token reaches the server and no error message", async () => {
    let header: string | undefined;
    await using server = await serveHttp((request, response) => {
      header = request.headers.authorization;
      response.writeHead(403).end();
    });
    const error = await failure(clientOf(server.origin).client.get(ask(server.origin)));
    expect(header).toBe(`Bearer ${TOKEN}`);
    expect(JSON.stringify(error.toTrace())).not.toContain(TOKEN);
  });

  test("a header that comes twice is joined", async () => {
    await using server = await serveHttp((_, response) => {
      response.setHeader("x-two", ["a", "b"]);
      response.end();
    });
    const response = await open()({
      url: new URL(server.origin),
      headers: {},
      signal: new AbortController().signal,
    });
    expect(response.headers["x-two"]).toBe("a, b");
    for await (const chunk of response.body) expect(chunk).toBeUndefined();
  });
});

/** Longer than a test may take: a request that does not end at once fails its test. */
const FOREVER = 600_000;
const PATIENT = {
  connectMs: FOREVER,
  headersMs: FOREVER,
  bodyMs: FOREVER,
  answerMs: FOREVER,
};
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

describe("L2: an answer has a limit of time from the request to its last byte", () => {
  /** Calls `step` every 20 ms until the socket closes: far more often than any silence would be noticed. */
  function drip(socket: Socket, step: () => void): void {
    const timer = setInterval(step, 20);
    socket.on("close", () => clearInterval(timer));
  }

  test.each<[string, (socket: Socket) => void]>([
    [
      "a body that drips",
      (socket) => {
        socket.write(`${HEAD}content-length: 100000\r\n\r\n`);
        drip(socket, () => socket.write(" "));
      },
    ],
    [
      "headers that drip",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\nx-slow: ");
        drip(socket, () => socket.write("x"));
      },
    ],
    [
      "one 103 after the other",
      (socket) => drip(socket, () => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n")),
    ],
  ])("%s is cut off", async (_, serve) => {
    await using server = await serveTcp((socket) => void socket.once("data", () => serve(socket)));
    const transport = open({ limits: { ...PATIENT, answerMs: 200 } });
    const { client, retries } = clientOf(server.origin, {
      transport,
      backoff: { ...BACKOFF_POLICY, retries: 1 },
    });
    const error = await failure(client.get(ask(server.origin)));
    expect(error).toMatchObject({ code: "unavailable", failureType: "transient_error" });
    expect(error.message).toContain("longer than five minutes");
    expect(retries).toHaveLength(1);
  });
});

describe("C5: proxies", () => {
  /** A proxy that forwards CONNECT and absolute-form requests to any port of loopback, and counts. */
  async function serveProxy() {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      json(request, response);
    });
    server.on("connect", (request, socket: Socket) => {
      seen.push(`CONNECT ${request.url}`);
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    });
    return { seen, server: await listen(server, "http") };
  }

  test.each(["HTTP_PROXY", "http_proxy"])(
    "%s is used for http, with or without a scheme",
    async (name) => {
      const { seen, server } = await serveProxy();
      await using proxy = server;
      for (const value of [proxy.origin, `127.0.0.1:${proxy.port}`]) {
        const transport = open({ proxies: { [name]: value } });
        const { client } = clientOf("http://api.example.com", { transport });
        await client.get(ask("http://api.example.com"));
      }
      expect(seen).toEqual(Array(2).fill("GET http://api.example.com/v1/x"));
    },
  );

  test("HTTPS_PROXY is asked for a tunnel; its refusal is a wrong address at first", async () => {
    const { seen, server } = await serveProxy();
    await using proxy = server;
    const transport = open({ proxies: { HTTPS_PROXY: proxy.origin } });
    const { client } = clientOf("https://api.example.com", { transport });
    const error = await failure(client.get(ask("https://api.example.com", { first: true })));
    expect(error.code).toBe("wrong_address");
    expect(error.message).toContain("the proxy answered HTTP 407");
    expect(seen).toEqual(["CONNECT api.example.com:443"]);
  });

  test("NO_PROXY is honored", async () => {
    const { seen, server } = await serveProxy();
    await using proxy = server;
    // An address of loopback would prove nothing, because it is never requested through a proxy.
    const proxies = { HTTP_PROXY: proxy.origin, NO_PROXY: "x.example,none.invalid" };
    const transport = open({ proxies });
    const { client } = clientOf("http://none.invalid", { transport });
    await failure(client.get(ask("http://none.invalid", { first: true })));
    expect(seen).toEqual([]);
  });

  test("loopback is never asked through a proxy, which would see the token", async () => {
    const { seen, server } = await serveProxy();
    await using proxy = server;
    await using direct = await serveHttp(json);
    for (const host of ["127.0.0.1", "localhost"]) {
      const origin = `http://${host}:${direct.port}`;
      const transport = open({ proxies: { HTTP_PROXY: proxy.origin } });
      await clientOf(origin, { transport }).client.get(ask(origin));
    }
    expect(seen).toEqual([]);
  });

  test("the variables are the argument's, not the environment's", async () => {
    await using direct = await serveHttp(json);
    const saved = process.env["HTTP_PROXY"];
    process.env["HTTP_PROXY"] = "http://127.0.0.1:9";
    try {
      const transport = open({ proxies: { HTTPS_PROXY: "http://127.0.0.1:9" } });
      await clientOf(direct.origin, { transport }).client.get(ask(direct.origin));
    } finally {
      if (saved === undefined) delete process.env["HTTP_PROXY"];
      else process.env["HTTP_PROXY"] = saved;
    }
  });

  test.each(["ftp://proxy:21", "http:///", "a b", "socks5://u:secret@proxy"])(
    "%j is refused without being shown",
    (value) => {
      expect(() => open({ proxies: { HTTPS_PROXY: value } })).toThrow(
        expect.objectContaining({
          code: "invalid_config",
          message: expect.not.stringContaining(value),
        }),
      );
    },
  );

  test("a proxy that is down is a passing fault", async () => {
    const { server } = await serveProxy();
    await server[Symbol.asyncDispose]();
    const transport = open({ proxies: { HTTP_PROXY: server.origin, HTTPS_PROXY: server.origin } });
    for (const origin of ["http://api.example.com", "https://api.example.com"]) {
      const { client, slept } = clientOf(origin, { transport });
      expect((await failure(client.get(ask(origin)))).code).toBe("unavailable");
      expect(slept).toHaveLength(5);
    }
  });
});

test("close() lets go of idle connections and never rejects", async () => {
  await using server = await serveHttp(json);
  const one = openTransport(SMALL_LIMITS);
  await one.close();
  const two = openTransport(SMALL_LIMITS);
  await clientOf(server.origin, { transport: two.transport }).client.get(ask(server.origin));
  await two.close();
  await two.close();
  const probe = connect(server.port, "127.0.0.1");
  await new Promise((resolve) => probe.once("connect", resolve));
  probe.destroy();
});
