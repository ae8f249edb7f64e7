/** Signals, readers that are slow or gone, full disks: the world around the process. */
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { catalogOf } from "./support/config.ts";
import { read, startRead } from "./support/connector.ts";
import { peakMemory, UNTIL_END } from "./support/process.ts";
import { expectEqualSums, type Served, serveGenerated, startProvider } from "./support/provider.ts";
import type { Message } from "./support/protocol.ts";
import { Warehouse } from "./support/warehouse.ts";

const NOW = "2025-03-20T06:00:00Z";

let provider: Served;

beforeAll(async () => {
  const generated = "usage=8000,costs=400,days=40,hours=1,monthly=true";
  provider = await serveGenerated(generated, NOW);
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(async () => {
  await provider.faults();
  await provider.forget();
});

/** Answers come slowly enough that a read is still under way when its first records have come. */
const slowly = { kind: "latency", milliseconds: 20 } as const;

const small = { page_size: 40, concurrency: 2 };
const isRecord = ({ type }: Message): boolean => type === "RECORD";

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends a read by the signal, with its last states, and a resume loses nothing",
  async (signal) => {
    await provider.faults(slowly);
    const reading = startRead(provider.config(small));
    await reading.running.until(isRecord);
    const began = performance.now();
    await reading.running.kill(signal);
    expect(performance.now() - began).toBeLessThan(UNTIL_END);
    const run = await reading.judged();
    expect({ code: run.code, signal: run.signal }).toEqual({ code: null, signal });
    expect(run.errors).toEqual([]);
    for (const stream of ["usage", "costs"]) expect(run.statuses(stream).at(-1)).toBe("INCOMPLETE");
    expect(run.state).toHaveLength(2);

    await provider.faults();
    const { usage } = await provider.totals();
    expect(run.records("usage").length).toBeLessThan(usage["1d"].rows);
    const resumed = await read(provider.config(small), { state: run.state });
    expect(resumed.code).toBe(0);
    await expectEqualSums(provider, new Warehouse().load(run).load(resumed));
    // The state covers the rows that were written before the signal: they do not come again.
    const repeated = run.records("usage").length + resumed.records("usage").length;
    expect(repeated).toBe(usage["1d"].rows);
  },
);

test("SIGTERM while a rate limit is waited for ends the wait", async () => {
  await provider.faults({ kind: "rate_limited", retry_after: "600", when: { operation: "usage" } });
  const reading = startRead(provider.config());
  const waiting = await reading.running.until(
    ({ trace }) => trace?.stream_status?.reasons !== undefined,
  );
  expect(waiting.trace?.stream_status?.status).toBe("RUNNING");
  const began = performance.now();
  await reading.running.kill("SIGTERM");
  expect(performance.now() - began).toBeLessThan(UNTIL_END);
  const run = await reading.judged();
  expect(run.signal).toBe("SIGTERM");
  expect(run.statuses("usage").at(-1)).toBe("INCOMPLETE");
});

test("SIGTERM while nobody reads stdout, a pipe or a socket, ends the process all the same", async () => {
  const config = provider.config({ page_size: 400, concurrency: 2 });
  const readings = (["pipe", "socket"] as const).map((stdout) =>
    startRead(config, { paused: true, stdout }),
  );
  await expect.poll(async () => (await provider.requests()).length).toBeGreaterThan(4);
  await standstill(async () => (await provider.requests()).length);
  const began = performance.now();
  await Promise.all(
    readings.map(async ({ running: { child } }) => {
      child.kill("SIGTERM");
      await once(child, "exit");
    }),
  );
  expect(performance.now() - began).toBeLessThan(UNTIL_END);
  for (const reading of readings) expect((await reading.judged(true)).signal).toBe("SIGTERM");
});

test("a full refresh killed outright goes on in its next attempt and loses nothing", async () => {
  await provider.faults(slowly);
  const catalog = catalogOf("full_refresh");
  const reading = startRead(provider.config(small), { catalog });
  await reading.running.until(({ state }) => (state?.sourceStats.recordCount ?? 0) > 0);
  await reading.running.kill("SIGKILL");
  const run = await reading.judged(true);
  expect(run.signal).toBe("SIGKILL");
  await provider.faults();
  const resumed = await read(provider.config(small), { catalog, state: run.state });
  expect(resumed.code).toBe(0);
  await expectEqualSums(provider, new Warehouse().load(run).load(resumed));
});

test("a reader of stdout that goes away ends the process soon, quietly and with an error", async () => {
  await provider.faults(slowly);
  const reading = startRead(provider.config(small));
  await reading.running.until(isRecord);
  const began = performance.now();
  reading.running.stdout?.destroy();
  const run = await reading.judged(true);
  expect(performance.now() - began).toBeLessThan(UNTIL_END);
  expect(run.code).not.toBe(0);
  expect(run.signal).toBeNull();
  expect(run.stderr).toBe("");
});

test("a full disk behind stdout is an error that stderr names", async () => {
  const full = openSync("/dev/full", "w");
  try {
    const run = await startRead(provider.config(), { stdout: full }).judged(true);
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/ENOSPC|no space left/i);
    expect(run.stderr).not.toContain(provider.token);
  } finally {
    closeSync(full);
  }
});

test("requests stop while nobody reads stdout, and go on when somebody does", async () => {
  const config = provider.config({ page_size: 80, concurrency: 2 });
  const reading = startRead(config, {
    paused: true,
    catalog: catalogOf("full_refresh", ["usage"]),
  });
  await expect.poll(async () => (await provider.requests("usage")).length).toBeGreaterThan(1);
  const stopped = await standstill(async () => (await provider.requests("usage")).length);
  // Only some of the 100 pages are requested: those in the pipe and at its two ends, two for each lane, and two whose lines wait.
  expect(stopped).toBeLessThan(30);
  reading.running.resume();
  const run = await reading.judged();
  expect(run.code).toBe(0);
  expect((await provider.requests("usage")).length).toBeGreaterThan(95);
  expect(run.records("usage")).toHaveLength((await provider.totals()).usage["1d"].rows);
});

test("memory stays bounded whatever the size of the export", async () => {
  await using large = await startProvider(
    "--generate",
    "usage=160000,costs=0,days=16,hours=1",
    "--now",
    NOW,
  );
  const options = { catalog: catalogOf("full_refresh", ["usage"]), raw: true };
  const { running } = startRead(large.config(), options);
  let bytes = 0;
  let peak = 0;
  running.stdout?.on("data", (text: string) => {
    bytes += text.length;
    peak = Math.max(peak, peakMemory(running.child.pid));
  });
  const { code } = await running.done;
  expect(code).toBe(0);
  expect(bytes).toBeGreaterThan(100_000_000);
  expect(peak).toBeGreaterThan(20);
  expect(peak).toBeLessThan(300);
});

/** Waits until a number has not changed for half a second, and gives it. */
async function standstill(count: () => Promise<number>): Promise<number> {
  let last = await count();
  let since = performance.now();
  while (performance.now() - since < 500) {
    const now = await count();
    if (now !== last) since = performance.now();
    last = now;
  }
  return last;
}
