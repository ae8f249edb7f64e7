/** Planted faults of capabilities and records. */
import { usage, capabilities, capability, cost, simple } from "./plant.ts";
import type { Plant } from "./plant.ts";

export const ofCapabilities: readonly Plant[] = [
  simple("capabilities-refused", "capabilities answer 400", "CAP-01", {
    kind: "status",
    status: 400,
    when: capabilities,
  }),
  capability("retention-text", "retention_days is a text", "CAP-02", {
    "/datasets/usage/retention_days": "thirty",
  }),
  capability("window-missing", "maximum_window_days of costs is missing", "CAP-02", {}, [
    "/datasets/costs/maximum_window_days",
  ]),
  capability("capabilities-open", "capabilities have a member of their own", "CAP-03", {
    "/datasets/usage/region": "eu",
  }),
  capability("version-other", "profile_version is 0.2", "CAP-04", { "/profile_version": "0.2" }),
  capability("endpoint-dots", "an endpoint has dot segments", "CAP-05", {
    "/datasets/usage/endpoint": "/v1/../finops/usage",
  }),
  capability("endpoint-elsewhere", "an endpoint leads to another host", "CAP-05", {
    "/datasets/costs/endpoint": "//example.com/v1/finops/costs",
  }),
  capability("method-unknown", "an authorization method is unknown", "CAP-06", {
    "/authorization_methods": ["scoped_bearer_token", "password"],
  }),
  capability("metadata-relative", "the metadata address is a path", "CAP-07", {
    "/protected_resource_metadata_url": "/metadata",
  }),
  capability("metadata-plain", "the metadata address is not https", "CAP-14", {
    "/protected_resource_metadata_url": "http://example.com/metadata",
  }),
  capability("lag-missing", "usage announces no freshness lag", "CAP-08", {}, [
    "/datasets/usage/freshness_lag_minutes",
  ]),
  cost("currency-unannounced", "a cost is billed in a currency that is not announced", "CAP-09", {
    set: { BillingCurrency: "EUR" },
  }),
  capability("dimension-unannounced", "records carry a dimension that is not announced", "CAP-10", {
    "/datasets/costs/dimensions": ["model"],
  }),
  simple("hours-not-served", "usage by the hour is on offer and refused", "CAP-11", {
    kind: "status",
    status: 400,
    when: { ...usage, granularity: "1h", token: "ready" },
  }),
  capability("hours-not-offered", "usage by the hour is not on offer and served", "CAP-12", {
    "/datasets/usage/granularities": ["1d"],
  }),
  capability("window-over-retention", "the largest window is longer than retention", "CAP-13", {
    "/datasets/costs/maximum_window_days": 500,
  }),
];

export const ofRecords: readonly Plant[] = [
  cost("member-missing", "a record has no ServiceName", "REC-01", { drop: ["ServiceName"] }),
  cost("amount-number", "an amount is a JSON number", "REC-02", { raw: { BilledCost: "1.50" } }),
  cost("amount-exponent", "an amount has an exponent", "REC-02", {
    set: { EffectiveCost: "1e-7" },
  }),
  cost("instant-local", "an instant has the offset +02:00", "REC-03", {
    set: { BillingPeriodStart: "2025-09-01T00:00:00+02:00" },
  }),
  cost("category-unknown", "a charge category is unknown", "REC-04", {
    set: { ChargeCategory: "Refund" },
  }),
  cost("currency-small", "a currency is in small letters", "REC-05", {
    set: { BillingCurrency: "usd" },
  }),
  simple("granularity-other", "usage by the hour brings days", "REC-06", {
    kind: "other_granularity",
    when: { ...usage, granularity: "1h" },
  }),
  {
    name: "bucket-wide",
    what: "an hour of usage is longer than an hour",
    finds: ["REC-07"],
    faults: ({ hour }) => [
      {
        kind: "record",
        record_id: hour,
        set: { ChargePeriodEnd: "2025-10-20T06:00:00Z" },
        when: usage,
      },
    ],
  },
  cost("period-reversed", "a billing period ends before it starts", "REC-08", {
    set: { BillingPeriodEnd: "2025-08-01T00:00:00Z" },
  }),
  cost("correction-nameless", "a correction does not name what it corrects", "REC-09", {
    set: { ChargeClass: "Correction", x_CorrectsRecordId: null },
  }),
  cost("class-unknown", "ChargeClass is a word of its own", "REC-10", {
    set: { ChargeClass: "Fix" },
  }),
  cost("text-empty", "a dimension is an empty text", "REC-11", { set: { x_ProjectId: "" } }),
  cost("text-nul", "a text has a NUL", "REC-11", { set: { ChargeDescription: "a\u0000b" } }),
  {
    name: "unit-scaled",
    what: "one day counts in thousands of tokens",
    finds: ["REC-12"],
    faults: ({ day }) => [
      { kind: "record", record_id: day, set: { ConsumedUnit: "1000 Tokens" }, when: usage },
    ],
  },
  cost("name-twice", "a record has BilledCost twice", "REC-13", { members: '"BilledCost":"1"' }),
  cost("updated-ahead", "a record was updated in the future", "REC-14", {
    set: { x_RecordUpdatedAt: "2031-01-01T00:00:00Z" },
  }),
];
