/**
 * The authorization code flow (RFC 6749 section 4.1) with PKCE S256 (RFC 7636), up to the tokens: what address a person
 * opens, and what is made of the address that the browser comes back to.
 */
import type { AuthorizationServer, Client } from "oauth4webapi";
import type { OAuthCredentials } from "../config/config.ts";
import { ConnectorError } from "../errors.ts";
import { discoverServer } from "./discovery.ts";
import type { Renewed } from "./refreshing_auth.ts";
import type { RetryContext } from "./retries.ts";
import { TokenEndpoint } from "./token_endpoint.ts";

/** Interface section 5: all that the connector can read. */
const SCOPE = "billing.account.read billing.usage.read billing.cost.read";

export interface AuthorizationOptions extends RetryContext {
  readonly baseUrl: URL;
  readonly credentials: OAuthCredentials;
}

/** One try of a person to sign in. */
export interface Authorization {
  /** What the person opens. Holds no secret but the state, which is worth nothing elsewhere. */
  readonly address: URL;
  /** Whether the browser that comes back to `callback` is the one that was sent off. */
  isAnswer(callback: URL): boolean;
  /**
   * Judges the answer and exchanges its code for tokens; once only.
   *
   * @throws ConnectorError `unauthorized` where consent was denied, the answer is another server's (RFC 9207) or the
   *   code is refused; `provider_fault` where no refresh token comes; as {@link TokenEndpoint.refresh}
   */
  complete(callback: URL): Promise<Renewed>;
}

/**
 * Begins a sign-in.
 *
 * @param redirectUri where the browser comes back to (RFC 8252 section 7.3)
 * @throws ConnectorError `invalid_config` where the addresses are neither configured nor to be discovered
 */
export async function beginAuthorization(
  options: AuthorizationOptions,
  redirectUri: string,
): Promise<Authorization> {
  const library = await import("oauth4webapi");
  const { server, isIssuerKnown } = await serverOf(options);
  const { clientId, clientSecret } = options.credentials;
  const client: Client = { client_id: clientId };
  // Not from the edges: nobody may ever be able to foresee them.
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
  const complete = async (callback: URL): Promise<Renewed> => {
    const answer = new URLSearchParams(callback.searchParams);
    if (!isIssuerKnown) answer.delete("iss");
    const accepted = judged(
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
      "The provider did not accept the code that the browser brought back (invalid_grant). Sign in again.",
    );
    return renewedOf(tokens, tokenUrl);
  };
  return {
    address,
    isAnswer: (callback) => callback.searchParams.get("state") === state,
    complete,
  };
}

type Tokens = Awaited<ReturnType<TokenEndpoint["request"]>>;

function renewedOf(
  { accessToken, refreshToken, livesMs, answeredAt }: Tokens,
  tokenUrl: string,
): Renewed {
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
 * What the config says goes first. The issuer is known where that is also what the provider's metadata says; else there
 * is nothing that an answer's `iss` (RFC 9207) could be compared with.
 */
async function serverOf(
  options: AuthorizationOptions,
): Promise<{ readonly server: AuthorizationServer; readonly isIssuerKnown: boolean }> {
  const { baseUrl, credentials, backoff } = options;
  const { authorizationUrl, tokenUrl } = credentials;
  if (authorizationUrl !== undefined && tokenUrl !== undefined) {
    const once = { ...options, backoff: { ...backoff, retries: 0 } };
    const found = await discoverServer(baseUrl, undefined, once).catch(() => undefined);
    return judgedServer(authorizationUrl, tokenUrl, found);
  }
  const found = await discoverServer(baseUrl, undefined, options);
  const authorization = authorizationUrl ?? found.authorization_endpoint;
  if (authorization === undefined) {
    throw new ConnectorError(
      "invalid_config",
      "The provider's metadata names no address to sign in at. Set authorization_url under credentials.",
    );
  }
  const chosen = judgedServer(authorization, tokenUrl ?? found.token_endpoint ?? "", found);
  const [at, from] = [authorization, chosen.server.token_endpoint ?? ""].map(
    (address) => new URL(address).origin,
  );
  // Half of what the config says and half of what is claimed: a code of one host is not sent to another.
  if (!chosen.isIssuerKnown && at !== from) {
    throw new ConnectorError(
      "invalid_config",
      "One of authorization_url and token_url is configured, and the other, as discovered, lies on another host. Set both.",
    );
  }
  return chosen;
}

function judgedServer(
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

/** RFC 6749 section 4.1.2.1: an error is told by its code alone. */
function judged(validate: () => URLSearchParams, answer: URLSearchParams): URLSearchParams {
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
