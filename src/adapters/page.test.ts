import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retentionFloor } from "../core/retention.ts";
import type { Transport } from "../edges.ts";
import type { Capabilities } from "../generated/capabilities.js";
import {
  adapterOf,
  ask,
  type Bench,
  benchOf,
  chunksOf,
  DAY,
  HOUR,
  type Page,
  recordsOf,
  sumsOf,
  transportOf,
} from "./testing.ts";

const NOW = Date.UTC(2026, 11, 30, 12);

/** A day of which OpenAI has nothing yet, in eleven reports. */
const EMPTY = "/v1/finops/usage?start=2026-12-31T00:00:00Z&end=2027-01-01T00:00:00Z&granularity=1d";

/** The bench's network. It calls `before` before each request; if that returns a status, the request fails with the status. */
function network({ fake }: Bench, before: (request: number) => number | undefined): Transport {
  const transport = transportOf(fake);
  let requests = 0;
  return async (request) => {
    const status = before(requests++);
    if (status !== undefined) fake.fail(1, status);
    return await transport(request);
  };
}

const reportsOf = ({ fake }: Bench): string[] =>
  fake.requests.map((path) => path.slice(0, path.indexOf("?")).split("/").at(-1) ?? "");

test("pages without a row are skipped", async () => {
  const bench = benchOf("openai", NOW);
  const { body } = await ask(bench, EMPTY);
  expect(body).toMatchObject({ data: [], next_cursor: null });
  expect(new Set(reportsOf(bench)).size).toBe(11);
  expect(bench.fake.requests).toHaveLength(11);
});

test("a refusal on the way keeps what was skipped, and comes with the next request", async () => {
  const bench = benchOf("openai", NOW);
  const transport = network(bench, (request) => (request === 3 ? 503 : undefined));
  const first = (await ask(bench, EMPTY, { transport })).body as Page;
  expect(first).toMatchObject({ data: [], next_cursor: expect.any(String) });
  const rest = await ask(bench, `${EMPTY}&cursor=${first.next_cursor}`);
  expect(rest.body).toMatchObject({ data: [], next_cursor: null });
  const reports = reportsOf(bench);
  expect(reports).toHaveLength(12);
  expect(reports[4]).toBe(reports[3]);
});

test("a refusal of the first request is the answer", async () => {
  const bench = benchOf("openai", NOW);
  const transport = network(bench, () => 503);
  expect((await ask(bench, EMPTY, { transport })).status).toBe(503);
});

test("a slow provider's empty pages are given after two seconds, so that a check ends in time", async () => {
  const bench = benchOf("openai", NOW);
  const transport = network(bench, () => {
    bench.fake.clock.advance(700);
    return undefined;
  });
  const { body } = await ask(bench, EMPTY, { transport });
  expect(body).toMatchObject({ data: [], next_cursor: expect.any(String) });
  expect(bench.fake.requests).toHaveLength(3);
});

test("available_through is the smallest of the pages that were skipped", async () => {
  const bench = benchOf("openai", Date.UTC(2026, 11, 30, 3, 59, 59));
  const transport = network(bench, (request) => {
    if (request === 1) bench.fake.clock.advance(1500);
    return undefined;
  });
  const window = EMPTY.replace("1d", "1h");
  const page = (await ask(bench, window, { transport })).body as Page;
  expect(page).toMatchObject({ available_through: "2026-12-29T23:00:00Z", next_cursor: null });
});

test("a report that ends nowhere is left after some pages", async () => {
  const bench = benchOf("openai", NOW);
  let requests = 0;
  const endless: Transport = async ({ url }) => {
    requests += 1;
    const start = url.searchParams.get("start_time");
    const body = `{"data":[{"start_time":${start},"results":[]}],"has_more":true}`;
    return { status: 200, headers: {}, body: chunksOf(body) };
  };
  const query = EMPTY.replace("end=2027-01-01", "end=2027-03-01");
  const answer = await ask(bench, query, { transport: endless });
  expect(answer.body).toMatchObject({ data: [], next_cursor: expect.any(String) });
  expect(requests).toBe(33);
});

