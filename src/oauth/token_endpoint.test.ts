import nock from "nock";
import { afterEach, beforeAll, expect, test } from "vitest";
import { BACKOFF_POLICY } from "../core/retry.ts";
import type { Transport } from "../edges.ts";
import {
  failure,
  instantClock,
  NOW,
  scripted,
  serveHttp,
  serveTcp,
  SMALL_LIMITS,
} from "../http/testing.ts";
import { TokenEndpoint } from "./token_endpoint.ts";
import { openTransport } from "../http/transport.ts";

const SECRET = "s3cr3t/+ value";
const REFRESH = "r3fr3sh-t0k3n.of.some-length";
const TOKENS = {
  access_token: "access",
  token_type: "Bearer",
  expires_in: 3600,
  refresh_token: "next",
};

beforeAll(() => nock.disableNetConnect());
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});

interface Harness {
  readonly endpoint: TokenEndpoint;
  readonly retries: string[];
  readonly slept: readonly number[];
}

function harness(
  more: {
    readonly transport?: Transport;
    readonly secret?: string | undefined;
    readonly tokenUrl?: string;
  } = {},
): Harness {
  const clock = instantClock();
  const retries: string[] = [];
  const opened = openTransport(SMALL_LIMITS);
  const endpoint = new TokenEndpoint({
    edges: { clock, transport: more.transport ?? opened.transport, random: () => 0 },
    backoff: BACKOFF_POLICY,
    userAgent: "source-ai-billing/test",
    retrySignal: new AbortController().signal,
    onRetry: (message) => void retries.push(message),
    baseUrl: new URL("https://api.example.com/billing"),
    credentials: {
      clientId: "client",
      clientSecret: "secret" in more ? more.secret : SECRET,
      tokenUrl: more.tokenUrl ?? "https://as.example.com/token",
      authorizationUrl: undefined,
    },
  });
  return { endpoint, retries, slept: clock.slept };
}

const json = { "content-type": "application/json" };

test("the refresh token goes in a form, once, with the client's secret in the body", async () => {
  let body: unknown;
  nock("https://as.example.com", { badheaders: ["authorization"] })
    .post("/token", (sent) => {
      body = sent;
      return true;
    })
    .matchHeader("content-type", /^application\/x-www-form-urlencoded/)
    .reply(200, TOKENS, json);
  const { endpoint } = harness();
  expect(await endpoint.refresh(REFRESH)).toEqual({
    accessToken: "access",
    refreshToken: "next",
    livesMs: 3_600_000,
    answeredAt: NOW,
  });
  expect(body).toEqual({
    grant_type: "refresh_token",
    refresh_token: REFRESH,
    client_id: "client",
    client_secret: SECRET,
  });
});

test("a public client sends no secret; a server that wants it in the header gets it there", async () => {
  nock("https://as.example.com")
    .post("/token", (sent: Record<string, string>) => sent["client_secret"] === undefined)
    .reply(200, TOKENS, json);
  await harness({ secret: undefined }).endpoint.refresh(REFRESH);
  nock("https://as.example.com")
    .post("/token", (sent: Record<string, string>) => sent["client_secret"] === SECRET)
    .reply(401, { error: "invalid_client" }, { ...json, "www-authenticate": "Basic" });
  nock("https://as.example.com")
    .post("/token", (sent: Record<string, string>) => sent["client_secret"] === undefined)
    .basicAuth({ user: "client", pass: "s3cr3t%2F%2B+value" })
    .reply(200, TOKENS, json);
  expect((await harness().endpoint.refresh(REFRESH)).accessToken).toBe("access");
});

test.each([
  [{ ...TOKENS, refresh_token: undefined }, { refreshToken: undefined }],
  [{ ...TOKENS, expires_in: undefined }, { livesMs: undefined }],
  [{ ...TOKENS, expires_in: "90" }, { livesMs: 90_000 }],
  [{ ...TOKENS, token_type: "bearer", id_token: "not.ours.at-all" }, { accessToken: "access" }],
])("the answer %j is understood", async (body, expected) => {
  const transport = scripted({ headers: json, body });
  expect(await harness({ transport }).endpoint.refresh(REFRESH)).toMatchObject(expected);
});

