/** Checks that a config or a catalog was read with its exact content. */
import { isDeepStrictEqual } from "node:util";
import type { ConfiguredCatalog } from "../../src/catalog/catalog.ts";
import type { Config } from "../../src/config/config.ts";
import { dayOf, instantOf, isPlain, type Plain } from "./rules.ts";

const CENTURY = 36_525;

/**
 * The failure of a config that was accepted, or null for a refused one. Only accepted addresses are checked here;
 * address.test.ts tests which ones are refused.
 */
export function judgeConfig(
  value: unknown,
  taken: Config | null,
  secrets: readonly string[],
): string[] {
  const faults = hidden(value, secrets).map((secret) => `not known for a secret: ${secret}`);
  const rest = restOf(value);
  if (taken === null) {
    return rest !== null && isPlainAddress(value)
      ? [...faults, "it is right and was refused"]
      : faults;
  }
  if (rest === null) return [...faults, "it is wrong and was taken"];
  const { baseUrl, credentials, ...others } = taken;
  if (!isDeepStrictEqual(others, rest.others)) faults.push(`taken for ${JSON.stringify(others)}`);
  if (!isDeepStrictEqual(credentials, rest.credentials))
    faults.push(`credentials taken for ${JSON.stringify(credentials)}`);
  return [...faults, ...addressFaults(baseUrl, value)];
}

/** Secret members of the config that the list of secrets lacks. */
function hidden(value: unknown, secrets: readonly string[]): string[] {
  const credentials = isPlain(value) ? value["credentials"] : undefined;
  const own = isPlain(credentials) ? credentials : {};
  return ["access_token", "refresh_token", "client_secret"]
    .map((name) => own[name])
    .filter((secret) => typeof secret === "string")
    .filter((secret) => secret !== "" && !secrets.includes(secret));
}

interface Rest {
  readonly credentials: Config["credentials"];
  readonly others: Omit<Config, "baseUrl" | "credentials">;
}

/** All members except the address, read without the connector's code; null if one breaks a rule. */
function restOf(value: unknown): Rest | null {
  if (!isPlain(value)) return null;
  const config = new Fields(value);
  const start = config.optional("start_date", dateOf);
  const end = config.optional("end_date", dateOf);
  const others = {
    start,
    end,
    granularity: config.optional("granularity", oneOf("1d", "1h")) ?? "1d",
    lookbackDays: config.optional("lookback_days", days),
    reconcileDays: config.optional("reconcile_days", days),
    scrubDays: config.optional("scrub_days", days) ?? 30,
    concurrency: config.optional("concurrency", from1to(16)),
    pageSize: config.optional("page_size", from1to(1000)) ?? 1000,
    invalidRecords: config.optional("invalid_records", oneOf("fail", "warn")) ?? "fail",
    account: config.optional("account", label),
    provider: undefined,
  };
  const credentials = credentialsOf(value["credentials"]);
  const isOrdered = start === undefined || end === undefined || start < end;
  return config.isWrong || !isOrdered || credentials === null ? null : { others, credentials };
}

function credentialsOf(value: unknown): Config["credentials"] | null {
  if (!isPlain(value)) return null;
  const fields = new Fields(value);
  const type = fields.optional(
    "auth_type",
    oneOf("scoped_bearer_token", "oauth2_authorization_code"),
  );
  if (type === "scoped_bearer_token") {
    const accessToken = fields.required("access_token", token);
    return fields.isWrong ? null : { authType: type, accessToken };
  }
  if (type === undefined) return null;
  const credentials = {
    authType: type,
    clientId: fields.required("client_id", some),
    clientSecret: fields.optional("client_secret", some),
    refreshToken: fields.required("refresh_token", some),
    accessToken: fields.optional("access_token", token),
    accessTokenExpiresAt: fields.optional("token_expiry_date", dateOf),
    authorizationUrl: fields.optional("authorization_url", some),
    tokenUrl: fields.optional("token_url", some),
  };
  return fields.isWrong ? null : credentials;
}

/** The rules of the members; null means no rule. */
class Fields {
  readonly #value: Plain;
  isWrong = false;

  constructor(value: Plain) {
    this.#value = value;
  }

