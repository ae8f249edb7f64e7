/**
 * The records of a stream that this read has seen, in one table of bounded size (P5). Each entry names its owner: the window
 * that returned the record. So one search tells a repeat inside a window from a record that another window returned.
 */
import { IdFilter } from "./id_filter.ts";
import { type RecordFingerprint, wordsOf } from "./identity.ts";
import { Listing } from "./listing.ts";
import { type Limits, LIMITS } from "./limits.ts";

/** A record that starts inside the window that returned it, and a stray, which starts outside (P5). */
export type Place = "inside" | "stray";

export interface Verdict {
  /** This window has returned the record before, in this read. */
  readonly repeats: boolean;
  /** This window has returned the same version of the record with another content; both are emitted. */
  readonly conflicts: boolean;
  /** The record is new to the present passage through the window. After a restart each record counts once more. */
  readonly counts: boolean;
  /** Another window of this read has returned the record as its own. */
  readonly hasOwner: boolean;
}

const NEW: Verdict = { repeats: false, conflicts: false, counts: true, hasOwner: false };
const NEW_CONFLICT: Verdict = { ...NEW, conflicts: true };
const NEW_ELSEWHERE: Verdict = { ...NEW, hasOwner: true };
const AGAIN: Verdict = { ...NEW, repeats: true };
const AGAIN_ELSEWHERE: Verdict = { ...AGAIN, hasOwner: true };
const REPEAT: Verdict = { ...AGAIN, counts: false };

/** A table counts as full at this share of its slots. In a fuller table each search would pass too many slots. */
export const MAXIMUM_LOAD = 0.75;

/** A stream remembers at least so many records: 98 full pages. */
export const REMEMBERED = LIMITS.sightings * MAXIMUM_LOAD;

/** The 32-bit words of an entry: two of the content's hash, one of the version's hash, and the owner. */
const WIDTH = 4;

// The layout of an owner: bit 0 marks a stray, bits 1 and 2 have the passage, and the higher bits the window's number.
const STRAY = 1;
const PASSAGE_SHIFT = 1;
const PASSAGE = 0b110;
const WINDOW_SHIFT = 3;

/** The result of a search. One object is reused, because a new object would take longer than the search. */
interface Found {
  /** The index of the window's own entry; -1 if there is none. */
  own: number;
  /** A window that this one replaces has returned the record. */
  isInherited: boolean;
  /** Another window has returned the record as its own. */
  hasOwner: boolean;
  /** The same version was returned with another content. */
  conflicts: boolean;
}

