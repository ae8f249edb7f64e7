/**
 * Windows that an earlier process has begun (S1, S3, S4, P5, R10). The process that goes on with such a window has not seen its first pages:
 * it knows neither the records that the window owns there nor its strays.
 */
import { expect, test } from "vitest";
import type { IncrementalState } from "../core/state.ts";
import { DAY, formatInstant } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import { Table } from "./scripted/table.ts";
import {
  changed,
  fourWindows as input,
  idsOf,
  isReport,
  lastState,
  onePerPage,
  readScript,
  recordOf,
  refused,
  type Run,
  stateBefore,
  stateOf,
  type Windows,
} from "./scripted/testing.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE } from "./testing.ts";

/** Only the last of four days is read by itself. */
const late = { ...input, lookback: DAY };

type Script = (
  query: { start: number; end: number },
  cursor: string | null,
) => (FetchedPage | ConnectorError)[];

const showing: (windows: Windows) => Script = onePerPage;

const down = new ConnectorError("unavailable", "It is down.");

/** The same, but one request for a day fails after so many pages: the request with the number `request`, counted from 1. */
function failing(windows: Windows, day: number, { request = 1, pages = 1 } = {}): Script {
  let asked = 0;
  return (query, cursor) => {
    const shown = showing(windows)(query, cursor);
    if (query.start !== DAY_ONE + day * DAY) return shown;
    asked += 1;
    return asked === request ? [...shown.slice(0, pages), down] : shown;
  };
}

/** The requests of a run for a day, each by the page that it began with. */
const askedFor = (run: Run, day: number): string[] =>
  run.queries
    .filter(({ start }) => start === DAY_ONE + day * DAY)
    .map(({ cursor }) => cursor ?? "p0");

const lost = recordOf("lost", 0);
const own = [lost, recordOf("r0", 0)];
const restated = changed(own, "r0");

test.each([
  ["a reading of new days", { knows: [], shown: own, request: 1 }],
  ["a comparison", { knows: own, shown: own, request: 1 }],
  ["a second reading", { knows: own, shown: restated, request: 2 }],
])(
  "P5: a resumed window is looked at once more for the owner of a stray, here behind %s",
  async (_reading, { knows, shown, request }) => {
    const before = await readScript(showing({ 0: knows }), { input });
    const stored = knows.length === 0 ? null : lastState(before);
    const killed = await readScript(failing({ 0: shown }, 0, { request }), { input, stored });
    const windows = { 0: shown, 3: [lost] };
    const run = await readScript(showing(windows), { input, stored: lastState(killed) });
    // The rest, the look for the owner, and the reading that proves the day, which has awaited the stray meanwhile.
    expect(askedFor(run, 0)).toEqual(["p1", "p0", "p0"]);
    expect(idsOf(run)).not.toContain("lost");
    // If this process has not written the day, it compares the day, and the state remembers the strays that the day owns.
    const owned = shown === knows ? [{ day: DAY_ONE, readingId: null }] : [];
    expect(stateOf(run).strays).toMatchObject(owned);
  },
);

/** The window of the second day shows a stray on its first page, and one row of the day was restated. */
const early = recordOf("early", -1);
const known = [recordOf("a", 1), recordOf("b", 1)];
const news = [early, ...changed(known, "b")];
const due = [{ start: DAY_ONE + DAY, end: DAY_ONE + 2 * DAY }];

/** The state of a process that died behind the first page of the second day, which was due. */
async function halfRead(others: Windows = {}): Promise<IncrementalState> {
  const before = await readScript(showing({ 1: known }), { input });
  const killed = await readScript(failing({ 1: news, ...others }, 1), {
    input: late,
    stored: { ...stateOf(before), due },
  });
  return stateOf(killed);
}

test("P5: strays on pages that an earlier process read are written, also if their window is read a second time", async () => {
  const run = await readScript(showing({ 1: news }), { input: late, stored: await halfRead() });
  expect(askedFor(run, 1)).toEqual(["p1", "p0", "p0", "p0"]); // the rest, the second reading, and the strays: to learn and to write them
  expect(idsOf(run)).toEqual(["a", "b", "early"]);
  expect(stateOf(run)).toMatchObject({ due, pass: null });
});

