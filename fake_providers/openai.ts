/**
 * A fake of OpenAI's organization usage and costs API: whole buckets to a page, buckets without rows, limits and defaults
 * as the types of the package `openai` describe them (admin/organization/usage).
 */
import type * as Sdk from "openai/resources/admin/organization/usage";
import { DAY, HOUR, MINUTE } from "../reference_provider/instants.ts";
import type { Instant } from "../reference_provider/instants.ts";
import { contradicting, type Contradicted } from "./contradictions.ts";
import type { Fact, Group } from "./facts.ts";
import { Facts, grouped } from "./facts.ts";
import type { Api, FakeOptions, FakeRequest } from "./fake.ts";
import { checkList, listOf, placeOf, Refusal, tokenOf, wholeOf } from "./fake.ts";
import { costTotals, factsOfDay, usageTotals } from "./openai_facts.ts";
import { openAiList, openAiNames } from "./openai_names.ts";
import { type Row, ROWS } from "./openai_rows.ts";

/** A page of any report. */
interface Page extends Omit<Sdk.UsageCompletionsResponse, "data"> {
  data: (Omit<Sdk.UsageCompletionsResponse.Data, "results"> & { results: Row[] })[];
}

const WIDTHS = {
  "1m": { width: MINUTE, most: 1440, otherwise: 60 },
  "1h": { width: HOUR, most: 168, otherwise: 24 },
  "1d": { width: DAY, most: 31, otherwise: 7 },
} as const;

const PLACE = ["project_id", "user_id", "api_key_id", "model"];

/** The groups that each report offers. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  completions: [...PLACE, "batch", "service_tier", "api_source"],
  decisions: [...PLACE, "batch", "service_tier", "api_source"],
  embeddings: PLACE,
  moderations: PLACE,
  images: [...PLACE, "size", "source"],
  audio_speeches: PLACE,
  audio_transcriptions: PLACE,
  vector_stores: ["project_id"],
  code_interpreter_sessions: ["project_id"],
  file_search_calls: ["project_id", "user_id", "api_key_id", "vector_store_id"],
  web_search_calls: [...PLACE, "context_level", "api_source"],
  costs: ["project_id", "user_id", "line_item", "api_key_id", "api_source"],
};

export function createOpenAi({ seed, contradicts }: FakeOptions): Api {
  const facts = new Facts(contradicting(contradicts, factsOfDay, "api_key_id"), seed);
  const names = openAiNames();
  return {
    names,
    basePath: "",
    key: "sk-admin-fake-0123456789",
    keyOf: ({ headers }) => headers["authorization"]?.replace(/^Bearer /, ""),
    answer: (request, now) =>
      openAiList(names, request, contradicts) ?? page(facts, request, now, contradicts),
    errorBody: (status, message) => ({
      error: { message, type: status === 429 ? "requests" : "invalid_request_error", code: null },
    }),
    totals: (start, end, now) => ({
      usage: usageTotals(facts.between(start, end, now)),
      costs: costTotals(facts.between(start, end, now)),
    }),
  };
}

function page(
  facts: Facts,
  { path, query }: FakeRequest,
  now: Instant,
  contradicts: Contradicted,
): Page {
  const report = /^\/v1\/organization\/(?:usage\/)?(\w+)$/.exec(path)?.[1] ?? "";
  const groups = GROUPS[report];
  const rowOf = ROWS[report];
  if (
    groups === undefined ||
    rowOf === undefined ||
    (report === "costs") === path.includes("/usage/")
  )
    throw new Refusal(404, "Unknown request URL.");
  const names = listOf(query, "group_by");
  checkList("group_by", names, groups);
  if (report === "costs" && names.includes("user_id") && names.includes("project_id"))
    throw new Refusal(400, "'user_id' cannot be combined with 'project_id'.");
  const { width, limit } = bucketsOf(query, report);
  if (report === "costs" && names.includes("api_key_id")) assertKeys(query);
  const floor = (at: Instant): Instant => Math.floor(at / width) * width;
  const from = seconds(query, "start_time");
  if (from === undefined) throw new Refusal(400, "Missing required parameter: 'start_time'.");
  const end = seconds(query, "end_time") ?? now;
  if (end <= from) throw new Refusal(400, "'end_time' must be after 'start_time'.");
  if (contradicts === "OAI-09" && from < now - 400 * DAY)
    throw new Refusal(400, "'start_time' is too long ago.");
  const start = Math.max(floor(from), placeOf(path, query));
  const last = Math.ceil(end / width) * width + (contradicts === "OAI-06" ? width : 0);
  const stop = Math.min(start + limit * width, last);
  const rows = grouped(ofReport(facts.between(start, stop, now), report), floor, names);
  const data: Page["data"] = [];
  for (let at = start; at < stop; at += width) {
    const results = rows
      .filter(({ bucket }) => bucket === at)
      .map((row) => rowOf(contradicts === "OAI-01" ? inCents(row) : row));
    data.push({ object: "bucket", start_time: at / 1000, end_time: (at + width) / 1000, results });
  }
  const hasMore = stop < end;
  const nextPage = hasMore ? tokenOf(path, query, stop) : null;
  return { object: "page", data, has_more: hasMore, next_page: nextPage };
}

/** The group with amounts a hundred times as large. */
function inCents(group: Group): Group {
  const { amount } = group.metrics;
  return amount === undefined
    ? group
    : { ...group, metrics: { ...group.metrics, amount: amount * 100n } };
}

/** Costs name no API keys before this instant, in seconds since 1970. */
const KEYS_SINCE = Date.UTC(2025, 11, 6) / 1000;

function assertKeys(query: URLSearchParams): void {
  if ((seconds(query, "start_time") ?? 0) / 1000 >= KEYS_SINCE) return;
  throw new Refusal(
    400,
    `group_by=api_key_id is not available for this time range. Try a start_time on or after ${KEYS_SINCE}.`,
  );
}

function seconds(query: URLSearchParams, name: string): number | undefined {
  const value = wholeOf(query, name, [0, 1e11], -1);
  return value === -1 ? undefined : value * 1000;
}

function bucketsOf(query: URLSearchParams, report: string): { width: number; limit: number } {
  const name = query.get("bucket_width") ?? "1d";
  checkList("bucket_width", [name], report === "costs" ? ["1d"] : Object.keys(WIDTHS));
  const { width, most, otherwise } = name === "1h" || name === "1m" ? WIDTHS[name] : WIDTHS["1d"];
  return { width, limit: wholeOf(query, "limit", [1, report === "costs" ? 180 : most], otherwise) };
}

function* ofReport(facts: Iterable<Fact>, report: string): Generator<Fact> {
  for (const fact of facts) if (fact.report === report) yield fact;
}
