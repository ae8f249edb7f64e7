/**
 * The whole engine over each adapter: syncs of some months, killed and limited on the way, against the truth of the fakes.
 * `SEEDS=all` reads a year.
 */
import { describe, expect, test } from "vitest";
import type { FakeName } from "../../fake_providers/index.ts";
import { type Host, run } from "../connector.ts";
import { ConnectorError } from "../errors.ts";
import {
  type Bench,
  benchOf,
  chunksOf,
  DAY,
  HOUR,
  hostOf,
  type Row,
  sumsOf,
  timedHostOf,
  transportOf,
  TYPES,
} from "./testing.ts";
import type { Output } from "../protocol.ts";

const catalogOf = (streams: readonly string[]) => ({
  streams: streams.map((name) => ({
    stream: { name, json_schema: {}, supported_sync_modes: ["incremental"] },
    sync_mode: "incremental",
    destination_sync_mode: "append_dedup",
  })),
});
const CATALOG = catalogOf(["usage", "costs", "export_windows"]);
const WITHOUT_REPORTS = catalogOf(["usage", "costs"]);

/** A message, as a platform reads it. */
interface Message {
  readonly type: string;
  readonly record?: { readonly stream: string; readonly data: Row };
  readonly state?: { readonly stream: { readonly stream_descriptor: { readonly name: string } } };
  readonly log?: { readonly level: string; readonly message: string };
  readonly connectionStatus?: { readonly status: string; readonly message: string };
}

/** A platform with a warehouse: keeps the rows and the newest states. */
class Platform {
  readonly bench: Bench;
  readonly rows: { readonly stream: string; readonly data: Row }[] = [];
  readonly logs: string[] = [];
  readonly states = new Map<string, unknown>();
  readonly #skew: number | "timed";

  /** @param skew see {@link hostOf}; `timed` where waits and requests take the fake's time */
  constructor(bench: Bench, skew: number | "timed" = 0) {
    this.bench = bench;
    this.#skew = skew;
  }

  /** Runs the connector; it dies after `most` lines. Gives back whether it said that all went well. */
  async sync(
    most = Infinity,
    change: object = {},
    catalog: object = CATALOG,
  ): Promise<boolean | undefined> {
    const stop = new AbortController();
    const outputs = run(
      {
        kind: "read",
        config: "config",
        catalog: "catalog",
        state: "state",
        writeConfig: false,
        debug: false,
      },
      this.#host(stop.signal, change, catalog),
    );
    let lines = 0;
    for (;;) {
      const next = await outputs.next();
      if (next.done === true) return next.value;
      for (const message of messagesOf(next.value)) {
        if (lines++ >= most) {
          stop.abort(new ConnectorError("aborted", "killed"));
          return undefined;
        }
        this.#take(message);
      }
    }
  }

  async check(change: object = {}, transport = transportOf(this.bench.fake)): Promise<Message[]> {
    const openTransport = () => ({ transport, close: () => Promise.resolve() });
    const host = { ...this.#host(new AbortController().signal, change), openTransport };
    const messages: Message[] = [];
    const outputs = run(
      { kind: "check", config: "config", writeConfig: false, debug: false },
      host,
    );
    for await (const output of outputs) messages.push(...messagesOf(output));
    return messages;
  }

  #take(message: Message): void {
    if (message.record !== undefined) this.rows.push(message.record);
    if (message.log !== undefined) this.logs.push(message.log.message);
    const { state } = message;
    if (state !== undefined) this.states.set(state.stream.stream_descriptor.name, state);
  }

  #host(stop: AbortSignal, change: object, catalog: object = CATALOG): Host {
    const files = { config: change, catalog, state: [...this.states.values()] };
    return this.#skew === "timed"
      ? timedHostOf(this.bench, files, stop)
      : hostOf(this.bench, files, stop, this.#skew);
  }

  /** The rows that stand, by record id: for each record, the row of its newest reading. */
  byId(stream: string): Row[] {
    const newest = new Map<string, Row>();
    for (const { data } of this.rows.filter((row) => row.stream === stream)) {
      const id = data["x_RecordId"] ?? "";
      const before = newest.get(id)?.["x_ReadingId"] ?? "";
      if ((data["x_ReadingId"] ?? "") >= before) newest.set(id, data);
    }
    return [...newest.values()];
  }