test("pages of another refresh are not skipped into one", async () => {
  const bench = benchOf("anthropic", NOW);
  const query = "/v1/finops/costs?start=2026-12-01T00:00:00Z&end=2026-12-03T00:00:00Z";
  const empty = { data: [], has_more: true, next_page: "2" };
  const asked = async (path: string, refreshed: readonly string[]): Promise<unknown> => {
    const left = refreshed.map((hour) => ({
      ...empty,
      data_refreshed_at: `2026-12-30T${hour}:00:00Z`,
    }));
    const transport: Transport = async () => {
      const body = JSON.stringify(left.shift() ?? { data: [], has_more: false });
      return { status: 200, headers: {}, body: chunksOf(body) };
    };
    return (await ask(bench, path, { transport })).body;
  };
  const first = (await asked(query, ["08", "08", "09"])) as Page;
  expect(first).toMatchObject({ as_of: "2026-12-30T08:00:00Z", next_cursor: expect.any(String) });
  const next = `${query}&cursor=${first.next_cursor}`;
  expect(await asked(next, ["09"])).toMatchObject({ as_of: "2026-12-30T09:00:00Z" });
});

test("Anthropic's days before its first are refused, but for those that whole days of retention bring with them", async () => {
  const bench = benchOf("anthropic", Date.UTC(2026, 2, 1));
  const status = async (day: string): Promise<number> =>
    (await ask(bench, `/v1/finops/costs?start=${day}T00:00:00Z&end=2026-01-02T00:00:00Z`)).status;
  expect(await status("2025-12-30")).toBe(200);
  expect(await status("2025-12-29")).toBe(400);
});

test.each([0, 22.9, 23, 23.5])(
  "at hour %d the first day that the connector reads is Anthropic's first",
  async (hour) => {
    const now = Date.UTC(2026, 2, 1) + hour * HOUR;
    const { body } = await ask(benchOf("anthropic", now), "/v1/finops/capabilities");
    const { datasets } = body as Capabilities;
    expect(retentionFloor(now, datasets.usage.retention_days)).toBe(Date.UTC(2026, 0, 1));
  },
);

test.each([
  { name: "openai", legacy: false, place: "/v1/finops" },
  { name: "anthropic", legacy: false, place: "/v1/finops" },
  { name: "anthropic", legacy: true, place: "/v1/finops/older" },
] as const)(
  "$name (older API: $legacy): any way of cutting hours gives the same records",
  async ({ name, legacy, place }) => {
    const bench = benchOf(name, NOW, { legacy });
    const start = Date.UTC(2026, 11, 27);
    const hours = 60;
    const read = async (from: number, to: number, limit = 1000): Promise<string[]> => {
      const range = { start: start + from * HOUR, end: start + to * HOUR };
      const window = { ...range, limit, granularity: "1h" } as const;
      return (await recordsOf(bench, `${place}/usage`, window)).map((row) => JSON.stringify(row));
    };
    const whole = (await read(0, hours)).toSorted();
    expect(whole.length).toBeGreaterThan(30);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: hours - 1 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.constantFrom(7, 90, 1000), async (cut, limit) => {
        const edges = [0, ...cut.toSorted((a, b) => a - b), hours];
        const parts = [];
        for (const [index, from] of edges.slice(0, -1).entries())
          parts.push(...(await read(from, edges[index + 1] ?? hours, limit)));
        expect(parts.toSorted()).toStrictEqual(whole);
      }),
      { numRuns: 10 },
    );
  },
);

test.each(["openai", "anthropic", "openrouter"] as const)(
  "no request to %s asks for users, whose ids are personal data",
  async (name) => {
    const bench = benchOf(name, NOW);
    const range = { start: NOW - 3.5 * DAY, end: NOW - 1.5 * DAY };
    for (const dataset of ["usage", "costs"]) {
      const records = await recordsOf(bench, `/v1/finops/${dataset}`, range);
      expect(records.length).toBeGreaterThan(2);
    }
    expect(bench.fake.requests.join("\n")).not.toMatch(/user|actor/);
  },
);

