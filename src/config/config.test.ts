import fc from "fast-check";
import { expect, test } from "vitest";
import { type Config, parseConfig, secretsOf } from "./config.ts";
import { ConnectorError } from "../errors.ts";

const TOKEN = "tok-4f1d9c0b7e";
const bearer = { auth_type: "scoped_bearer_token", access_token: TOKEN };
const oauth = {
  auth_type: "oauth2_authorization_code",
  client_id: "client-1",
  refresh_token: "refresh-91ab",
};
const minimal = { base_url: "https://billing.example.com", credentials: bearer };

function faultOf(config: unknown): ConnectorError {
  try {
    parseConfig(config);
  } catch (error) {
    if (error instanceof ConnectorError) return error;
    throw error;
  }
  throw new Error("the config was accepted");
}

const messageOf = (change: object): string => faultOf({ ...minimal, ...change }).message;

test("a key of a provider's own reports needs no address, and brings assumptions", () => {
  const credentials = { auth_type: "openai_admin_key", api_key: "sk-admin-1" };
  expect(parseConfig({ credentials })).toMatchObject({
    baseUrl: "https://api.openai.com",
    credentials: { authType: "scoped_bearer_token", accessToken: "sk-admin-1" },
    provider: {
      name: "openai",
      hasOwnAddress: true,
      usageLagHours: 4,
      costsLagHours: 24,
      finalAfterDays: 5,
    },
  });
  const proxy = { base_url: "https://proxy.example.com/openai/v1/", credentials };
  expect(parseConfig(proxy)).toMatchObject({
    baseUrl: "https://proxy.example.com/openai",
    provider: { hasOwnAddress: false },
  });
  expect(secretsOf({ credentials })).toEqual(["sk-admin-1"]);
  expect(
    messageOf({ credentials: { ...credentials, api_key: "two words", usage_lag_hours: -1 } }),
  ).toMatch(/api_key must be one word.*usage_lag_hours must be a whole number from 0 to 240/s);
});

test("a minimal config gets the defaults of the design", () => {
  expect(parseConfig(minimal)).toEqual({
    baseUrl: "https://billing.example.com",
    credentials: { authType: "scoped_bearer_token", accessToken: TOKEN },
    provider: undefined,
    start: undefined,
    end: undefined,
    granularity: "1d",
    lookbackDays: undefined,
    reconcileDays: undefined,
    scrubDays: 30,
    concurrency: undefined,
    pageSize: 1000,
    invalidRecords: "fail",
    account: undefined,
  } satisfies Config);
});

test("every key is parsed", () => {
  const config = parseConfig({
    base_url: "https://Billing.Example.com:443/export/",
    credentials: {
      ...oauth,
      client_secret: "cs",
      access_token: "at",
      token_expiry_date: "2026-08-26T12:00:00.123456Z",
      authorization_url: "https://auth.example.com/authorize?tenant=1",
      token_url: "http://127.0.0.1:9/token",
    },
    start_date: "2026-01-31",
    end_date: "2026-02-01T06:00:00Z",
    granularity: "1h",
    lookback_days: 0,
    reconcile_days: 0,
    scrub_days: 7,
    concurrency: 16,
    page_size: 1,
    invalid_records: "warn",
    account: "production",
  });
  expect(config).toEqual({
    baseUrl: "https://billing.example.com/export",
    credentials: {
      authType: "oauth2_authorization_code",
      clientId: "client-1",
      clientSecret: "cs",
      refreshToken: "refresh-91ab",
      accessToken: "at",
      accessTokenExpiresAt: Date.UTC(2026, 7, 26, 12, 0, 0, 123),
      authorizationUrl: "https://auth.example.com/authorize?tenant=1",
      tokenUrl: "http://127.0.0.1:9/token",
    },
    provider: undefined,
    start: Date.UTC(2026, 0, 31),
    end: Date.UTC(2026, 1, 1, 6),
    granularity: "1h",
    lookbackDays: 0,
    reconcileDays: 0,
    scrubDays: 7,
    concurrency: 16,
    pageSize: 1,
    invalidRecords: "warn",
    account: "production",
  } satisfies Config);
});

test("null counts as absent, for keys of the credentials too", () => {
  const nulls = { start_date: null, end_date: null, granularity: null, page_size: null };
  expect(parseConfig({ ...minimal, ...nulls, account: null })).toEqual(parseConfig(minimal));
  const credentials = { ...oauth, client_secret: null, access_token: null, token_url: null };
  expect(parseConfig({ ...minimal, credentials })).toEqual(
    parseConfig({ ...minimal, credentials: oauth }),
  );
  expect(messageOf({ base_url: null })).toContain("base_url is required");
});

