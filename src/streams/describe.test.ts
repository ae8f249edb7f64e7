import { expect, test } from "vitest";
import { type Plan, planIncremental } from "../core/plan.ts";
import type { StreamState } from "../core/state.ts";
import { DAY } from "../core/time.ts";
import { describePlan, describeShrunk } from "./describe.ts";
import { at } from "./scripted/testing.ts";
import { DAY_ONE } from "./testing.ts";

/** The warnings about a plan with these parts. */
const warningsOf = (parts: Partial<Plan<StreamState>>): string[] =>
  describePlan("costs", { ...planIncremental(null, at), ...parts })
    .filter(({ log }) => log.level === "WARN")
    .map(({ log }) => log.message);

test("W3: the log names each range that has left retention", () => {
  const lost = [
    { start: DAY_ONE, end: DAY_ONE + DAY },
    { start: DAY_ONE + 3 * DAY, end: DAY_ONE + 5 * DAY },
  ];
  expect(warningsOf({ lost })).toEqual([
    "costs: 2026-01-01T00:00:00Z to 2026-01-02T00:00:00Z has left the provider's retention and cannot be read.",
    "costs: 2026-01-04T00:00:00Z to 2026-01-06T00:00:00Z has left the provider's retention and cannot be read.",
  ]);
});

test("R2: the log names the number and the sums of provisional costs that left retention", () => {
  const billed = { EUR: "0.10", USD: "12.3456789" };
  expect(warningsOf({ lostProvisional: [{ day: DAY_ONE, records: 3, billed }] })).toEqual([
    "costs: 3 provisional costs of 2026-01-01 left retention before they were final: 0.10 EUR, 12.3456789 USD. " +
      "They stay provisional in the warehouse.",
  ]);
});

test("R8: the warning of a day that shrank says which reading may confirm it", () => {
  expect(describeShrunk([{ day: DAY_ONE, most: 30, records: 1 }])).toEqual([
    "the provider shows 1 record of 2026-01-01, which had 30. This may be an outage: the earlier rows keep standing " +
      "until a reading of newer data, an hour or more later, shows the same.",
  ]);
});
