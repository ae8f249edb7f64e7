/** How single values can corrupt money: scenarios value-1 to value-25 (see README.md). */
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import type { FaultInput } from "../reference_provider/faults/schema.ts";
import { catalogOf } from "./support/config.ts";
import { Customer } from "./support/customer.ts";
import { read, readAsUsers, type Run } from "./support/connector.ts";
import { expectEqualSums, serve } from "./support/provider.ts";
import { sumDecimals } from "./support/warehouse.ts";
import { cost, daily, type Life, usage, world } from "./support/world.ts";

const FIRST = "2026-03-01";
const NOW = "2026-03-21T06:00:00Z";
const plain = { start_date: FIRST, reconcile_days: 0 };

const rows = () => [cost("a", "2026-03-02", "1.50"), cost("b", "2026-03-03", "2.25")];

/** A read of costs in which a fault changes record "a". */
async function readChanged(
  fault: Partial<FaultInput>,
  extra = {},
  costs: readonly Life[] = rows(),
): Promise<Run> {
  await using served = await serve(world({ costs }), NOW);
  await served.faults({
    kind: "record",
    record_id: "a",
    when: { operation: "costs" },
    ...fault,
  } as FaultInput);
  return await read(served.config({ ...plain, ...extra }), {
    broken: true,
    catalog: catalogOf("incremental", ["costs"]),
  });
}

function expectRefused(run: Run, rule: RegExp): void {
  expect(run.code).toBe(1);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["system_error"]);
  expect(run.errors[0]?.message).toMatch(rule);
  expect(run.records("costs").filter((row) => row["x_RecordId"] === "a")).toEqual([]);
  const position = String(run.state[0]?.stream.stream_state["position"]);
  expect(Date.parse(position)).toBeLessThanOrEqual(Date.parse("2026-03-02"));
}

test.each(["+1", "1e-7", ".5", "1.", "01", " 1", "1,000", "NaN", "1\n", "", "0x10", "1.5 USD"])(
  "value-1 value-2: a cost written %j is refused by id, field and rule",
  async (text) => {
    const run = await readChanged({ set: { BilledCost: text } });
    expectRefused(run, /record "a".*BilledCost must match pattern/);
  },
);

test("value-3: minus zero keeps its text and adds nothing", async () => {
  const costs = [
    cost("a", "2026-03-02", "-0"),
    cost("b", "2026-03-02", "-0.00"),
    cost("c", "2026-03-02", "1.10"),
  ];
  await using served = await serve(world({ costs }), NOW);
  const run = await read(served.config(plain));
  const billed = run.records("costs").map((row) => String(row["BilledCost"]));
  expect(billed).toEqual(["-0", "-0.00", "1.10"]);
  expect(sumDecimals(billed)).toBe("1.1");
});

test("value-4: decimals of 400 digits and of 30 places arrive digit for digit", async () => {
  const long = ["9".repeat(400), `-0.${"0".repeat(29)}1`, `${"8".repeat(40)}.${"7".repeat(60)}`];
  const costs = long.map((billed, n) => cost(`long-${n}`, "2026-03-02", billed));
  await using served = await serve(world({ costs }), NOW);
  const customer = new Customer(served, plain, readAsUsers);
  const run = await customer.sync();
  expect(run.records("costs").map((row) => row["BilledCost"])).toEqual(long);
  await expectEqualSums(served, customer.warehouse);
});

test("value-5: a JSON number in place of a decimal text is refused", async () => {
  const run = await readChanged({ raw: { BilledCost: "12345678901234567.89" } });
  expectRefused(run, /record "a".*BilledCost must be string/);
});

test.each([
  ["at another offset", "2026-03-02T02:00:00+02:00"],
  ["without an offset", "2026-03-02T00:00:00"],
  ["without seconds", "2026-03-02T00:00Z"],
  ["on 30 February", "2026-02-30T00:00:00Z"],
  ["at 24 o'clock", "2026-03-01T24:00:00Z"],
  ["as a date", "2026-03-02"],
])("value-7 value-9: an instant %s is refused", async (_, instant) => {
  expectRefused(
    await readChanged({ set: { ChargePeriodStart: instant } }),
    /record "a".*ChargePeriodStart/,
  );
});

test.each([
  "2026-03-02T00:00:00+00:00",
  "2026-03-02T00:00:00.000Z",
  "2026-03-02T00:00:00.123456789Z",
])("value-7 value-8: the instant %s is UTC and stays as it is written", async (instant) => {
  const run = await readChanged({ set: { ChargePeriodStart: instant } });
  expect(run.code).toBe(0);
  expect(run.records("costs")[0]?.["ChargePeriodStart"]).toBe(instant);
});

