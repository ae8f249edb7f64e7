import { expect, test, vi } from "vitest";
import type { IncrementalState, StreamState } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { DueWindows } from "./due_windows.ts";
import { readScript, stateOf } from "./scripted/testing.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const days = (from: number, to: number): Range => ({
  start: DAY_ONE + from * DAY,
  end: DAY_ONE + to * DAY,
});
const window = days(0, 3);

async function stateWith(...due: Range[]): Promise<IncrementalState> {
  return { ...stateOf(await readScript([[pageOf([])], [pageOf([])]])), due };
}

test("R10: a second reading that finds one of its days doubtful leaves this day due when its window is finished", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  const first = due.settle(await stateWith(), { ...window, rewrites: null }, true);
  expect(first).toMatchObject({ due: [window] });
  const rewrites = [{ day: DAY_ONE + DAY, records: 1, digest: "" }];
  const second = due.settle(await stateWith(window), { ...window, rewrites }, true);
  expect(due.finish(second, window)).toMatchObject({ due: [days(1, 2)] });
});

test("R10: a reading that confirms or judges days of a window that waits leaves them due", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  due.settle(await stateWith(), { ...window, rewrites: null }, true);
  const marked = due.mark(await stateWith(window), [days(0, 2)]);
  expect(marked).toMatchObject({ due: [window] });
  const state = await stateWith(window, days(5, 6));
  const confirmed = due.confirm(state, [DAY_ONE, DAY_ONE + 5 * DAY]);
  expect(confirmed).toMatchObject({ due: [window] });
  expect(due.finish(confirmed, window)).toMatchObject({ due: [days(1, 2)] });
});

test("R10: a reading of a part of a window that waits leaves its days due until the window is finished", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  due.settle(await stateWith(), { ...window, rewrites: null }, true);
  due.mark(await stateWith(window), [window]);
  const part = days(0, 1);
  const looked = due.settle(await stateWith(days(1, 3)), { ...part, rewrites: null }, false);
  expect(looked).toMatchObject({ due: [window] });
  const first = due.finish(looked, part);
  expect(first).toMatchObject({ due: [window] });
  expect(due.finish(first, window)).toMatchObject({ due: [days(1, 3)] });
});

test("R10: a day of its own that a reading has just made due stays due when a window around it is finished", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  due.settle(await stateWith(), { ...window, rewrites: null }, true);
  const part = days(1, 2);
  due.mark(await stateWith(window), [part]);
  const looked = due.settle(await stateWith(window), { ...part, rewrites: null }, false);
  const first = due.finish(looked, part);
  expect(due.finish(first, window)).toMatchObject({ due: [part] });
});

test("R10 W4: a second reading that was shortened leaves no day due because the longer window waited", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  const first = due.settle(await stateWith(), { ...days(0, 4), rewrites: null }, true);
  expect(first).toMatchObject({ due: [days(0, 4)] });
  const rewrites = [{ day: DAY_ONE + DAY, records: 1, digest: "" }];
  const state = await stateWith(days(0, 1), days(2, 4));
  const second = due.settle(state, { ...window, rewrites }, false);
  expect(due.finish(second, window)).toMatchObject({ due: [] });
});

test("R10: a day of two windows that wait stays due until both are finished", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  due.settle(await stateWith(), { ...window, rewrites: null }, true);
  const part = days(0, 1);
  const both = due.settle(await stateWith(days(1, 3)), { ...part, rewrites: null }, true);
  const first = due.finish(both, part);
  expect(first).toMatchObject({ due: [window] });
  expect(due.finish(first, window)).toMatchObject({ due: [] });
});

test("R10: a window that has still to list its strays is due as long as that, today excepted", async () => {
  const due = new DueWindows(DAY_ONE + 2.5 * DAY);
  const state = await stateWith(days(0, 1));
  expect(due.list(state, [])).toBe(state);
  const listing = due.list(state, [window]);
  expect(listing).toMatchObject({ due: [days(0, 2)] });
  expect(due.list(listing, [window])).toMatchObject({ due: [days(0, 2)] });
  expect(due.list(listing, [])).toMatchObject({ due: [days(0, 1)] });
});

