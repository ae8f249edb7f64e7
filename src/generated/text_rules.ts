// Made by `npm run generate` from schemas/. Do not edit.

/** The rule of a member. `filled`: a text that is not empty; `other`: a rule that only the validators know. */
export type TextRule =
  | "nullable"
  | "text"
  | "filled"
  | "instant"
  | "decimal"
  | "nullableDecimal"
  | "other";

/** The rules of a schema, for records that hold only texts and nulls. */
export interface TextRules {
  readonly required: readonly string[];
  readonly members: Readonly<Record<string, TextRule>>;
}

export const textRules: Readonly<Record<"usage" | "costs", TextRules>> = {
  "usage": {
    "required": [
      "x_RecordId",
      "x_RecordUpdatedAt",
      "x_Granularity",
      "ChargePeriodStart",
      "ChargePeriodEnd",
      "ServiceProviderName",
      "ServiceCategory",
      "ServiceName",
      "SkuId",
      "SkuMeter",
      "ConsumedQuantity",
      "ConsumedUnit",
      "x_UsageType"
    ],
    "members": {
      "x_RecordId": "filled",
      "x_RecordUpdatedAt": "instant",
      "x_Granularity": "other",
      "ChargePeriodStart": "instant",
      "ChargePeriodEnd": "instant",
      "ServiceProviderName": "filled",
      "ServiceCategory": "other",
      "ServiceSubcategory": "nullable",
      "ServiceName": "filled",
      "SkuId": "filled",
      "SkuMeter": "filled",
      "x_ModelId": "nullable",
      "x_ProjectId": "nullable",
      "x_WorkspaceId": "nullable",
      "x_ApiKeyId": "nullable",
      "x_ServiceTier": "nullable",
      "x_WorkloadType": "nullable",
      "x_UpstreamProvider": "nullable",
      "x_UsageType": "other",
      "ConsumedQuantity": "decimal",
      "ConsumedUnit": "filled"
    }
  },
  "costs": {
    "required": [
      "x_RecordId",
      "x_RecordUpdatedAt",
      "x_Granularity",
      "ChargePeriodStart",
      "ChargePeriodEnd",
      "ServiceProviderName",
      "ServiceCategory",
      "ServiceName",
      "BillingPeriodStart",
      "BillingPeriodEnd",
      "InvoiceIssuerName",
      "ChargeCategory",
      "ChargeDescription",
      "BillingCurrency",
      "BilledCost",
      "EffectiveCost",
      "x_CostStatus"
    ],
    "members": {
      "x_RecordId": "filled",
      "x_RecordUpdatedAt": "instant",
      "x_Granularity": "other",
      "ChargePeriodStart": "instant",
      "ChargePeriodEnd": "instant",
      "ServiceProviderName": "filled",
      "ServiceCategory": "other",
      "ServiceSubcategory": "nullable",
      "ServiceName": "filled",
      "SkuId": "nullable",
      "SkuMeter": "nullable",
      "x_ModelId": "nullable",
      "x_ProjectId": "nullable",
      "x_WorkspaceId": "nullable",
      "x_ApiKeyId": "nullable",
      "x_ServiceTier": "nullable",
      "x_WorkloadType": "nullable",
      "x_UpstreamProvider": "nullable",
      "x_UsageType": "nullable",
      "BillingPeriodStart": "instant",
      "BillingPeriodEnd": "instant",
      "InvoiceIssuerName": "filled",
      "InvoiceId": "nullable",
      "ChargeCategory": "other",
      "ChargeClass": "nullable",
      "ChargeDescription": "text",
      "BillingCurrency": "other",
      "BilledCost": "decimal",
      "EffectiveCost": "decimal",
      "PricingCurrency": "other",
      "PricingCurrencyBilledCost": "nullableDecimal",
      "x_CostStatus": "other",
      "x_CorrectsRecordId": "nullable"
    }
  }
};
