/** How a position or a window can lose or repeat money: scenarios window-1 to window-19 (see README.md). */
import { expect, test } from "vitest";
import { Customer } from "./support/customer.ts";
import { read, readAsUsers } from "./support/connector.ts";
import { expectCurrentSums, expectEqualSums, serve } from "./support/provider.ts";
import { cost, daily, dayAfter, hourly, usage, world } from "./support/world.ts";
import { sumDecimals, usageSums, Warehouse } from "./support/warehouse.ts";

const FIRST = "2026-03-01";
const NOW = "2026-03-21T06:00:00Z";
/** Settings without a deep re-read, which would heal a mistake: only the position and the lookback decide. */
const plain = { start_date: FIRST, reconcile_days: 0 };

const month = () =>
  world({ usage: daily(usage, "u", FIRST, 20), costs: daily(cost, "c", FIRST, 20) });

test("window-1: the state stays before what the provider has not declared available, and what comes there later is read", async () => {
  await using served = await serve(month(), NOW);
  const customer = new Customer(served, plain, readAsUsers);
  await served.faults({ kind: "available_through", instant: "2026-03-10T00:00:00Z" });
  await customer.sync();
  expect(customer.position("usage")).toBe("2026-03-10T00:00:00Z");
  expect(customer.position("costs")).toBe("2026-03-10T00:00:00Z");
  await served.faults();
  await served.change({
    dataset: "usage",
    lives: [usage("late", "2026-03-10", "7.5", { visible_from: NOW })],
  });
  await served.change({
    dataset: "costs",
    lives: [cost("late", "2026-03-12", "0.25", { visible_from: NOW })],
  });
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
  expect(customer.position("usage")).toBe("2026-03-21T00:00:00Z");
});

test("window-2: five idle syncs with a lookback leave the state as it is, byte for byte", async () => {
  await using served = await serve(month(), NOW);
  const customer = new Customer(served, { ...plain, lookback_days: 5 });
  await customer.sync();
  const before = JSON.stringify([customer.state("usage"), customer.state("costs")]);
  for (let time = 0; time < 5; time++) {
    await customer.sync();
    expect(JSON.stringify([customer.state("usage"), customer.state("costs")])).toBe(before);
  }
});

test("window-3: a cost that settles within the settlement lag is final in the warehouse", async () => {
  const settles = cost(
    "settles",
    "2026-03-19",
    "10.00",
    {
      finalized: {
        at: "2026-03-22T00:00:00Z",
        changes: { BilledCost: "11.37", EffectiveCost: "11.37" },
      },
    },
    { x_CostStatus: "provisional" },
  );
  await using served = await serve(
    world({ costs: [settles], limits: { settlement_lag_hours: 72 } }),
    NOW,
  );
  const customer = new Customer(served, plain);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
  await served.set("2026-03-22T06:00:00Z");
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
  expect(customer.warehouse.deduped("costs")).toMatchObject([
    { x_CostStatus: "final", BilledCost: "11.37" },
  ]);
});

