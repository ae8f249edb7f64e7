import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { SCOPES } from "../accounts.ts";
import type { OAuth } from "./oauth.ts";
import { tokenFaultSchema } from "./token_faults.ts";

const oauthBody = z.strictObject({
  token_seconds: z.int().min(1).optional(),
  rotate: z.boolean().optional(),
  /** Replaces the faults that were set before. */
  token_faults: z.array(tokenFaultSchema).optional(),
  /** Ends all access tokens, or everything that was ever issued. */
  revoke: z.enum(["access_tokens", "all"]).optional(),
  issue: z
    .strictObject({
      account: z.string().optional(),
      scopes: z.array(z.enum(SCOPES)).optional(),
      public: z.boolean().default(false),
    })
    .optional(),
});

/** Everything that a client must know, under the keys of the connector's config. */
export function clientFacts(oauth: OAuth): Readonly<Record<string, string>> {
  const { clientId, clientSecret = "" } = oauth.server.client;
  return {
    client_id: clientId,
    client_secret: clientSecret,
    public_client_id: oauth.server.publicClient.clientId,
    authorization_url: oauth.authorizationUrl,
    token_url: oauth.tokenUrl,
    issuer: oauth.server.issuer,
  };
}

/**
 * Serves `/control/oauth`: GET names all addresses, POST changes settings and issues tokens. The README lists the bodies.
 *
 * @param oauthOf is called for each request, because OAuth exists only after the provider listens. It throws a RangeError
 *   if OAuth is off
 */
export function registerOAuthControl(
  app: FastifyInstance,
  oauthOf: () => OAuth,
  firstAccount: () => string,
): void {
  app.get("/control/oauth", () => clientFacts(oauthOf()));
  const conduct = async (request: FastifyRequest) => {
    const oauth = oauthOf();
    const { server } = oauth;
    const body = oauthBody.parse(request.body);
    if (body.token_seconds !== undefined) server.switches.tokenSeconds = body.token_seconds;
    if (body.rotate !== undefined) server.switches.rotate = body.rotate;
    if (body.token_faults !== undefined) oauth.setFaults(body.token_faults);
    if (body.revoke === "all") server.revokeAll();
    if (body.revoke === "access_tokens") server.expireAccessTokens();
    const { tokenSeconds, rotate } = server.switches;
    const state = { token_seconds: tokenSeconds, rotate };
    if (body.issue === undefined) return state;
    const { account = firstAccount(), scopes, public: isPublic } = body.issue;
    const client = isPublic ? server.publicClient : server.client;
    const tokens = await server.issue(account, scopes, client);
    return {
      ...state,
      access_token: tokens.accessToken,
      refresh_token: tokens.refreshToken,
      expires_in: tokens.expiresIn,
    };
  };
  app.route({ method: "POST", url: "/control/oauth", handler: conduct });
}
