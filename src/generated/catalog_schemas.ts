// Made by `npm run generate` from schemas/. Do not edit.

/** The `json_schema` of each record stream in the discovered catalog. */
export const catalogSchemas = {
  "usage": {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "additionalProperties": true,
    "properties": {
      "x_RecordId": {
        "description": "Identifier of the record, unique within the account, dataset and granularity. Primary key. From a provider's own reports (Anthropic, OpenAI, OpenRouter): a hash of bucket, grouped dimensions and meter.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_RecordUpdatedAt": {
        "description": "When the provider last changed the record (UTC). Of two versions of one record the one that was shown last holds. From a provider's own reports, which do not say it: the end of the bucket.",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "x_Granularity": {
        "description": "Width of the record's bucket: `1h` or `1d`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ChargePeriodStart": {
        "description": "Start of the charge period, inclusive (UTC).",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "ChargePeriodEnd": {
        "description": "End of the charge period, exclusive (UTC).",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "ServiceProviderName": {
        "description": "Name of the party that provides the service.",
        "type": [
          "null",
          "string"
        ]
      },
      "ServiceCategory": {
        "description": "Always `AI and Machine Learning`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ServiceSubcategory": {
        "description": "Subcategory of the service, e.g. `Generative AI`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ServiceName": {
        "description": "Name of the service.",
        "type": [
          "null",
          "string"
        ]
      },
      "SkuId": {
        "description": "Identifier of the SKU.",
        "type": [
          "null",
          "string"
        ]
      },
      "SkuMeter": {
        "description": "The meter of the SKU, e.g. `Input Tokens`.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ModelId": {
        "description": "Model that was used.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ProjectId": {
        "description": "Project that the charge belongs to.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_WorkspaceId": {
        "description": "Workspace that the charge belongs to.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ApiKeyId": {
        "description": "Identifier (not the secret) of the API key that was used.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ServiceTier": {
        "description": "Service tier, e.g. `standard`, `batch` or `priority`.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_WorkloadType": {
        "description": "Kind of workload, e.g. `chat` or `embedding`.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_UpstreamProvider": {
        "description": "Provider that a gateway passed the request on to.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_UsageType": {
        "description": "The kind of usage: one of the interface's usage types, or a provider's own that starts with `x_`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ConsumedQuantity": {
        "description": "Quantity used, in `ConsumedUnit`; an exact decimal as text.",
        "type": [
          "null",
          "string"
        ]
      },
      "ConsumedUnit": {
        "description": "Unit of `ConsumedQuantity`, e.g. `Tokens` or `1000 Tokens`.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ReadingId": {
        "description": "Identifier of the reading that returned this row; later readings sort after earlier ones. Added by the connector.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ProviderColumns": {
        "description": "Columns that the interface does not name, as the provider sent them. Absent where there are none. Added by the connector.",
        "type": [
          "null",
          "object"
        ]
      }
    }
  },
  "costs": {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "additionalProperties": true,
    "properties": {
      "x_RecordId": {
        "description": "Identifier of the record, unique within the account, dataset and granularity. Primary key. From a provider's own reports (Anthropic, OpenAI, OpenRouter): a hash of bucket, grouped dimensions and meter.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_RecordUpdatedAt": {
        "description": "When the provider last changed the record (UTC). Of two versions of one record the one that was shown last holds. From a provider's own reports, which do not say it: the end of the bucket.",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "x_Granularity": {
        "description": "Width of the record's bucket: `1h` or `1d`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ChargePeriodStart": {
        "description": "Start of the charge period, inclusive (UTC).",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "ChargePeriodEnd": {
        "description": "End of the charge period, exclusive (UTC).",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "ServiceProviderName": {
        "description": "Name of the party that provides the service.",
        "type": [
          "null",
          "string"
        ]
      },
      "ServiceCategory": {
        "description": "Always `AI and Machine Learning`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ServiceSubcategory": {
        "description": "Subcategory of the service, e.g. `Generative AI`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ServiceName": {
        "description": "Name of the service.",
        "type": [
          "null",
          "string"
        ]
      },
      "SkuId": {
        "description": "Identifier of the SKU.",
        "type": [
          "null",
          "string"
        ]
      },
      "SkuMeter": {
        "description": "The meter of the SKU, e.g. `Input Tokens`.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ModelId": {
        "description": "Model that was used.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ProjectId": {
        "description": "Project that the charge belongs to.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_WorkspaceId": {
        "description": "Workspace that the charge belongs to.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ApiKeyId": {
        "description": "Identifier (not the secret) of the API key that was used.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ServiceTier": {
        "description": "Service tier, e.g. `standard`, `batch` or `priority`.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_WorkloadType": {
        "description": "Kind of workload, e.g. `chat` or `embedding`.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_UpstreamProvider": {
        "description": "Provider that a gateway passed the request on to.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_UsageType": {
        "description": "The kind of usage that is charged; absent if the charge is not for usage.",
        "type": [
          "null",
          "string"
        ]
      },
      "BillingPeriodStart": {
        "description": "Start of the billing period that the charge is invoiced in, inclusive (UTC). From a provider's own reports: the calendar month.",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "BillingPeriodEnd": {
        "description": "End of the billing period, exclusive (UTC).",
        "type": [
          "null",
          "string"
        ],
        "format": "date-time",
        "airbyte_type": "timestamp_with_timezone"
      },
      "InvoiceIssuerName": {
        "description": "Name of the party that issues the invoice.",
        "type": [
          "null",
          "string"
        ]
      },
      "InvoiceId": {
        "description": "Invoice that the charge is on; null where it is on none yet.",
        "type": [
          "null",
          "string"
        ]
      },
      "ChargeCategory": {
        "description": "Kind of charge: `Usage`, `Purchase`, `Tax`, `Credit` or `Adjustment`.",
        "type": [
          "null",
          "string"
        ]
      },
      "ChargeClass": {
        "description": "`Correction` where the row corrects a closed billing period, else null.",
        "type": [
          "null",
          "string"
        ]
      },
      "ChargeDescription": {
        "description": "The charge in words.",
        "type": [
          "null",
          "string"
        ]
      },
      "BillingCurrency": {
        "description": "Currency of `BilledCost` and `EffectiveCost` (ISO 4217).",
        "type": [
          "null",
          "string"
        ]
      },
      "BilledCost": {
        "description": "Cost as invoiced, in `BillingCurrency`; an exact decimal as text, may be negative. From a provider's own reports: before credits and tax.",
        "type": [
          "null",
          "string"
        ]
      },
      "EffectiveCost": {
        "description": "Amortized cost, in `BillingCurrency`; an exact decimal as text, may be negative. Never to be added to `BilledCost`.",
        "type": [
          "null",
          "string"
        ]
      },
      "PricingCurrency": {
        "description": "Currency that the price list is in (ISO 4217).",
        "type": [
          "null",
          "string"
        ]
      },
      "PricingCurrencyBilledCost": {
        "description": "`BilledCost` in `PricingCurrency`; an exact decimal as text.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_CostStatus": {
        "description": "`provisional` until the provider declares the cost `final`. From a provider's own reports, which do not say it: until some days after the billing period.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_CorrectsRecordId": {
        "description": "Identifier of the record that this record corrects.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ReadingId": {
        "description": "Identifier of the reading that returned this row; later readings sort after earlier ones. Added by the connector.",
        "type": [
          "null",
          "string"
        ]
      },
      "x_ProviderColumns": {
        "description": "Columns that the interface does not name, as the provider sent them. Absent where there are none. Added by the connector.",
        "type": [
          "null",
          "object"
        ]
      }
    }
  }
} as const;
