/** A look reads a day because strays of other windows start on it, and ignores the strays of its own window (P5). */
import { expect, test } from "vitest";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import {
  fourWindows as input,
  idsOf,
  lastState,
  onePerPage,
  provider,
  readScript,
  recordOf,
  startsOf,
  stateOf,
} from "./scripted/testing.ts";
import type { FetchedPage } from "./stream.ts";
import { DAY_ONE } from "./testing.ts";

const own = [0, 2, 3].map((day) => recordOf(`r${day}`, day));
/** Only the window of day 2 shows `early`, and only that of day 3 shows `late`. One record is on a page. */
const shown = onePerPage({
  0: own.slice(0, 1),
  2: [recordOf("early", 0), ...own.slice(1, 2)],
  3: [recordOf("late", 2), ...own.slice(2)],
});

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

/**
 * The days are known before both strays are posted. Then a process stops within window 2. So the next one does not know all records of
 * this window, and looks at it.
 */
async function interrupted() {
  const first = await readScript(provider(own), { input });
  return lastState(await readScript(failing(2, 1), { input, stored: lastState(first) }));
}

test("P5: a look at a window that waits for its strays does not make it count as read", async () => {
  const stored = await interrupted();
  const second = await readScript(failing(5, 0), { input, stored });
  expect(startsOf(second)).toEqual([2, 3, 2, 2, 0, 2]);
  const reads = stateOf(second).pass?.reads ?? [];
  expect(reads.map(({ start, end }) => [start, end])).toEqual([
    [DAY_ONE, DAY_ONE + 2 * 86_400_000],
  ]);
  const third = await readScript(shown, { input, stored: lastState(second) });
  expect(idsOf(third).toSorted()).toEqual(["early", "late"]);
  expect(third.succeeded).toBe(true);
});

test("P5: a process that goes on with a look reads the window for its strays, too", async () => {
  const second = await readScript(failing(3, 1), { input, stored: await interrupted() });
  expect(startsOf(second)).toEqual([2, 3, 2, 2]);
  const third = await readScript(shown, { input, stored: lastState(second) });
  expect(startsOf(third).filter((day) => day === 2).length).toBeGreaterThan(1);
  expect(idsOf(third).toSorted()).toEqual(["early", "late"]);
  expect(third.succeeded).toBe(true);
});
