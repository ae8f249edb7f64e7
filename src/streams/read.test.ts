import { expect, test } from "vitest";
import { parseConfig } from "../config/config.ts";
import { drawChain } from "../core/identity.ts";
import { type PlanInput, planIncremental } from "../core/plan.ts";
import { DAY } from "../core/time.ts";
import { costs } from "./costs.ts";
import { planInputOf } from "./read.ts";
import type { DatasetCapabilities, StreamDefinition } from "./stream.ts";
import { DAY_ONE } from "./testing.ts";
import { usage } from "./usage.ts";

const NOW = DAY_ONE + 75.5 * DAY; // 17 March 2026

/** The plan's inputs with these lags and these settings of the user. */
function inputOf(
  stream: StreamDefinition,
  lags: Partial<DatasetCapabilities> = {},
  settings: object = {},
  stored: unknown = null,
): PlanInput {
  const dataset: DatasetCapabilities = {
    endpoint: "/v1/finops/x",
    granularities: ["1d"],
    retention_days: 90,
    maximum_window_days: 31,
    dimensions: [],
    ...lags,
  };
  const credentials = { auth_type: "scoped_bearer_token", access_token: "t" };
  const config = parseConfig({ base_url: "https://a.example", credentials, ...settings });
  return planInputOf(stream, dataset, config, {
    now: NOW,
    passBeganAt: NOW,
    earlierEnded: true,
    stored,
    reports: true,
    random: () => 0.5,
  });
}

test("R1: the lookback is the dataset's lag in whole days, at least one, or the user's", () => {
  expect(inputOf(usage).lookback).toBe(DAY);
  expect(inputOf(usage, { freshness_lag_minutes: 30 }).lookback).toBe(DAY);
  expect(inputOf(usage, { freshness_lag_minutes: 1440 }).lookback).toBe(DAY);
  expect(inputOf(usage, { freshness_lag_minutes: 1441 }).lookback).toBe(2 * DAY);
  expect(inputOf(costs).lookback).toBe(DAY);
  expect(inputOf(costs, { settlement_lag_hours: 72 }).lookback).toBe(3 * DAY);
  expect(inputOf(costs, { settlement_lag_hours: 73 }).lookback).toBe(4 * DAY);
  expect(inputOf(costs, { settlement_lag_hours: 72 }, { lookback_days: 5 }).lookback).toBe(5 * DAY);
  expect(inputOf(costs, { settlement_lag_hours: 72 }, { lookback_days: 0 }).lookback).toBe(0);
});

test("R2: the deep re-read begins a week back, or two months of costs, or where the user says; 0 turns it off", () => {
  const today = DAY_ONE + 75 * DAY;
  expect(inputOf(usage).reconcileFrom).toBe(today - 7 * DAY);
  expect(inputOf(costs).reconcileFrom).toBe(DAY_ONE);
  for (const stream of [usage, costs]) {
    expect(inputOf(stream, {}, { reconcile_days: 10 }).reconcileFrom).toBe(today - 10 * DAY);
    expect(inputOf(stream, {}, { reconcile_days: 0 }).reconcileFrom).toBeNull();
  }
});

test("R4 R9: a plan that begins again takes its chain and its newest reading id from the cleared state", () => {
  const stored = { cleared: { chain: "abcde", newest_reading_id: "000000007abcde" } };
  const cleared = planIncremental(null, inputOf(costs, {}, {}, stored));
  expect(cleared.state).toMatchObject({ chain: "abcde", newestId: "000000007abcde", pass: {} });
  const fresh = planIncremental(null, inputOf(costs));
  expect(fresh.state).toMatchObject({ chain: drawChain(0.5), newestId: null });
});
