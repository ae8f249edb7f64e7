/* Made by `npm run generate` from schemas/. Do not edit. */

/**
 * The datasets that the provider exports for the authorized account (interface sections 2.2 and 2.3).
 */
export interface Capabilities {
  /**
   * Version of the interface profile; always `0.1`.
   */
  profile_version: "0.1";
  /**
   * Version of the specification that the profile is based on; always `1.4`.
   */
  focus_version: "1.4";
  /**
   * Name of the provider.
   */
  provider: string;
  /**
   * Credentials that the provider accepts.
   *
   * @minItems 1
   */
  authorization_methods: [
    "scoped_bearer_token" | "oauth2_authorization_code",
    ...("scoped_bearer_token" | "oauth2_authorization_code")[]
  ];
  /**
   * Address of the protected-resource metadata (RFC 9728).
   */
  protected_resource_metadata_url?: string | null;
  /**
   * The datasets on offer.
   */
  datasets: {
    /**
     * Capabilities of the usage dataset (interface section 2.3).
     */
    usage: {
      /**
       * Path of the export operation, relative to the base URL.
       */
      endpoint: string;
      /**
       * Bucket widths on offer.
       *
       * @minItems 1
       */
      granularities: ["1h" | "1d", ...("1h" | "1d")[]];
      /**
       * Days of history that can be read.
       */
      retention_days: number;
      /**
       * Largest window that one query may ask for, in days.
       */
      maximum_window_days: number;
      /**
       * Minutes until usage is complete.
       */
      freshness_lag_minutes?: number;
      /**
       * Hours until costs settle.
       */
      settlement_lag_hours?: number;
      /**
       * Dimensions that records carry.
       */
      dimensions: (
        "model" | "project" | "workspace" | "api_key" | "service_tier" | "workload_type" | "upstream_provider"
      )[];
      /**
       * Billing currencies that occur (ISO 4217).
       */
      currencies?: string[];
    };
    /**
     * Capabilities of the costs dataset (interface section 2.3).
     */
    costs?: {
      /**
       * Path of the export operation, relative to the base URL.
       */
      endpoint: string;
      /**
       * Bucket widths on offer.
       *
       * @minItems 1
       */
      granularities: ["1h" | "1d", ...("1h" | "1d")[]];
      /**
       * Days of history that can be read.
       */
      retention_days: number;
      /**
       * Largest window that one query may ask for, in days.
       */
      maximum_window_days: number;
      /**
       * Minutes until usage is complete.
       */
      freshness_lag_minutes?: number;
      /**
       * Hours until costs settle.
       */
      settlement_lag_hours?: number;
      /**
       * Dimensions that records carry.
       */
      dimensions: (
        "model" | "project" | "workspace" | "api_key" | "service_tier" | "workload_type" | "upstream_provider"
      )[];
      /**
       * Billing currencies that occur (ISO 4217).
       */
      currencies?: string[];
    };
  };
}
