/**
 * The order in which a record's members are hashed, so that no other order makes a day differ (R6): the members below first, in this
 * order, then all others by the code units of their names. It is the order in which the interface named them in 0.2.0. It must
 * stay as it is: with another order every known day would differ, and every row would be written again.
 */
const FIRST: readonly string[] = [
  "x_RecordId",
  "x_RecordUpdatedAt",
  "x_Granularity",
  "ChargePeriodStart",
  "ChargePeriodEnd",
  "ServiceProviderName",
  "ServiceCategory",
  "ServiceSubcategory",
  "ServiceName",
  "SkuId",
  "SkuMeter",
  "x_ModelId",
  "x_ProjectId",
  "x_WorkspaceId",
  "x_ApiKeyId",
  "x_ServiceTier",
  "x_WorkloadType",
  "x_UpstreamProvider",
  "ConsumedQuantity",
  "ConsumedUnit",
  "BillingPeriodStart",
  "BillingPeriodEnd",
  "InvoiceIssuerName",
  "InvoiceId",
  "ChargeCategory",
  "ChargeClass",
  "ChargeDescription",
  "BillingCurrency",
  "BilledCost",
  "EffectiveCost",
  "PricingCurrency",
  "PricingCurrencyBilledCost",
  "x_CostStatus",
  "x_UsageType",
  "x_CorrectsRecordId",
];
const RANKS: ReadonlyMap<string, number> = new Map(FIRST.map((name, rank) => [name, rank]));

/** Negative if a record's member `a` comes before its member `b`. */
export function compareMembers(a: string, b: string): number {
  const [left, right] = [RANKS.get(a) ?? Infinity, RANKS.get(b) ?? Infinity];
  if (left !== right) return left - right;
  return left === Infinity ? compareNames(a, b) : 0;
}

/** By code units: the same everywhere. */
export const compareNames = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
