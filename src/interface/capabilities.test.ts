import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { judgeCapabilities, readCapabilities } from "./capabilities.ts";
import { resolveEndpoint } from "./endpoint.ts";
import {
  capabilities,
  failure,
  harness,
  instantClock,
  NOW,
  ORIGIN,
  scripted,
} from "../http/testing.ts";

const signal = new AbortController().signal;
const options = { clock: instantClock(), signal, tolerateUnknown: false };

/** Capabilities whose usage dataset has these other members. */
function withUsage(more: object): object {
  const usage = {
    endpoint: "/v1/finops/usage",
    granularities: ["1d"],
    retention_days: 90,
    maximum_window_days: 31,
    dimensions: [],
  };
  return capabilities({ datasets: { usage: { ...usage, ...more } } });
}

describe("readCapabilities()", () => {
  test("gives capabilities and the provider's clock", async () => {
    const headers = { date: "Sun, 15 Mar 2026 10:00:00 GMT" };
    const { client } = harness({ transport: scripted({ body: capabilities(), headers }) });
    const answer = await readCapabilities(client, new URL(ORIGIN), options);
    expect(answer.capabilities.datasets.costs?.endpoint).toBe("/v1/finops/costs");
    expect(answer.nowMs).toBe(NOW - 2 * 3_600_000);
    expect(answer.warnings).toEqual([]);
  });

  test.each([
    ["7200", 7_200_000],
    ["86400", 86_400_000],
    ["86401", 0],
    ["999999999999999", 0],
    ["-5", 0],
    ["1.5", 0],
    ["10, 20", 0],
  ])("W4: an answer from a cache gives the present time by its Age, here %s", async (age, ms) => {
    const headers = { date: "Sun, 15 Mar 2026 10:00:00 GMT", age };
    const { client } = harness({ transport: scripted({ body: capabilities(), headers }) });
    const { nowMs } = await readCapabilities(client, new URL(ORIGIN), options);
    expect(nowMs).toBe(Date.UTC(2026, 2, 15, 10) + ms);
  });

  test("takes this side's clock where there is no valid Date", async () => {
    for (const headers of [{}, { date: "yesterday" }] as Record<string, string>[]) {
      const { client } = harness({ transport: scripted({ body: capabilities(), headers }) });
      expect((await readCapabilities(client, new URL(ORIGIN), options)).nowMs).toBe(NOW);
    }
  });

  test.each(["Fri, 31 Dec 9999 23:00:00 GMT", "Wed, 01 Jan 5000 00:00:00 GMT"])(
    "L3: a clock that no state and no reading id could follow counts as none: %s",
    async (date) => {
      const { client } = harness({
        transport: scripted({ body: capabilities(), headers: { date } }),
      });
      expect((await readCapabilities(client, new URL(ORIGIN), options)).nowMs).toBe(NOW);
    },
  );

  test("keeps the path of the base URL, and takes a 404 for a wrong address", async () => {
    const asked: string[] = [];
    const answer = scripted({ status: 404 });
    const { client } = harness({
      transport: (request) => {
        asked.push(request.url.href);
        return answer(request);
      },
    });
    const got = readCapabilities(client, new URL(`${ORIGIN}/billing/`), options);
    expect((await failure(got)).code).toBe("wrong_address");
    expect(asked).toEqual([`${ORIGIN}/billing/v1/finops/capabilities`]);
  });
});

