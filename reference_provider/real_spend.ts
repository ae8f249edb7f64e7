import { createHash } from "node:crypto";
import {
  BUCKET,
  DAY,
  HOUR,
  MINUTE,
  ceilTo,
  floorTo,
  formatDay,
  formatInstant,
  monthStart,
} from "./instants.ts";
import type { Instant } from "./instants.ts";
import { formatDecimal, parseDecimal, round } from "./decimals.ts";
import type { Change, Life } from "./lives.ts";
import type { Granularity } from "./model.ts";
import type { LlmRequest, Run } from "./real_files.ts";

const PROVIDER = "Reference AI Provider";

const METERS = {
  input_tokens: { meter: "Input Tokens", unit: "Tokens" },
  output_tokens: { meter: "Output Tokens", unit: "Tokens" },
  requests: { meter: "Requests", unit: "Requests" },
} as const;
type Meter = keyof typeof METERS;

/** A metered quantity, and the instant at which the metering pipeline publishes it. */
interface Metered {
  readonly at: Instant;
  readonly publishedAt: Instant;
  readonly meter: Meter;
  readonly quantity: bigint;
  readonly serviceName: string;
  readonly dimensions: Readonly<
    Record<"x_ModelId" | "x_ProjectId" | "x_WorkspaceId" | "x_WorkloadType", string | null>
  >;
}

// A quarter of the runs. Their start decides, so that the choice never changes.
function isLate(run: Run): boolean {
  return (run.startedAt / 1000) % 4 === 0;
}

// A third of the costs first appear as an estimate.
function isEstimated(run: Run): boolean {
  return (run.startedAt / 1000) % 3 === 0;
}

function* meteredRuns(runs: readonly Run[]): Generator<Metered> {
  for (const run of runs) {
    const at = run.startedAt;
    const publishedAt = isLate(run)
      ? ceilTo(at, HOUR) + 18 * HOUR
      : ceilTo(at, 15 * MINUTE) + 15 * MINUTE;
    const dimensions = {
      x_ModelId: run.model,
      x_ProjectId: run.benchmark,
      x_WorkspaceId: null,
      x_WorkloadType: run.editFormat,
    };
    const common = { at, publishedAt, serviceName: "Code Editing Benchmarks", dimensions };
    yield { ...common, meter: "requests", quantity: BigInt(run.testCases) };
    if (run.promptTokens !== null)
      yield { ...common, meter: "input_tokens", quantity: BigInt(run.promptTokens) };
    if (run.completionTokens !== null) {
      yield { ...common, meter: "output_tokens", quantity: BigInt(run.completionTokens) };
    }
  }
}

function* meteredRequests(requests: readonly LlmRequest[]): Generator<Metered> {
  for (const request of requests) {
    const common = {
      at: request.at,
      publishedAt: ceilTo(request.at, 15 * MINUTE) + 15 * MINUTE,
      serviceName: "LLM Inference",
      dimensions: {
        x_ModelId: null,
        x_ProjectId: request.service,
        x_WorkspaceId: null,
        x_WorkloadType: request.service,
      },
    };
    yield { ...common, meter: "requests", quantity: 1n };
    yield { ...common, meter: "input_tokens", quantity: BigInt(request.contextTokens) };
    yield { ...common, meter: "output_tokens", quantity: BigInt(request.generatedTokens) };
  }
}

