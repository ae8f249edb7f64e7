/**
 * The credential that renews itself (interface section 5, `oauth2_authorization_code`). All lanes and streams share one
 * access token. It is refreshed before it expires, and once if the provider refuses it. One refresh runs at a time.
 *
 * The refresh runs when the next request leaves, not when the 401 comes: between the two a pause after a 429 may outlast the
 * new token. A new token that the provider refuses at its first use is not refreshed, because the next one would be refused too.
 */
import type { OAuthCredentials } from "../config/config.ts";
import type { TokenSet } from "../config/token_set.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import type { Auth, Refusal } from "../http/auth.ts";
import { metadataOfChallenge } from "./discovery.ts";
import type { TokenEndpoint } from "./token_endpoint.ts";

export interface OAuthOptions {
  readonly credentials: OAuthCredentials;
  readonly endpoint: Pick<TokenEndpoint, "refresh" | "server" | "setMetadataUrl">;
  readonly clock: Clock;
  /** Saves new tokens. They are used only after it has resolved. */
  readonly save: (tokens: TokenSet) => Promise<void>;
}

/** A token is renewed this long before it expires, in milliseconds. */
const EXPIRY_MARGIN = 60_000;

/** The margin of short-lived tokens, as a share of the token's life. */
const EXPIRY_MARGIN_SHARE = 0.25;

interface AccessToken {
  readonly authorization: string;
  /** From this instant on the token must be renewed before use, in milliseconds since 1970. */
  readonly staleAt: number;
  /** True for a token that this run got, until an attempt with the token ends in anything but a 401. */
  readonly isUntried: boolean;
}

export class RefreshingAuth implements Auth {
  readonly #options: OAuthOptions;
  #current: AccessToken | undefined;
  #refreshToken: string;
  /** The refresh under way; every caller that needs a token waits for it. */
  #refreshing: Promise<AccessToken> | undefined;
  /** An error that a later attempt cannot mend. After it no refresh is tried. */
  #finalError: ConnectorError | undefined;

  constructor(options: OAuthOptions) {
    const { accessToken, accessTokenExpiresAt: expiresAt, refreshToken } = options.credentials;
    this.#options = options;
    this.#refreshToken = refreshToken;
    if (accessToken !== undefined) {
      const staleAt = expiresAt === undefined ? Infinity : expiresAt - EXPIRY_MARGIN;
      this.#current = { authorization: `Bearer ${accessToken}`, staleAt, isUntried: false };
    }
  }

  async authorization(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const { clock } = this.#options;
    const current = this.#current;
    if (current !== undefined && clock.now() < current.staleAt) return current.authorization;
    return (await unlessAborted(this.#renew(), signal)).authorization;
  }

  tolerated(authorization: string): void {
    const current = this.#current;
    if (current?.isUntried !== true || current.authorization !== authorization) return;
    this.#current = { ...current, isUntried: false };
  }

  unauthorized({ authorization, challenge }: Refusal): boolean {
    this.#options.endpoint.setMetadataUrl(metadataOfChallenge(challenge));
    // Another lane may have reported the same token, or renewed it since this request left.
    if (this.#current?.authorization !== authorization) return true;
    if (this.#current.isUntried) return false;
    this.#current = undefined;
    return true;
  }

  /** Resolves when no refresh is under way; then its tokens have been saved. Never rejects. */
  async settled(): Promise<void> {
    await this.#refreshing?.catch(() => undefined);
  }

  #renew(): Promise<AccessToken> {
    if (this.#finalError !== undefined) return Promise.reject(this.#finalError);
    if (this.#refreshing === undefined) {
      const refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
      // All waiting callers may be gone when the refresh fails; that must not be an unhandled rejection.
      refreshing.catch(() => undefined);
      this.#refreshing = refreshing;
    }
    return this.#refreshing;
  }

  async #refresh(): Promise<AccessToken> {
    try {
      return await this.#requestAndSave();
    } catch (reason) {
      const error = ConnectorError.from(reason);
      if (error.failureType !== "transient_error") this.#finalError = error;
      throw error;
    }
  }

  async #requestAndSave(): Promise<AccessToken> {
    const { endpoint, save } = this.#options;
    const saveTokens = async (tokens: Omit<TokenSet, "tokenUrl">): Promise<void> => {
      this.#refreshToken = tokens.refreshToken;
      await save({ ...tokens, tokenUrl: (await endpoint.server()).token_endpoint ?? "" });
    };
    const { accessToken, livesMs, answeredAt, refreshToken } = await endpoint.refresh(
      this.#refreshToken,
      (rotated) =>
        saveTokens({ accessToken: undefined, expiresAt: undefined, refreshToken: rotated }),
    );
    const expiresAt = livesMs === undefined ? undefined : answeredAt + livesMs;
    await saveTokens({ accessToken, expiresAt, refreshToken: refreshToken ?? this.#refreshToken });
    const margin = Math.min(EXPIRY_MARGIN, (livesMs ?? 0) * EXPIRY_MARGIN_SHARE);
    const staleAt = expiresAt === undefined ? Infinity : expiresAt - margin;
    this.#current = { authorization: `Bearer ${accessToken}`, staleAt, isUntried: true };
    return this.#current;
  }
}

/** Settles like the promise, or rejects with the signal's reason when it aborts. The work behind the promise goes on. */
async function unlessAborted<Result>(
  promise: Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  signal.throwIfAborted();
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (abort !== undefined) signal.removeEventListener("abort", abort);
  }
}