describe("V2: capabilities are closed, and their versions known", () => {
  test.each<[string, unknown, string]>([
    ["no object", [], "must be object"],
    ["null", null, "must be object"],
    ["a missing property", { ...capabilities(), provider: undefined }, "provider"],
    ["no datasets", capabilities({ datasets: {} }), 'property "usage" is missing at /datasets'],
    ["an unknown property", capabilities({ beta: 1 }), 'unknown property "beta" at the top level'],
    ["an unknown one inside", withUsage({ foo: 1 }), 'unknown property "foo" at /datasets/usage'],
    ["an endpoint of another form", withUsage({ endpoint: "usage" }), "/datasets/usage/endpoint"],
    ["an unknown granularity", withUsage({ granularities: ["1m"] }), '["1h","1d"]'],
    ["no granularity", withUsage({ granularities: [] }), "/datasets/usage/granularities"],
    ["retention 0", withUsage({ retention_days: 0 }), "/datasets/usage/retention_days"],
    ["a fraction", withUsage({ maximum_window_days: 1.5 }), "/datasets/usage/maximum_window_days"],
    ["a currency", withUsage({ currencies: ["usd"] }), "/datasets/usage/currencies/0"],
  ])("refuses %s and names it", (_, value, words) => {
    expect(() => judgeCapabilities(value, false)).toThrow(
      expect.objectContaining({
        code: "provider_fault",
        message: expect.stringContaining(words),
      }),
    );
  });

  test.each([
    [{ profile_version: "0.2" }, "profile_version 0.2 with focus_version 1.4"],
    [{ focus_version: "1.5", beta: true }, "profile_version 0.1 with focus_version 1.5"],
  ])("another version %j names both sides", (more, words) => {
    const judge = () => judgeCapabilities(capabilities(more), true);
    expect(judge).toThrow(words);
    expect(judge).toThrow("reads profile_version 0.1 with focus_version 1.4");
  });

  test("tolerates unknown properties where told to, each with a warning", () => {
    const value = { ...withUsage({ "a/b": 1 }), beta: { deep: 1 } };
    const { capabilities: kept, warnings } = judgeCapabilities(value, true);
    expect(warnings.join("\n")).toContain("/beta");
    expect(warnings.join("\n")).toContain("/datasets/usage/a/b");
    expect(kept).not.toHaveProperty("beta");
    expect(Object.keys(kept.datasets.usage)).not.toContain("a/b");
  });

  test("L4: of many unknown properties five are named, and their number is given", () => {
    const names = Array.from({ length: 100 }, (_, index) => [`x\u202e${index}`, index]);
    const { warnings } = judgeCapabilities(capabilities(Object.fromEntries(names)), true);
    expect(warnings).toHaveLength(6);
    expect(warnings[4]).toContain("the unknown property /x4;");
    expect(warnings[5]).toContain("100 unknown properties in all");
  });

  test("tolerates nothing else", () => {
    expect(() => judgeCapabilities({ ...withUsage({ retention_days: 0 }), beta: 1 }, true)).toThrow(
      "retention_days",
    );
  });

  test("a property named __proto__ is unknown like any other", () => {
    const text = JSON.stringify(capabilities()).replace("{", '{"__proto__":{"x":1},');
    expect(() => judgeCapabilities(JSON.parse(text), false)).toThrow(
      'unknown property "__proto__"',
    );
    expect(judgeCapabilities(JSON.parse(text), true).warnings).toHaveLength(1);
  });
});

describe("W5: an endpoint is a plain path under the base URL", () => {
  test.each([
    ["https://a.example", "/v1/finops/usage", "https://a.example/v1/finops/usage"],
    ["https://a.example/", "/v2/x", "https://a.example/v2/x"],
    ["https://a.example/base/", "/v1/x/", "https://a.example/base/v1/x/"],
    ["https://a.example/b%20c?q=1#f", "/v1/x", "https://a.example/b%20c/v1/x"],
    ["http://127.0.0.1:8080", "/v1/a:b@c/~d", "http://127.0.0.1:8080/v1/a:b@c/~d"],
    ["https://u:p@a.example", "/v1/x", "https://a.example/v1/x"],
  ])("%s with %s", (base, endpoint, expected) => {
    expect(resolveEndpoint(new URL(base), endpoint).href).toBe(expected);
  });

  test.each([
    "/v1/../../x",
    "/v1/./x",
    "/v1/..",
    "/v1/%2e%2e/x",
    "/v1/.%2E/x",
    "/v1/%2e",
    "/v1/x%2f..%2fy",
    "/v1/x%5c..",
    "//evil.example/v1/x",
    "/v1//evil.example",
    "/v1/",
    "https://evil.example/v1/x",
    "/v1/\\evil.example",
    "\\\\evil.example\\v1\\x",
    "/v1/x?cursor=1",
    "/v1/x#f",
    "/v1/.\t./x",
    "/v1/x\n",
    "/v1/x%0d%0aHost:%20evil",
    "/v1/x%00",
    "/v1/x y",
    "/v1/ä",
    "/v1/%zz",
    "/v1/..;/x",
    `/v1/${"x".repeat(200)}`,
    "/v1/x;a=1/y",
    "/v1/%252e%252e/x",
    "/v1/x%20y",
    "@evil.example/v1/x",
    "v1/x",
    "",
  ])("refuses %j", (endpoint) => {
    expect(() => resolveEndpoint(new URL("https://a.example/base"), endpoint)).toThrow(
      expect.objectContaining({ code: "provider_fault" }),
    );
  });

  test("whatever the endpoint, what comes out is under the base URL", () => {
    const piece = fc.constantFrom(
      "..",
      ".",
      "%2e",
      "%2E.",
      "/",
      "//",
      "\\",
      "?",
      "#",
      "@",
      "evil",
      ":",
      "%2f",
      "\t",
      "a",
    );
    const endpoint = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => `/v1/${pieces.join("")}`),
      fc.array(piece).map((pieces) => `/v1/${pieces.join("/")}`),
    );
    const base = new URL("https://a.example/base");
    fc.assert(
      fc.property(endpoint, (text) => {
        let url: URL;
        try {
          url = resolveEndpoint(base, text);
        } catch {
          return;
        }
        expect(url.href).toBe(`https://a.example/base${text}`);
        expect(url.pathname.startsWith("/base/v")).toBe(true);
        expect(decodeURIComponent(url.pathname.replaceAll(/%[89a-f]./gi, ""))).not.toMatch(
          /\/\.\.?(\/|$)|\/\/|\\/,
        );
      }),
      { numRuns: 2000 },
    );
  });
});
