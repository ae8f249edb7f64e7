import { request as rawRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { createAccount, loadRealSpend, REAL_SPEND_CAPABILITIES } from "./data.ts";
import { generateAccount } from "./generator/index.ts";
import { ask, expectCapabilities, problemOf, readChain, recordsOf, startBench } from "./testing.ts";

const NOW = "2025-10-08T00:00:00Z";
const COSTS = "/v1/finops/costs";
const USAGE = "/v1/finops/usage";
const WEEK = "start=2025-10-01T00:00:00Z&end=2025-10-08T00:00:00Z";

function startReal(options = {}) {
  return startBench({ accounts: [loadRealSpend()], now: NOW, ...options });
}

function startGenerated(options = {}) {
  const account = generateAccount("generated", {
    costs: 70,
    usage: 70,
    days: 7,
    now: NOW,
    monthly: false,
    late: 0,
  });
  return startBench({ accounts: [account], now: NOW, ...options });
}

test("what is no HTTP request, or has a head that is too long, is a 400", async () => {
  await using bench = await startReal();
  const { port } = new URL(bench.baseUrl);
  const answers = ["garbage\r\n\r\n", `GET / HTTP/1.1\r\nx: ${"y".repeat(20_000)}\r\n\r\n`].map(
    async (text) => {
      let answer = "";
      const socket = connect(Number(port), "127.0.0.1", () => socket.write(text));
      socket.on("error", () => undefined).on("data", (chunk) => (answer += String(chunk)));
      await new Promise((resolve) => socket.once("close", resolve));
      return answer;
    },
  );
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\ncontent-type: application\/problem\+json\r\n/,
    );
    expect(answer).toContain('"type":"/problems/malformed-request"');
  }
});

test("two accounts of one provider have two ids", async () => {
  const accounts = [loadRealSpend(), loadRealSpend()];
  await expect(startBench({ accounts, now: NOW })).rejects.toThrow(
    "two accounts have the id real-spend",
  );
});

test("costs that are offered by the hour only are served", async () => {
  const { usage, costs } = REAL_SPEND_CAPABILITIES.datasets;
  if (costs === undefined) throw new Error("the account has no costs");
  const hourly = { ...costs, granularities: ["1h"] satisfies typeof costs.granularities };
  const datasets = { usage, costs: hourly };
  const account = createAccount("a", { ...REAL_SPEND_CAPABILITIES, datasets });
  await using bench = await startBench({ accounts: [account], now: NOW });
  expect(recordsOf(await bench.get(`${COSTS}?${WEEK}`), "costs")).toEqual([]);
});

test("each malformed parameter is a 400 of its own type", async () => {
  await using bench = await startReal();
  const cases: [string, string][] = [
    [COSTS, "invalid-parameter"],
    [`${COSTS}?start=2025-10-01T00:00:00Z`, "invalid-parameter"],
    [`${COSTS}?start=2025-10-01&end=2025-10-08T00:00:00Z`, "invalid-parameter"],
    [`${COSTS}?start=2025-02-30T00:00:00Z&end=2025-03-08T00:00:00Z`, "invalid-parameter"],
    [`${COSTS}?start=2025-10-01T00:00:00%2B02:00&end=2025-10-08T00:00:00Z`, "invalid-parameter"],
    [`${COSTS}?start=2025-10-01T24:00:00Z&end=2025-10-08T00:00:00Z`, "invalid-parameter"],
    [`${COSTS}?${WEEK}&limit=0`, "invalid-parameter"],
    [`${COSTS}?${WEEK}&limit=1001`, "invalid-parameter"],
    [`${COSTS}?${WEEK}&limit=1e2`, "invalid-parameter"],
    [`${COSTS}?${WEEK}&limit=`, "invalid-parameter"],
    [`${COSTS}?${WEEK}&limit=5&limit=5`, "invalid-parameter"],
    [`${COSTS}?${WEEK}&cursor=`, "invalid-parameter"],
    [`${COSTS}?${WEEK}&cursor=abc`, "cursor-invalid"],
    [`${USAGE}?${WEEK}`, "invalid-parameter"],
    [`${USAGE}?${WEEK}&granularity=1m`, "invalid-parameter"],
    [`${COSTS}?start=2025-10-08T00:00:00Z&end=2025-10-08T00:00:00Z`, "invalid-window"],
    [`${COSTS}?start=2025-10-08T00:00:00Z&end=2025-10-01T00:00:00Z`, "invalid-window"],
    [
      `${USAGE}?start=2025-09-01T00:00:00Z&end=2025-10-02T00:00:01Z&granularity=1d`,
      "window-too-large",
    ],
    [
      `${USAGE}?start=2022-09-01T00:00:00Z&end=2022-09-02T00:00:00Z&granularity=1d`,
      "out-of-retention",
    ],
  ];
  for (const [path, type] of cases)
    expect([path, problemOf(await bench.get(path), 400)]).toEqual([path, type]);
});

