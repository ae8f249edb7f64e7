/**
 * Anthropic's older Admin API, for keys that may not use the newer one: `usage_report/messages` and `cost_report`, as the API reference
 * has them (the SDK has no types of them). Its costs leave out the priority tier; code execution is in costs only; the
 * default workspace and the key of the workbench are null.
 */
import { DAY, floorTo, formatInstant } from "../core/time.ts";
import { amountsOf, currencyOf, metersOf, TOKEN_TYPES } from "./anthropic_rows.ts";
import { readBuckets } from "./buckets.ts";
import type { JsonObject } from "./exact.ts";
import { usageDrafts } from "./meters.ts";
import type { Api, Draft, Place, Query, ReportPage } from "./report.ts";
import { instantIn, textIn } from "./shape.ts";

/** Retention in days. The API names no limit. */
const RETENTION_DAYS = 365;

const MOST = { "1d": 31, "1h": 168 } as const;

/** The API groups by five members at most. */
const USAGE_GROUPS = ["api_key_id", "workspace_id", "model", "service_tier", "context_window"];

/** Rows with a description also have the members that it is made of. */
export const COST_GROUPS = ["workspace_id", "description"];
export const COST_IDENTITY = [
  ...COST_GROUPS,
  "model",
  "cost_type",
  "token_type",
  "service_tier",
  "context_window",
  "inference_geo",
  "speed",
  "currency",
];

/** The version whose shapes these are. A newer one may rename members. */
const headers = { "anthropic-version": "2023-06-01" } as const;

export const olderApi: Api = {
  name: "older",
  title: "the older Admin API",
  leavesOut: "the costs of the priority tier",
  probe: (now) => ({
    path: "/v1/organizations/usage_report/messages",
    parameters: [
      ["starting_at", formatInstant(floorTo(DAY, now) - DAY)],
      ["limit", "1"],
    ],
    headers,
  }),
  usage: [
    {
      name: "messages",
      pages: "buckets",
      sizes: sizesOf,
      request: (place, query) => requestOf("usage_report/messages", place, query, USAGE_GROUPS),
      read: (body, place, query) => pageOf(body, place, query, usageOf),
    },
  ],
  costs: [
    {
      name: "cost_report",
      pages: "buckets",
      sizes: sizesOf,
      request: (place, query) => requestOf("cost_report", place, query, COST_GROUPS),
      read: (body, place, query) =>
        pageOf(body, place, query, (row, start) => [costOf(row, start)]),
    },
  ],
  granularities: ["1d", "1h"],
  retentionDays: () => RETENTION_DAYS,
  maximumWindowDays: RETENTION_DAYS,
  dimensions: {
    usage: ["model", "workspace", "api_key", "service_tier"],
    costs: ["model", "workspace", "service_tier"],
  },
};

function sizesOf({ granularity, limit }: Query) {
  return { first: limit < 100 ? 1 : granularity === "1h" ? 24 : 7, most: MOST[granularity] };
}

function requestOf(report: string, place: Place, query: Query, groups: readonly string[]) {
  const parameters: [string, string][] = [
    ["starting_at", formatInstant(place.start)],
    ["ending_at", formatInstant(query.end)],
    ["bucket_width", query.granularity],
    ["limit", String(place.size)],
    ...groups.map((group): [string, string] => ["group_by[]", group]),
  ];
  return { path: `/v1/organizations/${report}`, parameters, headers };
}

/** The buckets of a page and their rows. */
function pageOf(
  body: JsonObject,
  place: Place,
  query: Query,
  draftsOf: (row: JsonObject, start: number) => readonly Draft[],
): ReportPage {
  return readBuckets(body, place, query, (bucket) => instantIn(bucket, "starting_at"), draftsOf);
}

function usageOf(row: JsonObject, start: number): Draft[] {
  const members = {
    ...membersOf(row),
    ServiceName: "Claude",
    SkuId: textIn(row, "model") ?? "unattributed",
  };
  const identity = USAGE_GROUPS.map((name) => textIn(row, name));
  return usageDrafts(start, identity, members, metersOf(row));
}

function costOf(row: JsonObject, start: number): Draft {
  const text = (name: string): string | null => textIn(row, name);
  const said = text("description");
  return {
    start,
    identity: COST_IDENTITY.map(text),
    members: {
      ...membersOf(row),
      ServiceName: "Claude",
      SkuId: text("model") ?? text("cost_type") ?? said,
      SkuMeter: text("token_type") ?? text("cost_type"),
      x_UsageType: TOKEN_TYPES[text("token_type") ?? ""] ?? null,
      ChargeDescription: said ?? "Anthropic usage",
      ...currencyOf(row),
    },
    sums: amountsOf(row),
  };
}

function membersOf(row: JsonObject): Draft["members"] {
  return {
    x_ModelId: textIn(row, "model"),
    x_WorkspaceId: textIn(row, "workspace_id"),
    x_ApiKeyId: textIn(row, "api_key_id"),
    x_ServiceTier: textIn(row, "service_tier"),
    x_ContextWindow: textIn(row, "context_window"),
  };
}