test("P5: no stray is written before this process has seen the strays that an earlier one has", async () => {
  const others = { 3: [recordOf("other", -2)] };
  const stored = await halfRead(others);
  const run = await readScript(showing({ 1: news, ...others }), { input: late, stored });
  const asked = run.queries.map(({ start, cursor }) => [(start - DAY_ONE) / DAY, cursor]);
  const [rest, second, collected] = [
    [1, "p1"],
    [1, null],
    [1, null],
  ];
  expect(asked).toEqual([[3, null], rest, second, collected, [1, null], [3, null]]);
  expect(idsOf(run)).toEqual(["a", "b", "early", "other"]);
});

test("P5: a day that this process has read awaits a stray that only an earlier one had seen, once this process has read the stray's window again", async () => {
  const rows = { 0: [recordOf("r0", 0)], 2: [recordOf("r2", 2)] };
  const first = await readScript(showing(rows), { input });
  const days = { ...input, lookback: 2 * DAY };
  const stored = { ...stateOf(first), due: [{ start: DAY_ONE, end: DAY_ONE + DAY }] };
  const windows = { ...rows, 2: [lost, recordOf("r2", 2)] };
  const killed = await readScript(failing(windows, 2), { input: days, stored });
  const run = await readScript(showing(windows), {
    input: days,
    stored: lastState(killed),
  });
  expect(idsOf(run)).toEqual(["lost"]);
  const told = ({ said }: Run): boolean[] =>
    said
      .flatMap((report) => report.days)
      .flatMap(({ day, confirmed }) => (day === DAY_ONE ? confirmed : []));
  expect(told(run)).toEqual([true, false]);
  // The next sync, and not this one, reads the day once more.
  expect(run.queries.filter(({ start }) => start === DAY_ONE)).toHaveLength(1);
  expect(stateOf(run).due).toContainEqual({ start: DAY_ONE, end: DAY_ONE + DAY });
  const next = await readScript(showing(windows), { input: days, stored: stateOf(run) });
  expect([told(next), stateOf(next).due]).toEqual([[true], []]);
});

test("R10: a resumed window with strays on earlier pages stays due through its second reading: a sync that fails then loses none", async () => {
  const dying = failing({ 1: news }, 1, { request: 3, pages: 0 });
  const run = await readScript(dying, { input: late, stored: await halfRead() });
  expect(idsOf(run)).toEqual(["a", "b"]);
  expect(stateOf(run).due).toEqual(due);
  const next = await readScript(showing({ 1: news }), { input: late, stored: lastState(run) });
  expect(idsOf(next)).toEqual(["early"]);
});

test("R10: a window whose first reading was resumed stays due after its second one: the next sync, and no later one, tells of a stray that is gone", async () => {
  const gone = recordOf("gone", -1);
  const first = await readScript(showing({ 1: [gone, ...known] }), { input, marksReports: true });
  expect(new Table().with(first).standing().has("gone")).toBe(true);
  const windows = { 1: changed(known, "b") };
  const stored = lastState(first);
  const killed = await readScript(failing(windows, 1), { input, stored, marksReports: true });
  const asked = { input: late, marksReports: true };
  const run = await readScript(showing(windows), { ...asked, stored: lastState(killed) });
  expect(askedFor(run, 1)).toEqual(["p1", "p0"]);
  expect(stateOf(run).due).toEqual(due);
  const next = await readScript(showing(windows), { ...asked, stored: lastState(run) });
  expect(stateOf(next).due).toEqual([]);
  const table = new Table().with(first).with(killed).with(run);
  expect(table.with(next).standing().has("gone")).toBe(false);
});

/** The same script, but every cursor is refused. */
const forgetting =
  (script: Script): Script =>
  (query, cursor) =>
    cursor === null ? script(query, cursor) : [refused("cursor_refused")];

test("R10: such a window is due, too, if its second reading begins again and the sync fails before it knows the strays", async () => {
  const dying = failing({ 1: news }, 1, { request: 2 });
  const second = await readScript(dying, { input: late, stored: await halfRead() });
  let asked = 0;
  const failingLater: Script = (query, cursor) => {
    if (query.start !== DAY_ONE + DAY) return showing({ 1: news })(query, cursor);
    asked += 1;
    if (cursor !== null) return [refused("cursor_refused")];
    return asked === 3 ? [down] : showing({ 1: news })(query, cursor);
  };
  const third = await readScript(failingLater, { input: late, stored: lastState(second) });
  expect(asked).toBe(3); // the rest of the second reading, all of it, and the strays
  expect(stateOf(third).due).toEqual(due);
  const run = await readScript(showing({ 1: news }), { input: late, stored: lastState(third) });
  expect(idsOf(run)).toEqual(["early"]);
});

