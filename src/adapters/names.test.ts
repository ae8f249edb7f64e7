/** Names over each adapter: the whole engine against the fakes, and hostile lists. */
import { describe, expect, test } from "vitest";
import type { FakeName } from "../../fake_providers/index.ts";
import { run } from "../connector.ts";
import type { Transport } from "../edges.ts";
import { type NamesPage, namesOf } from "./names.ts";
import { providers } from "./index.ts";
import { ask, type Bench, benchOf, chunksOf, DAY, hostOf, transportOf } from "./testing.ts";
import type { Output } from "../protocol.ts";

const NOW = Date.UTC(2026, 9, 20, 12);
const NAMES: readonly FakeName[] = ["anthropic", "openai", "openrouter"];

/** A platform that keeps rows and states. */
class Customer {
  readonly bench: Bench;
  readonly states = new Map<string, unknown>();
  /** Outputs of the last sync. */
  outputs: Output[] = [];
  readonly transport: Transport;

  constructor(bench: Bench, transport = transportOf(bench.fake)) {
    this.bench = bench;
    this.transport = transport;
  }

  async sync(streams: readonly string[] = ["costs", "labels"]): Promise<boolean> {
    const catalog = {
      streams: streams.map((name) => ({ stream: { name }, sync_mode: "incremental" })),
    };
    const start = new Date(this.bench.fake.clock.now() - 5 * DAY).toISOString().slice(0, 10);
    const files = {
      config: { start_date: start },
      catalog,
      state: [...this.states.values()],
    };
    const host = {
      ...hostOf(this.bench, files, new AbortController().signal),
      openTransport: () => ({ transport: this.transport, close: () => Promise.resolve() }),
    };
    const command = {
      kind: "read",
      config: "config",
      catalog: "catalog",
      state: "state",
      writeConfig: false,
      debug: false,
    } as const;
    this.outputs = [];
    const outputs = run(command, host);
    for (;;) {
      const { value, done } = await outputs.next();
      if (done === true) return value;
      this.outputs.push(structuredClone(value));
      if (value.type === "STATE")
        this.states.set(value.state.stream.stream_descriptor.name, value.state);
    }
  }

  rows(stream: string): Record<string, unknown>[] {
    return this.outputs
      .filter((output) => output.type === "RECORD_LINES")
      .filter((output) => output.stream === stream)
      .flatMap(({ bytes }) => Buffer.from(bytes).toString().trim().split("\n"))
      .map((line) => JSON.parse(line).record.data);
  }

  get warnings(): string[] {
    return this.outputs.flatMap((output) =>
      output.type === "LOG" && output.log.level === "WARN" ? [output.log.message] : [],
    );
  }

  get errors(): Output[] {
    return this.outputs.filter(
      (output) => output.type === "TRACE" && output.trace.type === "ERROR",
    );
  }
}

/** Names by label and value. */
const shown = (rows: readonly Record<string, unknown>[]): unknown[] =>
  rows.map(({ label, value, name, is_archived: archived }) => [
    label,
    value,
    name,
    ...(archived === true ? ["archived"] : []),
  ]);

describe("N1: the names of each provider", () => {
  test("OpenAI: archived projects, and the keys of each project over pages", async () => {
    const customer = new Customer(benchOf("openai", NOW));
    expect(await customer.sync()).toBe(true);
    const rows = shown(customer.rows("labels"));
    expect(rows).toHaveLength(155);
    expect(rows).toEqual(
      expect.arrayContaining([
        ["project", "proj_research", "Research"],
        ["project", "proj_support", "Support (closed)", "archived"],
        ["api_key", "key_a1", "ci"],
        ["api_key", "key_b2", "Notebooks"],
        ["api_key", "key_c3", "ci"],
        ["api_key", "key_many_149", "Batch job 149"],
      ]),
    );
  });

  test("Anthropic: all workspaces, and keys of each status", async () => {
    const customer = new Customer(benchOf("anthropic", NOW));
    expect(await customer.sync()).toBe(true);
    expect(shown(customer.rows("labels"))).toEqual([
      ["workspace", "wrkspc_default", "Default"],
      ["workspace", "wrkspc_research", "Research"],
      ["workspace", "wrkspc_support", "Support (closed)", "archived"],
      ["api_key", "apikey_a1", "ci"],
      ["api_key", "apikey_b2", "ci", "archived"],
    ]);
  });

  test("OpenRouter: workspaces of one name, and the keys of each", async () => {
    const customer = new Customer(benchOf("openrouter", NOW));
    expect(await customer.sync()).toBe(true);
    expect(shown(customer.rows("labels"))).toEqual([
      ["workspace", "0b1f-research", "Team"],
      ["workspace", "0b1f-support", "Team"],
      ["api_key", "a1".repeat(32), "ci"],
      ["api_key", "b2".repeat(32), "Bot", "archived"],
    ]);
  });
});

