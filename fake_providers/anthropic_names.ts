/** A fake of Anthropic's workspaces and API keys, as the types of `@anthropic-ai/sdk` describe them (beta/organization). */
import type { BetaAPIKey } from "@anthropic-ai/sdk/resources/beta/organization/api-keys";
import type { BetaWorkspace } from "@anthropic-ai/sdk/resources/beta/organization/workspaces";
import type { FakeRequest } from "./fake.ts";
import { checkList, partAfter, wholeOf } from "./fake.ts";
import { type Named, Names } from "./names.ts";

const CREATED = "2025-01-01T00:00:00Z";
const DEFAULT = "wrkspc_default";

interface Page<Item> {
  readonly data: readonly Item[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** Two keys have one name; a workspace and a key are archived. */
export const anthropicNames = (): Names =>
  new Names([
    { id: DEFAULT, kind: "workspace", name: "Default" },
    { id: "wrkspc_research", kind: "workspace", name: "Research" },
    { id: "wrkspc_support", kind: "workspace", name: "Support (closed)", isArchived: true },
    { id: "apikey_a1", kind: "key", parent: "wrkspc_research", name: "ci" },
    { id: "apikey_b2", kind: "key", parent: "wrkspc_support", name: "ci", isArchived: true },
  ]);

/** The answer to a request for a list; undefined if the path names no list. */
export function anthropicList(
  names: Names,
  { path, query }: FakeRequest,
): Page<BetaWorkspace | BetaAPIKey> | undefined {
  const limit = (): number => wholeOf(query, "limit", [1, 1000], 20);
  if (path === "/v1/organizations/workspaces") {
    const [archived, main] = ["include_archived", "include_default"].map(
      (name) => query.get(name) === "true",
    );
    const shown = names
      .of("workspace")
      .filter(({ isArchived }) => archived === true || isArchived !== true)
      .filter(({ id }) => main === true || id !== DEFAULT);
    return page(shown, query, limit(), workspaceOf);
  }
  if (path !== "/v1/organizations/api_keys") return undefined;
  const status = query.get("status");
  if (status !== null) checkList("status", [status], ["active", "archived", "expired", "inactive"]);
  const keys = names.of("key").filter((each) => status === null || keyOf(each).status === status);
  return page(keys, query, limit(), keyOf);
}

function page<Item extends { readonly id: string }>(
  all: readonly Named[],
  query: URLSearchParams,
  limit: number,
  itemOf: (named: Named) => Item,
): Page<Item> {
  const { part, hasMore } = partAfter(all, query.get("after_id"), limit);
  const data = part.map(itemOf);
  return {
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

function workspaceOf({ id, name, isArchived = false }: Named): BetaWorkspace {
  return {
    id,
    type: "workspace",
    name,
    archived_at: isArchived ? CREATED : null,
    created_at: CREATED,
    display_color: "#6C5BB9",
    compartment_id: "compartment",
    data_residency: {
      allowed_inference_geos: "unrestricted",
      default_inference_geo: "global",
      workspace_geo: "us",
    },
    external_key_id: null,
    tags: {},
    user_profile_id: null,
  };
}

function keyOf({ id, name, parent = DEFAULT, isArchived = false }: Named): BetaAPIKey {
  return {
    id,
    type: "api_key",
    name,
    status: isArchived ? "archived" : "active",
    created_at: CREATED,
    created_by: { id: "user_jane", type: "user" },
    expires_at: null,
    partial_key_hint: "sk-ant-api03-R2D...igAA",
    principal: null,
    scope: { type: "workspace", workspace_id: parent },
  };
}
