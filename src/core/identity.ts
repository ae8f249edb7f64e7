/** Reading ids and their chains (R4, R9), and the fingerprints of records (P5). Pure: instants and random numbers are arguments. */
import { hashBytes } from "./hash.ts";

const TIME_DIGITS = 9; // 36^9 ms reach beyond the year 5000
const CHAIN_DIGITS = 5;

/** The chain of a new state: five base-36 digits. `random` is uniform in [0, 1). */
export function drawChain(random: number): string {
  const number = Math.floor(random * 36 ** CHAIN_DIGITS);
  return number.toString(36).padStart(CHAIN_DIGITS, "0");
}

/**
 * The id of a reading: nine base-36 digits of milliseconds, then the chain. Ids sort, as text, by `instant`.
 *
 * @param instant milliseconds since 1970
 */
export function readingId(instant: number, chain: string): string {
  return Math.trunc(instant).toString(36).padStart(TIME_DIGITS, "0") + chain;
}

const SECOND = 1000;

/** The latest first instant: behind it is room for more ids of nine digits than all later processes draw. */
const LATEST = 36 ** TIME_DIGITS - 36 ** (TIME_DIGITS - 1);

/** {@link firstInstant} keeps the order of two processes if the clocks differ by this many milliseconds at most. */
const MOST_SKEW = SECOND;

/**
 * The instant of the first id of a process, in milliseconds since 1970. The provider tells its time in whole seconds, so its
 * clock decides the second. The local clock decides the place within the second: a process that begins 3 ms after another
 * sorts behind that one, if the two clocks differ by the same time for both processes, one second at most. With a greater
 * difference two processes of one second may change places, but each stays in its second.
 *
 * @param theirs the provider's clock
 * @param ours the local clock at the same time
 */
export function firstInstant(theirs: number, ours: number): number {
  const second = Math.floor(Math.min(theirs, LATEST) / SECOND) * SECOND;
  // If the clocks differ by MOST_SKEW at most, `ahead` lies in [0, span). Any other `ahead` is taken modulo `span`.
  const span = SECOND + 2 * MOST_SKEW;
  const ahead = ours - second + MOST_SKEW;
  const place = ahead - Math.floor(ahead / span) * span;
  return second + Math.floor((place * SECOND) / span);
}

/** The fewest ids that are reserved at once. */
const FEWEST_RESERVED = 100;

/**
 * Makes the ids of the readings of a process, in the order in which they begin. They count up by a millisecond each, instead of
 * following a clock. So the ids of a long process stay close to the time of its start, and the ids of the next process sort
 * behind them even if the provider's clock was put back in between.
 */
export class ReadingIds {
  #next: number;
  #drawn = 0;
  #reserved = -Infinity;

  /** @param first see {@link firstInstant} */
  constructor(first: number) {
    this.#next = first;
  }

  /** Makes all later ids sort behind `id`. Ignores a text that is not an id. */
  follow(id: string): void {
    if (!/^[0-9a-z]{14}$/.test(id)) return;
    this.#next = Math.max(this.#next, instantOf(id) + 1);
  }

  /** The instant of the next id, in milliseconds since 1970: later than that of each id so far. */
  get instant(): number {
    return this.#next;
  }

