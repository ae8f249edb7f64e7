/** The command `read`: makes the readers from catalog, state and capabilities, and the run's result from the readers' results. */
import type { ConfiguredCatalog, ConfiguredStream } from "../catalog/catalog.ts";
import type { ReadSettings } from "../config/config.ts";
import { MAXIMUM_LANES } from "../core/concurrency.ts";
import { drawChain, firstInstant, ReadingIds } from "../core/identity.ts";
import type { Limits } from "../core/limits.ts";
import type { PlanInput } from "../core/plan.ts";
import type { StateOwner } from "../core/state.ts";
import { ceilTo, DAY, formatInstant } from "../core/time.ts";
import { ConnectorError } from "../errors.ts";
import type { Client } from "../http/client.ts";
import type { CapabilitiesAnswer } from "../interface/capabilities.ts";
import { resolveEndpoint } from "../interface/endpoint.ts";
import { WindowPages } from "../interface/pages.ts";
import type { ProgressEvent } from "./progress_event.ts";
import * as protocol from "../protocol.ts";
import type { Output } from "../protocol.ts";
import { assertGranularityOffered } from "./check.ts";
import { lineageOf } from "./cleared_state.ts";
import { deepRereadOf } from "./deep_reread.ts";
import { ExportWindows, newestReadingOf, type ReadingContext } from "./export_windows.ts";
import { type Outlet, PageWriter, readOverLanes } from "./flow.ts";
import { streams } from "./index.ts";
import { readLabels } from "./labels.ts";
import { StreamReader } from "./reader.ts";
import type { ReaderOptions, Run } from "./reader_options.ts";
import { reportedBy } from "./reported.ts";
import { notesOf } from "./source_notes.ts";
import { planOf, storedOf } from "./stored_plan.ts";
import type {
  DatasetCapabilities,
  NameSource,
  OpenPages,
  RunEdges,
  SourceNotes,
  StreamDefinition,
} from "./stream.ts";

/** The provider, and the account there that is read. */
export interface Account {
  readonly client: Client;
  readonly baseUrl: URL;
  readonly capabilities: () => Promise<CapabilitiesAnswer>;
  /** How many requests may be under way at once now, 1 to 16 (C1). */
  readonly lanes: () => number;
  /** Undefined if the provider serves the interface itself. */
  readonly notes?: SourceNotes | undefined;
  /** Undefined if the source has no names beside its records. */
  readonly names?: NameSource | undefined;
}

export interface ReadOptions {
  readonly edges: RunEdges;
  readonly limits: Limits;
  readonly account: Account;
  readonly settings: ReadSettings;
  readonly catalog: ConfiguredCatalog;
  /** Stored states by stream, not yet judged. */
  readonly states: ReadonlyMap<string, unknown>;
  /** The least time between two STATEs of a stream, in milliseconds. The last STATE of a stream does not wait. */
  readonly stateInterval: number;
  readonly outlet: Outlet<Output>;
  /** Holds the names of the streams that are under way. */
  readonly running: Set<string>;
  readonly onProgress: (event: ProgressEvent) => void;
}

/**
 * Reads the catalog's streams. One stream's fault does not stop the others.
 *
 * @returns whether every stream was read to its end
 * @throws ConnectorError if no stream can be read, because the request for the capabilities failed
 */
