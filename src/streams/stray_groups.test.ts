/**
 * The strays that one reading wrote on one day are a group (P5, R10): the models know only how many of them a later reading lists. So they
 * stand or fall together.
 */
import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import type { Fields } from "../records/fields.ts";
import { Table } from "./scripted/table.ts";
import {
  dueBefore,
  fourWindows,
  idsOf,
  lastState,
  pagesOf,
  readScript,
  recordOf,
  type Run,
  showing,
  stateOf,
  type Windows,
} from "./scripted/testing.ts";
import { DAY_ONE } from "./testing.ts";

const input = { input: fourWindows, marksReports: true };
/** Only the last two of four days are read by themselves. */
const late = { input: { ...fourWindows, lookback: 2 * DAY }, marksReports: true };

const range = (from: number, to: number): Range => ({
  start: DAY_ONE + from * DAY,
  end: DAY_ONE + to * DAY,
});

/** The strays that stand after some syncs. */
const standing = (...runs: Run[]): string[] =>
  [
    ...runs
      .reduce((table, run) => table.with(run), new Table())
      .standing()
      .keys(),
  ].toSorted();

const [gone, left] = [recordOf("gone", 1), recordOf("left", 1)];

test("P5 R10: if a window no longer shows one of two strays that a reading wrote on a day, the other one is written again", async () => {
  const first = await readScript(showing({ 2: [gone, left] }), input);
  expect(idsOf(first)).toEqual(["gone", "left"]);
  const less = showing({ 2: [left] });
  const run = await readScript(less, { ...input, stored: lastState(first), stateInterval: DAY });
  expect(idsOf(run)).toEqual(["left"]);
  expect(standing(first, run)).toEqual(["left"]);
  expect(stateOf(run).due).toEqual([]);
  const next = await readScript(less, { ...input, stored: lastState(run) });
  expect(idsOf(next)).toEqual([]);
  expect(standing(first, run, next)).toEqual(["left"]);
});

test("P5 R10: the report that lists such a group no longer goes out behind a STATE that names the window as due, in case the process dies between the two", async () => {
  const first = await readScript(showing({ 2: [gone, left] }), input);
  const run = await readScript(showing({ 2: [left] }), {
    ...input,
    stored: lastState(first),
    stateInterval: DAY,
  });
  const number = run.said.findIndex(
    ({ reading, isWhole }) => isWhole && reading.start === DAY_ONE + 2 * DAY,
  );
  expect(dueBefore(run, number)).toEqual([range(0, 3)]);
});

/** A provider that shows the records of each window one by one, on pages of their own. */
const onePerPage =
  (windows: Windows) =>
  ({ start }: Range, cursor: string | null) =>
    pagesOf(windows[(start - DAY_ONE) / DAY] ?? [], 1).slice(
      cursor === null ? 0 : Number(cursor.slice(1)),
    );

test("P5 R10: a window of such a group stays due if a newer reading of another window has listed the group in the meantime", async () => {
  const own = { 1: [recordOf("k0", 1)] };
  const kept: Fields[] = [
    recordOf("k1", 2),
    recordOf("k2", 2),
    recordOf("k3", 2),
    recordOf("k4", 2),
  ];
  const first = await readScript(onePerPage({ ...own, 2: [gone, left, ...kept] }), input);
  // Two lanes: the window of the fourth day begins after that of the third, and ends before it.
  const windows = { ...own, 2: [left, ...kept], 3: [left] };
  const asked = { ...late, lanes: 2 };
  const run = await readScript(onePerPage(windows), { ...asked, stored: lastState(first) });
  expect(idsOf(run)).toEqual(["left"]);
  expect(standing(first, run)).toContain("gone");
  expect(stateOf(run).due).toEqual([range(2, 3)]);
  const next = await readScript(onePerPage(windows), { ...asked, stored: lastState(run) });
  expect(standing(first, run, next)).toEqual(["k0", "k1", "k2", "k3", "k4", "left"]);
  expect(stateOf(next).due).toEqual([]);
});

test("P5 R10: the state forgets all of a group if it forgets one of them before a new stray of the day is written; their window is due, so the next sync judges it", async () => {
  const first = await readScript(showing({ 0: [gone, left] }), input);
  const more = recordOf("more", 1);
  const windows = showing({ 0: [left], 3: [more] });
  const run = await readScript(windows, { ...late, stored: lastState(first) });
  expect(idsOf(run)).toEqual(["more"]);
  expect(stateOf(run).strays).toHaveLength(1);
  expect(stateOf(run).due).toEqual([range(0, 1)]);
  const next = await readScript(windows, { ...late, stored: lastState(run) });
  expect(idsOf(next)).toEqual(["left"]);
  expect(standing(first, run, next)).toEqual(["left", "more"]);
  expect(stateOf(next).due).toEqual([]);
});
