import { expect, test } from "vitest";
import { ask, problemOf, recordsOf } from "../testing.ts";
import { CAPABILITIES, COSTS, USAGE, raw, start } from "./testing.ts";

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
  expect([await status(CAPABILITIES), await status(USAGE), await status(USAGE)]).toEqual([
    200, 501, 200,
  ]);
  const asSecond = async () =>
    (await ask(`${bench.baseUrl}${COSTS}`, { authorization: `Bearer ${token}` })).status;
  expect([await asSecond(), await asSecond()]).toEqual([200, 502]);
  const hourly = USAGE.replace("1d", "1h");
  expect([await status(hourly), await status(hourly), await status(hourly)]).toEqual([
    200, 503, 200,
  ]);
  expect(await status(COSTS.replace("10-01", "10-02"))).toBe(504);
  expect(bench.provider.faults.list().map(({ struck }) => struck)).toEqual([1, 1, 1, 1, 1, 0]);
});

test("a fault is replaced by one of the same id, and cleared by it", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "status", id: "a", status: 500 });
  bench.provider.fault(
    { kind: "status", id: "a", status: 502 },
    { kind: "latency", milliseconds: 1 },
  );
  expect((await bench.get(COSTS)).status).toBe(502);
  bench.provider.faults.clear("a");
  expect((await bench.get(COSTS)).status).toBe(200);
  expect(bench.provider.requests().map(({ faults }) => faults)).toEqual([
    ["status", "latency"],
    ["latency"],
  ]);
});

test("429 carries any Retry-After", async () => {
  await using bench = await start();
  for (const text of [
    "0",
    "-1",
    "1.5",
    "99999999",
    "Wed, 08 Oct 2025 00:00:07 GMT",
    "Wednesday, 08-Oct-25 00:00:07 GMT",
    "soon",
  ]) {
    bench.provider.fault({ kind: "rate_limited", id: "limit", retry_after: text });
    const answered = await bench.get(COSTS);
    expect([problemOf(answered, 429), answered.headers.get("retry-after")]).toEqual([
      "rate-limited",
      text,
    ]);
  }
});

test("a status comes as problem document, HTML or nothing, with headers", async () => {
  await using bench = await start();
  bench.provider.fault({
    kind: "status",
    id: "s",
    status: 503,
    detail: "later",
    headers: { "retry-after": "1" },
  });
  const problem = await bench.get(COSTS);
  expect([problemOf(problem, 503), problem.headers.get("retry-after")]).toEqual(["injected", "1"]);
  bench.provider.fault({ kind: "status", id: "s", status: 502, body: "html" });
  expect((await bench.get(COSTS)).text).toContain("<!doctype html>");
  bench.provider.fault({ kind: "status", id: "s", status: 500, body: "empty" });
  expect((await bench.get(COSTS)).text).toBe("");
});

test("a token expires at a page, and costs alone are forbidden", async () => {
  await using bench = await start();
  bench.provider.fault(
    { kind: "unauthorized", when: { page: 2, times: 1 } },
    { kind: "forbidden", when: { operation: "costs" } },
  );
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
  for (const [kind, type] of [
    ["cursor_expired", "cursor-expired"],
    ["cursor_refused", "cursor-invalid"],
  ] as const) {
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
  expect(await raw(bench, COSTS, 50)).toMatchObject({ status: 0, error: "silence" });
  bench.provider.fault({ kind: "stall", id: "s", at: "body" });
  const body = await raw(bench, COSTS, 500);
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
  expect([cut.error, cut.headers["content-encoding"], String(cut.bytes.length)]).toEqual([
    null,
    "gzip",
    cut.headers["content-length"],
  ]);
  await expect(bench.get(COSTS)).rejects.toThrow();
});

test("bodies are HTML with status 200, of another content type, begin with a BOM, or are no JSON", async () => {
  await using bench = await start();
  const body = async (kind: "html" | "bom" | "invalid_json") => {
    bench.provider.faults.clear();
    bench.provider.fault({ kind });
    return raw(bench, COSTS);
  };
  expect(await body("html")).toMatchObject({
    status: 200,
    headers: { "content-type": "text/html" },
    error: null,
  });
  expect((await body("bom")).bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
  const { bytes } = await body("invalid_json");
  expect(() => JSON.parse(bytes.toString())).toThrow(SyntaxError);
  bench.provider.faults.clear();
  bench.provider.fault({ kind: "content_type", value: "text/plain" });
  expect((await raw(bench, COSTS)).headers["content-type"]).toBe("text/plain");
});