test("a window of exactly the maximum, in any spelling of UTC, ending past now, is accepted", async () => {
  await using bench = await startReal();
  for (const window of [
    "start=2025-09-01T00:00:00Z&end=2025-10-02T00:00:00Z",
    "start=2025-10-01t00:00:00.000z&end=2025-10-31T00:00:00%2B00:00",
  ]) {
    recordsOf(await bench.get(`${USAGE}?${window}&granularity=1h`), "usage");
  }
  recordsOf(await bench.get(`${COSTS}?${WEEK}&granularity=1h&unknown=1`), "costs");
});

test("the first instant of retention is inside, one second before it is not", async () => {
  await using bench = await startGenerated();
  bench.provider.clock.set(Date.parse("2025-10-08T00:00:00Z"));
  recordsOf(
    await bench.get(`${COSTS}?start=2024-09-03T00:00:00Z&end=2024-09-04T00:00:00Z`),
    "costs",
  );
  const early = await bench.get(`${COSTS}?start=2024-09-02T23:59:59Z&end=2024-09-04T00:00:00Z`);
  expect(problemOf(early, 400)).toBe("out-of-retention");
});

test("only GET at known addresses is answered", async () => {
  await using bench = await startReal();
  const post = await fetch(`${bench.baseUrl}${COSTS}`, { method: "POST", body: "{}" });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET"]);
  for (const path of [
    "/",
    "/v1/finops",
    `${COSTS}/`,
    "/v1/finops/../finops/usages",
    "/v1/%zz",
    "//v1/finops/usage",
  ]) {
    const status = await new Promise((resolve, reject) => {
      rawRequest(bench.baseUrl, { path }, (response) => {
        response.resume();
        resolve([response.statusCode, response.headers["content-type"]]);
      })
        .on("error", reject)
        .end();
    });
    expect([path, status]).toEqual([path, [404, "application/problem+json"]]);
  }
});

test("without a credential the challenge has no error code, with a wrong one it is invalid_token", async () => {
  await using bench = await startReal();
  const url = `${bench.baseUrl}/v1/finops/capabilities`;
  const none = await ask(url, {});
  expect(problemOf(none, 401)).toBe("unauthorized");
  expect(none.headers.get("www-authenticate")).not.toContain("error");
  for (const authorization of ["Bearer wrong", "bearer ", "Bearer a b"]) {
    const wrong = await ask(url, { authorization });
    expect(problemOf(wrong, 401)).toBe("unauthorized");
    expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"');
  }
  expect(
    (await ask(url, { authorization: "Basic abc" })).headers.get("www-authenticate"),
  ).not.toContain("error");
  expectCapabilities(await ask(url, { authorization: `bearer ${bench.token}` }));
});

test("each operation needs its scopes, capabilities both of two", async () => {
  await using bench = await startReal();
  const account = bench.provider.issueToken({ scopes: ["billing.account.read"] });
  const usage = bench.provider.issueToken({
    scopes: ["billing.account.read", "billing.usage.read"],
  });
  const costs = bench.provider.issueToken({ scopes: ["billing.cost.read"] });
  const paths = ["/v1/finops/capabilities", `${USAGE}?${WEEK}&granularity=1d`, `${COSTS}?${WEEK}`];
  const statuses = [];
  for (const { token } of [account, usage, costs]) {
    for (const path of paths) {
      const answered = await ask(`${bench.baseUrl}${path}`, { authorization: `Bearer ${token}` });
      if (answered.status === 403) {
        expect(problemOf(answered, 403)).toBe("insufficient-scope");
        expect(answered.headers.get("www-authenticate")).toContain(
          'error="insufficient_scope", scope="billing.',
        );
      }
      statuses.push(answered.status);
    }
  }
  expect(statuses).toEqual([403, 403, 403, 200, 200, 403, 403, 403, 200]);
});

test("a token expires by the provider's clock, and can be revoked", async () => {
  await using bench = await startReal();
  const { token, id } = bench.provider.issueToken({ expiresAt: Date.parse(NOW) + 1000 });
  const get = () =>
    ask(`${bench.baseUrl}/v1/finops/capabilities`, { authorization: `Bearer ${token}` });
  expectCapabilities(await get());
  bench.provider.clock.advance(1000);
  expect(problemOf(await get(), 401)).toBe("unauthorized");
  expect([bench.provider.revokeToken(id), bench.provider.revokeToken(id)]).toEqual([true, false]);
});

