import { request } from "node:http";
import type { IncomingHttpHeaders } from "node:http";
import { expect, test } from "vitest";
import { generateAccount } from "../generator/index.ts";
import { ask, problemOf, readChain, recordsOf, startBench } from "../testing.ts";
import type { Bench } from "../testing.ts";
import { validatePage } from "../../src/generated/validators.js";

const NOW = "2025-10-08T00:00:00Z";
const COSTS = "/v1/finops/costs?start=2025-10-01T00:00:00Z&end=2025-10-06T00:00:00Z";
const USAGE = "/v1/finops/usage?start=2025-10-01T00:00:00Z&end=2025-10-06T00:00:00Z&granularity=1d";
const CAPABILITIES = "/v1/finops/capabilities";

function start() {
  const shape = { costs: 70, usage: 70, days: 7, now: NOW, late: 0, retention: 30, window: 10 } as const;
  return startBench({ accounts: [generateAccount("generated", { ...shape, monthly: false, corrections: "none" })], now: NOW });
}

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Code of the error that ended it early; null where it came whole. */
  readonly error: string | null;
}

/** Reads an answer as far as it comes; gives up where nothing comes for 50 ms. */
function raw(bench: Bench, path: string): Promise<Raw> {
  return new Promise((resolve) => {
    let answer: Raw = { status: 0, headers: {}, bytes: Buffer.alloc(0), error: null };
    const end = (error: string | null) => resolve({ ...answer, error });
    const code = (error: NodeJS.ErrnoException) => end(error.code ?? error.message);
    const client = request(`${bench.baseUrl}${path}`, { headers: { authorization: `Bearer ${bench.token}` }, agent: false });
    client.setTimeout(50, () => {
      end("silence");
      client.destroy();
    });
    client.on("error", code);
    client.on("response", (response) => {
      answer = { ...answer, status: response.statusCode ?? 0, headers: response.headers };
      response.on("data", (chunk: Buffer) => {
        answer = { ...answer, bytes: Buffer.concat([answer.bytes, chunk]) };
      });
      response.on("error", code);
      response.on("end", () => end(null));
    });
    client.end();
  });
}

async function idsOf(bench: Bench, query: string, dataset: "usage" | "costs" = "costs"): Promise<unknown[]> {
  return (await readChain(bench, query, dataset)).records.map((record) => record["x_RecordId"]);
}

test("conditions choose the requests that a fault strikes", async () => {
  await using bench = await start();
  const { token } = bench.provider.issueToken({ id: "second" });
  bench.provider.fault(
    { kind: "status", status: 500, when: { operation: "costs", page: 2, times: 1 } },
    { kind: "status", status: 501, when: { operation: ["usage", "capabilities"], nth: 2 } },
    { kind: "status", status: 502, when: { token: "second", after: 1 } },
    { kind: "status", status: 503, when: { granularity: "1h", every: 2 } },
    { kind: "status", status: 504, when: { start: "2025-10-02T00:00:00Z", account: "generated" } },
    { kind: "status", status: 505, when: { operation: "capabilities", probability: 0 } },
  );
  const status = async (path: string) => (await bench.get(path)).status;
  const page = await bench.get(`${COSTS}&limit=5`);
  const next = `${COSTS}&limit=5&cursor=${encodeURIComponent(String(page.body["next_cursor"]))}`;
  expect([page.status, await status(next), await status(next)]).toEqual([200, 500, 200]);
  expect([await status(CAPABILITIES), await status(USAGE), await status(USAGE)]).toEqual([200, 501, 200]);
  const asSecond = async () => (await ask(`${bench.baseUrl}${COSTS}`, { authorization: `Bearer ${token}` })).status;
  expect([await asSecond(), await asSecond()]).toEqual([200, 502]);
  const hourly = USAGE.replace("1d", "1h");
  expect([await status(hourly), await status(hourly), await status(hourly)]).toEqual([200, 503, 200]);
  expect(await status(COSTS.replace("10-01", "10-02"))).toBe(504);
  expect(bench.provider.faults.list().map(({ struck }) => struck)).toEqual([1, 1, 1, 1, 1, 0]);
});

