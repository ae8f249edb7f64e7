/** Planted faults of OAuth, errors and HTTP. */
import { costs, usage, capabilities, simple, granted, server, EVERY_REFUSAL } from "./plant.ts";
import type { Plant } from "./plant.ts";

export const ofOAuth: readonly Plant[] = [
  simple("resource-other", "the metadata is of another resource", "OAU-01", {
    kind: "metadata",
    of: "resource",
    set: { resource: "https://example.com" },
  }),
  server("issuer-other", "the authorization server names another issuer", "OAU-02", {
    issuer: "https://example.com",
  }),
  server("pkce-plain", "PKCE is offered as plain only", "OAU-03", {
    code_challenge_methods_supported: ["plain"],
  }),
  server("refresh-missing", "refresh tokens are not offered", "OAU-04", {
    grant_types_supported: ["authorization_code"],
  }),
  server("scopes-missing", "the scope of costs is not announced", "OAU-05", {
    scopes_supported: ["billing.account.read", "billing.usage.read"],
  }),
  simple("challenge-bare", "the 401 does not point to the metadata", "OAU-06", {
    kind: "headers",
    set: { "www-authenticate": "Bearer" },
  }),
  {
    name: "grant-error",
    what: "an unknown refresh token has another error",
    finds: ["OAU-07"],
    tokenFaults: [{ kind: "status", status: 400, error: "invalid_request", times: 1 }],
  },
  {
    name: "refresh-fails",
    what: "a refresh fails",
    finds: ["OAU-08"],
    tokenFaults: [{ kind: "status", status: 400, error: "invalid_scope", times: 1, after: 1 }],
  },
  {
    name: "tokens-cached",
    what: "answers with tokens may be stored",
    finds: ["OAU-09"],
    tokenFaults: [{ kind: "headers", set: { "cache-control": "public" }, after: 1 }],
  },
  {
    name: "refresh-spent",
    what: "a spent refresh token is accepted",
    finds: ["OAU-10"],
    tokenFaults: [{ kind: "status", status: 200, after: 2 }],
    deep: true,
  },
];

export const ofAnswers: readonly Plant[] = [
  simple("problem-type", "errors are application/json", "ERR-01", {
    kind: "refusal",
    of: EVERY_REFUSAL,
    content_type: "application/json",
  }),
  simple("problem-html", "errors are HTML", ["ERR-01", "ERR-02"], {
    kind: "refusal",
    of: ["invalid-parameter"],
    about: "RFC 3339",
    body: "html",
  }),
  simple("problem-title", "problems have no title", "ERR-02", {
    kind: "refusal",
    of: EVERY_REFUSAL,
    drop: ["title"],
  }),
  simple("problem-status", "problems have another status than the answer", "ERR-03", {
    kind: "refusal",
    of: EVERY_REFUSAL,
    set: { status: 422 },
  }),
  granted("open-door", "no token is needed", "ERR-04", "unauthorized", "Send Authorization"),
  granted("any-token", "any token will do", "ERR-05", "unauthorized", "unknown, expired"),
  simple("challenge-missing", "a 401 has no WWW-Authenticate", "ERR-06", {
    kind: "refusal",
    of: ["unauthorized"],
    drop_headers: ["www-authenticate"],
  }),
  simple("token-in-query", "a token in the query is taken", "ERR-07", { kind: "query_token" }),
  granted("scope-ignored", "costs need no scope", "ERR-08", "insufficient-scope"),
  {
    name: "scope-excessive",
    what: "capabilities need the scope of costs",
    finds: ["ERR-08"],
    faults: ({ limitedToken: token }) => [{ kind: "forbidden", when: { ...capabilities, token } }],
  },
  granted("address-any", "every address answers 200", "ERR-09", "not-found"),
  simple("retry-words", "Retry-After is no number and no date", "ERR-10", {
    kind: "rate_limited",
    retry_after: "soon",
    when: { times: 1 },
  }),
  simple("token-echoed", "an error shows the token", "ERR-11", {
    kind: "refusal",
    of: ["invalid-parameter"],
    echo: true,
  }),
  simple("answer-503", "one request fails with a 503", "ERR-12", {
    kind: "status",
    status: 503,
    when: { ...usage, times: 1 },
  }),
  simple("type-text", "pages are text/plain", "HTTP-01", {
    kind: "content_type",
    value: "text/plain",
    when: costs,
  }),
  simple("body-bom", "bodies begin with a byte order mark", "HTTP-02", {
    kind: "bom",
    when: costs,
  }),
  simple("body-cut", "one body is cut off", "HTTP-02", {
    kind: "truncated",
    when: { ...costs, times: 1 },
  }),
  simple("redirected", "one request is redirected", "HTTP-03", {
    kind: "redirect",
    location: "https://example.com/",
    when: { ...costs, times: 1 },
  }),
  simple("gzip-unasked", "bodies are compressed for every client", "HTTP-04", {
    kind: "gzip_unasked",
  }),
  simple("date-missing", "answers have no Date", "HTTP-05", {
    kind: "headers",
    drop: ["date"],
    when: costs,
  }),
  simple("cache-public", "answers may be kept by caches", "HTTP-06", {
    kind: "headers",
    set: { "cache-control": "public, max-age=60" },
    when: costs,
  }),
  simple("head-crash", "HEAD and POST are a 500", "HTTP-07", {
    kind: "refusal",
    of: ["method-not-allowed"],
    status: 500,
  }),
  granted("post-served", "POST is served", "HTTP-08", "method-not-allowed"),
  simple("status-odd", "one request is answered with 418", "HTTP-09", {
    kind: "status",
    status: 418,
    when: { ...costs, times: 1 },
  }),
];
