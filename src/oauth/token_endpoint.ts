/**
 * The token endpoint (RFC 6749 section 3.2): its requests, and the meaning of its answers. No message quotes anything that
 * is sent or received here, except the short plain words of an error's description.
 */
import type { AuthorizationServer, Client, ClientAuth, TokenEndpointResponse } from "oauth4webapi";
import type { OAuthCredentials } from "../config/config.ts";
import { isLoopback } from "../core/loopback.ts";
import { ConnectorError } from "../errors.ts";
import { discoverServer } from "./discovery.ts";
import type { Attempt, RetryContext, WholeResponse } from "./retries.ts";
import { sendOnce, withRetries, wrongAddress } from "./retries.ts";

type OAuthLibrary = typeof import("oauth4webapi");

/** The tokens in an answer of the token endpoint. */
export interface Tokens {
  readonly accessToken: string;
  /** Absent if the refresh token that was sent stays valid (RFC 6749 section 6). */
  readonly refreshToken: string | undefined;
  /** The life of the access token in milliseconds, from `answeredAt`; absent if the server does not say. */
  readonly livesMs: number | undefined;
  /** The instant of the answer, in milliseconds since 1970. */
  readonly answeredAt: number;
}

export interface TokenEndpointOptions extends RetryContext {
  readonly baseUrl: URL;
  readonly credentials: Pick<
    OAuthCredentials,
    "clientId" | "clientSecret" | "tokenUrl" | "authorizationUrl"
  >;
}

/** One request to the token endpoint; oauth4webapi makes it. */
export type Grant = (
  library: OAuthLibrary,
  server: AuthorizationServer,
  client: Client,
  authentication: ClientAuth,
  options: object,
) => Promise<Response>;

/** The characters that a header can carry, as in http/auth.ts. */
const TOKEN = /^[\x21-\x7e]+$/;

/** The token endpoint of one client. If its address is not configured, the first request discovers it. */
export class TokenEndpoint {
  readonly #options: TokenEndpointOptions;
  /** The address of the provider's metadata, as a challenge or capabilities name it. */
  #metadataUrl: string | undefined;
  #server: Promise<AuthorizationServer> | undefined;
  /** Whether the endpoint has given a token. Until then its address may be wrong. */
  #proven = false;

  constructor(options: TokenEndpointOptions) {
    this.#options = options;
  }

  /** Remembers the address of the provider's metadata; it is used only if `token_url` is not configured. */
  setMetadataUrl(metadataUrl: string | null | undefined): void {
    this.#metadataUrl ??= metadataUrl ?? undefined;
  }

