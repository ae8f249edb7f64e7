import type { Credentials, ReadSettings } from "../config/config.ts";
import { foreignText } from "../core/foreign_text.ts";
import { retentionFloor } from "../core/retention.ts";
import { DAY, floorTo, formatInstant, HOUR } from "../core/time.ts";
import type { Range } from "../core/window.ts";
import { ConnectorError } from "../errors.ts";
import { resolveEndpoint } from "../interface/endpoint.ts";
import type { Client } from "../http/client.ts";
import { WindowPages } from "../interface/pages.ts";
import { streams } from "./index.ts";
import type { Capabilities, DatasetCapabilities, StreamDefinition } from "./stream.ts";

export interface CheckOptions {
  readonly client: Client;
  readonly baseUrl: URL;
  readonly settings: ReadSettings;
  readonly authType: Credentials["authType"];
  readonly capabilities: Capabilities;
  /** The provider's clock, in milliseconds since 1970. */
  readonly now: number;
  readonly signal: AbortSignal;
  readonly deadlineMs: number;
}

/**
 * Asks each dataset on offer for one record.
 *
 * @returns a sentence that names what can be read, and the missing scope if only costs are out of reach; a second sentence if
 *   the start date lies in the future
 * @throws ConnectorError a `config_error` for what the user can mend, other errors for the rest
 */
export async function checkConnection(options: CheckOptions): Promise<string> {
  const { settings, now } = options;
  const readable = await probeDatasets(options);
  return settings.start !== undefined && settings.start > now
    ? `${readable} But start_date lies in the future: nothing is read before ${formatInstant(settings.start)}.`
    : readable;
}

async function probeDatasets(options: CheckOptions): Promise<string> {
  const { capabilities, settings, authType } = options;
  assertMethodOffered(capabilities, authType);
  assertGranularityOffered(capabilities.datasets.usage, settings);
  const provider = foreignText(capabilities.provider);
  for (const stream of streams) {
    const dataset = capabilities.datasets[stream.name];
    if (dataset === undefined)
      return `Usage can be read. ${provider} offers no costs for this account.`;
    try {
      await probe(stream, dataset, options);
    } catch (reason) {
      const error = ConnectorError.from(reason);
      if (stream.name !== "costs" || error.code !== "forbidden") throw error.of(stream.name);
      return "Usage can be read, costs cannot: the credential lacks the scope billing.cost.read. Grant it, or leave the stream costs out.";
    }
  }
  return `Usage and costs can be read from ${provider}.`;
}

function assertMethodOffered(capabilities: Capabilities, authType: Credentials["authType"]): void {
  const offered: readonly string[] = capabilities.authorization_methods;
  if (offered.includes(authType)) return;
  throw new ConnectorError(
    "invalid_config",
    `The provider does not offer the authorization method ${authType}; it offers ${offered.join(" and ")}. ` +
      "Choose another one under credentials.",
  );
}

/**
 * @throws ConnectorError `invalid_config` if the dataset does not offer the configured granularity
 */
export function assertGranularityOffered(
  dataset: DatasetCapabilities,
  { granularity }: ReadSettings,
): void {
  const offered: readonly string[] = dataset.granularities;
  if (offered.includes(granularity)) return;
  throw new ConnectorError(
    "invalid_config",
    `The provider does not offer usage in the granularity ${granularity}; it offers ${offered.join(" and ")}. Change granularity.`,
  );
}

async function probe(
  stream: StreamDefinition,
  dataset: DatasetCapabilities,
  { client, baseUrl, settings, now, signal, deadlineMs }: CheckOptions,
): Promise<void> {
  const window = probeWindow(now, dataset.retention_days);
  const pages = new WindowPages(
    client,
    {
      endpoint: resolveEndpoint(baseUrl, dataset.endpoint),
      ...window,
      granularity: stream.granularityOf(settings.granularity) ?? undefined,
      limit: 1,
    },
    null,
    { signal, deadlineMs, tolerateUnknown: settings.invalidRecords === "warn" },
  );
  await pages.next();
}

/** A short window that every provider must take: yesterday; today's whole hours where retention is a day. */
export function probeWindow(now: number, retentionDays: number): Range {
  const today = floorTo(DAY, now);
  // In the last hour of a day the floor of a retention of one day is tomorrow; today has not left retention yet.
  const start = Math.min(today, Math.max(today - DAY, retentionFloor(now, retentionDays)));
  return { start, end: start < today ? today : Math.max(floorTo(HOUR, now), start + HOUR) };
}
