/** What a provider repeats (P5), recognized by 64-bit fingerprints in bounded memory. */
import {
  type RecordFingerprint,
  RecentFingerprints,
  type Sighting,
  Tables,
} from "../core/identity.ts";

/** One for each window, and one for all windows of a stream's read. */
export class Repeats {
  readonly #tables: Tables;
  readonly #recent: RecentFingerprints;
  /** Few: records that another window emitted first. */
  readonly #foreign = new Set<string>();
  /** What was emitted already, of a window that this one is a part of; only looked at. */
  readonly #before: Repeats | null;

  /** @param tables memory that windows give to one another */
  constructor(tables = new Tables(), before: Repeats | null = null) {
    this.#tables = tables;
    this.#recent = new RecentFingerprints(tables);
    this.#before = before;
  }

  /** A memory for a part of this one's window: what this one knows is a repeat to it. */
  part(): Repeats {
    return new Repeats(this.#tables, this);
  }

  /** Whether there were more records than it remembers, so that a repeat may pass unseen. */
  get hasForgotten(): boolean {
    return this.#recent.hasForgotten;
  }

  /** Whether this very record was seen before, or another one of its version; notes it. */
  note(fingerprint: RecordFingerprint): Sighting {
    const sighting = this.#recent.note(fingerprint);
    return this.#before?.knows(fingerprint) === true ? "repeat" : sighting;
  }

  /** Whether this very record was seen. */
  knows(fingerprint: RecordFingerprint): boolean {
    return this.#recent.knows(fingerprint) || this.#before?.knows(fingerprint) === true;
  }

  /** Notes that another window of the read emitted it; always true. */
  markForeign(fingerprint: RecordFingerprint): true {
    this.#foreign.add(nameOf(fingerprint));
    return true;
  }

  isForeign(fingerprint: RecordFingerprint): boolean {
    return this.#foreign.has(nameOf(fingerprint)) || this.#before?.isForeign(fingerprint) === true;
  }

  /** Its memory is for others from now on: the window is over. */
  release(): void {
    this.#recent.release();
    this.#foreign.clear();
  }
}

const nameOf = ({ content }: RecordFingerprint): string => `${content.high}-${content.low}`;

/** The memories that a page is judged by. */
export interface Memory {
  /** What the window has emitted in this read, before and after a restart (S4). */
  readonly repeats: Repeats;
  /** What this passage through the window has counted; the same as `repeats` unless the window was restarted. */
  readonly seenSinceRestart: Repeats;
  /** For records at the edges of their window and beyond, which another window may return as well. */
  readonly edgeRecords: Repeats;
}

export interface Verdict {
  /** Whether this read has emitted it already. */
  readonly repeats: boolean;
  /** Whether its version came before in this window with another content; both are emitted. */
  readonly conflicts: boolean;
  /** Whether it is new to its reading: what was emitted before a restart counts again after it. */
  readonly counts: boolean;
  /** Whether it counts and carries this reading's id, not that of another window's which returned it first. */
  readonly owned: boolean;
}

const NEW: Verdict = { repeats: false, conflicts: false, counts: true, owned: true };

/** @param isWithin whether no other window can return the record */
export function judgeRepeat(
  fingerprint: RecordFingerprint,
  isWithin: boolean,
  { repeats, seenSinceRestart, edgeRecords }: Memory,
): Verdict {
  const sighting = repeats.note(fingerprint);
  if (sighting === "new" && isWithin && seenSinceRestart === repeats) return NEW; // nearly all
  const inWindow = sighting === "repeat";
  const conflicts = sighting === "conflict";
  const counts =
    seenSinceRestart === repeats ? !inWindow : seenSinceRestart.note(fingerprint) !== "repeat";
  if (isWithin) return { repeats: inWindow, conflicts, counts, owned: counts };
  if (edgeRecords.note(fingerprint) !== "repeat") {
    return { repeats: false, conflicts, counts, owned: counts };
  }
  const isForeign = inWindow ? repeats.isForeign(fingerprint) : repeats.markForeign(fingerprint);
  return { repeats: true, conflicts: false, counts, owned: counts && !isForeign };
}