test("two accounts are offered different things, and see only their own", async () => {
  const { costs: _, ...datasets } = REAL_SPEND_CAPABILITIES.datasets;
  const usage = { ...datasets.usage, granularities: ["1d"] as ["1d"], retention_days: 5 };
  const small = createAccount("small", { ...REAL_SPEND_CAPABILITIES, datasets: { usage } });
  await using bench = await startBench({ accounts: [loadRealSpend(), small], now: NOW });
  const { token } = bench.provider.issueToken({ account: "small" });
  const get = (path: string) =>
    ask(`${bench.baseUrl}${path}`, { authorization: `Bearer ${token}` });
  const capabilities = await get("/v1/finops/capabilities");
  expectCapabilities(capabilities);
  expect(Object.keys(Object(capabilities.body["datasets"]))).toEqual(["usage"]);
  expect(problemOf(await get(`${COSTS}?${WEEK}`), 400)).toBe("unsupported-dataset");
  expect(problemOf(await get(`${USAGE}?${WEEK}&granularity=1h`), 400)).toBe(
    "unsupported-granularity",
  );
  expect(problemOf(await get(`${USAGE}?${WEEK}&granularity=1d`), 400)).toBe("out-of-retention");
  const window = "start=2025-10-03T00:00:00Z&end=2025-10-08T00:00:00Z";
  expect(recordsOf(await get(`${USAGE}?${window}&granularity=1d`), "usage")).toEqual([]);
  const page = await bench.get(`${COSTS}?${WEEK}&limit=1`);
  const cursor = encodeURIComponent(String(page.body["next_cursor"]));
  bench.provider.accounts.get("small");
  expect(problemOf(await get(`${USAGE}?${window}&granularity=1d&cursor=${cursor}`), 400)).toBe(
    "cursor-mismatch",
  );
});

test("a cursor is bound to its query, and expires", async () => {
  await using bench = await startGenerated();
  const page = await bench.get(`${COSTS}?${WEEK}&limit=10`);
  const cursor = `cursor=${encodeURIComponent(String(page.body["next_cursor"]))}`;
  expect(recordsOf(await bench.get(`${COSTS}?${WEEK}&limit=10&${cursor}`), "costs")).toHaveLength(
    10,
  );
  for (const other of [
    `${COSTS}?${WEEK}&limit=11`,
    `${COSTS}?${WEEK}`,
    `${COSTS}?start=2025-10-02T00:00:00Z&end=2025-10-08T00:00:00Z&limit=10`,
    `${USAGE}?${WEEK}&limit=10&granularity=1d`,
  ]) {
    expect(problemOf(await bench.get(`${other}&${cursor}`), 400)).toBe("cursor-mismatch");
  }
  expect(problemOf(await bench.get(`${COSTS}?${WEEK}&limit=10&${cursor}x`), 400)).toBe(
    "cursor-invalid",
  );
  bench.provider.clock.advance(15 * 60_000);
  expect(problemOf(await bench.get(`${COSTS}?${WEEK}&limit=10&${cursor}`), 400)).toBe(
    "cursor-expired",
  );
});

test("a chain shows the snapshot of its first page, though the clock moves on", async () => {
  await using bench = await startGenerated();
  const query = `${COSTS}?${WEEK}&limit=30`;
  const before = await readChain(bench, query, "costs");
  const first = await bench.get(query);
  bench.provider.clock.advance(14 * 60_000);
  const second = await bench.get(
    `${query}&cursor=${encodeURIComponent(String(first.body["next_cursor"]))}`,
  );
  expect([...recordsOf(first, "costs"), ...recordsOf(second, "costs")]).toEqual(
    before.records.slice(0, 60),
  );
  expect(second.body["as_of"]).toBe(NOW);
});

test("the last page has a null cursor, even where it is just full", async () => {
  await using bench = await startGenerated();
  const { records } = await readChain(bench, `${COSTS}?${WEEK}`, "costs");
  const page = await bench.get(`${COSTS}?${WEEK}&limit=${records.length}`);
  expect(page.body["next_cursor"]).toBeNull();
  expect(
    (await readChain(bench, `${COSTS}?${WEEK}&limit=${records.length / 2}`, "costs")).pages,
  ).toHaveLength(2);
});

test("a large page is gzipped for who accepts it", async () => {
  await using bench = await startGenerated();
  const zipped = await bench.get(`${COSTS}?${WEEK}`, { "accept-encoding": "br;q=1, gzip" });
  const plain = await bench.get(`${COSTS}?${WEEK}`, { "accept-encoding": "gzip;q=0" });
  expect([zipped.headers.get("content-encoding"), plain.headers.get("content-encoding")]).toEqual([
    "gzip",
    null,
  ]);
  expect(zipped.text).toBe(plain.text);
});

test("beyond the rate limit is a 429 with the seconds to wait, which pass in real time", async () => {
  let time = 0;
  await using bench = await startGenerated({ rateLimit: 2, time: () => time });
  const get = () => bench.get(`${COSTS}?${WEEK}`);
  recordsOf(await get(), "costs");
  time = 20_000;
  recordsOf(await get(), "costs");
  const limited = await get();
  expect(problemOf(limited, 429)).toBe("rate-limited");
  expect(limited.headers.get("retry-after")).toBe("40");
  time = 60_000;
  recordsOf(await get(), "costs");
});