test("window-3: a provisional cost far behind the lookback is followed until it is final", async () => {
  const settles = cost(
    "slow",
    "2026-01-02",
    "10.00",
    { finalized: { at: "2026-07-01T00:00:00Z", changes: { BilledCost: "9.01" } } },
    { x_CostStatus: "provisional" },
  );
  await using served = await serve(world({ costs: [settles] }), NOW);
  const customer = new Customer(served, { start_date: "2026-01-01" });
  await customer.sync();
  await served.set("2026-07-02T06:00:00Z");
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("window-4: an available_through that goes back neither lowers the state nor skips data", async () => {
  await using served = await serve(month(), NOW);
  const customer = new Customer(served, plain);
  await customer.sync();
  await served.faults({ kind: "available_through", shift: -8 * 86_400 });
  await served.set("2026-03-22T06:00:00Z");
  await served.change({ dataset: "usage", lives: [usage("next", "2026-03-21", "3")] });
  await customer.sync();
  expect(customer.position("usage")).toBe("2026-03-21T00:00:00Z");
  await served.faults();
  await served.set("2026-03-23T06:00:00Z");
  await served.change({
    dataset: "usage",
    lives: [usage("late", "2026-03-21", "4", { visible_from: "2026-03-23T00:00:00Z" })],
  });
  await customer.sync();
  expect(customer.position("usage")).toBe("2026-03-23T00:00:00Z");
  await expectEqualSums(served, customer.warehouse);
});

test.each([
  ["a month ahead", "2026-04-21T00:00:00Z", "2026-03-21T00:00:00Z"],
  ["at the window's end", "2026-03-22T00:00:00Z", "2026-03-21T00:00:00Z"],
  ["before the window's start", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"],
])(
  "window-5: an available_through %s moves the state no further than it may",
  async (_, instant, position) => {
    await using served = await serve(month(), NOW);
    const customer = new Customer(served, plain);
    await served.faults({ kind: "available_through", instant });
    await customer.sync();
    expect(customer.position("usage")).toBe(position);
    await served.faults();
    await served.change({
      dataset: "usage",
      lives: [usage("late", "2026-03-21", "4", { visible_from: NOW })],
    });
    await served.advance(86_400);
    await customer.sync();
    await expectEqualSums(served, customer.warehouse);
  },
);

test("window-6: an empty window is complete only as far as the provider says", async () => {
  await using served = await serve(world({}), NOW);
  const customer = new Customer(served, plain);
  await served.faults({ kind: "available_through", instant: "2026-03-15T00:00:00Z" });
  await customer.sync();
  expect(customer.position("usage")).toBe("2026-03-15T00:00:00Z");
  await served.faults();
  await served.change({ dataset: "usage", lives: daily(usage, "u", "2026-03-15", 3) });
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("window-8: many windows and one window give the same records, and the windows tile the range", async () => {
  const ids: string[][] = [];
  for (const maximum of [1, 7, 31]) {
    const account = world({
      usage: daily(usage, "u", FIRST, 20),
      limits: { maximum_window_days: maximum },
    });
    await using served = await serve(account, NOW);
    const run = await read(served.config({ start_date: FIRST, concurrency: 1 }));
    expect(run.code).toBe(0);
    ids.push(run.records("usage").map((row) => String(row["x_RecordId"])));
    const windows = (await served.requests("usage")).map(({ query }) => query);
    expect(windows[0]?.["start"]).toBe("2026-03-01T00:00:00Z");
    expect(windows.slice(1).map(({ start }) => start)).toEqual(
      windows.slice(0, -1).map(({ end }) => end),
    );
    expect(windows.at(-1)?.["end"]).toBe("2026-03-22T00:00:00Z");
  }
  expect(ids[1]).toEqual(ids[0]);
  expect(ids[2]).toEqual(ids[0]);
  expect(ids[0]).toHaveLength(20);
});

test.each(["overlap", "closed"] as const)(
  "window-9: a provider that selects by %s repeats rows at seams; none counts twice",
  async (by) => {
    const fields = {
      ChargePeriodStart: "2026-03-01T00:00:00Z",
      ChargePeriodEnd: "2026-04-01T00:00:00Z",
    };
    const subscription = cost(
      "subscription",
      FIRST,
      "250",
      { visible_from: "2026-03-02T00:00:00Z" },
      fields,
    );
    const account = world({
      usage: daily(usage, "u", FIRST, 20),
      costs: [subscription, ...daily(cost, "c", FIRST, 20)],
      limits: { maximum_window_days: 4 },
    });
    await using served = await serve(account, NOW);
    const customer = new Customer(served, plain);
    await served.faults({ kind: "selection", by });
    const run = await customer.sync();
    await expectEqualSums(served, customer.warehouse);
    // Warehouses that merge only against what they already hold count every row of a read.
    const { costs } = await served.totals();
    if (by === "overlap") expect(run.records("costs")).toHaveLength(costs.rows);
    await customer.sync();
    await expectEqualSums(served, customer.warehouse);
    await expectCurrentSums(served, customer.warehouse);
  },
);

test("window-9: a monthly charge that a later window returned first is not lost from the newest view", async () => {
  const fields = {
    ChargePeriodStart: "2026-03-01T00:00:00Z",
    ChargePeriodEnd: "2026-04-01T00:00:00Z",
  };
  const visible = { visible_from: "2026-03-02T00:00:00Z" };
  const subscription = cost("subscription", FIRST, "250", visible, fields);
  await using served = await serve(
    world({ costs: [subscription], limits: { maximum_window_days: 4 } }),
    NOW,
  );
  const customer = new Customer(served, plain);
  await served.faults(
    { kind: "selection", by: "overlap" },
    {
      kind: "latency",
      milliseconds: 500,
      when: { operation: "costs", start: "2026-03-01T00:00:00Z" },
    },
  );
  const run = await customer.sync();
  expect(run.records("costs")).toHaveLength(1);
  await expectEqualSums(served, customer.warehouse);
  await expectCurrentSums(served, customer.warehouse);
});

test("window-10: no window is longer than the provider takes", async () => {
  const account = world({
    usage: daily(usage, "u", FIRST, 20),
    limits: { maximum_window_days: 3 },
  });
  await using served = await serve(account, NOW);
  const customer = new Customer(served, { start_date: "2025-08-01", concurrency: 1 });
  await customer.sync();
  const lengths = (await served.requests())
    .filter(({ query }) => "start" in query)
    .map(({ query }) => Date.parse(String(query["end"])) - Date.parse(String(query["start"])));
  expect(Math.max(...lengths)).toBe(3 * 86_400_000);
  await expectEqualSums(served, customer.warehouse);
});

test("window-11: a start before retention is cut off with a warning that names what is lost", async () => {
  const account = world({ usage: daily(usage, "u", FIRST, 20), limits: { retention_days: 30 } });
  await using served = await serve(account, NOW);
  const customer = new Customer(served, { start_date: "2024-03-01" });
  const { logs } = await customer.sync();
  expect(logs).toContain(
    "WARN: usage: 2024-03-01T00:00:00Z to 2026-02-20T00:00:00Z has left the provider's retention and cannot be read.",
  );
  await expectEqualSums(served, customer.warehouse);
});

test("window-12: a state older than retention goes on at its edge, with a warning that names the gap", async () => {
  const account = world({ usage: daily(usage, "u", FIRST, 60), limits: { retention_days: 30 } });
  await using served = await serve(account, "2026-03-05T06:00:00Z");
  const customer = new Customer(served, plain);
  await customer.sync();
  await served.set("2026-04-29T06:00:00Z");
  const { logs } = await customer.sync();
  expect(logs).toContain(
    "WARN: usage: 2026-03-05T00:00:00Z to 2026-03-31T00:00:00Z has left the provider's retention and cannot be read.",
  );
  const days = customer.warehouse
    .deduped("usage")
    .map((row) => String(row["ChargePeriodStart"]).slice(0, 10));
  expect(days.filter((day) => day >= "2026-03-31")).toHaveLength(29);
  expect(customer.position("usage")).toBe("2026-04-29T00:00:00Z");
});

test("window-14: a day's hours sum to the day", async () => {
  const hours = Array.from({ length: 24 }, (_, hour) =>
    hourly(`h-${hour}`, `2026-03-05T${String(hour).padStart(2, "0")}:00:00Z`, `0.${hour + 1}`),
  );
  const sum = sumDecimals(hours.map(({ record }) => String(record["ConsumedQuantity"])));
  await using served = await serve(
    world({ usage: [...hours, usage("d", "2026-03-05", sum)] }),
    NOW,
  );
  const byHour = new Warehouse().load(await read(served.config({ granularity: "1h" })));
  const byDay = new Warehouse().load(await read(served.config()));
  expect(byHour.usage.rows).toHaveLength(24);
  const [hourSum, daySum] = [byHour, byDay].map(
    (warehouse) => usageSums(warehouse.deduped("usage"))[0],
  );
  expect(hourSum?.["quantity"]).toBe(daySum?.["quantity"]);
});

test("window-15: usage of another granularity than asked for is the provider's fault, not data", async () => {
  await using served = await serve(month(), NOW);
  await served.change({ dataset: "usage", lives: [hourly("h", "2026-03-05T01:00:00Z", "1")] });
  await served.faults({ kind: "other_granularity" });
  const run = await read(served.config(plain));
  expect(run.code).toBe(1);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["system_error"]);
  expect(run.errors[0]?.message).toMatch(/"h".*x_Granularity must be "1d"/);
  expect(run.records("usage")).toEqual([]);
  expect(run.statuses("costs").at(-1)).toBe("COMPLETE");
});

test("window-15: costs of hours among costs of days are kept", async () => {
  const hour = cost("hour", "2026-03-05", "0.5", {}, { x_Granularity: "1h" });
  await using served = await serve(world({ costs: [hour, cost("day", "2026-03-05", "2")] }), NOW);
  const customer = new Customer(served, plain);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("window-16: a row outside the window is kept and moves no state", async () => {
  await using served = await serve(month(), NOW);
  const customer = new Customer(served, plain);
  await customer.sync();
  const before = customer.position("usage");
  await served.faults({ kind: "stray_record", days: 400, when: { operation: "usage" } });
  const run = await customer.sync();
  expect(
    run.records("usage").filter((row) => String(row["x_RecordId"]).endsWith("-stray")),
  ).toHaveLength(1);
  expect(customer.position("usage")).toBe(before);
});

test("window-19: history stays in the newest view while a provider trims what leaves retention", async () => {
  const account = world({
    usage: daily(usage, "u", FIRST, 20),
    costs: daily(cost, "c", FIRST, 20),
    limits: { retention_days: 10 },
  });
  await using served = await serve(account, "2026-03-11T06:00:00Z");
  const customer = new Customer(served);
  await served.faults({ kind: "retention_trim" });
  for (let day = 11; day <= 21; day += 1) {
    await served.set(`2026-03-${day}T20:00:00Z`);
    await customer.sync();
  }
  const ids = await customer.warehouse.currentIds("usage");
  // The first day had left retention, in part, before the first sync (W3).
  expect(ids).toEqual(
    daily(usage, "u", FIRST, 20)
      .map(({ record }) => record.x_RecordId)
      .slice(1)
      .toSorted(),
  );
});

test("a provider that refuses windows which end after now is read up to now", async () => {
  await using served = await serve(month(), NOW);
  const customer = new Customer(served, plain);
  await served.faults({ kind: "refuse_future" });
  const { logs } = await customer.sync();
  expect(logs.filter((line) => line.includes("ends in the future"))).toHaveLength(2);
  expect(customer.position("usage")).toBe("2026-03-21T00:00:00Z");
  await expectEqualSums(served, customer.warehouse);
});

test("a start date that is moved to earlier reads the gap, and to later reads no more than before", async () => {
  await using served = await serve(month(), NOW);
  const customer = new Customer(served, { start_date: "2026-03-10", reconcile_days: 0 });
  await customer.sync();
  customer.configure({ start_date: "2026-03-04" });
  await customer.sync();
  const days = customer.warehouse
    .deduped("usage")
    .map((row) => String(row["ChargePeriodStart"]).slice(0, 10));
  expect(days.toSorted()).toEqual(Array.from({ length: 17 }, (_, n) => dayAfter("2026-03-04", n)));
  customer.configure({ start_date: "2026-03-15" });
  await customer.sync();
  customer.configure({ start_date: FIRST });
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});
