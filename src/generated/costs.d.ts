/* Made by `npm run generate` from schemas/. Do not edit. */

/**
 * A provider-billed cost record (interface sections 2.4 and 2.6).
 */
export interface CostRecord {
  /**
   * Identifier of the record, unique within the account, dataset and granularity. Primary key. From a provider's own reports (Anthropic, OpenAI, OpenRouter): a hash of bucket, grouped dimensions and meter.
   */
  x_RecordId: string;
  /**
   * When the provider last changed the record (UTC). Of two versions of one record the one that was shown last holds. From a provider's own reports, which do not say it: the end of the bucket.
   */
  x_RecordUpdatedAt: string;
  /**
   * Width of the record's bucket: `1h` or `1d`.
   */
  x_Granularity: "1h" | "1d";
  /**
   * Start of the charge period, inclusive (UTC).
   */
  ChargePeriodStart: string;
  /**
   * End of the charge period, exclusive (UTC).
   */
  ChargePeriodEnd: string;
  /**
   * Name of the party that provides the service.
   */
  ServiceProviderName: string;
  /**
   * Always `AI and Machine Learning`.
   */
  ServiceCategory: "AI and Machine Learning";
  /**
   * Subcategory of the service, e.g. `Generative AI`.
   */
  ServiceSubcategory?: string | null;
  /**
   * Name of the service.
   */
  ServiceName: string;
  /**
   * Identifier of the SKU.
   */
  SkuId?: string | null;
  /**
   * The meter of the SKU, e.g. `Input Tokens`.
   */
  SkuMeter?: string | null;
  /**
   * Model that was used.
   */
  x_ModelId?: string | null;
  /**
   * Project that the charge belongs to.
   */
  x_ProjectId?: string | null;
  /**
   * Workspace that the charge belongs to.
   */
  x_WorkspaceId?: string | null;
  /**
   * Identifier (not the secret) of the API key that was used.
   */
  x_ApiKeyId?: string | null;
  /**
   * Service tier, e.g. `standard`, `batch` or `priority`.
   */
  x_ServiceTier?: string | null;
  /**
   * Kind of workload, e.g. `chat` or `embedding`.
   */
  x_WorkloadType?: string | null;
  /**
   * Provider that a gateway passed the request on to.
   */
  x_UpstreamProvider?: string | null;
  /**
   * The kind of usage that is charged; absent if the charge is not for usage.
   */
  x_UsageType?: string | null;
  /**
   * Start of the billing period that the charge is invoiced in, inclusive (UTC). From a provider's own reports: the calendar month.
   */
  BillingPeriodStart: string;
  /**
   * End of the billing period, exclusive (UTC).
   */
  BillingPeriodEnd: string;
  /**
   * Name of the party that issues the invoice.
   */
  InvoiceIssuerName: string;
  /**
   * Invoice that the charge is on; null where it is on none yet.
   */
  InvoiceId?: string | null;
  /**
   * Kind of charge: `Usage`, `Purchase`, `Tax`, `Credit` or `Adjustment`.
   */
  ChargeCategory: "Usage" | "Purchase" | "Tax" | "Credit" | "Adjustment";
  /**
   * `Correction` where the row corrects a closed billing period, else null.
   */
  ChargeClass?: string | null;
  /**
   * The charge in words.
   */
  ChargeDescription: string;
  /**
   * Currency of `BilledCost` and `EffectiveCost` (ISO 4217).
   */
  BillingCurrency: string;
  /**
   * Cost as invoiced, in `BillingCurrency`; an exact decimal as text, may be negative. From a provider's own reports: before credits and tax.
   */
  BilledCost: string;
  /**
   * Amortized cost, in `BillingCurrency`; an exact decimal as text, may be negative. Never to be added to `BilledCost`.
   */
  EffectiveCost: string;
  /**
   * Currency that the price list is in (ISO 4217).
   */
  PricingCurrency?: string | null;
  /**
   * `BilledCost` in `PricingCurrency`; an exact decimal as text.
   */
  PricingCurrencyBilledCost?: string | null;
  /**
   * `provisional` until the provider declares the cost `final`. From a provider's own reports, which do not say it: until some days after the billing period.
   */
  x_CostStatus: "provisional" | "final";
  /**
   * Identifier of the record that this record corrects.
   */
  x_CorrectsRecordId?: string | null;
}
