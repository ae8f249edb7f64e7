import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScript } from "../bin/process.ts";
import { loadDirectory, loadRealSpend, REAL_SPEND_CAPABILITIES } from "./data.ts";
import { formatLife, parseLife } from "./lives.ts";
import { isObject } from "./model.ts";
import { MAIN, startProcess } from "./process.ts";
import { ask, problemOf, recordsOf, startBench } from "./testing.ts";
import type { Bench } from "./testing.ts";

const NOW = "2025-10-05T00:00:00Z";
const COSTS = "/v1/finops/costs?start=2025-10-01T00:00:00Z&end=2025-10-05T00:00:00Z";

function start() {
  return startBench({ accounts: [loadRealSpend()], now: NOW, control: true, basePath: "/billing" });
}

async function control(
  bench: Bench,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { "content-type": "application/json" };
  const init = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const response = await fetch(new URL(path, bench.baseUrl), init);
  const answer: unknown = await response.json();
  return { status: response.status, body: isObject(answer) ? answer : {} };
}

test("the clock is set and moved", async () => {
  await using bench = await start();
  expect((await control(bench, "/control/clock", { advance: 3600 })).body).toEqual({
    now: "2025-10-05T01:00:00Z",
  });
  expect((await control(bench, "/control/clock", { set: "2025-10-06T00:00:00.5Z" })).body).toEqual({
    now: "2025-10-06T00:00:00.500Z",
  });
  expect((await control(bench, "/control/clock")).body).toEqual({
    now: "2025-10-06T00:00:00.500Z",
  });
});

test("a clock that would leave the years of RFC 3339 stays as it is", async () => {
  await using bench = await start();
  for (const advance of [1e18, -1e18])
    expect((await control(bench, "/control/clock", { advance })).status).toBe(400);
  expect((await control(bench, "/control/clock")).body).toEqual({ now: NOW });
  expect((await bench.get("/v1/finops/capabilities")).status).toBe(200);
});

test.each([
  ["application/json", 400],
  ["application/xml", 415],
])("a body of %s that is no JSON is the caller's fault", async (type, status) => {
  await using bench = await start();
  const address = new URL("/control/clock", bench.baseUrl);
  const headers = { "content-type": type };
  const response = await fetch(address, { method: "POST", headers, body: "{" });
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ type: "/problems/control", status });
});

test("totals say what is true now, at another instant, and of some days", async () => {
  await using bench = await start();
  const now = await control(
    bench,
    "/control/totals?start=2025-10-01T00:00:00Z&end=2025-11-01T00:00:00Z",
  );
  expect(now.body).toMatchObject({
    account: "real-spend",
    at: NOW,
    usage: { "1d": { rows: 6 } },
    costs: {
      rows: 2,
      currencies: [{ currency: "USD", rows: 2, billed_cost: "2.2045", effective_cost: "2.2045" }],
      totals: [{ currency: "USD", status: "provisional", rows: 2, billed_cost: "2.2045" }],
      days: [
        {
          day: "2025-10-03",
          currency: "USD",
          status: "provisional",
          rows: 2,
          billed_cost: "2.2045",
        },
      ],
    },
  });
  const later = await control(bench, "/control/totals?at=2025-10-08T00:00:00Z");
  expect(later.body["costs"]).toMatchObject({
    totals: [{ status: "final", rows: 95, billed_cost: "1724.2103" }],
  });
});

test("records are added, restated and withdrawn", async () => {
  await using bench = await start();
  const [record] = recordsOf(await bench.get(COSTS), "costs");
  const life = { record: { ...record, x_RecordId: "new" }, visible_from: NOW };
  expect(
    (await control(bench, "/control/records", { dataset: "costs", lives: [life] })).body,
  ).toEqual({ changed: 1 });
  await control(bench, "/control/records", {
    dataset: "costs",
    restate: "new",
    at: "2025-10-05T01:00:00Z",
    changes: { BilledCost: "7" },
  });
  bench.provider.clock.advance(3_600_000);
  const restated = recordsOf(await bench.get(COSTS), "costs").find(
    (found) => found["x_RecordId"] === "new",
  );
  expect(restated).toMatchObject({ BilledCost: "7", x_RecordUpdatedAt: "2025-10-05T01:00:00Z" });
  await control(bench, "/control/records", { dataset: "costs", withdraw: "new" });
  expect(recordsOf(await bench.get(COSTS), "costs")).toHaveLength(2);
});