test.each(NAMES)("N1: a new name writes one row of %s, and no cost again", async (name) => {
  const bench = benchOf(name, NOW);
  const customer = new Customer(bench);
  await customer.sync();
  expect(customer.rows("costs").length).toBeGreaterThan(0);
  // Late rows of a day come with it, so the same account without the new name tells which rows a sync writes.
  const twin = new Customer(benchOf(name, NOW));
  await twin.sync();
  for (const each of [bench, twin.bench]) each.fake.clock.advance(DAY);
  bench.fake.rename(
    { openai: "key_a1", anthropic: "apikey_a1", openrouter: "0b1f-research" }[name],
    "Deployments",
  );
  expect(await customer.sync()).toBe(true);
  await twin.sync();
  expect(customer.rows("labels").map((row) => row["name"])).toEqual(["Deployments"]);
  const ids = (of: Customer): unknown[] => of.rows("costs").map((row) => row["x_RecordId"]);
  expect(ids(customer)).toEqual(ids(twin));
  expect(twin.rows("labels")).toEqual([]);
});

test.each(NAMES)("N1: %s is asked for names once a day, after all records", async (name) => {
  const { fake, ...bench } = benchOf(name, NOW);
  const customer = new Customer({ fake, ...bench });
  const isOfNames = (request: string): boolean =>
    /\/(projects|workspaces|api_keys|keys)\b/.test(request);
  await customer.sync();
  const first = fake.requests.findIndex(isOfNames);
  expect(first).toBeGreaterThan(0);
  expect(fake.requests.slice(first).every(isOfNames)).toBe(true);
  const before = fake.requests.filter(isOfNames).length;
  fake.clock.advance(3_600_000);
  await customer.sync();
  expect(fake.requests.filter(isOfNames)).toHaveLength(before);
});

test.each(NAMES)("N2: %s refuses names: one line of the log, no error", async (name) => {
  const bench = benchOf(name, NOW);
  for (const [ending, status] of [
    ["/projects", 403],
    ["/workspaces", 403],
    ["/api_keys", 401],
  ] as const)
    bench.fake.refuse(ending, status);
  const customer = new Customer(bench);
  expect(await customer.sync()).toBe(true);
  expect(customer.errors).toEqual([]);
  expect(customer.rows("costs").length).toBeGreaterThan(0);
  const said = customer.warnings.filter((text) => text.startsWith("labels: "));
  expect(said).toEqual([expect.stringMatching(/no names of (projects|workspaces) \(HTTP 403\)/)]);
});

test("N2: keys that only one project refuses are missing alone", async () => {
  const bench = benchOf("openai", NOW);
  bench.fake.refuse("/proj_support/api_keys", 404);
  const customer = new Customer(bench);
  await customer.sync(["labels"]);
  expect(customer.warnings).toEqual([
    expect.stringContaining("API keys of 1 of 2 projects (HTTP 404)"),
  ]);
  expect(customer.rows("labels").map((row) => row["value"])).toContain("key_b2");
});

test("N2: the owner of a key is never read", async () => {
  const customer = new Customer(benchOf("openai", NOW));
  await customer.sync(["labels"]);
  const written = JSON.stringify([customer.rows("labels"), [...customer.states.values()]]);
  expect(written).not.toMatch(/jane|example\.com|user-1|sk-proj/i);
  const { text } = await ask(customer.bench, "/v1/finops/names?list=1&of=proj_research");
  expect(text).not.toMatch(/jane|example\.com|user-1|sk-proj/i);
});

test("N2: a provider that answers names with errors of its own delays nothing for good", async () => {
  const bench = benchOf("anthropic", NOW);
  const real = transportOf(bench.fake);
  const customer = new Customer(bench, async (request) => {
    const answer = await real(request);
    return request.url.pathname.endsWith("/workspaces")
      ? { ...answer, body: chunksOf('{"data":[{"id":7,"name":{}}],"has_more":false}') }
      : answer;
  });
  expect(await customer.sync()).toBe(true);
  expect(customer.errors).toEqual([]);
  expect(customer.warnings.filter((text) => text.startsWith("labels: "))).toEqual([
    expect.stringContaining("name is neither a text nor a number"),
  ]);
});

