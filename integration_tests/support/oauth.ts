/** A provider with OAuth in this process, and configs for a connector that is signed in. */
import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import type { Account } from "../../reference_provider/accounts.ts";
import type { AuthorizationOptions } from "../../reference_provider/oauth/authorization_server.ts";
import type { OAuth } from "../../reference_provider/oauth/oauth.ts";
import { createProvider, type Provider } from "../../reference_provider/provider.ts";
import type { Config } from "./config.ts";
import type { Finished } from "./process.ts";
import type { Message } from "./protocol.ts";

export interface OAuthServed extends AsyncDisposable {
  readonly provider: Provider;
  readonly oauth: OAuth;
  readonly baseUrl: string;
  /** A config with a new refresh token and no access token; `extra` replaces keys. */
  config(extra?: Config): Promise<Config>;
  /** The responses of the token endpoint, in order. */
  tokenRequests(): readonly unknown[];
}

/** Serves an account from this process. */
export async function serveOAuth(
  account: Account,
  now: string,
  options: AuthorizationOptions = {},
): Promise<OAuthServed> {
  const provider = createProvider({ accounts: [account], now, oauth: options });
  const { baseUrl } = await provider.listen();
  const oauth = provider.oauth();
  const { clientId, clientSecret } = oauth.server.client;
  return {
    provider,
    oauth,
    baseUrl,
    config: async (extra = {}) => ({
      base_url: baseUrl,
      credentials: {
        auth_type: "oauth2_authorization_code",
        client_id: clientId,
        client_secret: clientSecret,
        refresh_token: (await oauth.server.issue(account.id)).refreshToken,
        token_url: oauth.tokenUrl,
      },
      ...extra,
    }),
    tokenRequests: () =>
      provider
        .requests()
        .filter(({ path }) => path.endsWith("/token"))
        .map(({ status }) => status),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const spec = JSON.parse(readFileSync(new URL("../../spec.json", import.meta.url), "utf8")) as {
  readonly connectionSpecification: object;
};
const ajv = new Ajv({ strict: false });
addFormats.default(ajv);
const isConfig = ajv.compile(spec.connectionSpecification);

/** The configs that a run sent to the platform, in order. Throws if one is no config. */
export function configsOf({ messages }: { readonly messages: readonly Message[] }): Config[] {
  const configs = messages.flatMap(({ control }) => control?.connectorConfig.config ?? []);
  for (const config of configs) {
    if (!isConfig(config)) throw new Error(`no config: ${ajv.errorsText(isConfig.errors)}`);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return configs as Config[];
}

/** The member `credentials`. */
export function credentialsOf(config: Config | undefined): Readonly<Record<string, string>> {
  // In these tests all members of `credentials` are texts.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return (config?.["credentials"] ?? {}) as Readonly<Record<string, string>>;
}

/** The secret values of a config. */
export function secretsIn(...configs: readonly Config[]): string[] {
  return configs.flatMap((config) => {
    const { access_token, refresh_token, client_secret } = credentialsOf(config);
    return [access_token, refresh_token, client_secret].filter((text) => text !== undefined);
  });
}

/** The places of secrets in the output of a run, without CONTROL: plain, in base64 or as in a URL. */
export function leaksIn({ stdout, stderr }: Finished, secrets: readonly string[]): string[] {
  const told = stdout
    .split("\n")
    .filter((line) => !line.startsWith('{"type":"CONTROL"'))
    .concat(stderr)
    .join("\n");
  return secrets.flatMap((secret) =>
    [
      // Any eight consecutive characters, because a part of a secret is secret too.
      ...Array.from({ length: Math.max(1, secret.length - 7) }, (_, at) =>
        secret.slice(at, at + 8),
      ),
      encodeURIComponent(secret),
      encodeURIComponent(encodeURIComponent(secret)),
      ...[0, 1, 2].map((shift) => base64Core(secret, shift)),
    ]
      .filter((form) => told.includes(form))
      .map(
        (form) => `…${told.slice(Math.max(0, told.indexOf(form) - 60), told.indexOf(form) + 20)}…`,
      ),
  );
}

/** The base64 of a text at any offset in a longer text, without the characters that depend on the text around it. */
function base64Core(text: string, shift: number): string {
  const encoded = Buffer.from("\0".repeat(shift) + text).toString("base64");
  return encoded.slice(shift === 0 ? 0 : shift + 1, -4);
}
