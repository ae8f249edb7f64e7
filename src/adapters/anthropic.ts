/**
 * Anthropic: usage and costs of the organization, by the analytics API (types of the npm package `@anthropic-ai/sdk`,
 * beta/organization/analytics), and by the older Admin API if the first API refuses the key (anthropic_older.ts).
 */
import { DAY, floorTo, formatInstant, HOUR } from "../core/time.ts";
import { olderApi } from "./anthropic_older.ts";
import { amountsOf, currencyOf, metersOf, TOKEN_TYPES } from "./anthropic_rows.ts";
import { decimalOf, type JsonObject } from "./exact.ts";
import { usageDrafts } from "./meters.ts";
import { widthOf } from "./records.ts";
import { byLastId } from "./names.ts";
import type {
  Api,
  Draft,
  NameList,
  Place,
  ProviderReports,
  Query,
  Report,
  ReportPage,
} from "./report.ts";
import {
  bucketStart,
  hasMore,
  instantIn,
  judgeStart,
  objectIn,
  objectsIn,
  reportFault,
  textIn,
} from "./shape.ts";

/** Newest version and beta that the SDK sends. */
const VERSION = "2026-10-21";
const BETA = "analytics-usage-cost-2026-08-24";

/** The first day of the API's data. The API also gives nothing older than 365 days. */
const EARLIEST = Date.UTC(2026, 0, 1);
const RETENTION_DAYS = 365;

/** The API groups by five members at most. `rbac_group_id` is never one of them, because its groups overlap. */
export const GROUPS = ["model", "workspace_id", "api_key_id", "service_tier", "product"];

/** The two further groups do not count. With `token_type` alone, the rows would leave out web search, code execution and sessions. */
export const COST_GROUPS = [...GROUPS, "cost_type", "token_type"];

const analyticsApi: Api = {
  name: "",
  title: "the analytics API",
  probe: (now) => ({
    path: "/v1/organizations/analytics/usage",
    parameters: [
      ["starting_at", formatInstant(floorTo(DAY, now) - DAY)],
      ["ending_at", formatInstant(floorTo(DAY, now))],
      ["time_bucket_width", "1d"],
      ["limit", "1"],
    ],
  }),
  usage: [
    {
      name: "usage",
      pages: "rows",
      // A row rarely becomes more than seven records.
      sizes: ({ limit }) => sizeOf(limit, 7, 1000),
      request: (place, query) => requestOf("usage", place, query, GROUPS),
      read: (body, place, query) => pageOf(body, place, query, usageOf),
    },
  ],
  costs: [
    {
      name: "costs",
      pages: "rows",
      // A group fans out into five token types and three other kinds of cost, which `limit` does not count.
      // Eight times 375 rows are as many as an answer may hold.
      sizes: ({ limit }) => sizeOf(limit, 8, 375),
      request: (place, query) => requestOf("cost", place, query, COST_GROUPS),
      read: (body, place, query) => pageOf(body, place, query, costOf),
    },
  ],
  granularities: ["1d", "1h"],
  // Counts from an hour before the first day, because the connector stays an hour inside retention.
  retentionDays: (now) =>
    Math.max(1, Math.min(RETENTION_DAYS, Math.ceil((now - EARLIEST + HOUR) / DAY))),
  earliest: EARLIEST,
  maximumWindowDays: 31,
  dimensions: {
    usage: ["model", "workspace", "api_key", "service_tier", "workload_type"],
    costs: ["model", "workspace", "api_key", "service_tier", "workload_type"],
  },
};

/** Names of workspaces, also the default one, and of API keys of each status. A key's creator is never read: personal data. */
const NAMES: readonly NameList[] = [
  {
    label: "workspace",
    title: "workspaces",
    request: (after) => ({
      path: "/v1/organizations/workspaces",
      parameters: [
        ["include_archived", "true"],
        ["include_default", "true"],
        ...byLastId.parameters("after_id", 1000, after),
      ],
    }),
    read: byLastId.reader((row) => textIn(row, "archived_at") !== null),
  },
  {
    label: "api_key",
    title: "API keys",
    request: (after) => ({
      path: "/v1/organizations/api_keys",
      parameters: byLastId.parameters("after_id", 1000, after),
    }),
    read: byLastId.reader((row) => textIn(row, "status") !== "active"),
  },
];

