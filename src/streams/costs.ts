import { costsReconcileFrom } from "../core/plan.ts";
import { isSummable } from "../core/decimal.ts";
import { DAY, HOUR } from "../core/time.ts";
import { textRules } from "../generated/text_rules.ts";
import { validateCosts } from "../generated/validators.js";
import { labelOf } from "../records/fields.ts";
import { RecordSchema } from "../records/record_schema.ts";
import type { StreamDefinition } from "./stream.ts";

/** Provider-billed costs (interface section 4.3). Always in days: the query has no granularity. */
export const costs: StreamDefinition = {
  name: "costs",
  schema: new RecordSchema(validateCosts, textRules.costs),
  byMonth: true,
  granularityOf: () => null,
  bucketOf: () => DAY,
  lagOf: (dataset) => (dataset.settlement_lag_hours ?? 0) * HOUR,
  reconcileFrom: costsReconcileFrom,
  provisionalOf: (record) => {
    if (record["x_CostStatus"] !== "provisional") return null;
    const { BillingCurrency: currency, BilledCost: billed } = record;
    return {
      records: 1,
      billed: isCurrency(currency) && isSummable(billed) ? { [currency]: billed } : {},
    };
  },
  amountsOf: ({ BillingCurrency, ChargeCategory, x_CostStatus, BilledCost, EffectiveCost }) =>
    isSummable(BilledCost) && isSummable(EffectiveCost)
      ? {
          labels: {
            currency: labelOf(BillingCurrency),
            charge_category: labelOf(ChargeCategory),
            cost_status: labelOf(x_CostStatus),
          },
          amounts: { billed: BilledCost, effective: EffectiveCost },
        }
      : null,
};

/** Whether a value is a CurrencyCode (interface section 2.1). A tolerated record may hold any text, even `__proto__`. */
function isCurrency(value: unknown): value is string {
  return typeof value === "string" && /^[A-Z]{3}$/.test(value);
}
