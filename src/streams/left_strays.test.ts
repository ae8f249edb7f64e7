import { expect, test } from "vitest";
import { DAY } from "../core/time.ts";
import { dayRange, type Range } from "../core/window.ts";
import { LeftStrays } from "./left_strays.ts";

const MAY = Date.UTC(2026, 4, 1);
const day = (number: number): number => MAY + number * DAY;
const windowOn = (number: number): Range => dayRange(day(number));

test("P5: the days of strays that are left wait for their windows, each once, until they are taken", () => {
  const left = new LeftStrays(5);
  const stray = { day: day(3), window: windowOn(7) };
  left.add([stray, { ...stray }, { day: day(4), window: windowOn(7) }]);
  expect(left.take()).toEqual([
    { days: windowOn(3), window: windowOn(7) },
    { days: windowOn(4), window: windowOn(7) },
  ]);
  expect(left.take()).toEqual([]);
});

test("L1 P5: of more days, one entry for each month of windows stands for the others", () => {
  const left = new LeftStrays(1);
  left.add([3, 4, 9, 3].map((number) => ({ day: day(number), window: windowOn(number + 1) })));
  left.add([{ day: day(4), window: windowOn(40) }]);
  expect(left.take()).toEqual([
    { days: windowOn(3), window: windowOn(4) },
    { days: { start: day(4), end: day(10) }, window: { start: day(5), end: day(11) } },
    { days: windowOn(4), window: windowOn(40) },
  ]);
  expect(left.take()).toEqual([]);
});
