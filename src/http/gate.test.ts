import { describe, expect, test } from "vitest";
import { RATE_LIMIT_POLICY } from "../core/retry.ts";
import { Gate, type Hold } from "./gate.ts";
import { failure, instantClock, NOW, realClock } from "./testing.ts";

function makeGate(clock = instantClock(), waits = true, concurrency: number | undefined = 4) {
  const holds: Hold[] = [];
  const onHold = (hold: Hold): void => void holds.push(hold);
  const policy = RATE_LIMIT_POLICY;
  const gate = new Gate({ clock, random: () => 0, policy, waits, concurrency, onHold });
  return { gate, holds, clock };
}
const signal = new AbortController().signal;

describe("one gate for all lanes", () => {
  test("C2: requests pass until a 429, then after the wait", async () => {
    const { gate, clock } = makeGate();
    const pass = await gate.pass(signal);
    expect(clock.slept).toEqual([]);
    gate.limited(pass, 5000);
    await gate.pass(signal);
    expect(clock.slept).toEqual([5000]);
  });

  test("429 of requests that were in flight together are one pause, told once", async () => {
    const { gate, holds, clock } = makeGate();
    const passes = await Promise.all([1, 2, 3, 4].map(() => gate.pass(signal)));
    for (const pass of passes) gate.limited(pass, 1000);
    expect(holds).toHaveLength(1);
    gate.limited(await gate.pass(signal), 0);
    expect(clock.slept).toEqual([1000]);
    await gate.pass(signal);
    expect(clock.slept).toEqual([1000, 2000]);
  });

  test("C2: a later answer that asks for less does not shorten the pause", async () => {
    const { gate, clock } = makeGate();
    const [one, two] = [await gate.pass(signal), await gate.pass(signal)];
    gate.limited(one, 30_000);
    gate.limited(two, 1000);
    await gate.pass(signal);
    expect(clock.slept).toEqual([30_000]);
  });

  test("a later answer that asks for more moves the end and is told", async () => {
    const { gate, holds } = makeGate();
    const [one, two, three] = [
      await gate.pass(signal),
      await gate.pass(signal),
      await gate.pass(signal),
    ];
    gate.limited(one, 1000);
    gate.limited(two, 30_000);
    gate.limited(three, 30_500);
    expect(holds.map(({ untilMs }) => untilMs - NOW)).toEqual([1000, 30_000]);
  });

  test("C2: the wait grows while 429 follows 429, and starts again after a page", async () => {
    const { gate, clock } = makeGate();
    for (let time = 0; time < 4; time += 1) gate.limited(await gate.pass(signal), 0);
    gate.succeeded(await gate.pass(signal));
    gate.limited(await gate.pass(signal), 0);
    await gate.pass(signal);
    expect(clock.slept).toEqual([1000, 2000, 4000, 8000, 1000]);
  });

  test("a page that was under way when the pause began does not stop the growth", async () => {
    const { gate, clock } = makeGate();
    const early = await gate.pass(signal);
    gate.limited(await gate.pass(signal), 0);
    gate.succeeded(early);
    gate.limited(await gate.pass(signal), 0);
    await gate.pass(signal);
    expect(clock.slept).toEqual([1000, 2000]);
  });

  test("C2: an hour without a page gives up, for every lane", async () => {
    const { gate, clock } = makeGate();
    const drain = async (): Promise<never> => {
      for (;;) gate.limited(await gate.pass(signal), 600_000);
    };
    const error = await failure(drain());
    expect(error).toMatchObject({ code: "rate_limited" });
    expect(error.message).toContain("No page has come");
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(3_600_000);
    expect(await failure(gate.pass(signal))).toBe(error);
  });

  test("endless Retry-After: 0 gives up within the hour too", async () => {
    const { gate, clock } = makeGate();
    const drain = async (): Promise<never> => {
      for (;;) gate.limited(await gate.pass(signal), 0);
    };
    expect((await failure(drain())).code).toBe("rate_limited");
    const waited = clock.slept.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThan(3_000_000);
    expect(waited).toBeLessThanOrEqual(3_600_000);
  });

  test("a page in between starts the hour again", async () => {
    const { gate } = makeGate();
    for (let time = 0; time < 20; time += 1) {
      gate.limited(await gate.pass(signal), 3_000_000);
      gate.succeeded(await gate.pass(signal));
    }
  });

  test("giving up wakes the lanes that wait", async () => {
    const { gate } = makeGate({ ...realClock, slept: [] });
    const [one, two] = [await gate.pass(signal), await gate.pass(signal)];
    gate.limited(one, 3_000_000);
    const waiting = failure(gate.pass(signal));
    expect(() => gate.limited(two, 9_000_000)).toThrow("9000 s");
    expect((await waiting).code).toBe("rate_limited");
  });

  test("an abort ends the waiting", async () => {
    const { gate } = makeGate({ ...realClock, slept: [] });
    gate.hold(Date.now() + 60_000);
    const stop = new AbortController();
    const waiting = gate.pass(stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });

  test("where it does not wait, the first 429 is an error", async () => {
    const { gate, holds } = makeGate(instantClock(), false);
    const pass = await gate.pass(signal);
    expect(() => gate.limited(pass, undefined)).toThrow("names no valid time to wait");
    expect(holds).toEqual([]);
  });
});

/** A gate that finds the number of lanes itself. */
function automatic() {
  const clock = instantClock();
  const gate = new Gate({ clock, random: () => 0, policy: RATE_LIMIT_POLICY, waits: true });
  const page = async (latency: number, isAwaited = true): Promise<void> =>
    gate.succeeded(await gate.pass(signal), { latency, isAwaited });
  return { gate, clock, page };
}

describe("C1: the gate finds the number of lanes", () => {
  test("C1: a number of the config stays, whatever comes", async () => {
    const { gate } = makeGate(instantClock(), true, 7);
    gate.succeeded(await gate.pass(signal), { latency: 10, isAwaited: true });
    gate.limited(await gate.pass(signal), 1000);
    gate.failed();
    expect(gate.lanes).toBe(7);
  });

  test("C1: pages that come without delay add lanes; answers that are no pages do not", async () => {
    const { gate, page } = automatic();
    expect(gate.lanes).toBe(4);
    gate.succeeded(await gate.pass(signal));
    expect(gate.lanes).toBe(4);
    await page(100);
    expect(gate.lanes).toBe(5);
    for (let count = 0; count < 20; count++) await page(100);
    expect(gate.lanes).toBe(16);
  });

  test("C1: pages that wait for the reader of stdout add none", async () => {
    const { gate, page } = automatic();
    for (let count = 0; count < 50; count++) await page(100, false);
    expect(gate.lanes).toBe(4);
  });

  test("C1: pages that come while this process computes nearly all the time add none", async () => {
    const clock = instantClock();
    let computed = 0;
    const busy = { ...clock, now: () => clock.now(), computed: () => computed };
    const gate = new Gate({ clock: busy, random: () => 0, policy: RATE_LIMIT_POLICY, waits: true });
    const pages = async (share: number): Promise<void> => {
      for (let count = 0; count < 8; count++) {
        await clock.sleep(100, signal);
        computed += share * 100;
        gate.succeeded(await gate.pass(signal), { latency: 100, isAwaited: true });
      }
    };
    await pages(0.9);
    expect(gate.lanes).toBe(4);
    await pages(0.5);
    expect(gate.lanes).toBe(12);
  });

  test("C1 C2: a 429 halves the lanes once for each pause, and spaces the requests after it", async () => {
    const { gate, clock } = automatic();
    const [one, two] = [await gate.pass(signal), await gate.pass(signal)];
    gate.limited(one, 1000);
    gate.limited(two, 1000);
    expect(gate.lanes).toBe(2);
    await gate.pass(signal);
    await gate.pass(signal);
    await gate.pass(signal);
    const [pause, ...spaces] = clock.slept;
    expect(pause).toBe(1000);
    expect(spaces.length).toBe(2);
    expect(Math.min(...spaces)).toBeGreaterThan(0);
  });

  test("C1 C2: a pace is compared with the wait that the provider asks for, not with a wait that has grown", async () => {
    const { gate, clock, page } = automatic();
    await page(4000);
    // The first 429 halves the rate of five lanes. This rate is below one request a second, so that no further 429 slows it down.
    for (let count = 0; count < 6; count++) gate.limited(await gate.pass(signal), 1000);
    await gate.pass(signal);
    await gate.pass(signal);
    expect(clock.slept.slice(-2)).toEqual([32_000, 1600]);
  });

  test("C1: pages whose requests waited for the pace add no lane, because such lanes would only wait", async () => {
    const { gate, page } = automatic();
    gate.limited(await gate.pass(signal), 1000);
    expect(gate.lanes).toBe(2);
    for (let count = 0; count < 50; count++) await page(100);
    expect(gate.lanes).toBe(2);
  });

  test("C1: a fault that is retried takes a lane", () => {
    const { gate } = automatic();
    gate.failed();
    expect(gate.lanes).toBe(3);
  });
});
