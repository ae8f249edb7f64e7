import { expect, test } from "vitest";
import { catalogOf } from "./support/config.ts";
import { read, readAsUsers } from "./support/connector.ts";
import { expectEqualSums, serveRealSpend } from "./support/provider.ts";
import { sumDecimals, Warehouse } from "./support/warehouse.ts";

test("the real spend, read on two days, sums to 1724.2103 USD", async () => {
  await using provider = await serveRealSpend("2025-10-04T12:00:00Z");
  const warehouse = new Warehouse();
  const first = await readAsUsers(provider.config());
  expect(first.code).toBe(0);
  await expectEqualSums(provider, warehouse.load(first));
  await provider.set("2025-10-08T00:00:00Z");
  const second = await readAsUsers(provider.config(), { state: first.state });
  expect(second.code).toBe(0);
  await expectEqualSums(provider, warehouse.load(second));
  const billed = warehouse.deduped("costs").map((row) => String(row["BilledCost"]));
  expect(sumDecimals(billed)).toBe("1724.2103");
});

test("the real usage by the hour counts its 28,185 requests", async () => {
  await using provider = await serveRealSpend("2025-10-08T00:00:00Z");
  const run = await read(provider.config({ granularity: "1h" }), {
    catalog: catalogOf("full_refresh"),
  });
  expect(run.code).toBe(0);
  const requests = run
    .records("usage")
    .filter((row) => row["ServiceName"] === "LLM Inference" && row["x_UsageType"] === "requests");
  expect(sumDecimals(requests.map((row) => String(row["ConsumedQuantity"])))).toBe("28185");
  await expectEqualSums(provider, new Warehouse().load(run), "1h");
});
