import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Transport } from "../edges.ts";
import {
  validateCapabilities,
  validateCosts,
  validatePage,
  validateProblem,
  validateUsage,
} from "../generated/validators.js";
import {
  ask,
  type Asked,
  type Bench,
  benchOf,
  chunksOf,
  DAY,
  HOUR,
  type Page,
  pagesOf,
  recordsOf,
  type Row,
  sumsOf,
  transportOf,
} from "./testing.ts";

const NOW = Date.UTC(2026, 11, 30, 12);
const TODAY = Date.UTC(2026, 11, 30);

/** Each provider's bench, the endpoints of its datasets, and how far back it shows something. */
const PROVIDERS = [
  { title: "OpenAI", bench: () => benchOf("openai", NOW), place: "/v1/finops", days: 360 },
  { title: "Anthropic", bench: () => benchOf("anthropic", NOW), place: "/v1/finops", days: 360 },
  {
    title: "Anthropic's older API",
    bench: () => benchOf("anthropic", NOW, { legacy: true }),
    place: "/v1/finops/older",
    days: 360,
  },
  { title: "OpenRouter", bench: () => benchOf("openrouter", NOW), place: "/v1/finops", days: 30 },
] as const;

/** All records of `days` days, in windows of 30; each page judged by the schemas. */
async function readDays(bench: Bench, endpoint: string, days: number): Promise<Row[]> {
  const records: Row[] = [];
  const validate = endpoint.endsWith("usage") ? validateUsage : validateCosts;
  for (let start = TODAY - days * DAY; start < TODAY; start += 30 * DAY) {
    const end = Math.min(start + 30 * DAY, TODAY);
    for await (const page of pagesOf(bench, endpoint, { start, end })) {
      expect(validatePage(page)).toBe(true);
      expect(page.data.length).toBeLessThanOrEqual(1000);
      const wrong = page.data.find((record) => !validate(record));
      expect(wrong, JSON.stringify(validate.errors)).toBeUndefined();
      records.push(...page.data);
    }
  }
  return records;
}