test("tokens are issued and revoked, capabilities replaced", async () => {
  await using bench = await start();
  const { body } = await control(bench, "/control/tokens", {
    id: "narrow",
    scopes: ["billing.usage.read"],
  });
  const headers = { authorization: `Bearer ${String(body["access_token"])}` };
  expect(problemOf(await ask(`${bench.baseUrl}${COSTS}`, headers), 403)).toBe("insufficient-scope");
  expect((await control(bench, "/control/tokens", { revoke: "narrow" })).body).toEqual({
    revoked: true,
  });
  expect(problemOf(await ask(`${bench.baseUrl}${COSTS}`, headers), 401)).toBe("unauthorized");
  const { costs: _, ...datasets } = REAL_SPEND_CAPABILITIES.datasets;
  await control(bench, "/control/capabilities", {
    capabilities: { ...REAL_SPEND_CAPABILITIES, datasets },
  });
  expect(problemOf(await bench.get(COSTS), 400)).toBe("unsupported-dataset");
});

test("faults are set, listed and cleared; requests are logged without their token", async () => {
  await using bench = await start();
  const set = { kind: "status", status: 503, when: { times: 1 } };
  expect((await control(bench, "/control/faults", { set })).body).toEqual({ ids: ["fault-1"] });
  expect((await bench.get(COSTS)).status).toBe(503);
  expect((await bench.get(COSTS)).status).toBe(200);
  expect((await control(bench, "/control/faults")).body).toMatchObject({
    faults: [{ id: "fault-1", matched: 2, struck: 1 }],
  });
  expect((await control(bench, "/control/faults", { clear: true })).body).toEqual({ ids: [] });
  const log = (await control(bench, "/control/requests?since=1")).body;
  expect(log["requests"]).toMatchObject([
    {
      number: 2,
      method: "GET",
      path: "/billing/v1/finops/costs",
      token: "ready",
      status: 200,
      faults: [],
    },
  ]);
  expect(JSON.stringify(log)).not.toContain(bench.token);
});

test("mistakes at the control are named", async () => {
  await using bench = await start();
  const cases: [string, unknown, string][] = [
    ["/control/clock", { set: "2025-02-30T00:00:00Z" }, "RFC 3339"],
    ["/control/clock", { advance: "1" }, "expected number"],
    ["/control/faults", { set: { kind: "nonsense" } }, "kind"],
    ["/control/faults", { set: { kind: "status" } }, "status"],
    ["/control/records", { dataset: "costs", restate: "nobody", changes: {} }, "nobody"],
    [
      "/control/records",
      { dataset: "costs", lives: [{ record: {}, visible_from: NOW }] },
      "required property",
    ],
    ["/control/capabilities", { capabilities: {} }, "required property"],
  ];
  for (const [path, body, words] of cases) {
    const answered = await control(bench, path, body);
    expect([answered.status, String(answered.body["detail"])]).toEqual([
      400,
      expect.stringContaining(words),
    ]);
  }
});

test("without the option there is no control", async () => {
  await using bench = await startBench({ accounts: [loadRealSpend()], now: NOW });
  expect(problemOf(await ask(`${bench.baseUrl}/control/totals`, {}), 404)).toBe("not-found");
});

