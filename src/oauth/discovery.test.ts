import { expect, test } from "vitest";
import { BACKOFF_POLICY } from "../core/retry.ts";
import type { HttpRequest, Transport } from "../edges.ts";
import { discoverServer, metadataOfChallenge } from "./discovery.ts";
import { failure, scripted, type ScriptedAnswer } from "../http/testing.ts";
import { retryClock } from "./testing.ts";
import { TokenEndpoint } from "./token_endpoint.ts";

const BASE = "https://api.example.com/billing";
const ISSUER = "https://as.example.com/tenant";
const RESOURCE = "https://api.example.com/.well-known/oauth-protected-resource/billing";
const SERVER = "https://as.example.com/.well-known/oauth-authorization-server/tenant";
const CAPABILITIES = `${BASE}/v1/finops/capabilities`;

const resource = { resource: BASE, authorization_servers: [ISSUER] };
const server = {
  issuer: ISSUER,
  authorization_endpoint: "https://login.example.com/authorize",
  token_endpoint: "https://as.example.com/tenant/token",
};

type Web = Readonly<Record<string, ScriptedAnswer>>;

const challenged: ScriptedAnswer = {
  status: 401,
  headers: { "www-authenticate": `Bearer realm="x", resource_metadata="${RESOURCE}"` },
};

const WEB: Web = {
  [CAPABILITIES]: challenged,
  [RESOURCE]: { body: resource },
  [SERVER]: { body: server },
};

/** A transport that knows these addresses; every other address is a 404. */
function web(answers: Web): { transport: Transport; requests: HttpRequest[] } {
  const requests: HttpRequest[] = [];
  const transport: Transport = (request) => {
    requests.push(request);
    return scripted(answers[request.url.href] ?? { status: 404 })(request);
  };
  return { transport, requests };
}

function discover(answers: Web, claimed?: string, base = BASE) {
  const { transport, requests } = web(answers);
  const found = discoverServer(new URL(base), claimed, {
    edges: { clock: retryClock(), transport, random: () => 0 },
    backoff: BACKOFF_POLICY,
    userAgent: "source-ai-billing/test",
    retrySignal: new AbortController().signal,
    onRetry: () => undefined,
  });
  return { found, requests };
}

test("a challenge leads to the token endpoint, and nothing secret is sent on the way", async () => {
  const { found, requests } = discover(WEB);
  expect((await found).token_endpoint).toBe(server.token_endpoint);
  expect(requests.map(({ url }) => url.href)).toEqual([CAPABILITIES, RESOURCE, SERVER]);
  for (const { headers, body } of requests) {
    expect(Object.keys(headers)).not.toContain("authorization");
    expect(body).toBeUndefined();
  }
});

test("an address that capabilities or a challenge named is requested at once", async () => {
  const { found, requests } = discover(WEB, RESOURCE);
  await found;
  expect(requests.map(({ url }) => url.href)).toEqual([RESOURCE, SERVER]);
});

test("without a name the well-known place is tried; without RFC 8414 the one of OpenID", async () => {
  const openid = "https://as.example.com/tenant/.well-known/openid-configuration";
  const { [SERVER]: document, ...rest } = WEB;
  const answers = {
    ...rest,
    [CAPABILITIES]: { status: 401 },
    ...(document && { [openid]: document }),
  };
  const { found, requests } = discover(answers);
  expect((await found).issuer).toBe(ISSUER);
  expect(requests.map(({ url }) => url.href)).toEqual([CAPABILITIES, RESOURCE, SERVER, openid]);
});

test.each(["https://api.example.com", `${BASE}/`, CAPABILITIES])(
  "the resource %s covers base_url",
  async (name) => {
    const { found } = discover({ ...WEB, [RESOURCE]: { body: { ...resource, resource: name } } });
    expect((await found).issuer).toBe(ISSUER);
  },
);

