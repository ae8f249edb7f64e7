/** How paging can lose or repeat money: scenarios paging-1 to paging-24 (see README.md). */
import { once } from "node:events";
import { createServer } from "node:http";
import { expect, test } from "vitest";
import type { FaultInput } from "../reference_provider/faults/schema.ts";
import { catalogOf } from "./support/config.ts";
import { Customer } from "./support/customer.ts";
import { read, type Run } from "./support/connector.ts";
import { expectCurrentSums, expectEqualSums, serve, type Served } from "./support/provider.ts";
import { cost, daily, usage, world } from "./support/world.ts";

const FIRST = "2026-03-01";
const NOW = "2026-03-21T06:00:00Z";
/** Settings for one window of many pages. No other reading could heal a mistake. */
const plain = { start_date: FIRST, reconcile_days: 0, page_size: 1, concurrency: 1 };
const onUsage = { operation: "usage" } as const;

const open = () =>
  serve(world({ usage: daily(usage, "u", FIRST, 20), costs: daily(cost, "c", FIRST, 20) }), NOW);

/** Checks that usage failed by the provider's fault while costs were read, and that a later sync succeeds. */
async function expectFailedThenMended(
  served: Served,
  customer: Customer,
  run: Run,
  message: RegExp,
): Promise<void> {
  expect(run.code).toBe(1);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["system_error"]);
  expect(run.errors[0]?.stream_descriptor).toEqual({ name: "usage" });
  expect(run.errors[0]?.message).toMatch(message);
  expect(run.statuses("usage").at(-1)).toBe("INCOMPLETE");
  expect(run.statuses("costs").at(-1)).toBe("COMPLETE");
  await served.faults();
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
}

test("paging-1: every cursor goes with the query of its first page, whatever the time", async () => {
  await using served = await open();
  const customer = new Customer(served, plain);
  await served.faults({ kind: "refuse_unknown" });
  await customer.sync();
  expect((await served.requests()).filter(({ status }) => status !== 200)).toEqual([]);
  const followed = (await served.requests("usage")).filter(({ query }) => "cursor" in query);
  expect(followed.length).toBeGreaterThan(5);
  await expectEqualSums(served, customer.warehouse);
});

test("paging-2 paging-17: a listing that moves while it is read is marked, and is right after the next sync", async () => {
  await using served = await open();
  const customer = new Customer(served, { ...plain, lookback_days: 25 });
  await served.faults({ kind: "moving_listing", step: 60, shuffle: true, when: onUsage });
  await customer.sync();
  const moved = customer.warehouse.windows.filter((row) => row["moved"] === true);
  expect(new Set(moved.map((row) => row["dataset"]))).toEqual(new Set(["usage"]));
  await served.faults();
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
  await expectCurrentSums(served, customer.warehouse);
});

