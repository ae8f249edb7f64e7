/** The usage and costs of an Anthropic organization. Every amount and id is invented. */
import type { Instant } from "../reference_provider/instants.ts";
import type { DayMaker, Draw, Fact, Total } from "./facts.ts";
import { MONEY_SCALE, Totals } from "./facts.ts";

const MODELS = ["claude-opus-5-5", "claude-sonnet-5", "claude-haiku-5"] as const;

/** Token types of costs, by the metric of usage that they charge for. */
const TOKEN_TYPES = {
  uncached_input_tokens: "uncached_input_tokens",
  output_tokens: "output_tokens",
  cache_read_input_tokens: "cache_read_input_tokens",
  ephemeral_5m_input_tokens: "cache_creation.ephemeral_5m_input_tokens",
  ephemeral_1h_input_tokens: "cache_creation.ephemeral_1h_input_tokens",
} as const;

/** Usage types in the words of the interface. */
const USAGE_TYPES: Readonly<Record<string, string>> = {
  uncached_input_tokens: "input_tokens",
  output_tokens: "output_tokens",
  cache_read_input_tokens: "cache_read_tokens",
  ephemeral_5m_input_tokens: "cache_write_5m_tokens",
  ephemeral_1h_input_tokens: "cache_write_1h_tokens",
  web_search_requests: "x_web_search_requests",
  requests: "requests",
};

/** Facts of the reports `usage` and `costs`. */
export const factsOfDay: DayMaker = (day, draw) => [
  ...Array.from({ length: draw.int(3, 10) }, () => tokens(day, draw)).flat(),
  ...(draw.chance(0.5) ? [codeExecution(day, draw)] : []),
  ...(draw.chance(0.3) ? [sessions(day, draw)] : []),
];

/** Facts of so many groups, each with usage and two kinds of cost. */
export function groupsOfDay(groups: number): DayMaker {
  return (day, draw) =>
    Array.from({ length: groups }, (_, index): Fact[] => {
      const dimensions = {
        ...place(draw),
        api_key_id: `apikey_${index}`,
        model: draw.pick(MODELS),
        service_tier: "standard",
      };
      const [input, output] = [draw.int(1, 3_000_000), draw.int(1, 90_000)].map(BigInt);
      const metrics = { uncached_input_tokens: input ?? 0n, output_tokens: output ?? 0n };
      const when = { at: day, visibleFrom: day };
      const charge = (token: string, amount: bigint): Fact => ({
        report: "costs",
        ...when,
        dimensions: { ...dimensions, cost_type: "tokens", token_type: token },
        metrics: { amount, requests: 0n },
      });
      return [
        { report: "usage", ...when, dimensions, metrics },
        charge("uncached_input_tokens", (input ?? 0n) * 3_000_001n),
        charge("output_tokens", (output ?? 0n) * 15_000_007n),
      ];
    }).flat();
}

function place(draw: Draw) {
  return {
    workspace_id: draw.pick(["wrkspc_research", "wrkspc_support", "wrkspc_default"]),
    api_key_id: draw.pick(["apikey_a1", "apikey_b2", null]),
    product: draw.pick(["claude_code", "chat", "api", null]),
    inference_geo: draw.pick(["us", "global", null]),
    context_window: draw.pick(["0-200k", "200k-1M"]),
  };
}

function tokens(day: Instant, draw: Draw): Fact[] {
  const when = draw.when(day);
  const dimensions = {
    ...place(draw),
    model: draw.pick(MODELS),
    service_tier: draw.pick(["standard", "batch", "priority"]),
  };
  const used = Object.keys(TOKEN_TYPES).map(
    (name) => [name, BigInt(draw.chance(0.3) ? 0 : draw.int(1, 3_000_000))] as const,
  );
  const searches = BigInt(draw.chance(0.2) ? draw.int(1, 40) : 0);
  const metrics: Record<string, bigint> = {
    ...Object.fromEntries(used),
    web_search_requests: searches,
    requests: BigInt(draw.int(1, 900)),
  };
  const charge = (costType: string, tokenType: string | null, amount: bigint): Fact => ({
    report: "costs",
    ...when,
    dimensions: { ...dimensions, cost_type: costType, token_type: tokenType },
    metrics: { amount, requests: 0n },
  });
  const charges = Object.entries(TOKEN_TYPES).flatMap(([name, tokenType]) => {
    const quantity = metrics[name] ?? 0n;
    return quantity === 0n
      ? []
      : [charge("tokens", tokenType, quantity * BigInt(draw.int(1, 75_000_003)))];
  });
  if (searches > 0n) charges.push(charge("web_search", null, searches * 10_000_000_000n));
  return [{ report: "usage", ...when, dimensions, metrics }, ...charges];
}

/** A cost without a model. The older usage report has no code execution; the analytics one counts its spans as requests. */
function codeExecution(day: Instant, draw: Draw): Fact {
  return {
    report: "costs",
    ...draw.when(day),
    dimensions: {
      ...place(draw),
      product: null,
      model: null,
      service_tier: null,
      context_window: null,
      cost_type: "code_execution",
      token_type: null,
    },
    metrics: { amount: BigInt(draw.int(1, 2 ** 31)) * 5n },
  };
}

function sessions(day: Instant, draw: Draw): Fact {
  const fact = codeExecution(day, draw);
  return { ...fact, dimensions: { ...fact.dimensions, cost_type: "session_usage" } };
}

/** Whether the older cost report shows a fact: no priority tier, no managed sessions. */
export function isInOlderCosts({ report, dimensions }: Fact): boolean {
  const { service_tier: tier, cost_type: type } = dimensions;
  return report === "costs" && tier !== "priority" && type !== "session_usage";
}

/** The sums of usage by day, model and usage type. */
export function usageTotals(facts: Iterable<Fact>, withRequests: boolean): Total[] {
  const totals = new Totals();
  for (const { report, at, dimensions, metrics } of facts) {
    if (report !== "usage") continue;
    for (const [name, value] of Object.entries(metrics)) {
      const meter = USAGE_TYPES[name];
      if (meter === undefined || (meter === "requests" && !withRequests)) continue;
      totals.add(at, dimensions["model"] ?? null, meter, value);
    }
  }
  return totals.list();
}

/** The sums of costs by day, model and currency, in dollars. */
export function costTotals(facts: Iterable<Fact>): Total[] {
  const totals = new Totals();
  for (const { report, at, dimensions, metrics } of facts) {
    if (report === "costs")
      totals.add(at, dimensions["model"] ?? null, "USD", metrics["amount"] ?? 0n, MONEY_SCALE);
  }
  return totals.list();
}