  /** The rows that stand, by reading: for each day, the rows that its newest complete reading names. */
  byReading(stream: string): Row[] {
    const newest = new Map<string, Row>();
    for (const { data } of this.rows.filter((row) => row.stream === "export_windows")) {
      const day = data["day"] ?? "";
      const before = newest.get(day)?.["reading_id"] ?? "";
      if (data["dataset"] === stream && (data["reading_id"] ?? "") >= before) newest.set(day, data);
    }
    const standing = new Map<string, Row>();
    for (const { data } of this.rows.filter((row) => row.stream === stream)) {
      const report = newest.get(data["ChargePeriodStart"]?.slice(0, 10) ?? "");
      const reading = report?.["rows_reading_id"] ?? report?.["reading_id"];
      if (data["x_ReadingId"] === reading) standing.set(JSON.stringify(data), data);
    }
    return [...standing.values()];
  }
}

function messagesOf(output: Output): Message[] {
  if (output.type !== "RECORD_LINES") return [JSON.parse(JSON.stringify(output)) as Message];
  const lines = Buffer.from(output.bytes).toString().trim().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Message);
}

const NOW = Date.UTC(2026, 9, 30, 9);

/** Whether the tests of a year read a year, as in CI. By default they read some months, which take a third of the time. */
const isWhole = process.env["SEEDS"] === "all";

/** Compares the warehouse with the truth, from a first day on. */
function expectTruth(platform: Platform, from: number): void {
  const { fake } = platform.bench;
  const truth = fake.totals(from, fake.clock.now() + DAY);
  expect(truth.usage.length).toBeGreaterThan(30);
  expect(sumsOf(platform.byId("usage"))).toStrictEqual(truth.usage);
  expect(sumsOf(platform.byReading("usage"))).toStrictEqual(truth.usage);
  expect(sumsOf(platform.byId("costs"))).toStrictEqual(truth.costs);
  expect(sumsOf(platform.byReading("costs"))).toStrictEqual(truth.costs);
}

describe.each([
  { name: "openai", options: {}, year: Date.UTC(2025, 9, 30), syncs: 4 },
  { name: "anthropic", options: {}, year: Date.UTC(2026, 0, 1), syncs: 6 },
  { name: "anthropic", options: { legacy: true }, year: Date.UTC(2025, 9, 31), syncs: 6 },
] as const)("$name $options", ({ name, options, year, syncs }) => {
  test("a year or some months, then a sync every third day: late and corrected rows are there", async () => {
    const first = isWhole ? year : Date.UTC(2026, 8, 1);
    const platform = new Platform(benchOf(name, NOW, options));
    const { fake } = platform.bench;
    const start = new Date(first).toISOString().slice(0, 10);
    for (let sync = 0; sync < syncs; sync++) {
      if (sync === 3) fake.limit(2, 1);
      if (sync === 5) fake.fail(2, 503);
      expect(await platform.sync(Infinity, { start_date: start })).toBe(true);
      if (sync + 1 < syncs) fake.clock.advance(3 * DAY);
    }
    expectTruth(platform, first);
  });

  test("killed anywhere, it goes on from its state", async () => {
    const platform = new Platform(benchOf(name, NOW, options));
    const first = Date.UTC(2026, isWhole ? 7 : 8, 1);
    const start = new Date(first).toISOString().slice(0, 10);
    const change = { start_date: start, page_size: 90, concurrency: 2 };
    let kills = 0;
    while ((await platform.sync(700, change)) === undefined) {
      kills += 1;
      expect(kills).toBeLessThan(60);
    }
    expect(kills).toBeGreaterThan(3);
    expectTruth(platform, first);
  });
});

test("OpenRouter over a year or some months, of which it shows 30 days at a time", async () => {
  const platform = new Platform(benchOf("openrouter", Date.UTC(2026, 0, 31, 9)));
  const { fake } = platform.bench;
  for (;;) {
    expect(await platform.sync()).toBe(true);
    if (fake.clock.now() > Date.UTC(2026, isWhole ? 12 : 3)) break;
    fake.clock.advance(6 * DAY);
  }
  expectTruth(platform, Date.UTC(2026, 0, 1));
});

/** The sync needs more requests than an hour allows: one for each day of costs, and one for three days of usage. */
const SLOW = isWhole
  ? { days: 70, requestsAnHour: 90, minutes: 67 }
  : { days: 40, requestsAnHour: 50, minutes: 120 };

