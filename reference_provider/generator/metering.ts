import { DAY, HOUR, MINUTE, formatInstant } from "../instants.ts";
import type { Instant } from "../instants.ts";
import { draw, pick } from "./options.ts";
import type { Plan } from "./options.ts";

/** Minutes between the end of an hour and the publication of its usage. */
export const FRESHNESS_MINUTES = 30;

const METERS = [
  { type: "input_tokens", meter: "Input Tokens", unit: "Tokens", places: 0, cents: 300 },
  { type: "output_tokens", meter: "Output Tokens", unit: "Tokens", places: 0, cents: 1500 },
  {
    type: "cache_read_tokens",
    meter: "Cache Read Tokens",
    unit: "1000 Tokens",
    places: 3,
    cents: 30,
  },
  {
    type: "cache_write_5m_tokens",
    meter: "Cache Write Tokens",
    unit: "Tokens",
    places: 0,
    cents: 375,
  },
  { type: "requests", meter: "Requests", unit: "Requests", places: 0, cents: 7 },
  { type: "audio_seconds", meter: "Audio Seconds", unit: "Seconds", places: 2, cents: 11 },
  { type: "x_web_searches", meter: "Web Searches", unit: "Searches", places: 0, cents: 1000 },
] as const;

type Slot = ReturnType<typeof makeSlot>;

const slotsOf = new WeakMap<Plan, Slot[]>();

/** A source of usage: a tuple of dimensions and a meter, the same on every day. */
export function slotOf(plan: Plan, slot: number): Slot {
  const slots = slotsOf.get(plan) ?? [];
  slotsOf.set(plan, slots);
  return (slots[slot] ??= makeSlot(plan, slot));
}

function makeSlot(plan: Plan, slot: number) {
  const model = pick(plan, 1, slot, [
    "atlas-1",
    "atlas-1-mini",
    "borealis-2",
    "cirrus-embed",
    "deneb-voice",
  ]);
  const meter = METERS[slot % METERS.length] ?? METERS[0];
  // A default workspace and use without a key have no id.
  const workspace =
    draw(plan, 3, slot, 0) < 0.2 ? null : `ws-${Math.floor(draw(plan, 4, slot, 0) * 12)}`;
  const key =
    draw(plan, 5, slot, 0) < 0.15 ? null : `key-${Math.floor(draw(plan, 6, slot, 0) * 60)}`;
  return {
    ...meter,
    currency: plan.currencies[slot % plan.currencies.length] ?? "USD",
    sku: `${model}/${meter.type}`,
    dimensions: {
      x_ModelId: model,
      x_ProjectId: `project-${Math.floor(draw(plan, 2, slot, 0) * 20)}`,
      x_WorkspaceId: workspace,
      x_ApiKeyId: key,
      x_ServiceTier: pick(plan, 7, slot, ["standard", "standard", "batch", "priority"]),
      x_WorkloadType: pick(plan, 8, slot, ["chat", "chat", "agent", "embedding", null]),
      x_UpstreamProvider: null,
    },
  };
}

/** Fields that all records of a slot share. */
export function commonFields(plan: Plan, slot: number, start: Instant, end: Instant) {
  const { sku, meter, dimensions } = slotOf(plan, slot);
  return {
    ChargePeriodStart: formatInstant(start),
    ChargePeriodEnd: formatInstant(end),
    ServiceProviderName: "Reference AI Provider",
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ServiceName: "Model API",
    SkuId: sku,
    SkuMeter: meter,
    ...dimensions,
  } as const;
}

/** The delay with which a slot's usage of a day is published, in milliseconds: 0, or 12 to 24 hours. */
export function lateness(plan: Plan, day: number, slot: number): number {
  if (draw(plan, 10, day, slot) >= plan.late) return 0;
  return 12 * HOUR + Math.floor(draw(plan, 11, day, slot) * (12 * 60 - FRESHNESS_MINUTES)) * MINUTE;
}

/** The instant at which a slot's usage of a day is restated, if ever. */
export function restatedAt(plan: Plan, day: number, slot: number): Instant | undefined {
  if (draw(plan, 12, day, slot) >= plan.restated) return undefined;
  return plan.first + (day + 1) * DAY + Math.floor(draw(plan, 13, day, slot) * 22 * 60) * MINUTE;
}

/** Hour of the day of the n-th active hour. */
export function hourOf(plan: Plan, number: number): number {
  return Math.floor((number * 24) / plan.hours);
}

/** The instant at which a slot's usage of the n-th active hour first appears. */
export function publishedAt(plan: Plan, day: number, slot: number, number: number): Instant {
  const end = plan.first + day * DAY + (hourOf(plan, number) + 1) * HOUR;
  return end + FRESHNESS_MINUTES * MINUTE + lateness(plan, day, slot);
}

/** Usage in the smallest unit (tokens, hundredths of a second …) of one active hour, as known at an instant. */
export function quantityOf(
  plan: Plan,
  day: number,
  slot: number,
  number: number,
  at: Instant,
): bigint {
  const first = Math.floor(draw(plan, 14, day * 24 + number, slot) * 2_000_000);
  const restated = number === 0 ? restatedAt(plan, day, slot) : undefined;
  if (restated === undefined || at < restated) return BigInt(first);
  return BigInt(Math.floor(first * (0.5 + draw(plan, 15, day, slot))));
}

/** All usage of a slot on a day, in the smallest unit, as known at an instant. */
export function dayQuantity(plan: Plan, day: number, slot: number, at: Instant): bigint {
  let sum = 0n;
  for (let number = 0; number < plan.hours; number += 1) {
    if (publishedAt(plan, day, slot, number) <= at) sum += quantityOf(plan, day, slot, number, at);
  }
  return sum;
}
