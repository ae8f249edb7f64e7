/** The options of a stream's reader, grouped by their source. */
import type { ReadingIds } from "../core/identity.ts";
import type { Limits } from "../core/limits.ts";
import type { Plan, PlanInput } from "../core/plan.ts";
import type { StateOwner, StreamState } from "../core/state.ts";
import type { Range } from "../core/window.ts";
import type { ProgressEvent } from "./progress_event.ts";
import type { ReadingReport } from "./ended_reading.ts";
import type { Outlet, PageWriter } from "./flow.ts";
import type { Granularity, OpenPages, RunEdges, StreamDefinition } from "./stream.ts";
import type { JsonObject, Output } from "../protocol.ts";

/** The parts of a run that all its streams share. */
export interface Run {
  readonly edges: RunEdges;
  readonly limits: Limits;
  readonly outlet: Outlet<Output>;
  readonly writer: PageWriter;
  /** Makes reading ids that sort behind all known reading ids (R4). */
  readonly ids: ReadingIds;
  /** The provider's clock, in milliseconds since 1970. */
  readonly providerNow: () => number;
  readonly onProgress: (event: ProgressEvent) => void;
}

/** How the records of a stream are asked for and judged. */
export interface ReadPolicy {
  readonly granularity: Granularity | null;
  readonly pageSize: number;
  /** Requests at once, 1 to 16; the maximum if the config names no number (C1). */
  readonly lanes: number;
  readonly invalidRecords: "fail" | "warn";
  /** The least time between two STATEs, in milliseconds. The last STATE does not wait. */
  readonly stateInterval: number;
}

export interface ReaderOptions {
  readonly stream: StreamDefinition;
  /** The source of the stream: the owner of its state, and its pages. */
  readonly source: {
    readonly owner: StateOwner;
    readonly openPages: OpenPages;
    /** See `SourceNotes`; absent where the provider serves the interface itself. */
    readonly note?: () => string | null;
    readonly unprovenBefore?: () => number | null;
    readonly lacking?: readonly Range[];
  };
  readonly input: PlanInput;
  readonly plan: Plan<StreamState>;
  readonly policy: ReadPolicy;
  readonly run: Run;
  /** See `reportedBy` in reported.ts. */
  readonly reported: (next: JsonObject) => unknown;
  /** The stream `export_windows`; null if the catalog does not select it (R5). */
  readonly reports: {
    /** Gets every complete reading before the state says so. */
    readonly send: (report: ReadingReport) => Promise<void>;
    /** Called just before each STATE of this stream. */
    readonly keep: () => Promise<void>;
    /** Called when the pass of this stream has ended, before the last {@link keep}. */
    readonly passEnded: () => void;
  } | null;
  /** Called once the stream is over, read or not. */
  readonly onEnd: () => void;
}
