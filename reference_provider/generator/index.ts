import type { Account } from "../accounts.ts";
import { createAccount, putLife } from "../data.ts";
import { PROVIDER_FACTS } from "../model.ts";
import type { Capabilities } from "../model.ts";
import { FRESHNESS_MINUTES } from "./metering.ts";
import { createPlan } from "./options.ts";
import type { GeneratorOptions, Plan } from "./options.ts";
import { SETTLEMENT_HOURS, dailyCosts, dailyUsage, hourlyUsage } from "./records.ts";
import { correctionLives, monthlyLives, unruly } from "./specials.ts";

export { parseGeneratorSpec } from "./options.ts";
export type { GeneratorOptions };

function capabilitiesOf(plan: Plan): Capabilities {
  const dimensions = [
    "model",
    "project",
    "workspace",
    "api_key",
    "service_tier",
    "workload_type",
  ] as const;
  const limits = { retention_days: plan.retention, maximum_window_days: plan.window };
  return {
    ...PROVIDER_FACTS,
    datasets: {
      usage: {
        endpoint: "/v1/finops/usage",
        granularities: ["1h", "1d"],
        ...limits,
        freshness_lag_minutes: FRESHNESS_MINUTES,
        dimensions: [...dimensions],
      },
      costs: {
        endpoint: "/v1/finops/costs",
        granularities: ["1d"],
        ...limits,
        settlement_lag_hours: SETTLEMENT_HOURS,
        dimensions: [...dimensions],
        currencies: [...plan.currencies],
      },
    },
  };
}

/**
 * Makes an account with generated records. Usage and daily costs are computed when they are read, so that millions
 * cost no memory. Monthly charges, corrections and special rows are stored. Throws a RangeError for options out of
 * range.
 */
export function generateAccount(id: string, options: GeneratorOptions): Account {
  const plan = createPlan(options);
  const costs = dailyCosts(plan);
  const account = createAccount(id, capabilitiesOf(plan), {
    "usage-1h": hourlyUsage(plan),
    "usage-1d": dailyUsage(plan),
    costs,
  });
  for (const life of unruly(plan, costs)) putLife(account, "costs", life);
  for (const life of correctionLives(plan, costs)) putLife(account, "costs", life);
  if (plan.monthly) for (const life of monthlyLives(plan)) putLife(account, "costs", life);
  return account;
}
