/** The image, run as platforms run it: a read-only root, no capabilities, an unprivileged user, little memory. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { generateAccount } from "../../reference_provider/generator/index.ts";
import { sumsOf } from "../../src/adapters/testing.ts";
import { fakeTotals } from "../adapters/totals.ts";
import { catalogOf } from "../support/config.ts";
import { faultsOf } from "../support/judge.ts";
import type { Finished } from "../support/process.ts";
import type { StreamState } from "../support/protocol.ts";
import { expectEqualSums, type Served, serve, startProvider } from "../support/provider.ts";
import { Warehouse } from "../support/warehouse.ts";
import { docker, imageConfig, shell, start } from "./container.ts";

const text = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

const STREAMS = ["usage", "costs", "export_windows"];
const catalog = catalogOf("incremental", STREAMS);

/** Fails unless the run went well and kept the protocol. */
function expectSuccess(run: Finished): void {
  expect(faultsOf(run, { streams: STREAMS, secrets: [] }), run.stderr).toEqual([]);
  expect(run.code).toBe(0);
}

/** The last state of each stream. */
function statesOf({ messages }: Finished): StreamState[] {
  const states = messages.flatMap(({ state }) => state ?? []);
  return [...new Map(states.map((state) => [state.stream.stream_descriptor.name, state])).values()];
}

describe("the facts in the image", () => {
  test("name and version are those of package.json", async () => {
    const { name, version } = JSON.parse(text("package.json")) as { name: string; version: string };
    const { Labels: labels } = await imageConfig();
    expect(labels["io.airbyte.name"]).toBe(name);
    expect(labels["io.airbyte.version"]).toBe(version);
  });

  test("the platform's entrypoint is the image's, in absolute paths", async () => {
    const { Env: environment, Entrypoint: entrypoint } = await imageConfig();
    expect(environment).toContain(`AIRBYTE_ENTRYPOINT=${entrypoint.join(" ")}`);
    expect(entrypoint.every((word) => word.startsWith("/"))).toBe(true);
  });

  test("it runs as the user airbyte, 1000, who owns /airbyte, in UTC", async () => {
    expect((await imageConfig()).User).toBe("airbyte");
    const said = await shell("id -u; id -un; stat -c %U /airbyte; date +%Z; pwd");
    expect(said.split("\n")).toEqual(["1000", "airbyte", "airbyte", "UTC", "/airbyte"]);
    // If the platform gives the container a writable root, the home is writable.
    expect(await shell("touch /airbyte/file && echo written", "--read-only=false")).toBe("written");
  });

  test("it holds the launcher, the bundle and the list of its parts, and nothing else of the repository", async () => {
    const files = (await shell("cd /usr/local/lib/source-ai-billing && find . -type f")).split(
      "\n",
    );
    expect(files).toContain("./bin/source-ai-billing");
    expect(files).toContain("./dist/source-ai-billing.js");
    expect(files).toContain("./dist/sbom.cdx.json");
    const isExpected = /^\.\/(bin\/source-ai-billing|dist\/([\w.-]+\.js|sbom\.cdx\.json))$/;
    expect(files.filter((file) => !isExpected.test(file))).toEqual([]);
    expect(
      await shell(
        "ls -A /airbyte; find / -xdev -name '*.ts' -path '*billing*' 2>/dev/null || true",
      ),
    ).toBe(".cache");
  });

  test("compiled code is there for its user, and is used where nothing can be written", async () => {
    expect(await shell('find "$NODE_COMPILE_CACHE" ! -user airbyte')).toBe("");
    const used = await shell(
      'NODE_DEBUG_NATIVE=COMPILE_CACHE "$AIRBYTE_ENTRYPOINT" spec 2>&1 > /dev/null | grep -c "was accepted"',
    );
    expect(Number(used)).toBeGreaterThan(0);
  });
});