export const anthropic: ProviderReports = {
  title: "Anthropic",
  headers: (key) => ({
    "x-api-key": key,
    "anthropic-version": VERSION,
    "anthropic-beta": BETA,
  }),
  scope: "read:analytics",
  finalAfter: "month",
  usageSettlesByMonth: true,
  names: NAMES,
  remark:
    "A key of a parent organization reads its child organizations together with it; do not read a child with a key of its own, too.",
  account: { path: "/v1/organizations/me", parameters: [] },
  apis: [analyticsApi, olderApi],
};

/** The groups of a request: as many as an answer may hold, because requests may be few (90 an hour); fewer for a small page. */
function sizeOf(limit: number, each: number, most: number): ReturnType<Report["sizes"]> {
  const size = limit >= 100 ? most : Math.max(1, Math.floor(limit / each));
  return { first: size, most: size };
}

function requestOf(
  report: string,
  { start, size, page }: Place,
  query: Query,
  groups: readonly string[],
) {
  const parameters: [string, string][] = [
    ["starting_at", formatInstant(start)],
    ["ending_at", formatInstant(query.end)],
    ["time_bucket_width", query.granularity],
    // By time and oldest first: ranks by amount change while the pages are read.
    ["order_by", "time"],
    ["order", "asc"],
    ["limit", String(size)],
    ...groups.map((group): [string, string] => ["group_by[]", group]),
    ...(page === null ? [] : [["page", page] satisfies [string, string]]),
  ];
  return { path: `/v1/organizations/analytics/${report}`, parameters };
}

/**
 * The whole buckets of a page. The last bucket may continue on the next page, so the next request begins with this bucket again. Page
 * tokens are avoided, because they expire within hours, when the data is refreshed. Only a bucket that is larger than a page needs them.
 */
function pageOf(
  body: JsonObject,
  place: Place,
  query: Query,
  draftsOf: (row: JsonObject, group: JsonObject, start: number) => readonly Draft[],
): ReportPage {
  let last = place.start;
  const rows = objectsIn(body, "data").map((row) => {
    const named = bucketStart(instantIn(row, "starting_at"), widthOf(query));
    const start = judgeStart(named, place.start, query);
    if (start < last) throw reportFault("its rows are not in the order of time");
    last = start;
    return { row, start };
  });
  const page = textIn(body, "next_page");
  const more = hasMore(body);
  if (more && page === null) throw reportFault("has_more comes without next_page");
  const isCut = more && rows.some(({ start }) => start < last);
  const next = isCut ? { start: last, page: null } : more ? { start: place.start, page } : null;
  const drafts = rows
    .filter(({ start }) => !isCut || start < last)
    .flatMap(({ row, start }) =>
      draftsOf(row, objectIn(row, "group"), start).map((draft) => ({ ...draft, row })),
    );
  // Null: no export covers any part of the range yet.
  const isNone = body["data_refreshed_at"] === null;
  const refreshedAt = isNone ? null : instantIn(body, "data_refreshed_at");
  return { drafts, next, refreshedAt };
}

function usageOf(row: JsonObject, group: JsonObject, start: number): Draft[] {
  const model = textIn(group, "model");
  return usageDrafts(
    start,
    GROUPS.map((name) => textIn(group, name)),
    { ...membersOf(group), ServiceName: "Claude", SkuId: model ?? "unattributed" },
    metersOf(objectIn(row, "usage")),
  );
}

function costOf(row: JsonObject, group: JsonObject, start: number): Draft[] {
  const cost = objectIn(row, "cost");
  const [model, type, token] = ["model", "cost_type", "token_type"].map((name) =>
    textIn(group, name),
  );
  const said = [model, type, token].filter((part) => part !== null);
  const list = textIn(cost, "list_amount");
  return [
    {
      start,
      identity: [...COST_GROUPS.map((name) => textIn(group, name)), textIn(cost, "currency")],
      members: {
        ...membersOf(group),
        ServiceName: "Claude",
        SkuId: model ?? type ?? null,
        SkuMeter: token ?? type ?? null,
        x_UsageType: TOKEN_TYPES[token ?? ""] ?? null,
        ChargeDescription: said.length === 0 ? "Anthropic usage" : said.join(", "),
        ...currencyOf(cost),
      },
      sums: {
        ...amountsOf(cost),
        ...(list === null ? {} : { ListCost: decimalOf(list, -2) }),
      },
    },
  ];
}

function membersOf(group: JsonObject): Draft["members"] {
  return {
    x_ModelId: textIn(group, "model"),
    x_WorkspaceId: textIn(group, "workspace_id"),
    x_ApiKeyId: textIn(group, "api_key_id"),
    x_ServiceTier: textIn(group, "service_tier"),
    x_WorkloadType: textIn(group, "product"),
  };
}