test("R10: a window that has listed its strays stays due for any other cause: a reading, a loss, strays that wait, another listing", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  const listing = due.list(due.list(await stateWith(), [window]), [window, days(2, 4)]);
  const one = due.list(listing, [days(2, 4)]);
  expect(one).toMatchObject({ due: [days(2, 4)] });
  const lost = due.mark(one, [days(3, 5)]);
  expect(due.list(lost, [])).toMatchObject({ due: [days(3, 5)] });
  const waiting = new DueWindows(DAY_ONE + 9 * DAY);
  waiting.list(await stateWith(), [window]);
  const waits = waiting.settle(await stateWith(), { ...window, rewrites: null }, true);
  const listed = waiting.list(waits, []);
  expect(listed).toMatchObject({ due: [window] });
  expect(waiting.finish(listed, window)).toMatchObject({ due: [] });
});

test("R10: a reading decides which days of a window that has still to list its strays are due by themselves", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  due.list(await stateWith(), [window]);
  const decided = due.settle(await stateWith(days(1, 2)), { ...window, rewrites: null }, false);
  expect(decided).toMatchObject({ due: [window] });
  expect(due.list(decided, [])).toMatchObject({ due: [days(1, 2)] });
});

test("P5 R10: days that are held are due until the reading that they wait for is reported, or longer if another cause makes them due", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  const state = await stateWith(days(4, 5));
  const other = days(6, 7);
  const one = due.hold(state, [window], [days(4, 5), days(5, 6)]);
  expect(one).toMatchObject({ due: [days(4, 6)] });
  const both = due.hold(one, [other], [days(5, 6)]);
  const first = due.release(both, window);
  expect(first).toMatchObject({ due: [days(4, 6)] });
  expect(due.release(first, other)).toMatchObject({ due: [days(4, 5)] });
  // A reading that was lost in between makes the day due by itself.
  const again = due.mark(due.hold(state, [window], [days(5, 6)]), [days(5, 6)]);
  expect(due.release(again, window)).toMatchObject({ due: [days(4, 6)] });
});

test("R10: of a window that ends within a day the whole day is due, until it has listed its strays", async () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  const hours = { start: DAY_ONE, end: DAY_ONE + 1.5 * DAY };
  const listing = due.list(await stateWith(days(1, 2)), [hours]);
  expect(listing).toMatchObject({ due: [days(0, 2)] });
  expect(due.list(listing, [])).toMatchObject({ due: [days(1, 2)] });
});

/** How many bounds of ranges are compared meanwhile. */
function comparisonsOf(work: () => void): number {
  const spies = [vi.spyOn(Math, "min"), vi.spyOn(Math, "max")];
  work();
  const count = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  for (const spy of spies) spy.mockRestore();
  return count;
}
const MANY = 200;

test("L2: windows that are held together are one entry, also once their days have changed", async () => {
  const due = new DueWindows(DAY_ONE + 3 * MANY * DAY);
  const windows = Array.from({ length: MANY }, (_, index) => days(2 * index, 2 * index + 1));
  const state = await stateWith();
  const count = comparisonsOf(() => {
    const held = due.hold(state, windows, windows);
    expect(held).toMatchObject({ due: windows });
    const marked = due.mark(held, [window]);
    expect(due.release(marked, days(0, 1))).toMatchObject({ due: [window, ...windows.slice(2)] });
  });
  expect(count).toBeLessThan(50 * MANY);
});

test("L2: many windows begin or cease to wait in one step without a look at each two of them", async () => {
  const due = new DueWindows(DAY_ONE + 3 * MANY * DAY);
  const windows = Array.from({ length: MANY }, (_, index) => days(index, index + 1));
  let state: StreamState = await stateWith();
  for (const each of windows) state = due.settle(state, { ...each, rewrites: null }, true);
  const count = comparisonsOf(() => {
    state = due.list(state, windows);
    for (const each of windows) state = due.finish(state, each);
    expect(state).toMatchObject({ due: [days(0, MANY)] });
    state = due.list(state, []);
  });
  expect(state).toMatchObject({ due: [] });
  expect(count).toBeLessThan(50 * MANY);
});
