/** Rows of OpenAI's reports, each in the type that the package `openai` gives it. */
import type {
  UsageCompletionsResponse,
  UsageDecisionsResponse,
} from "openai/resources/admin/organization/usage";
import type { Group } from "./facts.ts";
import { decimal, MONEY_SCALE, scientific } from "./facts.ts";
import { exactNumber } from "./fake.ts";
import { NEWER_MEMBERS } from "./openai_facts.ts";

type Data = UsageCompletionsResponse.Data;
type Rows = Data["results"][number];

/** A row of any report; the package types those of decisions apart from all others. */
export type Row = Rows | UsageDecisionsResponse.Data.Result;

type RowOf<Name extends string> = Extract<Rows, { object: `organization.${Name}.result` }>;

/** Makes the row of a group, by report. */
export const ROWS: Readonly<Record<string, (group: Group) => Row>> = {
  completions: (group): RowOf<"usage.completions"> => ({
    object: "organization.usage.completions.result",
    ...tokens(group),
  }),
  decisions: (group): UsageDecisionsResponse.Data.Result => ({
    object: "organization.usage.decisions.result",
    ...tokens(group),
  }),
  embeddings: (group): RowOf<"usage.embeddings"> => ({
    object: "organization.usage.embeddings.result",
    input_tokens: count(group, "input_tokens"),
    num_model_requests: count(group, "num_model_requests"),
    ...place(group),
  }),
  moderations: (group): RowOf<"usage.moderations"> => ({
    object: "organization.usage.moderations.result",
    input_tokens: count(group, "input_tokens"),
    num_model_requests: count(group, "num_model_requests"),
    ...place(group),
  }),
  images: (group): RowOf<"usage.images"> => ({
    object: "organization.usage.images.result",
    images: count(group, "images"),
    num_model_requests: count(group, "num_model_requests"),
    ...place(group),
    size: group.dimensions["size"] ?? null,
    source: group.dimensions["source"] ?? null,
  }),
  audio_speeches: (group): RowOf<"usage.audio_speeches"> => ({
    object: "organization.usage.audio_speeches.result",
    characters: count(group, "characters"),
    num_model_requests: count(group, "num_model_requests"),
    ...place(group),
  }),
  audio_transcriptions: (group): RowOf<"usage.audio_transcriptions"> => ({
    object: "organization.usage.audio_transcriptions.result",
    seconds: count(group, "seconds"),
    num_model_requests: count(group, "num_model_requests"),
    ...place(group),
  }),
  vector_stores: (group): RowOf<"usage.vector_stores"> => ({
    object: "organization.usage.vector_stores.result",
    usage_bytes: count(group, "usage_bytes"),
    project_id: group.dimensions["project_id"] ?? null,
  }),
  code_interpreter_sessions: (group): RowOf<"usage.code_interpreter_sessions"> => ({
    object: "organization.usage.code_interpreter_sessions.result",
    num_sessions: count(group, "num_sessions"),
    project_id: group.dimensions["project_id"] ?? null,
  }),
  file_search_calls: (group): RowOf<"usage.file_searches"> => ({
    object: "organization.usage.file_searches.result",
    num_requests: count(group, "num_requests"),
    project_id: group.dimensions["project_id"] ?? null,
    api_key_id: group.dimensions["api_key_id"] ?? null,
    user_id: group.dimensions["user_id"] ?? null,
    vector_store_id: group.dimensions["vector_store_id"] ?? null,
  }),
  web_search_calls: (group): RowOf<"usage.web_searches"> => ({
    object: "organization.usage.web_searches.result",
    num_requests: count(group, "num_requests"),
    num_model_requests: count(group, "num_model_requests"),
    ...place(group),
    context_level: group.dimensions["context_level"] ?? null,
    api_source: sourceOf(group),
  }),
  costs: (group): RowOf<"costs"> => ({
    object: "organization.costs.result",
    amount: { value: amountOf(group), currency: "usd" },
    line_item: group.dimensions["line_item"] ?? null,
    project_id: group.dimensions["project_id"] ?? null,
    api_key_id: group.dimensions["api_key_id"] ?? null,
    api_source: sourceOf(group),
    ...("line_item" in group.dimensions
      ? { quantity: count(group, "quantity"), quantity_unit: "tokens" }
      : { quantity: null, quantity_unit: null }),
  }),
};

function count({ metrics }: Group, name: string): number {
  return exactNumber(String(metrics[name] ?? 0n));
}

function place({ dimensions }: Group) {
  return {
    model: dimensions["model"] ?? null,
    project_id: dimensions["project_id"] ?? null,
    api_key_id: dimensions["api_key_id"] ?? null,
    user_id: dimensions["user_id"] ?? null,
  };
}

function sourceOf({ dimensions }: Group): "agents_api" | "unlabeled" | null {
  const source = dimensions["api_source"] ?? null;
  return source === "agents_api" || source === "unlabeled" ? source : null;
}

/** The members of a row of tokens. Some contain others, as in the API. */
function tokens(group: Group) {
  const part = (name: string): bigint => group.metrics[name] ?? 0n;
  const number = (...names: string[]): number =>
    exactNumber(String(names.reduce((sum, name) => sum + part(name), 0n)));
  const { batch } = group.dimensions;
  const writes = ["write_30m", "write_12h"];
  const cached = ["cached_text", "cached_audio"];
  const uncached = ["uncached_text", "uncached_image", "uncached_audio"];
  const newer =
    group.bucket < NEWER_MEMBERS
      ? {}
      : {
          input_uncached_tokens: number(...uncached),
          input_text_tokens: number("uncached_text"),
          input_image_tokens: number("uncached_image"),
          input_cached_text_tokens: number("cached_text"),
          input_cached_audio_tokens: number("cached_audio"),
          output_text_tokens: number("output_text"),
          output_image_tokens: number("output_image"),
        };
  return {
    input_tokens: number(...uncached, ...cached, ...writes),
    input_cached_tokens: number(...cached),
    input_audio_tokens: number("uncached_audio"),
    input_cache_write_tokens: number(...writes),
    input_cache_write_30m_tokens: number("write_30m"),
    input_cache_write_12h_tokens: number("write_12h"),
    output_tokens: number("output_text", "output_image", "output_audio"),
    output_audio_tokens: number("output_audio"),
    num_model_requests: number("requests"),
    ...newer,
    ...place(group),
    batch: batch === undefined || batch === null ? null : batch === "true",
    service_tier: group.dimensions["service_tier"] ?? null,
    api_source: sourceOf(group),
  };
}

/**
 * The amount as a number, small ones with an exponent, and one in three as a text: the schema says number, and both were
 * seen live (issue threads).
 */
function amountOf({ metrics }: Group): number {
  const amount = metrics["amount"] ?? 0n;
  // A zero as it was written in 2026.
  if (amount === 0n) return exactNumber('"0E-6176"');
  return amount % 3n === 0n
    ? exactNumber(`"${decimal(amount, MONEY_SCALE)}"`)
    : exactNumber(scientific(amount, MONEY_SCALE));
}
