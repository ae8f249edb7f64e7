/**
 * `login`: a person at a shell signs in at the provider with a browser, and the config file gets the tokens. The output is
 * plain text for that person.
 */
import { type Config, parseConfig, secretsOf } from "../config/config.ts";
import { ConnectorError } from "../errors.ts";
import type { ConfigFile, TokenStoreHost } from "../config/token_store.ts";
import { type CallbackServer, listenForCallback, type Page } from "./callback_server.ts";
import { membersOf } from "../config/members.ts";
import { type TokenSet, withTokens } from "../config/token_set.ts";

/** One attempt to sign in; see oauth/authorization.ts. */
export interface SignIn {
  readonly address: URL;
  isAnswer(callback: URL): boolean;
  complete(callback: URL): Promise<TokenSet>;
  /** Closes the connections. */
  close(): Promise<void>;
}

export interface LoginCommand {
  readonly kind: "login";
  readonly config: string;
  /** Whether to start a browser; if not, the address is only shown. */
  readonly browser: boolean;
  /** Port of the sign-in's redirect address on 127.0.0.1, 0 to 65535; 0 for any free port. */
  readonly port: number;
}

export interface LoginHost extends Pick<TokenStoreHost, "clock" | "secrets" | "readJson"> {
  /** Ends the command early; its reason is a ConnectorError `aborted`. */
  readonly stop: AbortSignal;
  readonly configFile: ConfigFile;
  readonly begin: (config: Config, redirectUri: string) => Promise<SignIn>;
  /** Starts a browser; resolves to whether that worked. */
  readonly openBrowser: (address: URL) => Promise<boolean>;
  /** Shows one or more lines to the person. */
  readonly say: (text: string) => void;
}

/** The change of a config that makes it one for a sign-in. */
const FOR_LOGIN =
  'set "credentials" to { "auth_type": "oauth2_authorization_code", "client_id": "…" }';

/** The time that a person has to sign in, in milliseconds. */
const SIGN_IN_LIMIT = 300_000;

/**
 * Signs in and saves the tokens; everything else in the file stays.
 *
 * @throws ConnectorError that says what to do: `invalid_config`, `invalid_arguments` (the port is in use), `unauthorized`
 *   (denied, refused, nobody came), the errors of discovery and of the token endpoint, `aborted`
 */
export async function login(
  { config: path, browser, port }: LoginCommand,
  host: LoginHost,
): Promise<void> {
  const file = await fileOf(path, host);
  host.secrets.add(secretsOf(file));
  const config = parseForLogin(file);
  await host.configFile.assertWritable(path);
  const server = await listenForCallback(port);
  let signIn: SignIn | undefined;
  try {
    signIn = await host.begin(config, server.redirectUri);
    const { address } = signIn;
    const opened = browser && (await host.openBrowser(address));
    host.say(
      opened
        ? `Sign in with your browser. If none has opened, go to\n`
        : `Open this address on this machine and sign in:\n`,
    );
    host.say(`  ${address.href}\n\n`);
    const answered = tokensFromTab(server, signIn, async (tokens) => {
      host.secrets.add([tokens.accessToken ?? "", tokens.refreshToken]);
      await host.configFile.write(path, withTokens(file, tokens));
    });
    await withinLimit(answered, host);
  } finally {
    await Promise.all([server.close(), signIn?.close()]);
  }
  host.say(`You are signed in. The tokens are in "${path}", which only you may read now.\n`);
}

/** The config in the file. If there is no file, the error says how to make one for a sign-in. */
async function fileOf(path: string, { readJson }: LoginHost): Promise<unknown> {
  try {
    return await readJson(path, "config");
  } catch (reason) {
    const isMissing = reason instanceof ConnectorError && reason.detail === "ENOENT";
    if (!isMissing) throw reason;
    throw new ConnectorError(
      "invalid_config",
      `${reason.message} Make it with \`source-ai-billing init\` and ${FOR_LOGIN}, or name another one with --config.`,
      { detail: reason.detail },
    );
  }
}

/** Parses the config with a placeholder for the refresh token: the file has none yet, or one that is no longer valid. */
function parseForLogin(file: unknown): Config {
  const members = membersOf(file);
  const {
    access_token: _,
    token_expiry_date: __,
    ...credentials
  } = membersOf(members["credentials"]);
  const type = credentials["auth_type"];
  if (type === "scoped_bearer_token") {
    throw new ConnectorError(
      "invalid_config",
      "The config has an access token of its own (auth_type scoped_bearer_token), which needs no login. To sign in, " +
        `${FOR_LOGIN}.`,
    );
  }
  return parseConfig({ ...members, credentials: { ...credentials, refresh_token: "to-come" } });
}

/** Resolves when a tab has brought a code and its tokens are saved; rejects with the error of that tab. */
function tokensFromTab(
  server: CallbackServer,
  signIn: SignIn,
  save: (tokens: TokenSet) => Promise<void>,
): Promise<void> {
  let isTaken = false;
  return new Promise((resolve, reject) => {
    server.onCallback(async (callback) => {
      if (!signIn.isAnswer(callback)) return { page: OTHER_SIGN_IN };
      if (isTaken) return { page: SECOND_TAB };
      isTaken = true;
      try {
        await save(await signIn.complete(callback));
        return { page: DONE, shown: resolve };
      } catch (reason) {
        const { message } = ConnectorError.from(reason);
        const page = { status: 400, title: "The sign-in did not work", text: message };
        return { page, shown: () => reject(reason) };
      }
    });
  });
}

const DONE: Page = {
  status: 200,
  title: "You are signed in",
  text: "The connector has its tokens. You can close this tab.",
};

const SECOND_TAB: Page = {
  status: 409,
  title: "Another tab was first",
  text: "The sign-in has been taken up in another tab. You can close this one.",
};

const OTHER_SIGN_IN: Page = {
  status: 400,
  title: "This tab belongs to another sign-in",
  text: "Close it, and go on with the address that the command shows now.",
};

async function withinLimit(answered: Promise<void>, { clock, stop }: LoginHost): Promise<void> {
  const timer = new AbortController();
  const late = clock.sleep(SIGN_IN_LIMIT, AbortSignal.any([stop, timer.signal])).then(() => {
    throw new ConnectorError(
      "unauthorized",
      `Nobody signed in within ${SIGN_IN_LIMIT / 60_000} minutes. Run login again; with --no-browser it only shows the address.`,
    );
  });
  try {
    await Promise.race([answered, late]);
  } finally {
    timer.abort();
    late.catch(() => undefined);
    answered.catch(() => undefined);
  }
}
