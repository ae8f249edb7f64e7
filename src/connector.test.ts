/** Whole runs of `read` against a provider of a few lines. */
import { expect, test } from "vitest";
import { run } from "./connector.ts";
import type { HttpRequest, HttpResponse, Transport } from "./edges.ts";
import { capabilities, page, scripted } from "./http/testing.ts";
import { hostOf, READ } from "./testing_host.ts";
import { readingId } from "./core/identity.ts";
import { DAY, HOUR } from "./core/time.ts";
import type { Output } from "./protocol.ts";

const NOW = Date.UTC(2026, 2, 15, 12);
const configured = (name: string): object => ({
  stream: { name, json_schema: {}, supported_sync_modes: ["incremental"] },
  sync_mode: "incremental",
  destination_sync_mode: "append",
});

interface Scene {
  readonly transport: Transport;
  readonly state?: unknown;
  readonly streams?: readonly string[];
  /** This machine's clock. */
  readonly now?: number;
}

/** Begins a read, of usage and costs if the scene names no streams. */
function read({ transport, state = [], streams = ["usage", "costs"], now = NOW }: Scene) {
  const files = {
    config: {
      base_url: "https://api.example.com",
      credentials: { auth_type: "scoped_bearer_token", access_token: "token" },
      start_date: "2026-03-14",
    },
    catalog: { streams: streams.map(configured) },
    state,
  };
  const life = { closed: false };
  const host = hostOf(files, {
    clock: { now: () => now, sleep: () => Promise.resolve() },
    random: () => 0,
    nextTurn: () => Promise.resolve(),
    openTransport: () => ({
      transport,
      close: () => {
        life.closed = true;
        return Promise.resolve();
      },
    }),
    stateInterval: 0,
  });
  return { outputs: run(READ, host), life };
}

/** Answers capabilities, and all else as `answer` says. */
const provider =
  (
    answer: (request: HttpRequest) => Promise<HttpResponse>,
    body: object = capabilities(),
  ): Transport =>
  (request) =>
    request.url.pathname.endsWith("/capabilities")
      ? scripted({ body, headers: { date: new Date(NOW).toUTCString() } })(request)
      : answer(request);

const emptyPages = scripted({ body: page([], null) });

async function all(outputs: AsyncIterable<Output>): Promise<Output[]> {
  const found: Output[] = [];
  for await (const output of outputs) found.push(output);
  return found;
}

const warningsOf = (outputs: readonly Output[]): string[] =>
  outputs.flatMap((output) =>
    output.type === "LOG" && output.log.level === "WARN" ? [output.log.message] : [],
  );
const statusesOf = (outputs: readonly Output[], name: string): string[] =>
  outputs.flatMap((output) =>
    output.type === "TRACE" &&
    output.trace.type === "STREAM_STATUS" &&
    output.trace.stream_status.stream_descriptor.name === name
      ? [output.trace.stream_status.status]
      : [],
  );

test("a run whose outputs are no longer read ends: its requests are aborted, its connections closed", async () => {
  const signals: AbortSignal[] = [];
  const hanging = provider(
    ({ signal }) =>
      new Promise((_, reject) => {
        signals.push(signal);
        signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  );
  const { outputs, life } = read({ transport: hanging });
  for await (const output of outputs) {
    const isUnderWay = output.type === "LOG" && output.log.message.startsWith("costs: reading");
    if (isUnderWay) break; // the consumer goes away, as if stdout were broken
  }
  expect(life.closed).toBe(true);
  expect(signals.every(({ aborted }) => aborted)).toBe(true);
});

test("the bad endpoint of one dataset does not stop the other stream", async () => {
  const text = JSON.stringify(capabilities()).replace("/v1/finops/costs", "/v1/../x");
  const bad: object = JSON.parse(text);
  const outputs = await all(read({ transport: provider(emptyPages, bad) }).outputs);
  expect(statusesOf(outputs, "usage").at(-1)).toBe("COMPLETE");
  expect(statusesOf(outputs, "costs").at(-1)).toBe("INCOMPLETE");
});

test("L3: a provider's clock that is more than a day from this machine's is a warning", async () => {
  for (const [now, count] of [
    [NOW + DAY / 2, 0],
    [NOW + 2 * DAY, 1],
    [NOW - 2 * DAY, 1],
  ] as const) {
    const outputs = await all(read({ transport: provider(emptyPages), now }).outputs);
    const clocks = warningsOf(outputs).filter((message) =>
      message.startsWith("The provider's clock"),
    );
    expect(clocks).toHaveLength(count);
  }
});

/** A reading id of so many milliseconds after now. */
const idAt = (later: number): string => readingId(NOW + later, "chain");

test.each([
  ["its newest id", { last_reading_id: idAt(1000), newest_reading_id: idAt(HOUR) }],
  ["its last reading alone, as the first versions did", { last_reading_id: idAt(HOUR) }],
])(
  "R4: reading ids sort behind those that the state of export_windows knows, here by %s",
  async (_by, ids) => {
    const state = [
      {
        type: "STREAM",
        stream: {
          stream_descriptor: { name: "export_windows" },
          stream_state: { version: 1, ...ids },
        },
      },
    ];
    const transport = provider(emptyPages);
    const streams = ["usage", "export_windows"];
    const outputs = await all(read({ transport, state, streams }).outputs);
    const reports = outputs
      .filter((output) => output.type === "RECORD_LINES")
      .flatMap(({ bytes }) => Buffer.from(bytes).toString().trim().split("\n"))
      .map((line) => String(JSON.parse(line).record.data.reading_id));
    expect(reports).not.toEqual([]);
    for (const id of reports) expect(id > idAt(HOUR)).toBe(true);
  },
);

test("R4: reading ids sort behind those that the state of export_windows knows, also if export_windows is not selected", async () => {
  const stream_state = { version: 1, newest_reading_id: idAt(HOUR) };
  const stream = { stream_descriptor: { name: "export_windows" }, stream_state };
  const state = [{ type: "STREAM", stream }];
  const outputs = await all(read({ transport: provider(emptyPages), state }).outputs);
  const states = outputs.flatMap((output) => (output.type === "STATE" ? [output.state] : []));
  const found = states.flatMap(({ stream: { stream_state: value } }) =>
    [...JSON.stringify(value).matchAll(/"began_at":"([^"]+)"/g)].map(([, at]) => at),
  );
  expect(found).not.toEqual([]);
  for (const at of found) expect(Date.parse(at ?? "")).toBeGreaterThan(NOW + HOUR);
});

test("two states of one stream are a warning", async () => {
  const state = ["usage", "usage"].map((name) => ({
    type: "STREAM",
    stream: { stream_descriptor: { name }, stream_state: {} },
  }));
  const outputs = await all(read({ transport: provider(emptyPages), state }).outputs);
  expect(warningsOf(outputs)).toEqual([
    expect.stringContaining('more than one state of the stream "usage"'),
  ]);
});

test("N1: a provider of the interface has no names, and a catalog that asks for them fails alone", async () => {
  const { outputs } = read({ transport: provider(emptyPages), streams: ["usage", "labels"] });
  const found = await all(outputs);
  expect(statusesOf(found, "usage").at(-1)).toBe("COMPLETE");
  expect(statusesOf(found, "labels")).toEqual(["STARTED", "INCOMPLETE"]);
  expect(JSON.stringify(found)).toContain('"failure_type":"config_error"');
});
