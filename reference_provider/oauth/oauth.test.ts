import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Scope } from "../accounts.ts";
import { loadRealSpend } from "../data.ts";
import { startProcess } from "../process.ts";
import { createProvider } from "../provider.ts";
import type { Provider } from "../provider.ts";
import { ask, problemOf } from "../testing.ts";
import type { Answered } from "../testing.ts";
import { clickThrough } from "./testing.ts";
import type { OAuth } from "./oauth.ts";

const REDIRECT = "http://127.0.0.1:45678/callback";
const VERIFIER = "a".repeat(20) + "-._~".repeat(8);

let provider: Provider;
let oauth: OAuth;
let baseUrl: string;

beforeAll(async () => {
  provider = createProvider({
    accounts: [loadRealSpend()],
    now: "2025-10-04T12:00:00Z",
    basePath: "/billing",
    oauth: {},
    control: true,
  });
  ({ baseUrl } = await provider.listen());
  oauth = provider.oauth();
});

afterAll(() => provider.close());

beforeEach(() => {
  oauth.setFaults([]);
  Object.assign(oauth.server.switches, { tokenSeconds: 3600, rotate: true });
});

type Body = Readonly<Record<string, unknown>>;

/** Sends a form to the token endpoint, as the client with a secret unless the form names another client. */
async function ofToken(form: Readonly<Record<string, string>>): Promise<[number, Body]> {
  const { clientId, clientSecret = "" } = oauth.server.client;
  const body = new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form });
  const response = await fetch(oauth.tokenUrl, { method: "POST", body });
  return [response.status, (await response.json()) as Body];
}

const refresh = (token: unknown): Promise<[number, Body]> =>
  ofToken({ grant_type: "refresh_token", refresh_token: String(token) });

const operation = (name: string, token: unknown): Promise<Answered> =>
  ask(`${baseUrl}/v1/finops/${name}`, { authorization: `Bearer ${String(token)}` });

function authorizationAddress(more: Readonly<Record<string, string>> = {}): string {
  const parameters = {
    client_id: oauth.server.client.clientId,
    redirect_uri: REDIRECT,
    response_type: "code",
    scope: "billing.account.read billing.usage.read billing.cost.read",
    state: "some-state",
    code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
    code_challenge_method: "S256",
    ...more,
  };
  return `${oauth.authorizationUrl}?${new URLSearchParams(parameters).toString()}`;
}

const exchange = (redirected: URL, verifier = VERIFIER): Promise<[number, Body]> =>
  ofToken({
    grant_type: "authorization_code",
    code: redirected.searchParams.get("code") ?? "",
    redirect_uri: REDIRECT,
    code_verifier: verifier,
  });

