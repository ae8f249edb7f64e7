import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  afterFault,
  afterLimit,
  afterPage,
  type Concurrency,
  FIRST_CONCURRENCY,
  MAXIMUM_LANES,
  spacingOf,
} from "./concurrency.ts";
import { bucket, quota, simulate } from "./testing.ts";

const never = (): null => null;
const within = (times: readonly number[], from: number): number =>
  times.filter((at) => at >= from).length;

const events = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant("page" as const),
      latency: fc.double({ min: 0, max: 60_000, noNaN: true }),
      waitedFor: fc.constantFrom("page" as const, "pace" as const, "output" as const),
    }),
    fc.record({ kind: fc.constantFrom("limit" as const, "fault" as const) }),
  ),
  { maxLength: 400 },
);

describe("C1: the number of requests at once finds itself", () => {
  test("C1: whatever happens, it is a whole number from 1 to 16, and requests keep leaving", () => {
    fc.assert(
      fc.property(
        events,
        fc.array(fc.nat(5000), { minLength: 400, maxLength: 400 }),
        (list, gaps) => {
          let [state, at]: [Concurrency, number] = [FIRST_CONCURRENCY, 0];
          for (const [index, event] of list.entries()) {
            at += gaps[index] ?? 0;
            if (event.kind === "page") state = afterPage(state, { ...event, at });
            else if (event.kind === "limit") state = afterLimit(state, at, 1000);
            else state = afterFault(state);
            expect(Number.isInteger(state.lanes)).toBe(true);
            expect(state.lanes).toBeGreaterThanOrEqual(1);
            expect(state.lanes).toBeLessThanOrEqual(MAXIMUM_LANES);
            expect(spacingOf(state)).toBeGreaterThanOrEqual(0);
            expect(spacingOf(state)).toBeLessThanOrEqual(60_000);
          }
        },
      ),
    );
  });

  test("C1: it is never stuck: from any state a fast provider gets 16 again", () => {
    fc.assert(
      fc.property(events, (list) => {
        let [state, at]: [Concurrency, number] = [FIRST_CONCURRENCY, 0];
        for (const event of list) {
          at += 100;
          if (event.kind === "page") state = afterPage(state, { ...event, at });
          else if (event.kind === "limit") state = afterLimit(state, at, 1000);
          else state = afterFault(state);
        }
        for (let page = 0; page < 20_000 && state.lanes < MAXIMUM_LANES; page++) {
          at += Math.max(spacingOf(state), 100 / state.lanes);
          state = afterPage(state, { at, latency: 100, waitedFor: "page" });
        }
        expect(state.lanes).toBe(MAXIMUM_LANES);
      }),
    );
  });

  test("C1: a provider that keeps up is read by 16 after two round trips, however long they take", () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 5000 }), (trip) => {
        const { lanes } = simulate({ latency: () => trip, refuses: never }, 20 * trip);
        const full = lanes.find((entry) => entry.lanes === MAXIMUM_LANES);
        expect(full?.at).toBeLessThanOrEqual(2 * trip);
        expect(lanes.at(-1)?.lanes).toBe(MAXIMUM_LANES);
      }),
    );
  });

  test("C1: latencies that differ by chance, and pages that grow, leave the lanes", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 50, max: 500 }), (seed, trip) => {
        let noise = seed;
        const chance = (): number => {
          noise = (Math.imul(noise, 1_103_515_245) + 12_345) | 0;
          return (noise >>> 8) / 2 ** 24;
        };
        const latency = (_: number, at: number): number =>
          trip * (at > 100 * trip ? 3 : 1) * (1 + chance());
        const { lanes } = simulate({ latency, refuses: never }, 400 * trip);
        const end = lanes.filter(({ at }) => at > 200 * trip);
        const mean = end.reduce((sum, entry) => sum + entry.lanes, 0) / end.length;
        expect(mean).toBeGreaterThan(14);
      }),
    );
  });

  test("C1: a provider that works on one request after the other is asked by one", () => {
    fc.assert(
      fc.property(fc.integer({ min: 200, max: 10_000 }), fc.boolean(), (think, isQueue) => {
        let idleAt = 0;
        const latency = (underWay: number, at: number): number => {
          if (!isQueue) return think * underWay;
          idleAt = Math.max(idleAt, at) + think;
          return idleAt - at;
        };
        const { lanes } = simulate({ latency, refuses: never }, 1000 * think);
        expect(Math.max(...lanes.map((entry) => entry.lanes))).toBeLessThanOrEqual(MAXIMUM_LANES);
        const end = lanes.filter(({ at }) => at > 300 * think);
        const mean = end.reduce((sum, entry) => sum + entry.lanes, 0) / end.length;
        expect(mean).toBeLessThan(1.3);
      }),
    );
  });

  test("C1: a slow provider does not get more requests than its patience at the start", () => {
    let idleAt = 0;
    const latency = (_: number, at: number): number => {
      idleAt = Math.max(idleAt, at) + 5000;
      return idleAt - at;
    };
    const { lanes } = simulate({ latency, refuses: never }, 600_000);
    expect(Math.max(...lanes.map((entry) => entry.lanes))).toBeLessThanOrEqual(6);
  });

  test("C1: while this process computes nearly all the time no lane is added after the start either", () => {
    const lanesAfter = (isBusy: boolean): number => {
      let state = afterFault(FIRST_CONCURRENCY);
      for (let at = 0; at < 10_000; at += 100) {
        state = afterPage(state, { at, latency: 100, waitedFor: "page", isBusy });
      }
      return state.lanes;
    };
    expect(lanesAfter(true)).toBe(3);
    expect(lanesAfter(false)).toBeGreaterThan(8);
  });

  const afterPageAndLimit = (state: Concurrency, at: number): Concurrency =>
    afterLimit(afterPage(state, { at, latency: 100, waitedFor: "pace" }), at + 1000, 1000);

  test("C1: a trial of the measured rate that does not help doubles the 429s before the next one, up to 64", () => {
    let [state, at]: [Concurrency, number] = [FIRST_CONCURRENCY, 0];
    const patience = new Set<number>();
    for (let count = 0; count < 1000; count++) {
      at += 2000;
      state = afterPageAndLimit(state, at);
      patience.add(state.pace?.patience ?? 0);
    }
    expect([...patience]).toEqual([2, 4, 8, 16, 32, 64]);
  });

  /** Each page is followed by a 429, until so many 429s are waited for before a trial, and a trial is under way. */
  function inTrial(patience: number): { state: Concurrency; at: number } {
    let [state, at]: [Concurrency, number] = [FIRST_CONCURRENCY, 0];
    while (state.pace?.patience !== patience || state.pace.term.faster === null) {
      at += 2000;
      state = afterPageAndLimit(state, at);
    }
    return { state, at };
  }

  test("C1: after a trial of the measured rate that does not help, the pace before the trial comes back", () => {
    let { state, at } = inTrial(2);
    const { pace } = state;
    while (state.pace?.term.faster !== null) {
      at += 2000;
      state = afterPageAndLimit(state, at);
    }
    expect(state.pace.rate).toBe(pace?.term.faster?.rate);
    expect(state.pace.rate).toBeGreaterThan(pace?.rate ?? Infinity);
  });

  test.each([
    [8, 4],
    [2, 2],
  ])(
    "C1: twenty pages without a 429 at a measured rate halve the 429s before the next trial, here from %i to %i",
    (before, after) => {
      let { state, at } = inTrial(before);
      for (let count = 0; count < 20; count++) {
        expect(state.pace?.patience).toBe(before);
        at += 2000;
        state = afterPage(state, { at, latency: 100, waitedFor: "pace" });
      }
      expect(afterLimit(state, at, 1000).pace?.patience).toBe(after);
    },
  );

  const trips = fc.integer({ min: 20, max: 1000 });
  const rates = fc.double({ min: 0.3, max: 60, noNaN: true }).map((perSecond) => perSecond / 1000);
  const limits = fc.oneof(
    fc.tuple(rates, fc.integer({ min: 1, max: 200 }), fc.boolean()).map(([rate, burst, names]) => ({
      rate,
      name: `${burst} at once`,
      make: () => bucket(rate, burst, names),
    })),
    fc
      .tuple(rates, fc.constantFrom(1000, 10_000, 60_000))
      .filter(([rate, length]) => rate * length >= 5)
      .map(([rate, length]) => {
        const most = Math.round(rate * length);
        return { rate: most / length, name: `each ${length} ms`, make: () => quota(most, length) };
      }),
  );

  test("C1 C2: at a provider with a rate limit, within a tenth of its rate and without storms of 429", () => {
    fc.assert(
      fc.property(limits, trips, ({ rate, make }, trip) => {
        const from = 300_000 + 100 / rate;
        const until = from + 600_000;
        const { accepted, refused } = simulate({ latency: () => trip, refuses: make() }, until);
        const possible = Math.min(rate, MAXIMUM_LANES / trip);
        expect(within(accepted, from) / (until - from)).toBeGreaterThan(0.9 * possible);
        expect(within(refused, from)).toBeLessThan(Math.max(30, 0.05 * within(accepted, from)));
      }),
      { numRuns: 200 },
    );
  });

  /** A limit that other customers share: it refuses every third request, or with a seed one of three at random, whatever the rate. */
  const shared = (seed: number | null, wait: number) => {
    let [count, noise] = [0, seed ?? 0];
    return (): number | null => {
      count += 1;
      noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) | 0;
      const isRefused = seed === null ? count % 3 === 0 : (noise >>> 8) % 3 === 0;
      return isRefused ? wait : null;
    };
  };

  test("C1 C2: where a third of the requests is refused whatever the rate, the pace does not spiral down", () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer()),
        fc.constantFrom(0, 1000, 5000),
        trips,
        (seed, wait, trip) => {
          const until = 4 * 3_600_000;
          const refuses = shared(seed, wait);
          const { accepted } = simulate({ latency: () => trip, refuses }, until);
          // A request leaves after each wait, and two of three are answered. In a spiral, later hours would have far fewer pages.
          const asked = Math.max(1000, wait) + trip;
          for (let hour = 0; hour < 4; hour++) {
            const from = hour * 3_600_000;
            const pages = within(accepted, from) - within(accepted, from + 3_600_000);
            expect(pages).toBeGreaterThan((0.4 * (3_600_000 * 2)) / 3 / asked);
          }
        },
      ),
      // With these, the first trial waited a minute for each 429: too few pages had measured its rate.
      { numRuns: 30, examples: [[30, 5000, 20] as const, [41_428, 5000, 556] as const] },
    );
  });

  test("C1 C2: a limit that loses its other customers is read at full speed again", () => {
    const [refuses, end] = [shared(null, 1000), 600_000];
    const { accepted } = simulate(
      { latency: () => 100, refuses: (at) => (at < end ? refuses() : null) },
      end + 1_260_000,
    );
    expect(within(accepted, end + 1_200_000)).toBeGreaterThan(0.5 * 60_000 * (MAXIMUM_LANES / 100));
  });

  test("C1 C2: at a provider that allows a number of requests at once, within a tenth of what it could serve", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 100, max: 1000 }),
        (most, trip) => {
          const refuses = (_: number, underWay: number): number | null =>
            underWay > most ? 0 : null;
          const until = 1_200_000;
          const { accepted, refused } = simulate({ latency: () => trip, refuses }, until);
          const possible = Math.min(most, MAXIMUM_LANES) / trip;
          const from = 600_000;
          expect(within(accepted, from) / (until - from)).toBeGreaterThan(0.85 * possible);
          expect(within(refused, from)).toBeLessThan(0.05 * within(accepted, from));
        },
      ),
      { numRuns: 20 },
    );
  });

  test("C1: a 429 halves the lanes, and the pace stays for the run", () => {
    const before = { ...FIRST_CONCURRENCY, lanes: 16, usual: 100 };
    const after = afterLimit(before, 1000, 1000);
    expect(after.lanes).toBe(8);
    expect(spacingOf(before)).toBe(0);
    expect(spacingOf(after)).toBeCloseTo(12.5); // half of 16 requests in 100 ms
    const later = afterPage(after, { at: 2000, latency: 100, waitedFor: "page" });
    expect(spacingOf(later)).toBe(spacingOf(after));
  });

  test("C1: a fault takes one lane, several at once only one, and ends the start", () => {
    const one = afterFault({ ...FIRST_CONCURRENCY, lanes: 12 });
    expect(afterFault(one)).toMatchObject({ lanes: 11, isStarting: false });
  });

  test("C1: lanes that wait for the reader of stdout go down to 4", () => {
    let state: Concurrency = { ...FIRST_CONCURRENCY, lanes: 16 };
    for (let page = 0; page < 500; page++)
      state = afterPage(state, { at: page, latency: 100, waitedFor: "output" });
    expect(state.lanes).toBe(4);
  });
});
