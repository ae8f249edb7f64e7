/**
 * The real {@link Transport}: undici with a dispatcher of its own, never the global dispatcher or the global fetch. The
 * first request loads undici, so that `spec` does not pay for it.
 */
import type { Dispatcher } from "undici";
import { isLoopback } from "../core/loopback.ts";
import type { Transport } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import { Connections } from "./connections.ts";
import { IncomingAnswer } from "./incoming.ts";

/** Time-outs of one request, in milliseconds (C4). */
export interface TransportLimits {
  /** The longest time to open a connection, TLS included. */
  readonly connectMs: number;
  /** The longest silence before the headers of the answer are complete. */
  readonly headersMs: number;
  /** The longest silence inside the body. */
  readonly bodyMs: number;
  /** The longest time from the request to the last byte of its answer, whatever arrives meanwhile (L2). */
  readonly answerMs: number;
}

/** Connecting 10 s, silence 60 s (C4), five minutes in all (L2). */
export const TRANSPORT_LIMITS: TransportLimits = {
  connectMs: 10_000,
  headersMs: 60_000,
  bodyMs: 60_000,
  answerMs: 300_000,
};

/** The environment variables that name proxies. A lower-case name wins over its upper-case form (C5). */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

export interface TransportOptions {
  readonly limits: TransportLimits;
  /** The most connections to one origin, 1 or more: the config's `concurrency`. */
  readonly connections: number;
  /** `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` and their lower-case forms. Other variables are ignored. */
  readonly proxies: ProxyVariables;
}

/** A transport that can be closed. */
export interface OpenTransport {
  readonly transport: Transport;
  /** Closes all connections, so that the process can end. Requests in flight fail. Never rejects. */
  close(): Promise<void>;
}

interface Loaded {
  /** Without a proxy. */
  readonly direct: Connections;
  /** Through the proxies of the environment, as far as they apply; null if there are none. */
  readonly outward: Dispatcher | null;
}

/**
 * Makes a transport. It opens no connection before the first request, follows no redirect and retries nothing.
 *
 * @throws ConnectorError `invalid_config` if a proxy variable does not hold an http(s) address
 */
export function openTransport(options: TransportOptions): OpenTransport {
  const proxies = proxiesOf(options.proxies);
  let loading: Promise<Loaded> | undefined; // set by the first request, shared by all
  const transport: Transport = async (request) => {
    loading ??= load(options, proxies);
    const { direct, outward } = await loading;
    // A proxy has another loopback than this machine, and would see the credential.
    const { connection, free } =
      outward === null || isLoopback(request.url) ? direct.take() : { connection: outward };
    const { origin, pathname, search } = request.url;
    const answer = new IncomingAnswer(request.signal, options.limits.answerMs, free);
    try {
      const method = request.body === undefined ? "GET" : "POST";
      const { headers, body = null } = request;
      connection.dispatch(
        { origin, path: pathname + search, method, headers: { ...headers }, body },
        answer,
      );
    } catch (reason) {
      answer.abort(reason);
    }
    return answer.head;
  };
  const close = async (): Promise<void> => {
    if (loading === undefined) return;
    await loading
      .then(({ direct, outward }) => Promise.all([direct.destroy(), outward?.destroy()]))
      .catch(() => undefined);
  };
  return { transport, close };
}

async function load(options: TransportOptions, proxies: Proxies | undefined): Promise<Loaded> {
  const { Agent } = await import("./undici.ts");
  const { limits, connections } = options;
  const settings = {
    connections,
    connectTimeout: limits.connectMs,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    // The tests prove the time-outs and the limit of connections for HTTP/1.1 only.
    allowH2: false,
  };
  const direct = new Connections(connections, () => new Agent({ ...settings, connections: 1 }));
  if (proxies === undefined) return { direct, outward: null };
  const { EnvHttpProxyAgent } = await import("./undici_proxies.ts");
  // With a proxy, undici reads the connect time-out from the TLS options only.
  const tls = { timeout: limits.connectMs };
  const outward = new EnvHttpProxyAgent({
    ...settings,
    ...proxies,
    requestTls: tls,
    proxyTls: tls,
  });
  return { direct, outward };
}

/** The options of EnvHttpProxyAgent. An empty string stops it from reading the environment by itself. */
interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

function proxiesOf(variables: ProxyVariables): Proxies | undefined {
  const read = (name: string): string =>
    (variables[name.toLowerCase()] ?? variables[name] ?? "").trim();
  const httpProxy = proxyAddress("HTTP_PROXY", read("HTTP_PROXY"));
  const httpsProxy = proxyAddress("HTTPS_PROXY", read("HTTPS_PROXY"));
  if (httpProxy === "" && httpsProxy === "") return undefined;
  return { httpProxy, httpsProxy, noProxy: read("NO_PROXY") };
}

/** Reads an address without a scheme (`proxy.example:3128`) as http, like curl. Never shows the value, which may hold a password. */
function proxyAddress(name: string, text: string): string {
  if (text === "") return "";
  const address = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (address !== null && /^https?:$/.test(address.protocol)) return address.href;
  throw new ConnectorError(
    "invalid_config",
    `The environment variable ${name} does not hold the address of an HTTP proxy. Set it to one such as ` +
      "http://proxy.example:3128, or unset it.",
    { detail: `${name} is not an http or https URL` },
  );
}