test("a directory of files is an account; a life reads as it is written; mistakes name file and line", async () => {
  const directory = mkdtempSync(join(tmpdir(), "reference-provider-"));
  try {
    await using bench = await start();
    const [record] = recordsOf(await bench.get(COSTS), "costs");
    const line = {
      record,
      visible_from: NOW,
      restated: [{ at: "2025-10-06T00:00:00Z", changes: { BilledCost: "2" } }],
      finalized: { at: "2025-10-07T00:00:00Z" },
      withdrawn_at: "2025-10-09T00:00:00Z",
    };
    expect(parseLife(formatLife(parseLife(line)))).toEqual(parseLife(line));
    writeFileSync(join(directory, "capabilities.json"), JSON.stringify(REAL_SPEND_CAPABILITIES));
    writeFileSync(join(directory, "costs.jsonl"), `${JSON.stringify(line)}\n\n`);
    await using other = await startBench({
      accounts: [await loadDirectory("dir", directory)],
      now: "2025-10-07T00:00:00Z",
    });
    expect(recordsOf(await other.get(COSTS), "costs")).toMatchObject([
      { BilledCost: "2", x_CostStatus: "final", x_RecordUpdatedAt: "2025-10-07T00:00:00Z" },
    ]);
    writeFileSync(join(directory, "costs.jsonl"), `${JSON.stringify(line)}\n{"record":{}}\n`);
    await expect(loadDirectory("dir", directory)).rejects.toThrow(/costs\.jsonl:2: visible_from/);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test("the process prints one line of JSON, serves, and stops at SIGTERM", async () => {
  const generate = ["--generate", "usage=10,costs=10,days=3"];
  const { greeting, stop } = await startProcess("--control", "--now", NOW, ...generate);
  try {
    expect(Object.keys(greeting)).toEqual(["base_url", "access_token"]);
    const answered = await ask(`${String(greeting["base_url"])}/v1/finops/capabilities`, {
      authorization: `Bearer ${String(greeting["access_token"])}`,
    });
    expect(answered.status).toBe(200);
  } finally {
    expect(await stop()).toEqual({ code: 0, signal: null });
  }
}, 30_000);

test.each([
  { name: "provider", as: [] },
  { name: "fake", as: ["--as", "openai"] },
])(
  "a port that another process has is named, with the remedy: the $name",
  async ({ as }) => {
    await using bench = await start();
    const { port } = new URL(bench.baseUrl);
    await expect(startProcess(...as, "--port", port)).rejects.toThrow(
      `reference provider: port ${port} is in use by another process: choose another one with --port`,
    );
  },
  30_000,
);

test("a mistake on the command line is one line on stderr and exit code 1", async () => {
  const cases = [
    ["--port=x", "--port must be"],
    ["--now=yesterday", "no RFC 3339 instant"],
    ["--as=openai --oauth", "--as does not take --oauth"],
    ["--token-seconds=10", "--token-seconds needs --oauth"],
    ["--nonsense", "nonsense"],
    ["--data=/nowhere", "/nowhere"],
    ["--port=0 --oauth --redirect-uri=nonsense", "redirect_uris"],
    ["--port=0 --tls --host=::1", "is no name and no IPv4 address"],
  ] as const;
  const said = cases.map(async ([option]) => {
    const { child, ended } = startScript(MAIN, option.split(" "), {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const chunks: Buffer[] = [];
    child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const { code } = await ended;
    return [code, Buffer.concat(chunks).toString()];
  });
  const expected = cases.map(([, words]) => [1, expect.stringContaining(words)]);
  expect(await Promise.all(said)).toEqual(expected);
}, 30_000);

test("the README names every kind of problem and of fault", async () => {
  const readme = readFileSync(new URL("README.md", import.meta.url), "utf8");
  const { PROBLEMS } = await import("./problems.ts");
  const { faultSchema } = await import("./faults/schema.ts");
  const kinds = faultSchema.options.map((option) => option.shape.kind.value);
  for (const name of [...Object.keys(PROBLEMS), ...kinds]) expect(readme).toContain(`\`${name}\``);
});

test.each(["mallory.example", "127.0.0.1.mallory.example", "mallory.example:80", "@"])(
  "a request for the host %j is refused: a web page may have sent it",
  async (host) => {
    await using bench = await start();
    const { port } = new URL(bench.baseUrl);
    for (const path of ["/control/clock", "/control/requests", "/control/oauth"]) {
      expect(await statusOf({ port, path, host })).toBe(403);
    }
    expect(await statusOf({ port, path: "/control/clock", host: `localhost:${port}` })).toBe(200);
    expect(await statusOf({ port, path: "/control/clock", host: "[::1]" })).toBe(200);
  },
);

/** The status of a GET with a `Host` header of its own, which fetch does not allow. */
function statusOf(target: { port: string; path: string; host: string }): Promise<number> {
  const { port, path, host } = target;
  return new Promise((resolve, reject) => {
    const request = get({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject);
  });
}
