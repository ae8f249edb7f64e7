/**
 * The credential that renews itself (interface section 5, `oauth2_authorization_code`): one access token for all lanes
 * and streams, refreshed before it expires and once where it is refused, by one refresh at a time.
 */
import type { OAuthCredentials } from "../config/config.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import type { Auth, Refusal } from "../http/auth.ts";
import { metadataOfChallenge } from "./discovery.ts";
import type { TokenEndpoint } from "./token_endpoint.ts";

/** What has to outlive the run. */
export interface Renewed {
  readonly accessToken: string;
  /** Of the access token, in milliseconds since 1970; absent where the server does not say. */
  readonly expiresAt: number | undefined;
  /** The one to use from now on. */
  readonly refreshToken: string;
  /** Where the tokens came from. */
  readonly tokenUrl: string;
}

export interface OAuthOptions {
  readonly credentials: OAuthCredentials;
  readonly endpoint: Pick<TokenEndpoint, "refresh" | "server" | "setMetadataUrl">;
  readonly clock: Clock;
  /** Keeps new tokens safe. They are not used before it has resolved. */
  readonly save: (renewed: Renewed) => Promise<void>;
}

/** How long before its end a token is not used any more, at most, in milliseconds. */
const MARGIN = 60_000;

/** The same for tokens of short lives, as a share of the life. */
const MARGIN_SHARE = 0.25;

interface Current {
  readonly authorization: string;
  /** When it is to be renewed before it is used, in milliseconds since 1970. */
  readonly staleAt: number;
}

export class RefreshingAuth implements Auth {
  readonly #options: OAuthOptions;
  #current: Current | undefined;
  #refreshToken: string;
  /** The refresh under way, which all who need a token wait for. */
  #flight: Promise<Current> | undefined;
  /** Set where nothing but a person can help; nothing is asked any more. */
  #refused: ConnectorError | undefined;

  constructor(options: OAuthOptions) {
    const { accessToken, accessTokenExpiresAt: expiresAt, refreshToken } = options.credentials;
    this.#options = options;
    this.#refreshToken = refreshToken;
    if (accessToken !== undefined) {
      const staleAt = expiresAt === undefined ? Infinity : expiresAt - MARGIN;
      this.#current = { authorization: `Bearer ${accessToken}`, staleAt };
    }
  }

  async authorization(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const { clock } = this.#options;
    const current = this.#current;
    if (current !== undefined && clock.now() < current.staleAt) return current.authorization;
    return (await unlessAborted(this.#renew(), signal)).authorization;
  }

  async unauthorized({ authorization, challenge }: Refusal, signal: AbortSignal): Promise<boolean> {
    this.#options.endpoint.setMetadataUrl(metadataOfChallenge(challenge));
    signal.throwIfAborted();
    // Another lane may have been told before: what it got is tried, not renewed again.
    if (this.#flight === undefined && this.#current?.authorization !== authorization) return true;
    await unlessAborted(this.#renew(), signal);
    return true;
  }

  /** Resolves once no refresh is under way, whatever it came to: its tokens are kept then. Never rejects. */
  async settled(): Promise<void> {
    await this.#flight?.catch(() => undefined);
  }

  #renew(): Promise<Current> {
    if (this.#refused !== undefined) return Promise.reject(this.#refused);
    if (this.#flight === undefined) {
      const flight = this.#refresh().finally(() => {
        this.#flight = undefined;
      });
      // Whoever waited for it may be gone by the time it fails.
      flight.catch(() => undefined);
      this.#flight = flight;
    }
    return this.#flight;
  }

  async #refresh(): Promise<Current> {
    try {
      return await this.#renewed();
    } catch (reason) {
      const error = ConnectorError.from(reason);
      if (error.failureType === "config_error") this.#refused = error;
      throw error;
    }
  }

  async #renewed(): Promise<Current> {
    const { endpoint, save } = this.#options;
    const { accessToken, livesMs, answeredAt, refreshToken } = await endpoint.refresh(
      this.#refreshToken,
    );
    this.#refreshToken = refreshToken ?? this.#refreshToken;
    const expiresAt = livesMs === undefined ? undefined : answeredAt + livesMs;
    const tokenUrl = (await endpoint.server()).token_endpoint ?? "";
    await save({ accessToken, expiresAt, refreshToken: this.#refreshToken, tokenUrl });
    const margin = Math.min(MARGIN, (livesMs ?? 0) * MARGIN_SHARE);
    const staleAt = expiresAt === undefined ? Infinity : expiresAt - margin;
    this.#current = { authorization: `Bearer ${accessToken}`, staleAt };
    return this.#current;
  }
}

/** What a promise comes to, or the signal's reason as soon as it aborts; the work behind the promise goes on. */
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
