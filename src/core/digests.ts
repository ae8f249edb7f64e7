/**
 * Digests of days (R6). A digest is the sum of the hashes of a day's records, so it does not depend on their order. It has three
 * words of 32 bits, each summed modulo 2^32. With these 96 bits, and the number of records beside them, two contents of a
 * day with equal digests are taken as equal.
 */
import { DAY } from "./time.ts";

/** The records of one UTC day of charge period. `day` is midnight UTC, in milliseconds since 1970. */
export interface DayDigest {
  readonly day: number;
  readonly records: number;
  /** 24 hexadecimal digits. */
  readonly digest: string;
  /** The digest of the same records in the form of 0.2.0; left out unless a known day of that form is compared (`former.ts`). */
  readonly former?: string;
}

/** The digest of a day without records. */
export const EMPTY_DIGEST = "0".repeat(24);

const WORDS = 3;

interface Sums {
  records: number;
  readonly sums: Uint32Array;
  /** See {@link DayDigest.former}. */
  readonly former: Uint32Array | null;
}

/** Adds up the records of one page by day. Allocates no object for a record. */
export class PageDigests {
  readonly #days = new Map<number, Sums>();
  readonly #withFormer: boolean;
  // The latest day is kept at hand, because most records of a page start on the same day as the record before.
  #lastDay = Number.NaN;
  #last: Sums = { records: 0, sums: new Uint32Array(WORDS), former: null };

  /** @param withFormer whether to make the digests of 0.2.0 too */
  constructor(withFormer = false) {
    this.#withFormer = withFormer;
  }

  /**
   * @param hash the record's hash; the first three words count
   * @param former the record's hash in the form of 0.2.0
   */
  add(day: number, hash: Uint32Array, former = hash): void {
    if (day !== this.#lastDay) {
      this.#last = this.#days.get(day) ?? this.#sums();
      this.#lastDay = day;
      this.#days.set(day, this.#last);
    }
    const entry = this.#last;
    entry.records += 1;
    for (let index = 0; index < WORDS; index++) {
      entry.sums[index] = (entry.sums[index] ?? 0) + (hash[index] ?? 0);
    }
    if (entry.former === null) return;
    for (let index = 0; index < WORDS; index++) {
      entry.former[index] = (entry.former[index] ?? 0) + (former[index] ?? 0);
    }
  }

  #sums(): Sums {
    const former = this.#withFormer ? new Uint32Array(WORDS) : null;
    return { records: 0, sums: new Uint32Array(WORDS), former };
  }

  /** Sorted by day. */
  result(): DayDigest[] {
    return [...this.#days]
      .map(([day, { records, sums, former }]) => ({
        day,
        records,
        digest: textOf(sums),
        ...(former === null ? {} : { former: textOf(former) }),
      }))
      .toSorted((a, b) => a.day - b.day);
  }
}

/** Adds the digests of two parts of a reading. The result is sorted by day. */
export function addDigests(a: readonly DayDigest[], b: readonly DayDigest[]): readonly DayDigest[] {
  if (b.length === 0) return a;
  const days = new Map(a.map((entry) => [entry.day, entry]));
  for (const entry of b) {
    const before = days.get(entry.day);
    days.set(entry.day, before === undefined ? entry : sumOf(before, entry));
  }
  return [...days.values()].toSorted((x, y) => x.day - y.day);
}

function sumOf(a: DayDigest, b: DayDigest): DayDigest {
  const sum = { day: a.day, records: a.records + b.records, digest: added(a.digest, b.digest) };
  // If one part has no former digest, the sum has none.
  return a.former === undefined || b.former === undefined
    ? sum
    : { ...sum, former: added(a.former, b.former) };
}

function added(a: string, b: string): string {
  const right = sumsOf(b);
  return textOf(sumsOf(a).map((sum, index) => sum + (right[index] ?? 0)));
}

function sumsOf(digest: string): Uint32Array {
  return Uint32Array.from({ length: WORDS }, (_, index) =>
    Number.parseInt(digest.slice(8 * index, 8 * index + 8), 16),
  );
}

const textOf = (sums: Uint32Array): string =>
  Array.from(sums, (sum) => sum.toString(16).padStart(8, "0")).join("");

/** The digest of one day in a list. A day without an entry has the digest of an empty day. */
export function digestOf(digests: readonly DayDigest[], day: number): DayDigest {
  return digests.find((entry) => entry.day === day) ?? { day, records: 0, digest: EMPTY_DIGEST };
}

/** The UTC days that a range touches, as midnights. */
export function daysOf({ start, end }: { readonly start: number; readonly end: number }): number[] {
  const first = Math.floor(start / DAY);
  const count = Math.max(0, Math.ceil(end / DAY) - first);
  return Array.from({ length: count }, (_, index) => (first + index) * DAY);
}
