/** Windows that lanes are to read, and what becomes of them where they begin again. */
import type { Reading } from "../core/state.ts";
import type { Range } from "../core/window.ts";
import { Repeats } from "./repeats.ts";

export interface Job {
  readonly window: Range;
  /** A reading to go on with; null to begin one. */
  readonly reading: Reading | null;
  /** The reading that this one starts over (S4): it keeps its identity (R4). */
  readonly startsOver: Reading | null;
  readonly restarts: number;
  /** What this window has emitted in this read; outlives a restart. */
  readonly repeats: Repeats | null;
  /** What this passage through it has counted, where that is not the first. */
  readonly seenSinceRestart: Repeats | null;
}

export function jobOf(window: Range, reading: Reading | null): Job {
  return { window, reading, startsOver: null, restarts: 0, repeats: null, seenSinceRestart: null };
}

/**
 * What a window is replaced by that has to begin again: itself, in which case its reading keeps its identity, or the windows
 * that are left of it under today's floor and limits. Each of these has a reading and memories of its own; what the window
 * emitted is not emitted again (P5), so that a reading of theirs that meets it reports more than carries its id, and proves
 * nothing (R4).
 *
 * @param isCut whether a part of the window is lost
 */
export function replanned(job: Job, windows: readonly Range[], isCut: boolean): Job[] {
  const again = { ...job, reading: null };
  if (windows.length === 1 && !isCut) return windows.map((window) => ({ ...again, window }));
  return windows.map((window) => ({
    ...again,
    window,
    startsOver: null,
    repeats: job.repeats?.part() ?? null,
    counted: new Repeats(),
  }));
}
