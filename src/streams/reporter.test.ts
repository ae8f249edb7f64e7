import { expect, test } from "vitest";
import { isKnown } from "../core/known_days.ts";
import { beginReading } from "../core/reading.ts";
import { knownOf, type StreamState } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { dayRange } from "../core/window.ts";
import { GroupReports } from "./group_reports.ts";
import { Reporter } from "./reporter.ts";
import { provider, readScript, recordOf, stateOf } from "./scripted/testing.ts";
import { DAY_ONE } from "./testing.ts";

const NOW = DAY_ONE + 9 * DAY;
const START = { id: "1", limit: 10, beganAt: NOW, withTotals: true };

const ledgerOf = (state: StreamState) => ({
  state,
  newId: () => "3",
  reserve: () => false,
  sendAhead: () => Promise.resolve(),
});

test("P5: the report of a window that shows awaited strays takes the proof from the days that the state knows, and from no other", async () => {
  const state = stateOf(await readScript(provider([recordOf("a", 0)])));
  const unknown = DAY_ONE - DAY;
  expect([DAY_ONE, unknown].map((day) => isKnown(knownOf(state), day))).toEqual([true, false]);
  const reporter = new Reporter(
    { listed: () => [], isBehind: false, takeLoss: () => false },
    { shownBy: () => [DAY_ONE, unknown], takeDoubted: () => [] },
    {
      ledger: ledgerOf(state),
      input: { now: NOW },
      report: () => Promise.resolve(),
    },
  );
  const { awaiting } = reporter.lists(beginReading(dayRange(DAY_ONE + DAY), START), "all");
  expect(awaiting).toEqual([{ day: DAY_ONE }]);
});

test("P5: a sync without reports says nothing of a group that has lost rows, so that a later one does", async () => {
  const state = stateOf(await readScript(provider([recordOf("a", 0)])));
  const group = { day: DAY_ONE, readingId: "1" };
  const plan = { fewer: [group], keptFrom: DAY_ONE, known: [] };
  const reading = beginReading(dayRange(DAY_ONE), { ...START, id: "2" });
  const listsWith = (report: null | (() => Promise<void>)) => {
    const groups = new GroupReports(
      plan,
      () => [],
      { standing: [] },
      () => undefined,
    );
    const options = { ledger: ledgerOf(state), input: { now: NOW }, report };
    const awaited = { shownBy: () => [], takeDoubted: () => [] };
    const { strays, hasLost } = new Reporter(groups, awaited, options).lists(reading);
    return { strays, hasLost, fewer: groups.fewer };
  };
  expect(listsWith(null)).toEqual({ strays: [], hasLost: false, fewer: [group] });
  const told = [{ day: DAY_ONE, rowsReadingId: "1", records: 0 }];
  expect(listsWith(() => Promise.resolve())).toEqual({ strays: told, hasLost: true, fewer: [] });
});
