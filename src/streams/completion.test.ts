/** The end of a reading (P5, P6, R5, R10, R11): strays that wait, second readings, and the order of report and state. */
import { expect, onTestFinished, test, vi } from "vitest";
import { forget, isKnown } from "../core/known_days.ts";
import type { IncrementalState, StreamState } from "../core/state.ts";
import { DAY, HOUR } from "../core/time.ts";
import { nameOf, subtract } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import {
  isReport,
  stateBefore,
  fourDays,
  fourWindows as input,
  idsOf,
  lastState,
  provider as providerOf,
  readScript,
  recordOf,
  refused,
  saidOf,
  showing,
  stateOf,
  startsOf,
} from "./scripted/testing.ts";
import type { Fields } from "../records/fields.ts";
import type { FetchedPage } from "./stream.ts";
import { DueWindows } from "./due_windows.ts";
import { Strays } from "./strays.ts";
import { DAY_ONE, pageOf } from "./testing.ts";

const down = new ConnectorError("unavailable", "It is down.");
const lost = recordOf("lost", 0);
/** With these limits, the windows that a loss has overtaken wait for the next sync (R10). */
const noneAgain = { overtakenWindows: 0 };

const dayOne = { day: DAY_ONE, records: 1, writtenBy: null };

/** A state which knows that the first day owns the stray `lost`. The window of the fourth day shows this stray, too. */
async function owning(): Promise<IncrementalState> {
  const first = await readScript(showing({ 0: [lost] }), { input });
  const late = { ...input, lookback: DAY };
  const windows = { 0: [lost], 3: [lost] };
  const second = await readScript(showing(windows), { input: late, stored: lastState(first) });
  const state = stateOf(second);
  expect(state.strays).toMatchObject([{ day: DAY_ONE, readingId: null }]);
  return state;
}

test("P5: a full refresh that goes on looks for the owner of a stray on a day that its first attempt read, and writes nothing of that day", async () => {
  const mode = "full_refresh";
  const first = await readScript([[pageOf([lost])], [down]], { input, mode });
  expect(idsOf(first)).toEqual(["lost"]);
  const stored = lastState(first, mode);
  const windows = { 0: [lost, recordOf("other", 0)], 1: [lost, recordOf("r1", 1)] };
  const second = await readScript(showing(windows), { input, mode, stored });
  expect(startsOf(second)).toEqual([1, 2, 3, 0]);
  expect(idsOf(second)).toEqual(["r1"]);
  expect(second.succeeded).toBe(true);
});

test("P5: once records were forgotten, a day that this read has written is looked at again for a stray, and not written twice", async () => {
  const many = Array.from({ length: 9 }, (_, index) => recordOf(`r${index}`, 1));
  let asked = 0;
  const provider = ({ start }: { start: number }): FetchedPage[] => {
    const windows = { 0: [lost, ...(asked === 0 ? [] : [recordOf("new", 0)])], 1: many, 2: [lost] };
    asked += 1;
    return showing(windows)({ start });
  };
  const run = await readScript(provider, { input, limits: { firstSightings: 4, sightings: 4 } });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 0]);
  expect(idsOf(run)).toEqual(["lost", ...many.map((record) => record["x_RecordId"])]);
});

test("P5: a stray of a day that is not known is written without a look, and its day is not due", async () => {
  const early = recordOf("early", -1);
  const run = await readScript(showing({ 1: [early] }), { input });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 1]);
  expect(idsOf(run)).toEqual(["early"]);
  expect(stateOf(run).known.forgotten.size).toBe(0);
});

test("S1 S4 P5: a window whose strays were written counts up to where its data was available, also if the last reading began again", async () => {
  const noon = { availableThrough: DAY_ONE + 3.5 * DAY };
  const early = recordOf("early", -1);
  let asked = 0;
  const provider = ({ start }: { start: number }): (FetchedPage | ConnectorError)[] => {
    if (start !== DAY_ONE + 3 * DAY) return [pageOf([])];
    asked += 1;
    if (asked === 2) return [pageOf([early], "c", noon), refused("cursor_refused")];
    return [pageOf([early], null, noon)];
  };
  const run = await readScript(provider, { input });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 3, 3]);
  expect(idsOf(run)).toEqual(["early"]);
  expect(stateOf(run)).toMatchObject({ position: DAY_ONE + 3 * DAY, pass: null });
});

test("P5: a window that is resumed behind a written stray leaves the stray in the state", async () => {
  const own = recordOf("r1", 1);
  const pages = [pageOf([lost], "c"), pageOf([own])];
  const paged = ({ start }: { start: number }, cursor: string | null): FetchedPage[] =>
    start === DAY_ONE + DAY ? pages.slice(cursor === null ? 0 : 1) : [pageOf([])];
  const first = await readScript(paged, { input });
  expect(idsOf(first)).toEqual(["r1", "lost"]);
  const killed = await readScript([[pageOf([])], [pageOf([lost], "c"), down]], {
    input,
    stored: lastState(first),
  });
  const resumed = await readScript(paged, { input, stored: lastState(killed) });
  expect(resumed.queries[0]?.cursor).toBe("c");
  expect(stateOf(resumed).strays).toEqual(stateOf(first).strays);
});

test("P5: a forgotten day owns no stray: one that it does not return is written by the same sync", async () => {
  const state = await owning();
  const stored = { ...state, known: forget(state.known, [dayOne]) };
  const late = { ...input, lookback: DAY };
  const run = await readScript(showing({ 3: [lost] }), { input: late, stored });
  expect(idsOf(run)).toEqual(["lost"]);
});