/**
 * A hash table with open addressing. The tag of an entry is one byte of its version's hash. The tags have an array of their own,
 * which fits the processor's cache, and nearly every search ends there.
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

  /** Searches a record and sets the members of `found`. Gives the free slot where the record can be added. */
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

  /** Whether a record that the window has returned before is new to a passage: a repeat counts once in each. */
  countAgain(at: number, passage: number): boolean {
    const owner = this.#numbers[at + 3] ?? 0;
    this.#numbers[at + 3] = (owner & ~PASSAGE) | (passage << PASSAGE_SHIFT);
    return (owner & PASSAGE) >>> PASSAGE_SHIFT !== passage;
  }

  /** Whether an entry belongs to one of these windows. */
  hasAny(windows: ReadonlySet<number>): boolean {
    for (let slot = 0; slot < this.slots; slot++) {
      if (this.#tags[slot] === 0) continue;
      if (windows.has((this.#numbers[WIDTH * slot + 3] ?? 0) >>> WINDOW_SHIFT)) return true;
    }
    return false;
  }

  /** Empties this table, because clearing memory takes less time than allocating new memory. */
  cleared(): this {
    this.#tags.fill(0);
    this.#size = 0;
    return this;
  }
}

/** 0 is the tag of an empty slot. */
const tagOf = (version: Uint32Array): number => ((version[0] ?? 0) >>> 24) | 1;

/** The records of one stream's read: one table has the newest entries, a second table the entries before them. */
export class Sightings {
  readonly #live = new Set<WindowMemory>();
  readonly #slots: number;
  /** The ids of all records that windows have returned as their own. */
  readonly #owned: IdFilter;
  #newer: Table;
  #older: Table | null = null;
  readonly #found: Found = { own: -1, isInherited: false, hasOwner: false, conflicts: false };
  #hasForgotten = false;
  #isComplete = true;
  #windows = 0;

  constructor({ firstSightings, sightings }: Limits = LIMITS) {
    this.#newer = new Table(firstSightings);
    this.#slots = sightings;
    this.#owned = new IdFilter(sightings);
  }

  /** Whether each record that a window has returned still has an entry: none was forgotten yet. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Whether a record of a window under way was forgotten, so that a repeat may pass unseen. */
  get hasForgotten(): boolean {
    return this.#hasForgotten;
  }

  /** @param replaced the window that the new one replaces, whole or in part; its records are repeats in the new window */
  open(replaced: WindowMemory | null = null): WindowMemory {
    const ancestors = replaced === null ? [] : [replaced.number, ...replaced.ancestors];
    this.#windows += 1;
    const window = new WindowMemory(this, this.#windows, ancestors);
    this.#live.add(window);
    return window;
  }

  /** To be called after the last record of a window. */
  close(window: WindowMemory): void {
    this.#live.delete(window);
  }

  /** Judges a record that a window returned, and notes it. */
  judge(fingerprint: RecordFingerprint, place: Place, window: WindowMemory): Verdict {
    if (this.#newer.isFull) this.#turn();
    if (place === "inside") this.#owned.add(fingerprint.id);
    const older = this.#older;
    const found = this.#found;
    found.own = -1;
    found.isInherited = false;
    found.hasOwner = false;
    found.conflicts = false;
    older?.find(fingerprint, window, found);
    const table = older === null || found.own === -1 ? this.#newer : older;
    // The entry of the owner may stand in the other table.
    const free = this.#newer.find(fingerprint, window, found);
    const again = found.hasOwner ? AGAIN_ELSEWHERE : AGAIN;
    if (found.own !== -1) return table.countAgain(found.own, window.passage) ? again : REPEAT;
    this.#newer.add(free, fingerprint, window.ownerOf(place));
    if (found.isInherited) return again;
    if (found.conflicts) return NEW_CONFLICT;
    return found.hasOwner ? NEW_ELSEWHERE : NEW;
  }

  /**
   * Whether a window of this read may have returned a version of the record as its own. None is forgotten; of the other records a
   * few are taken for such ones.
   *
   * @param id the hash of the record's id, as {@link RecordFingerprint.idText} gives it
   */
  mayHaveOwner(id: string): boolean {
    return this.#owned.mayHave(wordsOf(id));
  }

  /** Makes room: drops the older table. This can only matter to windows that are still being read. */
  #turn(): void {
    const dropped = this.#older;
    this.#older = this.#newer;
    const windows = [...this.#live].flatMap(({ number, ancestors }) => [number, ...ancestors]);
    if (dropped !== null) this.#isComplete = false;
    if (dropped?.hasAny(new Set(windows)) === true) this.#hasForgotten = true;
    this.#newer = dropped?.slots === this.#slots ? dropped.cleared() : new Table(this.#slots);
  }
}

/** The records of one window in its stream's tables, from the window's first page in this read to its last, restarts included. */
export class WindowMemory {
  readonly #sightings: Sightings;
  readonly number: number;
  /** The numbers of the windows that this one replaces. */
  readonly ancestors: readonly number[];
  /** The number of restarts so far; at most 3. */
  #passage = 0;
  /** The present passage. */
  #listing = new Listing();

  constructor(sightings: Sightings, number: number, ancestors: readonly number[]) {
    this.#sightings = sightings;
    this.number = number;
    this.ancestors = ancestors;
  }

  get passage(): number {
    return this.#passage;
  }

  /** To be called when the window begins again (S4). Its records are then repeats that count once more. */
  restart(): void {
    this.#passage += 1;
    this.#listing = new Listing();
  }

  /** See {@link Listing.endPage}. */
  endPage(known: number | null): string | null {
    return this.#listing.endPage(known);
  }

  /** Notes that the listing goes on (L3). Such a record counts for nothing else. */
  pass({ id }: RecordFingerprint): void {
    this.#listing.add(id[0] ?? 0);
  }

  judge(fingerprint: RecordFingerprint, place: Place): Verdict {
    this.pass(fingerprint);
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
