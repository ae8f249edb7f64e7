import { setImmediate } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import nock from "nock";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import type { Auth, Refusal } from "./auth.ts";
import type { GetRequest } from "./client.ts";
import { MAXIMUM_PAGE_BYTES, shownUrl } from "./client.ts";
import type { ScanBody } from "./judge.ts";
import {
  failure,
  harness,
  instantClock,
  NOW,
  ORIGIN,
  realClock,
  scripted,
  TOKEN,
} from "./testing.ts";

beforeAll(() => nock.disableNetConnect());
afterAll(() => {
  nock.enableNetConnect();
  nock.restore();
});
afterEach(() => {
  const pending = nock.pendingMocks();
  nock.cleanAll();
  expect(pending).toEqual([]);
});

const PATH = "/v1/finops/usage";
const JSON_TYPE = { "content-type": "application/json" };
const PROBLEM_TYPE = { "content-type": "application/problem+json" };

function ask(more: Partial<GetRequest> = {}): GetRequest {
  return { url: new URL(ORIGIN + PATH), signal: new AbortController().signal, ...more };
}

/** An interceptor of the next request; several are used up in order. */
const provider = () => nock(ORIGIN).get(PATH);

describe("Client.get()", () => {
  test("sends the token, asks for gzip and reads body, size and Date", async () => {
    nock(ORIGIN, {
      reqheaders: {
        authorization: `Bearer ${TOKEN}`,
        "accept-encoding": "gzip",
        "user-agent": "source-ai-billing/test",
      },
    })
      .get(PATH)
      .reply(200, '{"a":"é"}', { ...JSON_TYPE, date: "Sun, 15 Mar 2026 11:59:00 GMT" });
    const answer = await harness().client.get(ask());
    expect(answer).toEqual({
      value: { a: "é" },
      content: '{"a":"é"}',
      bytes: 10,
      dateMs: NOW - 60_000,
      ageMs: 0,
      release: expect.any(Function),
    });
  });

  test.each([
    ["gzip", gzipSync('{"a":1}'), { "content-encoding": "gzip" }],
    ["x-gzip", gzipSync('{"a":1}'), { "content-encoding": "x-gzip" }],
    ["identity", Buffer.from('{"a":1}'), { "content-encoding": "identity" }],
    ["a byte order mark", '\uFEFF{"a":1}', {}],
    ["a charset", '{"a":1}', { "content-type": "application/json; charset=utf-8" }],
    ["a content type in capitals", '{"a":1}', { "content-type": "Application/JSON" }],
  ])("reads a body with %s", async (_, body, headers) => {
    provider().reply(200, body, { ...JSON_TYPE, ...headers });
    const answer = await harness().client.get(ask());
    expect(answer.value).toEqual({ a: 1 });
    expect(answer.dateMs).toBeUndefined();
  });

  describe("P3 C4: what time may mend is retried", () => {
    const whole = gzipSync('{"a":1,"b":"some text that is long enough to be cut"}');
    const cases: readonly [string, number, string | Buffer, Record<string, string>][] = [
      ["500", 500, "", {}],
      ["502 with HTML", 502, "<html>bad gateway</html>", { "content-type": "text/html" }],
      ["503", 503, "", PROBLEM_TYPE],
      ["408", 408, "", {}],
      [
        "HTML with status 200",
        200,
        "<!doctype html><html></html>",
        { "content-type": "text/html" },
      ],
      ["HTML that claims to be JSON", 200, "<!doctype html><html></html>", JSON_TYPE],
      ["a wrong content type", 200, '{"a":1}', { "content-type": "text/plain" }],
      ["no content type", 200, '{"a":1}', {}],
      ["an empty body", 200, "", JSON_TYPE],
      ["a truncated body", 200, '{"data":[{"x":1},{"x', JSON_TYPE],
      ["gzip cut short", 200, whole.subarray(0, -12), { ...JSON_TYPE, "content-encoding": "gzip" }],
      ["gzip that is none", 200, '{"a":1}', { ...JSON_TYPE, "content-encoding": "gzip" }],
      ["an encoding not asked for", 200, '{"a":1}', { ...JSON_TYPE, "content-encoding": "br" }],
      ["invalid UTF-8", 200, Buffer.from([0x22, 0xff, 0x22]), JSON_TYPE],
    ];

    test.each(cases)("%s, then an answer", async (_, status, body, headers) => {
      provider().reply(status, body, headers);
      provider().reply(200, '{"a":1}', JSON_TYPE);
      const { client, slept, retries } = harness();
      expect((await client.get(ask())).value).toEqual({ a: 1 });
      expect(slept).toEqual([250]);
      expect(retries).toMatchObject([{ retry: 1, retries: 5, waitMs: 250 }]);
      expect(retries[0]?.message).toContain(`(retry 1 of 5): GET ${ORIGIN}${PATH}`);
    });

    test.each(cases)(
      "%s that stays is an error after five retries",
      async (_, status, body, headers) => {
        provider().times(6).reply(status, body, headers);
        const { client, slept } = harness();
        const error = await failure(client.get(ask()));
        const code = status === 200 ? "broken_answer" : "unavailable";
        expect(error).toMatchObject({ code, failureType: "transient_error" });
        expect(error.message).toContain("in 6 attempts");
        expect(slept).toEqual([250, 1000, 4000, 16_000, 64_000]);
      },
    );

    test.each([
      ["ECONNRESET", "reset"],
      ["ECONNREFUSED", "refused"],
      ["ENOTFOUND", "no such host"],
      ["EAI_AGAIN", "resolved"],
      ["UND_ERR_HEADERS_TIMEOUT", "no answer came in time"],
      ["CERT_HAS_EXPIRED", "TLS"],
      ["SOMETHING_NEW", "SOMETHING_NEW"],
    ])("%s in the middle of a sync", async (code, words) => {
      const thrown = Object.assign(new Error("x"), { code });
      const { client, retries } = harness({ transport: scripted(thrown, { body: {} }) });
      await client.get(ask());
      expect(retries[0]?.message).toContain(words);
    });

    test("the code of a cause or of a gathered error counts", async () => {
      const inner = Object.assign(new Error("x"), { code: "ECONNREFUSED" });
      for (const thrown of [
        new Error("outer", { cause: inner }),
        new AggregateError([inner, inner], "all addresses"),
      ]) {
        const { client, retries } = harness({ transport: scripted(thrown, { body: {} }) });
        await client.get(ask());
        expect(retries[0]?.message).toContain("the connection was refused");
      }
    });

    test("a Retry-After on 503 is a floor", async () => {
      provider().reply(503, "", { "retry-after": "7" });
      provider().reply(200, "{}", JSON_TYPE);
      const { client, slept } = harness();
      await client.get(ask());
      expect(slept).toEqual([7000]);
    });

    test("a defect of ours is not retried", async () => {
      const { client, slept } = harness({ transport: scripted(new TypeError("x is undefined")) });
      expect(await failure(client.get(ask()))).toMatchObject({ code: "internal" });
      expect(slept).toEqual([]);
    });
  });

  describe("C4: what time does not mend is an error at once", () => {
    test.each([
      [400, "bad_request", "system_error"],
      [403, "forbidden", "config_error"],
      [401, "unauthorized", "config_error"],
      [404, "provider_fault", "system_error"],
      [409, "provider_fault", "system_error"],
      [204, "provider_fault", "system_error"],
      [206, "provider_fault", "system_error"],
      [301, "provider_fault", "system_error"],
      [304, "provider_fault", "system_error"],
      [307, "provider_fault", "system_error"],
    ])("HTTP %i is %s", async (status, code, failureType) => {
      provider().reply(status, "", { location: "https://evil.example/x" });
      const { client, slept } = harness();
      const error = await failure(client.get(ask()));
      expect(error).toMatchObject({ code, failureType });
      expect(error.detail).toContain(`HTTP ${status}`);
      expect(slept).toEqual([]);
    });

    test("a body above the cap, sent plain or grown from gzip", async () => {
      const large = JSON.stringify("x".repeat(2 * 1024 ** 2));
      provider().reply(200, large, JSON_TYPE);
      provider().reply(200, gzipSync(large), { ...JSON_TYPE, "content-encoding": "gzip" });
      for (let sent = 0; sent < 2; sent += 1) {
        const error = await failure(harness().client.get(ask()));
        expect(error).toMatchObject({ code: "provider_fault" });
        expect(error.message).toBe(
          "The provider sent an answer of more than 1 MiB. Report it to the provider.",
        );
      }
    });

    test("L1: a page may be larger than other answers, and larger still without JSON.parse", async () => {
      const { url, signal } = ask();
      const sent = async (bytes: number, scan?: ScanBody<string>) => {
        provider().reply(200, JSON.stringify("x".repeat(bytes)), JSON_TYPE);
        const maximumBytes = MAXIMUM_PAGE_BYTES;
        return await harness().client.get<string>({ url, signal, maximumBytes, scan });
      };
      expect((await sent(7 * 1024 ** 2)).bytes).toBeGreaterThan(7 * 1024 ** 2);
      expect((await failure(sent(9 * 1024 ** 2))).message).toContain("more than 8 MiB");
      const scan: ScanBody<string> = () => ({ envelope: {}, records: "scanned" });
      expect((await sent(9 * 1024 ** 2, scan)).content).toBe("scanned");
      expect((await failure(sent(33 * 1024 ** 2, scan))).message).toMatch(
        /more than 32 MiB\. Set a smaller page_size/,
      );
    });

    test("L1: an answer that is nested too deeply is refused before it is parsed, and not asked for again", async () => {
      const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);
      const fine = harness({ transport: scripted({ body: deep(64) }) });
      await fine.client.get(ask());
      const { client, slept } = harness({ transport: scripted({ body: deep(65) }) });
      const error = await failure(client.get(ask()));
      expect(error).toMatchObject({
        code: "provider_fault",
        detail: expect.stringContaining("64"),
      });
      expect(slept).toEqual([]);
    });

    test("a 403 names the scope that its challenge asks for", async () => {
      provider().reply(403, "", {
        "www-authenticate": 'Bearer error="insufficient_scope", scope="billing.cost.read"',
      });
      const error = await failure(harness().client.get(ask()));
      expect(error.message).toContain("the scope billing.cost.read");
    });

    test("another origin never gets the token", async () => {
      const url = new URL("https://evil.example/v1/finops/usage");
      expect(await failure(harness().client.get(ask({ url })))).toMatchObject({ code: "internal" });
    });
  });

  describe("problem documents (RFC 9457)", () => {
    async function detailOf(body: string | object): Promise<string> {
      provider().reply(400, body, PROBLEM_TYPE);
      return (await failure(harness().client.get(ask()))).detail ?? "";
    }

    test("type, title and detail go into the detail", async () => {
      const body = { type: "/problems/window", title: "Too large", status: 400, detail: "40 days" };
      expect(await detailOf(body)).toContain(
        "HTTP 400, type /problems/window, title Too large, detail 40 days",
      );
    });

    test.each<string | object>([
      "",
      "<html>",
      "null",
      "[1]",
      '"text"',
      { type: 1, title: null, detail: [] },
      { title: "  " },
    ])("%j says nothing, and is no error of its own", async (body) => {
      expect(await detailOf(body)).toBe(`HTTP 400; ${ORIGIN}${PATH}`);
    });

    test("a member of the wrong type does not hide the others", async () => {
      expect(await detailOf({ type: 7, title: "Bad", extra: {} })).toContain(
        "HTTP 400, title Bad;",
      );
    });

    test("long ones are cut at 2,000 characters, on one line", async () => {
      const detail = await detailOf({ title: "a\r\n\u0000b", detail: "x".repeat(5000) });
      expect(detail).toContain("title a b, detail xxx");
      expect(detail.length).toBeLessThan(2100);
    });

    test("a provider that echoes the token does not bring it into a message, not even cut", async () => {
      provider().reply(400, { title: `token ${TOKEN}`, detail: `${"x".repeat(1993)}${TOKEN}` });
      const error = await failure(harness().client.get(ask()));
      const shown = JSON.stringify([error.message, error.detail, error.stack]);
      expect(shown).not.toContain(TOKEN.slice(0, 6));
    });
  });

  describe("401", () => {
    /** A credential that gives token 0, 1, 2 … and renews as often as it may. */
    function renewable(times: number): { auth: Auth; refusals: Refusal[]; tolerated: string[] } {
      const [refusals, tolerated]: [Refusal[], string[]] = [[], []];
      return {
        refusals,
        tolerated,
        auth: {
          authorization: async () => `Bearer token-${refusals.length}`,
          tolerated: (authorization) => void tolerated.push(authorization),
          unauthorized: (refusal) => refusals.push(refusal) <= times,
        },
      };
    }
    const withToken = (token: string) =>
      nock(ORIGIN, { reqheaders: { authorization: `Bearer ${token}` } }).get(PATH);

    test("is repeated once with what the credential gives then", async () => {
      withToken("token-0").reply(401, "", { "www-authenticate": "Bearer realm=x" });
      withToken("token-1").reply(200, "{}", JSON_TYPE);
      const { auth, refusals } = renewable(5);
      await harness({ auth }).client.get(ask());
      expect(refusals).toEqual([{ authorization: "Bearer token-0", challenge: "Bearer realm=x" }]);
    });

    test("is final if the credential cannot be renewed", async () => {
      withToken("token-0").reply(401);
      const { auth, refusals } = renewable(0);
      expect(await failure(harness({ auth }).client.get(ask()))).toMatchObject({
        code: "unauthorized",
      });
      expect(refusals).toHaveLength(1);
    });

    test("C4: every other answer shows the credential that its token was tolerated, and a later 401 renews again", async () => {
      withToken("token-0").reply(401);
      withToken("token-1").reply(429, "", { "retry-after": "120" });
      withToken("token-1").reply(401);
      withToken("token-2").reply(503);
      withToken("token-2").reply(401);
      withToken("token-3").reply(200, "{}", JSON_TYPE);
      const { auth, refusals, tolerated } = renewable(5);
      await harness({ auth }).client.get(ask());
      expect(refusals).toHaveLength(3);
      expect(tolerated).toEqual(["Bearer token-1", "Bearer token-2", "Bearer token-3"]);
    });

    test("C4: three in a row are final, whatever the credential gives", async () => {
      for (let token = 0; token < 3; token++) withToken(`token-${token}`).reply(401);
      const { auth, refusals } = renewable(5);
      expect(await failure(harness({ auth }).client.get(ask()))).toMatchObject({
        code: "unauthorized",
      });
      expect(refusals).toHaveLength(2);
    });

    test("an error of the credential is the request's error", async () => {
      const broken = new ConnectorError("unauthorized", "Authorize again.");
      const auth: Auth = {
        authorization: () => Promise.reject(broken),
        tolerated: () => undefined,
        unauthorized: () => false,
      };
      expect(await failure(harness({ auth }).client.get(ask()))).toBe(broken);
    });
  });

  describe("C4: the first request shows a wrong address at once", () => {
    const first = (more: Partial<GetRequest> = {}): GetRequest => ask({ first: true, ...more });

    test.each<[string, number, string, Record<string, string>, string]>([
      ["a web page", 200, "hello", { "content-type": "text/html" }, "web page"],
      ["a web page as JSON", 200, " <html>", JSON_TYPE, "web page"],
      ["404", 404, "", {}, "nothing there"],
      ["404 with HTML", 404, "<html>", { "content-type": "text/html" }, "web page"],
      ["400 with HTML", 400, "<html>", { "content-type": "text/html" }, "web page"],
      ["a redirect", 302, "", { location: "/login?next=secret" }, `to ${ORIGIN}/login)`],
      ["a redirect to nowhere", 301, "", {}, "redirects (HTTP 301)"],
      ["a redirect to a script", 301, "", { location: "javascript:x" }, "redirects (HTTP 301)"],
    ])("%s", async (_, status, body, headers, words) => {
      provider().reply(status, body, headers);
      const { client, slept } = harness();
      const error = await failure(client.get(first()));
      expect(error).toMatchObject({ code: "wrong_address", failureType: "config_error" });
      expect(error.message).toContain(words);
      expect(error.message).not.toContain("secret");
      expect(slept).toEqual([]);
    });

    test("not so by 304, which is no redirect", async () => {
      provider().reply(304, "");
      const error = await failure(harness().client.get(first()));
      expect(error).toMatchObject({ code: "provider_fault", failureType: "system_error" });
      expect(error.message).not.toContain("redirect");
    });

    test.each([
      ["ENOTFOUND", "no such host"],
      ["DEPTH_ZERO_SELF_SIGNED_CERT", "TLS failed"],
      ["ERR_TLS_CERT_ALTNAME_INVALID", "TLS failed"],
      ["EPROTO", "TLS failed"],
      ["HPE_INVALID_CONSTANT", "not HTTP"],
    ])("%s", async (code, words) => {
      const thrown = Object.assign(new Error("x"), { code });
      const error = await failure(harness({ transport: scripted(thrown) }).client.get(first()));
      expect(error.code).toBe("wrong_address");
      expect(error.message).toContain(words);
    });

    test("a proxy that refuses to tunnel", async () => {
      const thrown = new Error("Proxy response (407) !== 200 when HTTP Tunneling");
      const error = await failure(harness({ transport: scripted(thrown) }).client.get(first()));
      expect(error.code).toBe("wrong_address");
      expect(error.message).toContain("HTTPS_PROXY");
    });

    test("a proxy whose name does not exist is not blamed on base_url", async () => {
      const thrown = Object.assign(new Error("x"), {
        code: "ENOTFOUND",
        hostname: "proxy.invalid",
      });
      const error = await failure(harness({ transport: scripted(thrown) }).client.get(first()));
      expect(error.message).toContain("no such host as the proxy's, proxy.invalid");
      expect(error.message).toContain("HTTPS_PROXY");
      expect(error.message).not.toContain("Check base_url");
    });

    test.each(["ECONNREFUSED", "ECONNRESET", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])(
      "%s may be a provider that is down: it is retried",
      async (code) => {
        const thrown = Object.assign(new Error("x"), { code });
        const { client, slept } = harness({ transport: scripted(thrown) });
        const error = await failure(client.get(first()));
        expect(error.code).toBe("unavailable");
        expect(error.message).toContain("base_url");
        expect(slept).toHaveLength(5);
      },
    );

    test("a web page with 503 is a provider that is down", async () => {
      provider().reply(503, "<html>", { "content-type": "text/html" });
      provider().reply(200, "{}", JSON_TYPE);
      await harness().client.get(first());
    });
  });

  test.each([
    [7, 1, 1],
    [7, 100, 2],
    [13, 100, 1],
  ])(
    "L1 C3: while %i MiB wait, at %i ms a page %i requests have left",
    async (mib, latency, expected) => {
      const clock = instantClock();
      const answer = scripted({ body: JSON.stringify("x".repeat(mib * 1024 ** 2)) });
      let sent = 0;
      const transport: Transport = async (request) => {
        sent += 1;
        await clock.sleep(latency, request.signal);
        return await answer(request);
      };
      const { client } = harness({ clock, transport });
      const scan: ScanBody<string> = () => ({ envelope: {}, records: "not released" });
      const request = { ...ask(), maximumBytes: MAXIMUM_PAGE_BYTES, scan };
      await client.get(request);
      void client.get(request);
      await setImmediate();
      expect(sent).toBe(expected);
    },
  );

  test("C3: a page that has come is parsed when its turn comes", async () => {
    const turn = Promise.withResolvers<void>();
    let scans = 0;
    const scan: ScanBody<string> = () => {
      scans += 1;
      return { envelope: {}, records: "none" };
    };
    const { client } = harness({ transport: scripted({ body: "{}" }) });
    const request = { ...ask({ turn: turn.promise }), maximumBytes: MAXIMUM_PAGE_BYTES, scan };
    const answer = client.get(request);
    await setImmediate();
    await setImmediate();
    expect(scans).toBe(0);
    turn.resolve();
    await answer;
    expect(scans).toBe(1);
  });

  describe("C2: 429 is waited for, by every lane", () => {
    test("waits as long as Retry-After asks, once for a row of them", async () => {
      provider().reply(429, "", { "retry-after": "30" });
      provider().reply(200, "{}", JSON_TYPE);
      const { client, slept, holds, retries } = harness();
      await client.get(ask());
      expect(slept).toEqual([30_000]);
      expect(holds).toMatchObject([{ untilMs: NOW + 30_000, waitMs: 30_000 }]);
      expect(retries).toEqual([]);
    });

    test("a page counts when it has come, not only when a slow reader wants it", async () => {
      let now = NOW;
      const clock = { now: () => now, sleep: () => Promise.resolve() };
      const { client, gate } = harness({ clock, transport: scripted({ body: "{}" }) });
      const pass = async () => await gate.pass(new AbortController().signal);
      gate.limited(await pass(), 3_000_000);
      now += 3_000_000;
      void client.get(ask({ turn: new Promise(() => undefined) }));
      await setImmediate();
      gate.limited(await pass(), 900_000); // together more than an hour without a page
      now += 900_000;
      expect(await pass()).toMatchObject({ pause: 2 });
    });

    test.each([
      ["Sun, 15 Mar 2026 13:00:05 GMT", 5000],
      ["Sunday, 15-Mar-26 13:00:05 GMT", 5000],
      ["Sun Mar 15 13:00:05 2026", 5000],
      ["Sun, 15 Mar 2026 12:00:00 GMT", 1000],
      ["0", 1000],
      ["-5", 1000],
      ["soon", 1000],
    ])("measures Retry-After %j against the response's own Date", async (value, wait) => {
      const date = "Sun, 15 Mar 2026 13:00:00 GMT"; // an hour ahead of this side's clock
      provider().reply(429, "", { "retry-after": value, date });
      provider().reply(200, "{}", JSON_TYPE);
      const { client, slept } = harness();
      await client.get(ask());
      expect(slept).toEqual([wait]);
    });

    test("does not use up the retries of other faults", async () => {
      provider().times(8).reply(429, "", { "retry-after": "1" });
      provider().times(5).reply(503);
      provider().reply(200, "{}", JSON_TYPE);
      await harness().client.get(ask());
    });

    test("an absurd wait gives up, keeping the state", async () => {
      provider().reply(429, "", { "retry-after": "99999999" });
      const { client, slept } = harness();
      const error = await failure(client.get(ask()));
      expect(error).toMatchObject({ code: "rate_limited", failureType: "transient_error" });
      expect(slept).toEqual([]);
    });

    test("check does not sleep on it", async () => {
      provider().reply(429, "", { "retry-after": "2" });
      const { client, slept } = harness({ waits: false });
      const error = await failure(client.get(ask({ first: true })));
      expect(error.code).toBe("rate_limited");
      expect(error.message).toContain("asks to wait 2 s");
      expect(slept).toEqual([]);
    });
  });

  describe("aborting and deadlines", () => {
    test("an abort during a wait ends the request, with the reason that was given", async () => {
      const stop = new AbortController();
      const reason = new ConnectorError("aborted", "SIGTERM");
      const clock = { now: () => NOW, sleep: realClock.sleep };
      const { client } = harness({ clock, transport: scripted({ status: 503 }) });
      const got = failure(client.get(ask({ signal: stop.signal })));
      setTimeout(() => stop.abort(reason), 20);
      expect(await got).toBe(reason);
    });

    test("a signal that is aborted already sends nothing", async () => {
      const error = await failure(harness().client.get(ask({ signal: AbortSignal.abort() })));
      expect(error).toMatchObject({ code: "aborted", failureType: "transient_error" });
    });

    test("a retry that would end after the deadline is not waited for", async () => {
      const clock = { now: () => NOW, sleep: realClock.sleep };
      const { client } = harness({ clock, transport: scripted({ status: 503 }) });
      const error = await failure(client.get(ask({ deadlineMs: NOW + 300 })));
      expect(error.code).toBe("unavailable");
      expect(error.message).toContain("HTTP 503");
    });

    test("a transport that never answers is cut off at the deadline", async () => {
      const transport = ({ signal }: { signal: AbortSignal }) =>
        new Promise<never>((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("cut off")));
        });
      const { client } = harness({ clock: realClock, transport });
      const error = await failure(client.get(ask({ first: true, deadlineMs: Date.now() + 50 })));
      expect(error).toMatchObject({ code: "unavailable", failureType: "transient_error" });
      expect(error.message).toContain("time that a check may take");
    });
  });
});

describe("shownUrl()", () => {
  test("hides user, password and fragment and cuts the cursor at 40 characters", () => {
    const url = new URL(`https://u:p@api.example.com/v1/x?limit=2&cursor=${"c".repeat(100)}#f`);
    expect(decodeURIComponent(shownUrl(url))).toBe(
      `https://api.example.com/v1/x?limit=2&cursor=${"c".repeat(40)}…`,
    );
  });
});
