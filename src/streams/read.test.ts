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
  changesFrom: (now: number) => number | null = () => null,
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
    changesFrom,
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

test("R2: after a pause the deep re-read counts from the day after the last one, but never from a later day than today", () => {
  const today = DAY_ONE + 75 * DAY; // 17 March
  const fromOf = (stream: StreamDefinition, reconciledOn: unknown, days?: number): unknown => {
    const settings = days === undefined ? {} : { reconcile_days: days };
    return inputOf(stream, {}, settings, { reconciled_on: reconciledOn }).reconcileFrom;
  };
  for (const none of ["2026-03-16", "2026-03-17", "2026-04-01", "2026-02-30", "soon", null, 7]) {
    expect(fromOf(usage, none)).toBe(today - 7 * DAY);
    expect(fromOf(usage, none, 10)).toBe(today - 10 * DAY);
    expect(fromOf(costs, none)).toBe(DAY_ONE);
  }
  expect(fromOf(usage, "2026-03-15")).toBe(today - 8 * DAY);
  expect(fromOf(usage, "2026-02-28")).toBe(today - 23 * DAY);
  expect(fromOf(usage, "2026-02-28", 10)).toBe(today - 26 * DAY);
  expect(fromOf(usage, "2026-02-28", 0)).toBeNull();
  expect(fromOf(costs, "2026-02-28")).toBe(DAY_ONE);
  expect(fromOf(costs, "2026-02-27")).toBe(Date.UTC(2025, 11, 1));
});

test("R2 S3: a pass of an earlier day reads its days again from the day after it was planned", () => {
  const today = DAY_ONE + 75 * DAY; // 17 March
  const inputAfter = (day: unknown, settings: object = {}): PlanInput =>
    inputOf(usage, {}, settings, { reconciled_on: "2026-02-28", pass: { day } });
  for (const day of ["2026-03-16", "2026-03-17", "2026-04-01", "soon", 7]) {
    const { reconcileFrom, staleFrom } = inputAfter(day);
    expect([reconcileFrom, staleFrom]).toEqual([today - 23 * DAY, today - 7 * DAY]);
  }
  expect(inputAfter("2026-03-10").staleFrom).toBe(today - 13 * DAY);
  expect(inputAfter("2026-03-10", { reconcile_days: 3 }).staleFrom).toBe(today - 9 * DAY);
  expect(inputAfter("2026-03-10", { reconcile_days: 0 }).staleFrom).toBeNull();
});

test("R2: a source says at the day after the last deep re-read from when on it may still change", () => {
  const today = DAY_ONE + 75 * DAY;
  const asked: number[] = [];
  const changesFrom = (at: number): number => {
    asked.push(at);
    return at - 30 * DAY;
  };
  const fromAt = (reconciledOn: string, settings: object = {}): unknown =>
    inputOf(usage, {}, settings, { reconciled_on: reconciledOn }, changesFrom).reconcileFrom;
  expect(fromAt("2026-03-07")).toBe(today - 39 * DAY);
  expect(fromAt("2026-03-07", { reconcile_days: 5 })).toBe(today - 14 * DAY);
  expect(fromAt("2026-03-16")).toBe(today - 30 * DAY);
  expect(fromAt("2026-03-07", { reconcile_days: 0 })).toBeNull();
  expect(asked).toEqual([today - 9 * DAY, today - 9 * DAY, today, NOW]);
});

test("R4 R9: a plan that begins again takes its chain and its newest reading id from the cleared state", () => {
  const stored = { cleared: { chain: "abcde", newest_reading_id: "000000007abcde" } };
  const cleared = planIncremental(null, inputOf(costs, {}, {}, stored));
  expect(cleared.state).toMatchObject({ chain: "abcde", newestId: "000000007abcde", pass: {} });
  const fresh = planIncremental(null, inputOf(costs));
  expect(fresh.state).toMatchObject({ chain: drawChain(0.5), newestId: null });
});