describe("Anthropic's page tokens", () => {
  const query = "/v1/finops/costs?start=2026-12-20T00:00:00Z&end=2026-12-22T00:00:00Z";

  test("a token that has expired (410) is a refused cursor, so that the window begins again", async () => {
    const bench = benchOf("anthropic", NOW, { groupsADay: 3 });
    const first = (await ask(bench, `${query}&limit=1`)).body as Page;
    const second = (await ask(bench, `${query}&limit=1&cursor=${first.next_cursor}`)).body as Page;
    const rest = `${query}&limit=1&cursor=${second.next_cursor}`;
    expect((await ask(bench, rest)).status).toBe(200);
    bench.fake.clock.advance(4 * HOUR);
    expect(await ask(bench, rest)).toMatchObject({
      status: 400,
      body: { title: "Invalid cursor", detail: expect.stringContaining("has expired") },
    });
    expect(bench.fake.requests.at(-1)).toContain("page=");
  });

  test("a 410 without a token is no refused cursor", async () => {
    const bench = benchOf("anthropic", NOW);
    const transport = network(bench, () => 410);
    expect((await ask(bench, query, { transport })).status).toBe(410);
  });

  test("days that fit a request need no token, however many they are", async () => {
    const bench = benchOf("anthropic", NOW, { groupsADay: 300 });
    const [start, end] = [Date.UTC(2026, 11, 18), Date.UTC(2026, 11, 22)];
    for (const dataset of ["usage", "costs"] as const) {
      const records = await recordsOf(bench, `/v1/finops/${dataset}`, { start, end });
      expect(sumsOf(records)).toStrictEqual(bench.fake.totals(start, end)[dataset]);
    }
    expect(bench.fake.requests.length).toBeGreaterThan(6);
    expect(bench.fake.requests.join("\n")).not.toContain("page=");
  });

  test("rows that are not in the order of time are a fault", async () => {
    const row = (day: number): string =>
      `{"starting_at":"2026-12-${day}T00:00:00Z","group":{},"cost":{"amount":"1","currency":"USD"}}`;
    const body = `{"data":[${row(21)},${row(20)}],"has_more":true,"next_page":"x"}`;
    await expect(ask(benchOf("anthropic", NOW), query, { body })).rejects.toThrow(
      /not in the order of time/,
    );
  });
});

test("a provider's page is asked for once by one process, however many pages it becomes", async () => {
  const bench = benchOf("openai", NOW);
  const adapter = adapterOf(bench);
  const crowded = "/v1/finops/costs?start=2026-11-06T00:00:00Z&end=2026-11-07T00:00:00Z&limit=500";
  const first = await adapter(crowded);
  const before = bench.fake.requests.length;
  const second = await adapter(`${crowded}&cursor=${first.next_cursor}`);
  expect(bench.fake.requests).toHaveLength(before);
  const afresh = (await ask(bench, `${crowded}&cursor=${first.next_cursor}`)).body;
  expect(second.data).toStrictEqual((afresh as Page).data);
  // The first page of a window is always requested, never taken from the kept pages.
  await adapter(crowded);
  expect(bench.fake.requests).toHaveLength(before + 2);
});

test("OpenRouter is not asked for a day that is not over, by its own clock", async () => {
  const bench = benchOf("openrouter", NOW);
  const adapter = adapterOf(bench);
  await adapter("/v1/finops/costs?start=2026-12-28T00:00:00Z&end=2026-12-31T00:00:00Z");
  await adapter("/v1/finops/costs?start=2026-12-30T00:00:00Z&end=2026-12-31T00:00:00Z");
  expect(bench.fake.requests.join("\n")).not.toContain("date=2026-12-30");
  expect(bench.fake.requests.length).toBeGreaterThan(0);
});

test("S1: a window that no export covers is available to its end if the report has shown rows of the day behind it", async () => {
  const bench = benchOf("anthropic", NOW);
  const adapter = adapterOf(bench);
  const { handle } = bench.fake;
  bench.fake.handle = (request) => {
    const answer = handle.call(bench.fake, request);
    const end = request.query.get("ending_at") ?? "";
    if (end > "2026-12-20T00:00:00Z" || request.query.get("limit") === "1") return answer;
    const body = { data: [], has_more: false, next_page: null, data_refreshed_at: null };
    return { ...answer, body: JSON.stringify(body) };
  };
  const throughOf = async (from: number, to: number): Promise<string> => {
    const window = `start=2026-12-${from}T00:00:00Z&end=2026-12-${to}T00:00:00Z`;
    return (await adapter(`/v1/finops/costs?${window}`)).available_through;
  };
  expect(await throughOf(18, 20)).toBe("2026-12-18T00:00:00Z");
  await throughOf(20, 21);
  expect(await throughOf(18, 20)).toBe("2026-12-20T00:00:00Z");
});

test("a report that is refused behind a part of its first day begins the window again", async () => {
  const bench = benchOf("openai", NOW);
  const query =
    "/v1/finops/usage?start=2026-12-20T00:00:00Z&end=2026-12-22T00:00:00Z&granularity=1d&limit=1";
  let page = (await ask(bench, query)).body as Page;
  const next = async () => await ask(bench, `${query}&cursor=${page.next_cursor}`);
  // The first page of another report than the first one that does not show a whole day.
  while (page.data[0]?.["ServiceName"] !== "OpenAI Embeddings") page = (await next()).body as Page;
  bench.fake.refuse("/usage/embeddings", 404);
  expect(await next()).toMatchObject({
    status: 400,
    body: {
      title: "Invalid cursor",
      detail: expect.stringContaining("of which it has shown a page"),
    },
  });
});
