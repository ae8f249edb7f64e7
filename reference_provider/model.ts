import type { Capabilities } from "../src/generated/capabilities.d.ts";
import type { CostRecord } from "../src/generated/costs.d.ts";
import type { UsageRecord } from "../src/generated/usage.d.ts";
import { validateCapabilities, validateCosts, validateUsage } from "../src/generated/validators.js";
import type { Validator } from "../src/generated/validators.js";

export type { Capabilities, CostRecord, UsageRecord };

export type DatasetName = "usage" | "costs";
export type Granularity = "1h" | "1d";
export type BillingRecord = UsageRecord | CostRecord;

/** The capabilities of one dataset (interface section 2.3). */
export type DatasetCapabilities = Capabilities["datasets"]["usage"];

/** The capabilities that both kinds of account share: the interface's versions and the methods of authorization. */
export const PROVIDER_FACTS: Omit<Capabilities, "datasets"> = {
  profile_version: "0.1",
  focus_version: "1.4",
  provider: "Reference AI Provider",
  authorization_methods: ["scoped_bearer_token"],
  protected_resource_metadata_url: null,
};

function explain(validator: Validator): string {
  const [first] = validator.errors ?? [];
  if (first === undefined) return "does not match its schema";
  return `${first.instancePath === "" ? "the object" : first.instancePath} ${first.message ?? first.keyword}`;
}

/** Checks a usage record against `schemas/usage.json`. Throws a TypeError that names the field and the rule. */
export function usageRecord(value: unknown): UsageRecord {
  const keeps = (candidate: unknown): candidate is UsageRecord => validateUsage(candidate);
  if (!keeps(value)) throw new TypeError(`usage record: ${explain(validateUsage)}`);
  return value;
}

/** Checks a cost record against `schemas/costs.json`. Throws a TypeError that names the field and the rule. */
export function costRecord(value: unknown): CostRecord {
  const keeps = (candidate: unknown): candidate is CostRecord => validateCosts(candidate);
  if (!keeps(value)) throw new TypeError(`cost record: ${explain(validateCosts)}`);
  return value;
}

/** Checks capabilities against `schemas/capabilities.json`. Throws a TypeError that names the field and the rule. */
export function capabilities(value: unknown): Capabilities {
  const keeps = (candidate: unknown): candidate is Capabilities => validateCapabilities(candidate);
  if (!keeps(value)) throw new TypeError(`capabilities: ${explain(validateCapabilities)}`);
  return value;
}

/** True for JSON objects; false for null and arrays. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
