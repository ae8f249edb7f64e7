/**
 * OpenAI: the organization's usage reports and costs. Endpoints, parameters and members are those of the npm package `openai`
 * (admin/organization/usage).
 */
import { DAY, floorTo } from "../core/time.ts";
import { readBuckets } from "./buckets.ts";
import { decimalOf, type JsonObject } from "./exact.ts";
import { readLineItem, withoutDate } from "./line_item.ts";
import { type Meter, quantityIn, usageDrafts } from "./meters.ts";
import { inputTokens, meterOf, requests, tokenMeters } from "./openai_meters.ts";
import { byLastId } from "./names.ts";
import type {
  Draft,
  NameList,
  Place,
  ProviderReports,
  Query,
  Report,
  ReportPage,
} from "./report.ts";
import { having, objectIn, textIn } from "./shape.ts";

/** Retention in days. OpenAI names no limit. */
export const RETENTION_DAYS = 730;

/** The most buckets a page. */
const MOST = { "1d": 31, "1h": 168, costs: 180 } as const;

/** The groups of every usage report, by which a row is told apart; never `user_id`: personal data, and not to be combined with `project_id`. */
export const PLACE = ["project_id", "api_key_id", "model"];

/** A usage report: its groupings, and the meters of its rows. */
interface UsageReport {
  readonly service: string;
  readonly groups: readonly string[];
  readonly meters: (row: JsonObject) => readonly Meter[];
  /** Quantities that each row has. */
  readonly demands: readonly string[];
  /** Buckets in the first request; more for reports that usually have few rows. */
  readonly first?: number;
}

const TOKENS = ["input_tokens", "output_tokens"];
const TOKEN_GROUPS = [...PLACE, "batch", "service_tier", "api_source"];
const inputMeters = (row: JsonObject): Meter[] => [
  inputTokens(quantityIn(row, "input_tokens")),
  requests(row),
];

/** By the last part of the endpoint's path. */
const USAGE: Readonly<Record<string, UsageReport>> = {
  completions: {
    service: "Completions",
    groups: TOKEN_GROUPS,
    demands: TOKENS,
    meters: tokenMeters,
    first: 7,
  },
  decisions: { service: "Decisions", groups: TOKEN_GROUPS, demands: TOKENS, meters: tokenMeters },
  embeddings: {
    service: "Embeddings",
    groups: PLACE,
    demands: ["input_tokens"],
    meters: inputMeters,
  },
  moderations: {
    service: "Moderations",
    groups: PLACE,
    demands: ["input_tokens"],
    meters: inputMeters,
  },
  images: {
    service: "Images",
    groups: [...PLACE, "size", "source"],
    demands: ["images"],
    // Completions may count the requests of image models too, so they have a usage type of their own.
    meters: (row) => [
      meterOf(row, "images", "x_images", "Images", "Images"),
      meterOf(row, "num_model_requests", "x_image_requests", "Image Requests", "Requests"),
    ],
  },
  audio_speeches: {
    service: "Audio Speeches",
    groups: PLACE,
    demands: ["characters"],
    meters: (row) => [
      meterOf(row, "characters", "characters", "Characters", "Characters"),
      requests(row),
    ],
  },
  audio_transcriptions: {
    service: "Audio Transcriptions",
    groups: PLACE,
    demands: ["seconds"],
    meters: (row) => [meterOf(row, "seconds", "audio_seconds", "Audio", "Seconds"), requests(row)],
  },
  vector_stores: {
    service: "Vector Stores",
    groups: ["project_id"],
    demands: ["usage_bytes"],
    meters: (row) => [meterOf(row, "usage_bytes", "x_vector_store_bytes", "Storage", "Bytes")],
  },
  code_interpreter_sessions: {
    service: "Code Interpreter",
    groups: ["project_id"],
    demands: ["num_sessions"],
    meters: (row) => [
      meterOf(row, "num_sessions", "x_code_interpreter_sessions", "Sessions", "Sessions"),
    ],
  },
  file_search_calls: {
    service: "File Search",
    groups: ["project_id", "api_key_id", "vector_store_id"],
    demands: ["num_requests"],
    meters: (row) => [meterOf(row, "num_requests", "x_file_search_calls", "Calls", "Calls")],
  },
  web_search_calls: {
    service: "Web Search",
    groups: [...PLACE, "context_level", "api_source"],
    demands: ["num_requests"],
    // Nobody knows if completions count these model requests too, so they have a usage type of their own.
    meters: (row) => [
      meterOf(row, "num_requests", "x_web_search_calls", "Calls", "Calls"),
      meterOf(
        row,
        "num_model_requests",
        "x_web_search_model_requests",
        "Model Requests",
        "Requests",
      ),
    ],
  },
};

/** The groups of costs. */
export const COST_GROUPS = ["project_id", "line_item", "api_key_id", "api_source"];

/** Groups without a dimension in the interface, and the members that hold them. */
const EXTRA: Readonly<Record<string, string>> = {
  api_source: "x_ApiSource",
  size: "x_ImageSize",
  source: "x_ImageSource",
  vector_store_id: "x_VectorStoreId",
  context_level: "x_SearchContextLevel",
};

