/** Windows that wait for a lane. */
import type { WindowMemory } from "../core/sightings.ts";
import type { Reading } from "../core/state.ts";
import type { Range } from "../core/window.ts";

export interface Job {
  readonly window: Range;
  /** A reading to go on with; null to begin one. */
  readonly reading: Reading | null;
  /** The reading that this one starts over (S4): it keeps its identity (R4). */
  readonly startsOver: Reading | null;
  /** How often the window has begun again. */
  readonly restarts: number;
  /** The records that the window has returned in this read, restarts included; null before its first request. */
  readonly memory: WindowMemory | null;
  /** The memory of the window that this one replaces, whole or in part. */
  readonly replaced: WindowMemory | null;
}

export function jobOf(window: Range, reading: Reading | null): Job {
  return { window, reading, startsOver: null, restarts: 0, memory: null, replaced: null };
}

/**
 * The jobs for a window that has to begin again, under today's floor and limits. Where the window stays whole, its reading keeps
 * its identity. Else each part has a reading and a memory of its own. Records that the replaced window wrote are not written
 * again (P5), so a part counts rows that carry the old reading's id, and proves nothing (R4).
 *
 * @param isCut a part of the window has left retention
 */
export function replanned(job: Job, windows: readonly Range[], isCut: boolean): Job[] {
  const again = { ...job, reading: null };
  if (windows.length === 1 && !isCut) return windows.map((window) => ({ ...again, window }));
  return windows.map((window) => ({
    ...jobOf(window, null),
    restarts: job.restarts,
    replaced: job.memory ?? job.replaced,
  }));
}
