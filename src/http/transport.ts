/**
 * The real {@link Transport}: undici with a dispatcher of its own (never the global one, never global fetch), loaded
 * at the first request, so that `spec` pays nothing for it.
 */
import type { Dispatcher } from "undici";
import type { HttpResponse, Transport } from "../edges.ts";
import { ConnectorError } from "../errors.ts";

/** Limits of one request; durations in milliseconds (C4). */
export interface TransportLimits {
  /** Until a connection stands, TLS included. */
  readonly connectMs: number;
  /** Silence before the headers of the answer are complete. */
  readonly headersMs: number;
  /** Silence inside the body. */
  readonly bodyMs: number;
}

/** Connecting 10 s, silence 60 s (C4). */
export const TRANSPORT_LIMITS: TransportLimits = {
  connectMs: 10_000,
  headersMs: 60_000,
  bodyMs: 60_000,
};

/** The variables of the environment that name proxies; the lower-case name wins over the upper-case one (C5). */
export type ProxyVariables = Readonly<Record<string, string | undefined>>;

export interface TransportOptions {
  readonly limits: TransportLimits;
  /** Connections to one origin at the most, 1 or more: the config's `concurrency`. */
  readonly connections: number;
  /** `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` and their lower-case forms; anything else in it is ignored. */
  readonly proxies: ProxyVariables;
}

/** A transport and its end. */
export interface OpenTransport {
  readonly transport: Transport;
  /** Ends the idle connections, so that the process can end; requests in flight break. Never rejects. */
  close(): Promise<void>;
}

interface Loaded {
  readonly request: typeof import("./undici.ts").request;
  readonly dispatcher: Dispatcher;
}

/**
 * Opens no connection before the first request. Requests follow no redirect and are repeated by nobody here.
 *
 * @throws ConnectorError `invalid_config` at once, where a proxy variable holds no http(s) address
 */
export function openTransport(options: TransportOptions): OpenTransport {
  const proxies = proxiesOf(options.proxies);
  let loading: Promise<Loaded> | undefined; // set by the first request, shared by all
  const transport: Transport = async (request) => {
    loading ??= load(options, proxies);
    const { request: send, dispatcher } = await loading;
    const { origin, pathname, search } = request.url;
    const answer = await send.call(dispatcher, {
      origin,
      path: pathname + search,
      method: request.body === undefined ? "GET" : "POST",
      headers: { ...request.headers },
      body: request.body ?? null,
      signal: request.signal,
    });
    return { status: answer.statusCode, headers: joined(answer.headers), body: answer.body };
  };
  const close = async (): Promise<void> => {
    if (loading === undefined) return;
    await loading.then(({ dispatcher }) => dispatcher.destroy()).catch(() => undefined);
  };
  return { transport, close };
}

async function load(options: TransportOptions, proxies: Proxies | undefined): Promise<Loaded> {
  const { Agent, request } = await import("./undici.ts");
  const { limits, connections } = options;
  const settings = {
    connections,
    connectTimeout: limits.connectMs,
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.bodyMs,
    // HTTP/1.1 only: its time-outs and its bound of connections are the ones that are proven here.
    allowH2: false,
  };
  if (proxies === undefined) return { request, dispatcher: new Agent(settings) };
  const { EnvHttpProxyAgent } = await import("./undici_proxies.ts");
  // Behind a proxy undici takes the time to connect from the TLS options alone.
  const tls = { timeout: limits.connectMs };
  const dispatcher = new EnvHttpProxyAgent({
    ...settings,
    ...proxies,
    requestTls: tls,
    proxyTls: tls,
  });
  return { request, dispatcher };
}

function joined(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): HttpResponse["headers"] {
  const one: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(headers)) {
    one[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return one;
}

/** What EnvHttpProxyAgent takes; an empty string keeps it from looking into the environment by itself. */
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

/** An address without a scheme (`proxy.example:3128`) is taken for http, as curl does. The value is never shown: it may hold a password. */
function proxyAddress(name: string, text: string): string {
  if (text === "") return "";
  const address = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (address !== null && /^https?:$/.test(address.protocol)) return address.href;
  throw new ConnectorError(
    "invalid_config",
    `The environment variable ${name} holds no address of an HTTP proxy. Set it to one such as ` +
      "http://proxy.example:3128, or unset it.",
    { detail: `${name} is not an http or https URL` },
  );
}
