/** Finds the config of a command: in a file or on stdin, completed by the environment. */
import { DEFAULT_CONFIG, type Environment, STDIN, VARIABLES as NAMES } from "../config_place.ts";
import { ConnectorError } from "../errors.ts";
import { hasAccounts } from "./account_list.ts";
import { PROVIDERS } from "./credentials_schema.ts";
import { type InputKind, parseJsonFile } from "./json_file.ts";
import { isObject } from "./members.ts";

/** The parts of the process that a config may come from. */
export interface ConfigSources {
  /** See {@link readJsonFile}. */
  readonly readFile: (path: string, what: InputKind) => Promise<unknown>;
  /** All of stdin, the same at each call: a sync reads its config several times. */
  readonly readInput: () => Promise<Uint8Array>;
  readonly environment: Environment;
}

/**
 * The config at a path, completed by the variables. Each member comes from one place: a file that disagrees with a variable is
 * refused, because either of them may be a leftover. Without {@link DEFAULT_CONFIG} the variables alone are the config.
 *
 * @throws ConnectorError `invalid_config`; names every fault at once, and no value
 */
export async function readConfig(path: string, sources: ConfigSources): Promise<unknown> {
  const { environment } = sources;
  const [baseUrl, token, provider] = [NAMES.baseUrl, NAMES.token, NAMES.provider].map((name) =>
    environment[name] === "" ? undefined : environment[name],
  );
  const file = await configAt(path, sources, token !== undefined);
  if (!isObject(file)) return file;
  const kind = kindOf(provider);
  const set = Object.values(NAMES).filter((name) => (environment[name] ?? "") !== "");
  // The variables have to go, whatever else is wrong with them.
  if (hasAccounts(file) && set.length > 0) {
    throw new ConnectorError(
      "invalid_config",
      `The config is not clear. The config has a list of accounts, each with its own address and credentials, and ` +
        `${set.join(" and ")} would be those of one account: remove the variables.`,
    );
  }
  const faults = [
    ...(baseUrl !== undefined && isGiven(file["base_url"]) && file["base_url"] !== baseUrl
      ? [`${NAMES.baseUrl} is set, and the config has another base_url: remove one of the two`]
      : []),
    ...(token !== undefined && isGiven(file["credentials"])
      ? [`${NAMES.token} is set, and the config has credentials: remove one of the two`]
      : []),
    ...(provider !== undefined && token === undefined
      ? [`${NAMES.provider} is set without ${NAMES.token}, whose provider it names`]
      : []),
    ...(provider !== undefined && kind === undefined
      ? [`${NAMES.provider} must be one of ${Object.keys(KINDS).join(", ")}`]
      : []),
    ...(token !== undefined &&
    provider === undefined &&
    baseUrl === undefined &&
    !isGiven(file["base_url"])
      ? [`${NAMES.token} is set without an address: set ${NAMES.baseUrl} or ${NAMES.provider}`]
      : []),
  ];
  if (faults.length > 0) {
    throw new ConnectorError("invalid_config", `The config is not clear. ${faults.join(". ")}.`);
  }
  return {
    ...file,
    ...(baseUrl === undefined ? {} : { base_url: baseUrl }),
    ...(token === undefined || kind === undefined
      ? {}
      : { credentials: { auth_type: kind.authType, [kind.key]: token } }),
  };
}

/** The kinds of secrets by the names of their providers; `interface` is any provider that serves the interface. */
const KINDS: Readonly<Record<string, { readonly authType: string; readonly key: string }>> = {
  interface: { authType: "scoped_bearer_token", key: "access_token" },
  ...Object.fromEntries(
    Object.entries(PROVIDERS).map(([authType, { provider }]) => [
      provider,
      { authType, key: "api_key" },
    ]),
  ),
};

const kindOf = (provider = "interface") =>
  Object.hasOwn(KINDS, provider) ? KINDS[provider] : undefined;

/** Platforms send null for an empty field. */
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The config of the file or of stdin. It is empty if {@link DEFAULT_CONFIG} does not exist and a variable has the secret. */
async function configAt(
  path: string,
  { readFile, readInput }: ConfigSources,
  hasSecret: boolean,
): Promise<unknown> {
  if (path === STDIN) return await parseJsonFile(await readInput(), path, "config");
  try {
    return await readFile(path, "config");
  } catch (reason) {
    const isMissing = reason instanceof ConnectorError && reason.detail === "ENOENT";
    if (path !== DEFAULT_CONFIG || !isMissing) throw reason;
    if (hasSecret) return {};
    throw new ConnectorError(
      "invalid_config",
      `${reason.message} Make it with \`source-ai-billing init\`, name another one with --config, or set ` +
        `${NAMES.baseUrl} and ${NAMES.token}.`,
      { detail: reason.detail },
    );
  }
}
