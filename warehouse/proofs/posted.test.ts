/** Charges and corrections that the windows of their posting show, judged by the models (P5, R10). */
import { expect, test } from "vitest";
import { DAY, HOUR } from "../../src/core/time.ts";
import type { Fields } from "../../src/records/fields.ts";
import { fourWindows, recordOf } from "../../src/streams/scripted/testing.ts";
import { DAY_ONE } from "../../src/streams/testing.ts";
import { type Posted, posting, sync, verdictsOn } from "./testing.ts";

/** A sync at noon of a day, which reads the day before again. */
const on = (day: number, more: Partial<typeof fourWindows> = {}): typeof fourWindows => ({
  ...fourWindows,
  now: DAY_ONE + (day + 0.5) * DAY,
  endDate: DAY_ONE + day * DAY,
  lookback: DAY,
  ...more,
});
const later = (day: number): Pick<typeof fourWindows, "now"> => ({
  now: DAY_ONE + (day + 0.6) * DAY,
});
const restated = (id: string, day: number, at: string): Fields =>
  recordOf(id, day, { ConsumedQuantity: "99", x_RecordUpdatedAt: at });
const ALL = { lookback: 30 * DAY };

test("P5: a stray that is restated in windows with other bounds leaves its day proven", async () => {
  const wide = { maximumWindowDays: 2, ...ALL };
  const first = await sync(posting([[5], recordOf("s", 1)]), on(6, ALL));
  const middle = posting([[5], restated("s", 1, "2026-01-07T13:00:00Z")]);
  const second = await sync(middle, on(7, { maximumWindowDays: 2 }), first.all);
  const script = posting([[5], restated("s", 1, "2026-01-09T13:00:00Z")]);
  const third = await sync(script, on(9, wide), second.all);
  const fourth = await sync(script, on(10, { maximumWindowDays: 2 }), third.all);
  expect((await verdictsOn(fourth.all))[1]).toBe("01-02 proven: s");
});

test("P5: a stray that is restated and posted again, while the plan does not reach its old window, leaves its day proven", async () => {
  const first = await sync(posting([[3], recordOf("s", 1)]), on(8));
  const script = posting([[8], restated("s", 1, "2026-01-09T06:00:00Z")]);
  const second = await sync(script, on(9), first.all);
  expect((await verdictsOn(second.all))[1]).toBe("01-02 proven: s");
});

test("P5: windows that show a part of a group of strays leave the day of the group proven", async () => {
  const own: Posted = [[0], recordOf("r0", 0)];
  const script = posting(own, [[4, 5], recordOf("p1", 0)], [[4], recordOf("p2", 0)]);
  const first = await sync(script, on(6, ALL));
  const second = await sync(script, on(6, later(6)), first.all);
  expect((await verdictsOn(second.all))[0]).toBe("01-01 proven: p1 p2 r0");
});

test("P5: two windows with other bounds, each with a part of a group, leave the day of the group proven", async () => {
  const own: Posted = [[0], recordOf("r0", 0)];
  const wide = { maximumWindowDays: 2 };
  const before = await sync(posting(own), on(6, { ...wide, ...ALL }));
  const script = posting(own, [[4], recordOf("p1", 0)], [[5], recordOf("p2", 0)]);
  const first = await sync(script, on(6, { ...wide, ...ALL, ...later(6) }), before.all);
  const late = { ...wide, startDate: DAY_ONE + DAY };
  const second = await sync(script, on(7, { ...late, ...ALL }), first.all);
  const third = await sync(script, on(8, late), second.all);
  expect((await verdictsOn(third.all))[0]).toBe("01-01 proven: p1 p2 r0");
});

test("P5 R10: two windows that show a group in parts leave the day of the group proven, also if the day is read before them", async () => {
  const own: Posted = [[0], recordOf("r0", 0)];
  const wide = { maximumWindowDays: 2 };
  const before = await sync(posting(own), on(7, { ...wide, ...ALL }));
  const script = posting(own, [[5], recordOf("p1", 0)], [[6], recordOf("p2", 0)]);
  const recent = on(7, { ...wide, ...later(7), lookback: 2 * DAY });
  const first = await sync(script, recent, before.all);
  const second = await sync(script, on(8, { ...wide, ...ALL }), first.all);
  expect((await verdictsOn(second.all))[0]).toBe("01-01 proven: p1 p2 r0");
});

test("P5 R6: the window of a stray lists it no longer once its day has taken it over, also if the rows of the day were held", async () => {
  const own: Posted = [[2], recordOf("r2", 2)];
  const first = await sync(posting(own, [[3], recordOf("s", 2)]), on(6, ALL));
  const script = posting(own, [[2, 3], recordOf("s", 2)]);
  const held = { stateInterval: 1000 };
  const recent = on(6, { ...later(6), lookback: 4 * DAY });
  const second = await sync(script, recent, first.all, held);
  const third = await sync(script, on(7), second.all);
  expect((await verdictsOn(third.all))[2]).toBe("01-03 proven: r2 s");
});

test("R10: a STATE ahead of a report that lists strays still names their window as due", async () => {
  const script = posting(
    [[0], recordOf("r0", 0)],
    [[2, 4], recordOf("s", 0)],
    [[5], recordOf("t", 2)],
  );
  const first = await sync(script, on(6, ALL));
  const { run, now } = await sync(script, on(10, { reconcileFrom: DAY_ONE }), first.all);
  const states = run.outputs.flatMap(({ type }, index) => (type === "STATE" ? [index + 1] : []));
  for (const kept of states.slice(-4)) {
    // The next process runs on a later day, when the deep re-read begins later.
    const killed = [...first.all, { run, now, kept }];
    const second = await sync(script, on(12, { reconcileFrom: DAY_ONE + 5 * DAY }), killed);
    const third = await sync(script, on(13), second.all);
    expect([kept, (await verdictsOn(third.all))[0]]).toEqual([kept, "01-01 proven: r0 s"]);
  }
});

test("P5: a window that is read in part is read as a whole once a day, with the deep re-read", async () => {
  const all: Posted[] = Array.from({ length: 24 }, (_, day) => [[day], recordOf(`r${day}`, day)]);
  const script = posting(...all, [[18], recordOf("s", 0)]);
  const long = { maximumWindowDays: 6, retentionDays: 60, reconcileFrom: DAY_ONE + 20 * DAY };
  let parts = (await sync(script, on(24, { ...long, ...ALL }))).all;
  for (const hour of [1, 2, 3]) {
    const now = DAY_ONE + 24.5 * DAY + hour * HOUR;
    const { run, all: more } = await sync(script, on(24, { ...long, now }), parts);
    expect(run.queries).toHaveLength(1);
    parts = more;
  }
});
