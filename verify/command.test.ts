import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import { chunksOf, transportOf } from "../src/adapters/testing.ts";
import type { Transport } from "../src/edges.ts";
import { readBody } from "../src/http/body.ts";
import { ConnectorError } from "../src/errors.ts";
import { clockOf, DAY, fakeOf, NOW, type Ran, run, verdictsOf } from "./testing.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "verify-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
const at = (name: string): string => join(folder, name);

const messageOf = ({ ended }: Ran): string =>
  ended instanceof ConnectorError ? ended.message : "";

/** A network that answers each request with this. */
const always =
  (status: number, body = "{}", headers: Readonly<Record<string, string>> = {}): Transport =>
  async () => ({ status, headers, body: chunksOf(body) });

const refusing: Transport = () =>
  Promise.reject(Object.assign(new Error("connect"), { code: "ECONNREFUSED" }));

describe("a run that cannot begin", () => {
  it.each([
    [
      "no network",
      refusing,
      /OpenAI cannot be asked: no answer came: the connection was refused\./,
    ],
    ["a refused key", always(401), /OpenAI refuses this key with HTTP 401\. Use an admin key/],
    ["a key without the scope", always(403), /refuses this key with HTTP 403/],
    ["a redirect", always(302), /refused with HTTP 302/],
    ["a web page", always(200, "<!doctype html><html>"), /no JSON object: base_url may be wrong/],
    ["a list", always(200, "[]"), /no JSON object/],
    ["a broken server", always(500), /HTTP 500/],
    ["a limit for hours", always(429, "", { "retry-after": "7200" }), /HTTP 429/],
    ["a limit without an end", always(429, "", { "retry-after": "5" }), /HTTP 429/],
    ["deep JSON", always(200, "[".repeat(100_000)), /deeper than/],
    ["endless JSON", always(200, `[${"0,".repeat(200_000)}0]`), /more than 100000 values/],
    ["a damaged body", always(200, "x", { "content-encoding": "gzip" }), /came damaged/],
  ])("says why: %s", async (_, transport, words) => {
    const ran = await run(fakeOf("openai", null), "openai", { transport });
    expect(messageOf(ran)).toMatch(words);
    expect(ran.said).toBe("");
  });

  it("names the faults of the line and of the config at once", async () => {
    const fake = fakeOf("openai", null);
    const ran = await run(fake, "openai", {
      out: at("no/file.json"),
      invoices: ["2026-11=5", "2027-01=5"],
      config: { credentials: { auth_type: "openai_admin_key" } },
    });
    expect(messageOf(ran)).toMatch(/2026-11, which is not over.*2027-01.*no such folder.*api_key/s);
    expect(fake.requests).toEqual([]);
  });

  it("refuses a key that no header can carry, and does not show it", async () => {
    const credentials = { auth_type: "openai_admin_key", api_key: "SeCrEt-kéy" };
    const ran = await run(fakeOf("openai", null), "openai", { config: { credentials } });
    expect(messageOf(ran)).toMatch(/credentials\.api_key must/);
    expect(messageOf(ran)).not.toContain("SeCrEt");
  });

  it("says each wait at once", async () => {
    const fake = fakeOf("openai", null);
    fake.limit(1, 7);
    const ran = await run(fake, "openai");
    expect(ran.warned).toBe(
      "OpenAI: it refuses with HTTP 429 (too many requests): run it again later. Trying again in 7 s.",
    );
    expect(ran.ended).toBe(true);
  });

  it("ends with the signal", async () => {
    const stop = new AbortController();
    const transport: Transport = ({ signal }) => {
      stop.abort(new ConnectorError("aborted", "stopped"));
      return new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason);
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    };
    const ran = await run(fakeOf("openai", null), "openai", { transport, stop: stop.signal });
    expect(ran.ended).toMatchObject({ code: "aborted" });
  });
});

