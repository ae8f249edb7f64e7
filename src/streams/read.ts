/** `read`: from catalog, state and capabilities to readers, and from their fates to that of the run. */
import type { ConfiguredCatalog, ConfiguredStream } from "../catalog/catalog.ts";
import type { Config } from "../config/config.ts";
import { ReadingIds } from "../core/identity.ts";
import {
  type PlanInput,
  type Plan,
  planFullRefresh,
  planIncremental,
  reconcileFromDays,
} from "../core/plan.ts";
import type { StateOwner, StreamState } from "../core/state.ts";
import { ceilTo, DAY } from "../core/time.ts";
import type { Clock } from "../edges.ts";
import { ConnectorError } from "../errors.ts";
import * as protocol from "../protocol.ts";
import type { CapabilitiesAnswer } from "../interface/capabilities.ts";
import { resolveEndpoint } from "../interface/endpoint.ts";
import type { Client } from "../http/client.ts";
import { readPages } from "../interface/pages.ts";
import { assertGranularityOffered } from "./check.ts";
import { ExportWindows } from "./export_windows.ts";
import { streams } from "./index.ts";
import { readOverLanes } from "./lanes.ts";
import type { Outlet } from "./outlet.ts";
import { StreamReader } from "./reader.ts";
import { decodeState } from "./state_codec.ts";
import type { DatasetCapabilities, Output, StreamDefinition } from "./stream.ts";

export interface ReadOptions {
  readonly client: Client;
  readonly baseUrl: URL;
  readonly config: Config;
  readonly catalog: ConfiguredCatalog;
  /** Stored states by stream, not yet judged. */
  readonly states: ReadonlyMap<string, unknown>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly nextTurn: () => Promise<void>;
  readonly stop: AbortSignal;
  /** The least time between two STATEs of a stream but its last, in milliseconds. */
  readonly stateInterval: number;
  readonly outlet: Outlet<Output>;
  /** Holds the names of the streams that are under way. */
  readonly running: Set<string>;
  readonly capabilities: () => Promise<CapabilitiesAnswer>;
}

/**
 * Reads the catalog's streams. One stream's fault does not stop the others.
 *
 * @returns whether every stream was read to its end
 * @throws ConnectorError where no stream can be read: the provider's capabilities cannot be had
 */
export async function readStreams(options: ReadOptions): Promise<boolean> {
  const { catalog, outlet, clock } = options;
  for (const fault of catalog.faults) await reject(fault, options);
  const answer = await options.capabilities().catch(async (reason: unknown) => {
    for (const { name } of catalog.streams) {
      await outlet.send(protocol.streamStatus(name, "STARTED", clock.now()));
      await outlet.send(protocol.streamStatus(name, "INCOMPLETE", clock.now()));
    }
    throw reason;
  });
  const startedAt = clock.now();
  const providerNow = (): number => answer.nowMs + (clock.now() - startedAt);
  const asked = catalog.streams.some(({ name }) => name === "export_windows");
  const manifest = asked
    ? new ExportWindows(outlet, clock, options.states.get("export_windows"))
    : null;
  const ids = new ReadingIds();
  ids.follow(manifest?.newestReading ?? "");
  const run = { providerNow, manifest, ids };
  const readers: StreamReader[] = [];
  let failed = catalog.faults.length > 0;
  for (const configured of catalog.streams) {
    if (configured.name === "export_windows") continue;
    try {
      readers.push(readerOf(configured, answer, run, options));
    } catch (reason) {
      failed = true;
      await reject(ConnectorError.from(reason).of(configured.name), options);
    }
  }
  await manifest?.start();
  for (const reader of readers) {
    options.running.add(reader.name);
    await reader.start();
  }
  await readOverLanes(readers, options.config.concurrency);
  await manifest?.finish(!options.stop.aborted);
  return !failed && readers.every((reader) => reader.succeeded);
}

/** Says of a stream that it cannot be read at all, and why. */
async function reject(error: ConnectorError, { outlet, clock }: ReadOptions): Promise<void> {
  const name = error.stream ?? "";
  await outlet.send(protocol.streamStatus(name, "STARTED", clock.now()));
  await outlet.send(protocol.errorTrace(error.toTrace(), clock.now()));
  await outlet.send(protocol.streamStatus(name, "INCOMPLETE", clock.now()));
}

