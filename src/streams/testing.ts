/** For the tests of streams: records that keep their schemas, and pages of them. */
import type { Fields } from "../records/fields.ts";
import { ParsedRecords } from "../records/parsed.ts";
import type { FetchedPage } from "./stream.ts";

export const DAY_ONE = Date.UTC(2026, 0, 1);

/** A usage record of 1 January 2026; `changes` replace or add members. */
export function usageRecord(id: string, changes: Fields = {}): Fields {
  return {
    x_RecordId: id,
    x_RecordUpdatedAt: "2026-01-02T00:00:00Z",
    x_Granularity: "1d",
    ChargePeriodStart: "2026-01-01T00:00:00Z",
    ChargePeriodEnd: "2026-01-02T00:00:00Z",
    ServiceProviderName: "Provider",
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "Chat",
    SkuId: "sku",
    SkuMeter: "Input Tokens",
    x_WorkspaceId: null,
    ConsumedQuantity: "12.50",
    ConsumedUnit: "Tokens",
    x_UsageType: "input_tokens",
    ...changes,
  };
}

/** A provisional cost of 1 January 2026 of 1.10 USD. */
export function costRecord(id: string, changes: Fields = {}): Fields {
  return {
    x_RecordId: id,
    x_RecordUpdatedAt: "2026-01-02T00:00:00Z",
    x_Granularity: "1d",
    ChargePeriodStart: "2026-01-01T00:00:00Z",
    ChargePeriodEnd: "2026-01-02T00:00:00Z",
    ServiceProviderName: "Provider",
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "Chat",
    BillingPeriodStart: "2026-01-01T00:00:00Z",
    BillingPeriodEnd: "2026-02-01T00:00:00Z",
    InvoiceIssuerName: "Provider",
    ChargeCategory: "Usage",
    ChargeDescription: "Tokens",
    BillingCurrency: "USD",
    BilledCost: "1.10",
    EffectiveCost: "1.10",
    x_CostStatus: "provisional",
    ...changes,
  };
}

/** A page as the client of the interface gives it. */
export function pageOf(
  records: readonly unknown[],
  nextCursor: string | null = null,
  changes: Partial<FetchedPage> = {},
): FetchedPage {
  return {
    records: new ParsedRecords(records, JSON.stringify({ data: records }), () => undefined),
    nextCursor,
    asOf: "2026-01-10T00:00:00Z",
    availableThrough: Date.UTC(2026, 0, 10),
    ...changes,
  };
}
