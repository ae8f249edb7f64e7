/** The judge's memory of the answers of a provider. */
import { expect, test } from "vitest";
import { DAY, HOUR } from "./calendar.ts";
import { day } from "./posted.ts";
import type { Exchange } from "./provider.ts";
import { Readings } from "./readings.ts";

function pageOf(start: number, availableThrough: number): Exchange {
  const at = day(0) + 12 * HOUR;
  return {
    stream: "usage",
    at,
    asOf: at,
    date: at,
    start,
    end: start + DAY,
    cursor: null,
    status: 200,
    availableThrough,
    nextCursor: null,
    versions: [],
  };
}

test.each([
  ["limits the position", -HOUR, -HOUR],
  ["may be clipped, and limits nothing", 0, 11 * HOUR],
])("S1: an `available_through` of a window %s (its end, %i ms)", (_, ahead, least) => {
  const readings = new Readings();
  readings.add(pageOf(day(-1), day(0) + ahead));
  readings.add(pageOf(day(0), day(0) + 11 * HOUR));
  expect(readings.least(day(-1), day(0) + 11 * HOUR)).toBe(day(0) + least);
});