describe("the four commands", () => {
  let provider: Served;
  beforeAll(async () => {
    provider = await startProvider("--now", "2025-10-04T12:00:00Z");
  });
  afterAll(async () => {
    await provider[Symbol.asyncDispose]();
  });

  test("spec prints spec.json", async () => {
    const run = await start("spec").done;
    expect(run.code).toBe(0);
    expect(run.messages).toEqual([{ type: "SPEC", spec: JSON.parse(text("spec.json")) }]);
  });

  test("check succeeds, and fails with a token that the provider does not know", async () => {
    const good = await start("check", { config: provider.config() }).done;
    expect(good.messages.map(({ connectionStatus }) => connectionStatus?.status)).toEqual([
      "SUCCEEDED",
    ]);
    const credentials = { auth_type: "scoped_bearer_token", access_token: "unknown" };
    const bad = await start("check", { config: provider.config({ credentials }) }).done;
    expect(bad.messages.flatMap(({ connectionStatus }) => connectionStatus?.status ?? [])).toEqual([
      "FAILED",
    ]);
    expect([good.code, bad.code]).toEqual([0, 0]);
  });

  test("discover offers the streams", async () => {
    const run = await start("discover", { config: provider.config() }).done;
    expect(run.code).toBe(0);
    const offered = run.messages.flatMap((message) => message.catalog?.streams ?? []);
    expect(offered.map(({ name }) => name)).toEqual(STREAMS);
  });

  test("read, and read again from its state after the provider has restated: equal sums", async () => {
    const warehouse = new Warehouse();
    const first = await start("read", { config: provider.config(), catalog }).done;
    expectSuccess(first);
    await expectEqualSums(provider, warehouse.load(first));
    await provider.set("2025-10-08T00:00:00Z");
    const second = await start("read", {
      config: provider.config(),
      catalog,
      state: statesOf(first),
    }).done;
    expectSuccess(second);
    await expectEqualSums(provider, warehouse.load(second));
  });
});

test("an adapter: check and two reads of a fake's own reports, with sums by day and model equal to its own", async () => {
  await using provider = await startProvider("--as", "openrouter", "--now", "2026-11-01T12:00:00Z");
  const credentials = { auth_type: "openrouter_management_key", api_key: provider.token };
  const config = provider.config({ credentials, start_date: "2026-10-10" });
  const checked = await start("check", { config }).done;
  expect(checked.messages.at(-1)?.connectionStatus?.status).toBe("SUCCEEDED");
  const warehouse = new Warehouse();
  const first = await start("read", { config, catalog }).done;
  expectSuccess(first);
  warehouse.load(first);
  await provider.set("2026-11-04T12:00:00Z");
  const second = await start("read", { config, catalog, state: statesOf(first) }).done;
  expectSuccess(second);
  warehouse.load(second);
  const truth = await fakeTotals(provider, "2026-10-10", "2026-11-04");
  for (const dataset of ["usage", "costs"] as const) {
    expect(truth[dataset].length).toBeGreaterThan(20);
    expect(sumsOf(warehouse.deduped(dataset))).toEqual(truth[dataset]);
  }
});

describe("the memory limit of the container", () => {
  const heap = (memory: number): Promise<string> =>
    shell(
      "node -p 'Math.round(require(\"node:v8\").getHeapStatistics().heap_size_limit / 2 ** 20)'",
      `--memory=${memory}m`,
    );

  test("sets the size of the heap", async () => {
    const [small, large] = (await Promise.all([heap(128), heap(1024)])).map(Number);
    expect(small).toBeLessThan(110);
    expect(large).toBeGreaterThan(500);
    expect(large).toBeLessThan(700);
  });

  test.each([128, 256])("%i MiB are enough for 100,000 records", async (memory) => {
    const now = "2025-10-01T00:00:00Z";
    const account = generateAccount("large", { usage: 100_000, costs: 2000, days: 60, now });
    await using provider = await serve(account, now);
    const run = await start("read", { config: provider.config(), catalog, memory }).done;
    expectSuccess(run);
    const { usage, costs } = await provider.totals();
    const records = run.messages.flatMap(({ record }) => record?.stream ?? []);
    expect(records.filter((stream) => stream === "usage")).toHaveLength(usage["1d"].rows);
    expect(records.filter((stream) => stream === "costs")).toHaveLength(costs.rows);
  });
});

test("SIGTERM ends a read within 5 s, with the state of what was written, and the next goes on from there", async () => {
  const now = "2025-10-01T00:00:00Z";
  const account = generateAccount("slow", { usage: 20_000, costs: 500, days: 60, now });
  await using provider = await serve(account, now);
  await provider.faults({ kind: "latency", milliseconds: 300 });
  const name = `billing-stopped-${process.pid}`;
  const running = start("read", { config: provider.config(), catalog, name });
  await running.until(({ record }) => record !== undefined);
  const begun = Date.now();
  await docker("kill", "--signal=TERM", name);
  const stopped = await running.done;
  expect(Date.now() - begun).toBeLessThan(5000);
  // The first process of a container cannot die by the signal.
  expect(stopped.code).toBe(143);
  const statuses = stopped.messages.flatMap(({ trace }) => trace?.stream_status?.status ?? []);
  expect(statuses).toContain("INCOMPLETE");
  expect(statesOf(stopped).length).toBeGreaterThan(0);
  await provider.faults();
  const rest = await start("read", { config: provider.config(), catalog, state: statesOf(stopped) })
    .done;
  expectSuccess(rest);
  await expectEqualSums(provider, new Warehouse().load(stopped).load(rest));
});
