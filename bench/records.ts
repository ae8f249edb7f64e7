/** The records of the bench's provider. Each is computed from its number, so that any page of any size can be made. */

const DAY = 86_400_000;

/** The records of one bench provider. */
export interface Holdings {
  readonly dataset: "usage" | "costs";
  readonly granularity: "1h" | "1d";
  /** Midnight UTC of the first day, in milliseconds since 1970. */
  readonly start: number;
  readonly days: number;
  /** The number of records, spread evenly over all days. */
  readonly records: number;
  /** The number of API keys. */
  readonly keys: number;
  /** Midnight UTC of a day of which every amount was restated; null for none. */
  readonly restated: number | null;
}

/** A half-open range of whole days, in milliseconds since 1970. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const instant = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

/** `value` with `width` digits, so that all records have the same length. */
const digits = (value: number, width: number): string => String(value).padStart(width, "0");

/** The number of records of a day, and of a span of days. */
const perDay = ({ records, days }: Holdings): number => Math.ceil(records / days);

export function countIn(holdings: Holdings, span: Span): number {
  const first = Math.max(0, Math.ceil((span.start - holdings.start) / DAY));
  const last = Math.min(holdings.days, Math.ceil((span.end - holdings.start) / DAY));
  return Math.max(0, last - first) * perDay(holdings);
}

/** The page of a span's records from number `offset` on, as the body of a response. */
export function renderPage(
  holdings: Holdings,
  span: Span,
  offset: number,
  limit: number,
  asOf: number,
): Buffer {
  const first = Math.max(0, Math.ceil((span.start - holdings.start) / DAY)) * perDay(holdings);
  const count = countIn(holdings, span);
  const end = Math.min(offset + limit, count);
  const make = holdings.dataset === "usage" ? usageRecord : costRecord;
  const data = Array.from({ length: Math.max(0, end - offset) }, (_, index) =>
    make(holdings, first + offset + index),
  );
  const next_cursor = end < count ? `page-at-${end}` : null;
  const as_of = instant(asOf);
  return Buffer.from(JSON.stringify({ data, next_cursor, as_of, available_through: as_of }));
}

const METERS = [
  ["input_tokens", "Input Tokens"],
  ["output_tokens", "Output Tokens"],
  ["cache_read_tokens", "Cache Read Tokens"],
] as const;

const dayOf = (holdings: Holdings, number: number): number =>
  holdings.start + Math.floor(number / perDay(holdings)) * DAY;

function common(holdings: Holdings, number: number): Record<string, string | null> {
  const day = dayOf(holdings, number);
  const hourly = holdings.granularity === "1h" && holdings.dataset === "usage";
  const start = hourly ? day + (number % 24) * 3_600_000 : day;
  const [, meter] = METERS[number % METERS.length] ?? METERS[0];
  return {
    x_RecordId: `rec_${digits(number, 16)}`,
    x_RecordUpdatedAt: instant(day + DAY + (number % 3600) * 1000),
    x_Granularity: hourly ? "1h" : "1d",
    ChargePeriodStart: instant(start),
    ChargePeriodEnd: instant(start + (hourly ? 3_600_000 : DAY)),
    ServiceProviderName: "Example AI Provider",
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ServiceName: "Example Chat API",
    SkuId: `sku_example_${digits(number % 40, 4)}`,
    SkuMeter: meter,
    x_ModelId: `model-${digits(number % 12, 4)}`,
    x_ProjectId: `proj_${digits(number % 500, 4)}`,
    x_WorkspaceId: `ws_${digits(number % 50, 2)}`,
    x_ApiKeyId: number % 10 === 0 ? null : `key_${digits(number % holdings.keys, 4)}`,
    x_ServiceTier: "standard",
    x_WorkloadType: null,
    x_UpstreamProvider: null,
  };
}

function usageRecord(holdings: Holdings, number: number): Record<string, string | null> {
  const [type] = METERS[number % METERS.length] ?? METERS[0];
  return {
    ...common(holdings, number),
    ConsumedQuantity: `${digits((number % 900) + 100, 3)}.${digits(number % 100, 2)}`,
    ConsumedUnit: "Tokens",
    x_UsageType: type,
  };
}

function costRecord(holdings: Holdings, number: number): Record<string, string | null> {
  const day = dayOf(holdings, number);
  const whole = (number % 90) + (day === holdings.restated ? 1 : 0);
  const cost = `${whole}.${digits(number % 1_000_000, 6)}`;
  return {
    ...common(holdings, number),
    BillingPeriodStart: "2026-01-01T00:00:00Z",
    BillingPeriodEnd: "2026-02-01T00:00:00Z",
    InvoiceIssuerName: "Example AI Provider",
    InvoiceId: null,
    ChargeCategory: "Usage",
    ChargeClass: null,
    ChargeDescription: "Tokens",
    BillingCurrency: "USD",
    BilledCost: cost,
    EffectiveCost: cost,
    PricingCurrency: null,
    PricingCurrencyBilledCost: null,
    x_CostStatus: "final",
    x_UsageType: null,
    x_CorrectsRecordId: null,
  };
}