test("paging-2: a row that slips in front of the page being read is there after the same or the next sync", async () => {
  await using served = await open();
  const customer = new Customer(served, { ...plain, lookback_days: 25 });
  await served.faults(
    { kind: "moving_listing", step: 3600, when: onUsage },
    { kind: "latency", milliseconds: 5 },
  );
  await served.change({
    dataset: "usage",
    lives: [usage("slips-in", FIRST, "99", { visible_from: "2026-03-21T06:30:00Z" })],
  });
  await customer.sync();
  await served.faults();
  await served.set("2026-03-21T12:00:00Z");
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("paging-3: the smallest available_through of a window's pages holds", async () => {
  await using served = await open();
  const customer = new Customer(served, plain);
  const frozen = { kind: "available_through", instant: "2026-03-04T00:00:00Z" } as const;
  await served.faults({ ...frozen, when: { ...onUsage, page: 2 } });
  await customer.sync();
  expect(Date.parse(customer.position("usage"))).toBeLessThanOrEqual(Date.parse(frozen.instant));
  expect(customer.position("costs")).toBe("2026-03-20T00:00:00Z");
});

test.each<[string, FaultInput]>([
  ["paging-4: short pages go on", { kind: "short_page", records: 1 }],
  ["paging-5: five empty pages in a row go on", { kind: "empty_page", when: { page: [2, 6] } }],
  ["paging-12: a cursor of special characters comes back as it was", { kind: "cursor_text" }],
  ["paging-13: pages longer than asked for are kept whole", { kind: "long_page", extra: 3 }],
  [
    "paging-15: records twice on a page count once",
    { kind: "duplicate", on: "same_page", records: 1 },
  ],
  [
    "paging-15: records again on the next page count once",
    { kind: "duplicate", on: "next_page", records: 1 },
  ],
])("%s", async (_, fault) => {
  await using served = await open();
  const customer = new Customer(served, { ...plain, page_size: 3 });
  await served.faults(fault);
  const run = await customer.sync();
  await expectEqualSums(served, customer.warehouse);
  expect(run.records("usage")).toHaveLength(20);
  const warned = run.logs.filter((line) => line.includes("at most 3 were requested"));
  expect(warned.length > 0).toBe(fault.kind === "long_page");
});

test.each<[string, FaultInput, RegExp]>([
  [
    "paging-6: a cursor that is the one just sent",
    { kind: "next_cursor", value: "same", when: { ...onUsage, page: 3 } },
    /just sent/,
  ],
  [
    "paging-7: a circle of two cursors",
    { kind: "next_cursor", value: "cycle", length: 2, when: { ...onUsage, page: 3 } },
    /seen before/,
  ],
  [
    "paging-7: a circle of three cursors",
    { kind: "next_cursor", value: "cycle", length: 3, when: { ...onUsage, page: 4 } },
    /seen before/,
  ],
  [
    "paging-8: an empty cursor",
    { kind: "next_cursor", value: "empty", when: { ...onUsage, page: 2 } },
    /next_cursor/,
  ],
  [
    "paging-9: a missing cursor",
    { kind: "next_cursor", value: "missing", when: { ...onUsage, page: 2 } },
    /next_cursor/,
  ],
  ["a page without data", { kind: "page", drop: ["data"], when: { ...onUsage, page: 2 } }, /data/],
  [
    "data that is no list",
    { kind: "page", set: { data: {} }, when: { ...onUsage, page: 2 } },
    /data/,
  ],
])("%s is the provider's fault, never the end of the data", async (_, fault, message) => {
  await using served = await open();
  const customer = new Customer(served, plain);
  await served.faults(fault);
  const run = await customer.attempt();
  expect(Date.parse(customer.position("usage"))).toBeLessThan(Date.parse("2026-03-20"));
  await expectFailedThenMended(served, customer, run, message);
});

test("paging-10: a cursor that expires once restarts its window, and no row comes twice", async () => {
  await using served = await open();
  const customer = new Customer(served, plain);
  await served.faults({ kind: "cursor_expired", when: { ...onUsage, nth: 2 } });
  const run = await customer.sync();
  expect(run.records("usage")).toHaveLength(20);
  expect(run.logs.filter((line) => line.includes("no longer accepts the cursor"))).toHaveLength(1);
  await expectEqualSums(served, customer.warehouse);
});

test("paging-10: cursors that always expire are an error after two restarts, and what was read is kept", async () => {
  await using served = await open();
  const customer = new Customer(served, plain);
  await served.faults({ kind: "cursor_expired", when: onUsage });
  const run = await customer.attempt();
  // The first page of the first window, three times over; the others were not begun.
  expect((await served.requests("usage")).length).toBeLessThan(10);
  await expectFailedThenMended(served, customer, run, /no longer accepts the cursor/);
});

test("paging-11: a cursor in the state that the provider has forgotten restarts its window", async () => {
  const account = world({ usage: daily(usage, "u", FIRST, 20) });
  await using served = await serve(account, NOW, { cursorLifetime: 60 });
  const customer = new Customer(served, plain);
  await served.faults({ kind: "status", status: 404, when: { ...onUsage, after: 3 } });
  await customer.attempt();
  await served.faults();
  await served.advance(120);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("paging-16: two versions of a record with one x_RecordUpdatedAt are both passed on, with a warning", async () => {
  await using served = await open();
  const set = { ConsumedQuantity: "77.7" };
  await served.faults({
    kind: "duplicate",
    on: "same_page",
    set,
    when: { ...onUsage, page: 1, start: "2026-03-01T00:00:00Z" },
  });
  const run = await read(served.config({ ...plain, page_size: 3 }));
  expect(run.code).toBe(0);
  const both = run.records("usage").filter((row) => row["x_RecordId"] === "u-1");
  expect(both.map((row) => row["ConsumedQuantity"])).toEqual(["1.01", "77.7"]);
  expect(run.logs.filter((line) => /WARN.*"u-1" came twice/.test(line))).toHaveLength(1);
});

test("paging-18: a process killed outright at any page goes on and loses nothing", async () => {
  await using served = await open();
  for (let page = 1; page <= 6; page += 1) {
    const customer = new Customer(served, plain);
    await served.faults({ kind: "latency", milliseconds: 25 });
    const reading = customer.start({ catalog: catalogOf() });
    let records = 0;
    await reading.running.until(({ record }) => record !== undefined && ++records >= page * 2);
    await reading.running.kill("SIGKILL");
    customer.take(await reading.judged(true));
    await served.faults();
    await customer.sync();
    await expectEqualSums(served, customer.warehouse);
  }
});

test.each<[string, FaultInput]>([
  ["paging-19: a truncated body", { kind: "truncated" }],
  ["paging-19: a gzip stream cut short", { kind: "gzip_cut" }],
  ["paging-19: HTML with status 200", { kind: "html" }],
  ["paging-19: another content type", { kind: "content_type", value: "text/plain" }],
  ["paging-19: half a JSON document", { kind: "invalid_json" }],
  ["paging-20: a 503", { kind: "status", status: 503 }],
  ["paging-20: a 500 with a web page", { kind: "status", status: 500, body: "html" }],
  ["paging-20: a reset before the headers", { kind: "reset", at: "before_headers" }],
  ["paging-20: a reset after the headers", { kind: "reset", at: "after_headers" }],
  ["paging-20: a reset inside the body", { kind: "reset", at: "mid_body" }],
])("%s is asked for again, and no row is lost or twice", async (_, fault) => {
  await using served = await open();
  const customer = new Customer(served, plain);
  await served.faults({ ...fault, when: { ...onUsage, nth: 3, times: 1 } });
  const run = await customer.sync();
  expect(run.records("usage")).toHaveLength(20);
  expect(run.logs.filter((line) => line.startsWith("WARN"))).not.toEqual([]);
  await expectEqualSums(served, customer.warehouse);
});

test("paging-21: a token that expires at the third page is a config error; a new one goes on without loss or repeats", async () => {
  await using served = await open();
  const customer = new Customer(served, plain);
  await served.faults({ kind: "unauthorized", when: { ...onUsage, after: 2 } });
  const first = await customer.attempt();
  expect(first.errors.map(({ failure_type: type }) => type)).toEqual(["config_error"]);
  const before = first.records("usage").length;
  expect(before).toBeGreaterThan(0);
  await served.faults();
  const second = await customer.sync();
  expect(before + second.records("usage").length).toBe(20);
  await expectEqualSums(served, customer.warehouse);
});

test("paging-22: a 403 on costs alone is a config error of costs, not an empty stream", async () => {
  await using served = await open();
  const customer = new Customer(served, plain);
  await served.faults({ kind: "forbidden", when: { operation: "costs" } });
  const run = await customer.attempt();
  expect(run.code).toBe(1);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["config_error"]);
  expect(run.statuses("usage").at(-1)).toBe("COMPLETE");
  expect(run.statuses("costs").at(-1)).toBe("INCOMPLETE");
  expect(customer.position("costs")).toBe("2026-03-01T00:00:00Z");
  await served.faults();
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("paging-23: a redirect to another host is not followed, and the token not shown there", async () => {
  const asked: (string | undefined)[] = [];
  const other = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.end("{}");
  });
  await once(other.listen(0, "127.0.0.1"), "listening");
  const address = other.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  try {
    await using served = await open();
    const location = `http://127.0.0.1:${address.port}/v1/finops/usage`;
    await served.faults({ kind: "redirect", location, when: onUsage });
    const run = await read(served.config(plain));
    expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["system_error"]);
    await served.faults({ kind: "redirect", location });
    const first = await read(served.config(plain));
    expect(first.errors.map(({ failure_type: type }) => type)).toEqual(["config_error"]);
    expect(asked).toEqual([]);
  } finally {
    other.close();
  }
});

test.each([
  "//evil.example/v1/",
  "/v1/../../x",
  "/v1/%2e%2e/x",
  "/v1/x?y=1",
  "/v1/x#y",
  "/v1/\\evil.example",
])("paging-24: the endpoint %s is refused and nothing is sent there", async (endpoint) => {
  await using served = await open();
  await served.faults({ kind: "capabilities", set: { "/datasets/usage/endpoint": endpoint } });
  const run = await read(served.config(plain));
  expect(run.code).toBe(1);
  expect(run.errors[0]?.failure_type).toBe("system_error");
  const paths = new Set((await served.requests()).map(({ path }) => path));
  expect([...paths].filter((path) => !/^\/v1\/finops\/(capabilities|costs)$/.test(path))).toEqual(
    [],
  );
});

test("a base URL with a path and an endpoint of another version are put together", async () => {
  const account = world({
    usage: daily(usage, "u", FIRST, 20),
    limits: { endpoint: "/v2/export/usage" },
  });
  await using served = await serve(account, NOW, { basePath: "/billing/api" });
  const run = await read(served.config(plain), { catalog: catalogOf("incremental", ["usage"]) });
  expect(run.code).toBe(0);
  expect(run.records("usage")).toHaveLength(20);
  const paths = new Set((await served.requests()).map(({ path }) => path));
  expect(paths).toEqual(
    new Set(["/billing/api/v1/finops/capabilities", "/billing/api/v2/export/usage"]),
  );
});