test("Anthropic's first sync with 300 groups a day, few requests an hour and tokens of four hours ends", async () => {
  // The data is refreshed, which ends all tokens, at 12:00: while the sync waits for the next hour.
  const now = Date.UTC(2026, 6, 20, 11, 30);
  const { days, requestsAnHour, minutes } = SLOW;
  const first = now - days * DAY;
  const options = { groupsADay: 300, requestsAnHour };
  const platform = new Platform(benchOf("anthropic", now, options), "timed");
  const { fake } = platform.bench;
  const start = new Date(first).toISOString().slice(0, 10);
  expect(await platform.sync(Infinity, { start_date: start })).toBe(true);
  expect(fake.clock.now() - now).toBeGreaterThan(HOUR);
  expect(fake.requests.length).toBeLessThan((days + 1) * 2);
  expect(platform.logs.join("\n")).toContain(
    `allows about ${requestsAnHour} requests an hour to this key. 100 days of costs like those just read take about 100 requests, or ${minutes} minutes`,
  );
  const truth = fake.totals(Date.parse(start), Date.UTC(2026, 6, 20));
  const isOver = (row: Row): boolean => (row["ChargePeriodStart"] ?? "") < "2026-07-20";
  for (const dataset of ["usage", "costs"] as const)
    expect(sumsOf(platform.byId(dataset).filter(isOver))).toStrictEqual(truth[dataset]);
}, 180_000);

