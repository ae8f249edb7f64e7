/**
 * Tells a listing that never ends from a long one (L3, P2), in memory of a bounded size. Pure.
 *
 * A provider may answer for ever without repeating itself: each answer may have a new cursor or member. So only ids count here.
 * Most windows have few pages, so nobody looks at the ids of the first {@link UNCOUNTED} pages: they count as new. Of the ids after
 * them, up to {@link SAMPLE} different ones are kept. Of more ids a random sample is kept, which estimates their number.
 */
import { daysOf } from "./digests.ts";
import { isKnown, type KnownDays } from "./known_days.ts";
import type { Range } from "./window.ts";

/** The first pages of a reading, whose ids are not counted. */
export const UNCOUNTED = 64;

/** The most pages in a row without a new id after which reading goes on (P2, L3). */
export const MAXIMUM_EMPTY_PAGES = 1000;

/**
 * The most pages of a reading, and the most records after its first pages. {@link TIMES} is added for each record that is known, or for
 * each different id.
 */
const PAGES = 10_000;
const RECORDS = 100_000;
const TIMES = 100;

/** The most ids that are kept of one listing: 64 KiB. */
const SAMPLE = 8192;

/** The slots of the first table: 4 KiB. */
const FIRST_SLOTS = 1024;

/** The records that the state knows of a window's days; null if a day is unknown. */
export function knownRecords(known: KnownDays, window: Range): number | null {
  const days = daysOf(window);
  if (!days.every((day) => isKnown(known, day))) return null;
  return days.reduce((sum, day) => sum + (known.days.get(day)?.records ?? 0), 0);
}

/** The pages of one passage through a window. */
export class Listing {
  /** The ids after the first pages; null before them. */
  #ids: IdSample | null = null;
  #hasNewId = false;
  /** The records after the first pages. */
  #records = 0;
  #pages = 0;
  #emptyInARow = 0;

  /**
   * To be told of each record of a page.
   *
   * @param hash 32 bits of the hash of the record's id
   */
  add(hash: number): void {
    if (this.#pages < UNCOUNTED) {
      this.#hasNewId = true;
      return;
    }
    this.#ids ??= new IdSample();
    this.#records += 1;
    if (this.#ids.add(hash)) this.#hasNewId = true;
  }

  /**
   * To be told of each page, after its records.
   *
   * @param known the records that the days of the window had before; null if a day is unknown
   * @returns the rule that a listing without an end breaks; null if the listing may go on
   */
  endPage(known: number | null): string | null {
    this.#pages += 1;
    this.#emptyInARow = this.#hasNewId ? 0 : this.#emptyInARow + 1;
    this.#hasNewId = false;
    if (this.#emptyInARow > MAXIMUM_EMPTY_PAGES) {
      return `more than ${MAXIMUM_EMPTY_PAGES} empty pages came in a row, or pages that only repeat records`;
    }
    const ids = this.#ids?.count ?? 0;
    if (this.#records > RECORDS + TIMES * ids) {
      return `${this.#records} records came after the first ${UNCOUNTED} pages, which have about ${ids} different ids`;
    }
    if (this.#pages > PAGES + TIMES * (known ?? ids)) {
      return known === null
        ? `${this.#pages} pages came, whose records after the first ${UNCOUNTED} pages have about ${ids} different ids`
        : `${this.#pages} pages came, and the days of the window had ${known} records before`;
    }
    return null;
  }
}

/**
 * A set of hashes that never has more than {@link SAMPLE} entries: when it is full, it keeps every second hash, later every fourth, and
 * so on. A hash is kept if its last bits are zero.
 */
class IdSample {
  /** 0 marks a free slot. */
  #slots = new Uint32Array(FIRST_SLOTS);
  #size = 0;
  /** The bits of a hash that do not choose its slot. */
  #shift = 32 - Math.log2(FIRST_SLOTS);
  /** Hashes are kept if they have no bit of this mask: 0, 1, 3, 7, … */
  #mask = 0;

  /** The number of different ids, an estimate if there are many. */
  get count(): number {
    return this.#size * (this.#mask + 1);
  }

  /** Whether the id may be new. An id outside the sample may always be new. */
  add(hash: number): boolean {
    if ((hash & this.#mask) !== 0) return true;
    if (!this.#put(hash)) return false;
    if (this.#size === this.#slots.length / 2) this.#makeRoom();
    return true;
  }

  #put(hash: number): boolean {
    const entry = hash === 0 ? 1 : hash;
    const last = this.#slots.length - 1;
    // The last bits of kept hashes are alike, so the first ones choose the slot.
    let slot = Math.imul(entry, 0x9e3779b1) >>> this.#shift;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & last) {
      if (this.#slots[slot] === entry) return false;
    }
    this.#slots[slot] = entry;
    this.#size += 1;
    return true;
  }

  #makeRoom(): void {
    let kept = this.#slots.filter((entry) => entry !== 0);
    const isFull = kept.length >= SAMPLE;
    // A loop, because a provider may choose ids whose hashes all belong to the next sample.
    while (kept.length >= SAMPLE) {
      this.#mask = 2 * this.#mask + 1;
      kept = kept.filter((entry) => (entry & this.#mask) === 0);
    }
    this.#slots = new Uint32Array(isFull ? this.#slots.length : 2 * this.#slots.length);
    this.#shift = 32 - Math.log2(this.#slots.length);
    this.#size = 0;
    for (const entry of kept) this.#put(entry);
  }
}
