/**
 * The authorization code flow (RFC 6749 section 4.1) with PKCE S256 (RFC 7636): it makes the address that a person opens,
 * and exchanges the code that the browser brings back for tokens.
 */
import type { AuthorizationServer, Client } from "oauth4webapi";
import type { OAuthCredentials } from "../config/config.ts";
import type { TokenSet } from "../config/token_set.ts";
import { ConnectorError } from "../errors.ts";
import { discoverServer } from "./discovery.ts";
import type { RetryContext } from "./retries.ts";
import { TokenEndpoint, type Tokens } from "./token_endpoint.ts";

/** Interface section 5: everything that the connector can read. */
const SCOPE = "billing.account.read billing.usage.read billing.cost.read";

export interface AuthorizationOptions extends RetryContext {
  readonly baseUrl: URL;
  readonly credentials: OAuthCredentials;
}

/** One attempt of a person to sign in. */
export interface Authorization {
  /** The address that the person opens. It holds no secret except the state, which is worthless elsewhere. */
  readonly address: URL;
  /** Whether `callback` belongs to this sign-in: it carries this sign-in's state. */
  isAnswer(callback: URL): boolean;
  /**
   * Judges the answer and exchanges its code for tokens. It works once.
   *
   * @throws ConnectorError `unauthorized` if consent was denied, the answer comes from another server (RFC 9207) or the
   *   code is refused; `provider_fault` if no refresh token comes; the errors of {@link TokenEndpoint.refresh}
   */
  complete(callback: URL): Promise<TokenSet>;
}

/**
 * Begins a sign-in.
 *
 * @param redirectUri the address that the browser comes back to (RFC 8252 section 7.3)
 * @throws ConnectorError `invalid_config` if the addresses are neither configured nor discoverable
 */
export async function beginAuthorization(
  options: AuthorizationOptions,
  redirectUri: string,
): Promise<Authorization> {
  const library = await import("oauth4webapi");
  const { server, isIssuerKnown } = await chooseServer(options);
  const { clientId, clientSecret } = options.credentials;
  const client: Client = { client_id: clientId };
  // Not from the injected randomness: these two must be unpredictable.
  const [state, verifier] = [library.generateRandomState(), library.generateRandomCodeVerifier()];
  const address = new URL(server.authorization_endpoint ?? "");
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: SCOPE,
    state,
    code_challenge: await library.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  const complete = async (callback: URL): Promise<TokenSet> => {
    const answer = new URLSearchParams(callback.searchParams);
    if (!isIssuerKnown) answer.delete("iss");
    const accepted = validated(
      () => library.validateAuthResponse(server, client, answer, state),
      answer,
    );
    const tokenUrl = server.token_endpoint ?? "";
    const endpoint = new TokenEndpoint({
      ...options,
      credentials: { clientId, clientSecret, tokenUrl, authorizationUrl: undefined },
    });
    const tokens = await endpoint.request(
      (_library, at, _client, authentication, more) =>
        library.authorizationCodeGrantRequest(
          at,
          client,
          authentication,
          accepted,
          redirectUri,
          verifier,
          more,
        ),
      {
        onInvalidGrant:
          "The provider did not accept the code that the browser brought back (invalid_grant). Sign in again.",
      },
    );
    return tokenSetOf(tokens, tokenUrl);
  };
  return {
    address,
    isAnswer: (callback) => callback.searchParams.get("state") === state,
    complete,
  };
}

function tokenSetOf(
  { accessToken, refreshToken, livesMs, answeredAt }: Tokens,
  tokenUrl: string,
): TokenSet {
  if (refreshToken === undefined) {
    throw new ConnectorError(
      "provider_fault",
      "The provider gave an access token but no refresh token, without which a sync could not go on for long. Ask it to " +
        "allow refresh tokens for this client.",
    );
  }
  const expiresAt = livesMs === undefined ? undefined : answeredAt + livesMs;
  return { accessToken, refreshToken, expiresAt, tokenUrl };
}

/**
 * The server to sign in at. Addresses of the config have priority over discovered ones. The issuer is known only if the
 * provider's metadata names the same addresses; otherwise an answer's `iss` (RFC 9207) cannot be checked.
 */
async function chooseServer(
  options: AuthorizationOptions,
): Promise<{ readonly server: AuthorizationServer; readonly isIssuerKnown: boolean }> {
  const { baseUrl, credentials, backoff } = options;
  const { authorizationUrl, tokenUrl } = credentials;
  if (authorizationUrl !== undefined && tokenUrl !== undefined) {
    const once = { ...options, backoff: { ...backoff, retries: 0 } };
    const found = await discoverServer(baseUrl, undefined, once).catch(() => undefined);
    return matchServer(authorizationUrl, tokenUrl, found);
  }
  const found = await discoverServer(baseUrl, undefined, options);
  const authorization = authorizationUrl ?? found.authorization_endpoint;
  if (authorization === undefined) {
    throw new ConnectorError(
      "invalid_config",
      "The provider's metadata names no address to sign in at. Set authorization_url under credentials.",
    );
  }
  const chosen = matchServer(authorization, tokenUrl ?? found.token_endpoint ?? "", found);
  const [at, from] = [authorization, chosen.server.token_endpoint ?? ""].map(
    (address) => new URL(address).origin,
  );
  // One address is configured and the other one is discovered: a code of one host must not go to another host.
  if (!chosen.isIssuerKnown && at !== from) {
    throw new ConnectorError(
      "invalid_config",
      "One of authorization_url and token_url is configured, and the other, as discovered, lies on another host. Set both.",
    );
  }
  return chosen;
}

/** A server with these two addresses; it is the discovered one if that has the same addresses. */
function matchServer(
  authorization: string,
  token: string,
  found: AuthorizationServer | undefined,
): { readonly server: AuthorizationServer; readonly isIssuerKnown: boolean } {
  if (found?.authorization_endpoint === authorization && found.token_endpoint === token) {
    return { server: found, isIssuerKnown: true };
  }
  const { origin: issuer } = new URL(authorization);
  const server = { issuer, authorization_endpoint: authorization, token_endpoint: token };
  return { server, isIssuerKnown: false };
}

/** The parameters of a valid answer. Messages show only the error code (RFC 6749 section 4.1.2.1), never other text. */
function validated(validate: () => URLSearchParams, answer: URLSearchParams): URLSearchParams {
  const error = answer.get("error");
  if (error === "access_denied") {
    throw new ConnectorError(
      "unauthorized",
      "Access was denied on the provider's page, so no token was issued. Run login again and allow it, or sign in with " +
        "another account.",
      { detail: "access_denied" },
    );
  }
  try {
    return validate();
  } catch {
    const code = /^[a-z_]{1,40}$/.exec(error ?? "")?.[0];
    const why =
      code === undefined ? "it comes from another server or is incomplete" : `it says ${code}`;
    throw new ConnectorError(
      "unauthorized",
      `The browser's answer cannot be used: ${why}. No code was sent anywhere. Run login again.`,
      { detail: code ?? "state, iss or code (RFC 9207, RFC 6749 section 4.1.2)" },
    );
  }
}
