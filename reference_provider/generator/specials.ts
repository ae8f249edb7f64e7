import { formatDecimal, parseDecimal, subtract, ZERO } from "../decimals.ts";
import { DAY, HOUR, formatDay, formatInstant, monthStart } from "../instants.ts";
import type { Instant } from "../instants.ts";
import type { Life } from "../lives.ts";
import type { Segment } from "../store.ts";
import { draw } from "./options.ts";
import type { Plan } from "./options.ts";
import { SETTLEMENT_HOURS, billingFields, invoiceOf } from "./records.ts";

interface Charge {
  readonly id: string;
  readonly start: Instant;
  readonly end: Instant;
  readonly shown: Instant;
  readonly category: "Purchase" | "Credit" | "Tax" | "Adjustment";
  readonly description: string;
  readonly billed: string;
  readonly effective: string;
  readonly sku: string | null;
}

function chargeLife(charge: Charge, currency: string): Life {
  const record = {
    x_RecordId: charge.id,
    x_Granularity: "1d",
    ChargePeriodStart: formatInstant(charge.start),
    ChargePeriodEnd: formatInstant(charge.end),
    ServiceProviderName: "Reference AI Provider",
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ServiceName: "Model API",
    SkuId: charge.sku,
    SkuMeter: charge.sku === null ? null : charge.description,
    ...billingFields(charge.start, currency),
    InvoiceId: null,
    ChargeCategory: charge.category,
    ChargeClass: null,
    ChargeDescription: charge.description,
    BilledCost: charge.billed,
    EffectiveCost: charge.effective,
    PricingCurrencyBilledCost: charge.billed,
    x_CostStatus: "provisional",
    x_UsageType: null,
    x_CorrectsRecordId: null,
  };
  const settled = { x_CostStatus: "final", InvoiceId: invoiceOf(charge.start, currency) };
  const at = monthStart(charge.start, 1) + SETTLEMENT_HOURS * HOUR;
  return {
    record,
    visibleFrom: charge.shown,
    changes: [{ at: Math.max(at, charge.shown), changes: settled }],
  };
}

/**
 * The charges of a month: a subscription for the whole month, a credit in the middle, and tax and rounding at the end.
 */
function monthCharges(plan: Plan, month: Instant, currency: string): Charge[] {
  const next = monthStart(month, 1);
  const last = next - DAY;
  const name = `${formatDay(month).slice(0, 7)}-${currency}`;
  const cents = (purpose: number, most: number) =>
    1 + Math.floor(draw(plan, purpose, month / DAY, currency.length) * most);
  const money = (units: number) => formatDecimal({ units: BigInt(units), scale: 2 });
  const middle = month + 14 * DAY;
  const credit = money(-cents(30, 5000));
  const tax = money(cents(31, 9000));
  const rounding = money(-cents(32, 3));
  return [
    {
      id: `purchase-${name}`,
      start: month,
      end: next,
      shown: month + 6 * HOUR,
      category: "Purchase",
      description: "Monthly commitment",
      billed: "250",
      effective: "0",
      sku: "commitment",
    },
    {
      id: `credit-${name}`,
      start: middle,
      end: middle + DAY,
      shown: middle + 30 * HOUR,
      category: "Credit",
      description: "Goodwill credit",
      billed: credit,
      effective: credit,
      sku: null,
    },
    {
      id: `tax-${name}`,
      start: last,
      end: next,
      shown: next + 12 * HOUR,
      category: "Tax",
      description: "Value added tax",
      billed: tax,
      effective: tax,
      sku: null,
    },
    {
      id: `rounding-${name}`,
      start: last,
      end: last,
      shown: next + 12 * HOUR,
      category: "Adjustment",
      description: "Rounding",
      billed: rounding,
      effective: rounding,
      sku: null,
    },
  ];
}

/** Lives of the monthly charges for each currency, for every month of the plan. */
export function* monthlyLives(plan: Plan): Generator<Life> {
  for (let month = monthStart(plan.first); month <= plan.last; month = monthStart(month, 1)) {
    for (const currency of plan.currencies) {
      for (const charge of monthCharges(plan, month, currency)) {
        if (charge.start >= plan.first && charge.start <= plan.last)
          yield chargeLife(charge, currency);
      }
    }
  }
}

