/**
 * Two lanes read two days at the same time. A record moves from the day whose reading began second to the other day, under the same id.
 * The second reading has shown it on its old day, the first one shows it on its new day. Reading ids sort by when readings began (R4),
 * so a destination that merges by key keeps the row of the old day.
 */
import { expect, test } from "vitest";
import { DAY, formatInstant, HOUR } from "../core/time.ts";
import type { IncrementalState } from "../core/state.ts";
import type { Range } from "../core/window.ts";
import { Table } from "./scripted/table.ts";
import { fourWindows, idsOf, readScript, recordOf, refused, stateOf } from "./scripted/testing.ts";
import { DAY_ONE, pageOf } from "./testing.ts";
import type { FetchedPage } from "./stream.ts";
import type { ConnectorError } from "../errors.ts";

type Script = (query: Range) => Generator<FetchedPage | ConnectorError>;
const MINUTE = 60_000;
const NOON = fourWindows.now;
const CHANGE = NOON + 30_000;
const a = recordOf("a", 0);
const b = recordOf("b", 1);
const before = recordOf("r", 1);
const moved = recordOf("r", 0, { x_RecordUpdatedAt: formatInstant(CHANGE) });
const dayOf = ({ start }: Range): number => (start - DAY_ONE) / DAY;

type AsOf = (ms: number) => { asOf: string };
const inUnitsOf =
  (unit: number): AsOf =>
  (ms) => ({ asOf: formatInstant(Math.floor(ms / unit) * unit) });

/** The record moves between the two pages of the first day. */
function moving(asOf: AsOf): Script {
  let hasMoved = false;
  return function* (query) {
    const day = dayOf(query);
    const now = asOf(hasMoved ? CHANGE + 10_000 : NOON + 10_000);
    if (day === 1) yield pageOf(hasMoved ? [b] : [before, b], null, now);
    else if (day > 1) yield pageOf([], null, now);
    else {
      yield pageOf(hasMoved ? [a, moved] : [a], hasMoved ? null : "p1", now);
      if (hasMoved) return;
      hasMoved = true;
      yield pageOf([moved], null, asOf(CHANGE + 10_000));
    }
  };
}

/** The first passages of the first day are refused. The record moves before the last one. */
function refusing(asOf: AsOf): Script {
  let passages = 0;
  return function* (query) {
    const day = dayOf(query);
    if (day > 0) return yield pageOf(day === 1 ? [before, b] : [], null, asOf(NOON + 10_000));
    passages += 1;
    if (passages === 3) return yield pageOf([a, moved], null, asOf(CHANGE + 10_000));
    yield pageOf([], "p1", asOf(NOON + 10_000));
    yield refused("cursor_refused");
    return undefined;
  };
}

const calm: Script = function* (query) {
  const records = new Map([
    [0, [a, moved]],
    [1, [b]],
  ]);
  yield pageOf(records.get(dayOf(query)) ?? [], null, inUnitsOf(1)(NOON + DAY));
};

/** The records that stand after some syncs. Each later sync reads all days again. */
async function standingAfter(first: Script, lanes: number): Promise<string[]> {
  let table = new Table();
  let stored: IncrementalState | null = null;
  for (let sync = 0; sync < 4; sync++) {
    const input = { ...fourWindows, now: NOON + sync * DAY };
    let clock = input.now;
    const options = {
      input,
      stored,
      lanes,
      marksReports: true,
      providerNow: () => (clock += 5000),
    };
    const run = await readScript(sync === 0 ? first : calm, options);
    table = table.with(run);
    stored = stateOf(run);
  }
  return [...table.standing().values()].map(({ text }) => text).toSorted();
}

const whole = [a, b, moved].map((record) => JSON.stringify(record)).toSorted();

test("R4: a record that moves between two days which one lane reads stands", async () => {
  expect(await standingAfter(moving(inUnitsOf(1)), 1)).toEqual(whole);
});

test.each([
  ["exact", inUnitsOf(1)],
  ["in whole minutes", inUnitsOf(MINUTE)],
  ["in whole hours", inUnitsOf(HOUR)],
])(
  "R4: a record that moves between two days which two lanes read stands, whatever `as_of` tells: %s",
  async (_, asOf) => {
    expect(await standingAfter(moving(asOf), 2)).toEqual(whole);
  },
);

test("R4: a record stands that moves to a window which begins again twice, because its reading keeps its id and its beginning", async () => {
  expect(await standingAfter(refusing(inUnitsOf(1)), 2)).toEqual(whole);
});

/** The rows that daily syncs of a provider write. */
async function writtenBy(script: Script, syncs: number, first: number): Promise<number[]> {
  let stored: IncrementalState | null = null;
  const written: number[] = [];
  for (let sync = 0; sync < syncs; sync++) {
    const now = first + sync * DAY;
    const input = { ...fourWindows, now, endDate: null, lookback: DAY };
    const run = await readScript(script, { input, stored });
    stored = stateOf(run);
    written.push(idsOf(run).length);
  }
  return written;
}

test("R4: a day that shows the same is written once, although each page has an `as_of` of its own", async () => {
  const at = (time: string): string => `2026-01-04T${time}Z`;
  const rowOf = (id: string, time: string) => recordOf(id, 2, { x_RecordUpdatedAt: at(time) });
  const pages: Script = function* (query) {
    if (dayOf(query) !== 2) return yield pageOf([]);
    yield pageOf([rowOf("a", "02:00:00")], "p1", { asOf: at("02:00:10") });
    return yield pageOf([rowOf("b", "05:00:00")], null, { asOf: at("05:00:10") });
  };
  expect(await writtenBy(pages, 3, NOON)).toEqual([2, 0, 0]);
});

test("R4: a day whose records name its end as their change is written once by a sync at its end", async () => {
  const first = DAY_ONE + 4 * DAY;
  const ended: Script = function* ({ start }) {
    const day = (start - DAY_ONE) / DAY;
    const isOver = day >= 0 && start + DAY <= first;
    const row = recordOf(`r${day}`, day, { x_RecordUpdatedAt: formatInstant(start + DAY) });
    yield pageOf(isOver ? [row] : []);
  };
  expect(await writtenBy(ended, 3, first)).toEqual([4, 0, 0]);
});