test("P5 R8: a STATE names no stray as owned by a day that showed the stray and less than half of its rows", async () => {
  const many = Array.from({ length: 12 }, (_, index) => recordOf(`r${index}`, 0));
  const first = await readScript(showing({ 0: many }), { input });
  const late = { ...input, lookback: DAY };
  const outage = { 0: [lost], 3: [lost] };
  const second = await readScript(showing(outage), { input: late, stored: lastState(first) });
  expect(stateOf(second).known.days.get(DAY_ONE)?.shrinkage).toMatchObject({ records: 1 });
  expect(stateOf(second).strays).toEqual([]);
  const over = { 0: [...many, lost], 3: [lost] };
  const third = await readScript(showing(over), { input: late, stored: lastState(second) });
  expect(idsOf(third)).toContain("lost");
});

test.each(["the second reading of the day", "the reading that begins again"])(
  "P5: a STATE names no stray as owned by a day if %s does not return it",
  async (which) => {
    const due = [{ start: DAY_ONE, end: DAY_ONE + DAY }];
    const stored = { ...(await owning()), due };
    const [news, gone] = [recordOf("news", 0), recordOf("gone", 0)];
    const cursor = new ConnectorError("cursor_refused", "The cursor is gone.");
    const shown =
      which === "the second reading of the day"
        ? [pageOf([lost, gone], "next"), pageOf([news])]
        : [pageOf([lost, gone], "next"), cursor];
    let asked = 0;
    const provider = ({ start }: { start: number }): (FetchedPage | ConnectorError)[] => {
      if (start !== DAY_ONE) return showing({ 3: [lost] })({ start });
      asked += 1;
      return asked === 1 ? shown : [pageOf([news])];
    };
    const run = await readScript(provider, { input: { ...input, lookback: 0 }, stored });
    expect([asked, run.queries.length]).toEqual([2, 2]);
    expect(stateOf(run).known.days.get(DAY_ONE)?.records).toBe(1);
    expect(stateOf(run).strays).toEqual([]);
  },
);

test("P5: once records were forgotten, a day that is not known but was written by this read is looked at, too", async () => {
  const many = Array.from({ length: 9 }, (_, index) => recordOf(`r${index}`, 1));
  const first = await readScript([[pageOf([recordOf("r", 0)], "next")], [down]], { input });
  const moved = { asOf: "2026-01-10T01:00:00Z" };
  let asked = 0;
  const provider = ({ start }: { start: number }): FetchedPage[] => {
    if (start !== DAY_ONE) return showing({ 1: many, 2: [lost] })({ start });
    asked += 1;
    return [pageOf([lost], null, moved)];
  };
  const limits = { firstSightings: 4, sightings: 4 };
  const run = await readScript(provider, { input, stored: lastState(first), limits });
  expect(isKnown(stateOf(run).known, DAY_ONE)).toBe(false);
  expect(asked).toBe(2);
  expect(idsOf(run)).toEqual(["lost", ...many.map((record) => record["x_RecordId"])]);
});

test("P5: a day that was written before its owner of a stray came leaves the state, and the next sync writes it", async () => {
  const many = Array.from({ length: 9 }, (_, index) => recordOf(`r${index}`, 1));
  const early = recordOf("early", 0);
  let asked = 0;
  const provider = ({ start }: { start: number }): FetchedPage[] => {
    if (start === DAY_ONE) asked += 1;
    const shown = asked === 1 ? [early] : [early, lost];
    return showing({ 0: shown, 1: many, 2: [lost] })({ start });
  };
  const limits = { firstSightings: 4, sightings: 4 };
  const run = await readScript(provider, { input, limits });
  expect(idsOf(run)).not.toContain("lost");
  expect(isKnown(stateOf(run).known, DAY_ONE)).toBe(false);
  const late = { ...input, lookback: DAY };
  expect(idsOf(await readScript(provider, { input: late, stored: lastState(run) }))).toContain(
    "lost",
  );
});

test("P5 R8: a day that shows less than half stays in the state if its strays are left to the next sync", async () => {
  const many = Array.from({ length: 12 }, (_, index) => recordOf(`r${index}`, 0));
  const others = Array.from({ length: 9 }, (_, index) => recordOf(`s${index}`, 1));
  const first = await readScript(showing({ 0: [...many, lost], 1: others }), { input });
  // Records are forgotten, so that the day of the stray would be looked at again. But no window may be read for that.
  const limits = { firstSightings: 4, sightings: 4, looks: 0 };
  const outage = showing({ 0: many.slice(0, 5), 1: others, 3: [lost] });
  const second = await readScript(outage, { input, stored: lastState(first), limits });
  expect(idsOf(second)).toEqual([]);
  expect(saidOf(second, "WARN")).toContain("1 days of such starts are left to the next sync");
  expect(stateOf(second).known.days.get(DAY_ONE)).toMatchObject({ shrinkage: { records: 5 } });
  const over = showing({ 0: [...many, lost], 1: others, 3: [lost] });
  const third = await readScript(over, { input, stored: lastState(second) });
  expect(idsOf(third)).toEqual([]);
});

test("P5: a day before the plan keeps its strays, because it is never read again", async () => {
  const state = await owning();
  const stored = { ...state, known: forget(state.known, [dayOne]) };
  const late = { ...input, startDate: DAY_ONE + 3 * DAY };
  const run = await readScript(showing({ 3: [lost] }), { input: late, stored });
  expect(idsOf(run)).toEqual([]);
  expect(stateOf(run).strays).toEqual(state.strays);
});

