/**
 * How restatements and corrections can lose or repeat money: scenarios restatement-1 to restatement-15 (see README.md).
 */
import { expect, test } from "vitest";
import { generateAccount } from "../reference_provider/generator/index.ts";
import { readAsUsers } from "./support/connector.ts";
import { Customer } from "./support/customer.ts";
import { expectCurrentSums, expectEqualSums, serve } from "./support/provider.ts";
import { cost, daily, type Life, usage, world } from "./support/world.ts";

const DAY = "2026-03-18";
const NOW = "2026-03-21T06:00:00Z";
const LATER = "2026-03-21T18:00:00Z";
const NEXT = "2026-03-22T06:00:00Z";

/** A cost that changes at LATER, between two syncs. */
const restated = (changes: Readonly<Record<string, unknown>>): Life =>
  cost(
    "changes",
    DAY,
    "10.00",
    { restated: [{ at: LATER, changes }] },
    { x_CostStatus: "provisional" },
  );

/** Two syncs with a change between; beside the record there are others that stay. */
async function syncedTwice(...costs: readonly Life[]) {
  const served = await serve(
    world({ costs: [...costs, ...daily(cost, "c", "2026-03-01", 20)] }),
    NOW,
  );
  const customer = new Customer(served);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
  await served.set(NEXT);
  await customer.sync();
  return { served, customer, [Symbol.asyncDispose]: () => served[Symbol.asyncDispose]() };
}

test("restatement-1: a provisional cost that becomes final under its id counts once, with its new amount", async () => {
  await using after = await syncedTwice(restated({ x_CostStatus: "final", BilledCost: "12.34" }));
  await expectEqualSums(after.served, after.customer.warehouse);
  await expectCurrentSums(after.served, after.customer.warehouse);
  const versions = after.customer.warehouse.costs.rows.filter(
    (row) => row["x_RecordId"] === "changes",
  );
  expect(versions.map((row) => row["x_CostStatus"])).toEqual(["provisional", "final"]);
});

test("restatement-2: a cost that becomes final under a new id counts once in the newest view; the old row is an orphan of the other", async () => {
  await using after = await syncedTwice(
    restated({ x_RecordId: "final-id", x_CostStatus: "final" }),
  );
  await expectCurrentSums(after.served, after.customer.warehouse);
  const ids = after.customer.warehouse.deduped("costs").map((row) => row["x_RecordId"]);
  expect(ids).toEqual(expect.arrayContaining(["changes", "final-id"]));
});

test("restatement-3: an amount that changes while x_RecordUpdatedAt stands still is the new one", async () => {
  const standing = { BilledCost: "8.50", x_RecordUpdatedAt: "2026-03-19T00:00:00Z" };
  await using after = await syncedTwice(restated(standing));
  await expectEqualSums(after.served, after.customer.warehouse);
  await expectCurrentSums(after.served, after.customer.warehouse);
});

test("restatement-4: an amount whose x_RecordUpdatedAt goes back is the new one, because the newest reading wins", async () => {
  const back = { BilledCost: "8.50", x_RecordUpdatedAt: "2026-03-01T00:00:00Z" };
  await using after = await syncedTwice(restated(back));
  await expectEqualSums(after.served, after.customer.warehouse);
  await expectCurrentSums(after.served, after.customer.warehouse);
});

test("restatement-5: a row that moves to another day counts once", async () => {
  const moved = {
    ChargePeriodStart: "2026-03-19T00:00:00Z",
    ChargePeriodEnd: "2026-03-20T00:00:00Z",
  };
  await using after = await syncedTwice(restated(moved));
  await expectEqualSums(after.served, after.customer.warehouse);
  await expectCurrentSums(after.served, after.customer.warehouse);
});

test("restatement-6: a row that is withdrawn is gone from the newest view", async () => {
  await using after = await syncedTwice(cost("goes", DAY, "10.00", { withdrawn_at: LATER }));
  await expectCurrentSums(after.served, after.customer.warehouse);
  const ids = after.customer.warehouse.deduped("costs").map((row) => row["x_RecordId"]);
  expect(ids).toContain("goes");
});

test("restatement-6: a day that loses its only row is empty in the newest view", async () => {
  await using served = await serve(
    world({ costs: [cost("only", DAY, "10.00", { withdrawn_at: LATER })] }),
    NOW,
  );
  const customer = new Customer(served);
  await customer.sync();
  await served.set(NEXT);
  await customer.sync();
  expect(await customer.warehouse.currentIds("costs")).toEqual([]);
});

test("restatement-7: a correction to the second previous month arrives with the sync of its day, under its old charge period", async () => {
  const correction = cost(
    "correction",
    "2026-01-15",
    "-3.21",
    { visible_from: LATER },
    {
      ChargeClass: "Correction",
      x_CorrectsRecordId: "original",
      BillingPeriodStart: "2026-03-01T00:00:00Z",
      BillingPeriodEnd: "2026-04-01T00:00:00Z",
    },
  );
  await using after = await syncedTwice(cost("original", "2026-01-15", "30"), correction);
  await expectEqualSums(after.served, after.customer.warehouse);
  const found = after.customer.warehouse
    .deduped("costs")
    .find((row) => row["x_RecordId"] === "correction");
  expect(found).toMatchObject({
    ChargePeriodStart: "2026-01-15T00:00:00Z",
    BillingPeriodStart: "2026-03-01T00:00:00Z",
    x_CorrectsRecordId: "original",
  });
});

