/**
 * The configuration (design section 5) as the rest of the connector sees it, and its secrets.
 *
 * No message of this file quotes a value of the config: a message names the path and the rule that is broken.
 */
import type * as z from "zod";
import { hasAccounts, SEVERAL_ACCOUNTS } from "./account_list.ts";
import { normalizeBaseUrl } from "./address.ts";
import { PROVIDERS } from "./credentials_schema.ts";
import { instantOf } from "./fields.ts";
import { configSchema } from "./schema.ts";
import { ConnectorError } from "../errors.ts";
import { describeIssues, issuesOf, ruleOf, type ConfigIssue } from "./issues.ts";
import { isObject } from "./members.ts";

/** A dedicated read-only token (interface section 5). */
export interface BearerCredentials {
  readonly authType: "scoped_bearer_token";
  readonly accessToken: string;
}

/** The result of the authorization code flow (interface section 5). The access token may be expired or absent. */
export interface OAuthCredentials {
  readonly authType: "oauth2_authorization_code";
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret: string | undefined;
  readonly refreshToken: string;
  readonly accessToken: string | undefined;
  /** When `accessToken` expires, in milliseconds since 1970. */
  readonly accessTokenExpiresAt: number | undefined;
  /** An address that is not given is discovered from the provider. */
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
}

export type Credentials = BearerCredentials | OAuthCredentials;

/** A provider with an API of its own, read through an adapter, and the assumptions about its reports. */
export interface ProviderConfig {
  readonly name: "anthropic" | "openai" | "openrouter";
  /** Whether `baseUrl` is the address of the provider's API, not that of a proxy or a fake. */
  readonly hasOwnAddress: boolean;
  /** Whole hours, 0 to 240, until usage is complete. */
  readonly usageLagHours: number;
  /** Whole hours, 0 to 240, until costs are complete. */
  readonly costsLagHours: number;
  /** Days, 0 to 365, until costs are final: after their calendar month, or after their day at OpenRouter. */
  readonly finalAfterDays: number;
}

/** The configuration, with its defaults filled in. Instants are milliseconds since 1970. */
export interface Config {
  /** Spelled by {@link normalizeBaseUrl}: no trailing slash, so that `/v1/…` can follow. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** Undefined if the provider serves the interface itself. */
  readonly provider: ProviderConfig | undefined;
  /** Inclusive; `undefined` means the retention floor (W3). */
  readonly start: number | undefined;
  /** Exclusive, after `start`; `undefined` means now (W4). */
  readonly end: number | undefined;
  /** The bucket of usage; costs always count in days. */
  readonly granularity: "1d" | "1h";
  /** Whole UTC days, 0 to 36,525; `undefined` means by the capabilities' lags (R1). */
  readonly lookbackDays: number | undefined;
  /** Whole UTC days, 0 to 36,525; 0 turns R2 off; `undefined` means by calendar (R2). */
  readonly reconcileDays: number | undefined;
  /** Whole days in which all retained history is compared once, 0 to 36,525; 0 turns R7 off. */
  readonly scrubDays: number;
  /** 1 to 16 requests at once, over all streams; `undefined` means that the gate finds the number (C1). */
  readonly concurrency: number | undefined;
  /** 1 to 1000 records a page. */
  readonly pageSize: number;
  /** The treatment of a record that breaks its schema (V1, V2). */
  readonly invalidRecords: "fail" | "warn";
  /** The user's own label of the account; part of what identifies a state (S5). */
  readonly account: string | undefined;
}

/** A century: longer than any retention, and short enough for exact arithmetic on instants. */
const MAXIMUM_DAYS = 36_525;
/** The part of a config that the streams get: no secret reaches them. */
export type ReadSettings = Omit<Config, "credentials">;

/** The keys under `credentials` that hold no secret. The value of every other key there counts as a secret. */
const PUBLIC_CREDENTIALS: ReadonlySet<string> = new Set([
  "auth_type",
  "client_id",
  "token_expiry_date",
  "authorization_url",
  "token_url",
  "usage_lag_hours",
  "costs_lag_hours",
  "final_after_days",
]);

/** Keys that hold a secret even if a person put them in the wrong place. */
const SECRET_KEYS: ReadonlySet<string> = new Set([
  "access_token",
  "refresh_token",
  "client_secret",
  "api_key",
  "api_token",
  "token",
  "password",
  "secret",
]);

type ParsedConfig = z.output<typeof configSchema>;

/**
 * The config, typed and with its defaults. `null` counts as absent, unknown keys are accepted.
 *
 * @throws ConnectorError `invalid_config`; names every issue by path and rule, and no value
 */
