/** A fake of OpenAI's projects and their API keys, as the types of the package `openai` describe them (admin/organization/projects). */
import type { ProjectAPIKey } from "openai/resources/admin/organization/projects/api-keys";
import type { Project } from "openai/resources/admin/organization/projects/projects";
import type { Contradicted } from "./contradictions.ts";
import type { FakeRequest } from "./fake.ts";
import { partAfter, Refusal, wholeOf } from "./fake.ts";
import { type Named, Names } from "./names.ts";

/** 2025-01-01, in seconds. */
const CREATED = 1_735_689_600;

interface Page<Item> {
  readonly object: "list";
  readonly data: readonly Item[];
  readonly first_id: string | null;
  readonly last_id: string | null;
  readonly has_more: boolean;
}

/** Two keys have one name, a project is archived, and a project has more keys than a page. */
export const openAiNames = (): Names =>
  new Names([
    { id: "proj_research", kind: "project", name: "Research" },
    { id: "proj_support", kind: "project", name: "Support (closed)", isArchived: true },
    { id: "key_a1", kind: "key", parent: "proj_research", name: "ci" },
    { id: "key_b2", kind: "key", parent: "proj_research", name: "Notebooks" },
    { id: "key_c3", kind: "key", parent: "proj_support", name: "ci" },
    ...Array.from({ length: 150 }, (_, index): Named => ({
      id: `key_many_${index}`,
      kind: "key",
      parent: "proj_research",
      name: `Batch job ${index}`,
    })),
  ]);

/** The answer to a request for a list; undefined if the path names no list. */
export function openAiList(
  names: Names,
  { path, query }: FakeRequest,
  contradicted: Contradicted,
): Page<Project | ProjectAPIKey> | undefined {
  const [, project] = /^\/v1\/organization\/projects(?:\/([^/]+)\/api_keys)?$/.exec(path) ?? [path];
  if (!path.startsWith("/v1/organization/projects")) return undefined;
  if (contradicted === "NAM-03") throw new Refusal(403, "Missing scopes: api.management.read");
  const limit = wholeOf(query, "limit", [1, 100], 20);
  if (project === undefined) {
    const all = query.get("include_archived") === "true";
    const shown = names.of("project").filter(({ isArchived }) => all || isArchived !== true);
    return page(shown, query, limit, projectOf);
  }
  if (names.of("project").every(({ id }) => id !== project))
    throw new Refusal(404, "No such project.");
  // Without this, the keys of people who have left the project are missing.
  const any = query.get("owner_project_access") === "any";
  const keys = names.of("key", project).filter(({ id }) => any || id !== "key_b2");
  return page(keys, query, limit, keyOf);
}

function page<Item extends { readonly id: string }>(
  all: readonly Named[],
  query: URLSearchParams,
  limit: number,
  itemOf: (named: Named) => Item,
): Page<Item> {
  const { part, hasMore } = partAfter(all, query.get("after"), limit);
  const data = part.map(itemOf);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: hasMore,
  };
}

function projectOf({ id, name, isArchived = false }: Named): Project {
  return {
    id,
    object: "organization.project",
    name,
    created_at: CREATED,
    archived_at: isArchived ? CREATED + 86_400 : null,
    status: isArchived ? "archived" : "active",
  };
}

function keyOf({ id, name }: Named): ProjectAPIKey {
  return {
    id,
    object: "organization.project.api_key",
    name,
    created_at: CREATED,
    last_used_at: null,
    owner_project_access: id === "key_b2" ? "inactive" : "active",
    redacted_value: "sk-proj-****1234",
    owner: {
      type: "user",
      user: {
        id: "user-1",
        name: "Jane Doe",
        email: "jane.doe@example.com",
        role: "owner",
        created_at: CREATED,
      },
    },
  };
}
