import type { Account } from "./accounts.ts";
import { listingOf } from "./accounts.ts";
import type { CursorSealer, Position } from "./cursors.ts";
import type { Struck } from "./faults/engine.ts";
import { BUCKET, DAY, HOUR, MINUTE, floorTo, formatInstant, requireInstant } from "./instants.ts";
import type { Instant } from "./instants.ts";
import type { DatasetCapabilities, DatasetName, Granularity } from "./model.ts";
import { createRandom } from "./prng.ts";
import { ProblemError } from "./problems.ts";
import type { Query } from "./query.ts";
import { scan } from "./store.ts";
import type { Key, Shown } from "./store.ts";

/** A page before it is written: records as JSON text, and the members of the envelope. */
export interface PageDraft {
  records: string[];
  /** Absent if the envelope must not have it. */
  nextCursor: string | null | undefined;
  readonly asOf: Instant;
  readonly availableThrough: Instant;
}

/** The capabilities of one dataset for an account. Throws `unsupported-dataset` if the account does not have it. */
export function offerOf(account: Account, dataset: DatasetName): DatasetCapabilities {
  const offer = account.capabilities.datasets[dataset];
  if (offer === undefined) {
    throw new ProblemError(
      "unsupported-dataset",
      `The account is not offered the dataset ${dataset}.`,
    );
  }
  return offer;
}

function checkWindow(
  query: Query,
  offer: DatasetCapabilities,
  now: Instant,
  struck: Struck,
): Instant {
  // Costs have no parameter granularity: whatever their widths are, a query asks for all of them.
  if (query.dataset === "usage" && !offer.granularities.includes(query.granularity)) {
    const offered = offer.granularities.join(" and ");
    throw new ProblemError(
      "unsupported-granularity",
      `${query.dataset} is offered at ${offered} only.`,
    );
  }
  if (query.end <= query.start)
    throw new ProblemError("invalid-window", "end must be after start.");
  const maximum = offer.maximum_window_days * DAY;
  const length = query.end - query.start;
  if (length > maximum || (length === maximum && struck.of("maximum_exclusive") !== undefined)) {
    throw new ProblemError(
      "window-too-large",
      `A window of ${query.dataset} is at most ${offer.maximum_window_days} days long.`,
    );
  }
  if (struck.of("refuse_future") !== undefined && query.end > now) {
    throw new ProblemError("window-in-future", `It is ${formatInstant(now)}.`);
  }
  const floor = now - offer.retention_days * DAY;
  if (query.start >= floor) return query.start;
  if (struck.of("retention_trim") !== undefined) return floor;
  throw new ProblemError(
    "out-of-retention",
    `${query.dataset} can be read from ${formatInstant(floor)} on.`,
  );
}

/**
 * The instant up to which a dataset is complete: now minus the lag, rounded down to a bucket. The lag of usage is the
 * capabilities' `freshness_lag_minutes`. Costs are published within a day after the end of their day.
 */
function availableThrough(
  dataset: DatasetName,
  granularity: Granularity,
  offer: DatasetCapabilities,
  now: Instant,
): Instant {
  const lag = dataset === "usage" ? (offer.freshness_lag_minutes ?? 0) * MINUTE : 24 * HOUR;
  return floorTo(now - lag, BUCKET[granularity]);
}

function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = createRandom(seed);
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

/** How many records a page returns, and how many of them the next page repeats. */
function sizeOf(query: Query, struck: Struck): { take: number; repeat: number } {
  const duplicate = struck.of("duplicate");
  const twice = duplicate?.on === "same_page" ? duplicate.records : 0;
  const limit = Math.max(1, query.limit - twice);
  const short = struck.of("short_page");
  let take = short === undefined ? limit : Math.min(limit, short.records);
  if (struck.of("empty_page") !== undefined) take = 0;
  take += struck.of("long_page")?.extra ?? 0;
  const repeat = duplicate?.on === "next_page" ? Math.min(duplicate.records, take - 1) : 0;
  return { take, repeat: Math.max(0, repeat) };
}

function firstPosition(query: Query, offer: DatasetCapabilities, now: Instant): Position {
  return {
    asOf: now,
    availableThrough: availableThrough(query.dataset, query.granularity, offer, now),
    page: 1,
  };
}

function rangeOf(query: Query, start: Instant, at: Instant, struck: Struck) {
  return { start, end: query.end, at, select: struck.of("selection")?.by ?? "start" } as const;
}

type Listed = Key & Shown;

/** The records of the page at a position, and the position of the next page if there is one. */
function readRecords(
  account: Account,
  query: Query,
  position: Position,
  start: Instant,
  struck: Struck,
) {
  const { take, repeat } = sizeOf(query, struck);
  const other = query.granularity === "1h" ? "1d" : "1h";
  const granularity = struck.of("other_granularity") === undefined ? query.granularity : other;
  const listing = listingOf(account, query.dataset, granularity);
  const moving = struck.of("moving_listing");
  const range = rangeOf(query, start, position.asOf, struck);
  let source: Iterable<Listed> = scan(
    listing,
    range,
    moving === undefined ? position.after : undefined,
  );
  if (moving !== undefined) {
    const all = [...source];
    source = (moving.shuffle ? shuffled(all, position.page) : all).slice(position.offset ?? 0);
  }
  const taken: Listed[] = [];
  let more = take === 0;
  if (take > 0) {
    for (const listed of source) {
      more = taken.length === take;
      if (more) break;
      taken.push(listed);
    }
  }
  const last = taken.at(-1 - repeat) ?? position.after;
  const next: Position | null = !more
    ? null
    : {
        asOf: position.asOf,
        availableThrough: position.availableThrough,
        page: position.page + 1,
        ...(last === undefined ? {} : { after: { start: last.start, id: last.id } }),
        ...(moving === undefined ? {} : { offset: (position.offset ?? 0) + taken.length - repeat }),
      };
  return { taken, next };
}

function shownAvailability(position: Position, struck: Struck): Instant {
  const fault = struck.of("available_through");
  const base =
    fault?.instant === undefined ? position.availableThrough : requireInstant(fault.instant);
  return base + (fault?.shift ?? 0) * 1000;
}

/**
 * Answers an export query with a page (interface sections 4.2 to 4.4). Throws a ProblemError for a query that the
 * provider refuses to the account.
 */
export function exportPage(
  account: Account,
  query: Query,
  now: Instant,
  sealer: CursorSealer,
  struck: Struck,
): PageDraft {
  const offer = offerOf(account, query.dataset);
  if (query.cursor !== undefined && struck.of("cursor_once") !== undefined)
    sealer.spend(query.cursor);
  const opened =
    query.cursor === undefined ? undefined : sealer.open(query.cursor, query, account.id, now);
  // A chain of pages continues to its end, even if its start leaves retention meanwhile.
  const floor = now - offer.retention_days * DAY;
  const trimmed =
    struck.of("retention_trim") === undefined ? query.start : Math.max(query.start, floor);
  const start = opened === undefined ? checkWindow(query, offer, now, struck) : trimmed;
  const moving = struck.of("moving_listing");
  let position = opened ?? firstPosition(query, offer, now);
  if (moving !== undefined) {
    position = { ...position, asOf: now + (position.page - 1) * moving.step * 1000 };
  }
  const { taken, next } = readRecords(account, query, position, start, struck);
  return {
    records: taken.map((listed) => JSON.stringify(listed.record)),
    nextCursor: next === null ? null : sealer.seal(next, query, account.id, now),
    asOf: position.asOf,
    availableThrough: shownAvailability(position, struck),
  };
}
