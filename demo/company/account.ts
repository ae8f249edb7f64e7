/**
 * A made-up company's account: every day several projects use three models. Its story has all that the report shows: a model
 * that takes over, a project that grows, a runaway job, late, restated, withdrawn and corrected costs, and a bill in euros.
 */
import type { Account } from "../../reference_provider/accounts.ts";
import { createAccount, putLife, REAL_SPEND_CAPABILITIES } from "../../reference_provider/data.ts";
import {
  DAY,
  formatDay,
  formatInstant,
  HOUR,
  monthStart,
} from "../../reference_provider/instants.ts";
import type { Life } from "../../reference_provider/lives.ts";
import { mix } from "../../reference_provider/prng.ts";

/** The first day, and the last one that the story knows. */
const FIRST = Date.parse("2026-07-01");
const LAST = Date.parse("2026-11-21");

const PROVIDER = "Reference AI Provider";

/**
 * The use of a model by one key: `millions` of input tokens on a working day. A day of the weekend has the share `weekend` of
 * these tokens.
 */
interface Use {
  readonly model: keyof typeof PRICES;
  readonly project: string;
  readonly workspace: string;
  readonly key: string;
  readonly millions: number;
  readonly weekend: number;
  /** The factor of a day: growth, a start, an end, a runaway job. */
  readonly factor: (day: string) => number;
}

/** US cents per million tokens: input, output. */
const PRICES = {
  "atlas-3": { input: 300, output: 1500 },
  "atlas-3-mini": { input: 40, output: 200 },
  "atlas-4": { input: 250, output: 1200 },
} as const;

/** A factor that grows by this share each week. */
const growing =
  (weekly: number) =>
  (day: string): number =>
    (1 + weekly) ** ((Date.parse(day) - FIRST) / (7 * DAY));
const from =
  (first: string, share: number) =>
  (day: string): number =>
    day < first ? 0 : share;
const until =
  (last: string, rest: number) =>
  (day: string): number =>
    day <= last ? 1 : rest;

const USES: readonly Use[] = [
  {
    model: "atlas-3",
    project: "support-assistant",
    workspace: "ws-product",
    key: "key-support-web",
    millions: 26,
    weekend: 0.8,
    factor: growing(0.01),
  },
  {
    model: "atlas-3-mini",
    project: "support-assistant",
    workspace: "ws-product",
    key: "key-support-triage",
    millions: 90,
    weekend: 0.8,
    factor: growing(0.015),
  },
  {
    model: "atlas-3",
    project: "code-review",
    workspace: "ws-engineering",
    key: "key-ci",
    millions: 34,
    weekend: 0.15,
    factor: until("2026-11-02", 0.3),
  },
  {
    model: "atlas-4",
    project: "code-review",
    workspace: "ws-engineering",
    key: "key-ci",
    millions: 60,
    weekend: 0.15,
    factor: from("2026-11-03", 1),
  },
  {
    model: "atlas-3",
    project: "contract-search",
    workspace: "ws-legal",
    key: "key-contracts",
    millions: 9,
    weekend: 0.1,
    factor: growing(0.005),
  },
  {
    model: "atlas-3-mini",
    project: "model-evals",
    workspace: "ws-labs",
    key: "key-nightly-evals",
    millions: 120,
    weekend: 1,
    factor: (day) => (day === "2026-11-17" ? 9 : 1),
  },
  {
    model: "atlas-4",
    project: "playground",
    workspace: "ws-shared",
    key: "key-playground",
    millions: 3,
    weekend: 0.4,
    factor: growing(0.03),
  },
];

const weekdayOf = (day: number): number => new Date(day).getUTCDay();

/** A number from 0.9 to 1.1 that depends only on the day and the use. */
const noise = (day: number, use: number): number => 0.9 + (0.2 * mix(day / DAY, use + 1)) / 2 ** 32;

const TOKENS = [
  { type: "input_tokens", meter: "Input Tokens", share: 1, price: "input" },
  { type: "output_tokens", meter: "Output Tokens", share: 0.18, price: "output" },
] as const;

function common(use: Use, day: number, meter: (typeof TOKENS)[number]): Record<string, unknown> {
  return {
    x_Granularity: "1d",
    ChargePeriodStart: formatInstant(day),
    ChargePeriodEnd: formatInstant(day + DAY),
    ServiceProviderName: PROVIDER,
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ServiceName: "Model API",
    SkuId: `${use.model}/${meter.type}`,
    SkuMeter: meter.meter,
    x_ModelId: use.model,
    x_ProjectId: use.project,
    x_WorkspaceId: use.workspace,
    x_ApiKeyId: use.key,
    x_ServiceTier: "standard",
    x_WorkloadType: null,
    x_UpstreamProvider: null,
    x_UsageType: meter.type,
  };
}

/** The members of costs that only depend on the billing period. */
const billing = (day: number, currency: string): Record<string, unknown> => ({
  BillingPeriodStart: formatInstant(monthStart(day)),
  BillingPeriodEnd: formatInstant(monthStart(day, 1)),
  InvoiceIssuerName: PROVIDER,
  InvoiceId: null,
  BillingCurrency: currency,
  PricingCurrency: currency,
  ChargeClass: null,
  x_CostStatus: "provisional",
  x_CorrectsRecordId: null,
});

const money = (cost: string): Record<string, unknown> => ({
  BilledCost: cost,
  EffectiveCost: cost,
  PricingCurrencyBilledCost: cost,
});

