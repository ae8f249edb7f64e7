/** Windows that wait for a lane. */
import type { DayDigest } from "../core/digests.ts";
import type { KnownDays } from "../core/known_days.ts";
import type { Reading } from "../core/reading.ts";
import { writesDay } from "../core/settle.ts";
import type { WindowMemory } from "../core/sightings.ts";
import type { Range } from "../core/window.ts";
import type { Purpose } from "./record_filter.ts";

export interface Job {
  readonly window: Range;
  readonly purpose: Purpose;
  /** Whether the window may be cut or joined before its first request: a window of usage, none of whose days is known. */
  readonly isDivisible: boolean;
  /** A reading to go on with; null to begin one. */
  readonly reading: Reading | null;
  /** The reading that this job starts again from its first page (S4). The new reading keeps its id (R4); null if there is none. */
  readonly startsOver: Reading | null;
  /** The days that a second reading of a window writes, as the first reading saw them (R6); null for a first reading. */
  readonly rewrites: readonly DayDigest[] | null;
  /** Whether 0.2.0 began the first reading, so that `rewrites` are of its form. */
  readonly isFormer: boolean;
  /** The smallest `available_through` of the first reading of this window; Infinity if this is the first. */
  readonly availableThrough: number;
  /** How often the window has begun again. */
  readonly restarts: number;
  /** Rows that were written under the reading's id, by day; outlives a restart. */
  readonly written: Map<number, number>;
  /** Whether an earlier process saw strays of the window that this process does not know (P5). */
  readonly missesStrays: boolean;
  /** Whether the window is read, or written, only because strays of other windows start in it. Its own strays are ignored (P5). */
  readonly isLook: boolean;
  /**
   * For a second reading or a look, which take no note of strays: whether the window has returned some that still wait, or may have (P5).
   * A later process that goes on with the reading reads the window once more for them.
   */
  readonly hasStrays: boolean;
  /** The records that the window has returned in this read, restarts included; null before its first request. */
  readonly memory: WindowMemory | null;
  /** The memory of the window that this one replaces, whole or in part. */
  readonly replaced: WindowMemory | null;
}

const WHOLE: Purpose = { kind: "window", withStrays: true };

/** A window to read from its first page. */
export function jobOf(window: Range, purpose: Purpose = WHOLE): Job {
  const isLook = purpose.kind === "look" || (purpose.kind === "window" && !purpose.withStrays);
  return {
    window,
    purpose,
    isDivisible: false,
    reading: null,
    startsOver: null,
    rewrites: null,
    isFormer: false,
    availableThrough: Infinity,
    restarts: 0,
    written: new Map(),
    missesStrays: false,
    isLook,
    hasStrays: isLook,
    memory: null,
    replaced: null,
  };
}

/** Tells which days a job's reading writes while it reads. */
export function writesOf(
  { purpose }: Job,
  { rewrites }: Reading,
  known: KnownDays,
): (day: number) => boolean {
  if (purpose.kind === "strays") return () => true;
  const writesNone = purpose.kind === "confirm" || purpose.kind === "look";
  return writesNone ? () => false : writesDay(known, rewrites);
}

/** A job for a reading that an earlier process began. The earlier process has written the records of the days that the reading writes. */
export function resumedJob(reading: Reading, writes: (day: number) => boolean): Job {
  const { rewrites, isFormer, availableThrough, hasStrays } = reading;
  const own = reading.digests.filter(({ day }) => writes(day));
  return {
    ...jobOf(reading, rewrites === null ? WHOLE : { kind: "rewrite" }),
    reading,
    rewrites,
    isFormer: rewrites !== null && isFormer,
    availableThrough,
    written: new Map(own.map(({ day, records }) => [day, records])),
    missesStrays: hasStrays,
    hasStrays: rewrites !== null && hasStrays,
  };
}

/**
 * A job for the second reading of a window, which writes the days that differed (R6).
 *
 * @param hasPending whether strays of the window wait in this process
 */
export function rewriteJob(
  first: Reading,
  rewrites: readonly DayDigest[],
  job: Job,
  hasPending: boolean,
): Job {
  const { availableThrough, isFormer } = first;
  const { missesStrays } = job;
  const window = { start: first.start, end: first.end };
  return {
    ...jobOf(window, { kind: "rewrite" }),
    rewrites,
    isFormer,
    availableThrough,
    missesStrays,
    isLook: job.isLook,
    hasStrays: missesStrays || hasPending || job.isLook,
  };
}

/**
 * The job of a window that begins again. The new passage keeps the id of the reading that it replaces, because this process knows all
 * rows that have this id. If an earlier process began the reading, it may have written rows that its last STATE does not cover. So
 * such a reading is given up, and the new passage gets an id of its own (R4).
 */
export function startOver(job: Job, reading: Reading | null): Job {
  // A first reading sees all strays of its window again, a second one takes note of none.
  const missesStrays = job.rewrites !== null && job.missesStrays;
  return reading?.resumed === true
    ? { ...job, missesStrays, startsOver: null, written: new Map() }
    : { ...job, missesStrays, startsOver: reading };
}

/**
 * A job for a part of its window, because the provider refused the rest (W4). A second reading is then about the days of this part
 * only: the other days stay forgotten, and the next sync reads them.
 */
export function shortened(job: Job, window: Range): Job {
  const isInside = ({ day }: DayDigest): boolean => window.start <= day && day < window.end;
  return { ...job, window, rewrites: job.rewrites?.filter(isInside) ?? null };
}

/**
 * The jobs for a window that has to begin again, under today's floor and limits. If the window stays whole, its reading keeps
 * its id. Otherwise each part has a reading and a memory of its own. Records that the replaced window wrote are not written
 * again (P5). So a part may count rows that carry the old reading's id, and the days of these rows stay unknown (R4).
 *
 * @param isCut a part of the window has left retention
 */
export function replanned(job: Job, windows: readonly Range[], isCut: boolean): Job[] {
  // Days that leave retention need no second look.
  if (job.purpose.kind === "confirm" && isCut) return [];
  const again = { ...job, reading: null };
  // A look writes no rows, because this read has written the day already. The strays are noted for the window as it was, so a reading
  // that was to write them becomes a first reading of the rest, which notes them again.
  const isLook = job.purpose.kind === "look";
  if (windows.length === 1 && !isCut) return windows.map((window) => ({ ...again, window }));
  return windows.map((window) => ({
    ...jobOf(window, isLook ? job.purpose : WHOLE),
    restarts: job.restarts,
    replaced: job.memory ?? job.replaced,
  }));
}

/** A job for one more reading of a window. It keeps only the bounds and `availableThrough` of the window's last job. */
export function jobAgain(
  { window, availableThrough }: Pick<Job, "window" | "availableThrough">,
  purpose: Purpose,
): Job {
  return { ...jobOf(window, purpose), availableThrough };
}
