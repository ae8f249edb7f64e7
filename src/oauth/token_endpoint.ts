/** The token endpoint (RFC 6749 section 3.2): its address, and the requests to it. token_answer.ts judges the answers. */
import type { AuthorizationServer, Client, ClientAuth } from "oauth4webapi";
import type { OAuthCredentials } from "../config/config.ts";
import { foreignText } from "../core/foreign_text.ts";
import { isLoopback } from "../core/loopback.ts";
import { ConnectorError } from "../errors.ts";
import { discoverServer } from "./discovery.ts";
import type { Attempt, RetryContext, WholeResponse } from "./retries.ts";
import { sendOnce, shownAddress, withRetries } from "./retries.ts";
import { errorOf, judgeTokenAnswer, refreshTokenIn, type Tokens } from "./token_answer.ts";

export type { Tokens } from "./token_answer.ts";

type OAuthLibrary = typeof import("oauth4webapi");

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

interface GrantOptions {
  /** The message if the endpoint does not accept the grant. */
  readonly onInvalidGrant: string;
  /** Called when the grant may be spent: an answer with status 200 has begun. */
  readonly onSpent?: () => void;
  /** Gets the new refresh token of an answer that is broken in other parts. */
  readonly rescue?: (refreshToken: string) => Promise<void>;
}

