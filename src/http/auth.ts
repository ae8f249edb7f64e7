/**
 * Credentials of requests (interface section 5). The client asks the credential for the header before every request and
 * reports every 401 to it. Only the credential knows whether it can be renewed.
 */
import { ConnectorError } from "../errors.ts";

/** A 401 answer, as far as the credential needs it. */
export interface Refusal {
  /** The `Authorization` value that was refused. Another lane may have renewed the credential since. */
  readonly authorization: string;
  /** The `WWW-Authenticate` header of the answer, if present. */
  readonly challenge: string | undefined;
}

/** A credential. All lanes and streams share one object. */
export interface Auth {
  /**
   * Gives the value of the `Authorization` header. The client calls this before each attempt of a request.
   *
   * Rejects with a ConnectorError if the credential cannot be used, and with the signal's reason as soon as the signal
   * aborts. The signal ends the wait of this caller. It does not end a refresh that other lanes wait for.
   */
  authorization(signal: AbortSignal): Promise<string>;
  /** Reports that an attempt with this `Authorization` value did not end in a 401. */
  tolerated(authorization: string): void;
  /**
   * Handles a 401.
   *
   * @returns `true` if the next {@link authorization} gives a new value, so that the client tries again; `false` ends the
   *   request as `unauthorized`
   */
  unauthorized(refusal: Refusal): boolean;
}

/** Tokens that a header can carry: visible ASCII without spaces (RFC 6750 section 2.1 allows less). */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * A dedicated read-only token (interface section 5, `scoped_bearer_token`). White space around the token is cut off. The
 * token cannot be renewed, so a 401 is final.
 *
 * @throws ConnectorError `invalid_config` if the token is empty or holds characters that a header cannot carry. The
 *   message does not show the token.
 */
export function bearer(token: string): Auth {
  const trimmed = token.trim();
  if (!TOKEN.test(trimmed)) {
    throw new ConnectorError(
      "invalid_config",
      "The access token is empty or holds spaces, line breaks or characters outside ASCII. Copy it again from the " +
        "provider, without quotes, and save the configuration.",
      { detail: "credentials.access_token is not visible ASCII" },
    );
  }
  const authorization = `Bearer ${trimmed}`;
  return {
    authorization: async () => authorization,
    tolerated: () => undefined,
    unauthorized: () => false,
  };
}