test("a fault is replaced by one of the same id, and cleared by it", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "status", id: "a", status: 500 });
  bench.provider.fault({ kind: "status", id: "a", status: 502 }, { kind: "latency", milliseconds: 1 });
  expect((await bench.get(COSTS)).status).toBe(502);
  bench.provider.faults.clear("a");
  expect((await bench.get(COSTS)).status).toBe(200);
  expect(bench.provider.requests().map(({ faults }) => faults)).toEqual([["status", "latency"], ["latency"]]);
});

test("429 carries any Retry-After", async () => {
  await using bench = await start();
  for (const text of ["0", "-1", "1.5", "99999999", "Wed, 08 Oct 2025 00:00:07 GMT", "Wednesday, 08-Oct-25 00:00:07 GMT", "soon"]) {
    bench.provider.fault({ kind: "rate_limited", id: "limit", retry_after: text });
    const answered = await bench.get(COSTS);
    expect([problemOf(answered, 429), answered.headers.get("retry-after")]).toEqual(["rate-limited", text]);
  }
});

test("a status comes as problem document, HTML or nothing, with headers", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "status", id: "s", status: 503, detail: "later", headers: { "retry-after": "1" } });
  const problem = await bench.get(COSTS);
  expect([problemOf(problem, 503), problem.headers.get("retry-after")]).toEqual(["injected", "1"]);
  bench.provider.fault({ kind: "status", id: "s", status: 502, body: "html" });
  expect((await bench.get(COSTS)).text).toContain("<!doctype html>");
  bench.provider.fault({ kind: "status", id: "s", status: 500, body: "empty" });
  expect((await bench.get(COSTS)).text).toBe("");
});

test("a token expires at a page, and costs alone are forbidden", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "unauthorized", when: { page: 2, times: 1 } }, { kind: "forbidden", when: { operation: "costs" } });
  expect(problemOf(await bench.get(COSTS), 403)).toBe("insufficient-scope");
  const page = await bench.get(`${USAGE}&limit=5`);
  const next = `${USAGE}&limit=5&cursor=${encodeURIComponent(String(page.body["next_cursor"]))}`;
  expect(problemOf(await bench.get(next), 401)).toBe("unauthorized");
  recordsOf(await bench.get(next), "usage");
});

test("a redirect leads elsewhere", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "redirect", location: "http://127.0.0.1:9/", status: 307 });
  const answered = await bench.get(COSTS);
  expect([answered.status, answered.headers.get("location")]).toEqual([307, "http://127.0.0.1:9/"]);
});

test("cursors expire or are refused before their time, first pages are spared", async () => {
  await using bench = await start();
  for (const [kind, type] of [["cursor_expired", "cursor-expired"], ["cursor_refused", "cursor-invalid"]] as const) {
    bench.provider.fault({ kind, when: { times: 1 } });
    const page = await bench.get(`${COSTS}&limit=5`);
    const next = `${COSTS}&limit=5&cursor=${encodeURIComponent(String(page.body["next_cursor"]))}`;
    expect(problemOf(await bench.get(next), 400)).toBe(type);
    recordsOf(await bench.get(next), "costs");
  }
});

test("connections are reset before headers, after them and in the middle of the body", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "reset", id: "r", at: "before_headers" });
  expect(await raw(bench, COSTS)).toMatchObject({ status: 0, error: "ECONNRESET" });
  bench.provider.fault({ kind: "reset", id: "r", at: "after_headers" });
  const after = await raw(bench, COSTS);
  expect([after.status, after.bytes.length, after.error]).toEqual([200, 0, "ECONNRESET"]);
  bench.provider.fault({ kind: "reset", id: "r", at: "mid_body" });
  const middle = await raw(bench, COSTS);
  expect([middle.status, middle.bytes.length > 0, middle.error]).toEqual([200, true, "ECONNRESET"]);
});