test("R10: where a window no longer shows a written stray, the days that the pass had read before are due", async () => {
  const early = ["one", "other"].map((id) => recordOf(id, -1));
  const first = await readScript(showing({ 2: early.slice(0, 1), 3: early.slice(1) }), { input });
  expect(idsOf(first).toSorted()).toEqual(["one", "other"]);
  const options = {
    input,
    stored: lastState(first),
    marksReports: true,
    stateInterval: DAY,
    limits: noneAgain,
  };
  const second = await readScript(showing({}), options);
  const twoDays = { start: DAY_ONE, end: DAY_ONE + 2 * DAY };
  const threeDays = { start: DAY_ONE, end: DAY_ONE + 3 * DAY };
  expect(stateOf(second).due).toEqual([threeDays]);
  // Each report that takes the proof from days stands behind a STATE that names them.
  expect(stateBefore(second, 2).due).toEqual([twoDays]);
  expect(stateBefore(second, 3).due).toEqual([threeDays]);
});

test("R10: a window that waits for its strays is due until they are written: a sync that fails in between loses none", async () => {
  const shows =
    (fails: boolean) =>
    ({ start }: { start: number }): (FetchedPage | ConnectorError)[] =>
      fails && start === DAY_ONE + 2 * DAY ? [down] : showing({ 1: [early] })({ start });
  const early = recordOf("early", -1);
  const first = await readScript(showing({}), { input });
  const late = { ...input, lookback: DAY };
  const due = [{ start: DAY_ONE + DAY, end: DAY_ONE + 3 * DAY }];
  const failed = await readScript(shows(true), { input: late, stored: { ...stateOf(first), due } });
  expect(failed.succeeded).toBe(false);
  expect(stateOf(failed).due).toEqual(due);
  const next = { ...late, now: late.now + DAY };
  const run = await readScript(shows(false), { input: next, stored: lastState(failed) });
  expect(idsOf(run)).toEqual(["early"]);
  expect(stateOf(run).due).toEqual([]);
});

test("R10: a window that waits while another day loses rows stays due after its strays are written", async () => {
  const early = recordOf("early", -1);
  const rows = [recordOf("r3", 3), recordOf("lost", 3)];
  const first = await readScript(showing({ 3: rows }), { input });
  const shown = showing({ 1: [early], 3: rows.slice(0, 1) });
  const run = await readScript(shown, { input, stored: lastState(first), limits: noneAgain });
  expect(idsOf(run)).toContain("early");
  expect(stateOf(run).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 3 * DAY }]);
});

const dayRange = (day: number) => ({ start: DAY_ONE + day * DAY, end: DAY_ONE + (day + 1) * DAY });

test("R10: a day that shows less than half is due in a STATE that goes out before the report, in case the process dies between the two", async () => {
  const many = Array.from({ length: 12 }, (_, index) => recordOf(`r${index}`, 1));
  const first = await readScript(showing({ 1: many }), { input });
  const run = await readScript(showing({ 1: many.slice(0, 3) }), {
    input,
    stored: lastState(first),
    marksReports: true,
    stateInterval: DAY,
  });
  expect(run.said[1]?.days).toMatchObject([{ shrunk: true }]);
  // Rows of the day may have moved to the day before it.
  expect(stateBefore(run, 1).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 2 * DAY }]);
});

test("R10: days that the STATE calls read are due in a STATE before the report of a day that has lost rows", async () => {
  const rows = [recordOf("r0", 0), recordOf("r3", 3), recordOf("lost", 3)];
  const first = await readScript(showing({ 0: [recordOf("r0", 0)], 3: rows.slice(1) }), { input });
  const run = await readScript(showing({ 0: [recordOf("r0", 0)], 3: [recordOf("r3", 3)] }), {
    input,
    stored: lastState(first),
    marksReports: true,
    stateInterval: 0,
  });
  expect(stateBefore(run, 3).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 3 * DAY }]);
});

test("R10: rows that are missing make the days due that an earlier process of the pass has read", async () => {
  const [kept, gone] = [recordOf("kept", 3), recordOf("gone", 3)];
  const first = await readScript(showing({ 3: [kept, gone] }), { input });
  const killed = await readScript(
    ({ start }) => (start === DAY_ONE + 2 * DAY ? [down] : showing({})({ start })),
    { input, stored: lastState(first) },
  );
  const later = { ...input, now: input.now + HOUR };
  const run = await readScript(showing({ 3: [kept] }), {
    input: later,
    stored: lastState(killed),
    limits: noneAgain,
  });
  expect(startsOf(run)).toEqual([2, 3]);
  expect(stateOf(run).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 3 * DAY }]);
});

/** A clock of the provider. Each call moves it on by a millisecond. */
function ticking(): () => number {
  let now = input.now;
  return () => now++;
}

test("R10: while a lane still reads a window, another one finds rows missing: the window is due, and later ones are not", async () => {
  const [long, kept, gone] = [recordOf("long", 0), recordOf("kept", 1), recordOf("gone", 1)];
  const first = await readScript(showing({ 0: [long], 1: [kept, gone] }), { input });
  const empty = ["c1", "c2", "c3", "c4", "c5"].map((cursor) => pageOf([], cursor));
  const script = ({ start }: { start: number }): FetchedPage[] =>
    start === DAY_ONE ? [...empty, pageOf([long])] : showing({ 1: [kept] })({ start });
  const options = { input, lanes: 2, providerNow: ticking(), limits: noneAgain };
  const run = await readScript(script, { ...options, stored: lastState(first) });
  expect(startsOf(run)).toEqual([0, 1, 2, 3]);
  const [missing, later, last, longest] = run.said;
  expect(longest?.reading.start).toBe(DAY_ONE);
  expect(missing?.endedAt).toBeGreaterThan(longest?.reading.beganAt ?? Infinity);
  expect(missing?.endedAt).toBeLessThan(later?.reading.beganAt ?? 0);
  expect(last?.reading.start).toBe(DAY_ONE + 3 * DAY);
  expect(stateOf(run).due).toEqual([dayRange(0)]);
});