  /**
   * The authorization server. Its `token_endpoint` comes from the config, otherwise from discovery.
   *
   * @throws ConnectorError like {@link discoverServer}
   */
  server(): Promise<AuthorizationServer> {
    const { tokenUrl } = this.#options.credentials;
    this.#server ??=
      tokenUrl === undefined ? this.#discover() : Promise.resolve(configured(tokenUrl));
    // After a failure the next call discovers again.
    this.#server.catch(() => {
      this.#server = undefined;
    });
    return this.#server;
  }

  /**
   * Exchanges a refresh token for new tokens (RFC 6749 section 6). A request under way cannot be stopped.
   *
   * @throws ConnectorError `unauthorized` if the person must authorize again or the client is refused, `unavailable`,
   *   `wrong_address`, `provider_fault`, and the errors of {@link server}
   */
  refresh(refreshToken: string): Promise<Tokens> {
    return this.request((library, server, client, authentication, options) =>
      library.refreshTokenGrantRequest(server, client, authentication, refreshToken, options),
    );
  }

  /**
   * Sends any grant, with retries. It throws the errors of {@link refresh}.
   *
   * @param onInvalidGrant the message if the endpoint does not accept the grant
   */
  async request(grant: Grant, onInvalidGrant = AUTHORIZE_AGAIN): Promise<Tokens> {
    const library = await import("oauth4webapi");
    const server = await this.server();
    const url = new URL(server.token_endpoint ?? "");
    const request = `POST ${url.origin}${url.pathname}`;
    const methods = this.#authentications(library, server);
    const attempt = async (): Promise<Attempt<Tokens>> => {
      for (;;) {
        const [authentication, next] = methods;
        if (authentication === undefined) throw ConnectorError.from(new Error("no client method"));
        const sent = await this.#send(library, server, grant, authentication);
        if (sent.kind === "retryable") return sent;
        if (next !== undefined && errorOf(sent.result).error === "invalid_client") {
          // The server takes the secret in the other place only. It has not looked at the grant yet.
          methods.shift();
          continue;
        }
        return await this.#judge(library, server, sent.result, onInvalidGrant);
      }
    };
    return await withRetries(attempt, request, this.#options);
  }

  async #discover(): Promise<AuthorizationServer> {
    const { baseUrl, credentials } = this.#options;
    const server = await discoverServer(baseUrl, this.#metadataUrl, this.#options);
    const { authorizationUrl } = credentials;
    const discovered = new URL(server.token_endpoint ?? "");
    // The refresh token came from the server of authorization_url. Another origin would be a stranger.
    if (authorizationUrl === undefined || new URL(authorizationUrl).origin === discovered.origin) {
      return server;
    }
    throw new ConnectorError(
      "invalid_config",
      `The provider names a token endpoint on ${discovered.host}, authorization_url lies on another host: the refresh token ` +
        "was not sent. Set token_url under credentials, as the provider's documentation says.",
      { detail: "discovered token endpoint and authorization_url differ in their origin" },
    );
  }

  /** The methods of client authentication to try, the most likely first (RFC 6749 section 2.3.1, RFC 8414 section 2). */
  #authentications(library: OAuthLibrary, server: AuthorizationServer): ClientAuth[] {
    const { clientSecret } = this.#options.credentials;
    if (clientSecret === undefined) return [library.None()];
    const [post, basic] = [
      library.ClientSecretPost(clientSecret),
      library.ClientSecretBasic(clientSecret),
    ];
    const offered = server.token_endpoint_auth_methods_supported;
    // Without a word from the server the secret goes into the body, like in the platform's own sign-in.
    return offered !== undefined && !offered.includes("client_secret_post")
      ? [basic, post]
      : [post, basic];
  }

  async #send(
    library: OAuthLibrary,
    server: AuthorizationServer,
    grant: Grant,
    authentication: ClientAuth,
  ): Promise<Attempt<WholeResponse>> {
    const client: Client = { client_id: this.#options.credentials.clientId };
    const url = new URL(server.token_endpoint ?? "");
    let outcome: Attempt<WholeResponse> | undefined;
    await grant(library, server, client, authentication, {
      [library.allowInsecureRequests]: url.protocol === "http:" && isLoopback(url),
      [library.customFetch]: async (
        address: string,
        { headers, body }: { headers: Record<string, string>; body: URLSearchParams },
      ) => {
        const request = { url: new URL(address), headers, body: body.toString() };
        const form = { "content-type": "application/x-www-form-urlencoded" };
        outcome = await sendOnce(
          { ...request, headers: { ...form, ...headers }, first: !this.#proven, name: "token_url" },
          this.#options,
        );
        return new Response(null);
      },
    });
    if (outcome === undefined) throw ConnectorError.from(new Error("no request was made"));
    return outcome;
  }

  async #judge(
    library: OAuthLibrary,
    server: AuthorizationServer,
    answer: WholeResponse,
    onInvalidGrant: string,
  ): Promise<Attempt<Tokens>> {
    const { status } = answer;
    const { error, words } = errorOf(answer);
    if (error === "temporarily_unavailable" || error === "server_error") {
      return { kind: "retryable", reason: `HTTP ${status}, ${error}` };
    }
    if (status !== 200) {
      const detail = [`HTTP ${status} of the token endpoint`, error, words]
        .filter(Boolean)
        .join(", ");
      throw error === "invalid_grant"
        ? new ConnectorError("unauthorized", onInvalidGrant, { detail })
        : refused(status, error, detail, new URL(server.token_endpoint ?? ""), this.#proven);
    }
    const answeredAt = this.#options.edges.clock.now();
    const client: Client = { client_id: this.#options.credentials.clientId };
    const response = new Response(withoutIdToken(answer.text), {
      headers: { "content-type": answer.headers["content-type"] ?? "" },
    });
    let tokens: TokenEndpointResponse;
    try {
      tokens = await library.processRefreshTokenResponse(server, client, response);
    } catch (reason) {
      throw broken(reason instanceof Error ? reason.message : "it is no token response");
    }
    if (tokens.token_type !== "bearer") throw broken("token_type is not Bearer");
    if (!TOKEN.test(tokens.access_token)) throw broken("access_token is no token");
    this.#proven = true;
    const { expires_in: seconds } = tokens;
    return {
      kind: "done",
      result: {
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token,
        livesMs: seconds === undefined ? undefined : seconds * 1000,
        answeredAt,
      },
    };
  }
}

/** A server for an endpoint of the config. Nobody compares its issuer with anything. */
function configured(tokenUrl: string): AuthorizationServer {
  return { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
}

/** The answer without an ID token. Some servers add one, and the library would check it against the issuer. */
function withoutIdToken(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (key, value: unknown) =>
      key === "id_token" ? undefined : value,
    );
  } catch {
    return text;
  }
}

/** The error of an answer (RFC 6749 section 5.2); `words` is the part of its description that may be shown. */
function errorOf({ status, text }: WholeResponse): {
  readonly error: string;
  readonly words: string;
} {
  if (status === 200) return { error: "", words: "" };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { error: "", words: "" };
  }
  if (typeof body !== "object" || body === null) return { error: "", words: "" };
  const error: unknown = Reflect.get(body, "error");
  const description: unknown = Reflect.get(body, "error_description");
  return {
    // A redirect says nothing about the grant, whatever its body holds.
    error: status >= 400 && typeof error === "string" && /^[a-z_]{1,40}$/.test(error) ? error : "",
    words: typeof description === "string" ? shortWords(description) : "",
  };
}

