import { reconcileFromDays } from "../core/plan.ts";
import { isSummable } from "../core/decimal.ts";
import { DAY, HOUR } from "../core/time.ts";
import { textRules } from "../generated/text_rules.ts";
import { validateUsage } from "../generated/validators.js";
import { labelOf } from "../records/fields.ts";
import { RecordSchema } from "../records/record_schema.ts";
import type { StreamDefinition } from "./stream.ts";

/** Usage settles within days. A week also finds changes that come later than the freshness lag (R2). */
const RECONCILE_DAYS = 7;

/** Metered usage (interface section 4.2). */
export const usage: StreamDefinition = {
  name: "usage",
  schema: new RecordSchema(validateUsage, textRules.usage),
  byMonth: false,
  granularityOf: (configured) => configured,
  bucketOf: (configured) => (configured === "1h" ? HOUR : DAY),
  lagOf: (dataset) => (dataset.freshness_lag_minutes ?? 0) * 60_000,
  reconcileFrom: (now) => reconcileFromDays(now, RECONCILE_DAYS),
  provisionalOf: () => null,
  amountsOf: ({ x_UsageType: type, ConsumedUnit: unit, ConsumedQuantity: quantity }) =>
    isSummable(quantity)
      ? { labels: { usage_type: labelOf(type), unit: labelOf(unit) }, amounts: { quantity } }
      : null,
};
