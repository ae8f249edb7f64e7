/**
 * The names that a provider has for ids (N1). The adapter answers one operation more, `/v1/finops/names`, with a page of one list. It
 * gives ids, names and whether they are archived, so nothing else of a provider's answer leaves the adapter.
 */
import * as z from "zod";
import type { NamedValue } from "../core/names.ts";
import type { HttpResponse } from "../edges.ts";
import { jsonAnswer, problem } from "./answers.ts";
import type { JsonObject } from "./exact.ts";
import type { ListPage, NameList } from "./report.ts";
import { hasMore, isObject, objectsIn, reportFault, textIn } from "./shape.ts";
import type { Send } from "./upstream.ts";

/** A page as `streams/` takes it: `NamesPage` there. */
export interface NamesPage {
  readonly names: readonly NamedValue[];
  readonly missing: string | null;
}

/** The most requests for names in a run, and the most values that they may show. */
const MOST_REQUESTS = 1000;
const MOST_VALUES = 10_000;

/** If so many lists of a kind fail and no list has shown a value, the other lists of this kind are not asked for. */
const MOST_REFUSALS = 3;

/** The most characters of an id, of a name before it is cleaned, and of a page's token. */
const MOST_OF_ID = 200;
const MOST_OF_NAME = 400;
const MOST_OF_TOKEN = 1000;

/** An id that may stand in an address. */
const PLAIN = /^[\w-]+$/;

const isUsable = (id: string): boolean => id !== "" && id.length <= MOST_OF_ID;

/** Answers the operation: the page of a list, or the status with which the provider refuses the list. */
export async function namesPage(
  lists: readonly NameList[],
  send: Send,
  { searchParams }: URL,
): Promise<HttpResponse> {
  const list = lists[Number(searchParams.get("list") ?? "-1")];
  if (list === undefined) return problem(404, "Not found", "There is no such list.");
  const after = searchParams.get("after");
  const answer = await send(list.request(after, searchParams.get("of") ?? ""));
  if ("tooLarge" in answer) throw answer.tooLarge;
  if ("body" in answer) {
    if (!isObject(answer.body)) throw reportFault(`a list of ${list.title} is no object`);
    return jsonAnswer(list.read(answer.body, after), answer.date);
  }
  // After these statuses the client waits and asks again. Every other refusal is an answer, because it must not fail the run.
  const { status, refused } = answer;
  return status === 429 || status >= 500 ? refused : jsonAnswer({ refused: status }, undefined);
}

const answerSchema = z.union([
  z.object({ refused: z.int() }),
  z.object({
    names: z.array(
      z.object({ value: z.string(), name: z.string().nullable(), isArchived: z.boolean() }),
    ),
    next: z.string().nullable(),
  }),
]);

/** Asks for a page; gives the reason if there is none. */
type Ask = (
  index: number,
  parent: string,
  after: string | null,
) => Promise<{ readonly page: ListPage } | { readonly reason: string }>;

function asker(get: (path: string) => Promise<unknown>): Ask {
  let left = MOST_REQUESTS;
  return async (index, parent, after) => {
    if (left-- <= 0) return { reason: `more than ${MOST_REQUESTS} requests` };
    const of = parent === "" ? {} : { of: parent };
    const at = after === null ? {} : { after };
    const query = new URLSearchParams({ list: String(index), ...of, ...at });
    const answer = answerSchema.parse(await get(`/v1/finops/names?${query.toString()}`));
    return "refused" in answer ? { reason: `HTTP ${answer.refused}` } : { page: answer };
  };
}

/** The pages of all lists, one after the other. */
export async function* namesOf(
  lists: readonly NameList[],
  get: (path: string) => Promise<unknown>,
): AsyncGenerator<NamesPage> {
  const ask = asker(get);
  const shown = new Map<string, Set<string>>();
  for (const [index, list] of lists.entries()) {
    const values = new Set<string>();
    shown.set(list.label, values);
    const parents = list.of === undefined ? [""] : [...(shown.get(list.of) ?? [])];
    const reasons: string[] = [];
    for (const parent of parents) {
      const isHopeless = reasons.length >= MOST_REFUSALS && values.size === 0;
      const reason: string | null =
        isHopeless || (parent !== "" && !PLAIN.test(parent))
          ? "not asked for"
          : yield* pagesOf(list, (after) => ask(index, parent, after), values);
      if (reason !== null) reasons.push(reason);
    }
    const [first] = reasons;
    if (first === undefined) continue;
    const of = parents.length > 1 ? ` of ${reasons.length} of ${parents.length} ${list.of}s` : "";
    yield { names: [], missing: `${list.title}${of} (${first})` };
  }
}

/** The pages of one list. Adds its values to `values`. Returns why it could not be read to its end; null if it was. */
async function* pagesOf(
  { label }: NameList,
  ask: (after: string | null) => ReturnType<Ask>,
  values: Set<string>,
): AsyncGenerator<NamesPage, string | null> {
  let after: string | null = null;
  do {
    const answer = await ask(after);
    if ("reason" in answer) return answer.reason;
    const { names, next } = answer.page;
    const fresh = names.filter(({ value }) => isUsable(value) && !values.has(value));
    if (fresh.length === 0 && next !== null) return "its pages repeat each other";
    for (const { value } of fresh) values.add(value);
    if (values.size > MOST_VALUES) return `more than ${MOST_VALUES} of them`;
    yield { names: fresh.map((named) => ({ label, ...named })), missing: null };
    after = next;
  } while (after !== null);
  return null;
}

/** The entries of a page. */
function entriesOf(
  body: JsonObject,
  id: string,
  isArchived: (row: JsonObject) => boolean,
): ListPage["names"] {
  return objectsIn(body, "data").map((row) => ({
    value: textIn(row, id) ?? "",
    name: textIn(row, "name")?.slice(0, MOST_OF_NAME) ?? null,
    isArchived: isArchived(row),
  }));
}

type Reader = NameList["read"];

/** Lists whose next page begins behind the last id, as `has_more` says. */
export const byLastId = {
  parameters: (name: string, size: number, after: string | null): [string, string][] => [
    ["limit", String(size)],
    ...(after === null ? [] : [[name, after] satisfies [string, string]]),
  ],
  reader:
    (isArchived: (row: JsonObject) => boolean): Reader =>
    (body) => {
      const next = hasMore(body) ? textIn(body, "last_id") : null;
      if (next !== null && next.length > MOST_OF_TOKEN) throw reportFault("last_id is too long");
      if (next === null && hasMore(body)) throw reportFault("has_more comes without last_id");
      return { names: entriesOf(body, "id", isArchived), next };
    },
};

/** Lists whose next page begins behind a number of entries. Only an empty page ends them. */
export const byOffset = {
  reader:
    (id: string, isArchived: (row: JsonObject) => boolean): Reader =>
    (body, after) => {
      const names = entriesOf(body, id, isArchived);
      const next = names.length === 0 ? null : String(Number(after ?? "0") + names.length);
      return { names, next };
    },
};