/** Names of projects and of their API keys. The owner of a key is never read: personal data. */
const NAMES: readonly NameList[] = [
  {
    label: "project",
    title: "projects",
    request: (after) => ({
      path: "/v1/organization/projects",
      parameters: [["include_archived", "true"], ...byLastId.parameters("after", 100, after)],
    }),
    read: byLastId.reader(
      (row) => textIn(row, "status") === "archived" || textIn(row, "archived_at") !== null,
    ),
  },
  {
    label: "api_key",
    title: "API keys",
    of: "project",
    request: (after, project) => ({
      path: `/v1/organization/projects/${encodeURIComponent(project)}/api_keys`,
      // Without this, keys of people who have left a project are not shown.
      parameters: [["owner_project_access", "any"], ...byLastId.parameters("after", 100, after)],
    }),
    // A key that no longer works is not listed at all.
    read: byLastId.reader(() => false),
  },
];

export const openai: ProviderReports = {
  title: "OpenAI",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  scope: "api.usage.read",
  finalAfter: "month",
  names: NAMES,
  apis: [
    {
      name: "",
      title: "the organization's usage and costs API",
      probe: (now) => ({
        path: "/v1/organization/costs",
        parameters: [
          ["start_time", String((floorTo(DAY, now) - DAY) / 1000)],
          ["limit", "1"],
        ],
      }),
      usage: Object.entries(USAGE).map(([name, report]) => usageReport(name, report)),
      costs: [costReport()],
      granularities: ["1d", "1h"],
      retentionDays: () => RETENTION_DAYS,
      maximumWindowDays: 366,
      dimensions: {
        usage: ["model", "project", "api_key", "service_tier", "workload_type"],
        costs: ["model", "project", "api_key"],
      },
    },
  ],
};

function usageReport(
  name: string,
  { service, groups, demands, meters, first = 31 }: UsageReport,
): Report {
  return {
    name,
    pages: "buckets",
    sizes: ({ granularity, limit }) => {
      const most = MOST[granularity];
      return {
        first: limit < 100 ? 1 : granularity === "1h" ? Math.min(most, first * 5) : first,
        most,
      };
    },
    request: (place, query) => requestOf(`usage/${name}`, place, query, groups),
    read: (body, place, query) =>
      pageOf(body, place, query, (row, start) =>
        usageDrafts(
          start,
          groups.map((group) => textIn(row, group)),
          {
            ...membersOf(row),
            ServiceName: `OpenAI ${service}`,
            SkuId: textIn(row, "model") ?? name,
          },
          meters(having(row, demands)),
        ),
      ),
  };
}

function costReport(): Report {
  return {
    name: "costs",
    pages: "buckets",
    sizes: ({ limit }) => ({ first: limit < 100 ? 1 : 7, most: MOST.costs }),
    request: (place, query) => requestOf("costs", place, query, COST_GROUPS),
    read: (body, place, query) =>
      pageOf(body, place, query, (row, start) => [costDraft(row, start)]),
  };
}

function requestOf(path: string, place: Place, query: Query, groups: readonly string[]) {
  const parameters: [string, string][] = [
    ["start_time", String(place.start / 1000)],
    ["end_time", String(Math.ceil(query.end / 1000))],
    ["bucket_width", query.granularity],
    ["limit", String(place.size)],
    ...groups.map((group): [string, string] => ["group_by[]", group]),
  ];
  return { path: `/v1/organization/${path}`, parameters };
}

/** The buckets of a page and their rows. */
function pageOf(
  body: JsonObject,
  place: Place,
  query: Query,
  draftsOf: (row: JsonObject, start: number) => readonly Draft[],
): ReportPage {
  return readBuckets(
    body,
    place,
    query,
    (bucket) => secondsOf(textIn(bucket, "start_time")),
    draftsOf,
  );
}

/** Seconds since 1970 in milliseconds; undefined if there are none. */
function secondsOf(text: string | null): number | undefined {
  return text === null || !/^\d{1,12}$/.test(text) ? undefined : Number(text) * 1000;
}

/** A cost; its line item says what was charged. */
function costDraft(row: JsonObject, start: number): Draft {
  const item = textIn(row, "line_item");
  const { model, modality, tokenKind, meter } = readLineItem(item);
  const amount = objectIn(row, "amount");
  const value = textIn(amount, "value");
  const currency = textIn(amount, "currency");
  const quantity = quantityIn(row, "quantity");
  const cost = value === null ? null : decimalOf(value);
  return {
    start,
    identity: [...COST_GROUPS.map((group) => textIn(row, group)), currency],
    members: {
      ...membersOf(row),
      ServiceName: "OpenAI API",
      SkuId: item,
      SkuMeter: meter,
      x_ModelId: withoutDate(model),
      x_ModelVersion: model,
      x_Modality: modality,
      x_TokenKind: tokenKind,
      ChargeDescription: item ?? "OpenAI API usage",
      x_QuantityUnit: textIn(row, "quantity_unit"),
      ...(currency === null ? {} : { BillingCurrency: currency.toUpperCase() }),
    },
    sums: {
      ...(cost === null ? {} : { BilledCost: cost, EffectiveCost: cost }),
      ...(quantity === null ? {} : { x_Quantity: quantity }),
    },
  };
}

function membersOf(row: JsonObject): Draft["members"] {
  const batch = textIn(row, "batch");
  const extra = Object.entries(EXTRA).flatMap(([group, member]) =>
    group in row ? [[member, textIn(row, group)]] : [],
  );
  return {
    x_ModelId: withoutDate(textIn(row, "model")),
    x_ModelVersion: textIn(row, "model"),
    x_ProjectId: textIn(row, "project_id"),
    x_ApiKeyId: textIn(row, "api_key_id"),
    x_ServiceTier: textIn(row, "service_tier"),
    x_WorkloadType: batch === null ? null : batch === "true" ? "batch" : "interactive",
    ...Object.fromEntries(extra),
  };
}
