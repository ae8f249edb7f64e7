import { expect, test } from "vitest";
import { DAY, HOUR } from "../core/time.ts";
import { probeWindow } from "./check.ts";
import { DAY_ONE } from "./testing.ts";

test("W3 W4: a check asks for a window that has begun, also in the last hour of a day where retention is a day", () => {
  const today = DAY_ONE + 9 * DAY;
  expect(probeWindow(today + 12 * HOUR, 90)).toEqual({ start: today - DAY, end: today });
  expect(probeWindow(today + 12 * HOUR, 1)).toEqual({ start: today, end: today + 12 * HOUR });
  const late = today + 23.5 * HOUR;
  expect(probeWindow(late, 1)).toEqual({ start: today, end: today + 23 * HOUR });
});
