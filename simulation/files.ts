/** The files that a platform gives to a sync: its config, its catalog and its state. */
import { iso } from "./calendar.ts";
import type { Asked } from "./promises.ts";
import type { Granularity } from "./records.ts";

/** The settings of a sync. */
interface Settings {
  readonly asked: Asked;
  readonly concurrency: number | null;
  readonly pageSize: number;
}

/** A config file. */
export function configOf(
  { asked, concurrency, pageSize }: Settings,
  granularity: Granularity,
): Record<string, unknown> & { concurrency: number | null } {
  return {
    base_url: "https://billing.example.com/api",
    credentials: { auth_type: "scoped_bearer_token", access_token: "sim-token-1" },
    start_date: asked.startDate === null ? null : iso(asked.startDate),
    end_date: asked.endDate === null ? null : iso(asked.endDate),
    lookback_days: asked.lookbackDays,
    reconcile_days: asked.reconcileDays,
    scrub_days: asked.scrubDays ?? undefined,
    granularity,
    concurrency,
    page_size: pageSize,
  };
}

/** A configured catalog. */
export function catalogOf(
  streams: readonly string[],
  mode: "incremental" | "full_refresh",
): object {
  return { streams: streams.map((name) => ({ stream: { name }, sync_mode: mode })) };
}

/** A state file as the platform writes it. */
export function statesFile(states: ReadonlyMap<string, { readonly json: string }>): unknown {
  return [...states].map(([name, { json }]) => ({
    type: "STREAM",
    stream: { stream_descriptor: { name }, stream_state: JSON.parse(json) as unknown },
  }));
}
