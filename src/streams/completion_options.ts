/** The options of the steps behind a window's last page. */
import type { Limits } from "../core/limits.ts";
import type { Range } from "../core/window.ts";
import type { ReadingReport } from "./ended_reading.ts";
import type { Job } from "./job.ts";
import type { Ledger } from "./ledger.ts";
import type { StrayReadsOptions } from "./stray_reads.ts";

export interface CompletionOptions extends StrayReadsOptions {
  readonly ledger: Ledger;
  readonly limits: Limits;
  /** Gets every complete reading before the state covers it; null if the catalog does not select `export_windows` (R5). */
  readonly report: ((report: ReadingReport) => Promise<void>) | null;
  readonly warn: (message: string) => Promise<void>;
  /** Puts a job in front of the queue. */
  readonly queue: (job: Job) => void;
  /** See `SourceNotes` in stream.ts. */
  readonly unprovenBefore: () => number | null;
  readonly lacking: readonly Range[];
}
