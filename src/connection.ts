/**
 * The connection to the provider of a config: credential, client, and the adapter where the provider does not serve the
 * interface itself.
 */
import type { Adapter } from "./adapters/index.ts";
import type { Config } from "./config/config.ts";
import type { TokenStore } from "./config/token_store.ts";
import { MAXIMUM_LANES } from "./core/concurrency.ts";
import { BACKOFF_POLICY, RATE_LIMIT_POLICY } from "./core/retry.ts";
import type { Transport } from "./edges.ts";
import { Client } from "./http/client.ts";
import { Gate, type Hold } from "./http/gate.ts";
import type { OpenTransport } from "./http/transport.ts";
import { type CapabilitiesAnswer, readCapabilities } from "./interface/capabilities.ts";
import { type Credential, openCredential } from "./oauth/credential.ts";
import * as protocol from "./protocol.ts";
import type { Output } from "./protocol.ts";
import type { Outlet } from "./streams/flow.ts";
import type { NameSource, RunEdges } from "./streams/stream.ts";

/** A provider that can be asked, until `close`. */
export interface Connection {
  readonly client: Client;
  readonly baseUrl: URL;
  /** How many requests may be under way at once now, 1 to 16 (C1). */
  readonly lanes: () => number;
  readonly setMetadataUrl: Credential["setMetadataUrl"];
  /** Undefined if the provider serves the interface itself. */
  readonly adapter: Adapter | undefined;
  /** Ends the connection. Waits until a token refresh in progress has ended and its tokens are saved. */
  readonly close: () => Promise<void>;
}

/** The part of the process that a connection needs. */
export interface ConnectionHost extends Pick<RunEdges, "clock" | "random" | "stop"> {
  readonly version: string;
  /** Opens a transport of at most `connections` connections to the provider. */
  readonly openTransport: (connections: number) => OpenTransport;
}

export interface ConnectOptions {
  /** Whether a 429 is waited for; `check` does not (C2). */
  readonly waits: boolean;
  /** The end of a check, in milliseconds since 1970 (C4). */
  readonly deadlineMs?: number;
  readonly onHold?: (hold: Hold) => void;
}

/** Opens the connection. It sends no request by itself. */
export async function connect(
  { config, save }: TokenStore,
  host: ConnectionHost,
  outlet: Outlet<Output>,
  conduct: ConnectOptions,
): Promise<Connection> {
  const { clock, random, version } = host;
  const opened = host.openTransport(config.concurrency ?? MAXIMUM_LANES);
  const baseUrl = new URL(config.baseUrl);
  const say = (level: "DEBUG" | "INFO" | "WARN", message: string): void =>
    void outlet.send(protocol.log(level, message));
  const debug = (message: string): void => say("DEBUG", message);
  const adapter = await adapterOf(config, opened.transport, host, say);
  const edges = { clock, random, transport: adapter?.transport ?? opened.transport };
  const userAgent = `source-ai-billing/${version}`;
  const warn = (message: string): void => void outlet.send(protocol.log("WARN", message));
  const { auth, setMetadataUrl, settle } = await openCredential(config.credentials, {
    edges,
    baseUrl,
    backoff: BACKOFF_POLICY,
    userAgent,
    save,
    stop: host.stop,
    // Earlier than the check's own end, so that the message names the authorization server.
    deadlineMs: conduct.deadlineMs === undefined ? undefined : conduct.deadlineMs - 500,
    onRetry: warn,
  });
  const { concurrency } = config;
  const gate = new Gate({ clock, random, policy: RATE_LIMIT_POLICY, concurrency, ...conduct });
  const client = new Client({
    edges,
    auth,
    gate,
    origin: baseUrl.origin,
    backoff: BACKOFF_POLICY,
    userAgent,
    onRetry: ({ message }) => warn(message),
    onAttempt: ({ message }) => debug(message),
  });
  const close = async (): Promise<void> => {
    await settle();
    await opened.close();
  };
  return { client, baseUrl, lanes: () => gate.lanes, setMetadataUrl, adapter, close };
}

/** The names that an adapter lists, asked for through the client: its gate and its retries hold for them, too. */
export function namesOf(
  { client, baseUrl, adapter }: Connection,
  signal: AbortSignal,
): NameSource | undefined {
  if (adapter === undefined) return undefined;
  return () =>
    adapter.names(async (path) => {
      const url = new URL(`${baseUrl.href.replace(/\/$/, "")}${path}`);
      return (await client.get({ url, signal })).value;
    });
}

/** The adapter of a provider that does not serve the interface. For other providers no code of adapters is loaded. */
async function adapterOf(
  { provider, account: label }: Config,
  transport: Transport,
  { clock }: ConnectionHost,
  say: (level: "DEBUG" | "INFO" | "WARN", message: string) => void,
): Promise<Adapter | undefined> {
  if (provider === undefined) return undefined;
  const { createAdapter, providers } = await import("./adapters/index.ts");
  const debug = (message: string): void => say("DEBUG", message);
  const now = (): number => clock.now();
  const options = { transport, assumptions: provider, label, now, debug, say };
  return createAdapter(providers[provider.name], options);
}

/**
 * Requests the capabilities and logs warnings about them.
 *
 * @param deadlineMs the end of a check, in milliseconds since 1970 (C4)
 * @throws ConnectorError the errors of `readCapabilities`
 */
export async function capabilitiesOf(
  { client, baseUrl, setMetadataUrl, adapter }: Connection,
  config: Config,
  host: ConnectionHost,
  outlet: Outlet<Output>,
  deadlineMs?: number,
): Promise<CapabilitiesAnswer> {
  const { clock, stop: signal } = host;
  const tolerateUnknown = config.invalidRecords === "warn";
  const options = { clock, signal, tolerateUnknown, deadlineMs };
  const answer = await readCapabilities(client, baseUrl, options);
  setMetadataUrl(answer.capabilities.protected_resource_metadata_url);
  for (const warning of answer.warnings) await outlet.send(protocol.log("WARN", warning));
  if (adapter === undefined) return answer;
  await outlet.send(protocol.log("INFO", adapter.notice()));
  const warning = adapter.warning();
  if (warning !== undefined) await outlet.send(protocol.log("WARN", warning));
  return { ...answer, account: adapter.account() };
}