test.each([
  ["no token", { token_type: "Bearer" }],
  ["a token that no header can carry", { ...TOKENS, access_token: "a b" }],
  ["another type of token", { ...TOKENS, token_type: "mac" }],
  ["no JSON", "<html>"],
])("%s is a fault of the provider", async (_, body) => {
  const error = await failure(
    harness({ transport: scripted({ headers: json, body }) }).endpoint.refresh(REFRESH),
  );
  expect(error.code).toBe("provider_fault");
  expect(error.message).not.toContain("a b");
});

test.each([
  [400, "invalid_grant", "unauthorized", "Authorize again"],
  [401, "invalid_client", "unauthorized", "client_secret"],
  [400, "unauthorized_client", "unauthorized", "client_id"],
  [400, "invalid_request", "provider_fault", "invalid_request"],
  [404, undefined, "wrong_address", "token_url"],
  [302, "invalid_grant", "wrong_address", "redirects"],
  [403, undefined, "wrong_address", "token_url"],
])("HTTP %i with %s is %s", async (status, error, code, words) => {
  const description = `You sent ${REFRESH} and ${SECRET} which has expired`;
  const transport = scripted({
    status,
    headers: json,
    body: { error, error_description: description },
  });
  const thrown = await failure(harness({ transport }).endpoint.refresh(REFRESH));
  expect(thrown.code).toBe(code);
  expect(thrown.message).toContain(words);
  const told = `${thrown.message} ${thrown.detail}`;
  for (const part of [REFRESH, SECRET, "r3fr3sh", "t0k3n", "s3cr3t"])
    expect(told).not.toContain(part);
});

test.each([500, 502, 503, 408, 429])(
  "HTTP %i passes, with the waits of all requests",
  async (status) => {
    const late = { status, headers: json, body: { error: "invalid_grant" } };
    const { endpoint, slept, retries } = harness({
      transport: scripted(late, late, { headers: json, body: TOKENS }),
    });
    expect((await endpoint.refresh(REFRESH)).accessToken).toBe("access");
    expect(slept).toEqual([250, 1000]);
    expect(retries[0]).toBe(
      `The request failed: HTTP ${status}. Trying again in 0.25 s (retry 1 of 5): POST https://as.example.com/token`,
    );
  },
);

test("Retry-After is a floor; retries end in a transient error", async () => {
  const late = { status: 429, headers: { ...json, "retry-after": "7" } };
  const { endpoint, slept } = harness({ transport: scripted(late) });
  const error = await failure(endpoint.refresh(REFRESH));
  expect([error.code, error.failureType]).toEqual(["unavailable", "transient_error"]);
  expect(slept.slice(0, 3)).toEqual([7000, 7000, 7000]);
  expect(slept.length).toBe(5);
});

test("a server that hangs, breaks off or resets passes too", async () => {
  let asked = 0;
  await using broken = await serveTcp((socket) => {
    asked += 1;
    socket.on("data", () => {
      if (asked === 1) socket.resetAndDestroy();
      else if (asked === 2) socket.end("HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n{");
    });
  });
  nock.enableNetConnect("127.0.0.1");
  const { endpoint, retries } = harness({ tokenUrl: `${broken.origin}/token` });
  const error = await failure(endpoint.refresh(REFRESH));
  nock.disableNetConnect();
  expect(error.failureType).toBe("transient_error");
  expect(retries.map((line) => line.split(".")[0])).toEqual([
    "The request failed: the connection was reset",
    expect.stringMatching(/the connection broke off|cut short/),
    ...Array.from({ length: 3 }, () => "The request failed: no answer came in time"),
  ]);
});

test("a token is never sent on where the endpoint redirects", async () => {
  const seen: string[] = [];
  await using elsewhere = await serveHttp((request, response) => {
    seen.push(request.url ?? "");
    response.end();
  });
  await using endpointServer = await serveHttp((_, response) => {
    response.writeHead(307, { location: `${elsewhere.origin}/steal` }).end();
  });
  nock.enableNetConnect("127.0.0.1");
  const error = await failure(
    harness({ tokenUrl: `${endpointServer.origin}/token` }).endpoint.refresh(REFRESH),
  );
  nock.disableNetConnect();
  expect(error.code).toBe("wrong_address");
  expect(seen).toEqual([]);
});
