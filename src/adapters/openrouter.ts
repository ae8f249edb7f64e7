/**
 * OpenRouter: the activity of completed UTC days, both usage and costs (`ActivityItem` of the npm package
 * `@openrouter/sdk`).
 */
import { DAY, floorTo, formatDay, parseDate } from "../core/time.ts";
import { isDecimal } from "../core/decimal.ts";
import { decimalOf, type JsonObject } from "./exact.ts";
import { quantityIn, usageDrafts } from "./meters.ts";
import { byOffset } from "./names.ts";
import type {
  Draft,
  NameList,
  Place,
  ProviderReports,
  Query,
  Report,
  ReportPage,
} from "./report.ts";
import { bucketStart, having, isObject, judgeStart, objectsIn, textIn } from "./shape.ts";

/** The last 30 completed days: with the day that is not over, 31. */
const RETENTION_DAYS = 31;

/** Two endpoints of one provider may serve one model: without `endpoint_id` their ids would collide. */
export const IDENTITY = [
  "workspace_id",
  "model_permaslug",
  "model",
  "provider_name",
  "endpoint_id",
];

const DIMENSIONS = ["model", "workspace", "upstream_provider"];

/** Names of workspaces and of their API keys, whose id is a hash. The `label` of a key is a part of its secret, and is not read. */
const NAMES: readonly NameList[] = [
  {
    label: "workspace",
    title: "workspaces",
    request: (after) => ({
      path: "/v1/workspaces",
      parameters: [
        ["limit", "100"],
        ["offset", after ?? "0"],
      ],
    }),
    read: byOffset.reader("id", () => false),
  },
  {
    label: "api_key",
    title: "API keys",
    of: "workspace",
    request: (after, workspace) => ({
      path: "/v1/keys",
      parameters: [
        ["include_disabled", "true"],
        ["workspace_id", workspace],
        ["offset", after ?? "0"],
      ],
    }),
    read: byOffset.reader("hash", (row) => textIn(row, "disabled") === "true"),
  },
];

export const openrouter: ProviderReports = {
  title: "OpenRouter",
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  // Credits are paid beforehand: there is no month to be settled, and a day is charged once it is over.
  finalAfter: "day",
  names: NAMES,
  remark: "The fee on deposits (about 5 %) is in no report.",
  control: {
    request: { path: "/v1/credits", parameters: [] },
    sentence: ({ data }) => {
      // Nothing depends on the total, so an answer of another shape is no error.
      const used = isObject(data) ? data["total_usage"] : undefined;
      const dollars = typeof used === "string" && used.length <= 40 ? decimalOf(used) : "";
      return isDecimal(dollars) ? `The account has used ${dollars} dollars of credits in all.` : "";
    },
  },
  apis: [
    {
      name: "",
      title: "the activity API",
      probe: (now) => requestOf(floorTo(DAY, now) - 2 * DAY),
      usage: [report("usage", usageOf)],
      costs: [report("costs", (row, start) => [costOf(row, start)])],
      granularities: ["1d"],
      retentionDays: () => RETENTION_DAYS,
      maximumWindowDays: 31,
      dimensions: { usage: DIMENSIONS, costs: DIMENSIONS },
    },
  ],
};

function report(
  name: string,
  draftsOf: (row: JsonObject, start: number) => readonly Draft[],
): Report {
  return {
    name,
    pages: "buckets",
    sizes: () => ({ first: 1, most: 1 }),
    request: ({ start }) => requestOf(start),
    read: (body, { start }, query) => pageOf(body, start, query, draftsOf),
    // Days that are not over are refused: there is nothing of them yet.
    isBeyond: (start, now) => start >= floorTo(DAY, now),
  };
}

function requestOf(day: Place["start"]) {
  const parameters: [string, string][] = [
    ["date", formatDay(day)],
    ["group_by", "workspace"],
  ];
  return { path: "/v1/activity", parameters };
}

function pageOf(
  body: JsonObject,
  day: number,
  { end }: Query,
  draftsOf: (row: JsonObject, start: number) => readonly Draft[],
): ReportPage {
  const drafts = objectsIn(body, "data").flatMap((row) => {
    const start = bucketStart(parseDate((textIn(row, "date") ?? "").slice(0, 10)), DAY);
    const at = judgeStart(start, day, { end: day + DAY });
    return draftsOf(row, at).map((draft) => ({ ...draft, row }));
  });
  return { drafts, next: day + DAY < end ? { start: day + DAY, page: null } : null };
}

/** Reasoning tokens lie inside the completion's. */
function usageOf(row: JsonObject, start: number): Draft[] {
  const tokens = (usageType: string, name: string, member: string) => ({
    usageType,
    name,
    unit: "Tokens",
    quantity: quantityIn(row, member),
  });
  having(row, ["prompt_tokens", "completion_tokens"]);
  return usageDrafts(start, identityOf(row), membersOf(row), [
    tokens("input_tokens", "Input Tokens", "prompt_tokens"),
    tokens("output_tokens", "Output Tokens", "completion_tokens"),
    {
      usageType: "requests",
      name: "Requests",
      unit: "Requests",
      quantity: quantityIn(row, "requests"),
    },
  ]);
}

/** Credits spent. The cost of a request with the user's own key is not included, because the key's provider bills it. */
function costOf(row: JsonObject, start: number): Draft {
  const usage = textIn(row, "usage");
  const cost = usage === null ? null : decimalOf(usage);
  const own = quantityIn(row, "byok_usage_inference");
  return {
    start,
    identity: identityOf(row),
    members: {
      ...membersOf(row),
      SkuMeter: null,
      ChargeDescription: [textIn(row, "model_permaslug"), textIn(row, "provider_name")]
        .filter((part) => part !== null)
        .join(", "),
      BillingCurrency: "USD",
    },
    sums: {
      ...(cost === null ? {} : { BilledCost: cost, EffectiveCost: cost }),
      ...(own === null ? {} : { x_OwnKeyCost: own }),
    },
  };
}

function identityOf(row: JsonObject): (string | null)[] {
  return IDENTITY.map((name) => textIn(row, name));
}

function membersOf(row: JsonObject): Draft["members"] {
  const model = textIn(row, "model_permaslug") ?? textIn(row, "model");
  return {
    ServiceName: "OpenRouter API",
    SkuId: model,
    x_ModelId: model,
    x_WorkspaceId: textIn(row, "workspace_id"),
    x_UpstreamProvider: textIn(row, "provider_name"),
    x_EndpointId: textIn(row, "endpoint_id"),
  };
}