describe.each(PROVIDERS)("$title", ({ bench: make, place, days }) => {
  test.each(["usage", "costs"] as const)(
    "%s of all days equal the provider's, to the digit",
    async (dataset) => {
      const bench = make();
      const records = await readDays(bench, `${place}/${dataset}`, days);
      const ids = new Set(records.map((record) => record["x_RecordId"]));
      expect(ids.size).toBe(records.length);
      expect(records.length).toBeGreaterThan(days);
      const truth = bench.fake.totals(TODAY - days * DAY, TODAY)[dataset];
      expect(sumsOf(records)).toStrictEqual(truth);
    },
  );

  test("any way of cutting windows and pages gives the same records", async () => {
    const bench = make();
    // One of these days has more than 1,000 records, if the provider shows days that old.
    const start = days > 30 ? Date.UTC(2026, 9, 30) : TODAY - 12 * DAY;
    const end = start + 12 * DAY;
    const whole = {
      usage: await recordsOf(bench, `${place}/usage`, { start, end }),
      costs: await recordsOf(bench, `${place}/costs`, { start, end }),
    };
    const key = (record: Row): string => JSON.stringify(record);
    const cuts = fc.uniqueArray(fc.integer({ min: 1, max: 11 }), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("usage" as const, "costs" as const),
        cuts,
        fc.constantFrom(333, 1000),
        async (dataset, cut, limit) => {
          const edges = [0, ...cut.toSorted((a, b) => a - b), 12].map((day) => start + day * DAY);
          const records: Row[] = [];
          for (const [index, from] of edges.slice(0, -1).entries()) {
            const to = edges[index + 1] ?? end;
            records.push(
              ...(await recordsOf(bench, `${place}/${dataset}`, { start: from, end: to, limit })),
            );
          }
          expect(records.map(key).toSorted()).toStrictEqual(whole[dataset].map(key).toSorted());
        },
      ),
      { numRuns: 8 },
    );
  });

  test("pages of a few records go on where the one before ended", async () => {
    const bench = make();
    const [start, end] = [TODAY - 4 * DAY, TODAY];
    for (const dataset of ["usage", "costs"]) {
      const whole = await recordsOf(bench, `${place}/${dataset}`, { start, end });
      for (const limit of [1, 2, 5]) {
        const records = await recordsOf(bench, `${place}/${dataset}`, { start, end, limit });
        expect(new Set(records.map((record) => JSON.stringify(record)))).toStrictEqual(
          new Set(whole.map((record) => JSON.stringify(record))),
        );
        expect(records).toHaveLength(whole.length);
      }
    }
  });

  test("capabilities keep the schema and name what is offered", async () => {
    const answer = await ask(make(), "/v1/finops/capabilities");
    expect(answer.status).toBe(200);
    expect(validateCapabilities(answer.body), JSON.stringify(validateCapabilities.errors)).toBe(
      true,
    );
    expect(answer.body).toMatchObject({ datasets: { usage: { endpoint: `${place}/usage` } } });
    expect(answer.headers["date"]).toBe(new Date(NOW).toUTCString());
  });

  test("a refusal comes as a problem document, with what says how long to wait", async () => {
    const bench = make();
    const query = "start=2026-12-20T00:00:00Z&end=2026-12-21T00:00:00Z&granularity=1d";
    const asked = async (path = `${place}/usage?${query}`) => {
      const answer = await ask(bench, path);
      expect(validateProblem(answer.body), answer.text).toBe(true);
      return answer;
    };
    bench.fake.limit(1, 7);
    expect(await asked()).toMatchObject({ status: 429, headers: { "retry-after": "7" } });
    bench.fake.fail(1, 503);
    expect(await asked()).toMatchObject({ status: 503, body: { detail: "Try again later." } });
    expect((await asked(`${place}/usage?${query}&limit=1001`)).status).toBe(400);
    expect((await asked(`${place}/usage?${query}&cursor=abc`)).status).toBe(400);
    expect((await asked(`${place}/usage?${query.replace("1d", "1m")}`)).status).toBe(400);
    expect((await asked(`${place}/usage?end=2026-12-21T00:00:00Z`)).status).toBe(400);
    expect(
      (await asked(`${place}/costs?start=2020-01-01T00:00:00Z&end=2026-01-01T00:00:00Z`)).status,
    ).toBe(400);
    expect((await asked("/v1/finops/nothing/usage")).status).toBe(404);
  });

  test("a wrong key is a 401 with a challenge, and says so", async () => {
    const answer = await ask(make(), "/v1/finops/capabilities", { key: "another" });
    expect(answer).toMatchObject({ status: 401, body: { detail: "Invalid API key." } });
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm=/);
  });
});

describe.each(PROVIDERS.slice(0, 3))("$title by the hour", ({ bench: make, place }) => {
  test("comes to the same sums as by the day", async () => {
    const bench = make();
    const [start, end] = [TODAY - 6 * DAY, TODAY];
    const window = { start, end, granularity: "1h" } as const;
    const records = await recordsOf(bench, `${place}/usage`, window);
    expect(sumsOf(records)).toStrictEqual(bench.fake.totals(start, end).usage);
    const halves = [
      await recordsOf(bench, `${place}/usage`, { ...window, end: start + 3 * DAY + 5 * HOUR }),
      await recordsOf(bench, `${place}/usage`, { ...window, start: start + 3 * DAY + 5 * HOUR }),
    ];
    const ids = (rows: readonly Row[]) => new Set(rows.map((row) => row["x_RecordId"]));
    expect(ids(halves.flat())).toStrictEqual(ids(records));
  });
});