describe("a report that OpenAI refuses", () => {
  const change = { start_date: "2026-10-25" };
  const warnings = ({ logs }: Platform): string[] =>
    logs.filter((message) => message.includes("refuses the report"));
  const keysOf = (rows: readonly Row[]): string[] =>
    rows
      .filter((row) => (row["ChargePeriodStart"] ?? "") < "2026-10-29")
      .map((row) => JSON.stringify(row))
      .toSorted();

  test.each([403, 404])(
    "R11: a report that never had rows (%i) is empty, and the others are read",
    async (status) => {
      const platform = new Platform(benchOf("openai", NOW));
      const { fake } = platform.bench;
      fake.refuse("/usage/decisions", status);
      expect(await platform.sync(Infinity, change)).toBe(true);
      expect(warnings(platform)).toEqual([
        `OpenAI refuses the report decisions (HTTP ${status}). It never had rows, so it counts as empty. The next sync asks for it again.`,
      ]);
      const truth = fake.totals(Date.UTC(2026, 9, 25), NOW + DAY);
      expect(sumsOf(platform.byId("costs"))).toStrictEqual(truth.costs);
      expect(platform.byReading("usage").length).toBeGreaterThan(50);
      expect(
        platform.byReading("usage").some((row) => row["ServiceName"] === "OpenAI Decisions"),
      ).toBe(false);
      fake.refuse("/usage/decisions", null);
      fake.clock.advance(DAY);
      expect(await platform.sync(Infinity, change)).toBe(true);
      expectTruth(platform, Date.UTC(2026, 9, 25));
    },
  );

  test("R11: its rows of before stand, nothing is proven meanwhile, and all is right once it answers again", async () => {
    const platform = new Platform(benchOf("openai", NOW));
    const { fake } = platform.bench;
    expect(await platform.sync(Infinity, change)).toBe(true);
    const before = keysOf(platform.byReading("usage"));
    const reports = platform.rows.length;
    for (let day = 0; day < 2; day++) {
      fake.clock.advance(DAY);
      fake.refuse("/usage/decisions", 404);
      expect(await platform.sync(Infinity, change)).toBe(true);
      expect(warnings(platform)[day]).toMatch(
        /It had rows until 2026-10-(29|30). The earlier rows .* stand/,
      );
      expect(keysOf(platform.byReading("usage"))).toStrictEqual(before);
      expect(
        platform.byReading("usage").some((row) => (row["ChargePeriodStart"] ?? "") >= "2026-10-31"),
      ).toBe(true);
    }
    const since = platform.rows
      .slice(reports)
      .filter(({ stream, data }) => stream === "export_windows" && data["dataset"] === "usage");
    expect(since.length).toBeGreaterThan(5);
    expect(since.filter(({ data }) => data["confirmed"] !== (false as unknown))).toEqual([]);
    fake.refuse("/usage/decisions", null);
    fake.clock.advance(DAY);
    expect(await platform.sync(Infinity, change)).toBe(true);
    expectTruth(platform, Date.UTC(2026, 9, 25));
  });

  test.each([403, 404])(
    "a refusal (%i) in the middle of a report begins the window again, and does not hold the stream for ever",
    async (status) => {
      const platform = new Platform(benchOf("openai", NOW));
      const { fake } = platform.bench;
      const early = { start_date: "2026-09-01", page_size: 50, concurrency: 1, scrub_days: 1 };
      const { handle } = fake;
      let asked = 0;
      fake.handle = (request) => {
        // The second request of the first window asks for days in its middle.
        if (request.path.endsWith("/usage/images") && ++asked === 2)
          fake.refuse("/usage/images", status);
        return handle.call(fake, request);
      };
      expect(await platform.sync(Infinity, early)).toBe(true);
      expect(warnings(platform)).toEqual([
        expect.stringContaining(
          `refuses the report images (HTTP ${status}), of which it has shown`,
        ),
        expect.stringMatching(/refuses the report images .* The next sync asks for it again\.$/),
      ]);
      fake.refuse("/usage/images", null);
      fake.clock.advance(DAY);
      expect(await platform.sync(Infinity, early)).toBe(true);
      expectTruth(platform, Date.UTC(2026, 8, 1));
    },
  );

  test("R11: once it answers, the days that were read without it are read with it, once", async () => {
    const platform = new Platform(benchOf("openai", NOW));
    const { fake } = platform.bench;
    const early = { start_date: "2026-09-01", scrub_days: 0 };
    const noteOf = (): string =>
      /"source_note":"([^"]*)"/.exec(JSON.stringify(platform.states.get("usage")))?.[1] ?? "";
    fake.refuse("/usage/decisions", 403);
    for (let day = 0; day < 2; day++) {
      expect(await platform.sync(Infinity, early)).toBe(true);
      fake.clock.advance(DAY);
    }
    expect(noteOf()).toContain("decisions!2026-09-01/2026-11-01");
    fake.refuse("/usage/decisions", null);
    expect(await platform.sync(Infinity, early)).toBe(true);
    expect(noteOf()).toMatch(/decisions!2026-09-01\/2026-10-\d\d\/2026-11-01/);
    fake.clock.advance(DAY);
    expect(await platform.sync(Infinity, early)).toBe(true);
    expectTruth(platform, Date.UTC(2026, 8, 1));
    expect(noteOf()).not.toContain("!");
    fake.clock.advance(DAY);
    const before = fake.requests.length;
    expect(await platform.sync(Infinity, early)).toBe(true);
    const september = String(Date.UTC(2026, 8, 1) / 1000);
    expect(
      fake.requests
        .slice(before)
        .filter((path) => path.includes(`usage/decisions?start_time=${september}`)),
    ).toEqual([]);
  });

  test("R10 R11: days that were read without it are proven, although syncs without export_windows read them with it", async () => {
    const platform = new Platform(benchOf("openai", NOW));
    const { fake } = platform.bench;
    const october = { start_date: "2026-10-01", scrub_days: 0 };
    const unproven = (): string[] => {
      const newest = new Map<string, Row>();
      for (const { stream, data } of platform.rows) {
        const isOfUsage = stream === "export_windows" && data["dataset"] === "usage";
        const day = data["day"] ?? "";
        if (isOfUsage && (data["reading_id"] ?? "") >= (newest.get(day)?.["reading_id"] ?? ""))
          newest.set(day, data);
      }
      const reports = [...newest.values()];
      return reports.flatMap((row) =>
        String(row["confirmed"]) === "true" ? [] : (row["day"] ?? ""),
      );
    };
    expect(await platform.sync(Infinity, october)).toBe(true);
    fake.clock.advance(DAY);
    fake.refuse("/usage/decisions", 403);
    expect(await platform.sync(Infinity, october)).toBe(true);
    expect(unproven().length).toBeGreaterThan(5);
    fake.refuse("/usage/decisions", null);
    for (let day = 0; day < 2; day++) {
      fake.clock.advance(DAY);
      expect(await platform.sync(Infinity, october, WITHOUT_REPORTS)).toBe(true);
    }
    fake.clock.advance(DAY);
    expect(await platform.sync(Infinity, october)).toBe(true);
    expect(unproven()).toEqual([]);
  });

  test("R11: a report that is refused with another status (400) does not count as empty: the stream fails", async () => {
    const platform = new Platform(benchOf("openai", NOW));
    platform.bench.fake.refuse("/usage/decisions", 400);
    expect(await platform.sync(Infinity, change)).toBe(false);
    expect(warnings(platform)).toEqual([]);
    expect(platform.byReading("usage")).toEqual([]);
  });

  test("a key that may read no usage at all is an error", async () => {
    const platform = new Platform(benchOf("openai", NOW));
    platform.bench.fake.refuse("/usage/completions", 403);
    expect(await platform.sync(Infinity, change)).toBe(false);
    expect(warnings(platform)).toEqual([]);
  });
});

