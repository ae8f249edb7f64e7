import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { catalogOf } from "./support/config.ts";
import { read, readAsUsers, type Run } from "./support/connector.ts";
import { expectEqualSums, type Served, startProvider } from "./support/provider.ts";
import { Warehouse } from "./support/warehouse.ts";

/** A day on which costs are provisional, and some rows are still to come late. */
const FIRST = "2025-03-20T06:00:00Z";
const SECOND = "2025-03-24T09:00:00Z";
const CLOSED = "2025-04-12T00:00:00Z";

const GENERATED =
  "usage=1600,costs=640,from=2025-02-20,days=32,hours=3,currencies=USD+EUR,late=0.1,restated=0.2";

let provider: Served;

beforeAll(async () => {
  provider = await startProvider("--generate", GENERATED, "--now", FIRST);
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(async () => {
  await provider.set(FIRST);
  await provider.forget();
});

function expectSucceeded(run: Run): void {
  expect(run.code).toBe(0);
  for (const stream of ["usage", "costs"]) expect(run.statuses(stream).at(-1)).toBe("COMPLETE");
}

test("a full refresh brings every record once, and sums that are the provider's", async () => {
  const run = await read(provider.config(), { catalog: catalogOf("full_refresh") });
  expectSucceeded(run);
  const { usage, costs } = await provider.totals();
  expect(run.records("usage")).toHaveLength(usage["1d"].rows);
  expect(run.records("costs")).toHaveLength(costs.rows);
  expect(costs.rows).toBeGreaterThan(400);
  await expectEqualSums(provider, new Warehouse().load(run, "overwrite"));
});

test("a first incremental read brings every record once, and sums that are the provider's", async () => {
  const run = await read(provider.config());
  expectSucceeded(run);
  const { usage, costs } = await provider.totals();
  expect(run.records("usage")).toHaveLength(usage["1d"].rows);
  expect(run.records("costs")).toHaveLength(costs.rows);
  await expectEqualSums(provider, new Warehouse().load(run));
  expect(run.state.map(({ stream }) => stream.stream_descriptor.name).toSorted()).toEqual([
    "costs",
    "usage",
  ]);
});

test("usage by the hour sums to the provider's, with costs in days beside it", async () => {
  const run = await read(provider.config({ granularity: "1h" }));
  expectSucceeded(run);
  expect(new Set(run.records("usage").map((row) => row["x_Granularity"]))).toEqual(new Set(["1h"]));
  await expectEqualSums(provider, new Warehouse().load(run), "1h");
});

test("a second read from the state finds what came late, was restated or became final", async () => {
  const warehouse = new Warehouse();
  const first = await readAsUsers(provider.config());
  warehouse.load(first);
  const statuses = new Set(warehouse.deduped("costs").map((row) => row["x_CostStatus"]));
  expect(statuses).toEqual(new Set(["provisional", "final"]));

  await provider.set(SECOND);
  const second = await readAsUsers(provider.config(), { state: first.state });
  expectSucceeded(second);
  expect(second.records("costs").length).toBeLessThan(first.records("costs").length * 1.2);
  const before = new Set(first.records("usage").map((row) => row["x_RecordId"]));
  expect(second.records("usage").filter((row) => !before.has(row["x_RecordId"]))).not.toEqual([]);
  await expectEqualSums(provider, warehouse.load(second));

  await provider.set(CLOSED);
  const third = await readAsUsers(provider.config(), { state: second.state });
  expectSucceeded(third);
  await expectEqualSums(provider, warehouse.load(third));
  const corrections = warehouse.costs
    .deduped()
    .filter((row) => row["ChargeClass"] === "Correction");
  expect(corrections).not.toEqual([]);
});

test("a second overwriting full refresh without a state holds what is true by then", async () => {
  const warehouse = new Warehouse();
  const catalog = catalogOf("full_refresh");
  warehouse.load(await read(provider.config(), { catalog }), "overwrite");
  await provider.set(SECOND);
  warehouse.load(await read(provider.config(), { catalog }), "overwrite");
  await expectEqualSums(provider, warehouse);
});

test("a full refresh given its own last state has nothing more to say", async () => {
  const catalog = catalogOf("full_refresh");
  const first = await read(provider.config(), { catalog });
  const again = await read(provider.config(), { catalog, state: first.state });
  expectSucceeded(again);
  expect(again.records("usage")).toEqual([]);
  expect(again.records("costs")).toEqual([]);
});

test("idle reads leave the state as it is, byte for byte", async () => {
  let { state } = await read(provider.config());
  const first = JSON.stringify(state.map(({ stream }) => stream));
  for (let time = 0; time < 4; time++) {
    const run = await read(provider.config(), { state });
    expectSucceeded(run);
    ({ state } = run);
    expect(JSON.stringify(state.map(({ stream }) => stream))).toBe(first);
  }
});

test("an idle read on the same day asks for little more than the lookback", async () => {
  const first = await read(provider.config());
  await provider.forget();
  await read(provider.config(), { state: first.state });
  const starts = (await provider.requests("usage")).map(({ query }) => String(query["start"]));
  expect(starts.toSorted()[0]).toBe("2025-03-19T00:00:00Z");
});

test.each([
  ["a state file with an empty list", { state: [] }],
  ["a state file that is empty", { state: "" }],
  ["a state file with an empty object", { state: "{}" }],
  ["an empty file name for the state", { args: ["--state", ""] }],
  ["no state at all", {}],
])("with %s everything is read", async (_, options) => {
  const run = await readAsUsers(provider.config({ start_date: "2025-03-10" }), options);
  expectSucceeded(run);
  const { usage } = await provider.totals();
  const rows = usage["1d"].days.filter(({ day }) => String(day) >= "2025-03-10");
  const expected = rows.reduce((sum, row) => sum + Number(row["rows"]), 0);
  expect(run.records("usage")).toHaveLength(expected);
});

test("a single stream can be read alone", async () => {
  const run = await read(provider.config(), { catalog: catalogOf("incremental", ["costs"]) });
  expect(run.code).toBe(0);
  expect(await provider.requests("usage")).toEqual([]);
  expect(run.records("costs")).toHaveLength((await provider.totals()).costs.rows);
});

test("a start date and an end date bound what is read", async () => {
  const config = provider.config({ start_date: "2025-03-01", end_date: "2025-03-03T00:00:00Z" });
  const run = await read(config);
  expectSucceeded(run);
  const days = new Set(
    run.records("usage").map((row) => String(row["ChargePeriodStart"]).slice(0, 10)),
  );
  expect(days).toEqual(new Set(["2025-03-01", "2025-03-02"]));
});

test("windows never exceed what the provider takes, and the frozen query goes with every cursor", async () => {
  const config = provider.config({ page_size: 20, concurrency: 2 });
  expectSucceeded(await read(config));
  const requests = await provider.requests();
  expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
  const windows = new Map<string, Set<string>>();
  for (const { path, query } of requests.filter((request) => "start" in request.query)) {
    const length = Date.parse(String(query["end"])) - Date.parse(String(query["start"]));
    expect(length).toBeLessThanOrEqual(31 * 86_400_000);
    const key = `${path} ${String(query["start"])}`;
    windows.set(
      key,
      (windows.get(key) ?? new Set()).add(`${String(query["end"])} ${String(query["limit"])}`),
    );
  }
  expect([...windows.values()].filter((ends) => ends.size !== 1)).toEqual([]);
});

test("a clock that is a day wrong on this side changes nothing", async () => {
  for (const hours of [-24, 24]) {
    const skew = `const n=Date.now;Date.now=()=>n()+${hours * 3_600_000}`;
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(skew)}` };
    const run = await readAsUsers(provider.config(), { env });
    expectSucceeded(run);
    await expectEqualSums(provider, new Warehouse().load(run));
  }
});

test.each(["America/New_York", "Asia/Kathmandu"])(
  "the time zone %s changes nothing",
  async (zone) => {
    await provider.set(CLOSED);
    const run = await readAsUsers(provider.config(), { env: { TZ: zone } });
    expectSucceeded(run);
    await expectEqualSums(provider, new Warehouse().load(run));
  },
);
