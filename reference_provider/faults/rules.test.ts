import { expect, test } from "vitest";
import { problemOf, readChain, recordsOf } from "../testing.ts";
import { CAPABILITIES, COSTS, idsOf, start } from "./testing.ts";

test("capabilities name a hostile endpoint, another version, or lack a dataset", async () => {
  await using bench = await start();
  bench.provider.fault({
    kind: "capabilities",
    set: {
      "/datasets/usage/endpoint": "//evil.example/v1/usage",
      "/profile_version": "0.2",
      "/extra": true,
    },
    drop: ["/datasets/costs"],
  });
  const { body } = await bench.get(CAPABILITIES);
  expect(body).toMatchObject({
    profile_version: "0.2",
    extra: true,
    datasets: { usage: { endpoint: "//evil.example/v1/usage" } },
  });
  expect(Object.keys(Object(body["datasets"]))).toEqual(["usage"]);
});

test("a window selects by start, by overlap, by containment, or includes its end", async () => {
  await using bench = await start();
  bench.provider.change({
    dataset: "costs",
    life: {
      record: {
        ...recordsOf(await bench.get(COSTS), "costs")[0],
        x_RecordId: "long",
        ChargePeriodStart: "2025-09-30T00:00:00Z",
        ChargePeriodEnd: "2025-10-31T00:00:00Z",
      },
      visibleFrom: 0,
      changes: [],
    },
  });
  const count = async (by: "start" | "overlap" | "containment" | "closed", window: string) => {
    bench.provider.fault({ kind: "selection", id: "s", by });
    const ids = await idsOf(bench, `/v1/finops/costs?${window}`);
    return [ids.length, ids.includes("long")];
  };
  const middle = "start=2025-10-02T00:00:00Z&end=2025-10-03T00:00:00Z";
  expect([
    await count("start", middle),
    await count("overlap", middle),
    await count("closed", middle),
  ]).toEqual([
    [10, false],
    [11, true],
    [20, false],
  ]);
  const first = "start=2025-09-30T00:00:00Z&end=2025-10-02T00:00:00Z";
  expect([await count("start", first), await count("containment", first)]).toEqual([
    [11, true],
    [10, false],
  ]);
});

test("available_through stands still, goes back, lies in the future, or differs by page", async () => {
  await using bench = await start();
  const through = async (query = COSTS) => (await bench.get(query)).body["available_through"];
  bench.provider.fault({ kind: "available_through", id: "a", instant: "2025-10-03T00:00:00Z" });
  expect(await through()).toBe("2025-10-03T00:00:00Z");
  bench.provider.fault({ kind: "available_through", id: "a", shift: -86_400 });
  expect(await through()).toBe("2025-10-06T00:00:00Z");
  bench.provider.fault({
    kind: "available_through",
    id: "a",
    shift: 30 * 86_400,
    when: { page: 2 },
  });
  const { pages } = await readChain(bench, `${COSTS}&limit=25`, "costs");
  expect(pages.map((page) => page.body["available_through"])).toEqual([
    "2025-10-07T00:00:00Z",
    "2025-11-06T00:00:00Z",
  ]);
});

test("a listing that moves while it is read skips and repeats records", async () => {
  await using bench = await start();
  bench.provider.fault({ kind: "moving_listing", id: "m", step: 60 });
  const { pages, records } = await readChain(bench, `${COSTS}&limit=20`, "costs");
  expect(pages.map((page) => page.body["as_of"])).toEqual([
    "2025-10-08T00:00:00Z",
    "2025-10-08T00:01:00Z",
    "2025-10-08T00:02:00Z",
  ]);
  expect(new Set(records.map((record) => record["x_RecordId"])).size).toBe(50);
  bench.provider.fault({ kind: "moving_listing", id: "m", shuffle: true });
  const shuffled = await idsOf(bench, `${COSTS}&limit=20`);
  expect([shuffled.length, new Set(shuffled).size < 50]).toEqual([50, true]);
});

test("rules are other: retention trims, the maximum is excluded, the future and unknown parameters are refused", async () => {
  await using bench = await start();
  const early = "/v1/finops/costs?start=2025-09-01T00:00:00Z&end=2025-09-11T00:00:00Z";
  expect(problemOf(await bench.get(early), 400)).toBe("out-of-retention");
  bench.provider.fault({ kind: "retention_trim" });
  recordsOf(await bench.get(early), "costs");
  bench.provider.fault(
    { kind: "maximum_exclusive" },
    { kind: "refuse_future" },
    { kind: "refuse_unknown" },
  );
  expect(problemOf(await bench.get(early), 400)).toBe("window-too-large");
  expect(
    problemOf(
      await bench.get("/v1/finops/costs?start=2025-10-01T00:00:00Z&end=2025-10-08T00:00:01Z"),
      400,
    ),
  ).toBe("window-in-future");
  expect(problemOf(await bench.get(`${COSTS}&granularity=1d`), 400)).toBe("unknown-parameter");
});
