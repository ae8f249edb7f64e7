/** A window under way, from its first request in this process to its last page. */
import { doubtfulChanges, type Reading } from "../core/reading.ts";
import type { WindowMemory } from "../core/sightings.ts";
import type { Job } from "./job.ts";
import type { WindowContext } from "./record_filter.ts";
import { type JudgedPage, judgePage, type LineOptions, type Lines } from "./records.ts";
import type { FetchedPage, WindowPages } from "./stream.ts";
import type { StrayRow } from "./stray_groups.ts";

/**
 * The reading as the state keeps it, for a process that resumes it. After a restart, the rows under the reading's id may not be the
 * returned records: rows of the first passage may have this id, and rows that the first passage wrote under another id are not written
 * again (P5). Only this process knows which rows these are. So for a later process all days of the reading are incomplete (R4).
 */
export function toResume({ job, reading }: OpenWindow): Reading {
  if (job.restarts === 0) return reading;
  const days = [...job.written.keys(), ...reading.digests.map(({ day }) => day)];
  return { ...reading, incomplete: [...new Set(days)] };
}

export class OpenWindow {
  readonly job: Job;
  readonly memory: WindowMemory;
  readonly pages: WindowPages;
  readonly context: WindowContext;
  /** The records that the state knew of the window's days before this reading (L3). */
  readonly knownRecords: number | null;
  /** The reading after the latest page that was written. */
  reading: Reading;
  /** When the latest page came, on the provider's clock. */
  endedAt = 0;
  /** Pages whose lines were made. */
  pageCount = 0;
  /** The known days that were written because the window is a single page (R6). */
  alsoWritten: readonly number[] = [];
  /** The strays that came, if the window is read to write strays. */
  readonly strays = {
    ids: new Set<string>(),
    rows: new Map<string, StrayRow>(),
  };

  constructor(
    job: Job,
    parts: Pick<OpenWindow, "memory" | "pages" | "context" | "reading" | "knownRecords">,
  ) {
    this.job = job;
    this.memory = parts.memory;
    this.pages = parts.pages;
    this.context = parts.context;
    this.reading = parts.reading;
    this.knownRecords = parts.knownRecords;
  }

  /** The days whose rows are written while they are read. */
  get writes(): (day: number) => boolean {
    return this.context.writes;
  }

  /** Whether a page is the whole window: then the days that differ are written with it (R6). */
  isWhole({ nextCursor }: FetchedPage): boolean {
    const { job, reading } = this;
    return job.purpose.kind === "window" && reading.firstAsOf === null && nextCursor === null;
  }

  /** @throws ConnectorError `invalid_record` if a record breaks its schema (V1) */
  judge(page: FetchedPage): JudgedPage {
    this.pageCount += 1;
    const doubtful = doubtfulChanges(this.reading, this.endedAt);
    return judgePage({ records: page.records, doubtful }, this.context, this.isWhole(page));
  }

  /** Makes a page's lines, and notes which rows will be written. */
  write(page: JudgedPage, options: LineOptions): Lines {
    const { job } = this;
    this.alsoWritten = options.also;
    const made = page.write(options);
    for (const [day, rows] of made.written) {
      job.written.set(day, (job.written.get(day) ?? 0) + rows);
    }
    for (const id of made.strays.ids) this.strays.ids.add(id);
    for (const [hash, row] of made.strays.rows) this.strays.rows.set(hash, row);
    return made;
  }
}
