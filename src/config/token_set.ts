/** New tokens in a config: the CONTROL messages carry this config to the platform, and `--write-config` saves it. */
import { formatInstant } from "../core/time.ts";
import type { JsonObject } from "../protocol.ts";
import { membersOf } from "./members.ts";

/** The tokens of the authorization server's latest answer. */
export interface TokenSet {
  /** Absent if the answer was broken and only its refresh token could be saved. */
  readonly accessToken: string | undefined;
  /** When the access token expires, in milliseconds since 1970; absent if the server does not say. */
  readonly expiresAt: number | undefined;
  /** The refresh token to use from now on. */
  readonly refreshToken: string;
  /** The token endpoint that issued the tokens. From now on the refresh token goes there and nowhere else. */
  readonly tokenUrl: string;
}

/**
 * The whole config with these tokens under `credentials`; every other key stays as it is.
 *
 * @param config the parsed JSON of a valid config file
 */
export function withTokens(config: unknown, tokens: TokenSet): JsonObject {
  const {
    token_expiry_date: _,
    access_token: __,
    ...credentials
  } = membersOf(membersOf(config)["credentials"]);
  return {
    ...membersOf(config),
    credentials: {
      ...credentials,
      refresh_token: tokens.refreshToken,
      ...(tokens.accessToken === undefined ? {} : { access_token: tokens.accessToken }),
      ...(tokens.expiresAt === undefined
        ? {}
        : { token_expiry_date: formatInstant(tokens.expiresAt) }),
      token_url: credentials["token_url"] ?? tokens.tokenUrl,
    },
  };
}

/**
 * Whether the platform needs the new config. A platform that keeps an old refresh token is locked out; one that keeps no
 * `token_url` may send the refresh token to another place.
 */
export function mustHandOver(before: unknown, after: JsonObject): boolean {
  const [old, renewed] = [before, after].map((config) =>
    membersOf(membersOf(config)["credentials"]),
  );
  return ["refresh_token", "token_url"].some((key) => old?.[key] !== renewed?.[key]);
}
