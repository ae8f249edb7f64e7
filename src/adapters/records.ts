/** Records of the interface (sections 2.4 to 2.6) from what the maps of the adapters make of a provider's rows. */
import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { foreignText } from "../core/foreign_text.ts";
import { DAY, formatInstant, HOUR, monthStart, nextMonthStart } from "../core/time.ts";
import type { ConnectorError } from "../errors.ts";
import type { JsonObject } from "./exact.ts";
import type { Assumptions, Draft, ProviderReports, Query } from "./report.ts";
import { reportFault } from "./shape.ts";

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
 * The drafts that begin within the query, with their ids, in the order of start and id. The first bucket of a query may begin
 * before it. A draft that comes twice counts once, if the whole row of the provider came twice. Two rows that differ in a member which
 * the adapter does not know are two groups, and one of two equal amounts would vanish.
 *
 * @throws ConnectorError `provider_fault` if two drafts of one identity differ: neither may replace the other, and nobody knows if
 *   their amounts are to be added up
 */
export function identified(drafts: readonly Draft[], context: RecordContext): IdentifiedDraft[] {
  const { query } = context;
  const made = new Map<string, { readonly draft: Draft; readonly row: JsonObject | undefined }>();
  for (const { row, ...draft } of drafts) {
    if (draft.start < query.start) continue;
    const id = idOf(draft, context);
    const before = made.get(id);
    if (before !== undefined && !isSame(before, { draft, row })) throw twoVersions(draft);
    made.set(id, { draft, row });
  }
  // Without the rows, which would take the memory of the pages that are kept.
  return [...made].map(([id, { draft }]) => ({ start: draft.start, id, draft })).toSorted(compare);
}

/** Nothing is lost of two rows without amounts, whatever else differs. */
function isSame(
  a: { readonly draft: Draft; readonly row: JsonObject | undefined },
  b: { readonly draft: Draft; readonly row: JsonObject | undefined },
): boolean {
  if (!isDeepStrictEqual(a.draft, b.draft)) return false;
  const isZero = Object.values(a.draft.sums).every((sum) => /^-?0(\.0+)?$/.test(sum));
  return isZero || isDeepStrictEqual(a.row, b.row);
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

function twoVersions({ start, identity }: Draft): ConnectorError {
  const shown = foreignText(identity.map((part) => part ?? "null").join(", "));
  return reportFault(
    `it shows a group twice with different values on ${formatInstant(start)}: ${shown}`,
  );
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
