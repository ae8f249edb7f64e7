/** Keeps the config as its tokens are renewed: masked at once, in the file where asked to, handed to the platform. */
import { type Config, parseConfig, secretsOf } from "./config.ts";
import type { Clock } from "../edges.ts";
import type { Secrets } from "../emit.ts";
import type { InputKind } from "./json_file.ts";
import { connectorConfig, type Message } from "../protocol.ts";
import { mustBeKept, type TokenSet, withTokens } from "./renewed.ts";

/** What keeping needs of the process. */
export interface TokenStoreHost {
  readonly clock: Clock;
  /** Learns the secrets of the config before anything else is done with it. */
  readonly secrets: Secrets;
  readonly readJson: (path: string, what: InputKind) => Promise<unknown>;
  /** For `--write-config`; absent where there are no files. */
  readonly configFile?: ConfigFile;
}

/** The config file as something to write. Both throw a ConnectorError where that cannot work. */
export interface ConfigFile {
  write(path: string, config: unknown): Promise<void>;
  /** Finds out beforehand: once a token has been replaced it is too late. */
  assertWritable(path: string): Promise<void>;
}

/** A config, and how it is kept when its tokens are renewed. */
export interface TokenStore {
  readonly config: Config;
  /** Resolves once the new tokens are safe: only then may they be used. */
  readonly save: (tokens: TokenSet) => Promise<void>;
}

/**
 * Reads the config of a command.
 *
 * @param options `writeConfig`: renewed tokens go to the file too
 * @param send resolves once the message has been written to stdout
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
  const renews = config.credentials.authType === "oauth2_authorization_code";
  if (writeConfig && renews) await host.configFile?.assertWritable(path);
  const save = async (tokens: TokenSet): Promise<void> => {
    host.secrets.add([tokens.accessToken, tokens.refreshToken]);
    const before = current;
    const after = withTokens(before, tokens);
    current = after;
    // The file first: it stays, whatever becomes of whoever reads the messages.
    if (writeConfig) await host.configFile?.write(path, after);
    if (mustBeKept(before, after)) await send(connectorConfig(after, host.clock.now()));
  };
  return { config, save };
}
