/** A look reads a day because strays of other windows start on it, and ignores the strays of its own window (P5). */
import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import {
  fourDays,
  idsOf,
  lastState,
  pagesOf,
  provider,
  readScript,
  recordOf,
  stateOf,
} from "./scripted/testing.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE } from "./testing.ts";

const input = { ...fourDays, maximumWindowDays: 2 };
const own = [0, 2, 3].map((day) => recordOf(`r${day}`, day));
/** The day of its posting alone shows a record: `late` is a stray of the first window, `early` one of the second. */
const posted = [
  ...own.map((record, index) => ({ record, on: [0, 2, 3][index] ?? 0 })),
  { record: recordOf("late", 3), on: 1 },
  { record: recordOf("early", 0), on: 3 },
];

/** One record on a page. */
function shown({ start, end }: Range, cursor: string | null): FetchedPage[] {
  const isIn = (day: number): boolean => start <= DAY_ONE + day * DAY && DAY_ONE + day * DAY < end;
  const records = posted.filter(({ on }) => isIn(on)).map(({ record }) => record);
  return pagesOf(records, 1).slice(cursor === null ? 0 : Number(cursor.slice(1)));
}

/** The provider is down for one query, behind so many pages. */
function failing(query: number, pages: number) {
  let asked = -1;
  return (window: Range, cursor: string | null): (FetchedPage | ConnectorError)[] => {
    asked += 1;
    const all = shown(window, cursor);
    return asked === query
      ? [...all.slice(0, pages), new ConnectorError("unavailable", "It is down.")]
      : all;
  };
}

const daysIn = ({ start, end }: Range): number[] => [
  (start - DAY_ONE) / DAY,
  (end - DAY_ONE) / DAY,
];

/**
 * The days are known before the strays are posted. Then a process stops within the second window. So the next one does not know all
 * records of this window, and looks at day 3 for the owner of `late`.
 */
async function interrupted() {
  const first = await readScript(provider(own), { input });
  return lastState(await readScript(failing(1, 1), { input, stored: lastState(first) }));
}

test("P5: a look at a part of a window that waits for its strays does not make it count as read", async () => {
  const second = await readScript(failing(3, 0), { input, stored: await interrupted() });
  expect(second.queries.map(daysIn).slice(0, 3)).toEqual([
    [0, 2],
    [2, 4],
    [3, 4],
  ]);
  expect(stateOf(second).pass?.reads).toEqual([]);
  const third = await readScript(shown, { input, stored: lastState(second) });
  expect(idsOf(third).toSorted()).toEqual(["early", "late"]);
  expect(third.succeeded).toBe(true);
});

test("P5: a process that goes on with a look reads the window for its strays, too", async () => {
  const second = await readScript(failing(2, 1), { input, stored: await interrupted() });
  expect(second.queries.map(daysIn).at(-1)).toEqual([3, 4]);
  expect(stateOf(second).pass?.open).toMatchObject([{ hasStrays: true }]);
  const third = await readScript(shown, { input, stored: lastState(second) });
  expect(third.queries.map(daysIn)).toContainEqual([3, 4]);
  expect(idsOf(third).toSorted()).toEqual(["early", "late"]);
  expect(third.succeeded).toBe(true);
});