describe("what an adapter says of its data", () => {
  const window = "start=2026-12-20T00:00:00Z&end=2026-12-31T00:00:00Z";
  const pageAt = async (bench: Bench, query = `costs?${window}`): Promise<Page> =>
    (await ask(bench, `/v1/finops/${query}`)).body as Page;

  test("available_through is the report's own where it says so, else now less the lag", async () => {
    const anthropic = await pageAt(benchOf("anthropic", NOW));
    expect(anthropic).toMatchObject({
      as_of: "2026-12-30T09:00:00Z",
      available_through: "2026-12-30T00:00:00Z",
    });
    const openai = benchOf("openai", NOW);
    expect(await pageAt(openai)).toMatchObject({
      as_of: "2026-12-30T12:00:00Z",
      available_through: "2026-12-29T00:00:00Z",
    });
    const hours = await pageAt(openai, `usage?${window}&granularity=1h`);
    expect(hours.available_through).toBe("2026-12-30T08:00:00Z");
  });

  test("a cost is final some days after its month, a day of OpenRouter's some days after it", async () => {
    const statusOf = async (bench: Bench, start: number) =>
      (await recordsOf(bench, "/v1/finops/costs", { start, end: start + DAY }))[0]?.[
        "x_CostStatus"
      ];
    const bench = benchOf("openai", NOW);
    expect(await statusOf(bench, Date.UTC(2026, 10, 20))).toBe("final");
    expect(await statusOf(bench, Date.UTC(2026, 11, 20))).toBe("provisional");
    bench.fake.clock.set(Date.UTC(2027, 0, 5, 23));
    expect(await statusOf(bench, Date.UTC(2026, 11, 20))).toBe("provisional");
    bench.fake.clock.set(Date.UTC(2027, 0, 6));
    expect(await statusOf(bench, Date.UTC(2026, 11, 20))).toBe("final");
    expect(await statusOf(benchOf("openrouter", NOW), Date.UTC(2026, 11, 20))).toBe("final");
    expect(await statusOf(benchOf("openrouter", NOW), Date.UTC(2026, 11, 27))).toBe("provisional");
  });

  test("as_of changes if a bucket that was given in part has changed", async () => {
    const bench = benchOf("openai", NOW);
    const crowded = "start=2026-11-06T00:00:00Z&end=2026-11-07T00:00:00Z&limit=1000";
    const first = await pageAt(bench, `costs?${crowded}`);
    const rest = `costs?${crowded}&cursor=${first.next_cursor}`;
    bench.fake.clock.advance(60_000);
    expect((await pageAt(bench, rest)).as_of).toBe(first.as_of);
    const changed = benchOf("openai", bench.fake.clock.now(), { seed: 12 });
    expect((await pageAt(changed, rest)).as_of).not.toBe(first.as_of);
  });

  test("the day that is not over has no rows at OpenRouter, and is no error", async () => {
    const bench = benchOf("openrouter", NOW);
    const query = "usage?start=2026-12-30T00:00:00Z&end=2026-12-31T00:00:00Z&granularity=1d";
    expect(await pageAt(bench, query)).toMatchObject({ data: [], next_cursor: null });
  });

  test("days before the first that Anthropic has are empty", async () => {
    const query = "usage?start=2025-12-30T00:00:00Z&end=2026-01-01T00:00:00Z&granularity=1d";
    const bench = benchOf("anthropic", Date.UTC(2026, 2, 1));
    expect(await pageAt(bench, query)).toMatchObject({ data: [], next_cursor: null });
    expect(bench.fake.requests).toStrictEqual([]);
  });

  test("the analytics API is left for the older one where it refuses the key, and only there", async () => {
    const bench = benchOf("anthropic", NOW);
    bench.fake.fail(1, 500);
    expect((await ask(bench, "/v1/finops/capabilities")).status).toBe(500);
  });

  test.each([400, 403] as const)(
    "the older API is read where the analytics API answers %i",
    async (refusal) => {
      const bench = benchOf("anthropic", NOW, { legacy: true, refusal });
      const { body } = await ask(bench, "/v1/finops/capabilities");
      expect(body).toMatchObject({ datasets: { usage: { endpoint: "/v1/finops/older/usage" } } });
    },
  );

  test("a 400 to the probe without a reason is such a refusal too; one with a reason is not", async () => {
    const bench = benchOf("anthropic", NOW);
    const answered = async (body: string): Promise<number> => {
      const transport: Transport = async (request) =>
        request.url.pathname.includes("/analytics/")
          ? { status: 400, headers: {}, body: chunksOf(body) }
          : await transportOf(bench.fake)(request);
      return (await ask(bench, "/v1/finops/capabilities", { transport })).status;
    };
    expect(await answered("{}")).toBe(200);
    expect(await answered('{"error":{"message":"starting_at is wrong"}}')).toBe(400);
  });

  test.each([
    "[]",
    "{}",
    '{"data":[1]}',
    '{"data":{"total_usage":{}}}',
    '{"data":{"total_usage":"a"}}',
  ])("OpenRouter's control total %s is no error", async (body) => {
    const bench = benchOf("openrouter", NOW);
    const transport: Transport = async (request) =>
      request.url.pathname.endsWith("/credits")
        ? { status: 200, headers: {}, body: chunksOf(body) }
        : await transportOf(bench.fake)(request);
    expect((await ask(bench, "/v1/finops/capabilities", { transport })).status).toBe(200);
  });

  test("endpoints that serve one model for one provider are records of their own", async () => {
    const range = { start: TODAY - 20 * DAY, end: TODAY };
    const records = await recordsOf(benchOf("openrouter", NOW), "/v1/finops/costs", range);
    const groups = Map.groupBy(records, (record) =>
      JSON.stringify([
        record["ChargePeriodStart"],
        record["x_ModelId"],
        record["x_UpstreamProvider"],
        record["x_WorkspaceId"],
      ]),
    );
    expect(Math.max(...[...groups.values()].map((group) => group.length))).toBe(2);
  });

  test("the account label is a part of each record id", async () => {
    const bench = benchOf("openai", NOW);
    const [start, end] = ["2026-12-20T00:00:00Z", "2026-12-21T00:00:00Z"];
    const idsFor = async (change: { label?: string }): Promise<string> => {
      const page = await ask(bench, `/v1/finops/costs?start=${start}&end=${end}`, change);
      return [...page.text.matchAll(/"x_RecordId":"([^"]+)"/g)].map(([, id]) => id).join(" ");
    };
    const [none, lab, again] = [
      await idsFor({}),
      await idsFor({ label: "lab" }),
      await idsFor({ label: "lab" }),
    ];
    expect(none).not.toBe("");
    expect(lab).toBe(again);
    expect(new Set([...none.split(" "), ...lab.split(" ")]).size).toBe(2 * none.split(" ").length);
  });

  test("Anthropic's rows are asked for by time, since their ranks change", async () => {
    const bench = benchOf("anthropic", NOW);
    await recordsOf(bench, "/v1/finops/costs", { start: TODAY - DAY, end: TODAY });
    expect(bench.fake.requests.join("\n")).toContain("order_by=time&order=asc");
  });

  test("amounts are dollars: a list price, an own key's cost and quantities stand beside them", async () => {
    const range = { start: Date.UTC(2026, 11, 20), end: Date.UTC(2026, 11, 21) };
    const [anthropic] = await recordsOf(benchOf("anthropic", NOW), "/v1/finops/costs", range);
    expect(Number(anthropic?.["ListCost"])).toBeCloseTo(
      Number(anthropic?.["BilledCost"]) * 1.25,
      9,
    );
    const routed = await recordsOf(benchOf("openrouter", NOW), "/v1/finops/costs", range);
    expect(routed[0]).toHaveProperty("x_OwnKeyCost");
    const [openai] = await recordsOf(benchOf("openai", NOW), "/v1/finops/costs", range);
    expect(openai).toMatchObject({ x_QuantityUnit: "tokens", BillingCurrency: "USD" });
  });
});

