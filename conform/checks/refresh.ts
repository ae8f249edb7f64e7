/** OAU: refreshed tokens (interface section 5), if the run has a refresh token. */
import { broken, passed } from "../check.ts";
import type { Check, Result } from "../check.ts";
import { Missing } from "../errors.ts";
import type { Exchange } from "../http.ts";
import type { JsonObject } from "../json.ts";
import { CAPABILITIES, Once, bodyOf, objectIn } from "../session.ts";
import type { OAuthCredentials, Session } from "../session.ts";
import { isSafe, serverBody } from "./oauth.ts";
import { quoted, statusOf } from "./shared.ts";

/** The result of a refresh. */
interface Refreshed {
  readonly oauth: OAuthCredentials;
  readonly exchange: Exchange;
  readonly body: JsonObject | undefined;
  readonly access: unknown;
  readonly refresh: unknown;
}

/** Sends a refresh token, once: after a failure it may be spent. */
async function tokenRequest(session: Session, oauth: OAuthCredentials, refreshToken: string) {
  const { body } = await serverBody(session);
  const url = body["token_endpoint"];
  if (typeof url !== "string" || !isSafe(url, session)) throw new Missing("a token_endpoint");
  const basic = basicOf(oauth, body["token_endpoint_auth_methods_supported"]);
  const form = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
  if (basic === undefined) form.set("client_id", oauth.clientId);
  if (basic === undefined && oauth.clientSecret !== undefined)
    form.set("client_secret", oauth.clientSecret);
  session.options.shown.hide(basic ?? "");
  return session.ask({ path: url, method: "POST", token: null, basic, form, probe: true });
}

/**
 * The client's name and secret for HTTP Basic, which every server supports (RFC 6749 section 2.3.1), unless its metadata say
 * otherwise; undefined for a client without a secret, and where the secret goes into the form.
 */
function basicOf({ clientId, clientSecret }: OAuthCredentials, methods: unknown) {
  if (clientSecret === undefined) return undefined;
  if (Array.isArray(methods) && !methods.includes("client_secret_basic")) return undefined;
  const [name, secret] = [clientId, clientSecret].map((text) =>
    new URLSearchParams({ "": text }).toString().slice(1),
  );
  return Buffer.from(`${name}:${secret}`).toString("base64");
}

function credentialsOf(session: Session): OAuthCredentials {
  const { oauth } = session.options.credentials;
  if (oauth === undefined) throw new Missing("a refresh token: --oauth FILE");
  return oauth;
}

async function unknownToken(session: Session): Promise<Result> {
  const oauth = credentialsOf(session);
  const exchange = await tokenRequest(session, oauth, "not-a-refresh-token");
  const error = objectIn(exchange.text)?.["error"];
  if (exchange.status === 400 && error === "invalid_grant") return passed;
  const seen = `an unknown refresh token is answered with ${statusOf(exchange)} and error ${quoted(error)}`;
  return broken(seen, '400 and "invalid_grant" (RFC 6749 section 5.2)', exchange);
}

const refreshes = new Once<Refreshed>();

/** Refreshes once, keeps the new refresh token, and hides all tokens from the reports. */
function refreshed(session: Session) {
  return refreshes.of(session, "", async () => {
    const oauth = credentialsOf(session);
    const exchange = await tokenRequest(session, oauth, oauth.refreshToken);
    // If the token was spent before, by a run with --deep or by another program, its refusal is no fault of the provider.
    if (exchange.status === 400 && objectIn(exchange.text)?.["error"] === "invalid_grant")
      throw new Missing(
        `a refresh token that is valid: the refresh token of ${oauth.file} is refused (invalid_grant). ` +
          "It may be spent: a run with --deep ends the sign-in. Sign in again and repeat",
      );
    const body = exchange.status === 200 ? objectIn(exchange.text) : undefined;
    const [access, next] = [body?.["access_token"], body?.["refresh_token"]];
    for (const secret of [access, next])
      if (typeof secret === "string") session.options.shown.hide(secret);
    if (typeof next === "string") await oauth.save(next);
    return { oauth, exchange, body, access, refresh: next };
  });
}

async function refresh(session: Session): Promise<Result> {
  const { exchange, body, access } = await refreshed(session);
  if (typeof access !== "string" || String(body?.["token_type"]).toLowerCase() !== "bearer") {
    const seen = `a refresh is answered with ${statusOf(exchange)} and no bearer token`;
    return broken(seen, "access_token, and token_type Bearer", exchange);
  }
  const used = await session.ask({ path: CAPABILITIES, token: access });
  if (bodyOf(used) !== undefined) return passed;
  return broken(`the new access token is answered with ${statusOf(used)}`, "status 200", used);
}

async function notKept(session: Session): Promise<Result> {
  const { exchange } = await refreshed(session);
  if (exchange.status !== 200) throw new Missing("a refresh that succeeds");
  if (/\bno-store\b/i.test(exchange.headers["cache-control"] ?? "")) return passed;
  const seen = `Cache-Control is ${quoted(exchange.headers["cache-control"])}`;
  return broken(seen, "no-store (RFC 6749 section 5.1)", exchange);
}

async function rotation(session: Session): Promise<Result> {
  if (!session.options.deep) throw new Missing("--deep, which spends the sign-in of --oauth FILE");
  const { oauth, refresh: next } = await refreshed(session);
  if (typeof next !== "string" || next === oauth.refreshToken)
    throw new Missing("a new refresh token with each refresh");
  const exchange = await tokenRequest(session, oauth, oauth.refreshToken);
  if (exchange.status >= 400 && exchange.status < 500) return passed;
  return broken(
    `a spent refresh token is answered with ${statusOf(exchange)}`,
    "400 and invalid_grant",
    exchange,
  );
}

export const refreshChecks: readonly Check[] = [
  {
    id: "OAU-07",
    level: "must",
    clause: "5 (RFC 6749 section 5.2)",
    title: "An unknown refresh token is a 400 with `invalid_grant`.",
    protects: "Clients ask for a new sign-in at this error, and try again at every other.",
    mend: "Answer with error invalid_grant if the refresh token is unknown, spent or revoked.",
    run: unknownToken,
  },
  {
    id: "OAU-08",
    level: "must",
    clause: "5 (RFC 6749 section 6)",
    title: "A refresh brings a bearer token that works.",
    protects: "A sync lives on refreshed tokens.",
    mend: "Issue access tokens that the export accepts at once, with the granted scopes.",
    run: refresh,
  },
  {
    id: "OAU-09",
    level: "should",
    clause: "5 (RFC 6749 section 5.1)",
    title: "Answers with tokens may not be stored.",
    protects: "A cache would hand out a token.",
    mend: "Send Cache-Control: no-store from the token endpoint.",
    run: notKept,
  },
  {
    id: "OAU-10",
    level: "should",
    clause: "5 (RFC 9700 section 4.14)",
    title: "A refresh token that was replaced is not accepted again.",
    protects: "A stolen refresh token would work for ever.",
    mend: "Spend the old refresh token when its successor is issued.",
    run: rotation,
  },
];
