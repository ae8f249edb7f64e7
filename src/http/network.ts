/**
 * Judges failed connections: the words for the message, and whether a retry may help (C4). Judges by the error codes of
 * Node and undici, because codes are stable and messages are not.
 */

/** The kinds of failure that the client tells apart. */
export type NetworkFailure =
  /** DNS does not know the name at this moment. */
  | { readonly kind: "no_such_host"; readonly reason: string }
  /** The certificate is not trusted, or the other side does not speak TLS. */
  | { readonly kind: "tls"; readonly reason: string }
  /** The other side does not speak HTTP. */
  | { readonly kind: "not_http"; readonly reason: string }
  /** The proxy refuses the connection. */
  | { readonly kind: "proxy"; readonly reason: string }
  /** A reset, a refused connection, a time-out, a body that broke off. */
  | { readonly kind: "retryable"; readonly reason: string };

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed",
  ETIMEDOUT: "the connection timed out",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
  EAI_AGAIN: "the name could not be resolved for now",
  UND_ERR_CONNECT_TIMEOUT: "connecting took too long",
  UND_ERR_HEADERS_TIMEOUT: "no answer came in time",
  UND_ERR_BODY_TIMEOUT: "the body stopped arriving",
  ANSWER_TIMEOUT: "the answer took longer than five minutes",
  UND_ERR_SOCKET: "the connection broke off",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the body was cut short",
  UND_ERR_PRX_CONN: "the proxy broke the connection off",
};

const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET|VERIFY|DECODE)_|UND_ERR_PRX_TLS|HOSTNAME_MISMATCH|INVALID_CA|ERROR_IN_CERT_|EPROTO$)/;

/** undici's parser gives a code for some errors and only the error's name for others. */
const NO_HTTP = /^(HPE_|HTTPParserError$)/;

/** undici's message for a proxy that answered CONNECT with another status than 200. There is no code for this error. */
const PROXY_ANSWER = /Proxy response \((\d{3})\)/;

/** Codes of wrong calls of undici. They are defects of this connector, not of the network. */
const MISUSE = /^UND_ERR_(INVALID_ARG|INVALID_RETURN_VALUE|NOT_SUPPORTED|DESTROYED|CLOSED)$/;

/**
 * Judges an error of a transport. Gives `undefined` if the error is a defect of this connector.
 *
 * @param host the host of the requested address. If another host does not exist, that host is the proxy.
 */
export function judgeFailure(thrown: unknown, host: string): NetworkFailure | undefined {
  const codes = codesOf(thrown);
  if (codes.some((code) => MISUSE.test(code))) return undefined;
  const proxy = PROXY_ANSWER.exec(thrown instanceof Error ? thrown.message : "")?.[1];
  if (proxy !== undefined && !proxy.startsWith("5")) {
    return { kind: "proxy", reason: `the proxy answered HTTP ${proxy}` };
  }
  const tls = codes.find((code) => TLS_CODES.test(code));
  if (tls !== undefined) return { kind: "tls", reason: `TLS failed (${tls})` };
  if (codes.includes("ENOTFOUND")) {
    const missing = hostOf(thrown);
    return missing === undefined || missing === host
      ? { kind: "no_such_host", reason: "there is no such host" }
      : { kind: "proxy", reason: `there is no such host as the proxy's, ${missing}` };
  }
  if (codes.some((code) => NO_HTTP.test(code))) {
    return { kind: "not_http", reason: "the answer is not HTTP" };
  }
  const known = codes.find((code) => REASONS[code] !== undefined);
  if (known !== undefined) return { kind: "retryable", reason: REASONS[known] ?? known };
  if (!(thrown instanceof Error) || (codes.length === 0 && thrown instanceof TypeError)) {
    return undefined;
  }
  return { kind: "retryable", reason: `the connection failed (${codes[0] ?? thrown.name})` };
}

/** The host that could not be found, as the error or one of its causes names it. */
function hostOf(thrown: unknown, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 8) return undefined;
  if ("hostname" in thrown && typeof thrown.hostname === "string") return thrown.hostname;
  return hostOf(thrown.cause, depth + 1);
}

/** The codes of an error, of its causes, and of its inner errors (Node gathers one for each address that it tried). */
function codesOf(thrown: unknown, depth = 0): string[] {
  if (!(thrown instanceof Error) || depth > 8) return [];
  const own = "code" in thrown && typeof thrown.code === "string" ? [thrown.code] : [];
  if (thrown.name === "HTTPParserError") own.push(thrown.name);
  const gathered = thrown instanceof AggregateError ? thrown.errors.slice(0, 8) : [];
  return [thrown.cause, ...gathered].reduce<string[]>(
    (all, inner) => all.concat(codesOf(inner, depth + 1)),
    own,
  );
}