test("R10 P6: a second reading that confirms a day leaves it due if another lane has found rows missing meanwhile", async () => {
  const [own, kept, gone] = [recordOf("own", 0), recordOf("kept", 3), recordOf("gone", 3)];
  const first = await readScript(showing({ 0: [own], 3: [kept, gone] }), { input });
  const known = forget(stateOf(first).known, [dayOne]);
  const moved = [pageOf([own], "c"), pageOf([], null, { asOf: "2026-01-10T01:00:00Z" })];
  const emptyPages = (count: number): FetchedPage[] =>
    Array.from({ length: count }, (_, index) => pageOf([], `c${index}`));
  const readings = [moved, [...emptyPages(9), pageOf([own])]];
  const script = ({ start }: { start: number }): FetchedPage[] => {
    if (start === DAY_ONE) return readings.shift() ?? [];
    const waits = emptyPages(start === DAY_ONE + DAY ? 4 : 0);
    return [...waits, ...showing({ 3: [kept] })({ start })];
  };
  const stored = { ...stateOf(first), known };
  const run = await readScript(script, {
    input,
    lanes: 2,
    providerNow: ticking(),
    stored,
    limits: noneAgain,
  });
  expect(startsOf(run)).toEqual([0, 1, 2, 0, 3]);
  expect(run.said.map(({ reading }) => (reading.start - DAY_ONE) / DAY)).toEqual([0, 2, 1, 3, 0]);
  expect(unconfirmed(stateOf(run))).toBe(0);
  expect(stateOf(run).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 3 * DAY }]);
});

test("R10: rows of a first passage that the second passage of the window does not show are missing", async () => {
  const [kept, gone] = [recordOf("kept", 2), recordOf("gone", 2)];
  const readings = [[pageOf([kept, gone], "c"), refused("cursor_refused")], [pageOf([kept])]];
  const script = ({ start }: { start: number }): (FetchedPage | ConnectorError)[] =>
    (start === DAY_ONE + 2 * DAY ? readings.shift() : undefined) ?? [pageOf([])];
  const run = await readScript(script, { input, limits: noneAgain });
  expect(startsOf(run)).toEqual([0, 1, 2, 2, 3]);
  expect(stateOf(run).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 2 * DAY }]);
});

test("R10: all days of a window are due while its second reading is due: a sync that fails before it reads none of them", async () => {
  const [same, kept, gone] = [recordOf("same", 0), recordOf("kept", 1), recordOf("gone", 1)];
  const first = await readScript(providerOf([same, kept, gone], 2), { input: fourDays });
  const half = { ...fourDays, lookback: 0 };
  const due = [{ start: DAY_ONE, end: DAY_ONE + 2 * DAY }];
  const pages = [pageOf([same], "c"), pageOf([kept])];
  const stored = { ...stateOf(first), due };
  const failed = await readScript([pages, [down]], { input: half, stored });
  expect(failed.queries).toHaveLength(2);
  expect(stateOf(failed).due).toEqual(due);
  const run = await readScript([pages, [pageOf([kept])]], { input: half, stored });
  expect(idsOf(run)).toEqual(["kept"]);
  expect(stateOf(run).due).toEqual([dayRange(0)]); // its second reading has found a row missing
});

test("R10 P6: rows that a second moving listing misses, too, may have moved to a window that was read before", async () => {
  const shown = { 0: [recordOf("r0", 0)], 1: [recordOf("gone", 1)], 2: [recordOf("r2", 2)] };
  const first = await readScript(showing(shown), { input });
  const moved = [pageOf([], "c"), pageOf([], null, { asOf: "2026-01-10T01:00:00Z" })];
  const moving = ({ start }: { start: number }): FetchedPage[] =>
    start === DAY_ONE + DAY ? moved : showing(shown)({ start });
  const options = { input, providerNow: ticking(), limits: noneAgain };
  const suspicious = await readScript(moving, { ...options, stored: lastState(first) });
  const stored = { ...stateOf(suspicious), due: [] };
  const run = await readScript(moving, { ...options, stored });
  expect(startsOf(run)).toEqual([0, 1, 2, 3]);
  expect(unconfirmed(stateOf(run))).toBe(0);
  expect(stateOf(run).due).toEqual([dayRange(0)]);
});

/** A window of two pages, each with an `as_of` of its own. */
const movedTo = (rows: Parameters<typeof pageOf>[0]): FetchedPage[] => [
  pageOf([], "c"),
  pageOf(rows, null, { asOf: "2026-01-10T01:00:00Z" }),
];

test.each([
  ["and shows the stray", true],
  ["and it is gone if that listing moved and lacks it, too", false],
])(
  "R10 P6: a window whose listing moved and lacks a written stray is read again in the same sync, %s",
  async (_name, isThere) => {
    const early = recordOf("early", -1);
    const first = await readScript(showing({ 2: [early] }), { input });
    let readings = 0;
    const moving = ({ start }: { start: number }, cursor: string | null): FetchedPage[] => {
      if (start !== DAY_ONE + 2 * DAY) return [pageOf([])];
      if (cursor === null) readings += 1;
      return movedTo(readings > 1 && isThere ? [early] : []);
    };
    const second = await readScript(moving, {
      input,
      stored: lastState(first),
      limits: { confirmedPages: 0 },
    });
    expect(readings).toBe(2);
    expect(stateOf(second).strays).toEqual(isThere ? stateOf(first).strays : []);
    expect(second.said.flatMap(({ strays }) => strays)).toMatchObject([
      { day: DAY_ONE - DAY, records: isThere ? 1 : 0 },
    ]);
    expect(subtract([dayRange(2)], stateOf(second).due)).toEqual([dayRange(2)]);
  },
);