function negated(decimal: string): string {
  return formatDecimal(subtract(ZERO, parseDecimal(decimal)));
}

/** A row of the next billing period's tenth day that corrects another row and keeps that row's charge period. */
function correctionLife(
  original: Readonly<Record<string, unknown>>,
  suffix: string,
  cost: string,
  issued: Instant,
): Life {
  const currency = String(original["BillingCurrency"]);
  const record = {
    ...original,
    ...billingFields(issued, currency),
    x_RecordId: `${String(original["x_RecordId"])}-${suffix}`,
    InvoiceId: invoiceOf(issued, currency),
    ChargeClass: "Correction",
    BilledCost: cost,
    EffectiveCost: cost,
    PricingCurrencyBilledCost: cost,
    x_CostStatus: "final",
    x_CorrectsRecordId: original["x_RecordId"],
    x_RecordUpdatedAt: formatInstant(issued),
  };
  return { record, visibleFrom: issued, changes: [] };
}

/** Corrections of closed billing periods: one row of each month's first day in the plan is reduced to half its cost. */
export function* correctionLives(plan: Plan, costs: Segment): Generator<Life> {
  if (plan.corrections === "none" || costs.length === 0) return;
  const slots = Math.max(1, Math.ceil(plan.costs / plan.days));
  for (let month = monthStart(plan.first); month <= plan.last; month = monthStart(month, 1)) {
    const day = Math.round((Math.max(month, plan.first) - plan.first) / DAY);
    const life = costs.lifeOf(costs.idAt(Math.min(day * slots, costs.length - 1)));
    const original = life?.changes.at(-1)?.changes;
    if (original === undefined) continue;
    const cost = String(original["BilledCost"]);
    const half = parseDecimal(cost);
    const corrected = formatDecimal({ units: half.units / 2n, scale: half.scale });
    const issued = monthStart(month, 1) + 9 * DAY + 12 * HOUR;
    if (plan.corrections === "delta") {
      const delta = formatDecimal(subtract(parseDecimal(corrected), parseDecimal(cost)));
      yield correctionLife(original, "delta", delta, issued);
    } else if (plan.corrections === "replacement") {
      yield correctionLife(original, "replacement", corrected, issued);
    } else {
      yield correctionLife(original, "reversal", negated(cost), issued);
      yield correctionLife(original, "reentry", corrected, issued);
    }
  }
}

function* spread(plan: Plan, purpose: number, count: number, costs: Segment): Generator<Life> {
  const step = Math.max(1, Math.floor(costs.length / Math.max(1, count)));
  for (let number = 0; number < Math.min(count, costs.length); number += 1) {
    const offset = Math.floor(draw(plan, purpose, number, 0) * step);
    const life = costs.lifeOf(costs.idAt(number * step + offset));
    if (life !== undefined) yield life;
  }
}

function withLast(life: Life, extra: Readonly<Record<string, unknown>>): Life {
  const last = life.changes.at(-1);
  if (last === undefined) return life;
  return {
    ...life,
    changes: [
      ...life.changes.slice(0, -1),
      { at: last.at, changes: { ...last.changes, ...extra } },
    ],
  };
}

/** Special lives: rows that become final under another id, are withdrawn, or move to the next day. */
export function* unruly(plan: Plan, costs: Segment): Generator<Life> {
  for (const life of spread(plan, 40, plan.reissued, costs)) {
    yield withLast(life, { x_RecordId: `${String(life.record["x_RecordId"])}-reissued` });
  }
  for (const life of spread(plan, 41, plan.withdrawn, costs)) {
    const end = new Date(String(life.record["ChargePeriodEnd"])).getTime();
    yield { ...life, withdrawnAt: end + 2 * DAY };
  }
  for (const life of spread(plan, 42, plan.moved, costs)) {
    const end = new Date(String(life.record["ChargePeriodEnd"])).getTime();
    yield withLast(life, {
      ChargePeriodStart: formatInstant(end),
      ChargePeriodEnd: formatInstant(end + DAY),
    });
  }
}