/** What the streams of a run share. */
interface Run {
  readonly providerNow: () => number;
  readonly manifest: ExportWindows | null;
  readonly ids: ReadingIds;
}

function readerOf(
  configured: ConfiguredStream,
  { capabilities, nowMs: now }: CapabilitiesAnswer,
  { providerNow, manifest, ids }: Run,
  options: ReadOptions,
): StreamReader {
  const { config, client, baseUrl, running, outlet } = options;
  const stream = streams.find(({ name }) => name === configured.name);
  const dataset = stream === undefined ? undefined : capabilities.datasets[stream.name];
  if (stream === undefined || dataset === undefined) throw notOffered(configured.name);
  const granularity = stream.granularityOf(config.granularity);
  if (granularity !== null) assertGranularityOffered(dataset, config);
  const circumstances = circumstancesOf(stream, dataset, config, now);
  const fingerprint = fingerprintOf(stream, config);
  const plan = planOf(configured, options.states.get(stream.name), fingerprint, circumstances);
  const endpoint = resolveEndpoint(baseUrl, dataset.endpoint);
  return new StreamReader({
    stream,
    plan,
    circumstances,
    fingerprint,
    granularity,
    pageSize: config.pageSize,
    invalidRecords: config.invalidRecords,
    pages: (query, cursor, signal, { before }) =>
      readPages(client, { endpoint, granularity: granularity ?? undefined, ...query }, cursor, {
        signal,
        before,
        tolerateUnknown: config.invalidRecords === "warn",
        onWarning: (message) =>
          void outlet.send(protocol.log("WARN", `${stream.name}: ${message}`)),
      }),
    outlet,
    clock: options.clock,
    random: options.random,
    nextTurn: options.nextTurn,
    ids,
    providerNow,
    stateInterval: options.stateInterval,
    stop: options.stop,
    report:
      manifest === null
        ? null
        : (reading) =>
            manifest.report(reading, { ...circumstances, fingerprint, now: providerNow() }),
    onEnd: () => running.delete(stream.name),
  });
}

function notOffered(stream: string): ConnectorError {
  return new ConnectorError(
    "invalid_catalog",
    `Stream "${stream}": the provider does not offer it for this account. Take it out of the catalog, or discover the schema again.`,
    { stream },
  );
}

function circumstancesOf(
  stream: StreamDefinition,
  dataset: DatasetCapabilities,
  config: Config,
  now: number,
): PlanInput {
  const { lookbackDays, reconcileDays } = config;
  const days = reconcileDays ?? null;
  return {
    now,
    bucket: stream.bucketOf(config.granularity),
    retentionDays: dataset.retention_days,
    maximumWindowDays: dataset.maximum_window_days,
    startDate: config.start ?? null,
    endDate: config.end ?? null,
    lookback:
      lookbackDays === undefined
        ? Math.max(DAY, ceilTo(DAY, stream.lagOf(dataset)))
        : lookbackDays * DAY,
    reconcileFrom:
      days === null ? stream.reconcileFrom(now) : days === 0 ? null : reconcileFromDays(now, days),
    lanes: config.concurrency,
  };
}

/** What a state belongs to (S5). Costs have no granularity of their own, so that a change of usage's leaves them. */
function fingerprintOf(stream: StreamDefinition, config: Config): StateOwner {
  return {
    base_url: config.baseUrl,
    dataset: stream.name,
    granularity: stream.granularityOf(config.granularity) ?? "1d",
    account: config.account ?? null,
  };
}

function planOf(
  { syncMode }: ConfiguredStream,
  stored: unknown,
  fingerprint: StateOwner,
  at: PlanInput,
): Plan<StreamState> {
  const state = decodeState(stored, fingerprint, syncMode);
  return syncMode === "incremental"
    ? planIncremental(state?.mode === "incremental" ? state : null, at)
    : planFullRefresh(state?.mode === "full_refresh" ? state : null, at);
}