test("OpenAI's days before December 2025, whose costs name no keys, are read too, killed anywhere", async () => {
  const platform = new Platform(benchOf("openai", Date.UTC(2026, 0, 10, 9)));
  const change = { start_date: "2025-11-20", page_size: 90 };
  let kills = 0;
  while ((await platform.sync(400, change)) === undefined) expect(kills++).toBeLessThan(60);
  expect(kills).toBeGreaterThan(3);
  expectTruth(platform, Date.UTC(2025, 10, 20));
  expect(platform.logs).toContain(
    "OpenAI has no api_key_id in the report costs before 2025-12-06: rows of these days do not name it.",
  );
});

test("Anthropic's usage of a month is read again until its costs are final", async () => {
  const platform = new Platform(benchOf("anthropic", Date.UTC(2026, 9, 20, 9)));
  const { fake } = platform.bench;
  const change = { start_date: "2026-10-01" };
  expect(await platform.sync(Infinity, change)).toBe(true);
  const asks = async (now: number): Promise<boolean> => {
    fake.clock.set(now);
    const before = fake.requests.length;
    expect(await platform.sync(Infinity, { ...change, scrub_days: 0 })).toBe(true);
    return fake.requests
      .slice(before)
      .some((path) => path.includes("usage?starting_at=2026-10-01"));
  };
  expect(await asks(Date.UTC(2026, 10, 8, 9))).toBe(true);
  expect(await asks(Date.UTC(2026, 10, 9, 9))).toBe(false);
});

describe("a range that no export of Anthropic covers", () => {
  /** Answers requests of the analytics reports so, if they end by an instant; the probe goes on as it was. Returns the way back. */
  function uncover({ bench: { fake } }: Platform, until: number): () => void {
    const { handle } = fake;
    fake.handle = (request) => {
      const answer = handle.call(fake, request);
      const isReport = /analytics\/(usage|cost)$/.test(request.path);
      const end = Date.parse(request.query.get("ending_at") ?? "");
      if (!isReport || request.query.get("limit") === "1" || end > until) return answer;
      const body = { data: [], has_more: false, next_page: null, data_refreshed_at: null };
      return { ...answer, body: JSON.stringify(body) };
    };
    return () => {
      fake.handle = handle;
    };
  }

  test("R11: rows that it has shown before stand, few or many, and nothing is proven meanwhile", async () => {
    const platform = new Platform(benchOf("anthropic", NOW));
    const { fake } = platform.bench;
    const change = { start_date: "2026-10-20", scrub_days: 0 };
    expect(await platform.sync(Infinity, change)).toBe(true);
    const before = platform.byReading("costs");
    const ofLastDay = before.filter((row) => row["ChargePeriodStart"]?.startsWith("2026-10-30"));
    // So few that R8 would not have asked for a second look.
    expect(ofLastDay.length).toBeGreaterThan(0);
    expect(ofLastDay.length).toBeLessThan(10);
    fake.clock.advance(DAY);
    const back = uncover(platform, Infinity);
    const reports = platform.rows.length;
    expect(await platform.sync(Infinity, change)).toBe(true);
    expect(platform.byReading("costs")).toStrictEqual(before);
    const proven = platform.rows
      .slice(reports)
      .filter(({ data }) => data["dataset"] === "costs" && data["confirmed"] === (true as unknown));
    expect(proven).toEqual([]);
    expect(platform.logs.join("\n")).toContain(
      "Anthropic says that the report costs has no data of 2026-10-30, of which it had rows.",
    );
    back();
    fake.clock.advance(DAY);
    expect(await platform.sync(Infinity, change)).toBe(true);
    expectTruth(platform, Date.UTC(2026, 9, 20));
  });

  test("S1: months before the first export do not hold the position for ever", async () => {
    const platform = new Platform(benchOf("anthropic", NOW));
    uncover(platform, Date.UTC(2026, 8, 1));
    const change = { start_date: "2026-07-01", scrub_days: 0 };
    const positionOf = (stream: string): string =>
      /"position":"([^"]*)"/.exec(JSON.stringify(platform.states.get(stream)))?.[1] ?? "";
    for (let sync = 0; sync < 2; sync++) {
      expect(await platform.sync(Infinity, change)).toBe(true);
      platform.bench.fake.clock.advance(6 * HOUR);
    }
    expect(positionOf("costs")).toBe("2026-10-30T00:00:00Z");
    expect(positionOf("usage")).toBe("2026-10-30T00:00:00Z");
  });
});

