import { expect, it } from "vitest";
import { seedsOf } from "./seeds.ts";

const COUNTS = { few: 1, all: 3 };

it("the environment chooses the seeds", () => {
  expect(seedsOf({}, COUNTS)).toEqual([1]);
  expect(seedsOf({ SEEDS: "all" }, COUNTS)).toEqual([1, 2, 3]);
  expect(seedsOf({ SEEDS: "5" }, COUNTS)).toEqual([1, 2, 3, 4, 5]);
  expect(seedsOf({ SEEDS: "all", SEED: "4711" }, COUNTS)).toEqual([4711]);
});
