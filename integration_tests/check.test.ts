import { createServer } from "node:http";
import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { check, command } from "./support/connector.ts";
import { type Served, serveRealSpend } from "./support/provider.ts";

let provider: Served;

beforeAll(async () => {
  provider = await serveRealSpend("2025-10-04T12:00:00Z");
});
afterAll(() => provider[Symbol.asyncDispose]());
beforeEach(() => provider.faults());

/** The answer of a check that gives one: exactly one CONNECTION_STATUS, no error trace, exit code 0. */
async function answer(
  config: Readonly<Record<string, unknown>>,
  how: typeof check = check,
): Promise<string> {
  const run = await how(config);
  expect(run.code).toBe(0);
  expect(run.errors).toEqual([]);
  const answers = run.messages.flatMap(({ connectionStatus }) => connectionStatus ?? []);
  expect(answers).toHaveLength(1);
  return `${answers[0]?.status}: ${answers[0]?.message}`;
}

test("a good config succeeds, with one status that says what can be read", async () => {
  const asUsers = (config: object | string) => command("check", { config });
  expect(await answer(provider.config(), asUsers)).toBe(
    "SUCCEEDED: Usage and costs can be read from Reference AI Provider.",
  );
  const limits = (await provider.requests()).map(({ query }) => query["limit"]);
  expect(limits).toEqual([undefined, "1", "1"]);
});

test("a wrong token fails with the way out", async () => {
  const config = provider.config({
    credentials: { auth_type: "scoped_bearer_token", access_token: "not-a-token-of-theirs" },
  });
  expect(await answer(config)).toMatch(/^FAILED: .*does not accept the credential \(HTTP 401\)/);
});

test("a token without the cost scope succeeds with a message that names the scope", async () => {
  const token = await provider.issueToken({
    scopes: ["billing.account.read", "billing.usage.read"],
  });
  const config = provider.config({
    credentials: { auth_type: "scoped_bearer_token", access_token: token },
  });
  expect(await answer(config)).toMatch(/^SUCCEEDED: .*billing\.cost\.read/);
});

test("a token without the usage scope fails and names the scope", async () => {
  const token = await provider.issueToken({ scopes: ["billing.account.read"] });
  const config = provider.config({
    credentials: { auth_type: "scoped_bearer_token", access_token: token },
  });
  expect(await answer(config)).toMatch(/^FAILED: .*billing\.usage\.read/);
});

test("an address that answers with a web page fails as a wrong address", async () => {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "text/html").end("<!doctype html><title>Sign in</title>");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  try {
    const config = provider.config({ base_url: `http://127.0.0.1:${address.port}` });
    expect(await answer(config)).toMatch(/^FAILED: .*web page.*base_url/s);
  } finally {
    server.close();
  }
});

test("an address under which nothing is fails as a wrong address", async () => {
  const config = provider.config({ base_url: `${provider.baseUrl}/elsewhere` });
  expect(await answer(config)).toMatch(/^FAILED: .*HTTP 404.*base_url/s);
});

test("a granularity that is not offered fails and names what is", async () => {
  await provider.faults({
    kind: "capabilities",
    set: { "/datasets/usage/granularities": ["1d"] },
    when: {},
  });
  expect(await answer(provider.config({ granularity: "1h" }))).toMatch(/^FAILED: .*1h.*offers 1d/s);
});

test("an authorization method that is not offered fails and names what is", async () => {
  await provider.faults({
    kind: "capabilities",
    set: { "/authorization_methods": ["oauth2_authorization_code"] },
  });
  expect(await answer(provider.config())).toMatch(/^FAILED: .*oauth2_authorization_code/);
});

test("costs that are not offered are said and do not fail", async () => {
  await provider.faults({ kind: "capabilities", drop: ["/datasets/costs"] });
  expect(await answer(provider.config())).toMatch(/^SUCCEEDED: .*no costs/);
});

test("a start date in the future is said, and what can be read", async () => {
  expect(await answer(provider.config({ start_date: "2999-01-01" }))).toBe(
    "SUCCEEDED: Usage and costs can be read from Reference AI Provider. But start_date lies in the future: nothing is " +
      "read before 2999-01-01T00:00:00Z.",
  );
});

test("a key that is nearly a known one is a warning", async () => {
  const run = await check(provider.config({ start_dat: "2026-01-01" }));
  expect(run.stdout).toContain("The config has the unknown key start_dat, which is ignored.");
});

test("an unknown profile version is the provider's fault: an error trace, no status, exit code 1", async () => {
  await provider.faults({ kind: "capabilities", set: { "/profile_version": "0.2" } });
  const run = await check(provider.config());
  expect(run.code).toBe(1);
  expect(run.messages.filter(({ type }) => type === "CONNECTION_STATUS")).toEqual([]);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["system_error"]);
  expect(run.errors[0]?.message).toContain("profile_version 0.2");
});

test("a rate limit is not waited for: a transient error that says when to come again", async () => {
  await provider.faults({ kind: "rate_limited", retry_after: "120" });
  const run = await check(provider.config());
  expect(run.code).toBe(1);
  expect(run.messages.filter(({ type }) => type === "CONNECTION_STATUS")).toEqual([]);
  expect(run.errors.map(({ failure_type: type }) => type)).toEqual(["transient_error"]);
  expect(run.errors[0]?.message).toContain("120 s");
});
