/**
 * The commands that send requests to the provider, as generators of messages. They connect the pure core, the streams and the
 * client of the interface. Each command returns whether it succeeded; the caller reports the errors that it throws.
 */
import { randomUUID } from "node:crypto";
import type { AskingCommand } from "./asking.ts";
import { capabilitiesOf, connect, type ConnectionHost, namesOf } from "./connection.ts";
import { discoverCatalog, parseCatalog } from "./catalog/catalog.ts";
import type { Config } from "./config/config.ts";
import { type Limits, LIMITS } from "./core/limits.ts";
import { BACKOFF_POLICY } from "./core/retry.ts";
import { ConnectorError } from "./errors.ts";
import { type TokenStoreHost, type TokenStore, loadConfig } from "./config/token_store.ts";
import type { SignIn } from "./login/login.ts";
import type { ProgressEvent } from "./streams/progress_event.ts";
import type { Hold } from "./http/gate.ts";
import * as protocol from "./protocol.ts";
import type { Output } from "./protocol.ts";
import { checkConnection } from "./streams/check.ts";
import { Outlet } from "./streams/flow.ts";
import { readStreams } from "./streams/read.ts";
import { parseStateFile } from "./streams/state_file.ts";
import type { RunEdges } from "./streams/stream.ts";

// For the process edge, which gives it to a Host.
export { openTransport, TRANSPORT_LIMITS } from "./http/transport.ts";

/** The process that a command runs in. `stop` ends the command early; its reason is a ConnectorError `aborted`. */
export interface Host extends TokenStoreHost, RunEdges, ConnectionHost {
  /** The least time between two STATEs of a stream, in milliseconds. The last STATE of a stream does not wait. */
  readonly stateInterval: number;
  /** The bounds of a read's memory and state; absent if they are the usual ones. */
  readonly limits?: Limits | undefined;
  /** Receives the progress of a read; absent if nobody watches. */
  readonly onProgress?: ((event: ProgressEvent) => void) | undefined;
}

/** Runs a command. Returns whether all went well, for the exit code. */
export async function* run(command: AskingCommand, host: Host): AsyncGenerator<Output, boolean> {
  switch (command.kind) {
    case "check":
      return yield* produce(host, (running, outlet) => check(command, running, outlet));
    case "discover":
      return yield* produce(host, (running, outlet) => discover(command, running, outlet));
    case "read":
      return yield* produce(host, (running, outlet) => read(command, running, outlet));
    case "record":
      return yield* produce(host, (running, outlet) => saveRecording(command, running, outlet));
  }
}

/**
 * Yields the outputs of `work` as they are sent, and returns its result. If the consumer goes away (EPIPE, a full disk), the work
 * is stopped, and its connections are closed before the generator returns.
 */
async function* produce<Result>(
  host: Host,
  work: (host: Host, outlet: Outlet<Output>) => Promise<Result>,
): AsyncGenerator<Output, Result> {
  const abandoned = new AbortController();
  const stop = AbortSignal.any([host.stop, abandoned.signal]);
  const outlet = new Outlet<Output>();
  const result = work({ ...host, stop }, outlet).finally(() => outlet.close());
  result.catch(() => undefined); // awaited below, after all outputs were consumed
  try {
    yield* outlet;
    return await result;
  } finally {
    abandoned.abort(new ConnectorError("aborted", "The outputs of the run are no longer read."));
    await result.catch(() => undefined);
  }
}

async function load(
  command: Extract<AskingCommand, { writeConfig: boolean }>,
  host: Host,
  outlet: Outlet<Output>,
): Promise<TokenStore> {
  return await loadConfig(command, host, (message) => outlet.send(message));
}

/** The longest time of a `check`, in milliseconds, requests for tokens included (C4, L2). */
const CHECK_PATIENCE = 10_000;

/**
 * Runs `check`. A fault that the user can mend becomes a FAILED status. A fault that only time or the provider can mend is
 * thrown, because the platform would show a FAILED status as a lasting configuration error (design section 4).
 */
