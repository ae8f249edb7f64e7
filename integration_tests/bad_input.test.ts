import { createServer } from "node:http";
import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { catalogOf, type Config } from "./support/config.ts";
import { command, read, type Run } from "./support/connector.ts";
import { type Served, serveGenerated } from "./support/provider.ts";
import type { StreamState } from "./support/protocol.ts";

const SECRET = "sk-never-to-be-shown-0123456789";

let provider: Served;

beforeAll(async () => {
  provider = await serveGenerated("usage=60,costs=30,days=20", "2025-03-20T06:00:00Z");
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(async () => {
  await provider.faults();
  await provider.forget();
});

/** Expects a run that failed with this error alone, or with it first; gives its message. */
function failure(run: Run, type: string, stream?: string): string {
  expect(run.code).toBe(1);
  const [error] = run.errors;
  expect(error?.failure_type).toBe(type);
  expect(error?.stream_descriptor?.name).toBe(stream);
  return error?.message ?? "";
}

function withToken(token: string): Config {
  const credentials = { auth_type: "scoped_bearer_token", access_token: token };
  return provider.config({ credentials });
}

test("a config file that is missing is a config error that names it", async () => {
  const run = await command("check", { args: ["--config", "nowhere/config.json"] });
  // A check that cannot even read its config says so as its answer.
  expect(run.code).toBe(0);
  const status = run.messages.find(({ connectionStatus }) => connectionStatus)?.connectionStatus;
  expect(status).toMatchObject({ status: "FAILED" });
  expect(status?.message).toMatch(/"nowhere\/config\.json" does not exist/);
  const reading = await command("read", {
    args: ["--config", "nowhere/config.json", "--catalog", "nowhere/catalog.json"],
  });
  expect(failure(reading, "config_error")).toMatch(/"nowhere\/config\.json" does not exist/);
});

test("a catalog file that is missing is a config error that names it", async () => {
  const run = await command("read", {
    config: provider.config(),
    args: ["--catalog", "nowhere.json"],
  });
  expect(failure(run, "config_error")).toMatch(/catalog file "nowhere\.json" does not exist/);
});

test("a state file that is missing is a config error, not a read from the start", async () => {
  const run = await command("read", {
    config: provider.config(),
    catalog: catalogOf(),
    args: ["--state", "nowhere.json"],
  });
  expect(failure(run, "config_error")).toMatch(/state file "nowhere\.json" does not exist/);
  expect(run.records("usage")).toEqual([]);
});

test("a config that is no JSON is a config error with line and column, and quotes nothing", async () => {
  const config = `{\n  "base_url": "${provider.baseUrl}",\n  "credentials": { "access_token": "${SECRET}" \n`;
  const run = await command("discover", { config });
  expect(failure(run, "config_error")).toMatch(/not valid JSON: look at line 4, column 1/);
  expect(run.stdout).not.toContain(SECRET);
});

test("a config with five faults names all five at once and shows no value", async () => {
  const config = {
    base_url: "ftp://billing.example.com",
    credentials: { auth_type: "scoped_bearer_token", access_token: `${SECRET} with a space` },
    start_date: "2025-02-30",
    granularity: "1w",
    page_size: 5000,
  };
  const run = await command("discover", { config });
  const message = failure(run, "config_error");
  expect(message).toMatch(/5 faults/);
  const names = ["base_url", "credentials.access_token", "start_date", "granularity", "page_size"];
  for (const name of names) expect(message).toContain(`- ${name} `);
  for (const value of [SECRET, "ftp:", "2025-02-30", "1w", "5000"]) {
    expect(run.stdout).not.toContain(value);
  }
});

test("check names the five faults too, as a FAILED status", async () => {
  const credentials = { auth_type: "scoped_bearer_token", access_token: "" };
  const config = {
    base_url: "x",
    credentials,
    concurrency: 0,
    lookback_days: -1,
    invalid_records: 1,
  };
  const run = await command("check", { config });
  expect(run.code).toBe(0);
  const answers = run.messages.flatMap(({ connectionStatus }) => connectionStatus ?? []);
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatchObject({ status: "FAILED" });
  expect(answers[0]?.message).toContain("5 faults");
});

test("an unknown stream in the catalog is a config error of its own; the other is still read", async () => {
  const catalog = catalogOf("incremental", ["invoices", "usage"]);
  const run = await read(provider.config(), { catalog });
  expect(failure(run, "config_error", "invoices")).toMatch(/"invoices" does not exist/);
  expect(run.errors).toHaveLength(1);
  expect(run.statuses("invoices")).toEqual(["STARTED", "INCOMPLETE"]);
  expect(run.statuses("usage").at(-1)).toBe("COMPLETE");
  expect(run.records("usage")).toHaveLength((await provider.totals()).usage["1d"].rows);
});

test("a sync mode that does not exist fails its stream", async () => {
  const { streams } = catalogOf();
  const catalog = { streams: streams.map((stream) => ({ ...stream, sync_mode: "INVALID" })) };
  const run = await read(provider.config(), { catalog });
  expect(failure(run, "config_error", "usage")).toContain("sync_mode");
  expect(run.errors).toHaveLength(2);
});

test("a catalog without streams of its own shape is a config error", async () => {
  const run = await command("read", { config: provider.config(), catalog: { streams: {} } });
  expect(failure(run, "config_error")).toContain("streams must be a list");
});

test.each([
  ["another account", { account: "subsidiary" }, /the account label was none and is "subsidiary"/],
  ["another granularity", { granularity: "1h" }, /the granularity was "1d" and is "1h"/],
])("a state of %s is a config error that says what changed", async (_, extra, message) => {
  const { state } = await read(provider.config());
  const run = await read(provider.config(extra), { state });
  const error = failure(run, "config_error", "usage");
  expect(error).toMatch(message);
  expect(error).toMatch(/clear the stream's data/);
  expect(run.records("usage")).toEqual([]);
});

test("a state of another base URL is a config error that says so", async () => {
  const { state } = await read(provider.config());
  const moved = JSON.parse(
    JSON.stringify(state).replaceAll(provider.baseUrl, "https://billing.example.com"),
  ) as readonly StreamState[];
  const run = await read(provider.config(), { state: moved });
  expect(failure(run, "config_error", "usage")).toContain("https://billing.example.com");
  expect(run.errors).toHaveLength(2);
});

test.each([
  ["an object of another kind", '{"usage":{"cursor":"2025-01-01"}}'],
  ["a list of something else", '[{"type":"GLOBAL","global":{}}]'],
  [
    "an unknown version",
    '[{"type":"STREAM","stream":{"stream_descriptor":{"name":"usage"},"stream_state":{"version":9}}}]',
  ],
])("a state that is %s is a config error, not a read from the start", async (_, state) => {
  const run = await read(provider.config(), {
    state,
    catalog: catalogOf("incremental", ["usage"]),
  });
  expect(run.code).toBe(1);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["config_error"]);
  expect(run.records("usage")).toEqual([]);
});

test("a wrong token is a config error, and both streams are INCOMPLETE", async () => {
  const run = await read(withToken(SECRET));
  expect(failure(run, "config_error")).toMatch(/HTTP 401/);
  for (const stream of ["usage", "costs"]) {
    expect(run.statuses(stream)).toEqual(["STARTED", "INCOMPLETE"]);
  }
});

test("a token without the cost scope reads usage and fails costs", async () => {
  const token = await provider.issueToken({
    scopes: ["billing.account.read", "billing.usage.read"],
  });
  const run = await read(withToken(token));
  expect(failure(run, "config_error", "costs")).toMatch(/billing\.cost\.read \(HTTP 403\)/);
  expect(run.statuses("usage").at(-1)).toBe("COMPLETE");
  expect(run.statuses("costs").at(-1)).toBe("INCOMPLETE");
  expect(run.records("usage")).toHaveLength((await provider.totals()).usage["1d"].rows);
  expect(run.state.map(({ stream }) => stream.stream_descriptor.name)).toContain("usage");
});

test("a base URL that answers HTML is a config error", async () => {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Welcome</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  try {
    const run = await read(provider.config({ base_url: `http://127.0.0.1:${address.port}` }));
    expect(failure(run, "config_error")).toMatch(/web page/);
  } finally {
    server.close();
  }
});

test("a refused connection ends check with a transient error, long before the retries of a read would end", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  server.close();
  const began = performance.now();
  const run = await command("check", {
    config: provider.config({ base_url: `http://127.0.0.1:${address.port}` }),
  });
  expect(performance.now() - began).toBeLessThan(45_000);
  expect(failure(run, "transient_error")).toMatch(/refused/);
  expect(run.messages.filter(({ type }) => type === "CONNECTION_STATUS")).toEqual([]);
});

test("a granularity that is not offered fails usage with what is offered; costs are read", async () => {
  await provider.faults({ kind: "capabilities", set: { "/datasets/usage/granularities": ["1d"] } });
  const run = await read(provider.config({ granularity: "1h" }));
  expect(failure(run, "config_error", "usage")).toMatch(/granularity 1h; it offers 1d/);
  expect(run.statuses("costs").at(-1)).toBe("COMPLETE");
});

test("costs that are not offered fail as a stream; usage is read", async () => {
  await provider.faults({ kind: "capabilities", drop: ["/datasets/costs"] });
  const run = await read(provider.config());
  expect(failure(run, "config_error", "costs")).toMatch(/does not offer it/);
  expect(run.statuses("usage").at(-1)).toBe("COMPLETE");
});

test("an unknown profile version is the provider's fault", async () => {
  await provider.faults({ kind: "capabilities", set: { "/profile_version": "0.2" } });
  const run = await read(provider.config());
  expect(failure(run, "system_error")).toContain("profile_version 0.2");
  expect(await provider.requests("usage")).toEqual([]);
});

test("a token pasted with what it says in an error never shows, even where the provider repeats it", async () => {
  const token = await provider.issueToken({});
  await provider.faults({
    kind: "status",
    status: 403,
    detail: `The token ${token} (${Buffer.from(token).toString("base64")}) is not for you.`,
    when: { operation: "costs" },
  });
  const run = await read(withToken(token));
  expect(failure(run, "config_error", "costs")).toMatch(/HTTP 403/);
});
