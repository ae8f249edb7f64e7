/** Records of the interface (sections 2.4 to 2.6) from what the maps of the adapters make of a provider's rows. */
import { hash } from "node:crypto";
import { addDecimals, isDecimal } from "../core/decimal.ts";
import { DAY, formatInstant, HOUR, monthStart, nextMonthStart } from "../core/time.ts";
import type { Assumptions, Draft, ProviderReports, Query } from "./report.ts";

/** A draft with its id. */
export interface IdentifiedDraft {
  readonly start: number;
  readonly id: string;
  readonly draft: Draft;
}

/** The part that all records of a page share. */
export interface RecordContext {
  readonly provider: ProviderReports;
  readonly report: string;
  readonly query: Query;
  readonly assumptions: Assumptions;
  /** The account label of the config; null if there is none. */
  readonly label: string | null;
  /** The provider's clock, milliseconds since 1970. */
  readonly now: number;
}

const DIMENSIONS = {
  x_ModelId: null,
  x_ProjectId: null,
  x_WorkspaceId: null,
  x_ApiKeyId: null,
  x_ServiceTier: null,
  x_WorkloadType: null,
  x_UpstreamProvider: null,
};

/** Width of a query's buckets in milliseconds. */
export function widthOf({ granularity }: Pick<Query, "granularity">): typeof HOUR | typeof DAY {
  return granularity === "1h" ? HOUR : DAY;
}

/**
 * The drafts that begin within the query, with their ids, in the order of start and id. Drafts of one identity become one
 * draft: if a report has a group twice, its amounts are added up, so that neither replaces the other.
 */
export function identified(drafts: readonly Draft[], context: RecordContext): IdentifiedDraft[] {
  const { query } = context;
  const made = new Map<string, { draft: Draft; id: string }>();
  for (const draft of drafts) {
    if (draft.start < query.start || draft.start >= query.end) continue;
    const id = idOf(draft, context);
    const before = made.get(id)?.draft;
    made.set(id, { id, draft: before === undefined ? draft : added(before, draft) });
  }
  return [...made.values()]
    .map(({ draft, id }) => ({ start: draft.start, id, draft }))
    .toSorted(compare);
}

/** By start, then by id. */
export function compare(
  a: Pick<IdentifiedDraft, "start" | "id">,
  b: Pick<IdentifiedDraft, "start" | "id">,
): number {
  if (a.start !== b.start) return a.start - b.start;
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1;
}

/**
 * The hash of all that identifies the record. No amount is in it: a corrected amount is a new version of the same record. The
 * account's label is in it: a deduplicating table may hold two accounts with rows that are alike in every dimension.
 */
function idOf({ start, identity }: Draft, context: RecordContext): string {
  const { provider, label, report, query } = context;
  const parts = [
    provider.title,
    label,
    query.dataset,
    report,
    query.granularity,
    start,
    ...identity,
  ];
  return hash("sha256", JSON.stringify(parts), "base64url").slice(0, 24);
}

function added(a: Draft, b: Draft): Draft {
  const sums = Object.entries(b.sums).map(([name, value]) => {
    const before = a.sums[name];
    // A text that is no decimal stays: the check of records refuses it.
    return [name, isDecimal(before) && isDecimal(value) ? addDecimals(before, value) : value];
  });
  return { ...b, sums: { ...a.sums, ...Object.fromEntries(sums) } };
}

/** The record of a draft: every column as a text or null. */
export function recordOf(
  { draft, id }: IdentifiedDraft,
  context: RecordContext,
): Readonly<Record<string, string | null>> {
  const { provider, query } = context;
  const end = draft.start + widthOf(query);
  return {
    x_RecordId: id,
    x_RecordUpdatedAt: formatInstant(end),
    x_Granularity: query.granularity,
    ChargePeriodStart: formatInstant(draft.start),
    ChargePeriodEnd: formatInstant(end),
    ServiceProviderName: provider.title,
    ServiceCategory: "AI and Machine Learning",
    ServiceSubcategory: "Generative AI",
    ...DIMENSIONS,
    ...(query.dataset === "costs" ? billing(draft.start, end, context) : {}),
    ...draft.members,
    ...draft.sums,
  };
}

/** The columns that no report has: the calendar month is the billing period, and some days later the cost is final. */
function billing(start: number, end: number, { provider, assumptions, now }: RecordContext) {
  const settled = provider.finalAfter === "day" ? end : nextMonthStart(start);
  const finalAt = settled + assumptions.finalAfterDays * DAY;
  return {
    BillingPeriodStart: formatInstant(monthStart(start)),
    BillingPeriodEnd: formatInstant(nextMonthStart(start)),
    InvoiceIssuerName: provider.title,
    InvoiceId: null,
    ChargeCategory: "Usage",
    ChargeClass: null,
    x_CostStatus: now < finalAt ? "provisional" : "final",
  };
}