test("headers or body stall until the client gives up", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "stall", id: "s", at: "headers" });
  expect(await raw(bench, COSTS)).toMatchObject({ status: 0, error: "silence" });
  bench.provider.fault({ kind: "stall", id: "s", at: "body" });
  const body = await raw(bench, COSTS);
  expect([body.status, body.bytes.length > 0, body.error]).toEqual([200, true, "silence"]);
});

test("bodies are truncated, and gzip is cut short under a right content-length", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "truncated", id: "t" });
  const truncated = await raw(bench, COSTS);
  expect(truncated.error).toBe("ECONNRESET");
  expect(truncated.bytes.length).toBeLessThan(Number(truncated.headers["content-length"]));
  bench.provider.faults.clear();
  bench.provider.fault({ kind: "gzip_cut" });
  const cut = await raw(bench, COSTS);
  expect([cut.error, cut.headers["content-encoding"], String(cut.bytes.length)]).toEqual([null, "gzip", cut.headers["content-length"]]);
  await expect(bench.get(COSTS)).rejects.toThrow();
});

test("bodies are HTML with status 200, of another content type, begin with a BOM, or are no JSON", async () => {
  await using bench = await start();
  const body = async (kind: "html" | "bom" | "invalid_json") => {
    bench.provider.faults.clear();
    bench.provider.fault({ kind });
    return raw(bench, COSTS);
  };
  expect(await body("html")).toMatchObject({ status: 200, headers: { "content-type": "text/html" }, error: null });
  expect((await body("bom")).bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const { bytes } = await body("invalid_json");
  expect(() => JSON.parse(bytes.toString())).toThrow(SyntaxError);
  bench.provider.faults.clear();
  bench.provider.fault({ kind: "content_type", value: "text/plain" });
  expect((await raw(bench, COSTS)).headers["content-type"]).toBe("text/plain");
});

test("pages are empty, short or long, and the chain still has every record once", async () => {
  await using bench = await start();
  const whole = await idsOf(bench, COSTS);
  bench.provider.fault({ kind: "empty_page", when: { page: [2, 4] } }, { kind: "short_page", records: 3, when: { page: 5 } }, { kind: "long_page", when: { page: 6 } });
  const { records, pages } = await readChain(bench, `${COSTS}&limit=10`, "costs");
  expect(pages.map((page) => recordsOf(page, "costs").length)).toEqual([10, 0, 0, 0, 3, 11, 10, 10, 6]);
  expect(records.map((record) => record["x_RecordId"])).toEqual(whole);
});

test("next_cursor is missing, empty, the same, or runs in a cycle", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "next_cursor", id: "c", value: "missing" });
  expect("next_cursor" in (await bench.get(`${COSTS}&limit=5`)).body).toBe(false);
  bench.provider.fault({ kind: "next_cursor", id: "c", value: "empty" });
  expect((await bench.get(`${COSTS}&limit=5`)).body["next_cursor"]).toBe("");
  const distinct = async (value: "same" | "cycle", length: number) => {
    bench.provider.fault({ kind: "next_cursor", id: "c", value, length, when: { page: length + 1 } });
    const { pages } = await readChain(bench, `${COSTS}&limit=5`, "costs", 12);
    return [pages.length, new Set(pages.map((page) => page.body["next_cursor"])).size];
  };
  expect(await distinct("cycle", 2)).toEqual([12, 2]);
  expect(await distinct("cycle", 3)).toEqual([12, 3]);
  bench.provider.fault({ kind: "next_cursor", id: "c", value: "same", when: { page: 2 } });
  expect(new Set((await readChain(bench, `${COSTS}&limit=5`, "costs", 5)).pages.map((page) => page.body["next_cursor"])).size).toBe(1);
});

