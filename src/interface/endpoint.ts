/** Addresses of the operations under the base URL (interface section 4; W5). */
import { ConnectorError } from "../errors.ts";

/** The path of the capabilities operation under the base URL (interface section 4.1). */
export const CAPABILITIES_PATH = "/v1/finops/capabilities";

/** A path of plain segments: what RFC 3986 allows in one, no empty ones, at most one slash at the end. */
const PLAIN_PATH = /^\/v[0-9]+(?:\/(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})+)+\/?$/;

/** Percent-encoded dots, slashes, backslashes and controls: servers and proxies disagree on what they mean. */
const TRICKS = /%(?:2e|2f|5c|[01][0-9a-f]|7f)/i;

/**
 * Where a dataset is: the `endpoint` of its capabilities, appended to the base URL with its path (W5).
 *
 * The schema's `^/v[0-9]+/` lets `/v1/../../x` and more through; here an endpoint has no dot segments (also percent-
 * encoded), no empty segments, no backslash, query or fragment, and what comes out is on the origin of the base URL,
 * under its path.
 *
 * @throws ConnectorError `provider_fault`
 */
export function resolveEndpoint(baseUrl: URL, endpoint: string): URL {
  const base = baseUrl.pathname.replace(/\/+$/, "");
  const dots = endpoint.split("/").some((segment) => segment === "." || segment === "..");
  if (PLAIN_PATH.test(endpoint) && !TRICKS.test(endpoint) && !dots) {
    const url = URL.parse(`${baseUrl.origin}${base}${endpoint}`);
    if (url?.origin === baseUrl.origin && url.pathname === base + endpoint) return url;
  }
  throw new ConnectorError(
    "provider_fault",
    `The provider's capabilities name the endpoint ${JSON.stringify(endpoint.slice(0, 200))}, which is no plain path ` +
      "under base_url. It was not called, and the token was not sent there. Report it to the provider.",
    { detail: "endpoint outside of base_url (W5)" },
  );
}