test("value-8: of two versions a half second apart the later one wins", async () => {
  const changes = { BilledCost: "2", x_RecordUpdatedAt: "2026-03-19T00:00:00.5Z" };
  const restated = cost("a", "2026-03-18", "1", {
    restated: [{ at: "2026-03-21T12:00:00Z", changes }],
  });
  await using served = await serve(world({ costs: [restated] }), NOW);
  const customer = new Customer(served);
  await customer.sync();
  await served.set("2026-03-22T06:00:00Z");
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("value-10: charge periods of no length, or of another length than the bucket, are kept", async () => {
  const ends = ["2026-03-02T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-09T00:00:00Z"];
  const costs = ends.map((end, n) =>
    cost(`odd-${n}`, "2026-03-02", `${n}.5`, {}, { ChargePeriodEnd: end }),
  );
  await using served = await serve(world({ costs }), NOW);
  const customer = new Customer(served, plain);
  const run = await customer.sync();
  expect(run.records("costs")).toHaveLength(3);
  await expectEqualSums(served, customer.warehouse);
});

test("value-11: line separators inside a text do not break its line, for any reader", async () => {
  const text = "a\u2028b\u2029c\u0085d\r\ne\u000Bf\u000Cg\u001Ch";
  const run = await readChanged({ set: { ChargeDescription: text } });
  expect(run.code).toBe(0);
  expect(run.records("costs")[0]?.["ChargeDescription"]).toBe(text);
  const lines: string[] = [];
  for await (const line of createInterface({ input: Readable.from([run.stdout]) }))
    lines.push(line);
  expect(lines).toHaveLength(run.messages.length);
  // The places at which Python's str.splitlines splits.
  expect(run.stdout.trimEnd().split(/\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/)).toHaveLength(
    run.messages.length,
  );
});

test("value-12: a NUL inside a text arrives as JSON escapes it", async () => {
  const run = await readChanged({ set: { ChargeDescription: "a\0b" } });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain(String.raw`a\u0000b`);
  expect(run.records("costs")[0]?.["ChargeDescription"]).toBe("a\0b");
});

test("value-13: half a character becomes U+FFFD with a warning, and the output is valid UTF-8", async () => {
  const run = await readChanged({ raw: { ChargeDescription: String.raw`"a\ud83db"` } });
  expect(run.code).toBe(0);
  expect(run.records("costs")[0]?.["ChargeDescription"]).toBe("a\uFFFDb");
  expect(run.stdout).not.toMatch(/\\ud[89a-f]/i);
  expect(run.logs.filter((line) => line.includes("lone surrogate"))).toHaveLength(1);
});

test("value-13: a whole character of two halves stays", async () => {
  const run = await readChanged({ raw: { ChargeDescription: String.raw`"\ud83d\ude00 \\ud83d"` } });
  expect(run.records("costs")[0]?.["ChargeDescription"]).toBe("\u{1F600} \\ud83d");
  expect(run.logs.filter((line) => line.includes("lone surrogate"))).toEqual([]);
});

test.each([
  ["a page", { kind: "page", set: { total: 7 } }, "total"],
  ["capabilities", { kind: "capabilities", set: { "/region": "eu" } }, "region"],
  ["a dataset", { kind: "capabilities", set: { "/datasets/usage/tier": "gold" } }, "tier"],
] as const)(
  "value-14: an unknown property of %s is refused by name, and tolerated where asked",
  async (_, fault, name) => {
    await using served = await serve(world({ costs: rows() }), NOW);
    await served.faults(fault);
    const strict = await read(served.config(plain));
    expect(strict.code).toBe(1);
    expect(strict.errors[0]?.failure_type).toBe("system_error");
    expect(strict.errors[0]?.message).toContain(name);
    expect(strict.errors[0]?.message).toContain("invalid_records");
    const tolerant = await read(served.config({ ...plain, invalid_records: "warn" }));
    expect(tolerant.code).toBe(0);
    expect(tolerant.records("costs")).toHaveLength(2);
    expect(
      tolerant.logs.filter((line) => line.startsWith("WARN") && line.includes(name)),
    ).not.toEqual([]);
  },
);

test("value-15: unknown properties of a record arrive, their numbers digit for digit", async () => {
  const raw = { x_Foo: "12345678901234567.890", x_Deep: '{"list":[1.10,1e400,-0],"text":"1"}' };
  const run = await readChanged({ raw });
  expect(run.code).toBe(0);
  expect(run.stdout).toContain('"x_Foo":12345678901234567.890');
  expect(run.stdout).toContain('"x_Deep":{"list":[1.10,1e400,-0],"text":"1"}');
});

test("value-16: a usage type of the provider's own is data, an unknown one breaks the interface", async () => {
  await using served = await serve(world({ usage: daily(usage, "u", FIRST, 3) }), NOW);
  const custom = {
    kind: "record",
    set: { x_UsageType: "x_web_searches" },
    when: { operation: "usage" },
  } as const;
  await served.faults(custom);
  const good = await read(served.config(plain));
  expect(good.code).toBe(0);
  expect(good.records("usage").map((row) => row["x_UsageType"])).toContain("x_web_searches");
  await served.faults({ ...custom, set: { x_UsageType: "thinking_tokens" } });
  const bad = await read(served.config(plain));
  expect(bad.errors[0]?.message).toMatch(/x_UsageType/);
  const warned = await read(served.config({ ...plain, invalid_records: "warn" }));
  expect(warned.code).toBe(0);
  expect(warned.records("usage").map((row) => row["x_UsageType"])).toContain("thinking_tokens");
  expect(warned.logs.filter((line) => /^WARN.*x_UsageType/.test(line))).not.toEqual([]);
});

test("value-1: with invalid_records warn a broken cost is passed on as it came, with a warning", async () => {
  const run = await readChanged({ set: { BilledCost: "1e-7" } }, { invalid_records: "warn" });
  expect(run.code).toBe(0);
  expect(run.records("costs").find((row) => row["x_RecordId"] === "a")?.["BilledCost"]).toBe(
    "1e-7",
  );
  expect(run.logs.filter((line) => /^WARN.*record "a".*BilledCost/.test(line))).toHaveLength(1);
});

test.each<[string, Partial<FaultInput>]>([
  ["without an id", { drop: ["x_RecordId"] }],
  ["without a charge period", { drop: ["ChargePeriodStart"] }],
  ["that is no object", { replace: "7" }],
])("a record %s fails even where broken records are tolerated", async (_, fault) => {
  const run = await readChanged(fault, { invalid_records: "warn" });
  expect(run.code).toBe(1);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["system_error"]);
});

test("value-18: a key twice and __proto__ harm nothing", async () => {
  const members = '"__proto__":{"x_CostStatus":"final"},"BilledCost":"9.99"';
  const run = await readChanged({ members });
  expect(run.code).toBe(0);
  const row = run.records("costs").find((record) => record["x_RecordId"] === "a");
  expect(row?.["BilledCost"]).toBe("9.99");
  expect(Object.getPrototypeOf({})).not.toHaveProperty("x_CostStatus");
});

test("value-19: a byte order mark before the JSON is no fault", async () => {
  await using served = await serve(world({ costs: rows() }), NOW);
  await served.faults({ kind: "bom" });
  const customer = new Customer(served, plain);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("value-20: amounts of two currencies are never one sum", async () => {
  const costs = [
    cost("usd", "2026-03-02", "1"),
    cost("eur", "2026-03-02", "2", {}, { BillingCurrency: "EUR" }),
  ];
  await using served = await serve(world({ costs }), NOW);
  const customer = new Customer(served, plain);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
  const totals = customer.warehouse.windows
    .filter((row) => row["dataset"] === "costs" && row["day"] === "2026-03-02")
    .flatMap((row) => row["totals"] as Record<string, unknown>[]);
  expect(totals).toHaveLength(2);
});

test("value-23: a final cost without an invoice and a provisional one with one keep their status", async () => {
  const costs = [
    cost("a", "2026-03-02", "1", {}, { InvoiceId: null, x_CostStatus: "final" }),
    cost("b", "2026-03-02", "2", {}, { InvoiceId: "INV-1", x_CostStatus: "provisional" }),
  ];
  await using served = await serve(world({ costs }), NOW);
  const customer = new Customer(served, plain);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

// Each of them waits for a second.
test.concurrent.each([
  "0",
  "1",
  "-1",
  "1.5",
  "soon",
  "Sat, 21 Mar 2026 06:00:01 GMT",
  "Saturday, 21-Mar-26 06:00:01 GMT",
  "Sat Mar 21 06:00:01 2026",
  "Fri, 20 Mar 2026 06:00:00 GMT",
])(
  "value-24: a 429 with Retry-After %j is waited for at least a second, and told",
  async (value) => {
    await using served = await serve(world({ costs: rows() }), NOW);
    await served.faults({
      kind: "rate_limited",
      retry_after: value,
      when: { operation: "costs", times: 1 },
    });
    const customer = new Customer(served, plain);
    const began = performance.now();
    const run = await customer.sync();
    expect(performance.now() - began).toBeGreaterThan(1000);
    expect(performance.now() - began).toBeLessThan(45_000);
    const told = run.messages.flatMap(({ trace }) => trace?.stream_status?.reasons ?? []);
    expect(told).not.toEqual([]);
    await expectEqualSums(served, customer.warehouse);
  },
);

test.each(["99999999", "Sun, 21 Mar 2027 06:00:00 GMT"])(
  "value-24: a 429 with Retry-After %j is not waited for: a transient error, with the state kept",
  async (value) => {
    await using served = await serve(
      world({ usage: daily(usage, "u", FIRST, 20), costs: rows() }),
      NOW,
    );
    const customer = new Customer(served, { ...plain, page_size: 1, concurrency: 1 });
    await served.faults({
      kind: "rate_limited",
      retry_after: value,
      when: { operation: "usage", after: 4 },
    });
    const run = await customer.attempt();
    expect(run.code).toBe(1);
    expect(new Set(run.errors.map(({ failure_type: type }) => type))).toEqual(
      new Set(["transient_error"]),
    );
    const before = run.records("usage").length;
    expect(before).toBeGreaterThan(0);
    await served.faults();
    const after = await customer.sync();
    expect(before + after.records("usage").length).toBe(20);
    await expectEqualSums(served, customer.warehouse);
  },
);