test("cursors hold characters that an address must escape", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "cursor_text" });
  expect(String((await bench.get(`${COSTS}&limit=20`)).body["next_cursor"])).toMatch(/^a\+b\/=&% /);
  expect(await idsOf(bench, `${COSTS}&limit=20`)).toHaveLength(50);
});

test("records come twice, on one page or on two, alike or not", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "duplicate", id: "d", on: "same_page", records: 2, set: { BilledCost: "7" }, when: { page: 1 } });
  const first = recordsOf(await bench.get(`${COSTS}&limit=10`), "costs");
  expect(first).toHaveLength(10);
  expect([first[8]?.["x_RecordId"], first[8]?.["BilledCost"]]).toEqual([first[0]?.["x_RecordId"], "7"]);
  bench.provider.fault({ kind: "duplicate", id: "d", on: "next_page", records: 3 });
  const ids = await idsOf(bench, `${COSTS}&limit=10`);
  expect([new Set(ids).size, ids.length > 50]).toEqual([50, true]);
});

test("a record lies outside the window, or has another granularity than asked for", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "stray_record", days: -40 }, { kind: "other_granularity", when: { operation: "usage" } });
  expect(recordsOf(await bench.get(COSTS), "costs").at(-1)?.["ChargePeriodStart"]).toBe("2025-08-22T00:00:00Z");
  expect(recordsOf(await bench.get(USAGE), "usage")[0]?.["x_Granularity"]).toBe("1h");
});

test("fields of records are dropped, replaced, added, and keep all their digits", async () => {
  await using bench = await start();
  bench.provider.fault(
    { kind: "record", drop: ["BilledCost"] },
    { kind: "record", which: 1, raw: { BilledCost: "12345678901234567.890", x_Extra: "[1e400]", __proto__x: "1" } },
    { kind: "record", which: 2, set: { ChargePeriodStart: "2026-02-30T00:00:00+02:00", ChargeDescription: "\u2028\u2029\u0085\u0000\ud800" } },
    { kind: "record", which: 3, members: '"__proto__":{"polluted":true},"BilledCost":"1"' },
    { kind: "record", which: "last", replace: "null" },
  );
  const { text } = await bench.get(COSTS);
  const page: unknown = JSON.parse(text);
  expect(validatePage(page)).toBe(true);
  expect(text.includes('"BilledCost":12345678901234567.890')).toBe(true);
  expect(text.includes('"x_Extra":[1e400]')).toBe(true);
  expect(text.includes('\u2028\u2029\u0085\\u0000\\ud800"')).toBe(true);
  expect(text.includes('"x_CorrectsRecordId":null,"__proto__":{"polluted":true},"BilledCost":"1"}')).toBe(true);
  expect(text.includes(',null],"next_cursor"')).toBe(true);
  expect(page).toMatchObject({ data: [expect.not.objectContaining({ BilledCost: expect.anything() }), {}, { ChargePeriodStart: "2026-02-30T00:00:00+02:00" }, ...Array(46).fill(expect.anything()), null] });
});

test("the envelope lacks a property or has one too many", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "page", id: "p", set: { total: 50 } });
  expect((await bench.get(COSTS)).body).toMatchObject({ total: 50, data: expect.any(Array) });
  bench.provider.fault({ kind: "page", id: "p", drop: ["data", "as_of"] });
  expect(Object.keys((await bench.get(COSTS)).body).sort()).toEqual(["available_through", "next_cursor"]);
});

test("capabilities name a hostile endpoint, another version, or lack a dataset", async () => {
  await using bench = await start();
  bench.provider.fault({
    kind: "capabilities",
    set: { "/datasets/usage/endpoint": "//evil.example/v1/usage", "/profile_version": "0.2", "/extra": true },
    drop: ["/datasets/costs"],
  });
  const { body } = await bench.get(CAPABILITIES);
  expect(body).toMatchObject({ profile_version: "0.2", extra: true, datasets: { usage: { endpoint: "//evil.example/v1/usage" } } });
  expect(Object.keys(Object(body["datasets"]))).toEqual(["usage"]);
});

