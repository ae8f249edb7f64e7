/**
 * P5: which records of a stream this read has seen, in one table of bounded size. Each entry names its owner: the window
 * that returned the record. So one search tells a repeat inside a window from a record that another window returned.
 */
import type { RecordFingerprint } from "./identity.ts";

/** A record that starts inside the window that returned it, and a stray, which starts outside (P5). */
export type Place = "inside" | "stray";

export interface Verdict {
  /** This window has returned the record before, in this read. */
  readonly repeats: boolean;
  /** Its version came before in this window with another content; both are emitted. */
  readonly conflicts: boolean;
  /** This passage through the window sees it for the first time; after a restart a record counts again. */
  readonly counts: boolean;
  /** Another window of this read returned it as its own. */
  readonly hasOwner: boolean;
}

const NEW: Verdict = { repeats: false, conflicts: false, counts: true, hasOwner: false };
const NEW_CONFLICT: Verdict = { ...NEW, conflicts: true };
const NEW_ELSEWHERE: Verdict = { ...NEW, hasOwner: true };
const INHERITED: Verdict = { ...NEW, repeats: true };
const AGAIN = INHERITED;
const REPEAT: Verdict = { ...AGAIN, counts: false };

/** Slots of the first table and of those that follow, powers of two: 17 KiB, 2.1 MiB. */
const FIRST_SLOTS = 1024;
const SLOTS = 131_072;

/** The share of its slots that a table fills; a fuller one makes each search pass too many of them. */
const MAXIMUM_LOAD = 0.75;

/** The number of records that a stream remembers at least: those of its last 98 full pages. */
export const REMEMBERED = SLOTS * MAXIMUM_LOAD;

/** Numbers of an entry: two words of the content's hash, one of the version's, and the owner. */
const WIDTH = 4;

// The owner is the window's number, above these three bits.
const STRAY = 1;
const PASSAGE_SHIFT = 1;
const PASSAGE = 0b110;
const WINDOW_SHIFT = 3;

/** The findings of a search; reused, because a record is judged in less time than an object is made. */
interface Found {
  /** Where the window's own entry starts; -1 where it has none. */
  own: number;
  /** A window that this one replaces has returned it. */
  isInherited: boolean;
  /** Another window has returned it as its own. */
  hasOwner: boolean;
  conflicts: boolean;
}

/**
 * Entries in a flat table (open addressing). The tag of each, a byte of its version's hash, stands in a table of its own that
 * fits the processor's cache: nearly every search ends there.
 */
class Table {
  readonly slots: number;
  readonly #tags: Uint8Array;
  readonly #numbers: Uint32Array;
  #size = 0;

  constructor(slots: number) {
    this.slots = slots;
    this.#tags = new Uint8Array(slots);
    this.#numbers = new Uint32Array(WIDTH * slots);
  }

  get isFull(): boolean {
    return this.#size === this.slots * MAXIMUM_LOAD;
  }

  /** Adds to `found` what the table knows of a record. Gives the slot where the record can be added. */
  find({ version, content }: RecordFingerprint, window: WindowMemory, found: Found): number {
    const tags = this.#tags;
    const numbers = this.#numbers;
    const last = this.slots - 1;
    const tag = tagOf(version);
    let slot = (version[1] ?? 0) & last;
    for (; tags[slot] !== 0; slot = (slot + 1) & last) {
      const at = WIDTH * slot;
      if (tags[slot] !== tag || numbers[at + 2] !== version[1]) continue;
      const owner = numbers[at + 3] ?? 0;
      const isOwn = owner >>> WINDOW_SHIFT === window.number;
      const isInherited = !isOwn && window.ancestors.includes(owner >>> WINDOW_SHIFT);
      if (numbers[at] === content[0] && numbers[at + 1] === content[1]) {
        if (isOwn) found.own = at;
        else if (isInherited) found.isInherited = true;
        else if ((owner & STRAY) === 0) found.hasOwner = true;
      } else if (isOwn || isInherited) {
        found.conflicts = true;
      }
    }
    return slot;
  }

  add(slot: number, { version, content }: RecordFingerprint, owner: number): void {
    const numbers = this.#numbers;
    const at = WIDTH * slot;
    this.#tags[slot] = tagOf(version);
    numbers[at] = content[0] ?? 0;
    numbers[at + 1] = content[1] ?? 0;
    numbers[at + 2] = version[1] ?? 0;
    numbers[at + 3] = owner;
    this.#size += 1;
  }

