/**
 * Where tokens are issued, found out from the provider itself: the challenge of a 401 or capabilities name the metadata
 * of the protected resource (RFC 9728), which names the authorization server, whose own metadata (RFC 8414) has the
 * addresses. Nothing secret is sent on the way.
 *
 * Metadata is a claim. What it says is believed only as far as its place vouches for it: that of the resource must
 * lie on the origin of base_url and name base_url as its resource; that of the server must come from its issuer's own
 * address and name that issuer; and the token endpoint, where a refresh token and a client secret will go, must lie on
 * the issuer's origin. A provider whose endpoint lies elsewhere needs `token_url` in the config, set by a person.
 */
import type { AuthorizationServer } from "oauth4webapi";
import { isLoopback } from "../core/loopback.ts";
import { ConnectorError } from "../errors.ts";
import { CAPABILITIES_PATH, resolveEndpoint } from "../interface/endpoint.ts";
import type { RetryContext, WholeResponse } from "./retries.ts";
import { sendOnce, withRetries } from "./retries.ts";

export type { AuthorizationServer } from "oauth4webapi";

/** The parameter of a `Bearer` challenge (RFC 9728 section 5.1). */
const METADATA_PARAMETER = /\bresource_metadata\s*=\s*"([^"\s]{1,2000})"/i;

/** The address that a `WWW-Authenticate` header names; `undefined` where it names none. */
export function metadataOfChallenge(challenge: string | undefined): string | undefined {
  return METADATA_PARAMETER.exec(challenge ?? "")?.[1];
}

/**
 * The authorization server of a provider.
 *
 * @param baseUrl the config's `base_url`
 * @param claimed the address of the resource's metadata where a challenge or capabilities have named it; else an
 *   unauthorized request asks for it, and where its answer names none the well-known place is tried
 * @throws ConnectorError `invalid_config` where it cannot be found or its metadata is not to be believed; says to set
 *   `token_url`. `unavailable` where time may mend it
 */
export async function discoverServer(
  baseUrl: URL,
  claimed: string | undefined,
  persistence: RetryContext,
): Promise<AuthorizationServer> {
  const named = claimed ?? (await askForChallenge(baseUrl, persistence));
  const metadata = named === undefined ? wellKnown(baseUrl) : URL.parse(named);
  if (metadata === null || metadata.origin !== baseUrl.origin) {
    throw undiscoverable("the provider names metadata that does not lie on the origin of base_url");
  }
  const answer = await fetchMetadata(metadata, persistence);
  const issuer = judgeResource(objectOf(answer, "its metadata"), baseUrl);
  return await serverOf(issuer, baseUrl, persistence);
}

/** RFC 9728 section 3.1: between host and path. */
function wellKnown({ origin, pathname }: URL): URL {
  return new URL(`${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/+$/, "")}`);
}

async function askForChallenge(
  baseUrl: URL,
  persistence: RetryContext,
): Promise<string | undefined> {
  const url = resolveEndpoint(baseUrl, CAPABILITIES_PATH);
  const attempt = () => sendOnce({ url, first: true, name: "base_url" }, persistence);
  const { status, headers } = await withRetries(attempt, `GET ${url.href}`, persistence);
  return status === 401 ? metadataOfChallenge(headers["www-authenticate"]) : undefined;
}

async function fetchMetadata(url: URL, persistence: RetryContext): Promise<WholeResponse> {
  const attempt = () => sendOnce({ url, first: true, name: "token_url" }, persistence);
  return await withRetries(attempt, `GET ${url.origin}${url.pathname}`, persistence);
}

function objectOf(
  { status, text }: WholeResponse,
  what: string,
): Readonly<Record<string, unknown>> {
  if (status !== 200) throw undiscoverable(`${what} cannot be had (HTTP ${status})`);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value));
    }
  } catch {
    // Said below.
  }
  throw undiscoverable(`${what} is no JSON object`);
}