test("a window selects by start, by overlap, by containment, or includes its end", async () => {
  await using bench = await start();
  bench.provider.change({
    dataset: "costs",
    life: { record: { ...recordsOf(await bench.get(COSTS), "costs")[0], x_RecordId: "long", ChargePeriodStart: "2025-09-30T00:00:00Z", ChargePeriodEnd: "2025-10-31T00:00:00Z" }, visibleFrom: 0, changes: [] },
  });
  const count = async (by: "start" | "overlap" | "containment" | "closed", window: string) => {
    bench.provider.fault({ kind: "selection", id: "s", by });
    const ids = await idsOf(bench, `/v1/finops/costs?${window}`);
    return [ids.length, ids.includes("long")];
  };
  const middle = "start=2025-10-02T00:00:00Z&end=2025-10-03T00:00:00Z";
  expect([await count("start", middle), await count("overlap", middle), await count("closed", middle)]).toEqual([[10, false], [11, true], [20, false]]);
  const first = "start=2025-09-30T00:00:00Z&end=2025-10-02T00:00:00Z";
  expect([await count("start", first), await count("containment", first)]).toEqual([[11, true], [10, false]]);
});

test("available_through stands still, goes back, lies in the future, or differs by page", async () => {
  await using bench = await start();
  const through = async (query = COSTS) => (await bench.get(query)).body["available_through"];
  bench.provider.fault({ kind: "available_through", id: "a", instant: "2025-10-03T00:00:00Z" });
  expect(await through()).toBe("2025-10-03T00:00:00Z");
  bench.provider.fault({ kind: "available_through", id: "a", shift: -86_400 });
  expect(await through()).toBe("2025-10-06T00:00:00Z");
  bench.provider.fault({ kind: "available_through", id: "a", shift: 30 * 86_400, when: { page: 2 } });
  const { pages } = await readChain(bench, `${COSTS}&limit=25`, "costs");
  expect(pages.map((page) => page.body["available_through"])).toEqual(["2025-10-07T00:00:00Z", "2025-11-06T00:00:00Z"]);
});

test("a listing that moves while it is read skips and repeats records", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "moving_listing", id: "m", step: 60 });
  const { pages, records } = await readChain(bench, `${COSTS}&limit=20`, "costs");
  expect(pages.map((page) => page.body["as_of"])).toEqual(["2025-10-08T00:00:00Z", "2025-10-08T00:01:00Z", "2025-10-08T00:02:00Z"]);
  expect(new Set(records.map((record) => record["x_RecordId"])).size).toBe(50);
  bench.provider.fault({ kind: "moving_listing", id: "m", shuffle: true });
  const shuffled = await idsOf(bench, `${COSTS}&limit=20`);
  expect([shuffled.length, new Set(shuffled).size < 50]).toEqual([50, true]);
});

test("rules are other: retention trims, the maximum is excluded, the future and unknown parameters are refused", async () => {
  await using bench = await start();
  const early = "/v1/finops/costs?start=2025-09-01T00:00:00Z&end=2025-09-11T00:00:00Z";
  expect(problemOf(await bench.get(early), 400)).toBe("out-of-retention");
  bench.provider.fault({ kind: "retention_trim" });
  recordsOf(await bench.get(early), "costs");
  bench.provider.fault({ kind: "maximum_exclusive" }, { kind: "refuse_future" }, { kind: "refuse_unknown" });
  expect(problemOf(await bench.get(early), 400)).toBe("window-too-large");
  expect(problemOf(await bench.get("/v1/finops/costs?start=2025-10-01T00:00:00Z&end=2025-10-08T00:00:01Z"), 400)).toBe("window-in-future");
  expect(problemOf(await bench.get(`${COSTS}&granularity=1d`), 400)).toBe("unknown-parameter");
});
