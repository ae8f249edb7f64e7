import { expect, test } from "vitest";
import { readBytes } from "./body.ts";
import { ByteBudget } from "./budget.ts";
import { BufferPool } from "./buffers.ts";

const live = (): AbortSignal => new AbortController().signal;

/** Whether a promise is still pending after everything that could settle it has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  let pending = true;
  const settle = (): void => void (pending = false);
  promise.then(settle, settle);
  await new Promise((resolve) => setImmediate(resolve));
  return pending;
}

test("L1: a body waits for its share of the budget until others are released", async () => {
  const budget = new ByteBudget(100);
  const [first, second] = [budget.hold(live()), budget.hold(live())];
  await first.grow(60);
  await second.grow(40);
  const third = budget.hold(live());
  const waiting = third.grow(50);
  expect(await isPending(waiting)).toBe(true);
  second.release();
  expect(await isPending(waiting)).toBe(true);
  first.release();
  await waiting;
});

test("a hold counts its largest size, and released bytes count once", async () => {
  const budget = new ByteBudget(100);
  const hold = budget.hold(live());
  for (const bytes of [10, 40, 80]) await hold.grow(bytes);
  const other = budget.hold(live());
  await other.grow(20);
  hold.release();
  hold.release();
  await other.grow(100);
  expect(await isPending(budget.hold(live()).grow(1))).toBe(true);
});

test("those who wait are served in the order in which they came", async () => {
  const budget = new ByteBudget(100);
  const held = budget.hold(live());
  await held.grow(90);
  const large = budget.hold(live()).grow(50);
  const small = budget.hold(live()).grow(5);
  expect(await isPending(small)).toBe(true);
  held.release();
  await Promise.all([large, small]);
});

test("bodies that all wait for more do not wait for each other: one goes beyond the budget", async () => {
  const budget = new ByteBudget(100);
  const [first, second] = [budget.hold(live()), budget.hold(live())];
  await first.grow(50);
  await second.grow(50);
  const [one, two] = [first.grow(100), second.grow(100)];
  await one;
  expect(await isPending(two)).toBe(true);
  first.release();
  await two;
});

test("L1: of bodies that all grow in small steps, only one goes beyond the budget", async () => {
  const budget = new ByteBudget(100);
  const holds = Array.from({ length: 10 }, () => budget.hold(live()));
  const sizes = holds.map(() => 0);
  let open = holds.length;
  await Promise.all(
    holds.map(async (hold, index) => {
      for (let size = 5; size <= 80; size += 5) {
        await hold.grow(size);
        sizes[index] = size;
        expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100 + 80);
      }
      sizes[index] = 0;
      open -= 1;
      hold.release();
    }),
  );
  expect(open).toBe(0);
});

test("an abort ends a wait and a hold", async () => {
  const budget = new ByteBudget(100);
  const stop = new AbortController();
  const held = budget.hold(stop.signal);
  await held.grow(100);
  const other = new AbortController();
  const given = budget.hold(other.signal).grow(1);
  other.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  const waiting = budget.hold(live()).grow(100);
  stop.abort();
  await waiting;
  await expect(held.grow(1)).rejects.toThrow();
});

test("C3: room is there once the bodies together hold no more than the bytes asked for", async () => {
  const budget = new ByteBudget(100);
  const [first, second] = [budget.hold(live()), budget.hold(live())];
  await first.grow(60);
  await second.grow(30);
  await budget.room(90, live());
  const waiting = budget.room(20, live());
  first.release();
  expect(await isPending(waiting)).toBe(true);
  second.release();
  await waiting;
});

test("C3: a wait for room ends with its signal", async () => {
  const budget = new ByteBudget(100);
  await budget.hold(live()).grow(60);
  const controller = new AbortController();
  const waiting = budget.room(50, controller.signal);
  controller.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  await expect(budget.room(50, controller.signal)).rejects.toThrow("stopped");
});

test("L1: a body that is parsed takes four times its share of the budget", async () => {
  const budget = new ByteBudget(1000);
  const signal = live();
  const chunks = (async function* () {
    yield Buffer.alloc(200);
  })();
  const response = { status: 200, headers: {}, body: chunks };
  const body = await readBytes(response, {
    maximumBytes: 500,
    budget,
    pool: new BufferPool(),
    signal,
  });
  const other = budget.hold(live());
  await other.grow(300);
  const parsing = body.growForParsing();
  expect(await isPending(parsing)).toBe(true);
  other.release();
  await parsing;
  expect(await isPending(budget.hold(live()).grow(201))).toBe(true);
});
