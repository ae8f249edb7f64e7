/** The data of a simulated provider: records and their lives. */
import { dayOf, DAY, iso, monthOf } from "./calendar.ts";

export type StreamName = "usage" | "costs";
export type Granularity = "1h" | "1d";

/** A version of a record: its content from an instant on. */
export interface Version {
  readonly record: Life;
  readonly index: number;
  /** The instant at which it becomes visible, which is also its x_RecordUpdatedAt. */
  readonly at: number;
  readonly status: "provisional" | "final" | null;
  /** In units of 10^-6, so that sums are exact. */
  readonly amount: number;
  readonly currency: string;
  /** Whether R1 alone guarantees that syncs find it. */
  readonly due: boolean;
  /** The JSON of the record, byte for byte as every page has it, unless its members move (provider.ts). */
  readonly text: string;
  /** The JSON members at its end that no schema knows. */
  readonly extra: string;
}

export interface Life {
  readonly stream: StreamName;
  readonly id: string;
  readonly start: number;
  readonly end: number;
  /** The instant by which a provider that selects by posting finds it. */
  readonly postedAt: number;
  /** Sorted by time; at least one. */
  readonly versions: Version[];
  /** The instant at which it disappears. */
  withdrawnAt: number;
}

/** The last version that is visible at an instant. */
export function visible(life: Life, at: number): Version | undefined {
  if (at >= life.withdrawnAt) return undefined;
  let found: Version | undefined;
  for (const version of life.versions) if (version.at <= at) found = version;
  return found;
}

interface Grouped {
  /** The number of records of the list that are in the groups. */
  count: number;
  readonly byDay: Readonly<Record<StreamName, Map<number, Life[]>>>;
}

const GROUPS = new WeakMap<readonly Life[], Grouped>();

/**
 * The records of a stream that begin and end within a day, in the order of the list. Every sync asks for every day, and records are only
 * ever added at the end of a list, so the groups are kept and grow with it.
 */
export function livesOn(lives: readonly Life[], stream: StreamName, day: number): readonly Life[] {
  let groups = GROUPS.get(lives);
  if (groups === undefined || groups.count > lives.length) {
    groups = { count: 0, byDay: { usage: new Map(), costs: new Map() } };
    GROUPS.set(lives, groups);
  }
  for (const life of lives.slice(groups.count)) {
    const own = dayOf(life.start);
    if (life.end > own + DAY) continue;
    const group = groups.byDay[life.stream].get(own);
    if (group === undefined) groups.byDay[life.stream].set(own, [life]);
    else group.push(life);
  }
  groups.count = lives.length;
  return groups.byDay[stream].get(day) ?? [];
}

export interface VersionFacts {
  readonly at: number;
  readonly status: "provisional" | "final" | null;
  readonly amount: number;
  readonly currency: string;
  readonly due: boolean;
  /** JSON members that no schema knows, e.g. `"x_Ratio":0.10`. */
  readonly extra: string;
  readonly granularity: Granularity;
  readonly corrects?: string | undefined;
}

/** Adds a version to a life. */
export function addVersion(life: Life, facts: VersionFacts): void {
  const { at, status, amount, currency, due, extra } = facts;
  const index = life.versions.length;
  const text = life.stream === "usage" ? usageText(life, facts) : costText(life, facts);
  life.versions.push({ record: life, index, at, status, amount, currency, due, text, extra });
}

/** Adds a version that shows an earlier one again, byte for byte: a provider that takes a change back. */
export function addAgain(life: Life, earlier: Version, at: number): void {
  life.versions.push({ ...earlier, index: life.versions.length, at, due: false });
}

/** A decimal as text. Every seventh has trailing zeros that a number would lose. */
function decimal(amount: number): string {
  const digits = String(Math.abs(amount)).padStart(7, "0");
  const text = `${digits.slice(0, -6)}.${digits.slice(-6)}`;
  return `${amount < 0 ? "-" : ""}${text}${amount % 7 === 0 ? "000" : ""}`;
}

function common(life: Life, { at, granularity }: VersionFacts): Record<string, unknown> {
  return {
    x_RecordId: life.id,
    x_RecordUpdatedAt: iso(at),
    x_Granularity: granularity,
    ChargePeriodStart: iso(life.start),
    ChargePeriodEnd: iso(life.end),
    ServiceProviderName: "Sim",
    ServiceCategory: "AI and Machine Learning",
    ServiceName: "Models",
  };
}

function textOf(fields: Record<string, unknown>, extra: string): string {
  const text = JSON.stringify(fields);
  return extra === "" ? text : `${text.slice(0, -1)},${extra}}`;
}

function usageText(life: Life, facts: VersionFacts): string {
  return textOf(
    {
      ...common(life, facts),
      SkuId: "sku",
      SkuMeter: "tokens",
      ConsumedQuantity: decimal(facts.amount),
      ConsumedUnit: "Tokens",
      x_UsageType: "input_tokens",
    },
    facts.extra,
  );
}

function costText(life: Life, facts: VersionFacts): string {
  const month = monthOf(facts.corrects === undefined ? life.start : facts.at, 0);
  return textOf(
    {
      ...common(life, facts),
      BillingPeriodStart: iso(month),
      BillingPeriodEnd: iso(monthOf(month, -1)),
      InvoiceIssuerName: "Sim",
      ChargeCategory: "Usage",
      ChargeClass: facts.corrects === undefined ? null : "Correction",
      ChargeDescription: "",
      BillingCurrency: facts.currency,
      BilledCost: decimal(facts.amount),
      EffectiveCost: decimal(facts.amount),
      x_CostStatus: facts.status ?? "final",
      x_CorrectsRecordId: facts.corrects ?? null,
    },
    facts.extra,
  );
}

/**
 * The last instant at which R1 requests a record again. Windows select by start, or by any instant of the charge
 * period.
 */
export function settlesFrom(
  life: { readonly start: number; readonly end: number },
  overlap: boolean,
): number {
  return overlap ? life.end : Math.min(life.end, dayOf(life.start) + DAY);
}

/** All record texts that the provider may ever send, with their records. */
export function versionsByText(
  lives: readonly { readonly versions: readonly Version[] }[],
): Map<string, Version> {
  const byText = new Map<string, Version>();
  for (const { versions } of lives)
    for (const version of versions) byText.set(version.text, version);
  return byText;
}
