/**
 * Whether a host name, as a URL parser writes it, is an address of this machine (RFC 6761 section 6.3, RFC 1122
 * section 3.2.1.3, RFC 4291 section 2.5.3): `localhost`, `127.0.0.0/8`, `[::1]`.
 */
export function isLoopback({ hostname }: { readonly hostname: string }): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
