/**
 * The authorization server (interface section 5): oidc-provider as a plain OAuth 2.0 server. It offers the authorization
 * code with PKCE S256 only (RFC 7636), opaque access tokens, and `iss` in its answers (RFC 9207). Refresh tokens rotate
 * (RFC 6749 section 6); if a spent one comes again, the whole family is revoked (RFC 9700 section 4.14.2).
 */
import { generateKeyPairSync, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
// The package's entry would warn on stderr about every Node that is no LTS version.
import { Provider } from "oidc-provider/lib/provider.js";
import type { Grant as StoredGrant } from "oidc-provider/lib/provider.js";
import { SCOPES } from "../accounts.ts";
import type { Scope, TokenVerifier } from "../accounts.ts";
import { errorPage } from "./pages.ts";
import { Storage } from "./storage.ts";

export interface AuthorizationOptions {
  /** Life of an access token in whole seconds of real time, 1 or more. Default: 3600. */
  readonly tokenSeconds?: number;
  /** Whether each refresh gives a new refresh token and spends the old one. Default: true. */
  readonly rotate?: boolean;
  /** Redirect addresses besides those on loopback, e.g. a platform's. */
  readonly redirectUris?: readonly string[];
}

/** Settings that may change while the server runs. */
export interface Switches {
  tokenSeconds: number;
  rotate: boolean;
}

/** An application that may ask for tokens. */
export interface RegisteredClient {
  readonly clientId: string;
  /** Absent for the public client. */
  readonly clientSecret?: string;
}

/** The tokens that a client gets after a person has signed in and consented. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** The life of the access token in seconds. */
  readonly expiresIn: number;
}

/** The path of the pages for a person, below the issuer. */
export const INTERACTION = "/interaction/";

/** For these addresses a native client may use any port (RFC 8252 section 7.3). */
const LOOPBACK_REDIRECTS = ["http://127.0.0.1/callback", "http://[::1]/callback"];

const CONFIDENTIAL_ID = "reference-client";
const PUBLIC_ID = "reference-public-client";

const REFRESH_TOKEN_SECONDS = 30 * 86_400;

/** A new key to sign ID tokens with; the library needs one. */
function signingKeys(): object {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "ES256", kid: "1" }],
  };
}

function configuration(
  storage: Storage,
  switches: Switches,
  accounts: () => readonly string[],
  clients: readonly object[],
  interactionPath: string,
): Readonly<Record<string, unknown>> {
  return {
    adapter: (kind: string) => storage.adapter(kind),
    clients,
    jwks: signingKeys(),
    cookies: { keys: [randomBytes(32).toString("hex")] },
    scopes: SCOPES,
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic", "client_secret_post", "none"],
    pkce: { required: () => true },
    // The library counts in whole seconds and would end a token too early. The storage knows the exact end.
    clockTolerance: 1,
    ttl: {
      AccessToken: () => switches.tokenSeconds,
      AuthorizationCode: 60,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Grant: REFRESH_TOKEN_SECONDS,
      Interaction: 3600,
      Session: 3600,
      IdToken: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
    },
    findAccount: (_context: unknown, id: string) =>
      accounts().includes(id) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    issueRefreshToken: () => true,
    rotateRefreshToken: () => switches.rotate,
    // The server asks for consent each time, so that it can be tried out again.
    loadExistingGrant: (context: {
      oidc: {
        result?: { consent?: { grantId?: string } };
        provider: { Grant: { find(id: string): Promise<StoredGrant | undefined> } };
      };
    }) => {
      const id = context.oidc.result?.consent?.grantId;
      return id === undefined ? undefined : context.oidc.provider.Grant.find(id);
    },
    interactions: {
      url: (_context: unknown, { uid }: { uid: string }) => `${interactionPath}${uid}`,
    },
    renderError: (
      context: { type: string; body: string },
      { error, error_description: description }: { error: string; error_description?: string },
    ) => {
      context.type = "html";
      context.body = errorPage(error, description ?? "");
    },
  };
}

/** The authorization server of a provider. It does not listen by itself. */
export class AuthorizationServer {
  /** RFC 8414: an address with a path. All addresses of the server lie below it. */
  readonly issuer: string;
  readonly client: RegisteredClient;
  readonly publicClient: RegisteredClient = { clientId: PUBLIC_ID };
  readonly switches: Switches;
  readonly oidc: Provider;
  readonly #storage = new Storage();
  readonly #callback: (request: IncomingMessage, response: ServerResponse) => Promise<void>;

  /**
   * @param issuer the address of the server, with a path and without a slash at the end
   * @param accounts ids of the accounts that a person may choose from
   */
  constructor(
    issuer: string,
    accounts: () => readonly string[],
    options: AuthorizationOptions = {},
  ) {
    this.issuer = issuer;
    this.switches = { tokenSeconds: options.tokenSeconds ?? 3600, rotate: options.rotate ?? true };
    const clientSecret = `rps_${randomBytes(24).toString("base64url")}`;
    this.client = { clientId: CONFIDENTIAL_ID, clientSecret };
    const shared = {
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      id_token_signed_response_alg: "ES256",
      redirect_uris: [...LOOPBACK_REDIRECTS, ...(options.redirectUris ?? [])],
    };
    const clients = [
      { ...shared, client_id: CONFIDENTIAL_ID, client_secret: clientSecret },
      { ...shared, client_id: PUBLIC_ID, token_endpoint_auth_method: "none" },
    ];
    const interactions = `${new URL(issuer).pathname}${INTERACTION}`;
    this.oidc = new Provider(
      issuer,
      configuration(this.#storage, this.switches, accounts, clients, interactions),
    );
    this.#callback = this.oidc.callback();
  }

  /** Lets the library answer a request. `path` lies below the issuer. */
  async answer(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    // The library takes the part of originalUrl in front of url for the path that it is mounted under.
    Object.assign(request, { originalUrl: new URL(this.issuer).pathname + path });
    request.url = path;
    await this.#callback(request, response);
  }

  /** The grant of an access token; undefined if this server did not issue it. */
  readonly verify: TokenVerifier = async (token) => {
    const found = await this.oidc.AccessToken.find(token);
    if (found === undefined) return undefined;
    const granted = new Set(found.scope?.split(" "));
    return {
      id: `oauth-${found.grantId.slice(0, 8)}`,
      account: found.accountId,
      scopes: SCOPES.filter((scope) => granted.has(scope)),
    };
  };

  /** Issues tokens without a person, as if consent to these scopes had been given. */
  async issue(
    account: string,
    scopes: readonly Scope[] = SCOPES,
    { clientId }: RegisteredClient = this.client,
  ): Promise<IssuedTokens> {
    const { Grant, AccessToken, RefreshToken, Client } = this.oidc;
    const client = await Client.find(clientId);
    if (client === undefined) throw new RangeError(`there is no client ${clientId}`);
    const grant = new Grant({ accountId: account, clientId });
    for (const scope of scopes) grant.addOIDCScope(scope);
    const grantId = await grant.save();
    const scope = scopes.join(" ");
    const input = { client, accountId: account, grantId, scope, gty: "authorization_code" };
    return {
      accessToken: await new AccessToken(input).save(),
      refreshToken: await new RefreshToken(input).save(),
      expiresIn: this.switches.tokenSeconds,
    };
  }

  /** Refuses all tokens that were ever issued. */
  revokeAll(): void {
    this.#storage.clear();
  }

  /** Ends the life of all access tokens. Refresh tokens stay valid. */
  expireAccessTokens(): void {
    this.#storage.expireAccessTokens();
  }
}