test("P5: strays are not lost where one process after the other dies in the second reading of their window, nor where that begins again", async () => {
  const dying = failing({ 1: news }, 1, { request: 2 });
  const second = await readScript(dying, { input: late, stored: await halfRead() });
  const third = await readScript(forgetting(failing({ 1: news }, 1)), {
    input: late,
    stored: lastState(second),
  });
  for (const killed of [second, third]) {
    const run = await readScript(showing({ 1: news }), { input: late, stored: lastState(killed) });
    expect(askedFor(run, 1)).toEqual(["p1", "p0", "p0"]); // the rest of the second reading, and the strays
    expect(idsOf(run)).toEqual(["a", "b", "early"]);
  }
});

test("P5 S4: a first reading that a later process begins again takes note of strays anew, and asks for none that is gone", async () => {
  const stored = await halfRead();
  const gone = { 1: known };
  const whole = await readScript(forgetting(showing(gone)), { input: late, stored });
  expect(askedFor(whole, 1)).toEqual(["p1", "p0"]);
  const killed = await readScript(forgetting(failing(gone, 1)), { input: late, stored });
  const run = await readScript(showing(gone), { input: late, stored: lastState(killed) });
  expect(askedFor(run, 1)).toEqual(["p1"]);
  expect(stateOf(run).pass).toBeNull();
});

test("S1: a second reading that a later process begins again claims no later instant than the first one of its window", async () => {
  /** So many requests for the last day come at its noon, the others when it is over. */
  const noon =
    (requests: number, script: Script): Script =>
    (query, cursor) => {
      const isNoon = query.start === DAY_ONE + 3 * DAY && requests-- > 0;
      return script(query, cursor).map((step) =>
        step instanceof ConnectorError || !isNoon
          ? step
          : { ...step, availableThrough: DAY_ONE + 3.5 * DAY },
      );
    };
  const rows = [recordOf("a", 3), recordOf("b", 3)];
  const later = { 3: changed(rows, "b") };
  const first = await readScript(noon(1, showing({ 3: rows })), { input });
  expect(stateOf(first).position).toBe(DAY_ONE + 3 * DAY);
  const killed = await readScript(noon(1, failing(later, 3, { request: 2 })), {
    input: late,
    stored: lastState(first),
  });
  expect(askedFor(killed, 3)).toEqual(["p0", "p0"]);
  const run = await readScript(forgetting(showing(later)), {
    input: late,
    stored: lastState(killed),
  });
  expect(askedFor(run, 3)).toEqual(["p1", "p0"]);
  expect(idsOf(run)).toEqual(["a", "b"]);
  expect(stateOf(run).position).toBe(DAY_ONE + 3 * DAY);
});

test("S3 W3: a window whose first day has left retention since its first page was read goes on at the next page", async () => {
  const twelfth = DAY_ONE + 12.5 * DAY;
  const long = { ...late, now: twelfth, endDate: null, retentionDays: 13, maximumWindowDays: 31 };
  // If the start date moves back, a sync plans days that no sync has read before.
  const recent = { ...long, startDate: DAY_ONE + 8 * DAY };
  const before = await readScript(showing({}), { input: recent });
  const rows = [recordOf("a", 0), recordOf("b", 1)];
  const killed = await readScript(failing({ 0: rows }, 0), {
    input: { ...long, startDate: DAY_ONE },
    stored: lastState(before),
  });
  const next = { ...long, startDate: DAY_ONE, now: twelfth + DAY };
  const run = await readScript(showing({ 0: rows }), { input: next, stored: lastState(killed) });
  expect(askedFor(run, 0)).toEqual(["p1"]);
  expect(idsOf(run)).toEqual(["b"]);
});

/** A script whose answers have the `as_of` `said` on their first page, and `behind` on all later pages. */
const asOf =
  (said: string, script: Script, behind = said): Script =>
  (query, cursor) =>
    script(query, cursor).map((page, index) =>
      page instanceof ConnectorError ? page : { ...page, asOf: index === 0 ? said : behind },
    );

const [earlier, later] = ["2026-01-05T09:00:00Z", "2026-01-05T10:00:00Z"];
const three = [recordOf("a", 0), recordOf("b", 0), recordOf("c", 0)];

/** A process that dies behind its first report. The platform keeps the report, but only those rows that a STATE covers. */
async function diedBehindItsReport(script: Script) {
  const run = await readScript(script, { input, marksReports: true, limits: { heldPageBytes: 0 } });
  return { report: run.said[0], stored: stateBefore(run, 0) };
}

