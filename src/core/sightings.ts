/**
 * P5: which records of a stream this read has seen, in one table of bounded size. Each entry names its owner: the window
 * that returned the record. So one search tells a repeat inside a window from a record that another window returned first.
 */
import type { RecordFingerprint } from "./identity.ts";

/**
 * How a record lies in its window. `within`: strictly inside both edges, so only this window returns it, however the provider
 * selects. `touches`: it starts or ends at an edge, so a neighbor may return it where the provider takes edges for inclusive.
 * `reaches`: it starts before the window or ends after it, so any window that it overlaps may return it.
 */
export type Place = "within" | "touches" | "reaches";

export interface Verdict {
  /** This read has emitted the record already. */
  readonly repeats: boolean;
  /** Its version came before in this window with another content; both are emitted. */
  readonly conflicts: boolean;
  /** This passage through the window sees it for the first time; after a restart a record counts again. */
  readonly counts: boolean;
  /** Counted, and written under this reading's id; false where another window wrote it first. */
  readonly owned: boolean;
}

const NEW: Verdict = { repeats: false, conflicts: false, counts: true, owned: true };
const NEW_CONFLICT: Verdict = { ...NEW, conflicts: true };

/** Slots of the first table and of those that follow, powers of two: 17 KiB, 2.1 MiB. */
const FIRST_SLOTS = 1024;
const SLOTS = 131_072;

/** The share of its slots that a table fills; a fuller one makes each search pass too many of them. */
const MAXIMUM_LOAD = 0.75;

/** The number of records that a stream remembers at least: those of its last 98 full pages. */
export const REMEMBERED = SLOTS * MAXIMUM_LOAD;

/** The most records that survive their table because they reach beyond their window. */
const MAXIMUM_SURVIVORS = SLOTS / 4;

/** Numbers of an entry: both halves of the content's hash, the lower one of the version's, and the owner. */
const WIDTH = 4;

// The owner is the window's number, above these four bits.
const FOREIGN = 1;
const PASSAGE_SHIFT = 1;
const PASSAGE = 0b110;
const REACHES = 0b1000;
const WINDOW_SHIFT = 4;

