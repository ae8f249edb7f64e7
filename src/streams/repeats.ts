/** What a provider repeats (P5), recognized by 64-bit fingerprints in bounded memory. */
import { FingerprintSet, type Hash } from "../core/identity.ts";

/** Fingerprints that one set holds at most: those of 500 full pages, 8 to 16 MB. */
const CAPACITY = 500_000;

/** One for each window, and one for all windows of a stream's read. */
export class Repeats {
  readonly #versions = new FingerprintSet(CAPACITY);
  readonly #contents = new FingerprintSet(CAPACITY);
  /** Few: records that reach beyond their window and that another window emitted first. */
  readonly #foreign = new Set<string>();

  /** Whether it takes no more, so that a repeat may pass unseen. */
  get isFull(): boolean {
    return this.#contents.isFull;
  }

  /** Whether this very content was seen before; notes it. */
  hasSeen(content: Hash): boolean {
    return this.#contents.seen(content);
  }

  /** Whether this version of a record was seen before; notes it. */
  hasSeenVersion(version: Hash): boolean {
    return this.#versions.seen(version);
  }

  /** Notes that another window of the read emitted it; always true. */
  markForeign(content: Hash): true {
    this.#foreign.add(nameOf(content));
    return true;
  }

  isForeign(content: Hash): boolean {
    return this.#foreign.has(nameOf(content));
  }
}

const nameOf = ({ high, low }: Hash): string => `${high}-${low}`;

/** The memories that a page is judged by. */
export interface Memory {
  /** What the window has emitted in this read, before and after a restart (S4). */
  readonly repeats: Repeats;
  /** What this passage through the window has counted; the same as `repeats` unless the window was restarted. */
  readonly counted: Repeats;
  /** For records that reach beyond their window, which another window may return as well. */
  readonly crossing: Repeats;
}

export interface Verdict {
  /** Whether this read has emitted it already. */
  readonly repeats: boolean;
  /** Whether it is new to its reading: what was emitted before a restart counts again after it. */
  readonly counts: boolean;
  /** Whether it counts and carries this reading's id, not that of another window's which returned it first. */
  readonly owned: boolean;
}

const NEW: Verdict = { repeats: false, counts: true, owned: true };

/** @param isWithin whether no other window can return the record */
export function judgeRepeat(content: Hash, isWithin: boolean, memory: Memory): Verdict {
  const { repeats, counted, crossing } = memory;
  const inWindow = repeats.hasSeen(content);
  const counts = counted === repeats ? !inWindow : !counted.hasSeen(content);
  if (isWithin) return inWindow ? { repeats: true, counts, owned: counts } : NEW;
  if (!crossing.hasSeen(content)) return { repeats: false, counts, owned: counts };
  const isForeign = inWindow ? repeats.isForeign(content) : repeats.markForeign(content);
  return { repeats: true, counts, owned: counts && !isForeign };
}