test("R10 P6: such a window is due at once, in case the sync ends before it reads the window again", async () => {
  const first = await readScript(showing({ 2: [recordOf("early", -1)] }), { input });
  const failing = ({ start }: { start: number }) =>
    start === DAY_ONE + 3 * DAY ? [down] : start < DAY_ONE + 2 * DAY ? [pageOf([])] : movedTo([]);
  const run = await readScript(failing, { input, stored: lastState(first) });
  expect(run.succeeded).toBe(false);
  expect(subtract([dayRange(2)], stateOf(run).due)).toEqual([]);
});

test("R10 P6: if that window cannot be read again, it is due, and the next sync tells nothing of the stray after one such reading", async () => {
  const early = recordOf("early", -1);
  const first = await readScript(showing({ 2: [early] }), { input });
  const moving = ({ start }: { start: number }): FetchedPage[] =>
    start === DAY_ONE + 2 * DAY ? movedTo([]) : [pageOf([])];
  let stored = lastState(first);
  for (let sync = 0; sync < 2; sync++) {
    const run = await readScript(moving, { input, stored, limits: noneAgain });
    expect(stateOf(run).strays).toEqual(stateOf(first).strays);
    expect(subtract([dayRange(2)], stateOf(run).due)).toEqual([]);
    stored = lastState(run);
  }
});

test("R10: the days read before are due once a day takes over the last stray of a group that has lost one: the models see the loss then", async () => {
  const stray = recordOf("stray", 2);
  const first = await readScript(showing({ 0: [stray] }), { input });
  const [known] = stateOf(first).strays;
  const fewer = [{ day: DAY_ONE + 2 * DAY, readingId: known?.readingId ?? "" }];
  // The id stands in place of the content, because the stray is to be written again.
  const strays = stateOf(first).strays.map((own) => ({ ...own, hash: own.id ?? "" }));
  const run = await readScript(showing({ 0: [stray], 2: [stray] }), {
    input,
    stored: { ...stateOf(first), strays, fewer },
    limits: noneAgain,
  });
  expect(idsOf(run)).toEqual(["stray"]);
  expect(subtract([dayRange(0), dayRange(1)], stateOf(run).due)).toEqual([]);
});

test("R10: the days of a resumed reading are due, because its second process does not know the records of the first one", async () => {
  const pages = [pageOf([recordOf("a", 1)], "c"), pageOf([recordOf("a", 1), recordOf("b", 1)])];
  const paged = ({ start }: { start: number }, cursor: string | null): FetchedPage[] =>
    start === DAY_ONE + DAY ? pages.slice(cursor === null ? 0 : 1) : [pageOf([])];
  const killed = await readScript([[pageOf([])], [pages[0] ?? pageOf([]), down]], { input });
  const resumed = await readScript(paged, { input, stored: lastState(killed) });
  expect(resumed.said.find(({ reading }) => reading.resumed)?.days).toMatchObject([{ rows: 3 }]);
  expect(stateOf(resumed).due).toEqual([dayRange(1)]);
  const next = await readScript(showing({ 1: [recordOf("a", 1), recordOf("b", 1)] }), {
    input: { ...input, lookback: 0 },
    stored: lastState(resumed),
  });
  expect(startsOf(next)).toContain(1);
  expect(stateOf(next).due).toEqual([]);
  expect(next.said.flatMap(({ days }) => days)).toContainEqual(
    expect.objectContaining({ day: DAY_ONE + DAY, rows: 2, confirmed: true }),
  );
});

test.each([false, true])(
  "P5 P6: a second reading of a listing that moves confirms no day that awaits strays (%s)",
  async (awaits) => {
    const row = recordOf("a", 2);
    const first = await readScript(showing({ 2: [row] }), { input });
    const early = { start: DAY_ONE - 5 * DAY, end: DAY_ONE - 4 * DAY };
    const day = DAY_ONE + 2 * DAY;
    const state = stateOf(first);
    // A kill has left the day unknown, so that the next sync writes it while it is read.
    const known = forget(state.known, [{ day, records: 1, writtenBy: null }]);
    const awaited = awaits ? [{ days: dayRange(2), window: early }] : [];
    const script = ({ start }: { start: number }): FetchedPage[] =>
      start === day ? movedTo([row]) : [pageOf([])];
    const run = await readScript(script, { input, stored: { ...state, known, awaited } });
    expect(startsOf(run)).toEqual([0, 1, 2, 3, 2]);
    const proofs = run.said.flatMap(({ days }) => days).filter((one) => one.day === day);
    expect(proofs.some(({ confirmed }) => confirmed)).toBe(!awaits);
  },
);

test("R5: the state says that a window is done only once its report is out", async () => {
  const run = await readScript(showing({ 0: [lost] }), { input, lanes: 4, marksReports: true });
  let reports = 0;
  for (const output of run.outputs) {
    if (isReport(output)) reports += 1;
    if (output.type !== "STATE") continue;
    const state = lastState({ ...run, states: [output] });
    const done = state?.mode === "incremental" ? (state.position - DAY_ONE) / DAY : 0;
    expect(done).toBeLessThanOrEqual(reports);
  }
  expect(reports).toBe(4);
});

test("R5: each STATE behind a report has the day that the report is about, also if the state changed while the report waited", async () => {
  const days = [0, 1, 2, 3];
  const windows = Object.fromEntries(days.map((day) => [day, [recordOf(`r${day}`, day)]]));
  const run = await readScript(showing(windows), { input, lanes: 4, marksReports: true });
  let reports = 0;
  for (const output of run.outputs) {
    if (isReport(output)) reports += 1;
    if (output.type !== "STATE") continue;
    const { known } = stateOf({ ...run, states: [output] });
    for (const { days: said } of run.said.slice(0, reports))
      for (const { day } of said) expect(isKnown(known, day)).toBe(true);
  }
  expect(reports).toBe(4);
});

