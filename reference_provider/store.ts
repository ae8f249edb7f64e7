import { rowsOfLife, versionAt } from "./lives.ts";
import type { Life, Row } from "./lives.ts";
import type { Instant } from "./instants.ts";
import { BUCKET } from "./instants.ts";
import type { BillingRecord, DatasetName, Granularity } from "./model.ts";

/** A record as an export shows it at one instant. */
export interface Shown {
  readonly record: BillingRecord;
  /** End of the charge period. */
  readonly end: Instant;
}

/**
 * Records, computed or stored, in the order (start of the charge period, id). They can be read from any index on
 * without copying.
 */
export interface Segment {
  readonly length: number;
  /** No charge period is longer than this, in milliseconds. */
  readonly longest: number;
  startAt(index: number): Instant;
  idAt(index: number): string;
  /** The record as an export at `instant` shows it; undefined if it does not show the record. */
  shownAt(index: number, instant: Instant): Shown | undefined;
  /** The life of a record by its id, if the segment holds it. */
  lifeOf(id: string): Life | undefined;
}

/** Position of a record in the order of a listing. */
export interface Key {
  readonly start: Instant;
  readonly id: string;
}

function isBefore(a: Key, b: Key): boolean {
  return a.start < b.start || (a.start === b.start && a.id < b.id);
}

/** The first index whose key is at or after `key`; with `after`, the first one after it. */
function seek(segment: Segment, key: Key, after = false): number {
  let low = 0;
  let high = segment.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const start = segment.startAt(middle);
    const probe = { start, id: start === key.start ? segment.idAt(middle) : "" };
    if (isBefore(probe, key) || (after && probe.start === key.start && probe.id === key.id))
      low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Records kept in memory with their lives. */
export class StoredSegment implements Segment {
  readonly #dataset: DatasetName;
  readonly #accepts: (life: Life) => boolean;
  readonly #lives = new Map<string, { life: Life; rows: readonly Row[] }>();
  #rows: Row[] | undefined;
  #longest = 0;

  constructor(dataset: DatasetName, accepts: (life: Life) => boolean) {
    this.#dataset = dataset;
    this.#accepts = accepts;
  }

  get length(): number {
    return this.#sorted().length;
  }

  get longest(): number {
    this.#sorted();
    return this.#longest;
  }

  startAt(index: number): Instant {
    return this.#sorted()[index]?.start ?? Number.POSITIVE_INFINITY;
  }

  idAt(index: number): string {
    return this.#sorted()[index]?.id ?? "";
  }

  shownAt(index: number, instant: Instant): Shown | undefined {
    const row = this.#sorted()[index];
    return row === undefined ? undefined : versionAt(row, instant);
  }

  lifeOf(id: string): Life | undefined {
    return this.#lives.get(id)?.life;
  }

  /** Adds a life if it belongs to this segment. It replaces a life with the same first id. */
  put(life: Life): boolean {
    if (!this.#accepts(life)) return false;
    this.#lives.set(String(life.record["x_RecordId"]), {
      life,
      rows: rowsOfLife(this.#dataset, life),
    });
    this.#rows = undefined;
    return true;
  }

  // Sorted when first read, so that a million lines of a file are sorted once.
  #sorted(): Row[] {
    if (this.#rows !== undefined) return this.#rows;
    const rows = [...this.#lives.values()].flatMap((entry) => entry.rows);
    rows.sort((a, b) => (isBefore(a, b) ? -1 : isBefore(b, a) ? 1 : 0));
    this.#longest = 0;
    for (const row of rows) {
      for (const { end } of row.versions) this.#longest = Math.max(this.#longest, end - row.start);
    }
    this.#rows = rows;
    return rows;
  }
}

/** The records of one listing: a dataset, and for usage a granularity. */
export interface Listing {
  readonly dataset: DatasetName;
  readonly granularity: Granularity;
  readonly stored: StoredSegment;
  readonly segments: readonly Segment[];
}

/** Makes a listing of stored records and any computed segments. */
export function createListing(
  dataset: DatasetName,
  granularity: Granularity,
  computed: readonly Segment[] = [],
): Listing {
  const stored = new StoredSegment(
    dataset,
    (life) => dataset === "costs" || life.record["x_Granularity"] === granularity,
  );
  return { dataset, granularity, stored, segments: [stored, ...computed] };
}

/** The life of a record, stored or computed. */
export function lifeOf(listing: Listing, id: string): Life | undefined {
  for (const segment of listing.segments) {
    const life = segment.lifeOf(id);
    if (life !== undefined) return life;
  }
  return undefined;
}

/**
 * How a window selects: by start of the charge period, by overlap, by containment, by start with `end` included (closed) or with
 * `start` excluded (open).
 */
export type Selection = "start" | "overlap" | "containment" | "closed" | "open";

/** A part of a listing as it is at one instant. */
export interface Range {
  readonly start: Instant;
  readonly end: Instant;
  readonly at: Instant;
  readonly select: Selection;
}

function selects(range: Range, start: Instant, end: Instant): boolean {
  switch (range.select) {
    case "start":
      return start >= range.start && start < range.end;
    case "closed":
      return start >= range.start && start <= range.end;
    case "open":
      return start > range.start && start < range.end;
    case "overlap":
      return start < range.end && Math.max(end, start + 1) > range.start;
    case "containment":
      return start >= range.start && start < range.end && end <= range.end;
  }
}

/**
 * The records of a listing in a range, in order, after the key `after`. Records are computed only when they are taken.
 */
export function* scan(listing: Listing, range: Range, after?: Key): Generator<Key & Shown> {
  const longest = Math.max(BUCKET["1h"], ...listing.segments.map((segment) => segment.longest));
  const first = range.select === "overlap" ? range.start - longest : range.start;
  const next = listing.segments.map((segment) =>
    after === undefined ? seek(segment, { start: first, id: "" }) : seek(segment, after, true),
  );
  for (;;) {
    let least: (Key & { segment: Segment; number: number; index: number }) | undefined;
    for (const [number, segment] of listing.segments.entries()) {
      const index = next[number] ?? segment.length;
      if (index >= segment.length) continue;
      const start = segment.startAt(index);
      if (start > range.end || (start === range.end && range.select !== "closed")) continue;
      const id = segment.idAt(index);
      if (least === undefined || isBefore({ start, id }, least))
        least = { start, id, segment, number, index };
    }
    if (least === undefined) return;
    next[least.number] = least.index + 1;
    if (least.segment !== listing.stored && listing.stored.lifeOf(least.id) !== undefined) continue;
    const shown = least.segment.shownAt(least.index, range.at);
    if (shown === undefined || !selects(range, least.start, shown.end)) continue;
    yield { start: least.start, id: least.id, record: shown.record, end: shown.end };
  }
}
