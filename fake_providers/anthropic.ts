/**
 * A fake of Anthropic's analytics API for usage and costs (beta `analytics-usage-cost-2026-08-24`), as the types of the
 * package `@anthropic-ai/sdk` describe it: ranked rows, limits that count groups, at most five dimensions. The older
 * Admin API is in anthropic_older.ts.
 */
import type { BetaAnalyticsCostItem } from "@anthropic-ai/sdk/resources/beta/organization/analytics/cost";
import type { BetaAnalyticsUsageItem } from "@anthropic-ai/sdk/resources/beta/organization/analytics/usage";
import type { ReportPageCursorResponse } from "@anthropic-ai/sdk/core/pagination";
import { DAY, formatInstant, HOUR, MINUTE, parseInstant } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import {
  costTotals,
  factsOfDay,
  groupsOfDay,
  isInOlderCosts,
  usageTotals,
} from "./anthropic_facts.ts";
import { anthropicList, anthropicNames } from "./anthropic_names.ts";
import { contradicting, type Contradicted } from "./contradictions.ts";
import { olderPage } from "./anthropic_older.ts";
import { costItem, usageItem } from "./anthropic_rows.ts";
import type { Fact, Group } from "./facts.ts";
import { Facts, grouped } from "./facts.ts";
import type { Api, FakeOptions, FakeRequest } from "./fake.ts";
import { checkList, listOf, placeOf, Refusal, tokenOf, wholeOf } from "./fake.ts";

const BETA = "analytics-usage-cost-2026-08-24";

/** The first instant that a query may name. */
const EARLIEST = Date.UTC(2026, 0, 1);

const REFUSALS = {
  403: "This key may not use the analytics API.",
  400: "organization_type_not_supported: the analytics API is not available to this organization.",
};

const WIDTHS: Readonly<Record<string, number>> = { "1m": MINUTE, "1h": HOUR, "1d": DAY };

const FANNED_OUT: readonly string[] = ["cost_type", "token_type"];

const DIMENSIONS: readonly string[] = (
  "actor actor_type agent_id api_key_id claude_tag_category claude_tag_user_id context_window deployment_id " +
  "environment_id inference_geo model organization_id product rbac_group_id service_tier session_id slack_channel_id " +
  "speed user_profile_id workspace_id"
).split(" ");

/** The reports are refreshed every hour; their data is three hours old. */
function refreshedAt(now: Instant): Instant {
  return Math.floor((now - 3 * HOUR) / HOUR) * HOUR;
}

/** The latest refresh that has ended all earlier page tokens; there is one every four hours. */
function refreshOf(now: Instant): number {
  return Math.floor(now / (4 * HOUR));
}

export function createAnthropic(options: FakeOptions): Api {
  const { seed, legacy = false, groupsADay, refusal = 403 } = options;
  const maker = groupsADay === undefined ? factsOfDay : groupsOfDay(groupsADay);
  const facts = new Facts(contradicting(options.contradicts, maker, "api_key_id"), seed);
  const names = anthropicNames();
  return {
    names,
    basePath: "",
    key: "sk-ant-admin01-fake-0123456789",
    keyOf: ({ headers }) =>
      headers["x-api-key"] ?? headers["authorization"]?.replace(/^Bearer /, ""),
    answer: (request, now) => {
      if (request.headers["anthropic-version"] === undefined)
        throw new Refusal(400, "anthropic-version: header is required");
      if (request.path === "/v1/organizations/me")
        return { id: "2c9d1c1e-1111-4222-8333-444455556666", type: "organization", name: "Fake" };
      const list = anthropicList(names, request);
      if (list !== undefined) return list;
      if (!request.path.startsWith("/v1/organizations/analytics/"))
        return olderPage(facts, request, now, options.contradicts === "ANT-13");
      if (legacy) throw new Refusal(refusal, REFUSALS[refusal]);
      return page(facts, request, now, options.contradicts);
    },
    errorBody: (status, message) => ({
      type: "error",
      error: { type: status === 429 ? "rate_limit_error" : "invalid_request_error", message },
      request_id: "req_fake",
    }),
    totals: (start, end, now) => {
      const shown = [...facts.between(start, end, legacy ? now : refreshedAt(now) - 1)];
      return {
        usage: usageTotals(shown, !legacy),
        costs: costTotals(legacy ? shown.filter(isInOlderCosts) : shown),
      };
    },
  };
}

type Page = ReportPageCursorResponse<BetaAnalyticsUsageItem | BetaAnalyticsCostItem>;

