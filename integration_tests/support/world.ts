/** Accounts of a few records, each with the life that a test needs. */
import type { Account } from "../../reference_provider/accounts.ts";
import { createAccount, putLife } from "../../reference_provider/data.ts";
import { parseLife } from "../../reference_provider/lives.ts";
import type { Capabilities } from "../../reference_provider/model.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The later changes of a record; see reference_provider/README.md. */
interface Fate {
  readonly visible_from?: string;
  readonly restated?: readonly { readonly at: string; readonly changes: Fields }[];
  readonly finalized?: { readonly at: string; readonly changes?: Fields };
  readonly withdrawn_at?: string;
}

export interface Life extends Fate {
  readonly record: Fields & { readonly x_RecordId: string };
}

const DAY = 86_400_000;

/** A day such as `2026-03-05` plus a number of days. */
export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(day) + days * DAY).toISOString().slice(0, 10);
}

function common(id: string, day: string): Fields & { readonly x_RecordId: string } {
  return {
    x_RecordId: id,
    x_Granularity: "1d",
    ChargePeriodStart: `${day}T00:00:00Z`,
    ChargePeriodEnd: `${dayAfter(day)}T00:00:00Z`,
    ServiceProviderName: "Reference AI Provider",
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "Model API",
    SkuId: "atlas-1/input_tokens",
    SkuMeter: "Input Tokens",
  };
}

/** The first moment after a UTC day, when most records become visible. */
const afterDay = (day: string): string => `${dayAfter(day)}T00:00:00Z`;

/** A day's usage, visible once the day is over. */
export function usage(
  id: string,
  day: string,
  quantity: string,
  fate: Fate = {},
  fields: Fields = {},
): Life {
  const record = {
    ...common(id, day),
    ConsumedQuantity: quantity,
    ConsumedUnit: "Tokens",
    x_UsageType: "input_tokens",
    ...fields,
  };
  return { record, visible_from: afterDay(day), ...fate };
}

/** An hour's usage, visible once the hour is over. */
export function hourly(id: string, start: string, quantity: string, fate: Fate = {}): Life {
  const end = new Date(Date.parse(start) + DAY / 24).toISOString().replace(".000", "");
  const fields = { x_Granularity: "1h", ChargePeriodStart: start, ChargePeriodEnd: end };
  return usage(id, start.slice(0, 10), quantity, { visible_from: end, ...fate }, fields);
}

/** A day's cost, final and visible once the day is over. */
export function cost(
  id: string,
  day: string,
  billed: string,
  fate: Fate = {},
  fields: Fields = {},
): Life {
  const month = `${day.slice(0, 7)}-01`;
  const next = `${dayAfter(month, 31).slice(0, 7)}-01`;
  const record = {
    ...common(id, day),
    BillingPeriodStart: `${month}T00:00:00Z`,
    BillingPeriodEnd: `${next}T00:00:00Z`,
    InvoiceIssuerName: "Reference AI Provider",
    ChargeCategory: "Usage",
    ChargeClass: null,
    ChargeDescription: "Input Tokens",
    BillingCurrency: "USD",
    BilledCost: billed,
    EffectiveCost: billed,
    x_CostStatus: "final",
    x_CorrectsRecordId: null,
    ...fields,
  };
  return { record, visible_from: afterDay(day), ...fate };
}

/** One record a day, for a number of days from `first` on. */
export function daily(
  make: (id: string, day: string, amount: string) => Life,
  prefix: string,
  first: string,
  days: number,
): Life[] {
  return Array.from({ length: days }, (_, number) =>
    make(`${prefix}-${number + 1}`, dayAfter(first, number), `${number + 1}.0${number + 1}`),
  );
}

export interface World {
  readonly usage?: readonly Life[];
  readonly costs?: readonly Life[];
  /** Replaces the default values below. */
  readonly limits?: Partial<Capabilities["datasets"]["usage"]>;
}

/**
 * An account of these records: usage without lag, costs that settle in a day, windows of a month, a year's retention.
 */
export function world({ usage: used = [], costs = [], limits = {} }: World): Account {
  const shared = { retention_days: 365, maximum_window_days: 31, dimensions: [], ...limits };
  const account = createAccount("world", {
    profile_version: "0.1",
    focus_version: "1.4",
    provider: "Reference AI Provider",
    authorization_methods: ["scoped_bearer_token"],
    datasets: {
      usage: {
        endpoint: "/v1/finops/usage",
        granularities: ["1d", "1h"],
        freshness_lag_minutes: 0,
        ...shared,
      },
      costs: {
        endpoint: "/v1/finops/costs",
        granularities: ["1d"],
        settlement_lag_hours: 24,
        ...shared,
      },
    },
  });
  for (const life of used) putLife(account, "usage", parseLife(life));
  for (const life of costs) putLife(account, "costs", parseLife(life));
  return account;
}