/** Hours from the end of a day until its costs appear, and until they are final. */
const SHOWN = 3 * HOUR;
const SETTLED = 72 * HOUR;

/** Usage and cost of a use, a day and a kind of token. */
function livesOf(
  use: Use,
  index: number,
  day: number,
  meter: (typeof TOKENS)[number],
): [Life, Life] | undefined {
  const date = formatDay(day);
  const isWeekend = [0, 6].includes(weekdayOf(day));
  const millions =
    use.millions * use.factor(date) * (isWeekend ? use.weekend : 1) * noise(day, index);
  const thousands = Math.round(millions * meter.share * 1000);
  if (thousands === 0) return undefined;
  const id = `${date}-${index}-${meter.type}`;
  const visibleFrom = day + DAY + SHOWN;
  const usage = {
    ...common(use, day, meter),
    x_RecordId: `usage-${id}`,
    ConsumedQuantity: String(thousands * 1000),
    ConsumedUnit: "Tokens",
  };
  // Cents per million times thousands of tokens are hundred thousandths of a dollar.
  const units = String(thousands * PRICES[use.model][meter.price]).padStart(6, "0");
  const cost = `${units.slice(0, -5)}.${units.slice(-5)}`;
  const record = {
    ...common(use, day, meter),
    ...billing(day, "USD"),
    ...money(cost),
    x_RecordId: `cost-${id}`,
    ChargeCategory: "Usage",
    ChargeDescription: `${use.model}, ${meter.meter.toLowerCase()}`,
  };
  const settled = { x_CostStatus: "final", InvoiceId: `INV-${date.slice(0, 7)}` };
  return [
    { record: usage, visibleFrom, changes: [] },
    { record, visibleFrom, changes: [{ at: day + DAY + SETTLED, changes: settled }] },
  ];
}

/** A monthly charge in euros. */
function support(month: number): Life {
  const record = {
    ...billing(month, "EUR"),
    ...money("450"),
    x_RecordId: `support-${formatDay(month).slice(0, 7)}`,
    x_Granularity: "1d",
    ChargePeriodStart: formatInstant(month),
    ChargePeriodEnd: formatInstant(month + DAY),
    ServiceProviderName: PROVIDER,
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ServiceName: "Support",
    SkuId: "support",
    SkuMeter: "Support",
    x_ModelId: null,
    x_ProjectId: null,
    x_WorkspaceId: null,
    x_ApiKeyId: null,
    x_ServiceTier: null,
    x_WorkloadType: null,
    x_UpstreamProvider: null,
    x_UsageType: null,
    ChargeCategory: "Purchase",
    ChargeDescription: "Premium support",
    x_CostStatus: "final",
  };
  return { record, visibleFrom: month + 6 * HOUR, changes: [] };
}

/** The instant between the two syncs at which the provider changes earlier days. */
const CHANGED = Date.parse("2026-11-20T12:00:00Z");

/** Lives of the story: some costs come late, are restated, or are withdrawn. */
function troubled(life: Life): Life {
  const id = String(life.record["x_RecordId"]);
  if (id === "cost-2026-11-12-2-output_tokens") return { ...life, visibleFrom: CHANGED };
  if (id === "cost-2026-11-10-0-output_tokens") return { ...life, withdrawnAt: CHANGED };
  if (id === "cost-2026-11-17-5-input_tokens") {
    return { ...life, changes: [{ at: CHANGED, changes: money("361.5") }, ...life.changes] };
  }
  return life;
}

/** A correction of October's bill that is issued in November: it keeps its day of October. */
function correction(): Life {
  const day = Date.parse("2026-10-14");
  const [use] = USES;
  const record = {
    ...(use === undefined ? {} : common(use, day, TOKENS[1])),
    ...billing(CHANGED, "USD"),
    ...money("-38.25"),
    x_RecordId: "correction-2026-10-14",
    ChargeCategory: "Usage",
    ChargeClass: "Correction",
    ChargeDescription: "Correction of 2026-10-14: output was counted twice",
    x_CostStatus: "final",
    x_CorrectsRecordId: "cost-2026-10-14-0-output_tokens",
  };
  return { record, visibleFrom: CHANGED, changes: [] };
}

/** The account with all its records. */
export function companyAccount(): Account {
  const dimensions = ["model", "project", "workspace", "api_key", "service_tier"] as const;
  const shared = {
    endpoint: "/v1/finops/usage",
    retention_days: 400,
    maximum_window_days: 92,
    dimensions: [...dimensions],
  };
  const account = createAccount("company", {
    ...REAL_SPEND_CAPABILITIES,
    datasets: {
      usage: { ...shared, granularities: ["1d"], freshness_lag_minutes: 60 },
      costs: {
        ...shared,
        endpoint: "/v1/finops/costs",
        granularities: ["1d"],
        settlement_lag_hours: 72,
        currencies: ["USD", "EUR"],
      },
    },
  });
  for (let day = FIRST; day <= LAST; day += DAY) {
    for (const [index, use] of USES.entries()) {
      for (const meter of TOKENS) {
        const lives = livesOf(use, index, day, meter);
        if (lives === undefined) continue;
        putLife(account, "usage", lives[0]);
        putLife(account, "costs", troubled(lives[1]));
      }
    }
    if (day === monthStart(day)) putLife(account, "costs", support(day));
  }
  putLife(account, "costs", correction());
  return account;
}