function hash(...parts: readonly (string | null)[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}

function usageLife(
  granularity: Granularity,
  start: Instant,
  parts: readonly Metered[],
): Life | undefined {
  const published = new Map<Instant, bigint>();
  for (const part of parts)
    published.set(part.publishedAt, (published.get(part.publishedAt) ?? 0n) + part.quantity);
  let quantity = 0n;
  const steps: Change[] = [...published]
    .toSorted(([a], [b]) => a - b)
    .map(([at, more]) => ({ at, changes: { ConsumedQuantity: String((quantity += more)) } }));
  const [first, ...changes] = steps;
  const [sample] = parts;
  if (first === undefined || sample === undefined) return undefined;
  const { meter, dimensions, serviceName } = sample;
  const id = hash(serviceName, meter, ...Object.values(dimensions));
  const record = {
    x_RecordId: `usage-${granularity}-${formatInstant(start).slice(0, 13)}-${id}`,
    x_Granularity: granularity,
    ChargePeriodStart: formatInstant(start),
    ChargePeriodEnd: formatInstant(start + BUCKET[granularity]),
    ServiceProviderName: PROVIDER,
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ServiceName: serviceName,
    SkuId: `${dimensions.x_ModelId ?? dimensions.x_ProjectId ?? "any"}/${meter}`,
    SkuMeter: METERS[meter].meter,
    ...dimensions,
    x_ApiKeyId: null,
    x_ServiceTier: null,
    x_UpstreamProvider: null,
    ...first.changes,
    ConsumedUnit: METERS[meter].unit,
    x_UsageType: meter,
  };
  return { record, visibleFrom: first.at, changes };
}

function* usageLives(granularity: Granularity, metered: Iterable<Metered>): Generator<Life> {
  const buckets = new Map<string, { start: Instant; parts: Metered[] }>();
  for (const part of metered) {
    const start = floorTo(part.at, BUCKET[granularity]);
    const key = JSON.stringify([start, part.serviceName, part.meter, part.dimensions]);
    const bucket = buckets.get(key);
    if (bucket === undefined) buckets.set(key, { start, parts: [part] });
    else bucket.parts.push(part);
  }
  for (const { start, parts } of buckets.values()) {
    const life = usageLife(granularity, start, parts);
    if (life !== undefined) yield life;
  }
}

function costLife(run: Run): Life {
  const start = floorTo(run.startedAt, DAY);
  const end = start + DAY;
  const cost = formatDecimal(parseDecimal(run.totalCost));
  const shown = isEstimated(run) ? formatDecimal(round(parseDecimal(run.totalCost), 1)) : cost;
  const month = monthStart(start);
  const record = {
    x_RecordId: `cost-${formatDay(start)}-${hash(formatInstant(run.startedAt), run.benchmark, run.model, run.editFormat)}`,
    x_Granularity: "1d",
    ChargePeriodStart: formatInstant(start),
    ChargePeriodEnd: formatInstant(end),
    ServiceProviderName: PROVIDER,
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ServiceName: "Code Editing Benchmarks",
    SkuId: `${run.model}/run`,
    SkuMeter: "Benchmark Runs",
    x_ModelId: run.model,
    x_ProjectId: run.benchmark,
    x_WorkspaceId: null,
    x_ApiKeyId: null,
    x_ServiceTier: null,
    x_WorkloadType: run.editFormat,
    x_UpstreamProvider: null,
    BillingPeriodStart: formatInstant(month),
    BillingPeriodEnd: formatInstant(monthStart(start, 1)),
    InvoiceIssuerName: PROVIDER,
    InvoiceId: null,
    ChargeCategory: "Usage",
    ChargeClass: null,
    ChargeDescription: `${run.benchmark} benchmark, ${run.testCases} test cases, ${run.model} (${run.editFormat})`,
    BillingCurrency: "USD",
    BilledCost: shown,
    EffectiveCost: shown,
    PricingCurrency: "USD",
    PricingCurrencyBilledCost: shown,
    x_CostStatus: "provisional",
    x_UsageType: null,
    x_CorrectsRecordId: null,
  };
  const settled = {
    x_CostStatus: "final",
    InvoiceId: `INV-${formatDay(month).slice(0, 7)}`,
    BilledCost: cost,
    EffectiveCost: cost,
    PricingCurrencyBilledCost: cost,
  };
  const visibleFrom = isLate(run) ? end + 20 * HOUR : ceilTo(run.startedAt, HOUR) + 5 * HOUR;
  return { record, visibleFrom, changes: [{ at: end + 72 * HOUR, changes: settled }] };
}

/**
 * Maps the real runs and requests to the lives of usage and cost records, as `data/README.md` describes.
 *
 * Every metered quantity counts in its `1h` bucket and in its `1d` bucket, and appears in both at the same instant. A
 * run that cost 0 makes no cost record. Once all costs are final, they sum to exactly 1724.2103 USD.
 */
export function* realSpendLives(
  runs: readonly Run[],
  requests: readonly LlmRequest[],
): Generator<{ dataset: "usage" | "costs"; life: Life }> {
  const metered = [...meteredRuns(runs), ...meteredRequests(requests)];
  for (const granularity of ["1h", "1d"] as const) {
    for (const life of usageLives(granularity, metered)) yield { dataset: "usage", life };
  }
  for (const run of runs) {
    if (parseDecimal(run.totalCost).units !== 0n) yield { dataset: "costs", life: costLife(run) };
  }
}
