import { expect, test } from "vitest";
import { confirm, forget, type KnownDays, learn, NOTHING_KNOWN } from "./known_days.ts";
import { beginReading, type Reading } from "./reading.ts";
import type { FullRefreshState, IncrementalState, StreamState } from "./state.ts";
import { DAY } from "./time.ts";
import { afterReport, hasUnreported, tellsLate, toldStrays, withUnreported } from "./unreported.ts";
import type { Range } from "./window.ts";

const ONE = Date.UTC(2026, 0, 1);
const range = (from: number, to: number): Range => ({
  start: ONE + from * DAY,
  end: ONE + to * DAY,
});
const stateOf = (known: KnownDays, unreported: readonly Range[] = []): IncrementalState => ({
  mode: "incremental",
  chain: "chain",
  newestId: null,
  start: ONE,
  position: ONE + 9 * DAY,
  reconciledOn: null,
  provisional: [],
  known,
  due: [],
  unreported,
  longestRetention: 30,
  left: [],
  strays: [],
  fewer: [],
  awaited: [],
  scrub: null,
  pass: null,
});
const refresh: FullRefreshState = {
  mode: "full_refresh",
  chain: "chain",
  newestId: null,
  start: ONE,
  end: ONE,
  done: false,
  pass: null,
};
const readingOf = (withTotals: boolean): Reading =>
  beginReading(range(0, 4), { id: "r", limit: 1, beganAt: ONE, withTotals });
const toldBy = (
  withTotals: boolean,
  reports: readonly { readonly day: number }[] | null,
  misses = false,
  lacking: readonly Range[] = [],
  uncovered: readonly number[] = [],
) => ({
  reading: readingOf(withTotals),
  reports: reports && reports.map(({ day }) => ({ day, confirmed: true })),
  misses,
  lacking,
  uncovered,
});
const listOf = (state: StreamState): readonly Range[] | null =>
  state.mode === "incremental" ? state.unreported : null;

const seen = (
  index: number,
  digest: string,
  confirmed = true,
): [Parameters<typeof learn>[1], Parameters<typeof learn>[2]] => [
  { day: ONE + index * DAY, records: 2, digest },
  { readingId: "r", confirmed },
];
/** A day that was unknown, and has no rows. */
const empty: ReturnType<typeof seen> = [
  { day: ONE + 3 * DAY, records: 0, digest: "" },
  { readingId: "r", confirmed: true },
];
const before = [seen(0, "same"), seen(1, "old"), seen(2, "moved", false)].reduce(
  (known, day) => learn(known, ...day),
  NOTHING_KNOWN,
);

test("R10: of a reading that is not reported, no report tells of the days that were unknown or have changed", () => {
  const changed = learn(learn(before, ...seen(1, "new")), ...empty);
  const untold = afterReport(stateOf(changed), stateOf(before), toldBy(true, null));
  expect(listOf(untold)).toEqual([range(1, 2), range(3, 4)]);
  const confirmed = stateOf(confirm(before, ONE + 2 * DAY));
  expect(listOf(afterReport(confirmed, stateOf(before), toldBy(true, null)))).toEqual([
    range(2, 3),
  ]);
  const gone = forget(before, [{ day: ONE, records: 0, writtenBy: null }]);
  expect(listOf(afterReport(stateOf(gone), stateOf(before), toldBy(true, null)))).toEqual([
    range(0, 1),
  ]);
  const most = forget(gone, [{ day: ONE, records: 9, writtenBy: null }]);
  expect(listOf(afterReport(stateOf(most), stateOf(gone), toldBy(true, null)))).toEqual([
    range(0, 1),
  ]);
  // A day that was unknown, and of which rows were written that are not those of the reading (R4).
  const part = forget(before, [{ day: ONE + 3 * DAY, records: 9, writtenBy: "r" }]);
  expect(listOf(afterReport(stateOf(part), stateOf(before), toldBy(true, null)))).toEqual([
    range(3, 4),
  ]);
  const same = stateOf(before);
  expect(afterReport(same, stateOf(before), toldBy(true, null))).toBe(same);
});

test("R10: of a due day, and of the window of a stray that is missed, no report tells either", () => {
  const due = { ...stateOf(before), due: [range(0, 1), range(9, 10)] };
  expect(listOf(afterReport(stateOf(before), due, toldBy(true, null)))).toEqual([range(0, 1)]);
  const missed = afterReport(stateOf(before), stateOf(before), toldBy(true, null, true));
  expect(listOf(missed)).toEqual([range(0, 4)]);
  expect(listOf(afterReport(stateOf(before), due, toldBy(true, [], true)))).toEqual([]);
});

