import { expect, test } from "vitest";
import { formatDecimal, add, parseDecimal, ZERO } from "./decimals.ts";
import { loadRealSpend } from "./data.ts";
import { expectCapabilities, problemOf, readChain, recordsOf, startBench, ask } from "./testing.ts";

const NOW = "2025-10-08T00:00:00Z";

function realSpend(options = {}) {
  return startBench({ accounts: [loadRealSpend()], now: NOW, ...options });
}

function sumOf(records: readonly Record<string, unknown>[], field: string): string {
  return formatDecimal(
    records.reduce((sum, record) => add(sum, parseDecimal(String(record[field]))), ZERO),
  );
}

async function readMonths(
  bench: Awaited<ReturnType<typeof realSpend>>,
  path: string,
  dataset: "usage" | "costs",
) {
  const records: Record<string, unknown>[] = [];
  for (let month = 10; month <= 33; month += 1) {
    const start = new Date(Date.UTC(2023, month)).toISOString();
    const end = new Date(Date.UTC(2023, month + 1)).toISOString();
    records.push(
      ...(await readChain(bench, `${path}start=${start}&end=${end}&limit=50`, dataset)).records,
    );
  }
  return records;
}

test("the real spend read month by month sums to exactly 1724.2103 USD once all is settled", async () => {
  await using bench = await realSpend();
  const records = await readMonths(bench, "/v1/finops/costs?", "costs");
  expect(records).toHaveLength(95);
  expect(new Set(records.map((record) => record["x_CostStatus"]))).toEqual(new Set(["final"]));
  expect(sumOf(records, "BilledCost")).toBe("1724.2103");
  expect(bench.provider.totals().costs.currencies).toEqual([
    { currency: "USD", rows: 95, billed_cost: "1724.2103", effective_cost: "1724.2103" },
  ]);
});

test("usage read by the hour and by the day is what the totals say, and the same in both", async () => {
  await using bench = await realSpend();
  const totals = bench.provider.totals().usage;
  const hourly = await readMonths(bench, "/v1/finops/usage?granularity=1h&", "usage");
  const daily = await readMonths(bench, "/v1/finops/usage?granularity=1d&", "usage");
  expect(hourly).toHaveLength(totals["1h"].rows);
  expect(daily).toHaveLength(totals["1d"].rows);
  expect(sumOf(hourly, "ConsumedQuantity")).toBe(sumOf(daily, "ConsumedQuantity"));
  const requests = daily.filter(
    (record) => record["ServiceName"] === "LLM Inference" && record["x_UsageType"] === "requests",
  );
  expect(sumOf(requests, "ConsumedQuantity")).toBe("28185");
});

test("capabilities are valid, and all answers carry the provider's own clock", async () => {
  await using bench = await realSpend();
  const answered = await bench.get("/v1/finops/capabilities");
  expectCapabilities(answered);
  expect(answered.headers.get("date")).toBe("Wed, 08 Oct 2025 00:00:00 GMT");
  bench.provider.clock.advance(90_000);
  const problem = await ask(`${bench.baseUrl}/v1/finops/capabilities`, {});
  expect(problem.headers.get("date")).toBe("Wed, 08 Oct 2025 00:01:30 GMT");
});

test("a base path stands before every operation", async () => {
  await using bench = await realSpend({ basePath: "/billing" });
  expect(bench.baseUrl).toMatch(/\/billing$/);
  expectCapabilities(await bench.get("/v1/finops/capabilities"));
  const outside = await ask(bench.baseUrl.replace("/billing", "/v1/finops/capabilities"), {});
  expect(problemOf(outside, 404)).toBe("not-found");
});

test("a chain of pages holds each record once, in order, under one snapshot", async () => {
  await using bench = await realSpend();
  const query =
    "/v1/finops/usage?granularity=1d&start=2025-05-01T00:00:00Z&end=2025-06-01T00:00:00Z&limit=7";
  const { records, pages } = await readChain(bench, query, "usage");
  const keys = records.map(
    (record) => `${String(record["ChargePeriodStart"])} ${String(record["x_RecordId"])}`,
  );
  expect(keys).toEqual(keys.toSorted());
  expect(new Set(keys).size).toBe(keys.length);
  expect(pages.length).toBe(Math.ceil(keys.length / 7));
  expect(
    new Set(
      pages.map(
        (page) => `${String(page.body["as_of"])} ${String(page.body["available_through"])}`,
      ),
    ),
  ).toEqual(new Set([`${NOW} 2025-10-07T00:00:00Z`]));
});

test("a provisional estimate turns final with a new amount, under the same id", async () => {
  await using bench = await realSpend({ now: "2025-10-05T00:00:00Z" });
  const query = "/v1/finops/costs?start=2025-10-01T00:00:00Z&end=2025-10-05T00:00:00Z";
  const before = recordsOf(await bench.get(query), "costs");
  bench.provider.clock.advance(3 * 86_400_000);
  const after = recordsOf(await bench.get(query), "costs");
  expect(before.map((record) => record["x_CostStatus"])).toEqual(["provisional", "provisional"]);
  expect(after.map((record) => record["x_CostStatus"])).toEqual(["final", "final"]);
  expect(after.map((record) => record["x_RecordId"])).toEqual(
    before.map((record) => record["x_RecordId"]),
  );
  expect([sumOf(before, "BilledCost"), sumOf(after, "BilledCost")]).toEqual(["2.2045", "2.1801"]);
});