/** The issuer that a resource's metadata names (RFC 9728 sections 2 and 3.3). */
function judgeResource(metadata: Readonly<Record<string, unknown>>, baseUrl: URL): URL {
  const { resource, authorization_servers: servers } = metadata;
  if (typeof resource !== "string" || !covers(resource, baseUrl)) {
    throw undiscoverable("its metadata belongs to another resource than base_url");
  }
  const [first]: readonly unknown[] = Array.isArray(servers) ? servers : [];
  const issuer = typeof first === "string" ? URL.parse(first) : null;
  if (issuer === null) throw undiscoverable("its metadata names no authorization server");
  if (!isSafe(issuer, baseUrl) || issuer.search !== "" || issuer.hash !== "") {
    throw undiscoverable(
      "its metadata names an authorization server at an address that is not https",
    );
  }
  return issuer;
}

/**
 * Whether a resource is base_url, the operation that was asked (RFC 9728 section 3.3), or one that base_url lies in:
 * a provider may well describe all of its API as one resource.
 */
function covers(resource: string, baseUrl: URL): boolean {
  const url = URL.parse(resource);
  if (url === null || url.origin !== baseUrl.origin || url.search !== "" || url.hash !== "") {
    return false;
  }
  const [whole, base] = [url.pathname, baseUrl.pathname].map((path) => path.replace(/\/+$/, ""));
  if (whole === undefined || base === undefined) return false;
  return base === whole || base.startsWith(`${whole}/`) || whole === base + CAPABILITIES_PATH;
}

async function serverOf(
  issuer: URL,
  baseUrl: URL,
  persistence: RetryContext,
): Promise<AuthorizationServer> {
  const oauth = await import("oauth4webapi");
  for (const algorithm of ["oauth2", "oidc"] as const) {
    const insecure = issuer.protocol === "http:"; // on loopback: isSafe has seen to it
    const response = await oauth.discoveryRequest(issuer, {
      algorithm,
      [oauth.allowInsecureRequests]: insecure,
      [oauth.customFetch]: async (address) => {
        const { status, text } = await fetchMetadata(new URL(address), persistence);
        return new Response(status === 204 || status === 304 ? null : text, {
          status: status < 200 ? 502 : status,
          headers: { "content-type": "application/json" },
        });
      },
    });
    if (response.status === 404 && algorithm === "oauth2") continue;
    const server = await oauth.processDiscoveryResponse(issuer, response).catch(() => {
      throw undiscoverable(
        "the metadata of its authorization server cannot be had or names another issuer",
      );
    });
    return withSafeEndpoints(server, issuer, baseUrl);
  }
  throw undiscoverable("its authorization server has no metadata");
}

function withSafeEndpoints(
  server: AuthorizationServer,
  issuer: URL,
  baseUrl: URL,
): AuthorizationServer {
  const token = URL.parse(server.token_endpoint ?? "");
  const authorization = URL.parse(server.authorization_endpoint ?? "");
  if (token === null) throw undiscoverable("its authorization server names no token endpoint");
  if (token.origin !== issuer.origin) {
    throw undiscoverable(
      `its authorization server names a token endpoint on another host (${token.host}), where no token is sent unasked`,
    );
  }
  if (authorization !== null && !isSafe(authorization, baseUrl)) {
    throw undiscoverable(
      "its authorization server names an authorization address that is not https",
    );
  }
  return server;
}

/** https; or http on loopback where the provider itself is there, so that no provider out there can name this machine. */
function isSafe(url: URL, baseUrl: URL): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && isLoopback(url) && isLoopback(baseUrl);
}

function undiscoverable(why: string): ConnectorError {
  return new ConnectorError(
    "invalid_config",
    `Where tokens are issued is not configured and cannot be discovered: ${why}. Set token_url (and authorization_url) ` +
      "under credentials, as the provider's documentation says.",
    { detail: why },
  );
}