/** The findings of a search; reused, because a record is judged in less time than an object is made. */
interface Found {
  /** Where the window's own entry starts; -1 where it has none. */
  own: number;
  /** The owner of the entry of a window that this one replaces, and of any other window's; 0 where there is none. */
  inherited: number;
  other: number;
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
    const tag = tagOf(version.high);
    let slot = version.low & last;
    for (; tags[slot] !== 0; slot = (slot + 1) & last) {
      const at = WIDTH * slot;
      if (tags[slot] !== tag || numbers[at + 2] !== version.low) continue;
      const owner = numbers[at + 3] ?? 0;
      const isOwn = owner >>> WINDOW_SHIFT === window.number;
      const isInherited = !isOwn && window.ancestors.includes(owner >>> WINDOW_SHIFT);
      if (numbers[at] === content.high && numbers[at + 1] === content.low) {
        if (isOwn) found.own = at;
        else if (isInherited) found.inherited = owner;
        else found.other = owner;
      } else if (isOwn || isInherited) {
        found.conflicts = true;
      }
    }
    return slot;
  }

  add(slot: number, { version, content }: RecordFingerprint, owner: number): void {
    const numbers = this.#numbers;
    const at = WIDTH * slot;
    this.#tags[slot] = tagOf(version.high);
    numbers[at] = content.high;
    numbers[at + 1] = content.low;
    numbers[at + 2] = version.low;
    numbers[at + 3] = owner;
    this.#size += 1;
  }

  /** A record that the window has returned before: a repeat that counts once in each passage. */
  countAgain(at: number, passage: number): Verdict {
    const owner = this.#numbers[at + 3] ?? 0;
    const counts = (owner & PASSAGE) >>> PASSAGE_SHIFT !== passage;
    this.#numbers[at + 3] = (owner & ~PASSAGE) | (passage << PASSAGE_SHIFT);
    return { repeats: true, conflicts: false, counts, owned: counts && (owner & FOREIGN) === 0 };
  }

  /** Calls `visit` with the place and the owner of each entry. */
  each(visit: (at: number, owner: number) => void): void {
    const tags = this.#tags;
    for (let slot = 0; slot < this.slots; slot++) {
      if (tags[slot] !== 0) visit(WIDTH * slot, this.#numbers[WIDTH * slot + 3] ?? 0);
    }
  }

  /** The tag and the numbers of the entry at `at`, for {@link restore}. */
  copyOf(at: number): readonly number[] {
    return [this.#tags[at / WIDTH] ?? 0, ...this.#numbers.subarray(at, at + WIDTH)];
  }

  restore([tag = 0, ...numbers]: readonly number[]): void {
    const last = this.slots - 1;
    let slot = (numbers[2] ?? 0) & last;
    while (this.#tags[slot] !== 0) slot = (slot + 1) & last;
    this.#tags[slot] = tag;
    this.#numbers.set(numbers, WIDTH * slot);
    this.#size += 1;
  }

  /** The same memory, empty: to clear memory takes less time than to allocate it. */
  cleared(): this {
    this.#tags.fill(0);
    this.#size = 0;
    return this;
  }
}

/** 0 is the tag of an empty slot. */
const tagOf = (high: number): number => (high >>> 24) | 1;

/** The table of one stream's read. The newest entries stand in one half, those before them in another. */
export class Sightings {
  readonly #live = new Set<WindowMemory>();
  #newer = new Table(FIRST_SLOTS);
  #older: Table | null = null;
  readonly #found: Found = { own: -1, inherited: 0, other: 0, conflicts: false };
  #hasForgotten = false;
  #windows = 0;

  /** Whether a record was forgotten that may come again, so that a repeat may pass unseen. */
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
    found.inherited = 0;
    found.other = 0;
    found.conflicts = false;
    if (older !== null) {
      older.find(fingerprint, window, found);
      if (found.own !== -1) return older.countAgain(found.own, window.passage);
    }
    const free = this.#newer.find(fingerprint, window, found);
    if (found.own !== -1) return this.#newer.countAgain(found.own, window.passage);
    const isInherited = found.inherited !== 0;
    const isForeign = isInherited
      ? (found.inherited & FOREIGN) !== 0
      : found.other !== 0 && place !== "within";
    this.#newer.add(free, fingerprint, window.ownerOf(place, isForeign));
    if (isForeign || isInherited) {
      return { repeats: true, conflicts: false, counts: true, owned: !isForeign };
    }
    return found.conflicts ? NEW_CONFLICT : NEW;
  }

  /**
   * Makes room: the older half is dropped. Of its entries only those are missed that may come again: those of a window that
   * is still read, and those that reach beyond their window, which are kept as far as there is room.
   */
  #turn(): void {
    const dropped = this.#older;
    this.#older = this.#newer;
    if (dropped === null) {
      this.#newer = new Table(SLOTS);
      return;
    }
    const live = new Set(
      [...this.#live].flatMap(({ number, ancestors }) => [number, ...ancestors]),
    );
    const survivors: (readonly number[])[] = [];
    dropped.each((at, owner) => {
      const reaches = (owner & REACHES) !== 0;
      if (reaches && survivors.length < MAXIMUM_SURVIVORS) survivors.push(dropped.copyOf(at));
      else if (reaches || live.has(owner >>> WINDOW_SHIFT)) this.#hasForgotten = true;
    });
    this.#newer = dropped.slots === SLOTS ? dropped.cleared() : new Table(SLOTS);
    for (const entry of survivors) this.#newer.restore(entry);
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

  ownerOf(place: Place, isForeign: boolean): number {
    const flags = (place === "reaches" ? REACHES : 0) | (isForeign ? FOREIGN : 0);
    return (this.number << WINDOW_SHIFT) | (this.#passage << PASSAGE_SHIFT) | flags;
  }
}