describe("reports that are not what they should be", () => {
  const QUERY = "costs?start=2026-12-20T00:00:00Z&end=2026-12-22T00:00:00Z";

  /** The adapter's answer if OpenAI sends this body with status 200. */
  const given = async (body: string): Promise<Asked> =>
    await ask(benchOf("openai", NOW), `/v1/finops/${QUERY}`, { body });
  const bucket = (results: string): string =>
    `{"data":[{"start_time":1797724800,"end_time":1797811200,"results":[${results}]}],"has_more":false,"next_page":null}`;

  test.each([
    ['{"data":[],"has_more":true,"next_page":"x"}', /has_more comes without a bucket/],
    ['{"data":[]}', /has_more is neither/],
    ['{"data":{},"has_more":false}', /data is no list/],
    ['{"data":[1],"has_more":false}', /no object/],
    ["[]", /it is no object/],
    ['{"data":[{"start_time":1797724801,"results":[]}],"has_more":false}', /does not begin/],
    [bucket('{"project_id":{}}'), /project_id is neither/],
    ['{"data":[{"results":[]}],"has_more":false}', /names no start/],
    ['{"data":[{"start_time":null,"results":[]}],"has_more":false}', /names no start/],
    ['{"data":[{"start_time":"soon","results":[]}],"has_more":false}', /names no start/],
  ])("%s is a fault", async (body, rule) => {
    await expect(given(body)).rejects.toThrow(rule);
  });

  test("a body that is no JSON is a 502, which is tried again", async () => {
    expect((await given("{")).status).toBe(502);
  });

  test.each([
    ["deep", "[".repeat(100_000), /nested deeper than 64/],
    ["of empty lists", `{"data":[${"[],".repeat(1_000_000)}[]]}`, /more than 400000 values/],
    ["of 300,000 buckets", `{"data":[${"{},".repeat(300_000)}{}]}`, /more than 400000 values/],
    ["of 9 MiB", `{"data":"${"x".repeat(9 * 1024 ** 2)}"}`, /larger than 8388608 bytes/],
  ])("a body that is %s is not parsed", async (_name, body, rule) => {
    await expect(given(body)).rejects.toThrow(rule);
  });

  test("L1: a day of 20,000 rows is read, because no smaller page can be asked for", async () => {
    const rows = Array.from(
      { length: 20_000 },
      (_, number) =>
        `{"object":"organization.costs.result","amount":{"value":${number},"currency":"usd"},"line_item":"gpt-5, input","project_id":"proj_${number}","organization_id":"org-1","project_name":"p","organization_name":"o","api_key_id":"key_${number}","api_source":null,"quantity":null}`,
    );
    const { body } = await given(bucket(rows.join(",")));
    const { data, next_cursor: next } = body as Page;
    expect(data.length).toBeGreaterThan(0);
    expect(next).toEqual(expect.any(String));
  });

  test("a page that is too large is asked for in smaller parts", async () => {
    const bench = benchOf("openai", NOW);
    const whole = await recordsOf(bench, "/v1/finops/costs", {
      start: TODAY - 9 * DAY,
      end: TODAY,
    });
    const transport: Transport = async (request) =>
      request.url.searchParams.get("limit") === "1"
        ? await transportOf(bench.fake)(request)
        : { status: 200, headers: {}, body: chunksOf("[".repeat(99)) };
    const start = new Date(TODAY - 9 * DAY).toISOString();
    const query = `costs?start=${start}&end=${new Date(TODAY).toISOString()}`;
    const { body } = await ask(bench, `/v1/finops/${query}`, { transport });
    const first = (body as Page).data;
    expect(first).toStrictEqual(whole.slice(0, first.length));
    expect(first.length).toBeGreaterThan(0);
  });

  test("an account's id has at most 100 characters", async () => {
    const bench = benchOf("anthropic", NOW);
    const transport: Transport = async (request) =>
      request.url.pathname.endsWith("/me")
        ? { status: 200, headers: {}, body: chunksOf(`{"id":"${"i".repeat(101)}"}`) }
        : await transportOf(bench.fake)(request);
    await expect(ask(bench, "/v1/finops/capabilities", { transport })).rejects.toThrow(
      /id is longer than 100 characters/,
    );
  });

  test("an amount that is missing or no number is left to the check of records", async () => {
    const { body } = await given(bucket('{"amount":{"currency":"usd"}},{"amount":{"value":"?"}}'));
    const [first, second] = (body as Page).data;
    expect([first, second].map((record) => validateCosts(record))).toStrictEqual([false, false]);
  });

  test.each([
    { of: "before the window", at: 1797638400, results: "" },
    { of: "behind the window", at: 1797897600, results: "" },
    { of: "behind the window, with a row,", at: 1797897600, results: '{"amount":{"value":7}}' },
  ])(
    "a bucket of $of is a fault that names it, not the end of the rows",
    async ({ at, results }) => {
      const inside =
        '{"start_time":1797724800,"results":[{"amount":{"value":1,"currency":"usd"}}]}';
      const outside = `{"start_time":${at},"results":[${results}]}`;
      const rule = `it shows ${new Date(at * 1000).toISOString().replace(".000", "")}`;
      for (const data of [`${inside},${outside}`, outside])
        await expect(given(`{"data":[${data}],"has_more":true}`)).rejects.toThrow(rule);
    },
  );

  test("rows of Anthropic and OpenRouter at another time than the one asked for are faults", async () => {
    const anthropic = '{"starting_at":"2026-12-19T00:00:00Z","group":{},"cost":{}}';
    const asked = (name: "anthropic" | "openrouter", body: string): Promise<Asked> =>
      ask(benchOf(name, NOW), `/v1/finops/${QUERY}`, { body });
    await expect(
      asked("anthropic", `{"data":[${anthropic}],"has_more":false,"next_page":null}`),
    ).rejects.toThrow(/it shows 2026-12-19T00:00:00Z, although it was asked for/);
    await expect(
      asked("anthropic", '{"data":[{"group":{},"cost":{}}],"has_more":false,"next_page":null}'),
    ).rejects.toThrow(/names no start/);
    await expect(asked("openrouter", '{"data":[{"date":"2026-12-21","usage":1}]}')).rejects.toThrow(
      /it shows 2026-12-21/,
    );
    await expect(asked("openrouter", '{"data":[{"usage":1}]}')).rejects.toThrow(/names no start/);
  });

  test.each([
    ["openai", bucket('{"num_model_requests":3,"input_token_count":9}'), /has no input_tokens/],
    [
      "anthropic",
      '{"data":[{"starting_at":"2026-12-20T00:00:00Z","group":{},"usage":{"input_tokens":5}}],"has_more":false}',
      /has no uncached_input_tokens/,
    ],
    ["openrouter", '{"data":[{"date":"2026-12-20","input_tokens":1}]}', /has no prompt_tokens/],
  ] as const)("a row of %s without its quantities is a fault", async (name, body, rule) => {
    const query = `usage?${QUERY.split("?")[1]}&granularity=1d`;
    await expect(ask(benchOf(name, NOW), `/v1/finops/${query}`, { body })).rejects.toThrow(rule);
  });

  test("cache writes and tools that nobody knows yet are counted by their names", async () => {
    const usage =
      '{"uncached_input_tokens":1,"output_tokens":0,"cache_read_input_tokens":0,"cache_creation":{"ephemeral_24h_input_tokens":7},"server_tool_use":{"web_fetch_requests":2}}';
    const row = `{"starting_at":"2026-12-20T00:00:00Z","group":{},"usage":${usage}}`;
    const query = `/v1/finops/usage?${QUERY.split("?")[1]}&granularity=1d`;
    const body = `{"data":[${row}],"has_more":false,"next_page":null,"data_refreshed_at":null}`;
    const answer = await ask(benchOf("anthropic", NOW), query, { body });
    const page = answer.body as Page;
    const sums = page.data.map((each) => [each["x_UsageType"], each["ConsumedQuantity"]]);
    expect(Object.fromEntries(sums)).toStrictEqual({
      input_tokens: "1",
      x_ephemeral_24h_input_tokens: "7",
      x_web_fetch_requests: "2",
    });
    // No export covers any part of the range yet.
    expect(page.available_through).toBe("2026-12-20T00:00:00Z");
    const odd = body.replace("web_fetch_requests", "web fetch");
    await expect(ask(benchOf("anthropic", NOW), query, { body: odd })).rejects.toThrow(
      /by the name "web fetch"/,
    );
  });

  test("a new kind of token beside the known ones is the rest of the row's total", async () => {
    const typesOf = async (total: number): Promise<unknown> => {
      const usage = `{"uncached_input_tokens":5,"output_tokens":3,"cache_read_input_tokens":0,"thinking_tokens":4,"total_tokens":${total},"cache_creation":{"ephemeral_5m_input_tokens":2}}`;
      const row = `{"starting_at":"2026-12-20T00:00:00Z","group":{},"usage":${usage}}`;
      const query = `/v1/finops/usage?${QUERY.split("?")[1]}&granularity=1d`;
      const body = `{"data":[${row}],"has_more":false,"data_refreshed_at":"2026-12-30T00:00:00Z"}`;
      const page = (await ask(benchOf("anthropic", NOW), query, { body })).body as Page;
      return Object.fromEntries(
        page.data.map((each) => [each["x_UsageType"], each["ConsumedQuantity"]]),
      );
    };
    const known = { input_tokens: "5", output_tokens: "3", cache_write_5m_tokens: "2" };
    expect(await typesOf(14)).toStrictEqual({ ...known, x_other_tokens: "4" });
    // The new kind lies inside of a known one.
    expect(await typesOf(10)).toStrictEqual(known);
    expect(await typesOf(9)).toStrictEqual(known);
  });

  test("uncached input is what the report calls so; only older rows are calculated", async () => {
    const row =
      '{"input_tokens":100,"input_uncached_tokens":50,"input_cached_tokens":30,"input_audio_tokens":8,"output_tokens":0}';
    const query =
      "/v1/finops/usage?start=2026-12-20T00:00:00Z&end=2026-12-21T00:00:00Z&granularity=1d";
    const { body } = await ask(benchOf("openai", NOW), query, { body: bucket(row) });
    const quantities = (body as Page).data.map((each) => [
      each["x_UsageType"],
      each["ConsumedQuantity"],
    ]);
    expect(Object.fromEntries(quantities)).toStrictEqual({
      input_tokens: "42",
      input_audio_tokens: "8",
      cache_read_tokens: "30",
    });
  });

  test("a group that comes twice counts once; with two values it is a fault that names it", async () => {
    const row = '{"line_item":"gpt-5, input","amount":{"value":1.095e-05,"currency":"usd"}}';
    const other = row.replace("1.095e-05", "7");
    await expect(given(bucket(`${row},${other}`))).rejects.toThrow(
      /a group twice with different values on 2026-12-20T00:00:00Z: .*gpt-5, input/,
    );
    const of = `{"start_time":1797724800,"results":[${row}]}`;
    const again = await given(`{"data":[${of},${of}],"has_more":false}`);
    expect((again.body as Page).data).toHaveLength(1);
    const { body } = await given(bucket(`${row},${row}`));
    expect((body as Page).data).toMatchObject([
      {
        BilledCost: "0.00001095",
        EffectiveCost: "0.00001095",
        x_ModelId: "gpt-5",
        SkuMeter: "input",
      },
    ]);
  });

  test("two rows of one amount that differ in a new member are no repetition: one of them would vanish", async () => {
    const row = (region: string, value: string): string =>
      `{"line_item":"gpt-5, input","region":"${region}","amount":{"value":${value},"currency":"usd"}}`;
    await expect(given(bucket(`${row("eu", "7")},${row("us", "7")}`))).rejects.toThrow(
      /a group twice with different values on 2026-12-20T00:00:00Z: .*gpt-5, input/,
    );
    const { body } = await given(bucket(`${row("eu", "0E-20")},${row("us", "0E-20")}`));
    expect((body as Page).data).toMatchObject([{ BilledCost: "0" }]);
  });

  test.each([
    { title: "in one page", days: [21, 20] },
    { title: "a page each", days: [21] },
  ])(
    "buckets with the newest first are a fault, $title: the older ones would vanish",
    async ({ days }) => {
      const buckets = days.map((day) => ({
        start_time: Date.UTC(2026, 11, day) / 1000,
        results: [],
      }));
      const query = "/v1/finops/costs?start=2026-12-19T00:00:00Z&end=2026-12-22T00:00:00Z";
      const body = JSON.stringify({ data: buckets, has_more: true });
      await expect(ask(benchOf("openai", NOW), query, { body })).rejects.toThrow(
        /has_more comes with buckets that are not in the order of time/,
      );
    },
  );
});
