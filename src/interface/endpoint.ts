/** Addresses of the operations under the base URL (interface section 4; W5). */
import { foreignText } from "../core/foreign_text.ts";
import { ConnectorError } from "../errors.ts";

/** The path of the capabilities operation under the base URL (interface section 4.1). */
export const CAPABILITIES_PATH = "/v1/finops/capabilities";

/**
 * A path of plain segments: unreserved characters and some that no server gives a meaning, no empty segment, at most one
 * slash at the end. No `;` (`/..;/` is `/../` to some servers) and no `%` (`%252e` is a dot to servers that decode twice).
 */
const PLAIN_PATH = /^\/v[0-9]+(?:\/[A-Za-z0-9._~!$'()*+,:@-]+)+\/?$/;

/** The longest endpoint, in characters: it stands in every request and in many messages (L1). */
const MAXIMUM_CHARACTERS = 200;

/**
 * Gives the address of a dataset: the `endpoint` of its capabilities, appended to the base URL with its path (W5).
 *
 * The schema's `^/v[0-9]+/` lets `/v1/../../x` through. This function accepts no dot segments, no empty segments, no path
 * parameters, nothing percent-encoded, no backslash, query or fragment, and at most 200 characters. The address always lies under the base URL.
 *
 * @throws ConnectorError `provider_fault`
 */
export function resolveEndpoint(baseUrl: URL, endpoint: string): URL {
  const base = baseUrl.pathname.replace(/\/+$/, "");
  const dots = endpoint.split("/").some((segment) => segment === "." || segment === "..");
  if (endpoint.length <= MAXIMUM_CHARACTERS && PLAIN_PATH.test(endpoint) && !dots) {
    const url = URL.parse(`${baseUrl.origin}${base}${endpoint}`);
    if (url?.origin === baseUrl.origin && url.pathname === base + endpoint) return url;
  }
  throw new ConnectorError(
    "provider_fault",
    `The provider's capabilities name the endpoint "${foreignText(endpoint)}", which is no plain path ` +
      "of at most 200 characters under base_url. It was not called, and the token was not sent there. Report it to the provider.",
    { detail: "endpoint outside of base_url (W5)" },
  );
}