/** The token endpoint of one client. If its address is not configured, the first request discovers it. */
export class TokenEndpoint {
  readonly #options: TokenEndpointOptions;
  /** The address of the provider's metadata, as a challenge or capabilities name it. */
  #metadataUrl: string | undefined;
  #server: Promise<AuthorizationServer> | undefined;
  /** Whether the endpoint has given a token. Until then its address may be wrong. */
  #proven = false;
  /** A refresh token that must not be sent again, and the error of its only answer. */
  #spent: { readonly refreshToken: string; readonly error: ConnectorError } | undefined;

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
   * Exchanges a refresh token for new tokens (RFC 6749 section 6).
   *
   * A server that rotates refresh tokens spends the old one when it answers, and takes a second use for a theft. So after
   * an answer with status 200, usable or not, this object never sends that refresh token again: each later call throws the
   * same error. A request without an answer is repeated. The server has perhaps never seen it; and if it has, the new
   * token is lost in any case, unless the server allows a repetition within seconds.
   *
   * @param rescue saves the new refresh token of an answer that is broken in other parts; then the error is thrown
   * @throws ConnectorError `unauthorized` if the person must authorize again or the client is refused, `unavailable`,
   *   `wrong_address`, `provider_fault`, and the errors of {@link server}
   */
  async refresh(
    refreshToken: string,
    rescue: (refreshToken: string) => Promise<void>,
  ): Promise<Tokens> {
    if (this.#spent?.refreshToken === refreshToken) throw this.#spent.error;
    let isSpent = false;
    const onSpent = (): void => {
      isSpent = true;
    };
    try {
      return await this.request(
        (library, server, client, authentication, options) =>
          library.refreshTokenGrantRequest(server, client, authentication, refreshToken, options),
        { onInvalidGrant: AUTHORIZE_AGAIN, onSpent, rescue },
      );
    } catch (reason) {
      const error = ConnectorError.from(reason);
      if (isSpent) this.#spent = { refreshToken, error };
      throw error;
    }
  }

  /** Sends any grant, with retries. It throws the errors of {@link refresh}. */
  async request(grant: Grant, options: GrantOptions): Promise<Tokens> {
    const library = await import("oauth4webapi");
    const server = await this.server();
    const url = new URL(server.token_endpoint ?? "");
    const methods = this.#authentications(library, server);
    const attempt = async (): Promise<Attempt<Tokens>> => {
      for (;;) {
        const [authentication, next] = methods;
        if (authentication === undefined) throw ConnectorError.from(new Error("no client method"));
        const send = (more: object): Promise<Response> =>
          grant(library, server, this.#client, authentication, more);
        const sent = await this.#send(library, url, send, options.onSpent);
        if (sent.kind === "retryable") return sent;
        if (next !== undefined && errorOf(sent.result).error === "invalid_client") {
          // The server takes the secret in the other place only. It has not looked at the grant yet.
          methods.shift();
          continue;
        }
        return await this.#judge(library, server, sent.result, options);
      }
    };
    return await withRetries(attempt, `POST ${shownAddress(url)}`, this.#options);
  }

  get #client(): Client {
    return { client_id: this.#options.credentials.clientId };
  }

  async #discover(): Promise<AuthorizationServer> {
    const { baseUrl, credentials } = this.#options;
    const server = await discoverServer(baseUrl, this.#metadataUrl, this.#options);
    assertVouchedFor(new URL(server.token_endpoint ?? ""), baseUrl, credentials.authorizationUrl);
    return server;
  }

  /** The methods of client authentication to try, the most likely first (RFC 6749 section 2.3.1, RFC 8414 section 2). */
  #authentications(library: OAuthLibrary, server: AuthorizationServer): ClientAuth[] {
    const { clientSecret } = this.#options.credentials;
    if (clientSecret === undefined) return [library.None()];
    const [post, basic] = [
      library.ClientSecretPost(clientSecret),
      library.ClientSecretBasic(clientSecret),
    ];
    const offered: unknown = server.token_endpoint_auth_methods_supported;
    // Without a word from the server the secret goes into the body, like in the platform's own sign-in.
    return Array.isArray(offered) && !offered.includes("client_secret_post")
      ? [basic, post]
      : [post, basic];
  }

  async #send(
    library: OAuthLibrary,
    url: URL,
    send: (options: object) => Promise<Response>,
    onSpent: (() => void) | undefined,
  ): Promise<Attempt<WholeResponse>> {
    let outcome: Attempt<WholeResponse> | undefined;
    await send({
      [library.allowInsecureRequests]: url.protocol === "http:" && isLoopback(url),
      [library.customFetch]: async (
        address: string,
        { headers, body }: { headers: Record<string, string>; body: URLSearchParams },
      ) => {
        const form = { "content-type": "application/x-www-form-urlencoded" };
        const request = {
          url: new URL(address),
          headers: { ...form, ...headers },
          body: body.toString(),
          first: !this.#proven,
          name: "token_url",
          onSpent,
        };
        outcome = await sendOnce(request, this.#options);
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
    { onInvalidGrant, rescue }: GrantOptions,
  ): Promise<Attempt<Tokens>> {
    try {
      const attempt = await judgeTokenAnswer(answer, {
        library,
        server,
        clientId: this.#client.client_id,
        nowMs: this.#options.edges.clock.now(),
        onInvalidGrant,
        proven: this.#proven,
      });
      if (attempt.kind === "done") this.#proven = true;
      return attempt;
    } catch (reason) {
      const rotated = answer.status === 200 ? refreshTokenIn(answer) : undefined;
      if (rotated !== undefined) await rescue?.(rotated);
      throw reason;
    }
  }
}

/** A server for an endpoint of the config. Its issuer is never compared, so it may be any. */
function configured(tokenUrl: string): AuthorizationServer {
  return { issuer: new URL(tokenUrl).origin, token_endpoint: tokenUrl };
}

/**
 * The config must vouch for a discovered endpoint: by the origin of authorization_url, where the refresh token comes from,
 * or by that of base_url. Otherwise the provider could choose who gets the refresh token and the client secret.
 *
 * @throws ConnectorError `invalid_config` that says to set `token_url`
 */
function assertVouchedFor(endpoint: URL, baseUrl: URL, authorizationUrl: string | undefined): void {
  const [key, origin] =
    authorizationUrl === undefined
      ? ["base_url", baseUrl.origin]
      : ["authorization_url", new URL(authorizationUrl).origin];
  if (endpoint.origin === origin) return;
  throw new ConnectorError(
    "invalid_config",
    `The provider names the token endpoint ${foreignText(endpoint.href)}, which is on another host than ${key}: the refresh token was not sent. ` +
      "A provider must not choose who gets your refresh token and client secret. Set token_url under credentials to the " +
      "token endpoint that the provider's documentation names.",
    { detail: `the origins of the discovered token endpoint and of ${key} differ` },
  );
}

const AUTHORIZE_AGAIN =
  "The provider no longer accepts the refresh token (invalid_grant): it has expired, access was revoked, or it was used " +
  "elsewhere - each may be used by one connection only. A refresh token that was typed into a form is spent by the first " +
  "check if the provider replaces it at each use: use the sign-in button instead, or fill in the access token and its " +
  "expiry too. Authorize again: on the platform with the button in the source's settings, in a shell with " +
  "`source-ai-billing login --config <file>`.";
