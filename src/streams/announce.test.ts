import { expect, test } from "vitest";
import { emptyPass, type StreamState, withLoss } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { dayRange } from "../core/window.ts";
import { announce, isNamed } from "./announce.ts";
import { DueWindows } from "./due_windows.ts";
import { provider, readScript, stateOf } from "./scripted/testing.ts";
import { DAY_ONE } from "./testing.ts";

/** A state in the middle of a pass. */
const read = stateOf(await readScript(provider([])));
const state = { ...read, pass: emptyPass(DAY_ONE) };

/** Whether a STATE goes out before a report, and that state. */
function announced(
  now: StreamState,
  sent: StreamState,
  unproven: readonly number[] = [],
  awaited: Parameters<typeof announce>[2]["awaited"] = { namedIn: (named) => named },
  due = new DueWindows(DAY_ONE + 9 * DAY),
) {
  const made = {
    state: now,
    sent,
    sends: 0,
    update(next: StreamState): void {
      made.state = next;
    },
    sendAhead(): Promise<void> {
      made.sends += 1;
      return Promise.resolve();
    },
  };
  const days = unproven.map((day) => dayRange(DAY_ONE + day * DAY));
  announce(made, due, {
    unproven: days,
    unlisted: [],
    awaited,
  });
  return made;
}

test("R10: a STATE names the days from which a report takes the proof, unless the last STATE did", () => {
  const { sends, state: named } = announced(state, state, [1]);
  expect(sends).toBe(1);
  expect(named).toMatchObject({ due: [{ start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY }] });
  expect(announced(named, named, [1]).sends).toBe(0);
});

test("R10: a day from which a report takes the proof stays due if the last STATE named it only because its window waits", () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  const window = dayRange(DAY_ONE + DAY);
  const waiting = due.settle(state, { ...window, rewrites: null }, true);
  expect(due.finish(waiting, window)).toMatchObject({ due: [] });
  const again = due.settle(state, { ...window, rewrites: null }, true);
  const { sends, state: marked } = announced(again, again, [1], undefined, due);
  expect(sends).toBe(0);
  expect(due.finish(marked, window)).toMatchObject({ due: [window] });
});

test("R10: a STATE tells until when rows were missing, before the report that finds them missing", () => {
  const lost = withLoss(state, DAY_ONE + 5);
  expect(announced(lost, state).sends).toBe(1);
  expect(announced(withLoss(lost, DAY_ONE + 4), lost).sends).toBe(0);
  expect(announced(withLoss(lost, DAY_ONE + 6), lost).sends).toBe(1);
});

test("P5: a STATE names the days that await strays before the report of the window that shows these, unless the last STATE did", () => {
  const entry = { days: dayRange(DAY_ONE), window: dayRange(DAY_ONE + 3 * DAY) };
  const names = {
    namedIn: <Some extends StreamState>(to: Some): Some => ({ ...to, awaited: [entry] }),
  };
  const { sends, state: named } = announced(state, state, [], names);
  expect([sends, named]).toEqual([1, { ...state, awaited: [entry] }]);
  expect(announced(named, named, [], names).sends).toBe(0);
});

test("P5: a STATE that names the days as due does not name them as days that await strays", () => {
  const due = new DueWindows(DAY_ONE + 9 * DAY);
  const days = [dayRange(DAY_ONE)];
  const sent = { ...state, due: days };
  const entry = { days: dayRange(DAY_ONE), window: dayRange(DAY_ONE + 3 * DAY) };
  expect(isNamed({ state: sent, sent }, due, days)).toBe(true);
  expect(isNamed({ state: { ...sent, awaited: [entry] }, sent }, due, days)).toBe(false);
  expect(isNamed({ state: sent, sent: state }, due, days)).toBe(false);
});
