/**
 * Discovers the authorization server in three steps. The challenge of a 401, or capabilities, name the metadata of the
 * protected resource (RFC 9728). These metadata name the authorization server. The server's own metadata (RFC 8414) have
 * the addresses. No request on the way carries a secret.
 *
 * Metadata are claims, and their location must support them. The resource's metadata must lie on the origin of base_url
 * and name base_url as the resource. The server's metadata must come from the issuer's own address and name that issuer.
 * The token endpoint, which will get a refresh token and a client secret, must lie on the issuer's origin. If a provider's
 * endpoint lies elsewhere, a person must set `token_url` in the config.
 */
import type { AuthorizationServer } from "oauth4webapi";
import { addressFault } from "../config/address.ts";
import { foreignText } from "../core/foreign_text.ts";
import { isLoopback } from "../core/loopback.ts";
import { ConnectorError } from "../errors.ts";
import { CAPABILITIES_PATH, resolveEndpoint } from "../interface/endpoint.ts";
import type { RetryContext, WholeResponse } from "./retries.ts";
import { sendOnce, shownAddress, withRetries } from "./retries.ts";

export type { AuthorizationServer } from "oauth4webapi";

/** The parameter of a `Bearer` challenge (RFC 9728 section 5.1). */
const METADATA_PARAMETER = /\bresource_metadata\s*=\s*"([^"\s]{1,2000})"/i;

/** The address that a `WWW-Authenticate` header names; `undefined` if it names none. */
export function metadataOfChallenge(challenge: string | undefined): string | undefined {
  return METADATA_PARAMETER.exec(challenge ?? "")?.[1];
}

/**
 * The authorization server of a provider.
 *
 * @param baseUrl the config's `base_url`
 * @param metadataUrl the address of the resource's metadata, if a challenge or capabilities have named it. Otherwise a
 *   request without a credential asks for it, and if the answer names none, the well-known address is tried
 * @throws ConnectorError `invalid_config` if there is no server or its metadata cannot be trusted; the message says to set
 *   `token_url`. `unavailable` if a later attempt may work
 */
export async function discoverServer(
  baseUrl: URL,
  metadataUrl: string | undefined,
  context: RetryContext,
): Promise<AuthorizationServer> {
  const named = metadataUrl ?? (await askForChallenge(baseUrl, context));
  const metadata = named === undefined ? wellKnown(baseUrl) : URL.parse(named);
  if (metadata === null || metadata.origin !== baseUrl.origin) {
    throw undiscoverable("the provider names metadata that does not lie on the origin of base_url");
  }
  const answer = await fetchMetadata(metadata, context);
  const issuer = judgeResource(objectOf(answer, "its metadata"), baseUrl);
  return await serverOf(issuer, baseUrl, context);
}

/** RFC 9728 section 3.1: the well-known part stands between host and path. */
function wellKnown({ origin, pathname }: URL): URL {
  return new URL(`${origin}/.well-known/oauth-protected-resource${pathname.replace(/\/+$/, "")}`);
}

async function askForChallenge(baseUrl: URL, context: RetryContext): Promise<string | undefined> {
  const url = resolveEndpoint(baseUrl, CAPABILITIES_PATH);
  const attempt = () => sendOnce({ url, first: true, name: "base_url" }, context);
  const { status, headers } = await withRetries(attempt, `GET ${shownAddress(url)}`, context);
  return status === 401 ? metadataOfChallenge(headers["www-authenticate"]) : undefined;
}

async function fetchMetadata(url: URL, context: RetryContext): Promise<WholeResponse> {
  const attempt = () => sendOnce({ url, first: true, name: "token_url" }, context);
  return await withRetries(attempt, `GET ${shownAddress(url)}`, context);
}

function objectOf(
  { status, text }: WholeResponse,
  name: string,
): Readonly<Record<string, unknown>> {
  if (status !== 200) throw undiscoverable(`${name} cannot be read (HTTP ${status})`);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return Object.fromEntries(Object.entries(value));
    }
  } catch {
    // The error below names the failure.
  }
  throw undiscoverable(`${name} is no JSON object`);
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
 * Whether a resource is base_url, the requested operation (RFC 9728 section 3.3), or a parent of base_url: a provider may
 * describe its whole API as one resource.
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

/** The statuses that a Response takes only without a body, even an empty one. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

async function serverOf(
  issuer: URL,
  baseUrl: URL,
  context: RetryContext,
): Promise<AuthorizationServer> {
  const oauth = await import("oauth4webapi");
  for (const algorithm of ["oauth2", "oidc"] as const) {
    const insecure = issuer.protocol === "http:"; // only on loopback: isSafe has checked it
    const response = await oauth.discoveryRequest(issuer, {
      algorithm,
      [oauth.allowInsecureRequests]: insecure,
      [oauth.customFetch]: async (address) => {
        const { status, text } = await fetchMetadata(new URL(address), context);
        return new Response(BODILESS.has(status) ? null : text, {
          status: status < 200 ? 502 : status,
          headers: { "content-type": "application/json" },
        });
      },
    });
    if (response.status === 404 && algorithm === "oauth2") continue;
    const server = await oauth.processDiscoveryResponse(issuer, response).catch(() => {
      throw undiscoverable(
        "the metadata of its authorization server cannot be read or names another issuer",
      );
    });
    return judgeEndpoints(server, issuer, baseUrl);
  }
  throw undiscoverable("its authorization server has no metadata");
}

function judgeEndpoints(
  server: AuthorizationServer,
  issuer: URL,
  baseUrl: URL,
): AuthorizationServer {
  const { token_endpoint: tokenUrl, authorization_endpoint: authorizationUrl } = server;
  if (tokenUrl === undefined)
    throw undiscoverable("its authorization server names no token endpoint");
  const token = judgeAddress(tokenUrl, "token endpoint", baseUrl);
  if (authorizationUrl !== undefined)
    judgeAddress(authorizationUrl, "authorization address", baseUrl);
  if (token.origin !== issuer.origin) {
    throw undiscoverable(
      `its authorization server names a token endpoint on another host (${foreignText(token.host)}), and no token is sent there unless token_url says so`,
    );
  }
  return server;
}

/** An address is saved in the config, so the rule of the config holds for it before its first use. */
function judgeAddress(value: unknown, name: string, baseUrl: URL): URL {
  const text = typeof value === "string" ? value : "";
  const fault = addressFault(text, { query: true });
  const url = fault === undefined ? URL.parse(text) : null;
  if (url === null || !isSafe(url, baseUrl)) {
    const rule = fault ?? "must start with https://";
    throw undiscoverable(`its authorization server names a ${name} that breaks a rule: it ${rule}`);
  }
  return url;
}

/** https; or http on loopback if base_url is on loopback too, so that no remote provider can name this machine. */
function isSafe(url: URL, baseUrl: URL): boolean {
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:") return true;
  return url.protocol === "http:" && isLoopback(url) && isLoopback(baseUrl);
}

function undiscoverable(why: string): ConnectorError {
  return new ConnectorError(
    "invalid_config",
    `The token endpoint is not configured and cannot be discovered: ${why}. Set token_url (and authorization_url) ` +
      "under credentials, as the provider's documentation says.",
    { detail: why },
  );
}