  /** The id of a reading that begins now. */
  next(chain: string): string {
    this.#drawn += 1;
    return readingId(this.#next++, chain);
  }

  /**
   * The newest id that may be used under a STATE that goes out now. It leaves room for as many ids as there have been, so that
   * a sync of many readings reserves few times, and never leaves more than these unused. No two calls return the same id.
   *
   * @param id the id that is to be used
   */
  reserve(id: string): string {
    const room = Math.max(this.#drawn, FEWEST_RESERVED);
    const wanted = Math.max(this.#next, instantOf(id)) + room;
    this.#reserved = Math.max(wanted, this.#reserved + 1);
    return readingId(this.#reserved, id.slice(TIME_DIGITS));
  }
}

const instantOf = (id: string): number => Number.parseInt(id.slice(0, TIME_DIGITS), 36);

/**
 * The hashes that tell records apart. One object serves all records of a page, because a new object would take longer than
 * the hash. Each record overwrites the words of the record before.
 */
export class RecordFingerprint {
  /** The hash of the record's id. */
  readonly id = new Uint32Array(4);
  /** The hash of the record's id and `x_RecordUpdatedAt`. */
  readonly version = new Uint32Array(4);
  /** The hash of the record's members in their usual order (R6): those that the interface names in its order, then the others. */
  readonly content = new Uint32Array(4);
  /** The hash of the record's bytes as they came: the content's hash of 0.2.0. */
  readonly former = new Uint32Array(4);
  readonly #id = new Uint32Array(4);
  readonly #encoder = new TextEncoder();
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);

  setVersion(id: string, updatedAt: string): void {
    this.#provide(3 * (id.length + updatedAt.length) + 1); // UTF-8 takes at most three bytes a code unit
    const { written } = this.#encoder.encodeInto(id, this.#bytes);
    hashBytes(this.#view, 0, written, this.id);
    this.#bytes[written] = 0; // keeps "a" + "bc" apart from "ab" + "c"
    const rest = this.#encoder.encodeInto(updatedAt, this.#bytes.subarray(written + 1));
    hashBytes(this.#view, 0, written + 1 + rest.written, this.version);
  }

  /** The same for an id and an instant that stand in memory, each from its start (inclusive) to its end (exclusive). */
  setVersionAt(
    memory: Uint8Array,
    idStart: number,
    idEnd: number,
    updatedStart: number,
    updatedEnd: number,
  ): void {
    this.#provide(idEnd - idStart + updatedEnd - updatedStart + 1);
    const bytes = this.#bytes;
    // A loop, because the texts are short and a call of `set` would take longer.
    let to = 0;
    for (let at = idStart; at < idEnd; at++) bytes[to++] = memory[at] ?? 0;
    hashBytes(this.#view, 0, to, this.id);
    bytes[to++] = 0;
    for (let at = updatedStart; at < updatedEnd; at++) bytes[to++] = memory[at] ?? 0;
    hashBytes(this.#view, 0, to, this.version);
  }

  #provide(length: number): void {
    if (length <= this.#bytes.length) return;
    this.#bytes = new Uint8Array(2 * length);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** @param view the memory of the record's members in their usual order, from `start` (inclusive) to `end` (exclusive) */
  setContent(view: DataView, start: number, end: number): void {
    hashBytes(view, start, end, this.content);
  }

  /** As {@link setContent}, for members that stand in a text. */
  setContentText(text: string): void {
    this.#provide(3 * text.length);
    hashBytes(this.#view, 0, this.#encoder.encodeInto(text, this.#bytes).written, this.content);
  }

  /** @param view the memory of the record's bytes as they came, from `start` (inclusive) to `end` (exclusive) */
  setFormer(view: DataView, start: number, end: number): void {
    hashBytes(view, start, end, this.former);
  }

  /** The first 96 bits of the content's hash, as 24 hexadecimal digits. */
  get contentText(): string {
    return textOf(this.content);
  }

  /** The first 96 bits of the version's hash, as 24 hexadecimal digits. */
  get versionText(): string {
    return textOf(this.version);
  }

  /** The first 96 bits of the content's hash of 0.2.0, as 24 hexadecimal digits. */
  get formerText(): string {
    return textOf(this.former);
  }

  /** The first 96 bits of the hash of an id without a version, as 24 hexadecimal digits. */
  idText(id: string): string {
    this.#provide(3 * id.length);
    hashBytes(this.#view, 0, this.#encoder.encodeInto(id, this.#bytes).written, this.#id);
    return textOf(this.#id);
  }
}

const textOf = (hash: Uint32Array): string => `${hexOf(hash[0])}${hexOf(hash[1])}${hexOf(hash[2])}`;
const hexOf = (word = 0): string => word.toString(16).padStart(8, "0");

/** The 32-bit words of a hash that is a text of 24 hexadecimal digits. */
export const wordsOf = (text: string): readonly number[] =>
  [0, 8, 16].map((from) => Number.parseInt(text.slice(from, from + 8), 16));
