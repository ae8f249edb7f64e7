/** Groups that OpenAI refuses: costs name no API keys before 2025-12-06, and the API may not know a group of the SDK. */
import { expect, test } from "vitest";
import type { Transport } from "../edges.ts";
import { ask, benchOf, chunksOf, DAY, type Page, recordsOf, sumsOf } from "./testing.ts";

const NOW = Date.UTC(2026, 0, 10, 12);
const SINCE = Date.UTC(2025, 11, 6);
const RANGE = { start: SINCE - 9 * DAY, end: SINCE + 9 * DAY };

test("costs of days before OpenAI names keys are read without them, to the digit", async () => {
  const bench = benchOf("openai", NOW);
  const records = await recordsOf(bench, "/v1/finops/costs", RANGE);
  expect(sumsOf(records)).toStrictEqual(bench.fake.totals(RANGE.start, RANGE.end).costs);
  const isOld = (row: (typeof records)[number]): boolean =>
    Date.parse(row["ChargePeriodStart"] ?? "") < SINCE;
  const keysOf = (rows: typeof records): ReadonlySet<unknown> =>
    new Set(rows.map((row) => row["x_ApiKeyId"]));
  expect(keysOf(records.filter(isOld))).toStrictEqual(new Set([null]));
  expect(keysOf(records.filter((row) => !isOld(row))).size).toBeGreaterThan(2);
  expect(new Set(records.map((row) => row["x_RecordId"])).size).toBe(records.length);
});

test("any cut of the window gives the same records", async () => {
  const bench = benchOf("openai", NOW);
  const texts = async (start: number, end: number, limit: number): Promise<string[]> =>
    (await recordsOf(bench, "/v1/finops/costs", { start, end, limit })).map((row) =>
      JSON.stringify(row),
    );
  const whole = await texts(RANGE.start, RANGE.end, 1000);
  for (const [cut, limit] of [
    [SINCE, 1000],
    [SINCE - DAY, 90],
    [SINCE + DAY, 333],
  ] as const) {
    const parts = [
      ...(await texts(RANGE.start, cut, limit)),
      ...(await texts(cut, RANGE.end, limit)),
    ];
    expect(parts.toSorted()).toStrictEqual(whole.toSorted());
  }
});

test.each([
  ["the instant is no later than the day", "api_key_id", 1764979200 - 30 * 86_400],
  ["the group was not asked for", "user_id", 1764979200],
])("a refusal is passed on if %s", async (_why, group, since) => {
  let requests = 0;
  const transport: Transport = async () => {
    requests += 1;
    const message = `group_by=${group} is not available for this time range. Try a start_time on or after ${since}.`;
    const body = chunksOf(JSON.stringify({ error: { message } }));
    return { status: 400, headers: {}, body };
  };
  const query = "/v1/finops/costs?start=2025-11-20T00:00:00Z&end=2025-11-21T00:00:00Z";
  const answer = await ask(benchOf("openai", NOW), query, { transport });
  expect(answer.status).toBe(400);
  expect(requests).toBe(1);
});

test("a provider that moves the instant with each answer is asked once for each group", async () => {
  let requests = 0;
  const transport: Transport = async () => {
    requests += 1;
    const since = 1764979200 + requests;
    const message = `group_by=api_key_id is not available for this time range. Try a start_time on or after ${since}.`;
    return { status: 400, headers: {}, body: chunksOf(JSON.stringify({ error: { message } })) };
  };
  const query = "/v1/finops/costs?start=2025-11-20T00:00:00Z&end=2025-11-21T00:00:00Z";
  expect((await ask(benchOf("openai", NOW), query, { transport })).status).toBe(400);
  expect(requests).toBe(2);
});

test("a group that the report does not have is left out", async () => {
  const bench = benchOf("openai", NOW);
  const range = { start: SINCE, end: SINCE + 3 * DAY };
  const whole = await recordsOf(bench, "/v1/finops/costs", range);
  const handle = bench.fake.handle.bind(bench.fake);
  let refused = 0;
  bench.fake.handle = (request) => {
    const isKnown = !request.query.getAll("group_by[]").includes("api_source");
    if (isKnown || !request.path.endsWith("/costs")) return handle(request);
    refused += 1;
    const message =
      "Invalid value: 'api_source'. Supported values are: 'project_id', 'line_item', 'user_id', and 'api_key_id'.";
    const body = JSON.stringify({
      error: { message, param: "group_by[3]", code: "invalid_value" },
    });
    return { status: 400, headers: {}, body };
  };
  const records = await recordsOf(bench, "/v1/finops/costs", range);
  expect(refused).toBeGreaterThan(0);
  expect(sumsOf(records)).toStrictEqual(sumsOf(whole));
  expect(new Set(records.map((row) => row["x_ApiSource"]))).toStrictEqual(new Set([null]));
});

test("a window without such days keeps its keys, and sends no refused request", async () => {
  const bench = benchOf("openai", NOW);
  const start = new Date(SINCE).toISOString();
  const end = new Date(SINCE + DAY).toISOString();
  const { body } = await ask(bench, `/v1/finops/costs?start=${start}&end=${end}`);
  expect((body as Page).data.length).toBeGreaterThan(0);
  expect(bench.fake.requests.every((path) => path.includes("api_key_id"))).toBe(true);
});
