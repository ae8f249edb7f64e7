import { expect, test } from "vitest";
import { judgeOpenAiLag, judgeOpenRouterLag } from "./lag.ts";
import type { Seen } from "./memory.ts";

const HOUR = 3_600_000;

/** A day of one amount, seen at an age in hours. */
const seen = (dataset: Seen["dataset"], age: number, amount: string): Seen => ({
  dataset,
  period: "day",
  end: 0,
  at: age * HOUR,
  amounts: { USD: amount },
  complete: false,
});

test.each([
  ["OAI-07", judgeOpenAiLag],
  ["ORT-04", judgeOpenRouterLag],
])("%s: usage may change in the first 4 hours, and costs in the first 24", (_id, judge) => {
  const usage = (age: number): string =>
    judge([seen("usage", age, "1"), seen("usage", 80, "2")]).verdict;
  const costs = (age: number): string =>
    judge([seen("costs", age, "1"), seen("costs", 80, "2")]).verdict;
  expect([usage(3), usage(4), costs(23), costs(24)]).toEqual([
    "not seen here",
    "contradicted",
    "not seen here",
    "contradicted",
  ]);
});