describe("a provider that is hostile in the middle", () => {
  /** The fake, except for the answers from the second on. */
  const later = (name: "openai" | "anthropic" | "openrouter", transport: Transport) => {
    const fake = fakeOf(name, null);
    let asked = 0;
    const mixed: Transport = (request) =>
      asked++ < 2 ? transportOf(fake)(request) : transport(request);
    return run(fake, name, { transport: mixed, out: at("v.json"), invoices: ["2026-10=5"] });
  };
  const ODD = ["{}", '{"data": null}', '{"data": [null]}', '{"data": [{}]}', '{"data": [[]]}'];
  const ROW =
    '{"data": [{"start_time": 1, "end_time": 2, "starting_at": "x", "date": 5, "results": [{"amount": 5}]}]}';
  const HUGE = `{"data": [{"start_time": 0, "end_time": 1, "results": [{"amount": {"value": 1e999, "currency": "usd"}}]}]}`;

  it.each(
    (["anthropic", "openai", "openrouter"] as const).flatMap((name) =>
      [
        ...ODD.map((body) => always(200, body)),
        always(200, ROW),
        always(200, HUGE),
        always(400),
        always(500),
        always(204, ""),
        always(200, "\u0000"),
        refusing,
      ].map((transport) => [name, transport] as const),
    ),
  )("%s: leaves the rest open and says so (%#)", async (name, transport) => {
    const ran = await later(name, transport);
    expect(ran.ended).not.toBeInstanceOf(ConnectorError);
    expect(existsSync(at("v.json"))).toBe(true);
    expect(Object.values(verdictsOf(ran))).toContain("not seen here");
  });

  it("writes no word of it, and no secret", async () => {
    const fake = fakeOf("openai", null);
    const key = fake.api.key;
    const said = JSON.stringify({ error: { message: `no ${key}`, jane: "jane@example.com" } });
    const ran = await run(fake, "openai", {
      transport: (request) =>
        request.url.pathname.endsWith("/costs") && request.url.search.includes("line_item")
          ? always(400, said, { "x-key": key })(request)
          : transportOf(fake)(request),
      out: at("v.json"),
    });
    const all = ran.said + ran.warned + readFileSync(at("v.json"), "utf8");
    expect(all).not.toContain("jane");
    expect(all).not.toContain(key.slice(0, 12));
  });

  it("stops asking after two requests without a usable answer", async () => {
    const fake = fakeOf("openai", null);
    let failed = 0;
    const ran = await run(fake, "openai", {
      transport: (request) => {
        if (fake.requests.length === 0) return transportOf(fake)(request);
        failed += 1;
        return refusing(request);
      },
    });
    expect(failed).toBe(4);
    expect(ran.ended).toBe(true);
    expect(ran.said).toContain("not asked, because the requests before had no usable answer");
  });

  it("sends a bounded number of requests", async () => {
    const fake = fakeOf("openrouter", null);
    for (let day = 0; day < 33; day += 3) {
      fake.clock.set(NOW + day * DAY);
      await run(fake, "openrouter", { out: at("v.json") });
    }
    const before = fake.requests.length;
    await run(fake, "openrouter", { out: at("v.json") });
    expect(fake.requests.length - before).toBeLessThan(40);
  });
});

test("the file holds no id, name or amount of the account", async () => {
  for (const name of ["anthropic", "openai", "openrouter"] as const) {
    const fake = fakeOf(name, null);
    const out = at(`${name}.json`);
    await run(fake, name, { out, invoices: ["2026-10=1234.56"] });
    fake.clock.advance(DAY);
    const { said } = await run(fake, name, { out, invoices: ["2026-10=1234.56"] });
    const written = readFileSync(out, "utf8") + said;
    for (const word of [
      "wrkspc",
      "apikey_",
      "proj_",
      "key_",
      "claude-",
      "gpt-",
      "deepseek",
      "endpoint-0",
      "0b1f",
      "1234.56",
      fake.api.key,
    ])
      expect(written, word).not.toContain(word);
    // The counts of rows are small, and a ratio is below a million: every longer number would be an amount.
    expect(written).not.toMatch(/(?<![.\d])\d{6}/);
  }
});

