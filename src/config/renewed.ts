/** The config with new tokens in it: what CONTROL messages hand to the platform, and what is saved to the file. */
import { formatInstant } from "../core/time.ts";
import type { JsonObject } from "../protocol.ts";

/** What the authorization server gave last. */
export interface TokenSet {
  readonly accessToken: string;
  /** Of the access token, in milliseconds since 1970; absent where the server does not say. */
  readonly expiresAt: number | undefined;
  readonly refreshToken: string;
  /** The token endpoint: from now on a refresh token goes there and nowhere else. */
  readonly tokenUrl: string;
}

/**
 * The whole config, everything in it kept but the tokens under `credentials`.
 *
 * @param config as it stands in the file, known to be a config
 */
export function withTokens(config: unknown, tokens: TokenSet): JsonObject {
  const { token_expiry_date: _, ...credentials } = membersOf(membersOf(config)["credentials"]);
  return {
    ...membersOf(config),
    credentials: {
      ...credentials,
      refresh_token: tokens.refreshToken,
      access_token: tokens.accessToken,
      ...(tokens.expiresAt === undefined
        ? {}
        : { token_expiry_date: formatInstant(tokens.expiresAt) }),
      token_url: credentials["token_url"] ?? tokens.tokenUrl,
    },
  };
}

/** Whether a platform that keeps `before` would be locked out, or would send its token elsewhere, without `after`. */
export function mustBeKept(before: unknown, after: JsonObject): boolean {
  const [old, fresh] = [before, after].map((config) => membersOf(membersOf(config)["credentials"]));
  return ["refresh_token", "token_url"].some((key) => old?.[key] !== fresh?.[key]);
}

function membersOf(value: unknown): JsonObject {
  return typeof value === "object" && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {};
}
