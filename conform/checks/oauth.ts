/** OAU: metadata of OAuth 2.0, if it is offered (interface section 5). */
import { broken, passed } from "../check.ts";
import type { Check, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import type { Exchange } from "../http.ts";
import type { JsonObject } from "../json.ts";
import { CAPABILITIES, Once, bodyOf } from "../session.ts";
import type { Session } from "../session.ts";
import { offersOAuth } from "./capabilities.ts";
import { quoted, statusOf } from "./shared.ts";

const SCOPES = ["billing.account.read", "billing.usage.read", "billing.cost.read"];
const LOOPBACK = new Set(["127.0.0.1", "[::1]", "localhost"]);

interface Document {
  readonly url: string;
  readonly exchange: Exchange;
  /** Undefined if the address does not serve a JSON object. */
  readonly body: JsonObject | undefined;
}

interface ServerDocument extends Document {
  readonly issuer: string;
}

/**
 * Requests metadata, never with the token, because they may lie on another host. Throws {@link Missing} for an address that is not https:
 * a provider must not send the checker to services of this machine or network.
 */
async function fetched(session: Session, url: string): Promise<Document> {
  if (!isSafe(url, session)) throw new Missing("metadata at an https address");
  const exchange = await session.ask({ path: url, token: null });
  return { url, exchange, body: bodyOf(exchange) };
}

const resources = new Once<Document>();

function resourceMetadata(session: Session): Promise<Document> {
  return resources.of(session, "", async () => {
    if (!(await offersOAuth(session)))
      throw new Missing("oauth2_authorization_code among the authorization_methods");
    const { protected_resource_metadata_url: url } = await session.capabilities();
    if (typeof url !== "string" || !URL.canParse(url))
      throw new Missing("protected_resource_metadata_url in capabilities, which may be null");
    return fetched(session, url);
  });
}

function wellKnown(issuer: string, name: string): string {
  const { origin, pathname } = new URL(issuer);
  return `${origin}/.well-known/${name}${pathname.replace(/\/$/, "")}`;
}

const servers = new Once<ServerDocument>();

function serverMetadata(session: Session): Promise<ServerDocument> {
  return servers.of(session, "", async () => {
    const named = (await resourceMetadata(session)).body?.["authorization_servers"];
    const issuer: unknown = Array.isArray(named) ? named[0] : undefined;
    if (typeof issuer !== "string" || !URL.canParse(issuer))
      throw new Missing("an authorization server in the protected-resource metadata");
    const document = await fetched(session, wellKnown(issuer, "oauth-authorization-server"));
    if (document.exchange.status !== 404) return { ...document, issuer };
    // A server of OpenID Connect may have its metadata at this address alone (RFC 8414 section 5).
    const address = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const other = await fetched(session, address);
    if (other.exchange.status !== 404) return { ...other, issuer };
    throw new Missing("metadata of the authorization server, which need not have them");
  });
}

export async function serverBody(session: Session) {
  const { body, exchange } = await serverMetadata(session);
  if (body === undefined) throw new Missing("metadata of the authorization server");
  return { body, exchange };
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

async function resource(session: Session): Promise<Result> {
  const { body, exchange } = await resourceMetadata(session);
  if (body === undefined) {
    return broken(
      `the metadata is answered with ${statusOf(exchange)}`,
      "200 and a JSON object",
      exchange,
    );
  }
  const { baseUrl } = session.options;
  const named = body["resource"];
  if (typeof named !== "string" || !covers(named, baseUrl))
    return broken(
      `resource is ${quoted(named)}`,
      `the base URL, ${quoted(baseUrl)}, or an address above it (RFC 9728 section 3.3)`,
      exchange,
    );
  const issuers = body["authorization_servers"];
  if (issuers === undefined)
    return { kind: "passed", note: "without authorization_servers, which may be left out" };
  if (texts(issuers).length > 0) return passed;
  return broken(
    `authorization_servers is ${quoted(issuers)}`,
    "the issuer of the tokens (RFC 9728 section 2)",
    exchange,
  );
}

/** Whether a resource is the base URL, an address above it, or the operation that the 401 came from. */
function covers(named: string, baseUrl: string): boolean {
  if (!URL.canParse(named)) return false;
  const [whole, base] = [new URL(named), new URL(baseUrl)];
  if (whole.origin !== base.origin || whole.search !== "" || whole.hash !== "") return false;
  const [above, path] = [whole, base].map(({ pathname }) => pathname.replace(/\/+$/, ""));
  return `${path}/`.startsWith(`${above}/`) || above === path + CAPABILITIES;
}

/** Whether an address may be asked: https, or this machine where the provider runs on it too. */
export function isSafe(value: unknown, { options }: Session): boolean {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname } = new URL(value);
  const isLocal = LOOPBACK.has(hostname) && LOOPBACK.has(new URL(options.baseUrl).hostname);
  return protocol === "https:" || isLocal;
}

async function server(session: Session): Promise<Result> {
  const { body, exchange, issuer } = await serverMetadata(session);
  if (body === undefined)
    return broken(
      `the metadata is answered with ${statusOf(exchange)}`,
      "200 and a JSON object",
      exchange,
    );
  if (body["issuer"] !== issuer)
    return broken(
      `issuer is ${quoted(body["issuer"])}`,
      `${quoted(issuer)} (RFC 8414 section 3.3)`,
      exchange,
    );
  const bad = ["authorization_endpoint", "token_endpoint"].find(
    (name) => !isSafe(body[name], session),
  );
  if (bad === undefined) return passed;
  return broken(`${bad} is ${quoted(body[bad])}`, "an https address", exchange);
}

async function pkce(session: Session): Promise<Result> {
  const { body, exchange } = await serverBody(session);
  const methods = body["code_challenge_methods_supported"];
  if (texts(methods).includes("S256")) return passed;
  return broken(`code_challenge_methods_supported is ${quoted(methods)}`, "S256", exchange);
}

async function grants(session: Session): Promise<Result> {
  const { body, exchange } = await serverBody(session);
  const offered = texts(body["grant_types_supported"]);
  const lacking = ["authorization_code", "refresh_token"].find((grant) => !offered.includes(grant));
  if (lacking === undefined) return passed;
  return broken(
    `grant_types_supported lacks ${lacking}`,
    "authorization_code and refresh_token",
    exchange,
  );
}

async function scopes(session: Session): Promise<Result> {
  const { body, exchange } = await serverBody(session);
  const offered = texts(body["scopes_supported"]);
  const lacking = SCOPES.filter((scope) => !offered.includes(scope));
  if (lacking.length === 0) return passed;
  return broken(
    `scopes_supported lacks ${lacking.join(", ")}`,
    "the three scopes of section 5",
    exchange,
  );
}

async function challenge(session: Session): Promise<Result> {
  const { url } = await resourceMetadata(session);
  const exchange = await session.ask({ path: CAPABILITIES, token: null, probe: true });
  const header = exchange.headers["www-authenticate"];
  if (exchange.status !== 401 || header === undefined)
    throw new Missing("a 401 with WWW-Authenticate");
  if (header.includes(`resource_metadata="${url}"`)) return passed;
  const expected = `resource_metadata="${url}" (RFC 9728 section 5.1)`;
  return broken(`WWW-Authenticate is ${quoted(header)}`, expected, exchange);
}

export const oauthChecks: readonly Check[] = [
  {
    id: "OAU-01",
    level: "must",
    clause: "5 rule 3 (RFC 9728)",
    title: "The protected-resource metadata are of this base URL and name an authorization server.",
    protects: "A client refuses metadata of another resource, so users cannot sign in.",
    mend: "Serve resource (the base URL, or an address that it lies under) and authorization_servers.",
    run: resource,
  },
  {
    id: "OAU-02",
    level: "must",
    clause: "5 (RFC 8414)",
    title: "The authorization server describes itself under its own issuer.",
    protects: "Clients find authorization and token endpoints there.",
    mend: "Serve the metadata of RFC 8414 (or of OpenID Connect) with the exact issuer and https endpoints.",
    run: server,
  },
  {
    id: "OAU-03",
    level: "must",
    clause: "5 (RFC 7636)",
    title: "PKCE with S256 is offered.",
    protects: "A thief of the code could get a token for it.",
    mend: "Name S256 in code_challenge_methods_supported, and require it.",
    run: pkce,
  },
  {
    id: "OAU-04",
    level: "must",
    clause: "5",
    title: "The grants authorization_code and refresh_token are offered.",
    protects: "Without refresh a sync ends when its first access token does.",
    mend: "Name both in grant_types_supported.",
    run: grants,
  },
  {
    id: "OAU-05",
    level: "should",
    clause: "5",
    title: "The three scopes are announced.",
    protects: "A client that asks for an unknown scope is refused at sign-in.",
    mend: "Name billing.account.read, billing.usage.read and billing.cost.read in scopes_supported.",
    run: scopes,
  },
  {
    id: "OAU-06",
    level: "should",
    clause: "5 (RFC 9728 section 5.1)",
    title: "The 401 points to the metadata that capabilities name.",
    protects: "A client without a token cannot read capabilities; the 401 is its only way in.",
    mend: 'Add resource_metadata="…" to WWW-Authenticate.',
    run: challenge,
  },
];