describe("--out", () => {
  const openai = (out: string) => run(fakeOf("openai", null), "openai", { out });

  it.each(["config.json", "v.json", "v.memory.json"])(
    "replaces no other file: %s",
    async (name) => {
      writeFileSync(at(name), '{"credentials": {}}');
      const out = name === "v.memory.json" ? at("v.json") : at(name);
      expect(messageOf(await openai(out))).toMatch(/holds something else/);
      expect(readFileSync(at(name), "utf8")).toBe('{"credentials": {}}');
      expect(readdirSync(folder)).toEqual([name]);
    },
  );

  it("refuses folders, devices and places without a folder", async () => {
    mkdirSync(at("folder"));
    expect(messageOf(await openai(at("folder")))).toMatch(/it is a folder/);
    expect(messageOf(await openai("/dev/null"))).toMatch(/no regular file/);
    expect(messageOf(await openai(at("none/v.json")))).toMatch(/no such folder/);
  });

  it("follows a link and keeps the mode", async () => {
    mkdirSync(at("real"));
    writeFileSync(at("real/file"), "");
    chmodSync(at("real/file"), 0o640);
    symlinkSync(at("real/file"), at("v.json"));
    expect((await openai(at("v.json"))).ended).toBe(true);
    expect(readFileSync(at("real/file"), "utf8")).toContain("source-ai-billing verify");
  });

  it("refuses the memory of another account, and one that is damaged", async () => {
    await openai(at("v.json"));
    const other = await run(fakeOf("openrouter", null), "openrouter", { out: at("v.json") });
    expect(messageOf(other)).toMatch(/memory of another account/);
    const memory = readFileSync(at("v.memory.json"), "utf8");
    writeFileSync(at("v.memory.json"), memory.slice(0, 300));
    expect(messageOf(await openai(at("v.json")))).toMatch(/no memory of this version/);
    writeFileSync(at("v.memory.json"), memory.slice(0, 100) + " ".repeat(1024 ** 2));
    expect(messageOf(await openai(at("v.json")))).toMatch(/no memory of this version/);
  });

  it("keeps the memory where sums could not be read", async () => {
    await openai(at("v.json"));
    const before = readFileSync(at("v.memory.json"), "utf8");
    const fake = fakeOf("openai", null);
    fake.clock.advance(DAY);
    fake.refuse("/completions", 403);
    const ran = await run(fake, "openai", { out: at("v.json") });
    expect(verdictsOf(ran)).toMatchObject({ "OAI-07": "not seen here" });
    const { seen } = JSON.parse(before) as { seen: unknown[] };
    expect(
      (JSON.parse(readFileSync(at("v.memory.json"), "utf8")) as { seen: unknown[] }).seen,
    ).toEqual(expect.arrayContaining(seen));
  });

  it("says the lag", async () => {
    const fake = fakeOf("openai", "OAI-07");
    let last = "";
    for (let day = 0; day < 5; day++) {
      last = (await run(fake, "openai", { out: at("v.json") })).said;
      fake.clock.advance(DAY);
    }
    expect(last).toMatch(
      /Lag of costs: at the age of 0 to 24 h, \d days showed at least 0\.\d+ of the later value/,
    );
    expect(JSON.parse(readFileSync(at("v.json"), "utf8"))).toMatchObject({
      lags: expect.arrayContaining([
        expect.objectContaining({ dataset: "costs", after_hours: 72 }),
      ]),
    });
  });
});