/** The pages that {@link namesOf} gives for a provider that answers each request like this. */
async function listed(
  name: FakeName,
  answer: (path: string) => unknown,
): Promise<{ readonly pages: NamesPage[]; readonly asked: string[] }> {
  const asked: string[] = [];
  const pages: NamesPage[] = [];
  const get = async (path: string): Promise<unknown> => {
    asked.push(path);
    return await Promise.resolve(answer(path));
  };
  for await (const page of namesOf(providers[name].names, get)) pages.push(page);
  return { pages, asked };
}

const entry = (value: string) => ({ value, name: null, isArchived: false });
const missingOf = (pages: readonly NamesPage[]): (string | null)[] =>
  pages.flatMap(({ missing }) => (missing === null ? [] : [missing]));

describe("N2: hostile lists end", () => {
  test("a list whose pages repeat", async () => {
    const { pages, asked } = await listed("anthropic", () => ({ names: [entry("a")], next: "a" }));
    expect(asked).toHaveLength(4);
    expect(missingOf(pages)).toEqual([
      "workspaces (its pages repeat each other)",
      "API keys (its pages repeat each other)",
    ]);
  });

  test("a list without end", async () => {
    let count = 0;
    const { pages, asked } = await listed("anthropic", () => {
      count += 1;
      return { names: [entry(String(count))], next: String(count) };
    });
    expect(asked).toHaveLength(1000);
    expect(missingOf(pages)).toEqual([
      "workspaces (more than 1000 requests)",
      "API keys (more than 1000 requests)",
    ]);
  });

  test("a list of too many values", async () => {
    let count = 0;
    const page = () => Array.from({ length: 1000 }, () => entry(String((count += 1))));
    const { asked, pages } = await listed("anthropic", () => ({ names: page(), next: "on" }));
    expect(asked.length).toBeLessThan(30);
    expect(missingOf(pages)).toHaveLength(2);
  });

  test("a list of 10,000 values is whole, and one of more is not", async () => {
    const missing = async (count: number): Promise<(string | null)[]> => {
      const names = Array.from({ length: count }, (_, index) => entry(String(index)));
      return missingOf((await listed("anthropic", () => ({ names, next: null }))).pages);
    };
    expect(await missing(10_000)).toEqual([]);
    expect(await missing(10_001)).toContain("workspaces (more than 10000 of them)");
  });

  test("refused keys of many projects, and ids that may stand in no address", async () => {
    const ids = Array.from({ length: 50 }, (_, index) => `p${index}`);
    const { asked, pages } = await listed("openai", (path) =>
      path.includes("list=0") ? { names: ids.map(entry), next: null } : { refused: 403 },
    );
    expect(asked).toHaveLength(4);
    expect(missingOf(pages)).toEqual(["API keys of 50 of 50 projects (HTTP 403)"]);
    const odd = await listed("openai", (path) =>
      path.includes("list=0")
        ? { names: ["..", "a/b", "ok", ""].map(entry), next: null }
        : { names: [], next: null },
    );
    expect(odd.asked.slice(1)).toEqual(["/v1/finops/names?list=1&of=ok"]);
  });

  test("a token or an id that is too long", async () => {
    const bench = benchOf("anthropic", NOW);
    const of = (data: object[], last_id: string | null) =>
      JSON.stringify({ data, has_more: true, last_id });
    const path = "/v1/finops/names?list=0";
    await expect(ask(bench, path, { body: of([], "x".repeat(1001)) })).rejects.toThrow(/too long/);
    await expect(ask(bench, path, { body: of([], null) })).rejects.toThrow(/without last_id/);
    const long = [{ id: "w", name: "n".repeat(5000), archived_at: null }];
    const { body } = await ask(bench, path, { body: of(long, "w") });
    expect(JSON.stringify(body).length).toBeLessThan(600);
    expect((await ask(bench, "/v1/finops/names?list=9")).status).toBe(404);
  });
});

test.each([429, 503])("C2 C4: a list that answers %i is asked for again", async (status) => {
  const bench = benchOf("anthropic", NOW);
  const real = transportOf(bench.fake);
  let left = 2;
  const customer = new Customer(bench, async (request) => {
    if (request.url.pathname.endsWith("/api_keys") && left-- > 0)
      return { status, headers: { "retry-after": "1" }, body: chunksOf("{}") };
    return await real(request);
  });
  expect(await customer.sync(["labels"])).toBe(true);
  expect(customer.rows("labels")).toHaveLength(5);
});