test("the 401 leads by metadata to the token endpoint", async () => {
  const refused = await ask(`${baseUrl}/v1/finops/usage`, {});
  expect(problemOf(refused, 401)).toBe("unauthorized");
  const challenge = refused.headers.get("www-authenticate") ?? "";
  const address = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? "";
  expect(address).toBe(`${new URL(baseUrl).origin}/.well-known/oauth-protected-resource/billing`);
  const resource = (await ask(address, {})).body;
  expect(resource).toMatchObject({
    resource: baseUrl,
    authorization_servers: [`${baseUrl}/oauth`],
  });
  const origin = new URL(baseUrl).origin;
  const server = await ask(`${origin}/.well-known/oauth-authorization-server/billing/oauth`, {});
  expect(server.body).toMatchObject({
    issuer: `${baseUrl}/oauth`,
    authorization_endpoint: oauth.authorizationUrl,
    token_endpoint: oauth.tokenUrl,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
});

test("capabilities offer OAuth and say where its metadata is", async () => {
  const { accessToken } = await oauth.server.issue("real-spend");
  const answered = await operation("capabilities", accessToken);
  expect(answered.body).toMatchObject({
    authorization_methods: ["scoped_bearer_token", "oauth2_authorization_code"],
    protected_resource_metadata_url: oauth.resourceMetadataUrl,
  });
});

test("a person who logs in and consents brings back a code that is worth tokens, once", async () => {
  const redirected = await clickThrough(authorizationAddress());
  expect(redirected.href).toContain(REDIRECT);
  expect(redirected.searchParams.get("state")).toBe("some-state");
  expect(redirected.searchParams.get("iss")).toBe(`${baseUrl}/oauth`);
  const [status, tokens] = await exchange(redirected);
  expect(status).toBe(200);
  expect(tokens).toMatchObject({ token_type: "Bearer", expires_in: 3600 });
  expect((await operation("capabilities", tokens["access_token"])).status).toBe(200);
  expect(await exchange(redirected)).toMatchObject([400, { error: "invalid_grant" }]);
  // A code that comes twice may be stolen: its tokens are revoked (RFC 6749 section 4.1.2).
  problemOf(await operation("capabilities", tokens["access_token"]), 401);
});

test("a scope that was not ticked is missing: 403 with its name", async () => {
  const scopes = ["billing.account.read", "billing.usage.read"];
  const [, tokens] = await exchange(await clickThrough(authorizationAddress(), { scopes }));
  expect(tokens["scope"]).toBe(scopes.join(" "));
  expect((await operation("capabilities", tokens["access_token"])).status).toBe(200);
  const refused = await operation("costs", tokens["access_token"]);
  expect(problemOf(refused, 403)).toBe("insufficient-scope");
  expect(refused.headers.get("www-authenticate")).toContain('scope="billing.cost.read"');
});

test("who denies is sent back without a code", async () => {
  const redirected = await clickThrough(authorizationAddress(), { decision: "deny" });
  expect(redirected.searchParams.get("error")).toBe("access_denied");
  expect(redirected.searchParams.has("code")).toBe(false);
});

test("PKCE is required, with S256, and the verifier must fit", async () => {
  const without = await clickThrough(authorizationAddress({ code_challenge: "" }));
  expect(without.searchParams.get("error")).toBe("invalid_request");
  const plain = await clickThrough(authorizationAddress({ code_challenge_method: "plain" }));
  expect(plain.searchParams.get("error")).toBe("invalid_request");
  const redirected = await clickThrough(authorizationAddress());
  const other = "b".repeat(43);
  expect(await exchange(redirected, other)).toMatchObject([400, { error: "invalid_grant" }]);
});

test("a redirect address that is not on loopback is refused on the spot", async () => {
  const address = authorizationAddress({ redirect_uri: "https://elsewhere.example/callback" });
  await expect(clickThrough(address)).rejects.toThrow("redirect_uri");
});

test("a spent refresh token revokes its family, and no other", async () => {
  const [first, other] = [
    await oauth.server.issue("real-spend"),
    await oauth.server.issue("real-spend"),
  ];
  const [, second] = await refresh(first.refreshToken);
  expect(second["refresh_token"]).not.toBe(first.refreshToken);
  expect(await refresh(first.refreshToken)).toMatchObject([400, { error: "invalid_grant" }]);
  expect(await refresh(second["refresh_token"])).toMatchObject([400, { error: "invalid_grant" }]);
  problemOf(await operation("usage", second["access_token"]), 401);
  expect((await refresh(other.refreshToken))[0]).toBe(200);
});

test("without rotation the refresh token stays", async () => {
  oauth.server.switches.rotate = false;
  const { refreshToken } = await oauth.server.issue("real-spend");
  expect((await refresh(refreshToken))[1]["refresh_token"] ?? refreshToken).toBe(refreshToken);
  expect((await refresh(refreshToken))[0]).toBe(200);
});

test("an access token lives exactly as long as it says", async () => {
  oauth.server.switches.tokenSeconds = 1;
  const issuedAt = Date.now();
  const { accessToken } = await oauth.server.issue("real-spend");
  const at = (ms: number) => {
    const real = Date.now;
    Date.now = () => issuedAt + ms;
    return Promise.resolve(oauth.verify(accessToken, 0)).finally(() => {
      Date.now = real;
    });
  };
  expect(await at(990)).toBeDefined();
  expect(await at(1500)).toBeUndefined();
});

test("the control switches, issues with fewer scopes, and makes the token endpoint fail", async () => {
  const control = async (body: unknown): Promise<Body> => {
    const response = await fetch(new URL("/control/oauth", baseUrl), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return (await response.json()) as Body;
  };
  const scopes: Scope[] = ["billing.cost.read"];
  const issued = await control({ token_seconds: 7, issue: { scopes } });
  expect(issued).toMatchObject({ token_seconds: 7, rotate: true, expires_in: 7 });
  problemOf(await operation("capabilities", issued["access_token"]), 403);
  await control({
    token_faults: [
      { kind: "status", status: 503, times: 1 },
      { kind: "lost", times: 1 },
    ],
  });
  expect((await refresh(issued["refresh_token"]))[0]).toBe(503);
  await expect(refresh(issued["refresh_token"])).rejects.toThrow();
  // The new token got lost on its way, and the old one is spent.
  expect(await refresh(issued["refresh_token"])).toMatchObject([400, { error: "invalid_grant" }]);
  await control({ revoke: "all" });
  expect(
    provider.requests().some(({ path, status }) => path.endsWith("/token") && status === "reset"),
  ).toBe(true);
});

test(
  "the process prints what a client needs beside the two members that everybody knows",
  { timeout: 30_000 },
  async () => {
    const { greeting, errors, stop } = await startProcess("--oauth", "--token-seconds", "9");
    const facts = greeting as Record<string, Record<string, string>>;
    expect(Object.keys(facts)).toEqual(["base_url", "access_token", "oauth"]);
    const { client_id, client_secret, refresh_token, token_url } = facts["oauth"] ?? {};
    const form = { grant_type: "refresh_token", client_id, client_secret, refresh_token };
    const body = new URLSearchParams(
      Object.entries(form).map(([name, value = ""]) => [name, value]),
    );
    const response = await fetch(token_url ?? "", { method: "POST", body });
    expect(await response.json()).toMatchObject({ expires_in: 9 });
    await stop();
    expect(errors()).toBe("");
  },
);