test("R5: a pass that goes on is reported with the instant when it was first planned, and a look as part of a window", async () => {
  const killed = await readScript([[pageOf([lost])], [down]], { input });
  const later = { ...input, now: input.now + HOUR };
  const resumed = await readScript(showing({}), { input: later, stored: lastState(killed) });
  expect(new Set(resumed.said.map(({ pass }) => pass.beganAt))).toEqual(new Set([input.now]));
  const late = { ...input, lookback: DAY };
  const first = await readScript(showing({ 0: [lost] }), { input });
  const windows = { 0: [lost], 3: [lost] };
  const second = await readScript(showing(windows), { input: late, stored: lastState(first) });
  expect(startsOf(second)).toEqual([3, 0]);
  expect(second.said.map(({ isWhole }) => isWhole)).toEqual([true, false]);
});

/** Two rows of each day, a page each; every page has an `as_of` of its own. */
function restless() {
  let pages = 0;
  const page = (record: Fields, next: string | null): FetchedPage => {
    pages += 1;
    return pageOf([record], next, { asOf: `2026-01-13T00:00:00.${pages + 100}Z` });
  };
  return ({ start }: { start: number }): FetchedPage[] => {
    const day = (start - DAY_ONE) / DAY;
    return [page(recordOf(`a${day}`, day), "p"), page(recordOf(`b${day}`, day), null)];
  };
}
const unconfirmed = (state: StreamState): number =>
  state.mode === "incremental"
    ? [...state.known.days.values()].filter(({ confirmed }) => !confirmed).length
    : 0;

test("P6: so many windows are read a second time in one sync, and the days of the others are due", async () => {
  const run = await readScript(restless(), { input, limits: { confirmations: 3 } });
  expect(run.queries).toHaveLength(4 + 3);
  expect(unconfirmed(stateOf(run))).toBe(1);
  expect(stateOf(run).due).toEqual([{ start: DAY_ONE + 3 * DAY, end: DAY_ONE + 4 * DAY }]);
});

test("P6: a window of a day that goes on is not read a second time: nobody could prove that day", async () => {
  const today = { ...input, startDate: DAY_ONE + 4 * DAY, endDate: null };
  const run = await readScript(restless(), { input: today });
  expect(startsOf(run)).toEqual([4]);
});

test("P6: a full refresh reads no window a second time: it knows no days", async () => {
  const run = await readScript(restless(), { input, mode: "full_refresh" });
  expect(startsOf(run)).toEqual([0, 1, 2, 3]);
});

test("P6: a resumed window is not read a second time: its pages before the kill were not counted", async () => {
  const rows = [0, 1, 2, 3].map((day) => recordOf(`r${day}`, day));
  const first = await readScript(showing(rows.map((row) => [row])), { input: fourDays });
  const killed = await readScript([[pageOf(rows.slice(0, 1), "c"), down]], {
    input: fourDays,
    stored: lastState(first),
  });
  const later = pageOf(rows.slice(1, 3), null, { asOf: "2026-01-10T01:00:00Z" });
  const run = await readScript([[later]], { input: fourDays, stored: lastState(killed) });
  expect(run.queries).toHaveLength(1);
  // R10: the next sync reads all of its days again.
  expect(stateOf(run).due).toEqual([{ start: DAY_ONE, end: DAY_ONE + 4 * DAY }]);
});

test("P6 R6: a record that two readings of a moving listing have skipped is written by the next reading that shows it", async () => {
  const [shown, skipped] = [recordOf("shown", 3), recordOf("skipped", 3)];
  const lastDay = { ...input, startDate: DAY_ONE + 3 * DAY };
  const moved = { asOf: "2026-01-10T01:00:00Z" };
  const partly = [pageOf([shown], "c"), pageOf([], null, moved)];
  const first = await readScript([partly, partly], { input: lastDay });
  expect(idsOf(first)).toEqual(["shown"]);
  expect([unconfirmed(stateOf(first)), stateOf(first).due]).toEqual([0, []]);
  const provider = showing({ 3: [shown, skipped] });
  const second = await readScript(provider, { input: lastDay, stored: lastState(first) });
  expect(idsOf(second)).toContain("skipped");
});

test("R11 P6: while the source cannot show all of its rows, no window is read a second time: that reading would prove nothing", async () => {
  const unprovenBefore = () => input.endDate;
  for (const provider of [restless(), showing({ 1: [recordOf("r1", 1)] })]) {
    const run = await readScript(provider, { input, unprovenBefore });
    expect(startsOf(run)).toEqual([0, 1, 2, 3]);
    expect(run.said.flatMap(({ days }) => days).some(({ confirmed }) => confirmed)).toBe(false);
  }
});

test("R11 P6: a second reading that ends after the provider has refused a report confirms nothing, and its day stays due", async () => {
  const lastDay = { ...input, startDate: DAY_ONE + 3 * DAY };
  const shown = restless();
  let asked = 0;
  const provider = (query: { start: number }): FetchedPage[] => {
    asked += 1;
    return shown(query);
  };
  const unprovenBefore = () => (asked === 1 ? null : input.endDate);
  const run = await readScript(provider, { input: lastDay, unprovenBefore });
  expect(startsOf(run)).toEqual([3, 3]);
  expect(run.said.flatMap(({ days }) => days)).toMatchObject([{ confirmed: false }]);
  expect(unconfirmed(stateOf(run))).toBe(1);
  expect(stateOf(run).due).toEqual([dayRange(3)]);
});

