import { expect, it } from "vitest";
import { areMost } from "./changed_days.ts";

it.each([
  [50_000, 60_000, false],
  [50_001, 60_000, true],
  [60_000, 240_000, false],
  [60_001, 240_000, true],
])("whether %i of %i rows are most of them: %s", (some, all, expected) => {
  expect(areMost(some, all)).toBe(expected);
});
