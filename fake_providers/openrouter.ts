/**
 * A fake of OpenRouter's activity API: one UTC day of the last 30 completed ones, no pages. The wire's names are those that
 * the package `@openrouter/sdk` reads (ActivityItem$inboundSchema).
 */
import type { ActivityItem } from "@openrouter/sdk/models";
import { DAY, formatDay, MINUTE } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import { contradicting } from "./contradictions.ts";
import type { DayMaker, Draw, Fact, Group, Total } from "./facts.ts";
import { Facts, grouped, MONEY_SCALE, scientific, Totals } from "./facts.ts";
import type { Api, FakeOptions, FakeRequest } from "./fake.ts";
import { checkList, exactNumber, Refusal } from "./fake.ts";
import { openRouterList, openRouterNames, type Snake } from "./openrouter_names.ts";

/** A row on the wire: the members of the package's ActivityItem, in the wire's spelling. */
type Row = { [Name in keyof ActivityItem as Snake<Name>]: ActivityItem[Name] };

/** A completed day shows up this long after midnight. */
const READY = 30 * MINUTE;

/** Two endpoints of one provider serve the same model: only their ids tell their rows apart. */
const ENDPOINTS = [
  ["openai/gpt-5", "openai/gpt-5-2026-02-01", "OpenAI", "endpoint-0001"],
  ["anthropic/claude-opus-5-5", "anthropic/claude-5.5-opus-20260801", "Anthropic", "endpoint-0002"],
  ["anthropic/claude-opus-5-5", "anthropic/claude-5.5-opus-20260801", "Google", "endpoint-0003"],
  ["deepseek/deepseek-v4", "deepseek/deepseek-v4", "DeepInfra", "endpoint-0004"],
  ["deepseek/deepseek-v4", "deepseek/deepseek-v4", "DeepInfra", "endpoint-0005"],
] as const;

const NAMES = ["model", "model_permaslug", "provider_name", "endpoint_id"] as const;

export function createOpenRouter({ seed, contradicts }: FakeOptions): Api {
  const facts = new Facts(contradicting(contradicts, factsOfDay, "endpoint_id"), seed);
  const isTwice = contradicts === "ORT-03";
  const names = openRouterNames(contradicts);
  return {
    names,
    basePath: "/api",
    key: "sk-or-v1-fake-management-0123456789",
    keyOf: ({ headers }) => headers["authorization"]?.replace(/^Bearer /, ""),
    answer: (request, now) =>
      request.path === "/v1/credits"
        ? { data: { total_credits: 1000, total_usage: exactNumber("12.5") } }
        : (openRouterList(names, request, contradicts) ?? {
            data: rows(facts, request, now).flatMap((row) => (isTwice ? [row, row] : [row])),
          }),
    errorBody: (status, message) => ({ error: { code: status, message } }),
    totals: (start, end, now) => totalsOf(facts.between(start, Math.min(end, completed(now)), now)),
  };
}

const factsOfDay: DayMaker = (day, draw) =>
  Array.from({ length: draw.int(2, 9) }, () => fact(day, draw));

function fact(day: Instant, draw: Draw): Fact {
  const [model, permaslug, provider, endpoint] = draw.pick(ENDPOINTS);
  const completion = draw.int(0, 900_000);
  return {
    report: "activity",
    at: day,
    visibleFrom: draw.chance(0.1) ? day + 2 * DAY : day,
    dimensions: {
      model,
      model_permaslug: permaslug,
      provider_name: provider,
      endpoint_id: endpoint,
      workspace_id: draw.pick(["0b1f-research", "0b1f-support"]),
    },
    metrics: {
      prompt_tokens: BigInt(draw.int(1, 5_000_000)),
      completion_tokens: BigInt(completion),
      reasoning_tokens: BigInt(Math.floor(completion / 3)),
      requests: BigInt(draw.int(1, 2000)),
      usage: BigInt(draw.chance(0.2) ? draw.int(1, 20_000_000) : draw.int(1, 2 ** 31) * 113),
      byok_usage_inference: BigInt(draw.chance(0.3) ? draw.int(1, 2 ** 31) : 0),
    },
  };
}

/** End (exclusive) of the days that are shown. */
function completed(now: Instant): Instant {
  return Math.floor((now - READY) / DAY) * DAY;
}

function rows(facts: Facts, { path, query }: FakeRequest, now: Instant): Row[] {
  if (path !== "/v1/activity") throw new Refusal(404, "Not found");
  const group = query.get("group_by");
  if (group !== null) checkList("group_by", [group], ["workspace"]);
  const names = group === null ? NAMES : [...NAMES, "workspace_id"];
  const today = Math.floor(now / DAY) * DAY;
  const [first, end] = rangeOf(query.get("date"), today);
  const shown = facts.between(first, Math.min(end, completed(now)), now);
  return grouped(shown, (at) => at, names).map(rowOf);
}

function rangeOf(date: string | null, today: Instant): [Instant, Instant] {
  if (date === null) return [today - 30 * DAY, today];
  const day = Date.parse(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(day))
    throw new Refusal(400, "Date must be in YYYY-MM-DD format");
  if (day < today - 30 * DAY || day >= today)
    throw new Refusal(400, "Date must be within the last 30 (completed) UTC days");
  return [day, day + DAY];
}

function rowOf({ bucket, dimensions, metrics }: Group): Row {
  const text = (name: string): string => dimensions[name] ?? "";
  const count = (name: string): number => exactNumber(String(metrics[name] ?? 0n));
  const money = (name: string): number => exactNumber(scientific(metrics[name] ?? 0n, MONEY_SCALE));
  return {
    date: formatDay(bucket),
    model: text("model"),
    model_permaslug: text("model_permaslug"),
    provider_name: text("provider_name"),
    endpoint_id: text("endpoint_id"),
    prompt_tokens: count("prompt_tokens"),
    completion_tokens: count("completion_tokens"),
    reasoning_tokens: count("reasoning_tokens"),
    requests: count("requests"),
    usage: money("usage"),
    byok_usage_inference: money("byok_usage_inference"),
    ...("workspace_id" in dimensions ? { workspace_id: text("workspace_id") } : {}),
  };
}

function totalsOf(facts: Iterable<Fact>): { usage: Total[]; costs: Total[] } {
  const [usage, costs] = [new Totals(), new Totals()];
  for (const { at, dimensions, metrics } of facts) {
    const model = dimensions["model_permaslug"] ?? null;
    usage.add(at, model, "input_tokens", metrics["prompt_tokens"] ?? 0n);
    usage.add(at, model, "output_tokens", metrics["completion_tokens"] ?? 0n);
    usage.add(at, model, "requests", metrics["requests"] ?? 0n);
    costs.add(at, model, "USD", metrics["usage"] ?? 0n, MONEY_SCALE);
  }
  return { usage: usage.list(), costs: costs.list() };
}