test("R4 R6: a window that begins again and then fits a page writes the days that differ, although it has returned their rows before", async () => {
  const rows = [0, 1, 2, 3].map((day) => recordOf(`r${day}`, day));
  const first = await readScript(showing(rows.map((row) => [row])), { input });
  const changed = rows.with(1, recordOf("r1", 1, { ConsumedQuantity: "99" }));
  const script = [[pageOf(changed.slice(0, 3), "c"), refused("cursor_refused")], [pageOf(changed)]];
  const run = await readScript(script, { input: fourDays, stored: lastState(first) });
  expect(idsOf(run)).toEqual(["r1"]);
  const next = await readScript([[pageOf(changed)]], { input: fourDays, stored: lastState(run) });
  expect(idsOf(next)).toEqual([]);
});

test("R5 P5: a reading that misses a stray and has days to report says nothing of the days that its second reading writes", async () => {
  const rows = [0, 1, 2, 3].map((day) => recordOf(`r${day}`, day));
  const early = recordOf("early", -1);
  const first = await readScript(showing(rows.map((row) => [row])), { input: fourDays });
  const second = await readScript(() => [pageOf([...rows, early])], {
    input: fourDays,
    stored: lastState(first),
  });
  expect(stateOf(second).strays).toHaveLength(1);
  const changed = rows.with(1, recordOf("r1", 1, { ConsumedQuantity: "99" }));
  const run = await readScript(() => [pageOf(changed.slice(0, 3), "c"), pageOf(changed.slice(3))], {
    input: fourDays,
    stored: lastState(second),
  });
  const said = run.said.map(({ days }) => days.map(({ day }) => (day - DAY_ONE) / DAY));
  expect(said).toEqual([[0, 2, 3], [1]]);
  expect(stateOf(run).strays).toEqual([]);
});

test("P5: a stray that starts before retention is remembered as long as its window is kept, and not written again", async () => {
  const kept = { ...input, retentionDays: 30 };
  const old = recordOf("old", -60);
  const first = await readScript(showing({ 3: [old] }), { input: kept });
  expect(idsOf(first)).toEqual(["old"]);
  const second = await readScript(showing({ 3: [old] }), { input: kept, stored: lastState(first) });
  expect(idsOf(second)).toEqual([]);
  expect(stateOf(second)).toEqual(stateOf(first));
  const later = { ...kept, now: DAY_ONE + 35 * DAY, startDate: null };
  const third = await readScript(showing({}), { input: later, stored: lastState(second) });
  expect(stateOf(third).strays).toEqual([]);
});

test("P4 P5: a reading that writes strays and is killed leaves no cursor: a later process would take it for one of its whole window", async () => {
  const empty = [pageOf([])];
  const half = [pageOf([lost], "c"), down];
  const script = [empty, [pageOf([lost])], empty, empty, half];
  const killed = await readScript(script, { input });
  expect(idsOf(killed)).toEqual(["lost"]);
  expect(stateOf(killed).pass?.open).toEqual([]);
  const stored = lastState(killed);
  const next = await readScript(showing({ 1: [lost] }), { input, stored });
  // The window, a look for the owner, and the strays; then the day, which awaited them, and the window lists them behind it.
  expect(startsOf(next)).toEqual([1, 0, 1, 0, 1]);
  expect(idsOf(next)).toEqual(["lost"]);
  expect(stateOf(next).pass).toBeNull();
});

test("P5 S4: a reading that writes strays and begins again writes each of them once", async () => {
  const empty = [pageOf([])];
  const begins = [pageOf([lost], "c"), refused("cursor_refused")];
  const shows = [pageOf([lost])];
  const script = [empty, shows, empty, empty, begins, shows, empty, shows];
  const run = await readScript(script, { input });
  expect(startsOf(run)).toEqual([0, 1, 2, 3, 1, 1, 0, 1]);
  expect(idsOf(run)).toEqual(["lost"]);
  expect(run.succeeded).toBe(true);
});

test.each(["its strays do not come again", "the sync fails before its strays are written"])(
  "P5 P6 R10: a window that waits stays due although a second reading has confirmed its day, here where %s",
  async (which) => {
    const early = recordOf("early", -1);
    const [a, b] = [recordOf("a", 1), recordOf("b", 1)];
    const first = await readScript(showing({ 1: [a, b] }), { input });
    const state = stateOf(first);
    // A kill has left the day unknown, so that the next sync writes it while it is read.
    const known = forget(state.known, [{ ...dayOne, day: DAY_ONE + DAY, records: 2 }]);
    const late = { ...input, lookback: DAY };
    const moved = { asOf: "2026-01-10T01:00:00Z" };
    const readings = [
      [pageOf([early, a], "c"), pageOf([b], null, moved)],
      [pageOf([early, a, b])],
      which === "its strays do not come again" ? [pageOf([a, b])] : [down],
    ];
    let asked = 0;
    const script = ({ start }: { start: number }): (FetchedPage | ConnectorError)[] =>
      start === DAY_ONE + DAY ? (readings[asked++] ?? []) : [pageOf([])];
    const run = await readScript(script, { input: late, stored: { ...state, known } });
    expect(startsOf(run)).toEqual([3, 1, 1, 1]);
    expect(unconfirmed(stateOf(run))).toBe(0);
    expect(stateOf(run).due).toEqual([dayRange(1)]);
    const next = await readScript(showing({ 1: [early, a, b] }), {
      input: late,
      stored: lastState(run),
    });
    expect(idsOf(next)).toEqual(["early"]);
    expect(stateOf(next).due).toEqual([]);
  },
);

