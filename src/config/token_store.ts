/** Loads the config and saves renewed tokens: in the log's mask, in the config file, and at the platform. */
import { type Config, parseConfig, secretsOf } from "./config.ts";
import type { Clock } from "../edges.ts";
import type { Secrets } from "../secrets.ts";
import type { InputKind } from "./json_file.ts";
import { misspelledKeys } from "./misspelled.ts";
import { connectorConfig, log, type Message } from "../protocol.ts";
import { mustHandOver, type TokenSet, withTokens } from "./token_set.ts";

/** The parts of the process that a token store uses. */
export interface TokenStoreHost {
  readonly clock: Clock;
  /** Gets the secrets of the config before anything else happens to the config. */
  readonly secrets: Secrets;
  readonly readJson: (path: string, what: InputKind) => Promise<unknown>;
  /** For `--write-config`; absent if there are no files. */
  readonly configFile?: ConfigFile;
}

/** Writes a config file. Both functions throw a ConnectorError if the file cannot be written. */
export interface ConfigFile {
  write(path: string, config: unknown): Promise<void>;
  /** Tries beforehand: after a refresh the old token is spent, and a failed write would lose the new one. */
  assertWritable(path: string): Promise<void>;
}

/** A config, and the function that saves its renewed tokens. */
export interface TokenStore {
  readonly config: Config;
  /** Resolves when the new tokens are safe. Nobody may use them earlier. */
  readonly save: (tokens: TokenSet) => Promise<void>;
}

/** The warning about a start date in the future: the streams are then read to their end, and have no record. */
const FUTURE_START =
  "start_date lies in the future of this machine's clock, so nothing may be read before that day.";

/**
 * Reads the config of a command, and warns about keys that are probably misspelled.
 *
 * @param options `writeConfig`: save renewed tokens in the file too
 * @param send resolves when the message is on stdout
 * @throws ConnectorError `invalid_config`
 */
export async function loadConfig(
  { config: path, writeConfig }: { readonly config: string; readonly writeConfig: boolean },
  host: TokenStoreHost,
  send: (message: Message) => Promise<void>,
): Promise<TokenStore> {
  let current = await host.readJson(path, "config");
  host.secrets.add(secretsOf(current));
  const config = parseConfig(current);
  for (const warning of misspelledKeys(current)) await send(log("WARN", warning));
  if (config.start !== undefined && config.start > host.clock.now()) {
    await send(log("WARN", FUTURE_START));
  }
  const renews = config.credentials.authType === "oauth2_authorization_code";
  if (writeConfig && renews) await host.configFile?.assertWritable(path);
  const save = async (tokens: TokenSet): Promise<void> => {
    host.secrets.add([tokens.accessToken ?? "", tokens.refreshToken]);
    const before = current;
    const after = withTokens(before, tokens);
    current = after;
    try {
      // The file comes first: it stays, even if nobody reads stdout any more.
      if (writeConfig) await host.configFile?.write(path, after);
    } finally {
      // If the file cannot be written, CONTROL is the only copy of a token that replaced the old one.
      if (mustHandOver(before, after)) await send(connectorConfig(after, host.clock.now()));
    }
  };
  return { config, save };
}
