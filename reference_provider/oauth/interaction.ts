/** Login and consent: the pages between the authorization request and its answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Interaction } from "oidc-provider/lib/provider.js";
import { SCOPES } from "../accounts.ts";
import type { AuthorizationServer } from "./authorization_server.ts";
import { consentPage, errorPage, loginPage } from "./pages.ts";

/** The largest submitted form in bytes. */
const FORM_BYTES = 64 * 1024;

const DENIED = { error: "access_denied", error_description: "The person denied the request." };

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > FORM_BYTES) throw new RangeError("the form is too large");
  }
  return new URLSearchParams(text);
}

function show(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    // No form-action: the answer to the form redirects to the client, and the policy would have to name the client.
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
  });
  response.end(html);
}

function requestedScopes({ params }: Interaction): string[] {
  const asked = typeof params["scope"] === "string" ? params["scope"].split(" ") : [];
  return SCOPES.filter((scope) => asked.includes(scope));
}

async function consent(
  server: AuthorizationServer,
  interaction: Interaction,
  allowed: readonly string[],
): Promise<object> {
  const accountId = interaction.session?.accountId ?? "";
  const grant = new server.oidc.Grant({
    accountId,
    clientId: String(interaction.params["client_id"]),
  });
  for (const scope of requestedScopes(interaction)) {
    if (allowed.includes(scope)) grant.addOIDCScope(scope);
    else grant.rejectOIDCScope(scope);
  }
  return { consent: { grantId: await grant.save() } };
}

async function submit(
  server: AuthorizationServer,
  interaction: Interaction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const form = await formOf(request);
  const finish = (result: object, merge: boolean): Promise<void> =>
    server.oidc.interactionFinished(request, response, result, { mergeWithLastSubmission: merge });
  if (form.get("decision") === "deny") return finish(DENIED, false);
  if (interaction.prompt.name === "login") {
    return finish({ login: { accountId: form.get("account") ?? "" } }, false);
  }
  return finish(await consent(server, interaction, form.getAll("scope")), true);
}

/** Answers a request below the interaction path: GET shows a page, POST takes its choices. Never rejects. */
export async function interact(
  server: AuthorizationServer,
  accounts: readonly string[],
  request: IncomingMessage,
  response: ServerResponse,
  action: string,
): Promise<void> {
  try {
    const interaction = await server.oidc.interactionDetails(request, response);
    if (request.method === "POST") return await submit(server, interaction, request, response);
    const { params, session } = interaction;
    const html =
      interaction.prompt.name === "login"
        ? loginPage(action, accounts)
        : consentPage(
            action,
            String(params["client_id"]),
            session?.accountId ?? "",
            requestedScopes(interaction),
          );
    show(response, 200, html);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (!response.headersSent) show(response, 400, errorPage("invalid_request", reason));
  }
}
