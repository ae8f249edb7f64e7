import { reconcileFromDays } from "../core/plan.ts";
import { isSummable } from "../core/decimal.ts";
import { DAY, HOUR } from "../core/time.ts";
import { catalogSchemas } from "../generated/catalog_schemas.ts";
import { textRules } from "../generated/text_rules.ts";
import { validateUsage } from "../generated/validators.js";
import { MemberRules } from "../records/plain_shape.ts";
import { textOf } from "./invalid.ts";
import { providerProperties, type StreamDefinition } from "./stream.ts";

/** Usage settles within days. A week also finds changes that come later than the freshness lag (R2). */
const RECONCILE_DAYS = 7;

/** Metered usage (interface section 4.2). */
export const usage: StreamDefinition = {
  name: "usage",
  validate: validateUsage,
  members: new MemberRules(textRules.usage),
  properties: providerProperties(catalogSchemas.usage),
  byMonth: false,
  granularityOf: (configured) => configured,
  bucketOf: (configured) => (configured === "1h" ? HOUR : DAY),
  lagOf: (dataset) => (dataset.freshness_lag_minutes ?? 0) * 60_000,
  reconcileFrom: (now) => reconcileFromDays(now, RECONCILE_DAYS),
  provisionalOf: () => null,
  amountsOf: ({ x_UsageType: type, ConsumedUnit: unit, ConsumedQuantity: quantity }) =>
    isSummable(quantity)
      ? { labels: { usage_type: textOf(type), unit: textOf(unit) }, amounts: { quantity } }
      : null,
};
