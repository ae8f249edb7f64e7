/**
 * Two lanes read two days at the same time. A record moves from the day whose reading began second to the other day, under the same id.
 * The second reading has shown it on its old day, the first one shows it on its new day. Reading ids sort by when readings began (R4),
 * so a destination that merges by key keeps the row of the old day.
 */
import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import type { IncrementalState } from "../core/state.ts";
import type { Range } from "../core/window.ts";
import { Table } from "./scripted/table.ts";
import { fourWindows, readScript, recordOf, refused, stateOf } from "./scripted/testing.ts";
import { DAY_ONE, pageOf } from "./testing.ts";
import type { FetchedPage } from "./stream.ts";
import type { ConnectorError } from "../errors.ts";
import type { Fields } from "../records/fields.ts";

const EARLY = { asOf: "2026-01-05T12:00:00Z" };
const LATE = { asOf: "2026-01-05T12:01:00Z" };
const changedAt = { x_RecordUpdatedAt: "2026-01-05T12:00:30Z" };
const a = recordOf("a", 0);
const b = recordOf("b", 1);
const moved = recordOf("r", 0, changedAt);
const before = recordOf("r", 1);

/** The first sync sees the move between the two pages of the first day. */
function moving(): (query: Range) => Generator<FetchedPage> {
  let hasMoved = false;
  return function* ({ start }) {
    if (start === DAY_ONE + DAY)
      yield hasMoved ? pageOf([b], null, LATE) : pageOf([before, b], null, EARLY);
    else if (start > DAY_ONE) yield pageOf([], null, hasMoved ? LATE : EARLY);
    else {
      yield pageOf(hasMoved ? [a, moved] : [a], hasMoved ? null : "p1", hasMoved ? LATE : EARLY);
      if (hasMoved) return;
      hasMoved = true;
      yield pageOf([moved], null, LATE);
    }
  };
}

function* calm({ start }: Range): Generator<FetchedPage> {
  const records = new Map([
    [DAY_ONE, [a, moved]],
    [DAY_ONE + DAY, [b]],
  ]);
  yield pageOf(records.get(start) ?? [], null, { asOf: "2026-01-06T12:00:00Z" });
}

/** The records that stand after some syncs. Each later sync reads all days again. */
async function standingAfter(lanes: number): Promise<string[]> {
  let table = new Table();
  let stored: IncrementalState | null = null;
  for (let sync = 0; sync < 4; sync++) {
    const input = { ...fourWindows, now: fourWindows.now + sync * DAY };
    const options = { input, stored, lanes, marksReports: true };
    const run = await readScript(sync === 0 ? moving() : calm, options);
    table = table.with(run);
    stored = stateOf(run);
  }
  return [...table.standing().values()].map(({ text }) => text).toSorted();
}

const whole = [a, b, moved].map((record) => JSON.stringify(record)).toSorted();

test("R4: a record that moves between two days which one lane reads stands", async () => {
  expect(await standingAfter(1)).toEqual(whole);
});

test("R4: a record that moves between two days which two lanes read stands", async () => {
  expect(await standingAfter(2)).toEqual(whole);
});

/** The days that the state knows after a sync over one lane, by their numbers from 0. */
async function knownAfter(
  script: (query: Range) => Iterable<FetchedPage | ConnectorError>,
): Promise<number[]> {
  const run = await readScript(script, { input: fourWindows });
  return [...stateOf(run).known.days.keys()].map((day) => (day - DAY_ONE) / DAY);
}
const at = (time: string): { asOf: string } => ({ asOf: `2026-01-05T${time}:00Z` });
const updatedAt = (id: string, day: number, time: string): Fields =>
  recordOf(id, day, { x_RecordUpdatedAt: `2026-01-05T${time}:00Z` });

test("R4: a day is unknown if a later page of its window shows a change that the first one may not have shown", async () => {
  const known = await knownAfter(function* ({ start }) {
    const day = (start - DAY_ONE) / DAY;
    yield pageOf([updatedAt("a", day, "09:45")], "p1", at("10:00"));
    yield pageOf([updatedAt("b", day, day === 1 ? "10:15" : "09:45")], null, at("11:00"));
  });
  expect(known).toEqual([0, 2, 3]);
});

// The interface does not say which instant `as_of` is. Some providers may give the last change of the window.
test("R4: no page of another window makes a change doubtful", async () => {
  const known = await knownAfter(({ start }) => {
    const day = (start - DAY_ONE) / DAY;
    return [pageOf([updatedAt("a", day, `0${day}:30`)], null, at(`0${day}:40`))];
  });
  expect(known).toEqual([0, 1, 2, 3]);
});

test.each([
  ["10:15", []],
  ["09:45", [0]],
])(
  "R4: a window that begins again counts from its first passage: a change at %s",
  async (time, expected) => {
    let passages = 0;
    const known = await knownAfter(function* ({ start }) {
      if (start > DAY_ONE) return yield pageOf([], null, at("11:00"));
      passages += 1;
      if (passages > 1) return yield pageOf([updatedAt("a", 0, time)], null, at("11:00"));
      yield pageOf([], "p1", at("10:00"));
      yield pageOf([], "p2", at("11:00"));
      yield refused("cursor_refused");
      return undefined;
    });
    expect(known).toEqual(expected);
  },
);