export function parseConfig(value: unknown): Config {
  if (hasAccounts(value)) throw new ConnectorError("invalid_config", SEVERAL_ACCOUNTS);
  const present = withoutNullMembers(value);
  const parsed = configSchema.safeParse(present, { error: ruleOf });
  const issues = [
    ...addressIssues(present),
    ...(parsed.error === undefined ? [] : issuesOf(parsed.error)),
    ...dateIssues(present),
  ];
  const baseUrl = parsed.success ? baseUrlOf(parsed.data) : undefined;
  if (!parsed.success || baseUrl === undefined || issues.length > 0) {
    throw new ConnectorError("invalid_config", describeIssues("config", issues));
  }
  const { data } = parsed;
  return {
    baseUrl,
    credentials: credentialsOf(data.credentials),
    provider: providerOf(data.credentials, baseUrl),
    start: data.start_date === undefined ? undefined : instantOf(data.start_date),
    end: data.end_date === undefined ? undefined : instantOf(data.end_date),
    granularity: data.granularity,
    lookbackDays: daysOf(data.lookback_days),
    reconcileDays: daysOf(data.reconcile_days),
    scrubDays: daysOf(data.scrub_days) ?? 0,
    concurrency: data.concurrency,
    pageSize: data.page_size,
    invalidRecords: data.invalid_records,
    account: data.account,
  };
}

function daysOf(days: number | undefined): number | undefined {
  return days === undefined ? undefined : Math.min(days, MAXIMUM_DAYS);
}

function credentialsOf(credentials: ParsedConfig["credentials"]): Credentials {
  if (credentials.auth_type === "scoped_bearer_token") {
    return { authType: credentials.auth_type, accessToken: credentials.access_token };
  }
  if (credentials.auth_type !== "oauth2_authorization_code") {
    return { authType: "scoped_bearer_token", accessToken: credentials.api_key };
  }
  const { token_expiry_date: expiry } = credentials;
  return {
    authType: credentials.auth_type,
    clientId: credentials.client_id,
    clientSecret: credentials.client_secret,
    refreshToken: credentials.refresh_token,
    accessToken: credentials.access_token,
    accessTokenExpiresAt: expiry === undefined ? undefined : instantOf(expiry),
    authorizationUrl: credentials.authorization_url,
    tokenUrl: credentials.token_url,
  };
}

function providerOf(
  credentials: ParsedConfig["credentials"],
  address: string,
): ProviderConfig | undefined {
  if (credentials.auth_type === "oauth2_authorization_code") return undefined;
  if (credentials.auth_type === "scoped_bearer_token") return undefined;
  const { provider: name, baseUrl } = PROVIDERS[credentials.auth_type];
  return {
    name,
    hasOwnAddress: address === normalizeBaseUrl(baseUrl),
    usageLagHours: credentials.usage_lag_hours,
    costsLagHours: credentials.costs_lag_hours,
    finalAfterDays: credentials.final_after_days,
  };
}

function isProviderType(authType: unknown): authType is keyof typeof PROVIDERS {
  return typeof authType === "string" && authType in PROVIDERS;
}

/** The address in the config, else that of the provider's API. SDKs include `/v1` in the address, the config does not. */
function baseUrlOf({ base_url: given, credentials }: ParsedConfig): string | undefined {
  const { auth_type: type } = credentials;
  const known = isProviderType(type) ? PROVIDERS[type].baseUrl : undefined;
  const url = given ?? known;
  const normalized = url === undefined ? undefined : normalizeBaseUrl(url);
  return known === undefined ? normalized : normalized?.replace(/\/v1$/, "");
}

/** Only a provider that serves the interface needs an address. Not part of the schema: the rule spans two keys. */
function addressIssues(config: unknown): ConfigIssue[] {
  if (!isObject(config) || config["base_url"] !== undefined) return [];
  const credentials = config["credentials"];
  return isObject(credentials) && isProviderType(credentials["auth_type"])
    ? []
    : [{ path: "base_url", rule: "is required" }];
}

/** The rule that spans two keys. It is not part of the schema: zod would skip it if another key were wrong. */
function dateIssues(config: unknown): ConfigIssue[] {
  if (!isObject(config)) return [];
  const [start, end] = [config["start_date"], config["end_date"]].map((value) =>
    typeof value === "string" ? instantOf(value) : undefined,
  );
  return start !== undefined && end !== undefined && end <= start
    ? [{ path: "end_date", rule: "must be after start_date" }]
    : [];
}

/** The config without keys that are null, at the top and under `credentials`: platforms send null for an empty field. */
function withoutNullMembers(config: unknown): unknown {
  const present = withoutNulls(config);
  return isObject(present) && isObject(present["credentials"])
    ? { ...present, credentials: withoutNulls(present["credentials"]) }
    : present;
}

function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/**
 * Every secret of a config, for masking. Takes any value, so that an invalid config does not leak its secrets either.
 *
 * @returns longest first, so that masking a short secret leaves no rest of a longer one; none is empty, none comes twice
 */
export function secretsOf(config: unknown): string[] {
  const found = new Set<string>();
  // A list instead of recursion: the file may be nested deeper than the stack.
  const pending = [{ value: config, secret: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, secret } = next;
    if (secret && typeof value === "string" && value !== "") found.add(value);
    if (Array.isArray(value)) {
      // Not as arguments of one push: a long list has more items than a call can have arguments.
      for (const item of value as readonly unknown[]) pending.push({ value: item, secret });
    }
    if (!isObject(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      const named = key === "credentials" || SECRET_KEYS.has(key);
      pending.push({ value: member, secret: named || (secret && !PUBLIC_CREDENTIALS.has(key)) });
    }
  }
  return [...found].toSorted((a, b) => b.length - a.length);
}
