import { expect, test } from "vitest";
import { isKnown } from "../core/known_days.ts";
import { beginReading } from "../core/reading.ts";
import { knownOf } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { dayRange } from "../core/window.ts";
import { Reporter } from "./reporter.ts";
import { provider, readScript, recordOf, stateOf } from "./scripted/testing.ts";
import { DAY_ONE } from "./testing.ts";

test("P5: the report of a window that shows awaited strays takes the proof from the days that the state knows, and from no other", async () => {
  const state = stateOf(await readScript(provider([recordOf("a", 0)])));
  const unknown = DAY_ONE - DAY;
  expect([DAY_ONE, unknown].map((day) => isKnown(knownOf(state), day))).toEqual([true, false]);
  const reporter = new Reporter(
    { listed: () => [], isBehind: false, takeLoss: () => false },
    { shownBy: () => [DAY_ONE, unknown] },
    {
      ledger: { state, newId: () => "", reserve: () => false, sendAhead: () => Promise.resolve() },
      input: { now: DAY_ONE + 9 * DAY },
      report: () => Promise.resolve(),
    },
  );
  const start = { id: "1", limit: 10, beganAt: DAY_ONE + 9 * DAY, withTotals: true };
  const { awaiting } = reporter.lists(beginReading(dayRange(DAY_ONE + DAY), start), true);
  expect(awaiting).toEqual([{ day: DAY_ONE }]);
});
