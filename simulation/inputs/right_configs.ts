/** Checks that a config hides no secret from the connector, and that a catalog was read with its exact content. */
import { isDeepStrictEqual } from "node:util";
import type { ConfiguredCatalog } from "../../src/catalog/catalog.ts";
import type { Config } from "../../src/config/config.ts";
import { isPlain } from "./rules.ts";

/**
 * The faults of the reading of a config. The connector must know all secrets of the config, also if it refuses the config. An
 * accepted address must be safe for these secrets.
 * config.test.ts tests how each member is read, and address.test.ts which addresses are refused.
 */
export function judgeConfig(
  value: unknown,
  taken: Config | null,
  secrets: readonly string[],
): string[] {
  const faults = hidden(value, secrets).map((secret) => `not known for a secret: ${secret}`);
  return taken === null ? faults : [...faults, ...addressFaults(taken.baseUrl, value)];
}

/** The secrets of the config that are not in the connector's list of secrets. */
function hidden(value: unknown, secrets: readonly string[]): string[] {
  const credentials = isPlain(value) ? value["credentials"] : undefined;
  const own = isPlain(credentials) ? credentials : {};
  return ["access_token", "refresh_token", "client_secret"]
    .map((name) => own[name])
    .filter((secret) => typeof secret === "string")
    .filter((secret) => secret !== "" && !secrets.includes(secret));
}

function some(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The fault if the accepted address is unsafe for a credential, or differs from what a URL parser reads; else none. */
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

/** The faults of the reading of a catalog: it was wrongly refused or accepted, or its content was misread. */
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
