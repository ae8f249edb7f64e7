import { formatDecimal } from "../decimals.ts";
import { DAY, HOUR, formatDay, formatInstant, monthStart } from "../instants.ts";
import type { Instant } from "../instants.ts";
import type { CostRecord, UsageRecord } from "../model.ts";
import type { Segment } from "../store.ts";
import {
  commonFields,
  dayQuantity,
  hourOf,
  lateness,
  publishedAt,
  quantityOf,
  restatedAt,
  slotOf,
} from "./metering.ts";
import { draw } from "./options.ts";
import type { Plan } from "./options.ts";
import { createSegment } from "./segment.ts";

/** Hours from the end of a day until its costs are final. */
export const SETTLEMENT_HOURS = 72;

const ALWAYS = Number.POSITIVE_INFINITY;

function usageRecord(
  plan: Plan,
  id: string,
  slot: number,
  period: { granularity: "1h" | "1d"; start: Instant; end: Instant },
  quantity: bigint,
  at: Instant,
): UsageRecord {
  const { unit, type, places } = slotOf(plan, slot);
  return {
    x_RecordId: id,
    x_RecordUpdatedAt: formatInstant(at),
    x_Granularity: period.granularity,
    ...commonFields(plan, slot, period.start, period.end),
    ConsumedQuantity: formatDecimal({ units: quantity, scale: places }),
    ConsumedUnit: unit,
    x_UsageType: type,
  };
}

function inOrder(events: readonly Instant[]): Instant[] {
  return [...new Set(events)].toSorted((a, b) => a - b);
}

/** The number of slots a day that this number of records needs. */
function slotsFor(records: number, days: number): number {
  return Math.max(1, Math.ceil(records / days));
}

/** Usage by the day. */
export function dailyUsage(plan: Plan): Segment {
  return createSegment({
    length: plan.usage,
    slots: slotsFor(plan.usage, plan.days),
    width: DAY,
    prefix: "usage-1d",
    startOf: (day) => plan.first + day * DAY,
    events(day, slot) {
      const published = Array.from({ length: plan.hours }, (_, number) =>
        publishedAt(plan, day, slot, number),
      );
      const restated = restatedAt(plan, day, slot);
      const [first = ALWAYS] = published;
      return inOrder(
        restated === undefined ? published : [...published, Math.max(restated, first)],
      );
    },
    record(id, day, slot, at) {
      const start = plan.first + day * DAY;
      const quantity = dayQuantity(plan, day, slot, at);
      return usageRecord(
        plan,
        id,
        slot,
        { granularity: "1d", start, end: start + DAY },
        quantity,
        at,
      );
    },
  });
}

/** Usage by the hour: the same quantities, in the hours that are active. */
export function hourlyUsage(plan: Plan): Segment {
  const slots = slotsFor(plan.usage, plan.days);
  const startOf = (bucket: number) =>
    plan.first + Math.floor(bucket / plan.hours) * DAY + hourOf(plan, bucket % plan.hours) * HOUR;
  // If the count does not divide evenly, the last day has fewer slots, and each of them keeps all of its hours.
  const wholeDays = Math.floor(plan.usage / slots);
  const rest = plan.usage - wholeDays * slots;
  const base = { width: HOUR, prefix: "usage-1h", startOf };
  const full = wholeDays * plan.hours * slots;
  return createSegment({
    ...base,
    length: rest === 0 ? full : full + plan.hours * slots,
    slots,
    events(bucket, slot) {
      const day = Math.floor(bucket / plan.hours);
      if (day === wholeDays && slot >= rest) return [];
      const number = bucket % plan.hours;
      const published = publishedAt(plan, day, slot, number);
      const restated = number === 0 ? restatedAt(plan, day, slot) : undefined;
      return inOrder(
        restated === undefined ? [published] : [published, Math.max(restated, published)],
      );
    },
    record(id, bucket, slot, at) {
      const start = startOf(bucket);
      const quantity = quantityOf(
        plan,
        Math.floor(bucket / plan.hours),
        slot,
        bucket % plan.hours,
        at,
      );
      return usageRecord(
        plan,
        id,
        slot,
        { granularity: "1h", start, end: start + HOUR },
        quantity,
        at,
      );
    },
  });
}

/** Fields that costs of one billing period share. */
export function billingFields(at: Instant, currency: string) {
  return {
    BillingPeriodStart: formatInstant(monthStart(at)),
    BillingPeriodEnd: formatInstant(monthStart(at, 1)),
    InvoiceIssuerName: "Reference AI Provider",
    BillingCurrency: currency,
    PricingCurrency: currency,
  } as const;
}

/** Id of the invoice of a month and currency. */
export function invoiceOf(at: Instant, currency: string): string {
  return `INV-${formatDay(at).slice(0, 7)}-${currency}`;
}

/** The instants at which a slot's costs of a day first appear, are restated (perhaps never), and become final. */
function costEvents(
  plan: Plan,
  day: number,
  slot: number,
): [Instant, Instant | undefined, Instant] {
  const end = plan.first + (day + 1) * DAY;
  const shown = end + 6 * HOUR + Math.floor(lateness(plan, day, slot) / 2);
  const isRestated = draw(plan, 20, day, slot) < plan.restated;
  return [shown, isRestated ? shown + 24 * HOUR : undefined, end + SETTLEMENT_HOURS * HOUR];
}

/** Cost of a slot's usage on a day, as known at an instant. Before a restatement the estimate is a tenth too low. */
function costOf(plan: Plan, day: number, slot: number, at: Instant): string {
  const { cents, places } = slotOf(plan, slot);
  const [, restated] = costEvents(plan, day, slot);
  const quantity = dayQuantity(plan, day, slot, ALWAYS);
  const tenths = restated !== undefined && at < restated ? 9n : 10n;
  return formatDecimal({ units: quantity * BigInt(cents) * tenths, scale: 9 + places });
}

/** Costs by the day, of category Usage. */
export function dailyCosts(plan: Plan): Segment {
  return createSegment({
    length: plan.costs,
    slots: slotsFor(plan.costs, plan.days),
    width: DAY,
    prefix: "cost-1d",
    startOf: (day) => plan.first + day * DAY,
    events(day, slot) {
      return inOrder(costEvents(plan, day, slot).filter((event) => event !== undefined));
    },
    record(id, day, slot, at): CostRecord {
      const start = plan.first + day * DAY;
      const { currency, type, meter } = slotOf(plan, slot);
      const cost = costOf(plan, day, slot, at);
      const isFinal = at >= costEvents(plan, day, slot)[2];
      return {
        x_RecordId: id,
        x_RecordUpdatedAt: formatInstant(at),
        x_Granularity: "1d",
        ...commonFields(plan, slot, start, start + DAY),
        ...billingFields(start, currency),
        InvoiceId: isFinal ? invoiceOf(start, currency) : null,
        ChargeCategory: "Usage",
        ChargeClass: null,
        ChargeDescription: meter,
        BilledCost: cost,
        EffectiveCost: cost,
        PricingCurrencyBilledCost: cost,
        x_CostStatus: isFinal ? "final" : "provisional",
        x_UsageType: type,
        x_CorrectsRecordId: null,
      };
    },
  });
}
