import { expect, test } from "vitest";
import { beginReading } from "../core/reading.ts";
import { DAY } from "../core/time.ts";
import { dayRange } from "../core/window.ts";
import { restated } from "./ended_reading.ts";
import { DAY_ONE } from "./testing.ts";

test.each([
  ["before the day was read", "2026-01-10T00:00:00Z", []],
  ["after that", "2026-01-10T00:00:01Z", [dayRange(DAY_ONE)]],
  ["at no instant that can be told", "yesterday", [dayRange(DAY_ONE)]],
])("P5 R10: the day of a stray that was restated %s", (_when, updated, due) => {
  const window = { start: DAY_ONE, end: DAY_ONE + DAY };
  const read = beginReading(window, { id: "r", limit: 10, beganAt: 0, withTotals: true });
  const row = { id: "s", day: DAY_ONE, updatedAt: Date.parse(updated) };
  const came = { ids: new Set(["s"]), rows: new Map([["hash", row]]) };
  const seen = { ...read, firstAsOf: "2026-01-10T00:00:00Z" };
  expect(restated(came, [seen])).toEqual(due);
  // A day that no window of this pass has read is judged by a look.
  expect(restated(came, [{ ...seen, ...dayRange(DAY_ONE + DAY) }])).toEqual([]);
});
