import nock from "nock";
import { afterEach, beforeAll, expect, test } from "vitest";
import { BACKOFF_POLICY } from "../core/retry.ts";
import { parseConfig } from "../config/config.ts";
import { withTokens } from "../config/token_set.ts";
import type { Clock, Transport } from "../edges.ts";
import {
  failure,
  instantClock,
  NOW,
  scripted,
  serveHttp,
  serveTcp,
  SMALL_LIMITS,
} from "../http/testing.ts";
import { retryClock, untilAborted } from "./testing.ts";
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
    readonly clock?: Clock;
    readonly retrySignal?: AbortSignal;
    readonly deadlineMs?: number;
  } = {},
): Harness {
  const clock = retryClock();
  const retries: string[] = [];
  const opened = openTransport(SMALL_LIMITS);
  const endpoint = new TokenEndpoint({
    edges: {
      clock: more.clock ?? clock,
      transport: more.transport ?? opened.transport,
      random: () => 0,
    },
    backoff: BACKOFF_POLICY,
    userAgent: "source-ai-billing/test",
    retrySignal: more.retrySignal ?? new AbortController().signal,
    deadlineMs: more.deadlineMs,
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

/** A `rescue` for answers without a refresh token that has to be saved. */
const nobody = (): Promise<void> => Promise.reject(new Error("rescued"));

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
  expect(await endpoint.refresh(REFRESH, nobody)).toEqual({
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
  await harness({ secret: undefined }).endpoint.refresh(REFRESH, nobody);
  nock("https://as.example.com")
    .post("/token", (sent: Record<string, string>) => sent["client_secret"] === SECRET)
    .reply(401, { error: "invalid_client" }, { ...json, "www-authenticate": "Basic" });
  nock("https://as.example.com")
    .post("/token", (sent: Record<string, string>) => sent["client_secret"] === undefined)
    .basicAuth({ user: "client", pass: "s3cr3t%2F%2B+value" })
    .reply(200, TOKENS, json);
  expect((await harness().endpoint.refresh(REFRESH, nobody)).accessToken).toBe("access");
});

test.each([
  [{ ...TOKENS, refresh_token: undefined }, { refreshToken: undefined }],
  [{ ...TOKENS, expires_in: undefined }, { livesMs: undefined }],
  [{ ...TOKENS, expires_in: "90" }, { livesMs: 90_000 }],
  [{ ...TOKENS, token_type: "bearer", id_token: "not.ours.at-all" }, { accessToken: "access" }],
])("the answer %j is understood", async (body, expected) => {
  const transport = scripted({ headers: json, body });
  expect(await harness({ transport }).endpoint.refresh(REFRESH, nobody)).toMatchObject(expected);
});

test.each([
  ["no token", { token_type: "Bearer" }],
  [
    "a token that no header can carry",
    { ...TOKENS, access_token: "a b", refresh_token: undefined },
  ],
  ["another type of token", { ...TOKENS, token_type: "mac", refresh_token: undefined }],
  ["no JSON", "<html>"],
])("%s is a fault of the provider", async (_, body) => {
  const error = await failure(
    harness({ transport: scripted({ headers: json, body }) }).endpoint.refresh(REFRESH, nobody),
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
  const thrown = await failure(harness({ transport }).endpoint.refresh(REFRESH, nobody));
  expect(thrown.code).toBe(code);
  expect(thrown.message).toContain(words);
  const told = `${thrown.message} ${thrown.detail}`;
  for (const part of [REFRESH, SECRET, "r3fr3sh", "t0k3n", "s3cr3t"])
    expect(told).not.toContain(part);
});

test.each([500, 502, 503, 408, 429])("HTTP %i is retried with the usual waits", async (status) => {
  const late = { status, headers: json, body: { error: "invalid_grant" } };
  const { endpoint, slept, retries } = harness({
    transport: scripted(late, late, { headers: json, body: TOKENS }),
  });
  expect((await endpoint.refresh(REFRESH, nobody)).accessToken).toBe("access");
  expect(slept).toEqual([250, 1000]);
  expect(retries[0]).toBe(
    `The request failed: HTTP ${status}. Trying again in 0.25 s (retry 1 of 5): POST https://as.example.com/token`,
  );
});

test("Retry-After is a floor; retries end in a transient error", async () => {
  const late = { status: 429, headers: { ...json, "retry-after": "7" } };
  const { endpoint, slept } = harness({ transport: scripted(late) });
  const error = await failure(endpoint.refresh(REFRESH, nobody));
  expect([error.code, error.failureType]).toEqual(["unavailable", "transient_error"]);
  expect(slept.slice(0, 3)).toEqual([7000, 7000, 7000]);
  expect(slept.length).toBe(5);
});

test("a server that hangs, breaks off or resets is retried too", async () => {
  let connections = 0;
  await using broken = await serveTcp((socket) => {
    connections += 1;
    socket.on("data", () => {
      if (connections === 1) socket.resetAndDestroy();
      else if (connections === 2) socket.end("HTTP/1.1 503 Busy\r\ncontent-length: 999\r\n\r\n{");
    });
  });
  nock.enableNetConnect("127.0.0.1");
  const { endpoint, retries } = harness({ tokenUrl: `${broken.origin}/token` });
  const error = await failure(endpoint.refresh(REFRESH, nobody));
  nock.disableNetConnect();
  expect(error.failureType).toBe("transient_error");
  expect(retries.map((line) => line.split(".")[0])).toEqual([
    "The request failed: the connection was reset",
    expect.stringMatching(/the connection broke off|cut short/),
    ...Array.from({ length: 3 }, () => "The request failed: no answer came in time"),
  ]);
});

test("a token never follows a redirect", async () => {
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
    harness({ tokenUrl: `${endpointServer.origin}/token` }).endpoint.refresh(REFRESH, nobody),
  );
  nock.disableNetConnect();
  expect(error.code).toBe("wrong_address");
  expect(seen).toEqual([]);
});

/** A transport that counts its requests. */
function counted(transport: Transport): { transport: Transport; sent: () => number } {
  let sent = 0;
  return {
    transport: (request) => {
      sent += 1;
      return transport(request);
    },
    sent: () => sent,
  };
}

const CONFIG = {
  base_url: "https://api.example.com",
  credentials: {
    auth_type: "oauth2_authorization_code",
    client_id: "client",
    refresh_token: REFRESH,
  },
};

test.each([1e12, 1e13, 1e300, "1e13", 0, -1, null, "soon", [], {}, 0.1])(
  "expires_in %j gives tokens, and a config that the next run accepts",
  async (life) => {
    const transport = scripted({ headers: json, body: { ...TOKENS, expires_in: life } });
    const tokens = await harness({ transport }).endpoint.refresh(REFRESH, nobody);
    const { livesMs, answeredAt, accessToken, refreshToken = "" } = tokens;
    expect(refreshToken).toBe("next");
    const expiresAt = livesMs === undefined ? undefined : answeredAt + livesMs;
    const tokenUrl = "https://as.example.com/token";
    const config = withTokens(CONFIG, { accessToken, refreshToken, expiresAt, tokenUrl });
    expect(parseConfig(config).credentials).toMatchObject({
      refreshToken,
      accessTokenExpiresAt: expiresAt,
    });
  },
);

test.each([
  ["no access token", { access_token: undefined }],
  ["an access token that no header can carry", { access_token: "a b" }],
  ["another type of token", { token_type: "mac" }],
])("%s: the new refresh token is rescued before the error", async (_, part) => {
  const { transport, sent } = counted(scripted({ headers: json, body: { ...TOKENS, ...part } }));
  const rescued: string[] = [];
  const { endpoint } = harness({ transport });
  const rescue = (token: string): Promise<void> => Promise.resolve(void rescued.push(token));
  const error = await failure(endpoint.refresh(REFRESH, rescue));
  expect([error.code, rescued, sent()]).toEqual(["provider_fault", ["next"], 1]);
});

test.each<[string, Transport, string]>([
  [
    "more than 1 MiB",
    scripted({ headers: json, body: { ...TOKENS, padding: "x".repeat(1024 ** 2) } }),
    "larger than 1 MiB",
  ],
  [
    "an answer that breaks off",
    async () => ({
      status: 200,
      headers: json,
      body: (async function* () {
        yield Buffer.from("{");
        throw Object.assign(new Error("closed"), { code: "UND_ERR_SOCKET" });
      })(),
    }),
    "was not sent a second time",
  ],
  ["an answer that is no JSON", scripted({ headers: json, body: "<html>" }), "breaks the standard"],
])("%s: the refresh token may be spent, so it is never sent again", async (_, answer, words) => {
  const { transport, sent } = counted(answer);
  const { endpoint } = harness({ transport });
  const error = await failure(endpoint.refresh(REFRESH, nobody));
  expect(error.message).toContain(words);
  expect(await failure(endpoint.refresh(REFRESH, nobody))).toBe(error);
  expect(sent()).toBe(1);
});

/** A transport that never answers until it is aborted. */
const silent: Transport = ({ signal }) => untilAborted(signal);

test("an answer that drips past the deadline of a check ends there, and is not repeated", async () => {
  const { transport, sent } = counted(silent);
  const clock = instantClock();
  const { endpoint } = harness({ transport, clock, deadlineMs: NOW + 9500 });
  const error = await failure(endpoint.refresh(REFRESH, nobody));
  expect(error.message).toContain("did not answer in time (https://as.example.com/token)");
  expect([error.code, clock.slept, sent()]).toEqual(["unavailable", [9500], 1]);
});

test("a wait that would end after the deadline of a check is not begun", async () => {
  const late = { status: 503, headers: { "retry-after": "30" } };
  const { endpoint, slept } = harness({ transport: scripted(late), deadlineMs: NOW + 9500 });
  const error = await failure(endpoint.refresh(REFRESH, nobody));
  expect(error.message).toContain("1 attempt; the last failure: HTTP 503");
  expect(slept).not.toContain(30_000);
});

test("an answer has five minutes; four seconds once the run has ended", async () => {
  const limits: number[] = [];
  const expired = new AbortController();
  const clock: Clock = {
    now: () => NOW,
    sleep: (ms, signal) => {
      limits.push(ms);
      return ms === 4000 ? Promise.resolve() : untilAborted(signal);
    },
  };
  const { transport, sent } = counted(silent);
  const { endpoint } = harness({ transport, clock, retrySignal: expired.signal });
  const refreshing = failure(endpoint.refresh(REFRESH, nobody));
  await expect.poll(() => limits).toEqual([300_000]);
  expired.abort();
  expect((await refreshing).code).toBe("unavailable");
  expect(limits).toEqual([300_000, 4000]);
  expect(sent()).toBe(1);
});
