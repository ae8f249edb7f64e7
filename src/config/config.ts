/**
 * The configuration (design §5) as the rest of the connector sees it, and its secrets.
 *
 * No message made here holds a value of the config: what is wrong is said by path and rule alone.
 */
import type * as z from "zod";
import { normalizeBaseUrl } from "./address.ts";
import { configSchema, instantOf } from "./schema.ts";
import { ConnectorError } from "../errors.ts";
import { describeIssues, issuesOf, ruleOf, type ConfigIssue } from "./issues.ts";

/** A dedicated read-only token (interface §5). */
export interface BearerCredentials {
  readonly authType: "scoped_bearer_token";
  readonly accessToken: string;
}

/** What the authorization code flow left behind (interface §5); the access token may be stale or absent. */
export interface OAuthCredentials {
  readonly authType: "oauth2_authorization_code";
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret: string | undefined;
  readonly refreshToken: string;
  readonly accessToken: string | undefined;
  /** When `accessToken` expires, in milliseconds since 1970. */
  readonly accessTokenExpiresAt: number | undefined;
  /** Where not given, it is discovered from the provider. */
  readonly authorizationUrl: string | undefined;
  readonly tokenUrl: string | undefined;
}

export type Credentials = BearerCredentials | OAuthCredentials;

/** The configuration, with its defaults filled in. Instants are milliseconds since 1970. */
export interface Config {
  /** As {@link normalizeBaseUrl} spells it: no trailing slash, so that `/v1/…` can follow. */
  readonly baseUrl: string;
  readonly credentials: Credentials;
  /** Inclusive; `undefined` means the retention floor (W3). */
  readonly start: number | undefined;
  /** Exclusive, after `start`; `undefined` means now (W4). */
  readonly end: number | undefined;
  /** Of usage; costs always count in days. */
  readonly granularity: "1d" | "1h";
  /** Whole UTC days, 0 to 36,525; `undefined` means by the capabilities' lags (R1). */
  readonly lookbackDays: number | undefined;
  /** Whole UTC days, 0 to 36,525; 0 turns R2 off; `undefined` means by calendar (R2). */
  readonly reconcileDays: number | undefined;
  /** 1 to 16 requests at once, over all streams (C1). */
  readonly concurrency: number;
  /** 1 to 1000 records a page. */
  readonly pageSize: number;
  /** What to do with a record that breaks its schema (V1, V2). */
  readonly invalidRecords: "fail" | "warn";
  /** The user's own label of the account, part of the state's fingerprint (S5). */
  readonly account: string | undefined;
}

/** A century: more than any retention, and few enough for arithmetic on instants to stay exact. */
const MOST_DAYS = 36_525;

/** The config keys under `credentials` that are no secret; whatever else stands there is treated as one. */
const PUBLIC_CREDENTIALS: ReadonlySet<string> = new Set([
  "auth_type",
  "client_id",
  "token_expiry_date",
  "authorization_url",
  "token_url",
]);

/** Keys that hold a secret wherever a person may have put them by mistake. */
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
 * @throws ConnectorError `invalid_config` that names every fault by path and rule, and no value.
 */
export function parseConfig(value: unknown): Config {
  const present = presentOf(value);
  const parsed = configSchema.safeParse(present, { error: ruleOf });
  const faults = [...(parsed.error === undefined ? [] : issuesOf(parsed.error)), ...order(present)];
  const baseUrl = parsed.success ? normalizeBaseUrl(parsed.data.base_url) : undefined;
  if (!parsed.success || baseUrl === undefined || faults.length > 0) {
    throw new ConnectorError("invalid_config", describeIssues("config", faults));
  }
  const { data } = parsed;
  return {
    baseUrl,
    credentials: credentialsOf(data.credentials),
    start: data.start_date === undefined ? undefined : instantOf(data.start_date),
    end: data.end_date === undefined ? undefined : instantOf(data.end_date),
    granularity: data.granularity,
    lookbackDays: daysOf(data.lookback_days),
    reconcileDays: daysOf(data.reconcile_days),
    concurrency: data.concurrency,
    pageSize: data.page_size,
    invalidRecords: data.invalid_records,
    account: data.account,
  };
}

function daysOf(days: number | undefined): number | undefined {
  return days === undefined ? undefined : Math.min(days, MOST_DAYS);
}

function credentialsOf(credentials: ParsedConfig["credentials"]): Credentials {
  if (credentials.auth_type === "scoped_bearer_token") {
    return { authType: credentials.auth_type, accessToken: credentials.access_token };
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

/** The rule between two keys; judged beside the schema, which would skip it where another key is wrong. */
function order(config: unknown): ConfigIssue[] {
  if (!isObject(config)) return [];
  const [start, end] = [config["start_date"], config["end_date"]].map((value) =>
    typeof value === "string" ? instantOf(value) : undefined,
  );
  return start !== undefined && end !== undefined && end <= start
    ? [{ path: "end_date", rule: "must be after start_date" }]
    : [];
}

/** What the config says, where `null` says nothing. */
function presentOf(config: unknown): unknown {
  const present = withoutNulls(config);
  return isObject(present) && isObject(present["credentials"])
    ? { ...present, credentials: withoutNulls(present["credentials"]) }
    : present;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** An object without the keys that are null, which is how platforms send an empty field. */
function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/**
 * Every secret of a config, for masking; works on any value, so that a config that is wrong does not leak either.
 * Longest first, so that one secret inside another cannot leave a remainder; no empty ones, none twice.
 */
export function secretsOf(config: unknown): string[] {
  const found = new Set<string>();
  // A list of its own instead of recursion: the file may be nested deeper than the stack is.
  const pending = [{ value: config, secret: false }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, secret } = next;
    if (secret && typeof value === "string" && value !== "") found.add(value);
    if (Array.isArray(value))
      pending.push(...value.map((item: unknown) => ({ value: item, secret })));
    if (!isObject(value)) continue;
    for (const [key, member] of Object.entries(value)) {
      const named = key === "credentials" || SECRET_KEYS.has(key);
      pending.push({ value: member, secret: named || (secret && !PUBLIC_CREDENTIALS.has(key)) });
    }
  }
  return [...found].toSorted((a, b) => b.length - a.length);
}
