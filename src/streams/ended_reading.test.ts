/** A reading that has ended, and its report. */
import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { standingOf } from "./ended_reading.ts";
import { DAY_ONE } from "./testing.ts";

test("P5 R5: a report lists the strays that its reading wrote by day, and each group once", () => {
  const of = (day: number, inside: boolean, records: number) => ({
    day,
    inside,
    records,
    groups: [],
  });
  const totals = [
    of(DAY_ONE, false, 2),
    of(DAY_ONE + DAY, false, 3),
    of(DAY_ONE + DAY, true, 4),
    of(DAY_ONE + 2 * DAY, false, 5),
  ];
  const listed = [
    { day: DAY_ONE, rowsReadingId: "r2", records: 1 },
    { day: DAY_ONE + DAY, rowsReadingId: "r1", records: 1 },
  ];
  expect(standingOf({ id: "r2", totals }, listed)).toEqual([
    { day: DAY_ONE + DAY, rowsReadingId: "r2", records: 3 },
    { day: DAY_ONE + 2 * DAY, rowsReadingId: "r2", records: 5 },
  ]);
  expect(standingOf({ id: "r2", totals: null }, listed)).toEqual([]);
});