  /** A record that the window has returned before: a repeat that counts once in each passage. */
  countAgain(at: number, passage: number): Verdict {
    const owner = this.#numbers[at + 3] ?? 0;
    this.#numbers[at + 3] = (owner & ~PASSAGE) | (passage << PASSAGE_SHIFT);
    return (owner & PASSAGE) >>> PASSAGE_SHIFT === passage ? REPEAT : AGAIN;
  }

  /** Whether an entry belongs to one of these windows. */
  hasAny(windows: ReadonlySet<number>): boolean {
    for (const [slot, tag] of this.#tags.entries()) {
      if (tag !== 0 && windows.has((this.#numbers[WIDTH * slot + 3] ?? 0) >>> WINDOW_SHIFT)) {
        return true;
      }
    }
    return false;
  }

  /** The same memory, empty: to clear memory takes less time than to allocate it. */
  cleared(): this {
    this.#tags.fill(0);
    this.#size = 0;
    return this;
  }
}

/** 0 is the tag of an empty slot. */
const tagOf = (version: Uint32Array): number => ((version[0] ?? 0) >>> 24) | 1;

/** The table of one stream's read. The newest entries stand in one half, those before them in another. */
export class Sightings {
  readonly #live = new Set<WindowMemory>();
  #newer = new Table(FIRST_SLOTS);
  #older: Table | null = null;
  readonly #found: Found = { own: -1, isInherited: false, hasOwner: false, conflicts: false };
  #hasForgotten = false;
  #isComplete = true;
  #windows = 0;

  /** Whether nothing was forgotten yet: a record that no window is known to have returned was returned by none. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether a record of a window under way was forgotten, so that a repeat may pass unseen. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  /** @param replaced the window that this one replaces, whole or in part: this one knows what that one has seen */
  open(replaced: WindowMemory | null = null): WindowMemory {
    const ancestors = replaced === null ? [] : [replaced.number, ...replaced.ancestors];
    this.#windows += 1;
    const window = new WindowMemory(this, this.#windows, ancestors);
    this.#live.add(window);
    return window;
  }

  /** No more records of the window come. */
  close(window: WindowMemory): void {
    this.#live.delete(window);
  }

  /** Judges a record that a window returned, and notes it. */
  judge(fingerprint: RecordFingerprint, place: Place, window: WindowMemory): Verdict {
    if (this.#newer.isFull) this.#turn();
    const older = this.#older;
    const found = this.#found;
    found.own = -1;
    found.isInherited = false;
    found.hasOwner = false;
    found.conflicts = false;
    if (older !== null) {
      older.find(fingerprint, window, found);
      if (found.own !== -1) return older.countAgain(found.own, window.passage);
    }
    const free = this.#newer.find(fingerprint, window, found);
    if (found.own !== -1) return this.#newer.countAgain(found.own, window.passage);
    this.#newer.add(free, fingerprint, window.ownerOf(place));
    if (found.isInherited) return INHERITED;
    if (found.conflicts) return NEW_CONFLICT;
    return found.hasOwner ? NEW_ELSEWHERE : NEW;
  }

  /** Makes room: the older half is dropped. Only the entries of a window that is still read are missed. */
  #turn(): void {
    const dropped = this.#older;
    this.#older = this.#newer;
    const windows = [...this.#live].flatMap(({ number, ancestors }) => [number, ...ancestors]);
    if (dropped !== null) this.#isComplete = false;
    if (dropped?.hasAny(new Set(windows)) === true) this.#hasForgotten = true;
    this.#newer = dropped?.slots === SLOTS ? dropped.cleared() : new Table(SLOTS);
  }
}

/** A window's part of a stream's table, from its first page in this read to its last, restarts included. */
export class WindowMemory {
  readonly #sightings: Sightings;
  readonly number: number;
  /** The numbers of the windows that this one replaces. */
  readonly ancestors: readonly number[];
  /** 0, then one more with each restart; at most 3. */
  #passage = 0;

  constructor(sightings: Sightings, number: number, ancestors: readonly number[]) {
    this.#sightings = sightings;
    this.number = number;
    this.ancestors = ancestors;
  }

  get passage(): number {
    return this.#passage;
  }

  /** The window begins again (S4): its records are repeats, and count once more. */
  restart(): void {
    this.#passage += 1;
  }

  judge(fingerprint: RecordFingerprint, place: Place): Verdict {
    return this.#sightings.judge(fingerprint, place, this);
  }

  close(): void {
    this.#sightings.close(this);
  }

  ownerOf(place: Place): number {
    const flags = place === "stray" ? STRAY : 0;
    return (this.number << WINDOW_SHIFT) | (this.#passage << PASSAGE_SHIFT) | flags;
  }
}
