/**
 * A fake of Anthropic's older Admin API (`usage_report/messages`, `cost_report`), which the package does not type; its
 * shapes are those of the API reference: whole buckets to a page, costs by workspace and description.
 */
import { DAY, formatInstant, HOUR, parseInstant } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import { isInOlderCosts } from "./anthropic_facts.ts";
import type { Facts, Group } from "./facts.ts";
import { decimal, grouped, MONEY_SCALE } from "./facts.ts";
import type { FakeRequest } from "./fake.ts";
import { checkList, exactNumber, listOf, placeOf, Refusal, tokenOf, wholeOf } from "./fake.ts";

interface Page {
  readonly data: readonly {
    readonly starting_at: string;
    readonly ending_at: string;
    readonly results: readonly unknown[];
  }[];
  readonly has_more: boolean;
  readonly next_page: string | null;
}

const USAGE_GROUPS = ["api_key_id", "workspace_id", "model", "service_tier", "context_window"];
const COST_GROUPS = ["workspace_id", "description"];

/** The dimensions that a cost's description comes with. */
const DESCRIBED = ["model", "cost_type", "token_type", "service_tier", "context_window"];

/** Answers a request to the older API. `takesNewer`: a newer version has the same shapes (ANT-13). */
export function olderPage(
  facts: Facts,
  request: FakeRequest,
  now: Instant,
  takesNewer: boolean,
): Page {
  const { path, query, headers } = request;
  if (headers["anthropic-version"] !== "2023-06-01" && !takesNewer)
    throw new Refusal(400, "anthropic-version: this fake has the shapes of 2023-06-01 only");
  const isCost = path === "/v1/organizations/cost_report";
  if (!isCost && path !== "/v1/organizations/usage_report/messages")
    throw new Refusal(404, "Not found");
  const names = listOf(query, "group_by");
  checkList("group_by", names, isCost ? COST_GROUPS : USAGE_GROUPS);
  const widthName = query.get("bucket_width") ?? "1d";
  checkList("bucket_width", [widthName], isCost ? ["1d"] : ["1d", "1h"]);
  const width = widthName === "1h" ? HOUR : DAY;
  const limit = wholeOf(query, "limit", [1, width === HOUR ? 168 : 31], width === HOUR ? 24 : 7);
  const from = parseInstant(query.get("starting_at") ?? "");
  if (from === undefined) throw new Refusal(400, "starting_at: must be an RFC 3339 instant");
  const end = parseInstant(query.get("ending_at") ?? formatInstant(now));
  if (end === undefined || end <= from)
    throw new Refusal(400, "ending_at: must be after starting_at");
  const floor = (at: Instant): Instant => Math.floor(at / width) * width;
  const start = Math.max(floor(from), placeOf(path, query));
  const stop = Math.min(start + limit * width, Math.ceil(end / width) * width);
  const shown = [...facts.between(start, stop, now)].filter((fact) =>
    isCost ? isInOlderCosts(fact) : fact.report === "usage",
  );
  const asked = names.flatMap((name) => (name === "description" ? DESCRIBED : [name]));
  const groups = grouped(shown, floor, asked);
  const buckets = Array.from(
    { length: (stop - start) / width },
    (_, index) => start + index * width,
  );
  const hasMore = stop < end;
  return {
    data: buckets.map((at) => ({
      starting_at: formatInstant(at),
      ending_at: formatInstant(at + width),
      results: groups
        .filter(({ bucket }) => bucket === at)
        .map((group) => (isCost ? costRow(group) : usageRow(group))),
    })),
    has_more: hasMore,
    next_page: hasMore ? tokenOf(path, query, stop) : null,
  };
}

/** The default workspace has no id in the older reports. */
function workspaceOf({ dimensions }: Group): string | null {
  const workspace = dimensions["workspace_id"] ?? null;
  return workspace === "wrkspc_default" ? null : workspace;
}

function usageRow(group: Group) {
  const count = (name: string): number => exactNumber(String(group.metrics[name] ?? 0n));
  const { dimensions } = group;
  return {
    uncached_input_tokens: count("uncached_input_tokens"),
    cache_creation: {
      ephemeral_1h_input_tokens: count("ephemeral_1h_input_tokens"),
      ephemeral_5m_input_tokens: count("ephemeral_5m_input_tokens"),
    },
    cache_read_input_tokens: count("cache_read_input_tokens"),
    output_tokens: count("output_tokens"),
    server_tool_use: { web_search_requests: count("web_search_requests") },
    api_key_id: dimensions["api_key_id"] ?? null,
    workspace_id: workspaceOf(group),
    model: dimensions["model"] ?? null,
    service_tier: dimensions["service_tier"] ?? null,
    context_window: dimensions["context_window"] ?? null,
  };
}

function costRow(group: Group) {
  const { dimensions } = group;
  const text = (name: string): string | null => dimensions[name] ?? null;
  const said = [text("model"), text("cost_type"), text("token_type")].filter(
    (part) => part !== null,
  );
  return {
    currency: "USD",
    amount: decimal(group.metrics["amount"] ?? 0n, MONEY_SCALE - 2),
    workspace_id: workspaceOf(group),
    description: said.length === 0 ? null : said.join(" "),
    cost_type: text("cost_type"),
    context_window: text("context_window"),
    model: text("model"),
    service_tier: text("service_tier"),
    token_type: text("token_type"),
    inference_geo: null,
  };
}