/** Whether a report goes out before the first row. */
const takesBack = ({ outputs }: Run): boolean =>
  outputs.findIndex(isReport) < outputs.findIndex(({ type }) => type === "RECORD_LINES");

test("R4: a process that goes on with a window takes the proof back before its first row if `as_of` has changed: rows of a later moment follow", async () => {
  const before = await diedBehindItsReport(asOf(earlier, showing({ 0: three })));
  expect(before.report?.days).toMatchObject([{ rows: 3, confirmed: true }]);
  const { stored } = before;
  const asked = { input, marksReports: true, stored };
  const moved = await readScript(asOf(later, showing({ 0: changed(three, "c") })), asked);
  expect(idsOf(moved)).toEqual(["c"]);
  expect(takesBack(moved)).toBe(true);
  expect(moved.said[0]).toMatchObject({
    reading: { resumed: true, moved: true },
    isWhole: false,
    days: [{ day: DAY_ONE, rowsReadingId: before.report?.reading.id, rows: 2, confirmed: false }],
    strays: [],
  });
  const goesOnWith = before.report?.reading.id ?? "";
  const newer = moved.said[0]?.reading.id ?? "";
  expect(newer > goesOnWith).toBe(true); // it counts for more than all reports on the reading
  expect(moved.said[1]).toMatchObject({
    reading: { id: goesOnWith },
    days: [{ confirmed: false }],
  });
  // A process that comes later has newer ids, whatever its clock says.
  expect((stateBefore(moved, 0).newestId ?? "") >= newer).toBe(true);
  const same = await readScript(asOf(earlier, showing({ 0: three })), asked);
  expect(idsOf(same)).toEqual(["c"]);
  expect(takesBack(same)).toBe(false);
  expect(same.said[0]?.days).toMatchObject([{ rows: 3, confirmed: true }]);
});

/** A script whose pages all have an `as_of` of their own. */
function ticking(script: Script): Script {
  let answers = 0;
  return (query, cursor) =>
    script(query, cursor).map((page) => {
      answers += 1;
      const said = formatInstant(DAY_ONE + 5 * DAY + answers * 1000);
      return page instanceof ConnectorError ? page : { ...page, asOf: said };
    });
}

test("R4: a second reading that had moved takes its proof back, too, because it may have agreed with the first one", async () => {
  const asked = { input, marksReports: true, limits: { heldPageBytes: 0 } };
  const first = await readScript(showing({ 0: three }), { input });
  const second = changed(three, "a");
  const run = await readScript(ticking(showing({ 0: second })), {
    ...asked,
    stored: lastState(first),
  });
  const number = run.said.findIndex(({ reading }) => reading.rewrites !== null);
  expect(run.said[number]).toMatchObject({ reading: { moved: true }, days: [{ confirmed: true }] });
  const stored = stateBefore(run, number);
  expect(stored.pass?.open).toMatchObject([{ moved: true, records: 2 }]);
  const next = await readScript(ticking(showing({ 0: changed(second, "c") })), {
    ...asked,
    stored,
  });
  expect(idsOf(next)).toEqual(["c"]);
  expect(takesBack(next)).toBe(true);
});

test("R4: no proof is taken back of days that the window only compares, and no proof twice", async () => {
  const compared = await readScript(asOf(earlier, showing({ 0: three })), { input });
  const killed = await readScript(asOf(earlier, failing({ 0: three }, 0)), {
    input,
    stored: lastState(compared),
  });
  const rowsSaid = ({ said }: Run): (number | undefined)[] =>
    said.flatMap(({ days }) => days.filter(({ day }) => day === DAY_ONE).map(({ rows }) => rows));
  const asked = { input, marksReports: true, stored: lastState(killed) };
  const run = await readScript(asOf(later, showing({ 0: three })), asked);
  expect(rowsSaid(run)).toEqual([3]);
  const fresh = await readScript(asOf(earlier, failing({ 0: three }, 0)), { input });
  const rest = await readScript(asOf(later, showing({ 0: three })), {
    ...asked,
    stored: lastState(fresh),
  });
  expect(rowsSaid(rest)).toEqual([1, 3]);
  const behind = await readScript(asOf(earlier, showing({ 0: three }), later), {
    ...asked,
    stored: lastState(fresh),
  });
  expect(rowsSaid(behind)).toEqual([2, 3]);
});