/** The shape of a plain word. Hardly any token, or part of a token, looks like that. */
const PLAIN_WORD = /^\(?[A-Za-z]?[a-z']{0,14}[.,:;)]?$/;

/** Leaves out every word that could be a token or a secret: careless servers repeat the request in the description. */
function shortWords(description: string): string {
  const words = description.slice(0, 2000).trim().split(/\s+/).slice(0, 40);
  return words.map((word) => (PLAIN_WORD.test(word) ? word : "…")).join(" ");
}

function refused(
  status: number,
  error: string,
  detail: string,
  url: URL,
  proven: boolean,
): ConnectorError {
  switch (error) {
    case "invalid_client":
    case "unauthorized_client":
      return new ConnectorError(
        "unauthorized",
        `The provider does not accept the client (${error}). Check client_id and client_secret under credentials.`,
        { detail },
      );
    case "":
      break;
    default:
      return new ConnectorError(
        "provider_fault",
        `The token endpoint refuses a request that keeps the standard (${error}). Report it to the provider.`,
        { detail },
      );
  }
  const redirects = status >= 300 && status < 400;
  if (!proven || redirects || status === 404) {
    const why = redirects
      ? `it redirects (HTTP ${status}), and tokens are sent nowhere else`
      : `it gives no token and no error of OAuth (HTTP ${status})`;
    return wrongAddress("token_url", url, why);
  }
  return broken(`HTTP ${status} without an error of OAuth`);
}

const AUTHORIZE_AGAIN =
  "The provider no longer accepts the refresh token (invalid_grant): it has expired, access was revoked, or it was used " +
  "elsewhere - each may be used by one connection only. Authorize again: on the platform with the button in the " +
  "source's settings, in a shell with `source-ai-billing login --config <file>`.";

function broken(why: string): ConnectorError {
  return new ConnectorError(
    "provider_fault",
    `The token endpoint's answer breaks the standard (RFC 6749): ${why}. Report it to the provider.`,
    { detail: why },
  );
}
