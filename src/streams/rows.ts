/** The records of a page that are written, as places in its bytes, and their RECORD lines. */
import { ConnectorError } from "../errors.ts";
import type { WindowContext } from "./record_filter.ts";

/**
 * The most text of a page in members that the interface does not name, in code units (L1). Each such member is written twice, and
 * waits as a text until the page's lines are made.
 */
const MAXIMUM_COLUMNS = 8 * 1024 ** 2;

/** The options with which rows become lines. */
export interface RowOptions {
  /** Milliseconds since 1970. */
  readonly emittedAt: number;
  /** Gives memory of at least so many bytes to write into. */
  readonly take: (length: number) => Buffer;
}

/** Keeps numbers in typed arrays, because an object for each record would keep the garbage collector busy. */
export class Rows {
  /** Midnight UTC of each row's day, in milliseconds since 1970. */
  readonly #days: Float64Array;
  readonly #starts: Int32Array;
  /** The ends of what is written of each record, without its closing brace. */
  readonly #ends: Int32Array;
  /** The `x_ProviderColumns` of the rows; empty if no row has any. */
  #columns: string[] = [];
  #columnsLength = 0;
  #length = 0;

  /** @param most the most rows */
  constructor(most: number) {
    this.#days = new Float64Array(most);
    this.#starts = new Int32Array(most);
    this.#ends = new Int32Array(most);
  }

  get length(): number {
    return this.#length;
  }

  /** @throws ConnectorError `provider_fault` if the rows have more than 8 MiB of `x_ProviderColumns` */
  add(day: number, start: number, end: number, columns: string | null): void {
    this.#columnsLength += columns?.length ?? 0;
    if (this.#columnsLength > MAXIMUM_COLUMNS) throw tooMuchText();
    const row = this.#length;
    this.#days[row] = day;
    this.#starts[row] = start;
    this.#ends[row] = end;
    if (columns !== null) this.#columns[row] = columns;
    this.#length += 1;
  }

  /** Drops the rows of all other days. */
  keep(writes: (day: number) => boolean): void {
    const columns = this.#columns;
    const length = this.#length;
    this.#columns = [];
    this.#columnsLength = 0;
    this.#length = 0;
    for (let row = 0; row < length; row++) {
      const day = this.#days[row] ?? 0;
      if (!writes(day)) continue;
      this.add(day, this.#starts[row] ?? 0, this.#ends[row] ?? 0, columns[row] ?? null);
    }
  }

  /** The number of rows of each day. */
  byDay(): Map<number, number> {
    const rows = new Map<number, number>();
    let first = 0;
    for (let row = 1; row <= this.#length; row++) {
      const day = this.#days[first] ?? 0;
      if (row < this.#length && this.#days[row] === day) continue;
      rows.set(day, (rows.get(day) ?? 0) + row - first);
      first = row;
    }
    return rows;
  }

  /** The lines, in memory that `take` gives. No rows take no memory. */
  joined(
    source: Buffer,
    { rules, readingId }: WindowContext,
    { emittedAt, take }: RowOptions,
  ): Buffer {
    const begin = `{"type":"RECORD","record":{"stream":"${rules.stream.name}","data":`;
    const end = `,"x_ReadingId":"${readingId}"},"emitted_at":${emittedAt}}}\n`;
    if (this.#length === 0) return NO_LINES;
    // Between two records stand the end of one line and the beginning of the next one.
    const between = Buffer.from(end + begin);
    const bytes = take(this.#length * between.length + this.#dataBytes());
    let to = bytes.write(begin);
    for (let row = 0; row < this.#length; row++) {
      if (row > 0) {
        bytes.set(between, to);
        to += between.length;
      }
      to += source.copy(bytes, to, this.#starts[row] ?? 0, this.#ends[row] ?? 0);
      const columns = this.#columns[row];
      if (columns !== undefined) to += bytes.write(`,"x_ProviderColumns":${columns}`, to);
    }
    to += bytes.write(end, to);
    return bytes.subarray(0, to);
  }

  /** The most bytes of the records, without the rest of their lines. */
  #dataBytes(): number {
    let bytes = 0;
    for (let row = 0; row < this.#length; row++) {
      const columns = this.#columns[row];
      bytes += (this.#ends[row] ?? 0) - (this.#starts[row] ?? 0);
      if (columns !== undefined) bytes += 3 * columns.length + COLUMNS_NAME; // at most three bytes a code unit
    }
    return bytes;
  }
}

function tooMuchText(): ConnectorError {
  return new ConnectorError(
    "provider_fault",
    "The provider sent a page with more than 8 MiB of text in members that the interface does not name. Set a smaller page_size; " +
      "if that does not help, report it to the provider.",
    { detail: `x_ProviderColumns of a page longer than ${MAXIMUM_COLUMNS} code units (L1)` },
  );
}

const NO_LINES = Buffer.alloc(0);
const COLUMNS_NAME = ',"x_ProviderColumns":'.length;
