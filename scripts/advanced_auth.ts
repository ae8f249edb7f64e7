/**
 * `advanced_auth` of the specification: with it the platform's sign-in button walks the authorization code flow by itself
 * (declarative OAuth). The templates are Jinja. The platform fills in the `…_value`s and `…_param`s, and the addresses of
 * the user's own config, because every provider of the interface has its own.
 */
import type { JsonObject } from "../src/protocol.ts";

/** Interface section 5; `login` asks for the same scopes. */
const SCOPES = ["billing.account.read", "billing.usage.read", "billing.cost.read"];

/**
 * The platform's filter gives standard base64 with padding. RFC 7636 section 4.2 asks for base64url without padding, so
 * three replacements follow. They change nothing in a platform whose filter gives base64url.
 */
const CHALLENGE =
  "{{ state_value | codechallengeS256 | replace('+', '-') | replace('/', '_') | replace('=', '') }}";

/** An authorization URL may have a query already (RFC 6749 section 3.1). */
const SEPARATOR = "{{ '&' if '?' in authorization_url else '?' }}";

const CONSENT = [
  "response_type=code",
  "client_id={{ client_id_value | urlencode }}",
  "{{ redirect_uri_param }}",
  "{{ scope_param }}",
  "{{ state_param }}",
  `code_challenge=${CHALLENGE}`,
  "code_challenge_method=S256",
].join("&");

function objectOf(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: "object", additionalProperties: false, properties, ...more };
}

/** A text under `credentials` in the config. */
function credential(name: string, more: JsonObject = {}): JsonObject {
  return { [name]: { type: "string", path_in_connector_config: ["credentials", name], ...more } };
}

/** A text of the token response and its place in the config. */
const output = (name: string): JsonObject => credential(name, { path_in_oauth_response: [name] });

export function advancedAuth(): JsonObject {
  return {
    auth_flow_type: "oauth2.0",
    predicate_key: ["credentials", "auth_type"],
    predicate_value: "oauth2_authorization_code",
    oauth_config_specification: {
      oauth_user_input_from_connector_config_specification: objectOf(
        { ...credential("authorization_url"), ...credential("token_url") },
        { required: ["authorization_url", "token_url"] },
      ),
      oauth_connector_input_specification: {
        consent_url: `{{ authorization_url }}${SEPARATOR}${CONSENT}`,
        // Newer platforms read the list, older ones the text.
        scopes: SCOPES.map((scope) => ({ scope })),
        scope: SCOPES.join(" "),
        // The platform sends the state as code verifier too, so it needs the length of one (RFC 7636 section 4.1).
        state: { min: 43, max: 128 },
        access_token_url: "{{ token_url }}",
        // Without this header the platform sends the parameters as JSON, which RFC 6749 does not allow.
        access_token_headers: {
          "Content-Type": "application/x-www-form-urlencoded",
          Accept: "application/json",
        },
        access_token_params: {
          grant_type: "authorization_code",
          code: "{{ auth_code_value }}",
          redirect_uri: "{{ redirect_uri_value }}",
          client_id: "{{ client_id_value }}",
          client_secret: "{{ client_secret_value }}",
          code_verifier: "{{ state_value }}",
        },
        // The sign-in fails if a member of this list is missing in the answer. A server need not send expires_in.
        extract_output: ["access_token", "refresh_token"],
      },
      complete_oauth_output_specification: objectOf({
        ...output("access_token"),
        ...output("refresh_token"),
      }),
      complete_oauth_server_input_specification: objectOf({
        client_id: { type: "string" },
        client_secret: { type: "string" },
      }),
      complete_oauth_server_output_specification: objectOf({
        ...credential("client_id"),
        ...credential("client_secret"),
      }),
    },
  };
}