test("R10 R11: of a day that was read without a refused report, no report tells either", () => {
  const same = stateOf(before);
  const lacking = [range(1, 3), range(8, 9)];
  expect(listOf(afterReport(same, same, toldBy(true, null, false, lacking)))).toEqual([
    range(1, 3),
  ]);
  expect(listOf(afterReport(same, same, toldBy(true, [], false, lacking)))).toEqual([]);
});

test("R10: a report of a day that none has told of counts as one of a loss", () => {
  const untold = stateOf(before, [range(1, 2)]);
  expect(tellsLate(untold, [{ day: ONE + DAY }])).toBe(true);
  expect(tellsLate(untold, [{ day: ONE }, { day: ONE + 2 * DAY }])).toBe(false);
  expect(tellsLate(stateOf(before), [{ day: ONE + DAY }])).toBe(false);
  expect(tellsLate(refresh, [{ day: ONE }])).toBe(false);
});

test("R10: a sync that reports forgets the content of written strays in windows that no report tells of, and strays without an id", () => {
  const stray = (day: number, readingId: string | null, id = "id") => ({
    hash: `${day}${readingId}`,
    id,
    day: ONE,
    readingId,
    window: range(day, day + 1),
  });
  const strays = [stray(1, "r"), stray(1, null), stray(2, "r")];
  const state = { strays, unreported: [range(1, 2)] };
  expect(toldStrays(state, true)).toEqual([{ ...stray(1, "r"), hash: "id" }, ...strays.slice(1)]);
  const { id: _id, ...nameless } = stray(1, "r");
  expect(toldStrays({ ...state, strays: [nameless] }, true)).toEqual([]);
  expect(toldStrays(state, false)).toBe(strays);
  expect(toldStrays({ strays, unreported: [] }, true)).toBe(strays);
});

test("R10: a reading that is reported tells of the days of its reports; a reading without totals is not reported", () => {
  const untold = stateOf(before, [range(0, 4)]);
  const reports = [{ day: ONE }, { day: ONE + 2 * DAY }];
  const left = [range(1, 2), range(3, 4)];
  expect(listOf(afterReport(untold, untold, toldBy(true, reports)))).toEqual(left);
  expect(listOf(afterReport(untold, untold, toldBy(false, reports)))).toEqual([range(0, 4)]);
  // A report that does not cover its day tells nothing of it (R5).
  const covers = toldBy(true, reports, false, [], [ONE + 2 * DAY]);
  expect(listOf(afterReport(untold, untold, covers))).toEqual([range(1, 4)]);
  const told = stateOf(before);
  expect(afterReport(told, told, toldBy(true, reports))).toBe(told);
});

test("R10: no report has told of a loss of a day that a later reading has to prove: the models see the loss in that proof, too", () => {
  const [one, two] = [range(0, 1), range(2, 3)];
  const doubt = {
    ...toldBy(true, []),
    reports: [
      { day: one.start, confirmed: false },
      { day: two.start, confirmed: false },
      { day: two.end, confirmed: true },
    ],
  };
  const told = stateOf(before);
  const lost = { ...doubt, hasLost: true, waiting: [one.start, two.end] };
  expect(listOf(afterReport(told, told, lost))).toEqual([one]);
  expect(listOf(afterReport(told, told, { ...lost, hasLost: false }))).toEqual([]);
  const untold = stateOf(before, [range(0, 4)]);
  expect(listOf(afterReport(untold, untold, { ...lost, hasLost: false }))).toEqual([range(0, 2)]);
});

test("R10: days that no report tells of are whole; a full refresh has none", () => {
  const part = { start: ONE + 6 * DAY + 1, end: ONE + 7 * DAY + 1 };
  const untold = withUnreported(stateOf(before, [range(0, 1)]), [part]);
  expect(listOf(untold)).toEqual([range(0, 1), range(6, 8)]);
  expect([hasUnreported(untold), hasUnreported(stateOf(before))]).toEqual([true, false]);
  expect(withUnreported(refresh, [part])).toBe(refresh);
  expect(afterReport(refresh, refresh, toldBy(true, null))).toBe(refresh);
  expect(hasUnreported(refresh)).toBe(false);
});
