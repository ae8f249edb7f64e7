/**
 * The commands that ask the provider, as generators of messages: where the pure core, the streams and the client of the interface meet.
 * Each gives back whether all went well; what it throws is for the caller to tell.
 */
import { discoverCatalog, parseCatalog } from "./catalog.ts";
import type { Command } from "./cli.ts";
import { type Config, parseConfig, secretsOf } from "./config.ts";
import { BACKOFF_POLICY, RATE_LIMIT_POLICY } from "./core/retry.ts";
import type { Secrets } from "./emit.ts";
import type { Clock } from "./edges.ts";
import { ConnectorError } from "./errors.ts";
import type { InputKind } from "./input.ts";
import * as protocol from "./protocol.ts";
import { bearer } from "./provider/auth.ts";
import { type CapabilitiesAnswer, readCapabilities } from "./provider/capabilities.ts";
import { Gate, type Hold } from "./provider/gate.ts";
import { Client, MAXIMUM_BODY_BYTES } from "./provider/http.ts";
import type { OpenTransport } from "./provider/transport.ts";
import { checkConnection } from "./streams/check.ts";
import { Outlet } from "./streams/outlet.ts";
import { readStreams } from "./streams/read.ts";
import { parseStateFile } from "./streams/state_codec.ts";
import type { Output } from "./streams/stream.ts";

// For the process edge, which gives it to a Host.
export { openTransport, TRANSPORT_LIMITS } from "./provider/transport.ts";

/** What a command needs of the process that it runs in. */
export interface Host {
  readonly version: string;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the command early; its reason is a ConnectorError `aborted`. */
  readonly stop: AbortSignal;
  /** Learns the secrets of the config before anything else is done with it. */
  readonly secrets: Secrets;
  readonly readJson: (path: string, what: InputKind) => Promise<unknown>;
  /** Opens a transport of at most `connections` connections to the provider. */
  readonly openTransport: (connections: number) => OpenTransport;
  /** The least time between two STATEs of a stream but its last, in milliseconds. */
  readonly stateInterval: number;
}

/** Runs a command. Gives back whether all went well, which the exit code says. */
export async function* run(
  command: Extract<Command, { config: string }>,
  host: Host,
): AsyncGenerator<Output, boolean> {
  switch (command.kind) {
    case "check":
      return yield* produce((outlet) => check(command.config, host, outlet));
    case "discover":
      return yield* produce((outlet) => discover(command.config, host, outlet));
    case "read":
      return yield* produce((outlet) => read(command, host, outlet));
  }
}

/** What `work` sends, as it sends it, and then what it comes to. */
async function* produce<Result>(
  work: (outlet: Outlet<Output>) => Promise<Result>,
): AsyncGenerator<Output, Result> {
  const outlet = new Outlet<Output>();
  const result = work(outlet).finally(() => outlet.close());
  result.catch(() => undefined); // awaited below, once all that was sent has been written
  yield* outlet;
  return await result;
}

async function loadConfig(path: string, host: Host): Promise<Config> {
  const value = await host.readJson(path, "config");
  host.secrets.add(secretsOf(value));
  return parseConfig(value);
}

/** A provider that can be asked, until `close`. */
interface Connection {
  readonly client: Client;
  readonly baseUrl: URL;
  readonly close: () => Promise<void>;
}

interface Conduct {
  /** Whether a 429 is waited for; `check` does not (C2). */
  readonly waits: boolean;
  readonly onHold?: (hold: Hold) => void;
}

function connect(config: Config, host: Host, outlet: Outlet<Output>, conduct: Conduct): Connection {
  const { clock, random, version } = host;
  if (config.credentials.authType !== "scoped_bearer_token") {
    throw new ConnectorError(
      "invalid_config",
      "This version of the connector signs in with an access token only: choose it under credentials.",
    );
  }
  const opened = host.openTransport(config.concurrency);
  const baseUrl = new URL(config.baseUrl);
  const client = new Client({
    edges: { clock, random, transport: opened.transport },
    auth: bearer(config.credentials.accessToken),
    gate: new Gate({ clock, random, policy: RATE_LIMIT_POLICY, ...conduct }),
    origin: baseUrl.origin,
    backoff: BACKOFF_POLICY,
    maximumBytes: MAXIMUM_BODY_BYTES,
    userAgent: `source-ai-billing/${version}`,
    onRetry: ({ message }) => void outlet.send(protocol.log("WARN", message)),
  });
  return { client, baseUrl, close: () => opened.close() };
}

async function capabilitiesOf(
  { client, baseUrl }: Connection,
  config: Config,
  host: Host,
  outlet: Outlet<Output>,
  deadlineMs?: number,
): Promise<CapabilitiesAnswer> {
  const { clock, stop: signal } = host;
  const tolerateUnknown = config.invalidRecords === "warn";
  const options = { clock, signal, tolerateUnknown, deadlineMs };
  const answer = await readCapabilities(client, baseUrl, options);
  for (const warning of answer.warnings) await outlet.send(protocol.log("WARN", warning));
  return answer;
}

/** How long `check` spends on what might be transient, in milliseconds (C4). */
const CHECK_PATIENCE = 10_000;

/**
 * What the user can mend is a FAILED status; what only time or the provider can mend is thrown, so that the platform
 * does not call it a configuration error for good (design section 4).
 */
async function check(path: string, host: Host, outlet: Outlet<Output>): Promise<boolean> {
  try {
    const config = await loadConfig(path, host);
    const connection = connect(config, host, outlet, { waits: false });
    try {
      const deadlineMs = host.clock.now() + CHECK_PATIENCE;
      const answer = await capabilitiesOf(connection, config, host, outlet, deadlineMs);
      const message = await checkConnection({
        ...connection,
        config,
        capabilities: answer.capabilities,
        now: answer.nowMs,
        signal: host.stop,
        deadlineMs,
      });
      await outlet.send(protocol.connectionStatus("SUCCEEDED", message));
    } finally {
      await connection.close();
    }
  } catch (reason) {
    const error = ConnectorError.from(reason);
    if (error.failureType !== "config_error") throw error;
    await outlet.send(protocol.connectionStatus("FAILED", error.message));
  }
  return true;
}

async function discover(path: string, host: Host, outlet: Outlet<Output>): Promise<boolean> {
  const config = await loadConfig(path, host);
  const connection = connect(config, host, outlet, { waits: true });
  try {
    const { capabilities } = await capabilitiesOf(connection, config, host, outlet);
    await outlet.send({ type: "CATALOG", catalog: { streams: discoverCatalog(capabilities) } });
  } finally {
    await connection.close();
  }
  return true;
}

async function read(
  command: Extract<Command, { kind: "read" }>,
  host: Host,
  outlet: Outlet<Output>,
): Promise<boolean> {
  const config = await loadConfig(command.config, host);
  const catalog = parseCatalog(await host.readJson(command.catalog, "catalog"));
  const stored = command.state === undefined ? null : await host.readJson(command.state, "state");
  const states = parseStateFile(stored);
  const running = new Set<string>();
  const onHold = ({ untilMs, message }: Hold): void => {
    void outlet.send(protocol.log("WARN", message));
    for (const name of running) {
      void outlet.send(protocol.streamStatus(name, "RUNNING", host.clock.now(), untilMs));
    }
  };
  const connection = connect(config, host, outlet, { waits: true, onHold });
  try {
    return await readStreams({
      ...connection,
      ...host,
      config,
      catalog,
      states,
      outlet,
      running,
      capabilities: () => capabilitiesOf(connection, config, host, outlet),
    });
  } finally {
    await connection.close();
  }
}
