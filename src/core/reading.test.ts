import { expect, test } from "vitest";
import { doubtfulChanges } from "./reading.ts";

test("R4: changes are doubtful from ten seconds before a reading begins until ten seconds after the latest page", () => {
  expect(doubtfulChanges({ beganAt: 50_000 }, 70_000)).toEqual({ start: 40_000, end: 80_000 });
});