async function check(
  command: Extract<AskingCommand, { writeConfig: boolean }>,
  host: Host,
  outlet: Outlet<Output>,
): Promise<boolean> {
  try {
    const store = await load(command, host, outlet);
    const { config } = store;
    const deadlineMs = host.clock.now() + CHECK_PATIENCE;
    const connection = await connect(store, host, outlet, { waits: false, deadlineMs });
    try {
      const answer = await capabilitiesOf(connection, config, host, outlet, deadlineMs);
      const { credentials, ...settings } = config;
      const message = await checkConnection({
        ...connection,
        settings,
        authType: credentials.authType,
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

async function discover(
  command: Extract<AskingCommand, { writeConfig: boolean }>,
  host: Host,
  outlet: Outlet<Output>,
): Promise<boolean> {
  const store = await load(command, host, outlet);
  const { config } = store;
  const connection = await connect(store, host, outlet, { waits: true });
  try {
    const { capabilities } = await capabilitiesOf(connection, config, host, outlet);
    const streams = discoverCatalog(capabilities, connection.adapter !== undefined);
    await outlet.send({ type: "CATALOG", catalog: { streams } });
  } finally {
    await connection.close();
  }
  return true;
}

/** Saves answers of a provider's own reports, noted between the adapter and the network. */
async function saveRecording(
  command: Extract<AskingCommand, { kind: "record" }>,
  host: Host,
  outlet: Outlet<Output>,
): Promise<boolean> {
  const [store, { nothingToRecord, record, Recorder }] = await Promise.all([
    loadConfig({ ...command, writeConfig: false }, host, (message) => outlet.send(message)),
    import("./adapters/index.ts"),
  ]);
  const { config } = store;
  if (config.provider === undefined) throw nothingToRecord();
  const localNow = host.clock.now();
  const mask = (text: string): string => host.secrets.mask(text);
  const recorder = new Recorder(randomUUID(), new URL(config.baseUrl).pathname, mask);
  const recording: Host = {
    ...host,
    openTransport: (connections) => {
      const opened = host.openTransport(connections);
      return { ...opened, transport: recorder.around(opened.transport) };
    },
  };
  const connection = await connect(store, recording, outlet, { waits: true });
  try {
    const { capabilities, nowMs: now } = await capabilitiesOf(connection, config, host, outlet);
    const ask = async (path: string): Promise<unknown> => {
      const url = new URL(config.baseUrl + path);
      return (await connection.client.get({ url, signal: host.stop })).value;
    };
    const { name: provider, hasOwnAddress: isLive } = config.provider;
    const { out } = command;
    const saved = await record({
      recorder,
      provider,
      isLive,
      capabilities,
      now,
      localNow,
      ask,
      out,
    });
    const advice = "Ids are hashed, digits are kept: look through the files before you send them.";
    await outlet.send(protocol.log("INFO", `${saved} answers were saved in "${out}". ${advice}`));
  } finally {
    await connection.close();
  }
  return true;
}

async function read(
  command: Extract<AskingCommand, { kind: "read" }>,
  host: Host,
  outlet: Outlet<Output>,
): Promise<boolean> {
  const store = await load(command, host, outlet);
  const { config } = store;
  const catalog = parseCatalog(await host.readJson(command.catalog, "catalog"));
  const stored = command.state === undefined ? null : await host.readJson(command.state, "state");
  const states = parseStateFile(
    stored,
    (message) => void outlet.send(protocol.log("WARN", message)),
  );
  const running = new Set<string>();
  const onHold = ({ untilMs, message }: Hold): void => {
    void outlet.send(protocol.log("WARN", message));
    for (const name of running) {
      void outlet.send(protocol.streamStatus(name, "RUNNING", host.clock.now(), untilMs));
    }
  };
  const connection = await connect(store, host, outlet, { waits: true, onHold });
  const { credentials: _secret, ...settings } = config;
  try {
    return await readStreams({
      edges: { clock: host.clock, random: host.random, nextTurn: host.nextTurn, stop: host.stop },
      account: {
        client: connection.client,
        baseUrl: connection.baseUrl,
        capabilities: () => capabilitiesOf(connection, config, host, outlet),
        lanes: connection.lanes,
        notes: connection.adapter?.notes,
        names: namesOf(connection, host.stop),
      },
      settings,
      catalog,
      states,
      stateInterval: host.stateInterval,
      limits: host.limits ?? LIMITS,
      outlet,
      running,
      onProgress: (event) => host.onProgress?.(event),
    });
  } finally {
    await connection.close();
  }
}

/** Begins a sign-in at the provider of a config that has OAuth credentials, for the process edge to give to `login`. */
export async function beginSignIn(
  { baseUrl, credentials }: Config,
  redirectUri: string,
  host: Pick<Host, "version" | "clock" | "random" | "openTransport"> & {
    readonly warn: (message: string) => void;
  },
): Promise<SignIn> {
  if (credentials.authType !== "oauth2_authorization_code") throw new TypeError("no OAuth");
  const { beginAuthorization } = await import("./oauth/authorization.ts");
  const { clock, random, version } = host;
  const opened = host.openTransport(1);
  const waits = new AbortController();
  const close = async (): Promise<void> => {
    waits.abort();
    await opened.close();
  };
  const options = {
    baseUrl: new URL(baseUrl),
    credentials,
    edges: { clock, random, transport: opened.transport },
    backoff: BACKOFF_POLICY,
    userAgent: `source-ai-billing/${version}`,
    retrySignal: waits.signal,
    onRetry: host.warn,
  };
  try {
    return { ...(await beginAuthorization(options, redirectUri)), close };
  } catch (reason) {
    await close();
    throw reason;
  }
}