function page(facts: Facts, request: FakeRequest, now: Instant, contradicts: Contradicted): Page {
  const { path, query, headers } = request;
  const report = /^\/v1\/organizations\/analytics\/(usage|cost)$/.exec(path)?.[1];
  if (report === undefined) throw new Refusal(404, "Not found");
  if (!(headers["anthropic-beta"] ?? "").split(",").includes(BETA))
    throw new Refusal(400, `anthropic-beta: ${BETA} is required`);
  const names = listOf(query, "group_by");
  checkList("group_by", names, [...DIMENSIONS, ...(report === "cost" ? FANNED_OUT : [])]);
  const counted = names.filter((name) => !FANNED_OUT.includes(name));
  if (counted.length > 5) throw new Refusal(400, "group_by: at most 5 dimensions");
  const range = rangeOf(query, now);
  const refreshed = refreshedAt(now);
  const wanted = report === "cost" ? "costs" : "usage";
  const limit = wholeOf(query, "limit", [1, 1000], 20);
  const from = placeOf(path, query, refreshOf(now));
  const isByTime = query.get("order_by") === "time" && query.get("order") === "asc";
  const days = isByTime && range.width !== null ? 2 : Infinity;
  // Rows by time are made only for the days that fill the page, because every page makes its rows again.
  let ranked: Made[] = [];
  for (let end = range.start; end < range.end && ranked.length <= from + limit;) {
    end = Math.min(range.end, end === range.start ? end + days * DAY : 2 * end - range.start);
    const shown = facts.between(range.start, end, refreshed - 1);
    ranked = rank(groupsOf(shown, wanted, range, counted), query, report, range.width);
  }
  const part = ranked.slice(from, from + limit);
  const ends = (bucket: Instant): Instant =>
    range.width === null ? range.end : bucket + range.width;
  const third =
    contradicts === undefined ? undefined : contradicts === "ANT-18" ? "inside" : "beside";
  const itemsOf = (group: Made): Page["data"] =>
    report === "usage"
      ? [usageItem(group, ends(group.bucket), third)]
      : fannedOut(group, names, counted).map((row) =>
          costItem(row, ends(row.bucket), contradicts === "ANT-01"),
        );
  const shownOf = (group: Made): Page["data"] =>
    contradicts === "ANT-04" ? [...itemsOf(group), ...itemsOf(group)] : itemsOf(group);
  const hasMore = from + limit < ranked.length;
  return {
    data: part.flatMap(shownOf),
    has_more: hasMore,
    next_page: hasMore ? tokenOf(path, query, from + limit, refreshOf(now)) : null,
    data_refreshed_at: formatInstant(refreshed),
  };
}

/** A group and the facts that it was made of. */
interface Made extends Group {
  readonly facts: readonly Fact[];
}

function groupsOf(
  facts: Iterable<Fact>,
  report: string,
  { start, width }: Range,
  names: readonly string[],
): Made[] {
  const of = [...facts].filter((fact) => fact.report === report);
  const bucketOf = (at: Instant): Instant =>
    width === null ? start : Math.floor(at / width) * width;
  const key = ({ at, dimensions }: Fact): string =>
    JSON.stringify([bucketOf(at), names.map((name) => dimensions[name] ?? null)]);
  const members = Map.groupBy(of, key);
  return grouped(of, bucketOf, names).map((group) => ({
    ...group,
    facts: members.get(JSON.stringify([group.bucket, Object.values(group.dimensions)])) ?? [],
  }));
}

/** The rows of a group by cost type, token type or both; they do not count towards `limit`. */
function fannedOut(group: Made, names: readonly string[], counted: readonly string[]): Group[] {
  const fan = names.filter((name) => FANNED_OUT.includes(name));
  if (fan.length === 0) return [group];
  const of = fan.includes("cost_type")
    ? group.facts
    : group.facts.filter(({ dimensions }) => dimensions["token_type"] !== null);
  const rows = grouped(of, () => group.bucket, [...counted, ...fan, "cost_type"]);
  return rows.map((row) => ({ ...row, metrics: { amount: row.metrics["amount"] ?? 0n } }));
}

/** Sorts by amount or by the sum of all counts, the highest first; by time, the newest first, if asked. `asc` reverses both. */
function rank(
  groups: Made[],
  query: URLSearchParams,
  report: string,
  width: number | null,
): Made[] {
  const byTime = query.get("order_by") === "time" && width !== null;
  const up = query.get("order") === "asc" ? 1 : -1;
  const size = ({ metrics }: Group): bigint =>
    report === "cost"
      ? (metrics["amount"] ?? 0n)
      : Object.values(metrics).reduce((sum, value) => sum + value, 0n);
  const bySize = (a: Group, b: Group): number => {
    const [left, right] = [size(a), size(b)];
    return left === right ? 0 : left < right ? 1 : -1;
  };
  return groups.toSorted((a, b) =>
    byTime ? up * (a.bucket - b.bucket) || bySize(a, b) : -up * bySize(a, b),
  );
}

interface Range {
  readonly start: Instant;
  readonly end: Instant;
  /** Null where the whole range is one bucket. */
  readonly width: number | null;
}

function rangeOf(query: URLSearchParams, now: Instant): Range {
  const start = parseInstant(query.get("starting_at") ?? "");
  if (start === undefined) throw new Refusal(400, "starting_at: must be an RFC 3339 instant");
  if (start < EARLIEST || start < now - 365 * DAY)
    throw new Refusal(400, "starting_at: must be within 365 days and not before 2026-01-01");
  const name = query.get("time_bucket_width");
  const given = query.get("ending_at");
  if (name !== null && given === null)
    throw new Refusal(400, "ending_at: required with time_bucket_width");
  const end = given === null ? Math.min(now, start + 31 * DAY) : parseInstant(given);
  if (end === undefined || end <= start || end - start > 31 * DAY)
    throw new Refusal(400, "ending_at: must be after starting_at, by at most 31 days");
  if (name === null) return { start, end, width: null };
  const width = WIDTHS[name];
  if (width === undefined) throw new Refusal(400, "time_bucket_width: must be 1m, 1h or 1d");
  return { start, end, width };
}
