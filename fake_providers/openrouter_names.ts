/** A fake of OpenRouter's workspaces and API keys, in the wire's names of the types of `@openrouter/sdk` (Workspace, ListData). */
import type { Workspace } from "@openrouter/sdk/models";
import type { ListData } from "@openrouter/sdk/models/operations";
import type { Contradicted } from "./contradictions.ts";
import type { FakeRequest } from "./fake.ts";
import { wholeOf } from "./fake.ts";
import { type Named, Names } from "./names.ts";

/** `promptTokens` as the wire has it: `prompt_tokens`. */
export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Snake<Rest>}`
    : `_${Lowercase<First>}${Snake<Rest>}`
  : Name;

type Wire<Item> = { [Name in keyof Item as Snake<Name & string>]: Item[Name] };

interface Page {
  readonly data: readonly (Wire<Workspace> | Wire<ListData>)[];
  readonly total_count?: number;
}

const CREATED = "2025-01-01T00:00:00Z";

/** The keys of a page; fewer in an account that contradicts NAM-05. */
const PAGE = 100;
const SHORT_PAGE = 40;

/** Keys of the account for `verify`: more than a page. */
const MANY: readonly Named[] = Array.from({ length: PAGE + SHORT_PAGE }, (_, index) => ({
  id: String(index).padStart(64, "0"),
  kind: "key",
  parent: "0b1f-research",
  name: `Batch job ${index}`,
}));

/** Two workspaces have one name; a key is disabled. */
export const openRouterNames = (contradicted: Contradicted): Names =>
  new Names([
    ...(contradicted === undefined ? [] : MANY),
    { id: "0b1f-research", kind: "workspace", name: "Team" },
    { id: "0b1f-support", kind: "workspace", name: "Team" },
    { id: "a1".repeat(32), kind: "key", parent: "0b1f-research", name: "ci" },
    { id: "b2".repeat(32), kind: "key", parent: "0b1f-support", name: "Bot", isArchived: true },
  ]);

/** The answer to a request for a list; undefined if the path names no list. */
export function openRouterList(
  names: Names,
  { path, query }: FakeRequest,
  contradicted: Contradicted,
): Page | undefined {
  const from = wholeOf(query, "offset", [0, 1e6], 0);
  if (path === "/v1/workspaces") {
    const all = names.of("workspace");
    const part = all.slice(from, from + wholeOf(query, "limit", [1, 100], 50));
    return { data: part.map(workspaceOf), total_count: all.length };
  }
  if (path !== "/v1/keys") return undefined;
  const keys = names
    .of("key", query.get("workspace_id") ?? "0b1f-research")
    .filter(({ isArchived }) => query.get("include_disabled") === "true" || isArchived !== true);
  return {
    data: keys.slice(from, from + (contradicted === "NAM-05" ? SHORT_PAGE : PAGE)).map(keyOf),
  };
}

function workspaceOf({ id, name }: Named): Wire<Workspace> {
  return {
    id,
    name,
    slug: name.toLowerCase(),
    description: null,
    created_at: CREATED,
    created_by: "user_jane",
    updated_at: null,
    default_guardrail_id: "00000000-0000-0000-0000-000000000000",
    default_image_model: null,
    default_provider_sort: null,
    default_text_model: null,
    io_logging_api_key_ids: null,
    io_logging_sampling_rate: 1,
    is_data_discount_logging_enabled: false,
    is_observability_broadcast_enabled: false,
    is_observability_io_logging_enabled: false,
  };
}

function keyOf({ id, name, parent = "", isArchived = false }: Named): Wire<ListData> {
  return {
    hash: id,
    name,
    label: "sk-or-v1-0e6...1c96",
    disabled: isArchived,
    workspace_id: parent,
    creator_user_id: "user_jane",
    created_at: CREATED,
    updated_at: null,
    expires_at: null,
    external_user: null,
    include_byok_in_limit: false,
    limit: null,
    limit_remaining: null,
    limit_reset: null,
    usage: 0,
    usage_daily: 0,
    usage_weekly: 0,
    usage_monthly: 0,
    byok_usage: 0,
    byok_usage_daily: 0,
    byok_usage_weekly: 0,
    byok_usage_monthly: 0,
  };
}