test.each(["delta", "ledger", "replacement"] as const)(
  "restatement-8: corrections by %s arrive as they are, beside what they correct",
  async (corrections) => {
    const now = "2026-03-20T06:00:00Z";
    const options = { costs: 300, usage: 0, from: "2026-01-20", days: 60, now, corrections };
    await using served = await serve(generateAccount("generated", options), "2026-02-01T06:00:00Z");
    const customer = new Customer(served);
    await customer.sync();
    for (const day of ["2026-02-12", "2026-03-12", "2026-04-12"]) {
      await served.set(`${day}T06:00:00Z`);
      await customer.sync();
    }
    await expectEqualSums(served, customer.warehouse);
    await expectCurrentSums(served, customer.warehouse);
    const correcting = customer.warehouse
      .deduped("costs")
      .filter((row) => row["x_CorrectsRecordId"] !== null);
    expect(correcting.length).toBeGreaterThan(1);
  },
);

test("restatement-9: chains and circles of corrections, and one whose target is missing, pass as they are", async () => {
  const correct = (id: string, target: string): Life =>
    cost(id, DAY, "-0.10", {}, { x_CorrectsRecordId: target, ChargeClass: "Correction" });
  const costs = [
    cost("a", DAY, "5"),
    correct("b", "a"),
    correct("c", "b"),
    correct("d", "e"),
    correct("e", "d"),
    correct("f", "long-gone"),
  ];
  await using served = await serve(world({ costs }), NOW);
  const customer = new Customer(served);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("restatement-10: provisional and final rows side by side are both there, by their status", async () => {
  const costs = [
    cost("estimate", DAY, "5", {}, { x_CostStatus: "provisional" }),
    cost("invoiced", DAY, "6", {}, { x_CostStatus: "final", InvoiceId: null }),
  ];
  await using served = await serve(world({ costs }), NOW);
  const customer = new Customer(served);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("restatement-11: a final cost that is restated again is picked up by the deep re-read", async () => {
  const twice = cost("final", "2026-02-03", "5", {
    restated: [
      { at: LATER, changes: { BilledCost: "6" } },
      { at: "2026-03-25T00:00:00Z", changes: { BilledCost: "7.77" } },
    ],
  });
  await using served = await serve(world({ costs: [twice] }), NOW);
  const customer = new Customer(served);
  for (const now of [NOW, NEXT, "2026-03-26T06:00:00Z"]) {
    await served.set(now);
    await customer.sync();
    await expectEqualSums(served, customer.warehouse);
  }
  expect(customer.warehouse.deduped("costs")).toMatchObject([{ BilledCost: "7.77" }]);
});

test("restatement-13: a row whose model is renamed stays one row", async () => {
  const renamed = usage("u", DAY, "5", {
    restated: [{ at: LATER, changes: { x_ModelId: "atlas-2" } }],
  });
  await using served = await serve(world({ usage: [renamed] }), NOW);
  const customer = new Customer(served);
  await customer.sync();
  await served.set(NEXT);
  await customer.sync();
  expect(customer.warehouse.deduped("usage")).toMatchObject([{ x_ModelId: "atlas-2" }]);
  await expectEqualSums(served, customer.warehouse);
});

test("restatement-14: rows with one x_RecordUpdatedAt are all kept, also those that come later", async () => {
  const tied = { visible_from: "2026-03-19T00:00:00Z" };
  const rows = Array.from({ length: 7 }, (_, n) => usage(`tied-${n}`, DAY, `${n}.5`, tied));
  await using served = await serve(world({ usage: rows.slice(0, 4) }), NOW);
  const customer = new Customer(served, { page_size: 2 });
  await customer.sync();
  await served.change({ dataset: "usage", lives: rows.slice(4) });
  await served.set(NEXT);
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("restatement-15: a second sync on the same day reads what came since", async () => {
  const late = { visible_from: LATER };
  const account = world({
    usage: [...daily(usage, "u", "2026-03-01", 20), usage("late", "2026-03-20", "1.5", late)],
    costs: [cost("late", "2026-03-20", "2.5", late)],
  });
  await using served = await serve(account, NOW);
  const customer = new Customer(served, {}, readAsUsers);
  await customer.sync();
  await served.set("2026-03-21T19:00:00Z");
  await customer.sync();
  await expectEqualSums(served, customer.warehouse);
});

test("rows that are reissued, withdrawn and moved over sixty days of syncs leave exact sums in the newest view", async () => {
  const options = {
    costs: 400,
    usage: 400,
    from: "2026-01-20",
    days: 40,
    reissued: 20,
    withdrawn: 15,
    moved: 15,
  };
  const account = generateAccount("generated", { ...options, now: NOW, late: 0.1, restated: 0.2 });
  await using served = await serve(account, "2026-01-22T06:00:00Z");
  const customer = new Customer(served);
  for (let day = 0; day < 12; day += 1) {
    await served.advance(5 * 86_400);
    await customer.sync();
    if (day % 3 === 2) await expectCurrentSums(served, customer.warehouse);
  }
});
