import { expect, test } from "vitest";
import { add, formatDecimal, parseDecimal, ZERO } from "../decimals.ts";
import { DAY, requireInstant } from "../instants.ts";
import { usageRecord } from "../model.ts";
import { scan } from "../store.ts";
import type { Listing } from "../store.ts";
import { totalsOf } from "../totals.ts";
import { readChain, startBench } from "../testing.ts";
import { generateAccount, parseGeneratorSpec } from "./index.ts";

const NOW = "2025-03-20T00:00:00Z";
const LATER = requireInstant("2026-01-01T00:00:00Z");

function idsAt(listing: Listing, at: number): string[] {
  return [...scan(listing, { start: 0, end: LATER, at, select: "start" })].map(
    (listed) => listed.id,
  );
}

test("the same seed makes the same records, another seed others", () => {
  const [one, same, other] = [1, 1, 2].map((seed) =>
    JSON.stringify(
      totalsOf(generateAccount("a", { usage: 200, costs: 100, days: 10, now: NOW, seed }), {
        at: LATER,
      }),
    ),
  );
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

test("there are as many records as asked for, in order, with distinct ids", () => {
  const account = generateAccount("a", {
    usage: 205,
    costs: 103,
    days: 10,
    hours: 3,
    now: NOW,
    monthly: false,
    corrections: "none",
  });
  const expected = { "usage-1d": 205, "usage-1h": 615, costs: 103 } as const;
  for (const name of ["usage-1d", "usage-1h", "costs"] as const) {
    const keys = [
      ...scan(account.listings[name], { start: 0, end: LATER, at: LATER, select: "start" }),
    ];
    expect(keys).toHaveLength(expected[name]);
    const sorted = keys.toSorted((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
    expect(keys).toEqual(sorted);
    expect(new Set(keys.map((key) => key.id)).size).toBe(keys.length);
  }
});

test("at any instant the hours of a day and type sum to its daily records", () => {
  const account = generateAccount("a", { usage: 103, days: 4, now: NOW, late: 0.3, restated: 0.5 });
  const first = requireInstant(NOW) - 4 * DAY;
  for (let at = first; at < first + 7 * DAY; at += 5 * 3_600_000) {
    const sums = (["usage-1h", "usage-1d"] as const).map((name) => {
      const byDay = new Map<string, string>();
      for (const { record } of scan(account.listings[name], {
        start: 0,
        end: LATER,
        at,
        select: "start",
      })) {
        const { SkuId, ChargePeriodStart, ConsumedQuantity } = usageRecord(record);
        const key = `${ChargePeriodStart.slice(0, 10)} ${SkuId}`;
        byDay.set(
          key,
          formatDecimal(add(parseDecimal(byDay.get(key) ?? "0"), parseDecimal(ConsumedQuantity))),
        );
      }
      return Object.fromEntries(byDay);
    });
    expect(sums[0]).toEqual(sums[1]);
  }
});

test("costs turn from provisional to final, some are restated, some late", async () => {
  await using bench = await startBench({
    accounts: [generateAccount("a", { costs: 200, days: 20, now: NOW, restated: 0.2, late: 0.1 })],
    now: NOW,
  });
  const query = "/v1/finops/costs?start=2025-03-01T00:00:00Z&end=2025-03-20T00:00:00Z&limit=60";
  const before = await readChain(bench, query, "costs");
  bench.provider.clock.advance(4 * DAY);
  const after = await readChain(bench, query, "costs");
  const statuses = (records: readonly Record<string, unknown>[]) =>
    new Set(records.map((record) => record["x_CostStatus"]));
  expect(statuses(before.records)).toEqual(new Set(["provisional", "final"]));
  expect(after.records.length).toBeGreaterThan(before.records.length);
  expect(
    after.records.filter(
      (record) => record["ChargeCategory"] === "Usage" && record["x_CostStatus"] !== "final",
    ),
  ).toEqual([]);
});

test("each month has a purchase over the month, a credit, a tax without SKU and a charge of no length", () => {
  const account = generateAccount("a", {
    from: "2025-01-01",
    days: 59,
    now: NOW,
    currencies: ["USD", "EUR"],
  });
  const ids = idsAt(account.listings.costs, LATER).filter((id) =>
    /^(purchase|credit|tax|rounding)-/.test(id),
  );
  expect(ids).toHaveLength(16);
  const shown = [
    ...scan(account.listings.costs, { start: 0, end: LATER, at: LATER, select: "start" }),
  ];
  const tax = shown.find((listed) => listed.id === "tax-2025-01-USD");
  expect(tax?.record.SkuId).toBeNull();
  const purchase = shown.find((listed) => listed.id === "purchase-2025-02-EUR");
  expect([purchase?.record.ChargePeriodStart, purchase?.record.ChargePeriodEnd]).toEqual([
    "2025-02-01T00:00:00Z",
    "2025-03-01T00:00:00Z",
  ]);
});

test("a closed month is corrected in the next, by the same amount in the styles delta and ledger", () => {
  const sums = (["none", "delta", "ledger", "replacement"] as const).map((corrections) => {
    const account = generateAccount("a", {
      costs: 310,
      from: "2025-01-01",
      days: 31,
      now: NOW,
      corrections,
      monthly: false,
    });
    const { currencies, rows } = totalsOf(account, { at: LATER }).costs;
    return [rows, currencies[0]?.["billed_cost"]];
  });
  expect(sums.map(([rows]) => rows)).toEqual([310, 311, 312, 311]);
  expect(sums[1]?.[1]).toBe(sums[2]?.[1]);
  expect(new Set(sums.map(([, sum]) => sum)).size).toBe(3);
});

test("rows can be issued anew under another id, withdrawn, and moved to another day", () => {
  const account = generateAccount("a", {
    costs: 100,
    days: 10,
    now: NOW,
    reissued: 3,
    withdrawn: 2,
    moved: 2,
    monthly: false,
    corrections: "none",
  });
  const final = idsAt(account.listings.costs, LATER);
  expect(final.filter((id) => id.endsWith("-reissued"))).toHaveLength(3);
  expect(new Set(final).size).toBe(final.length);
  expect(final.length).toBeGreaterThanOrEqual(98);
});

test("a million records take no time to make and little to page through at their end", () => {
  const account = generateAccount("a", { usage: 1_000_000, days: 30, now: NOW, hours: 1 });
  const start = requireInstant(NOW) - DAY;
  const after = { start, id: account.listings["usage-1d"].segments[1]?.idAt(999_000) ?? "" };
  const range = { start, end: LATER, at: LATER, select: "start" } as const;
  expect([...scan(account.listings["usage-1d"], range, after)]).toHaveLength(999);
});

test("a generator spec names what is not understood", () => {
  expect(parseGeneratorSpec("usage=10,currencies=USD+EUR,monthly=false")).toEqual({
    usage: 10,
    currencies: ["USD", "EUR"],
    monthly: false,
  });
  expect(() => parseGeneratorSpec("usage=ten")).toThrow('"usage=ten"');
  expect(() => generateAccount("a", { usage: -1, now: NOW })).toThrow("usage must be an integer");
  expect(formatDecimal(ZERO)).toBe("0");
});