test.each<[string, Web, string?]>([
  ["metadata on another origin", WEB, "https://mallory.example/metadata"],
  ["metadata that is no address", WEB, "metadata"],
  ["no metadata", { ...WEB, [RESOURCE]: { status: 404 } }],
  [
    "another resource",
    { ...WEB, [RESOURCE]: { body: { ...resource, resource: "https://api.example.com/other" } } },
  ],
  [
    "a resource that only begins alike",
    { ...WEB, [RESOURCE]: { body: { ...resource, resource: "https://api.example.com/bill" } } },
  ],
  ["server metadata without a body", { ...WEB, [SERVER]: { status: 205 } }],
  ["no resource", { ...WEB, [RESOURCE]: { body: { authorization_servers: [ISSUER] } } }],
  ["no server", { ...WEB, [RESOURCE]: { body: { ...resource, authorization_servers: [] } } }],
  [
    "a server over http",
    {
      ...WEB,
      [RESOURCE]: { body: { ...resource, authorization_servers: ["http://as.example.com"] } },
    },
  ],
  [
    "a server on this machine",
    {
      ...WEB,
      [RESOURCE]: { body: { ...resource, authorization_servers: ["http://127.0.0.1:1"] } },
    },
  ],
  [
    "another issuer",
    { ...WEB, [SERVER]: { body: { ...server, issuer: "https://as.example.com/other" } } },
  ],
  ["no token endpoint", { ...WEB, [SERVER]: { body: { ...server, token_endpoint: undefined } } }],
  [
    "a token endpoint elsewhere",
    { ...WEB, [SERVER]: { body: { ...server, token_endpoint: "https://mallory.example/token" } } },
  ],
  [
    "a token endpoint over http",
    { ...WEB, [SERVER]: { body: { ...server, token_endpoint: "http://as.example.com/token" } } },
  ],
  ["metadata that is no object", { ...WEB, [RESOURCE]: { body: "[]" } }],
  ...[
    "https://user:pass@as.example.com/tenant/token",
    "https://as.example.com/tenant/token#here",
    "https:\\\\as.example.com\\token",
    "https://as.example.com/to ken",
    " https://as.example.com/token",
    "--help",
    7,
  ].flatMap((address): [string, Web][] => [
    [
      `the token endpoint ${address}`,
      { ...WEB, [SERVER]: { body: { ...server, token_endpoint: address } } },
    ],
    [
      `the authorization address ${address}`,
      { ...WEB, [SERVER]: { body: { ...server, authorization_endpoint: address } } },
    ],
  ]),
])("%s is not trusted: the user is told to set token_url", async (_, answers, claimed) => {
  const error = await failure(discover(answers, claimed).found);
  expect(error.code).toBe("invalid_config");
  expect(error.message).toContain("Set token_url");
});

test("http is trusted on loopback only if base_url is on loopback too", async () => {
  const local = "http://127.0.0.1:8080";
  const issuer = `${local}/oauth`;
  const answers = {
    [`${local}/.well-known/oauth-protected-resource`]: {
      body: { resource: local, authorization_servers: [issuer] },
    },
    [`${local}/.well-known/oauth-authorization-server/oauth`]: {
      body: { ...server, issuer, token_endpoint: `${issuer}/token` },
    },
  };
  const { found } = discover(answers, undefined, local);
  expect((await found).token_endpoint).toBe(`${issuer}/token`);
});

test.each([
  ["authorization_url", "https://other.example/authorize"],
  ["base_url", undefined],
])(
  "a discovered endpoint on another host than %s gets no refresh token",
  async (key, authorizationUrl) => {
    const { transport, requests } = web(WEB);
    const error = await failure(refreshWith(transport, authorizationUrl));
    expect(error.code).toBe("invalid_config");
    expect(error.message).toContain(`on another host than ${key}: the refresh token was not sent`);
    expect(error.message).toContain("https://as.example.com/tenant/token");
    expect(error.message).toContain("Set token_url");
    expect(requests.every(({ body }) => body === undefined)).toBe(true);
  },
);

test("a discovered endpoint on the origin of authorization_url gets the refresh token", async () => {
  const answers = {
    ...WEB,
    [server.token_endpoint]: { status: 400, body: { error: "invalid_grant" } },
  };
  const { transport, requests } = web(answers);
  const error = await failure(refreshWith(transport, "https://as.example.com/authorize"));
  expect(error.code).toBe("unauthorized");
  expect(requests.at(-1)?.body).toContain("refresh_token=refresh");
});

function refreshWith(transport: Transport, authorizationUrl: string | undefined): Promise<unknown> {
  const endpoint = new TokenEndpoint({
    edges: { clock: retryClock(), transport, random: () => 0 },
    backoff: BACKOFF_POLICY,
    userAgent: "source-ai-billing/test",
    retrySignal: new AbortController().signal,
    onRetry: () => undefined,
    baseUrl: new URL(BASE),
    credentials: {
      clientId: "client",
      clientSecret: undefined,
      tokenUrl: undefined,
      authorizationUrl,
    },
  });
  return endpoint.refresh("refresh", () => Promise.resolve());
}

test.each([
  ['Bearer realm="a", resource_metadata="https://x.example/m"', "https://x.example/m"],
  [
    'Bearer error="invalid_token", Resource_Metadata = "https://x.example/m"',
    "https://x.example/m",
  ],
  ["Bearer", undefined],
  [undefined, undefined],
  ['Bearer resource_metadata="has spaces in it"', undefined],
])("the challenge %j names %s", (challenge, address) => {
  expect(metadataOfChallenge(challenge)).toBe(address);
});