test("keys that nobody knows are accepted", () => {
  const config = { ...minimal, __injected: 1, credentials: { ...bearer, option_title: "x" } };
  expect(parseConfig(config)).toEqual(parseConfig(minimal));
});

test("all faults are named at once, each with its path and rule, and no value of a secret", () => {
  const error = faultOf({
    base_url: "http://billing.example.com",
    credentials: { auth_type: "scoped_bearer_token", access_token: "se cret\n" },
    start_date: "2026-02-30",
    end_date: "2026-02-01T00:00:00+02:00",
    granularity: "1w",
    lookback_days: -1,
    reconcile_days: 1.5,
    concurrency: 17,
    page_size: "100",
    invalid_records: "ignore",
    account: "",
  });
  expect(error.code).toBe("invalid_config");
  expect(error.failureType).toBe("config_error");
  expect(error.message).toBe(
    [
      "The config has 11 faults:",
      "- base_url must start with https:// (http:// only for an address of this machine, such as localhost or 127.0.0.1)",
      "- credentials.access_token must be one word without spaces or line breaks",
      "- start_date names a day or a time that does not exist",
      "- end_date must be in UTC (ending in Z), not at another offset",
      '- granularity must be "1d" or "1h"',
      "- lookback_days must be a whole number, 0 or more",
      "- reconcile_days must be a whole number, 0 or more",
      "- concurrency must be a whole number from 1 to 16",
      "- page_size must be a whole number from 1 to 1000",
      '- invalid_records must be "fail" or "warn"',
      "- account must not be empty",
    ].join("\n"),
  );
});

test("a lone fault is one sentence", () => {
  expect(messageOf({ base_url: 7 })).toBe("The config has a fault: base_url must be text.");
});

test.each([null, undefined, 3, "text", [], true])("%j is no config", (value) => {
  expect(faultOf(value).message).toMatch(
    /^The config has a fault: it (must be an object|is required)\.$/,
  );
});

test.each([
  [undefined, "credentials is required"],
  ["tok", "credentials must be an object"],
  [{}, 'credentials.auth_type must be "oauth2_authorization_code" or "scoped_bearer_token"'],
  [{ auth_type: "api_key" }, 'credentials.auth_type must be "oauth2'],
  [{ auth_type: "scoped_bearer_token" }, "credentials.access_token is required"],
  [{ ...bearer, access_token: "" }, "credentials.access_token must not be empty"],
  [{ ...bearer, access_token: "käse" }, "credentials.access_token must be one word"],
  [{ ...bearer, access_token: "…" }, "access_token must be your own value"],
  [{ ...bearer, access_token: "..." }, "access_token must be your own value"],
  [{ ...bearer, access_token: "<token>" }, "access_token must be your own value"],
  [{ ...bearer, access_token: "Bearer xyz" }, 'without the word "Bearer"'],
  [{ ...bearer, access_token: "bearer\txyz" }, 'without the word "Bearer"'],
  [{ ...oauth, refresh_token: "…" }, "refresh_token must be your own value"],
  [{ ...oauth, client_id: "…" }, "client_id must be your own value"],
  [{ ...oauth, client_secret: "<secret>" }, "client_secret must be your own value"],
  [{ ...oauth, refresh_token: undefined }, "source-ai-billing login --config"],
  [{ ...oauth, refresh_token: undefined }, "credentials.refresh_token is required"],
  [{ ...oauth, client_id: "" }, "credentials.client_id must not be empty"],
  [{ ...oauth, token_url: "http://a.example" }, "credentials.token_url must start with https"],
  [{ ...oauth, token_expiry_date: "soon" }, "credentials.token_expiry_date must be a date"],
])("credentials %j are refused", (credentials, words) => {
  expect(messageOf({ credentials })).toContain(words);
});

test.each([
  "2026-1-1",
  "01/02/2026",
  "2026-01-01 00:00:00",
  "2026-01-01T00:00:00",
  "yesterday",
  "",
  20_260_101,
])("%j is no date", (value) => {
  expect(messageOf({ start_date: value })).toMatch(/start_date must be (a date such as|text)/);
});

test.each([
  ["2026-01-01", "2026-01-01"],
  ["2026-01-02", "2026-01-01"],
  ["2026-01-01T00:00:00.500Z", "2026-01-01T00:00:00.500+00:00"],
])("an end that is not after the start is refused: %s, %s", (start_date, end_date) => {
  expect(messageOf({ start_date, end_date })).toContain("end_date must be after start_date");
});

test("an end before the start is named also where other keys are wrong", () => {
  const message = messageOf({ base_url: 1, start_date: "2026-01-02", end_date: "2026-01-01" });
  expect(message).toContain("2 faults");
});

