/**
 * The rule for every address that gets a credential, typed into the config or discovered: https, or http if the packets
 * never leave the machine.
 */
import { isLoopback } from "../core/loopback.ts";

/** The optional parts of an address besides scheme, host, port and path. */
export interface AddressParts {
  /** Whether a query is allowed (RFC 6749 section 3.1 allows one in an authorization address). */
  readonly query: boolean;
}

/** The rule that an address breaks, in words that do not quote the address; `undefined` if it breaks none. */
export function addressFault(text: string, parts: AddressParts): string | undefined {
  // A URL parser silently drops line breaks and turns backslashes into slashes. Here they are typing errors.
  if (/[\s\\\p{Cc}]/u.test(text)) return "must not contain spaces, line breaks or backslashes";
  const url = /^https?:\/\/[^/]/i.test(text) ? URL.parse(text) : null;
  if (url === null) return "must be an address such as https://billing.example.com";
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return "must not contain a user name or password";
  if (text.includes("#")) return "must not contain a fragment (#)";
  if (!parts.query && text.includes("?")) return "must not contain a query (?)";
  if (url.protocol === "http:" && !isLoopback(url)) {
    return "must start with https:// (http:// only for an address of this machine, such as localhost or 127.0.0.1)";
  }
  return undefined;
}

/**
 * The one spelling of a base address, for requests and for the owner of a state (S5): scheme and host in lower case, no
 * default port, no dot segments, no trailing slash. `undefined` if {@link addressFault} finds a fault.
 */
export function normalizeBaseUrl(text: string): string | undefined {
  if (addressFault(text, { query: false }) !== undefined) return undefined;
  const url = new URL(text);
  return url.origin + url.pathname.replace(/\/+$/, "");
}
