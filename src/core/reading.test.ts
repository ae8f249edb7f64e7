import { expect, test } from "vitest";
import { doubtfulChanges } from "./reading.ts";

const NOON = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60_000;

test.each([
  ["the beginning of the reading", null, NOON - 1000],
  ["the beginning, if the first page is newer", "2026-01-05T12:00:30Z", NOON - 1000],
  ["the first page, without its instant,", "2026-01-05T11:50:00.250Z", NOON - 10 * MINUTE + 251],
])(
  "R4: changes are doubtful from %s on, until one second behind `as_of`",
  (_, firstAsOf, start) => {
    expect(doubtfulChanges({ beganAt: NOON }, firstAsOf, "2026-01-05T12:01:00Z")).toEqual({
      start,
      end: NOON + MINUTE + 1000,
    });
  },
);

// Of some providers `as_of` is the instant of the last change.
test("R4: a page with the `as_of` of the first one shows no later change than that one", () => {
  const asOf = "2026-01-05T11:50:00Z";
  expect(doubtfulChanges({ beganAt: NOON }, asOf, asOf).start).toBe(NOON - 1000);
});