test.each(["anthropic", "openai", "openrouter"] as const)(
  "%s: an account without any use proves nothing about lags",
  async (name) => {
    const fake = fakeOf(name, null);
    const empty = JSON.stringify({
      data: [],
      has_more: false,
      data_refreshed_at: "2026-12-31T00:00:00Z",
    });
    for (let day = 0; day < 12; day += 3) {
      fake.clock.set(NOW + day * DAY);
      const date = new Date(fake.clock.now()).toUTCString();
      const ran = await run(fake, name, {
        out: at("v.json"),
        transport: always(200, empty, { date }),
      });
      const later = new Set(["ALL-01", "ANT-08", "OAI-07", "OAI-08", "ORT-04"]);
      const verdicts = Object.entries(verdictsOf(ran)).filter(([id]) => later.has(id));
      expect(verdicts.length).toBeGreaterThan(1);
      expect(verdicts.filter(([, verdict]) => verdict !== "not seen here")).toEqual([]);
      expect(ran.said).not.toContain("Lag of");
    }
  },
);

test("a memory of the future, and one whose amounts are none, do no harm", async () => {
  const fake = fakeOf("openai", null);
  const out = at("v.json");
  fake.clock.set(NOW + 2000 * DAY);
  await run(fake, "openai", { out });
  fake.clock.set(NOW);
  await run(fake, "openai", { out });
  const path = at("v.memory.json");
  const memory = JSON.parse(readFileSync(path, "utf8")) as { seen: { at: number }[] };
  expect(Math.max(...memory.seen.map((each) => each.at))).toBe(NOW);
  for (const wrong of [{ amounts: { USD: "1e9" } }, { end: 1e300 }, { at: -1 }]) {
    const seen = memory.seen.map((each) => ({ ...each, ...wrong }));
    writeFileSync(path, `${JSON.stringify({ ...memory, seen })}\n`);
    expect(messageOf(await run(fake, "openai", { out }))).toMatch(/no memory of this version/);
  }
});

test("sums that are cut into pages are not compared", async () => {
  const fake = fakeOf("openai", null);
  const cut: Transport = async (request) => {
    const answer = await transportOf(fake)(request);
    const { text } = await readBody(answer, 1e7);
    return { ...answer, body: chunksOf(text.replace('"has_more":false', '"has_more":true')) };
  };
  const ran = await run(fake, "openai", {
    transport: cut,
    out: at("v.json"),
    invoices: ["2026-10=5"],
  });
  expect(ran.said).toMatch(/could not be read: the answer to a request for sums is cut into pages/);
  expect(verdictsOf(ran)).toMatchObject({ "OAI-07": "not seen here", "ALL-01": "not seen here" });
});

test("a key without the analytics API is asked by the older API", async () => {
  const { createFake } = await import("../fake_providers/index.ts");
  const fake = createFake("anthropic", {
    now: NOW,
    seed: 11,
    contradicts: null,
    legacy: true,
    requestsAnHour: 90,
  });
  for (const days of [0, 1, 2, 3]) {
    fake.clock.set(NOW + days * DAY);
    const ran = await run(fake, "anthropic", { out: at("v.json"), invoices: ["2026-10=5000"] });
    expect(ran.ended).toBe(true);
    expect(verdictsOf(ran)).toMatchObject({
      "ANT-04": "not seen here",
      "ANT-08": "not seen here",
      "ANT-13": "confirmed",
      "ANT-15": "confirmed",
    });
    expect(ran.said).toContain("Invoice 2026-10 in USD: it is");
  }
});

test.each(["anthropic", "openai", "openrouter"] as const)(
  "%s: a wrong clock of this machine changes nothing",
  async (name) => {
    for (const skew of [-20 * DAY, 20 * DAY]) {
      const fake = fakeOf(name, null);
      const clock = { now: () => fake.clock.now() + skew, sleep: clockOf(fake).sleep };
      const ran = await run(fake, name, { clock });
      expect(ran.ended).toBe(true);
      expect(Object.values(verdictsOf(ran))).toContain("confirmed");
    }
  },
);

test("OpenRouter says why a month is not compared", async () => {
  const ran = await run(fakeOf("openrouter", null), "openrouter", { invoices: ["2026-09=5"] });
  expect(ran.said).toMatch(/Invoice 2026-09: not compared\n {2}The reports do not reach back/);
});
