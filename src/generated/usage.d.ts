/* Made by `npm run generate` from schemas/. Do not edit. */

/**
 * A metered usage record (interface sections 2.4 and 2.5).
 */
export interface UsageRecord {
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
  SkuId: string;
  /**
   * The meter of the SKU, e.g. `Input Tokens`.
   */
  SkuMeter: string;
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
   * The kind of usage: one of the interface's usage types, or a provider's own that starts with `x_`.
   */
  x_UsageType: string;
  /**
   * Quantity used, in `ConsumedUnit`; an exact decimal as text.
   */
  ConsumedQuantity: string;
  /**
   * Unit of `ConsumedQuantity`, e.g. `Tokens` or `1000 Tokens`.
   */
  ConsumedUnit: string;
}