export async function readStreams(options: ReadOptions): Promise<boolean> {
  const { catalog, outlet, edges, account } = options;
  const { clock } = edges;
  for (const fault of catalog.faults) await reject(fault, options);
  const answer = await account.capabilities().catch(async (reason: unknown) => {
    for (const { name } of catalog.streams) {
      await outlet.send(protocol.streamStatus(name, "STARTED", clock.now()));
      await outlet.send(protocol.streamStatus(name, "INCOMPLETE", clock.now()));
    }
    throw reason;
  });
  const startedAt = clock.now();
  await warnOfClocks(answer.nowMs, startedAt, outlet);
  const ids = new ReadingIds(firstInstant(answer.nowMs, startedAt));
  const asked = catalog.streams.some(({ name }) => name === "export_windows");
  const reported = options.states.get("export_windows");
  const manifest = asked ? new ExportWindows({ outlet, clock, ids, stored: reported }) : null;
  ids.follow(newestReadingOf(reported) ?? "");
  const run: Run = {
    edges,
    limits: options.limits,
    outlet,
    writer: new PageWriter(outlet, edges.nextTurn),
    ids,
    providerNow: () => answer.nowMs + (clock.now() - startedAt),
    onProgress: options.onProgress,
  };
  const readers: StreamReader[] = [];
  let failed = catalog.faults.length > 0;
  for (const configured of catalog.streams) {
    if (configured.name === "export_windows" || configured.name === "labels") continue;
    try {
      readers.push(readerOf(configured, answer, manifest, run, options));
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
  await readOverLanes(readers, account.lanes);
  await manifest?.finish(!edges.stop.aborted);
  const named = await readNames(answer, run, options);
  return !failed && named && readers.every((reader) => reader.succeeded);
}

/**
 * Reads the stream `labels` if the catalog has it (N1): last, because it must not take requests from the records.
 *
 * @returns whether the run may still count as a success
 */
async function readNames(
  answer: CapabilitiesAnswer,
  { providerNow }: Run,
  options: ReadOptions,
): Promise<boolean> {
  const { account, catalog, settings, edges, running } = options;
  if (!catalog.streams.some(({ name }) => name === "labels")) return true;
  if (account.names === undefined) {
    await reject(notOffered("labels"), options);
    return false;
  }
  running.add("labels");
  const { outlet, stateInterval, states } = options;
  const isRead = await readLabels({
    names: account.names,
    owner: {
      base_url: settings.baseUrl,
      account: settings.account ?? answer.account ?? null,
    },
    stored: states.get("labels"),
    outlet,
    clock: edges.clock,
    providerNow,
    stop: edges.stop,
    stateInterval,
  });
  running.delete("labels");
  return isRead;
}

/** L3: a provider's clock that is far off moves every window and position. */
async function warnOfClocks(theirs: number, ours: number, outlet: Outlet<Output>): Promise<void> {
  if (Math.abs(theirs - ours) <= DAY) return;
  const message =
    `The provider's clock says ${formatInstant(theirs)}, this machine's says ${formatInstant(ours)}. The provider's counts for ` +
    "what is read. If it is wrong, tell the provider, and clear the data of the streams that were read with it (sync: --reset).";
  await outlet.send(protocol.log("WARN", message));
}

/** Reports that a stream cannot be read at all, and why. */
async function reject(error: ConnectorError, { outlet, edges }: ReadOptions): Promise<void> {
  const name = error.stream ?? "";
  const { clock } = edges;
  await outlet.send(protocol.streamStatus(name, "STARTED", clock.now()));
  await outlet.send(protocol.errorTrace(error.toTrace(), clock.now()));
  await outlet.send(protocol.streamStatus(name, "INCOMPLETE", clock.now()));
}

function readerOf(
  configured: ConfiguredStream,
  { capabilities, nowMs: now, account }: CapabilitiesAnswer,
  manifest: ExportWindows | null,
  run: Run,
  options: ReadOptions,
): StreamReader {
  const { settings, running, stateInterval } = options;
  const stream = streams.find(({ name }) => name === configured.name);
  const dataset = stream === undefined ? undefined : capabilities.datasets[stream.name];
  if (stream === undefined || dataset === undefined) throw notOffered(configured.name);
  const granularity = stream.granularityOf(settings.granularity);
  if (granularity !== null) assertGranularityOffered(dataset, settings);
  const notes = notesOf(options.account.notes, stream.name, options.states);
  const stored = options.states.get(stream.name);
  const input = planInputOf(stream, dataset, settings, {
    now,
    passBeganAt: run.ids.instant,
    earlierEnded: manifest?.isUnderWay(stream.name) === false,
    reports: manifest !== null,
    random: run.edges.random,
    stored,
    changesFrom: (at) => options.account.notes?.changesFrom(stream.name, at) ?? null,
  });
  const owner = ownerOf(stream, settings, account);
  const missing = manifest?.begins(stream.name, stored) ?? "none";
  const plan = planOf(configured, input, { ...options, owner, missing });
  const found = storedOf(configured, { ...options, owner });
  const { chain } = plan.state;
  const context = (): ReadingContext => ({ ...input, owner, chain, now: run.providerNow() });
  return new StreamReader({
    stream,
    source: {
      owner,
      openPages: pagesOf(stream, dataset, options),
      ...notes,
    },
    input,
    plan,
    policy: {
      granularity,
      pageSize: settings.pageSize,
      lanes: settings.concurrency ?? MAXIMUM_LANES,
      invalidRecords: settings.invalidRecords,
      stateInterval,
    },
    run,
    reported: reportedBy(stored, found, manifest && (() => manifest.reportedOf(stream.name))),
    reports: manifest && reportsTo(manifest, stream.name, context),
    onEnd: () => running.delete(stream.name),
  });
}

/** R5: the part of the stream of reports that a reader sees. */
const reportsTo = (
  manifest: ExportWindows,
  stream: string,
  context: () => ReadingContext,
): NonNullable<ReaderOptions["reports"]> => ({
  send: (said) => manifest.report(said, context()),
  keep: () => manifest.sendState(),
  passEnded: () => manifest.passEnded(stream),
});

function pagesOf(
  stream: StreamDefinition,
  dataset: DatasetCapabilities,
  { account, settings }: ReadOptions,
): OpenPages {
  const endpoint = resolveEndpoint(account.baseUrl, dataset.endpoint);
  const granularity = stream.granularityOf(settings.granularity) ?? undefined;
  const tolerateUnknown = settings.invalidRecords === "warn";
  return (query, cursor, signal, onWarning) =>
    new WindowPages(account.client, { endpoint, granularity, ...query }, cursor, {
      signal,
      tolerateUnknown,
      onWarning,
    });
}

function notOffered(stream: string): ConnectorError {
  return new ConnectorError(
    "invalid_catalog",
    `Stream "${stream}": the provider does not offer it for this account. Take it out of the catalog, or discover the schema again.`,
    { stream },
  );
}

/** The inputs of a stream's plan, from the capabilities and the config (R1, R2). */
export function planInputOf(
  stream: StreamDefinition,
  dataset: DatasetCapabilities,
  settings: ReadSettings,
  more: {
    readonly now: number;
    readonly passBeganAt: number;
    readonly earlierEnded: boolean;
    readonly random: () => number;
    readonly stored: unknown;
    readonly reports: boolean;
    readonly changesFrom?: (now: number) => number | null;
  },
): PlanInput {
  const { now, random, stored, reports, changesFrom = () => null } = more;
  const lineage = lineageOf(stored);
  const { lookbackDays, reconcileDays } = settings;
  return {
    now,
    passBeganAt: more.passBeganAt,
    earlierEnded: more.earlierEnded,
    bucket: stream.bucketOf(settings.granularity),
    retentionDays: dataset.retention_days,
    maximumWindowDays: dataset.maximum_window_days,
    startDate: settings.start ?? null,
    endDate: settings.end ?? null,
    lookback:
      lookbackDays === undefined
        ? Math.max(DAY, ceilTo(DAY, stream.lagOf(dataset)))
        : lookbackDays * DAY,
    ...deepRereadOf({ stream, days: reconcileDays, now, stored, changesFrom }),
    scrubDays: settings.scrubDays,
    lanes: settings.concurrency ?? MAXIMUM_LANES,
    pageSize: settings.pageSize,
    byMonth: stream.byMonth,
    reports,
    newChain: lineage?.chain ?? drawChain(random()),
    newestId: lineage?.newestId ?? null,
  };
}

/** The owner of a stream's state (S5). The owner of costs names no granularity, so a change of usage's granularity does not touch them. */
function ownerOf(
  stream: StreamDefinition,
  settings: ReadSettings,
  account: string | undefined,
): StateOwner {
  return {
    base_url: settings.baseUrl,
    dataset: stream.name,
    granularity: stream.granularityOf(settings.granularity) ?? "1d",
    account: settings.account ?? account ?? null,
  };
}
