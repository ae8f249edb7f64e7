/**
 * What a request is authorized with (interface section 5). The client asks for the header before every request and
 * tells of every 401; whether a credential can be renewed is the credential's own business.
 */
import { ConnectorError } from "../errors.ts";

/** A 401 as the credential needs to know it. */
export interface Refusal {
  /** The `Authorization` value that was refused: by now another one may be in use. */
  readonly authorization: string;
  /** The `WWW-Authenticate` header of the answer, where there was one. */
  readonly challenge: string | undefined;
}

/** A credential; one object serves all lanes and streams at once. */
export interface Auth {
  /**
   * The value of the `Authorization` header, asked for before each sending of a request, also of a repeated one.
   * Rejects with a ConnectorError where none can be had; with the signal's reason as soon as it aborts. The signal ends
   * the waiting, not a refresh that other lanes wait for too.
   */
  authorization(signal: AbortSignal): Promise<string>;
  /**
   * Told of a 401, at most once for each request. `true` where {@link authorization} now gives something else that is
   * worth one more try; `false` ends the request as `unauthorized`.
   */
  unauthorized(refusal: Refusal, signal: AbortSignal): Promise<boolean>;
}

/** What a header value can carry of an opaque token: visible ASCII, no spaces (RFC 6750 section 2.1 allows less). */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * A dedicated read-only token (interface section 5, `scoped_bearer_token`); white space around it is cut off. It cannot
 * be renewed: a 401 is final.
 *
 * @throws ConnectorError `invalid_config` where the token is empty or holds what a header cannot carry; the message
 *   does not show it
 */
export function bearer(token: string): Auth {
  const trimmed = token.trim();
  if (!TOKEN.test(trimmed)) {
    throw new ConnectorError(
      "invalid_config",
      "The access token is empty or holds spaces, line breaks or characters outside ASCII. Copy it anew from the " +
        "provider, without quotes, and save the configuration.",
      { detail: "credentials.access_token is not visible ASCII" },
    );
  }
  const authorization = `Bearer ${trimmed}`;
  return {
    authorization: async () => authorization,
    unauthorized: async () => false,
  };
}
