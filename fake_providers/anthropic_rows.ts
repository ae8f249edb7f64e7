/** Rows of Anthropic's analytics reports, in the types of the package `@anthropic-ai/sdk`. */
import type {
  BetaAnalyticsCostGroup,
  BetaAnalyticsCostItem,
} from "@anthropic-ai/sdk/resources/beta/organization/analytics/cost";
import type {
  BetaAnalyticsUsageGroup,
  BetaAnalyticsUsageItem,
} from "@anthropic-ai/sdk/resources/beta/organization/analytics/usage";
import { formatInstant } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import type { Group } from "./facts.ts";
import { decimal, MONEY_SCALE } from "./facts.ts";
import { exactNumber } from "./fake.ts";

/** Digits after the point of an amount in cents. */
const CENTS_SCALE = MONEY_SCALE - 2;

/** Tokens of cache writes of a third duration, in each row of an account for `verify` that shows this duration. */
const THIRD_WRITE = 7n;

/**
 * A row of usage; `end` is the end of its bucket.
 *
 * @param third whether cache writes of a third duration are shown beside the others, or inside of them; absent if there are none
 */
export function usageItem(
  group: Group,
  end: Instant,
  third?: "beside" | "inside",
): BetaAnalyticsUsageItem {
  const count = (name: string): number => exactNumber(String(group.metrics[name] ?? 0n));
  const total = Object.entries(group.metrics)
    .filter(([name]) => name.endsWith("_tokens"))
    .reduce((sum, [, value]) => sum + value, third === "beside" ? THIRD_WRITE : 0n);
  const more =
    third === undefined ? {} : { ephemeral_12h_input_tokens: exactNumber(String(THIRD_WRITE)) };
  return {
    starting_at: formatInstant(group.bucket),
    ending_at: formatInstant(end),
    group: usageGroup(group),
    usage: {
      uncached_input_tokens: count("uncached_input_tokens"),
      output_tokens: count("output_tokens"),
      cache_read_input_tokens: count("cache_read_input_tokens"),
      cache_creation: {
        ephemeral_5m_input_tokens: count("ephemeral_5m_input_tokens"),
        ephemeral_1h_input_tokens: count("ephemeral_1h_input_tokens"),
        ...more,
      },
      server_tool_use: { web_search_requests: count("web_search_requests") },
      requests: count("requests"),
      total_tokens: exactNumber(String(total)),
    },
  };
}

/** A row of costs, in fractional cents, or in dollars where an account for `verify` has them. */
export function costItem(group: Group, end: Instant, isInDollars = false): BetaAnalyticsCostItem {
  const amount = group.metrics["amount"] ?? 0n;
  const { cost_type: costType, token_type: tokenType } = group.dimensions;
  return {
    starting_at: formatInstant(group.bucket),
    ending_at: formatInstant(end),
    group: {
      ...usageGroup(group),
      cost_type: one(costType, ["code_execution", "session_usage", "tokens", "web_search"]),
      token_type: one(tokenType, [
        "cache_creation.ephemeral_1h_input_tokens",
        "cache_creation.ephemeral_5m_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
        "uncached_input_tokens",
      ]),
    } satisfies BetaAnalyticsCostGroup,
    cost: {
      amount: decimal(amount, isInDollars ? MONEY_SCALE : CENTS_SCALE),
      list_amount: decimal((amount * 5n) / 4n, CENTS_SCALE),
      currency: "USD",
      requests:
        costType === undefined ? exactNumber(String(group.metrics["requests"] ?? 0n)) : null,
    },
  };
}

function usageGroup({ dimensions }: Group): BetaAnalyticsUsageGroup {
  const text = (name: string): string | null => dimensions[name] ?? null;
  return {
    actor: null,
    actor_type: null,
    agent_id: text("agent_id"),
    api_key_id: text("api_key_id"),
    claude_tag_category: null,
    claude_tag_user_id: text("claude_tag_user_id"),
    context_window: one(dimensions["context_window"], ["0-200k", "200k-1M"]),
    deployment_id: text("deployment_id"),
    environment_id: text("environment_id"),
    inference_geo: one(dimensions["inference_geo"], ["global", "us"]),
    model: text("model"),
    organization_id: text("organization_id"),
    product: text("product"),
    rbac_group_id: text("rbac_group_id"),
    service_tier: one(dimensions["service_tier"], [
      ...(["batch", "flex", "flex_discount", "priority"] as const),
      ...(["priority_on_demand", "standard"] as const),
    ]),
    session_id: text("session_id"),
    slack_channel_id: text("slack_channel_id"),
    speed: null,
    user_profile_id: text("user_profile_id"),
    workspace_id: text("workspace_id"),
  };
}

function one<Value extends string>(
  value: string | null | undefined,
  values: readonly Value[],
): Value | null {
  return values.find((known) => known === value) ?? null;
}