describe("what a person sees", () => {
  test("a web page at the first request is a wrong address, at once", async () => {
    const platform = new Platform(benchOf("openai", NOW));
    const messages = await platform.check({}, async () => ({
      status: 200,
      headers: { "content-type": "text/html" },
      body: chunksOf("<!DOCTYPE html><p>Welcome"),
    }));
    expect(messages.at(-1)?.connectionStatus).toMatchObject({ status: "FAILED" });
    expect(messages.at(-1)?.connectionStatus?.message).toContain("web page");
  });

  test("check succeeds, and a log line says what is read and assumed", async () => {
    const platform = new Platform(benchOf("anthropic", NOW, { legacy: true }));
    const messages = await platform.check();
    expect(messages.find(({ type }) => type === "CONNECTION_STATUS")?.connectionStatus).toEqual({
      status: "SUCCEEDED",
      message: "Usage and costs can be read from Anthropic.",
    });
    const saidAt = (level: string): string =>
      messages.flatMap(({ log }) => (log?.level === level ? [log.message] : [])).join("\n");
    expect(saidAt("INFO")).toMatch(/older Admin API.*before credits and tax/s);
    expect(saidAt("WARN")).toMatch(
      /refuses the analytics API .* leaves out the costs of the priority tier.* scope read:analytics/,
    );
    expect(saidAt("DEBUG")).toContain("provider.test/v1/organizations/usage_report/messages?");
  });

  test.each(["anthropic", "openai", "openrouter"] satisfies FakeName[])(
    "%s: nothing is warned of where no money is missing",
    async (name) => {
      const messages = await new Platform(benchOf(name, NOW)).check();
      expect(messages.filter(({ log }) => log?.level === "WARN")).toEqual([]);
    },
  );

  test.each(["anthropic", "openai", "openrouter"] satisfies FakeName[])(
    "a wrong key of %s is a failed check that tells what the provider said",
    async (name) => {
      const platform = new Platform(benchOf(name, NOW));
      const credentials = { auth_type: TYPES[name], api_key: "sk-wrong-key" };
      const messages = await platform.check({ credentials });
      const status = messages.at(-1)?.connectionStatus;
      expect(status?.status).toBe("FAILED");
      expect(status?.message).toContain("Invalid API key.");
      expect(JSON.stringify(messages)).not.toContain("sk-wrong-key");
    },
  );

  test("a log line says what no report has, and the control total", async () => {
    const said = JSON.stringify(await new Platform(benchOf("openrouter", NOW)).check());
    expect(said).toContain("The fee on deposits (about 5 %) is in no report.");
    expect(said).toContain("The account has used 12.5 dollars of credits in all.");
    const anthropic = JSON.stringify(await new Platform(benchOf("anthropic", NOW)).check());
    expect(anthropic).toContain("reads its child organizations together with it");
  });

  test("hours cannot be had from OpenRouter, and the check says so", async () => {
    const platform = new Platform(benchOf("openrouter", NOW));
    const messages = await platform.check({ granularity: "1h" });
    expect(messages.at(-1)?.connectionStatus).toMatchObject({ status: "FAILED" });
    expect(messages.at(-1)?.connectionStatus?.message).toContain("it offers 1d");
  });

  test.each(["openai", "openrouter"] satisfies FakeName[])(
    "a local clock that is months off does not matter to %s",
    async (name) => {
      const messages = await new Platform(benchOf(name, NOW), 90 * DAY).check();
      expect(messages.at(-1)?.connectionStatus?.status).toBe("SUCCEEDED");
    },
  );

  test("the state belongs to the organization that Anthropic names", async () => {
    const platform = new Platform(benchOf("anthropic", NOW));
    await platform.sync(Infinity, { start_date: "2026-10-20" });
    expect(JSON.stringify(platform.states.get("usage"))).toContain(
      "2c9d1c1e-1111-4222-8333-444455556666",
    );
  });
});
