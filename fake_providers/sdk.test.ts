import Anthropic from "@anthropic-ai/sdk";
import { OpenRouter } from "@openrouter/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Fake } from "./index.ts";
import { createFake, serve } from "./index.ts";

const NOW = Date.UTC(2026, 9, 20, 12);
const DAY = 86_400_000;
const START = Date.UTC(2026, 9, 1);
const ISO = "2026-10-01T00:00:00Z";

const sumOf = (totals: readonly { meter: string; sum: string }[], meter: string): number =>
  totals
    .filter((total) => total.meter === meter)
    .reduce((sum, total) => sum + Number(total.sum), 0);

const usageOf = (fake: Fake, meter: string): number =>
  sumOf(fake.totals(START, START + 10 * DAY).usage, meter);
const costOf = (fake: Fake): number => sumOf(fake.totals(START, START + 10 * DAY).costs, "USD");

describe("the fake of OpenAI, read by its own SDK", () => {
  const query = { start_time: START / 1000, end_time: START / 1000 + 10 * 86_400 };

  test("gives completions in pages of whole buckets, whose sums are the truth's", async () => {
    const fake = createFake("openai", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const client = new OpenAI({
      adminAPIKey: fake.api.key,
      apiKey: fake.api.key,
      baseURL: `${served.baseUrl}/v1`,
      maxRetries: 0,
    });
    const usage = client.admin.organization.usage;
    const [pages, days, sums] = [[] as string[], [] as number[], { cached: 0, requests: 0 }];
    let page: string | null = "";
    while (page !== null) {
      const answer = await usage.completions({
        ...query,
        group_by: ["model", "project_id"],
        limit: 4,
        ...(page === "" ? {} : { page }),
      });
      pages.push(answer.object);
      for (const bucket of answer.data) {
        days.push(bucket.start_time);
        for (const row of bucket.results) {
          if (row.object !== "organization.usage.completions.result") continue;
          sums.cached += row.input_cached_tokens ?? 0;
          sums.requests += row.num_model_requests;
        }
      }
      page = answer.next_page;
    }
    expect(pages).toHaveLength(3);
    expect(days).toHaveLength(10);
    const decisions = await usage.decisions(query);
    const more = decisions.data.flatMap(({ results }) => results);
    const cached = more.reduce((sum, row) => sum + (row.input_cached_tokens ?? 0), 0);
    expect(decisions.data).toHaveLength(7);
    expect(sums.cached).toBeGreaterThan(0);
    expect(usageOf(fake, "cache_read_tokens")).toBeGreaterThanOrEqual(sums.cached + cached);
  });

  test("gives costs, and refuses what the API refuses", async () => {
    const fake = createFake("openai", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const client = new OpenAI({
      adminAPIKey: fake.api.key,
      apiKey: fake.api.key,
      baseURL: `${served.baseUrl}/v1`,
      maxRetries: 0,
    });
    const usage = client.admin.organization.usage;
    const costs = await usage.costs({ ...query, limit: 180, group_by: ["line_item"] });
    const values = costs.data.flatMap(({ results }) =>
      results.map((row) => ("amount" in row ? Number(row.amount?.value) : 0)),
    );
    expect(values.reduce((sum, value) => sum + value, 0)).toBeCloseTo(costOf(fake), 6);
    expect(costs.has_more).toBe(false);
    await expect(usage.completions({ ...query, limit: 32 })).rejects.toThrow(/400/);
    fake.limit(1, 2);
    await expect(usage.completions(query)).rejects.toThrow(/429/);
    const stranger = client.withOptions({ adminAPIKey: "other", apiKey: "other" });
    await expect(stranger.admin.organization.usage.costs(query)).rejects.toThrow(/401/);
  });
});

describe("the fake of Anthropic, read by its own SDK", () => {
  test("gives usage and costs of all groups, ranked, in cents", async () => {
    const fake = createFake("anthropic", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const client = new Anthropic({ apiKey: fake.api.key, baseURL: served.baseUrl, maxRetries: 0 });
    const { analytics } = client.beta.organization;
    const range = { starting_at: ISO, ending_at: "2026-10-11T00:00:00Z" };
    let writes = 0;
    const amounts: number[] = [];
    for await (const { usage } of analytics.usage.list({
      ...range,
      time_bucket_width: "1d",
      group_by: ["model", "workspace_id"],
      limit: 7,
    }))
      writes += usage.cache_creation.ephemeral_1h_input_tokens;
    expect(writes).toBe(usageOf(fake, "cache_write_1h_tokens"));
    for await (const { cost } of analytics.cost.list({ ...range, group_by: ["model"], limit: 1 }))
      amounts.push(Number(cost.amount));
    expect(amounts).toStrictEqual(amounts.toSorted((a, b) => b - a));
    const dollars = amounts.reduce((sum, amount) => sum + amount, 0) / 100;
    expect(dollars).toBeCloseTo(costOf(fake), 6);
    const fanned = await analytics.cost.list({
      ...range,
      time_bucket_width: "1d",
      group_by: ["model", "cost_type", "token_type"],
      limit: 5,
    });
    expect(fanned.data.length).toBeGreaterThan(5);
    expect(fanned.data_refreshed_at).toBe("2026-10-20T09:00:00Z");
  });

  test("names the organization, and refuses what the API refuses", async () => {
    const fake = createFake("anthropic", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const client = new Anthropic({ apiKey: fake.api.key, baseURL: served.baseUrl, maxRetries: 0 });
    const { analytics } = client.beta.organization;
    const me = await client.get("/v1/organizations/me");
    expect(me).toMatchObject({ type: "organization" });
    const early = analytics.usage.list({ starting_at: "2025-12-31T00:00:00Z" });
    await expect(early).rejects.toThrow(/400/);
    const open = analytics.cost.list({ starting_at: ISO, time_bucket_width: "1d" });
    await expect(open).rejects.toThrow(/ending_at/);
    const many = analytics.usage.list({
      starting_at: ISO,
      group_by: ["model", "workspace_id", "api_key_id", "service_tier", "product", "speed"],
    });
    await expect(many).rejects.toThrow(/at most 5/);
  });

  test("has the older reports, with null for the default workspace", async () => {
    const fake = createFake("anthropic", { now: NOW, seed: 7, legacy: true });
    await using served = await serve(fake, 0, false);
    const client = new Anthropic({ apiKey: fake.api.key, baseURL: served.baseUrl, maxRetries: 0 });
    const refused = client.beta.organization.analytics.usage.list({ starting_at: ISO });
    await expect(refused).rejects.toThrow(/403/);
    const query = { starting_at: ISO, "group_by[]": "workspace_id" };
    const headers = { "anthropic-version": "2023-06-01" };
    const costs = await client.get("/v1/organizations/cost_report", { query, headers });
    expect(costs).toMatchObject({ has_more: true, data: { length: 7 } });
    expect(JSON.stringify(costs)).toContain('"workspace_id":null');
  });
});

describe("the fake of OpenRouter, read by its own SDK", () => {
  test("gives a completed day by endpoint, and by workspace where asked", async () => {
    const fake = createFake("openrouter", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const client = new OpenRouter({ apiKey: fake.api.key, serverURL: `${served.baseUrl}/v1` });
    const rows = [];
    for (let day = START; day < START + 10 * DAY; day += DAY) {
      const date = new Date(day).toISOString().slice(0, 10);
      const { data } = await client.analytics.getUserActivity({ date, groupBy: "workspace" });
      rows.push(...data);
    }
    expect(rows.every(({ workspaceId }) => workspaceId !== undefined)).toBe(true);
    const prompts = rows.reduce((sum, { promptTokens }) => sum + promptTokens, 0);
    expect(prompts).toBe(usageOf(fake, "input_tokens"));
    const spent = rows.reduce((sum, { usage }) => sum + usage, 0);
    expect(spent).toBeCloseTo(costOf(fake), 6);
    const today = client.analytics.getUserActivity({ date: "2026-10-20" });
    await expect(today).rejects.toThrow(/30 \(completed\)/);
  });
});

describe("N1: the names of the fakes, read by the providers' own SDKs", () => {
  test("OpenAI: projects, archived ones if asked for, and keys of a project over pages", async () => {
    const fake = createFake("openai", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const { key } = fake.api;
    const baseURL = `${served.baseUrl}/v1`;
    const client = new OpenAI({ adminAPIKey: key, apiKey: key, baseURL, maxRetries: 0 });
    const { projects } = client.admin.organization;
    expect((await projects.list()).data.map(({ id }) => id)).toEqual(["proj_research"]);
    expect((await projects.list({ include_archived: true })).data).toHaveLength(2);
    const keys: string[] = [];
    for await (const { id } of projects.apiKeys.list("proj_research", {
      owner_project_access: "any",
      limit: 100,
    }))
      keys.push(id);
    expect(new Set(keys).size).toBe(152);
  });

  test("Anthropic: workspaces and keys", async () => {
    const fake = createFake("anthropic", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const client = new Anthropic({ apiKey: fake.api.key, baseURL: served.baseUrl, maxRetries: 0 });
    const { workspaces, apiKeys } = client.beta.organization;
    expect((await workspaces.list()).data.map(({ name }) => name)).toEqual(["Research"]);
    const all = { include_archived: true, include_default: true, limit: 2 };
    const found: string[] = [];
    for await (const { id } of workspaces.list(all)) found.push(id);
    expect(found).toHaveLength(3);
    expect((await apiKeys.list()).data).toHaveLength(2);
    expect((await apiKeys.list({ status: "archived" })).data).toHaveLength(1);
  });

  test("OpenRouter: workspaces and the keys of each", async () => {
    const fake = createFake("openrouter", { now: NOW, seed: 7 });
    await using served = await serve(fake, 0, false);
    const client = new OpenRouter({ apiKey: fake.api.key, serverURL: `${served.baseUrl}/v1` });
    const workspaces = await client.workspaces.list({});
    expect(workspaces.result.data.map(({ name }) => name)).toEqual(["Team", "Team"]);
    const keys = await client.apiKeys.list({ workspaceId: "0b1f-support", includeDisabled: true });
    expect(keys.data.map(({ name, disabled }) => [name, disabled])).toEqual([["Bot", true]]);
    expect((await client.apiKeys.list({ workspaceId: "0b1f-support" })).data).toEqual([]);
  });
});

test("a fake is controlled from outside like the reference provider", async () => {
  const fake = createFake("openrouter", { now: NOW, seed: 7 });
  await using served = await serve(fake, 0, true);
  const { origin } = new URL(served.baseUrl);
  const ask = async (path: string, body?: unknown): Promise<unknown> =>
    (
      await fetch(
        `${origin}/control/${path}`,
        body === undefined ? {} : { method: "POST", body: JSON.stringify(body) },
      )
    ).json();
  expect(await ask("clock", { advance: 3600 })).toStrictEqual({ now: "2026-10-20T13:00:00Z" });
  expect(await ask("clock", { set: ISO })).toStrictEqual({ now: ISO });
  expect(await ask("clock", { set: "yesterday" })).toHaveProperty("error");
  const range = "start=2026-09-20T00:00:00Z&end=2026-09-22T00:00:00Z";
  expect(await ask(`totals?${range}`)).toStrictEqual(
    fake.totals(Date.UTC(2026, 8, 20), Date.UTC(2026, 8, 22)),
  );
  expect(await ask("limit", { count: 1, retry_after: 3 })).toStrictEqual({});
  const limited = await fetch(`${served.baseUrl}/v1/activity`);
  expect([limited.status, limited.headers.get("retry-after")]).toStrictEqual([429, "3"]);
  expect(await ask("requests")).toStrictEqual({ requests: ["/v1/activity?"] });
});