  optional<Value>(name: string, read: (value: unknown) => Value | undefined): Value | undefined {
    const value = Object.hasOwn(this.#value, name) ? this.#value[name] : null;
    if (value === null) return undefined;
    const found = read(value);
    if (found === undefined) this.isWrong = true;
    return found;
  }

  required(name: string, read: (value: unknown) => string | undefined): string {
    const found = this.optional(name, read);
    if (found === undefined) this.isWrong = true;
    return found ?? "";
  }
}

const oneOf =
  <const Choice extends string>(...choices: readonly Choice[]) =>
  (value: unknown): Choice | undefined =>
    choices.find((choice) => choice === value);

const isWhole = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value);

function days(value: unknown): number | undefined {
  return isWhole(value) && value >= 0 ? Math.min(value, CENTURY) : undefined;
}

const from1to =
  (most: number) =>
  (value: unknown): number | undefined =>
    isWhole(value) && value >= 1 && value <= most ? value : undefined;

function some(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function token(value: unknown): string | undefined {
  return typeof value === "string" && /^[\u0021-\u007e]+$/.test(value) ? value : undefined;
}

function label(value: unknown): string | undefined {
  const text = some(value);
  return text !== undefined && text.length <= 200 ? text : undefined;
}

function dateOf(value: unknown): number | undefined {
  return dayOf(value) ?? instantOf(value);
}

/** Whether the addresses are so plain that they must be accepted. */
function isPlainAddress(value: unknown): boolean {
  if (!isPlain(value) || !isPlain(value["credentials"])) return false;
  const { authorization_url: authorization, token_url: tokens } = value["credentials"];
  const isOAuth = value["credentials"]["auth_type"] === "oauth2_authorization_code";
  const others = isOAuth ? [authorization, tokens] : [];
  const plain =
    /^(https:\/\/[a-z]+\.example\.com(\/[a-z]+(\?prompt=login)?)?|http:\/\/(127\.0\.0\.1:8097|localhost\/x))$/;
  const isPlainOne = (address: unknown): boolean =>
    typeof address === "string" && plain.test(address);
  return (
    isPlainOne(value["base_url"]) &&
    !String(value["base_url"]).includes("?") &&
    others.every((address) => address === null || address === undefined || isPlainOne(address))
  );
}

/** Whether an accepted address, as a URL parser reads it, is safe for a credential. */
function addressFaults(taken: string, value: unknown): string[] {
  const address = isPlain(value) ? value["base_url"] : undefined;
  const url = typeof address === "string" ? URL.parse(address) : null;
  if (url === null) return [`no address was taken: ${String(address)}`];
  const isLocal = url.hostname === "localhost" || /^(127\.[\d.]+|\[::1\])$/.test(url.hostname);
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && isLocal);
  const isBare = url.username + url.password + url.search + url.hash === "";
  const expected = `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
  return isSafe && isBare && expected === taken
    ? []
    : [`the address ${String(address)} was taken for ${taken}`];
}

/** The failure of a catalog that was accepted, or null for a refused one. */
export function judgeCatalog(value: unknown, taken: ConfiguredCatalog | null): string[] {
  const expected = catalogOf(value);
  if (taken === null) return expected === null ? [] : ["it is right and was refused"];
  if (expected === null) return ["it is wrong and was taken"];
  const found = {
    streams: taken.streams.map(({ name, syncMode }) => `${name} ${syncMode}`),
    faults: taken.faults.map(({ stream }) => stream),
  };
  return isDeepStrictEqual(found, expected) ? [] : [`taken for ${JSON.stringify(found)}`];
}

function catalogOf(
  value: unknown,
): { readonly streams: string[]; readonly faults: string[] } | null {
  const list = isPlain(value) ? value["streams"] : undefined;
  if (!Array.isArray(list)) return null;
  const [streams, faults, names]: [string[], string[], string[]] = [[], [], []];
  for (const entry of list) {
    const stream: unknown = isPlain(entry) ? entry["stream"] : undefined;
    const name = isPlain(stream) ? some(stream["name"]) : undefined;
    if (name === undefined || names.includes(name)) return null;
    names.push(name);
    const mode = isPlain(entry) ? entry["sync_mode"] : undefined;
    const isKnown = ["usage", "costs", "export_windows"].includes(name);
    if (isKnown && (mode === "incremental" || mode === "full_refresh"))
      streams.push(`${name} ${mode}`);
    else faults.push(name);
  }
  return { streams, faults };
}