test("days beyond a century are as good as a century", () => {
  expect(parseConfig({ ...minimal, lookback_days: 1_000_000_000 }).lookbackDays).toBe(36_525);
});

test("secrets are found in a valid config, and nothing that is none", () => {
  expect(secretsOf(minimal)).toEqual([TOKEN]);
  const credentials = {
    ...oauth,
    client_secret: "client-secret",
    access_token: "access",
    token_expiry_date: "2026-01-01T00:00:00Z",
    authorization_url: "https://auth.example.com/authorize",
    token_url: "https://auth.example.com/token",
  };
  expect(secretsOf({ ...minimal, credentials })).toEqual([
    "client-secret",
    "refresh-91ab",
    "access",
  ]);
});

test("secrets are found in invalid configs, wherever they were put", () => {
  expect(secretsOf({ credentials: "sk-1" })).toEqual(["sk-1"]);
  expect(secretsOf({ credentials: [{ a: ["sk-2"] }] })).toEqual(["sk-2"]);
  expect(secretsOf({ access_token: "sk-3", start_date: "2026-01-01" })).toEqual(["sk-3"]);
  expect(secretsOf({ credentials: { auth_type: "x", password: "sk-4" } })).toEqual(["sk-4"]);
  expect(secretsOf([{ nested: { refresh_token: "sk-5" } }])).toEqual(["sk-5"]);
  expect(secretsOf({ credentials: { access_token: "", token: null } })).toEqual([]);
  for (const value of [null, undefined, 3, "text", []]) expect(secretsOf(value)).toEqual([]);
});

test("a config nested deeper than the stack is handled", () => {
  let deep: object = { access_token: "sk-6" };
  for (let level = 0; level < 100_000; level += 1) deep = { credentials: deep };
  expect(secretsOf(deep)).toEqual(["sk-6"]);
  expect(faultOf(deep).code).toBe("invalid_config");
});

test("a list with more items than a call can have arguments is handled", () => {
  const list = Array.from({ length: 500_000 }, (_, index) => `sk-${index}`);
  expect(secretsOf({ credentials: list })).toHaveLength(500_000);
  expect(faultOf({ ...minimal, credentials: list }).message).toContain("must be an object");
});

/** Configs that are nearly right: each key right, wrong, or anything at all. */
const nearly = fc.record(
  {
    base_url: fc.oneof(fc.constant(minimal.base_url), fc.webUrl(), fc.anything()),
    credentials: fc.oneof(
      fc.constant(bearer),
      fc.record(
        {
          auth_type: fc.constantFrom("scoped_bearer_token", "oauth2_authorization_code", "x"),
          access_token: fc.anything(),
          refresh_token: fc.anything(),
          client_id: fc.anything(),
          token_url: fc.anything(),
        },
        { requiredKeys: [] },
      ),
      fc.anything(),
    ),
    start_date: fc.oneof(fc.constantFrom("2026-01-01", "2026-13-01"), fc.anything()),
    end_date: fc.oneof(fc.constantFrom("2025-01-01", "2026-02-01T00:00:00Z"), fc.anything()),
    concurrency: fc.oneof(fc.integer(), fc.double(), fc.anything()),
    account: fc.anything(),
  },
  { requiredKeys: [] },
);

test("whatever a config holds, it is parsed or refused with a ConnectorError", () => {
  fc.assert(
    fc.property(fc.oneof(nearly, fc.anything()), (config) => {
      try {
        expect(parseConfig(config).baseUrl).toMatch(/^https?:/);
      } catch (error) {
        expect(error).toBeInstanceOf(ConnectorError);
      }
    }),
  );
});

test("no message holds a secret, wherever in a wrong config it stands", () => {
  const secret = "SeCrEt-0xC0FFEE with space\n";
  const places = fc.constantFrom(
    { credentials: secret },
    { credentials: { auth_type: secret } },
    { credentials: { ...bearer, access_token: secret } },
    { credentials: { ...oauth, refresh_token: 1, client_secret: { [secret]: secret } } },
    { credentials: { ...oauth, token_url: secret, token_expiry_date: secret } },
    { base_url: `https://user:${secret}@example.com` },
    { base_url: `https://example.com/?token=${secret}` },
    { start_date: secret },
    { granularity: secret, invalid_records: secret },
    { page_size: secret },
  );
  fc.assert(
    fc.property(places, nearly, (place, rest) => {
      const error = faultOf({ ...minimal, ...rest, ...place });
      expect(JSON.stringify(error.toTrace())).not.toContain("0xC0FFEE");
      expect(error.cause).toBeUndefined();
    }),
  );
});