/** How often a read of many daily windows goes through all strays that wait. */
async function looksAtStrays(
  windows: number,
  options: Parameters<typeof readScript>[1],
  dayOf: (window: number) => number,
) {
  const range = { now: DAY_ONE + (windows + 0.5) * DAY, endDate: DAY_ONE + windows * DAY };
  const looks = vi.spyOn(Strays.prototype, "pendingDays");
  const showsOne = ({ start }: { start: number }): FetchedPage[] => {
    const number = (start - DAY_ONE) / DAY;
    return [pageOf(number === 0 ? [] : [recordOf(`s${number}`, dayOf(number))])];
  };
  const run = await readScript(showsOne, { ...options, input: { ...input, ...range } });
  const count = looks.mock.calls.length;
  looks.mockRestore();
  expect(run.succeeded).toBe(true);
  return { count, run };
}

test("P5: a window of strays that has to be read as a whole waits for the next sync if one of its days has a stray that this read has written", async () => {
  const old = recordOf("a", -1);
  const news = { ...old, x_RecordUpdatedAt: "2026-01-10T00:00:00Z", ConsumedQuantity: "9" };
  const [before, wide] = [
    recordOf("before", 2),
    { start: DAY_ONE + 2 * DAY, end: DAY_ONE + 4 * DAY },
  ];
  const first = stateOf(await readScript(showing({ 3: [old] }), { input }));
  // The provider allowed longer windows when the stray was written.
  const stored = { ...first, strays: first.strays.map((stray) => ({ ...stray, window: wide })) };
  const shown = [[old, news, before], [before]];
  const provider = ({ start }: { start: number }): FetchedPage[] => [
    pageOf(start === DAY_ONE + 3 * DAY ? (shown.shift() ?? []) : []),
  ];
  const run = await readScript(provider, { input: { ...fourDays, lookback: DAY }, stored });
  expect(startsOf(run)).toEqual([3, 2, 3, 2, 3]);
  expect(run.queries.map((query) => nameOf(query))).not.toContain(nameOf(wide));
  expect(idsOf(run)).toEqual(["before"]);
  expect(stateOf(run).due).toEqual([wide]);
});

test("L2: before strays are written, one look at them serves all windows that write some", async () => {
  const few = await looksAtStrays(4, {}, (window) => window - 1);
  const many = await looksAtStrays(24, {}, (window) => window - 1);
  expect(idsOf(many.run)).toHaveLength(23);
  // Behind the strays all windows are read once more: each has a day that awaited a stray, or has to list one.
  expect(startsOf(many.run)).toHaveLength(24 + 23 + 24);
  expect(many.count).toBe(few.count);
});

test("L2: one look at the strays serves all windows that may have their owners", async () => {
  const mode = "full_refresh";
  const limits = { firstSightings: 4, sightings: 4 };
  const few = await looksAtStrays(12, { mode, limits }, (window) => window - 1);
  const many = await looksAtStrays(24, { mode, limits }, (window) => window - 1);
  expect(startsOf(many.run)).toHaveLength(24 + 23 + 23);
  expect(many.count).toBe(few.count);
});

test("L2: at most ten windows that are read once more have their STATEs made in one step", async () => {
  const ends = { now: DAY_ONE + 80.5 * DAY, endDate: DAY_ONE + 80 * DAY };
  const wide = { ...fourDays, ...ends, lookback: 80 * DAY, retentionDays: 90 };
  const many = { ...wide, maximumWindowDays: 2 };
  const first = await readScript(() => [pageOf([])], { input: many });
  const strays = Array.from({ length: 36 }, (_, number) => {
    const hash = number.toString(16).padStart(24, "0");
    const start = DAY_ONE + (2 * number + 1) * DAY;
    const window = { start, end: start + 2 * DAY };
    return { hash, id: `f${hash.slice(1)}`, day: DAY_ONE - DAY, readingId: "r1", window };
  });
  const { calls } = vi.spyOn(DueWindows.prototype, "hold").mock;
  onTestFinished(() => void vi.restoreAllMocks());
  let [before, most] = [0, 0];
  const consumed = (): void => {
    most = Math.max(most, calls.length - before);
    before = calls.length;
  };
  const stored = { ...stateOf(first), strays };
  await readScript(() => [pageOf([])], { input: many, stored, consumed });
  expect(calls).toHaveLength(36);
  expect(most).toBe(10);
});

test.each([
  [2, ""],
  [
    1,
    "usage: more than 1 records start outside the windows that returned them. There was no room for further records of this kind: " +
      "their days are not proven, and the next sync reads their windows again. " +
      "Ask the provider why its windows return records of other days.",
  ],
])(
  "P5 L1: one warning tells of strays that find no room to wait, and none of others (room for %i)",
  async (pendingStrays, warning) => {
    const windows = showing({ 2: [recordOf("a", 1), recordOf("b", 1)] });
    const run = await readScript(windows, { input, limits: { pendingStrays } });
    expect(saidOf(run, "WARN")).toBe(warning);
  },
);

test("P5: a STATE names the day of a new stray before the report that takes the proof from the day, also if the listing moved", async () => {
  const first = await readScript(showing({}), { input });
  const moved: FetchedPage[] = [
    pageOf([recordOf("own", 2)], "p1"),
    pageOf([recordOf("stray", 1)], null, { asOf: "2026-01-10T01:00:00Z" }),
  ];
  const shown = showing({});
  const run = await readScript(
    (window) => (window.start === DAY_ONE + 2 * DAY ? moved : shown(window)),
    { input, stored: lastState(first), stateInterval: DAY, marksReports: true },
  );
  const stray = { start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY };
  const number = run.said.findIndex(
    ({ reading, days }) => reading.start === stray.start && days[0]?.confirmed === false,
  );
  expect(stateBefore(run, number).awaited).toMatchObject([{ days: stray }]);
});
