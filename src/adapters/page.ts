/** One page of the interface from the provider's pages. */
import { hash } from "node:crypto";
import { floorTo, formatInstant, HOUR } from "../core/time.ts";
import type { HttpResponse } from "../edges.ts";
import { jsonAnswer, problem } from "./answers.ts";
import { type Cursor, decodeCursor, encodeCursor } from "./cursor.ts";
import {
  compare,
  identified,
  type IdentifiedDraft,
  type RecordContext,
  recordOf,
  widthOf,
} from "./records.ts";
import type { Api, Assumptions, ProviderReports, Query, Report, ReportPage } from "./report.ts";
import { isObject, reportFault } from "./shape.ts";
import type { Send } from "./upstream.ts";

/** The most pages without a row that are skipped for one page, and for how long, in milliseconds: `check` waits ten seconds. */
const MOST_SKIPPED = 32;
const SKIPPING = 2000;

export interface PageOptions {
  readonly provider: ProviderReports;
  readonly api: Api;
  readonly query: Query;
  readonly assumptions: Assumptions;
  /** The account label of the config; null if there is none. */
  readonly label: string | null;
  readonly send: Send;
  /** This side's clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** A page and the place behind it. */
interface Page {
  readonly data: ReturnType<typeof recordOf>[];
  /** Undefined if the window ends with the page. */
  readonly next: Cursor | undefined;
  /** Instants in milliseconds since 1970. */
  readonly asOf: number;
  readonly availableThrough: number;
  /** The provider's `Date` header. */
  readonly date: string | undefined;
}

/** A provider's page, as drafts with their ids. */
interface Fetched {
  readonly drafts: readonly IdentifiedDraft[];
  readonly context: RecordContext;
  readonly next: ReportPage["next"];
  readonly refreshedAt?: ReportPage["refreshedAt"];
  readonly date: string | undefined;
  readonly now: number;
}

/** Makes the pages of one query. */
export class PageMaker {
  readonly #options: PageOptions;
  readonly #reports: readonly Report[];

  constructor(options: PageOptions) {
    this.#options = options;
    this.#reports = options.api[options.query.dataset];
  }

  /** The page of a window in which the provider has nothing, by its own rules. */
  empty(): HttpResponse {
    const now = this.#options.now();
    const availableThrough = this.#availableThrough(undefined, now);
    return this.#answer({
      data: [],
      next: undefined,
      asOf: now,
      availableThrough,
      date: undefined,
    });
  }

  /** The page at a cursor; the first page if it is null. */
  async page(text: string | null): Promise<HttpResponse> {
    const { api, query } = this.#options;
    const cursor = text === null ? this.#begin(0, null) : decodeCursor(text, api.name, query);
    if (cursor === undefined || this.#reports[cursor.report] === undefined)
      return problem(400, "Invalid cursor", "The cursor does not belong to this query.");
    const page = await this.#filled(cursor);
    return "status" in page ? page : this.#answer(page);
  }

  /**
   * The next page with a record. It skips pages without one, as of a report that the account does not use. If the provider
   * refuses a later request, or its reports have changed meanwhile, the empty page is the answer: its cursor keeps what was skipped,
   * and the client sees that `as_of` changes (P6).
   */
  async #filled(begin: Cursor): Promise<Page | HttpResponse> {
    const until = this.#options.now() + SKIPPING;
    let last: Page | undefined;
    for (let skipped = 0, cursor = begin; ; skipped++) {
      const page = await this.#pageAt(cursor);
      if ("status" in page) return last ?? page;
      if (last !== undefined && page.asOf !== last.asOf) return last;
      const availableThrough = Math.min(page.availableThrough, last?.availableThrough ?? Infinity);
      last = { ...page, availableThrough };
      const isOver = skipped === MOST_SKIPPED || this.#options.now() >= until;
      if (page.data.length > 0 || page.next === undefined || isOver) return last;
      cursor = page.next;
    }
  }

  #answer({ data, next, asOf, availableThrough, date }: Page): HttpResponse {
    const page = {
      data,
      next_cursor: next === undefined ? null : this.#encode(next),
      as_of: formatInstant(asOf),
      available_through: formatInstant(availableThrough),
    };
    return jsonAnswer(page, date);
  }

  /** The first place of a report; undefined behind the last report. */
  #begin(index: number, asOf: number | null): Cursor | undefined {
    const { query } = this.#options;
    const report = this.#reports[index];
    if (report === undefined) return undefined;
    return {
      report: index,
      start: floorTo(widthOf(query), query.start),
      size: report.sizes(query).first,
      page: null,
      after: null,
      digest: null,
      asOf: asOf ?? 0,
    };
  }

  async #fetch(report: Report, place: Cursor): Promise<Fetched | HttpResponse> {
    const { provider, query, assumptions, label, send } = this.#options;
    const answer = await send(report.request(place, query));
    const { now } = answer;
    const context = { provider, report: report.name, query, assumptions, label, now };
    if ("refused" in answer) {
      const beyond = answer.status === 400 && report.isBeyond?.(place.start, now) === true;
      if (!beyond) return answer.refused;
      const date = answer.refused.headers["date"];
      return { drafts: [], context, next: null, date, now };
    }
    if (!isObject(answer.body)) throw reportFault("it is no object");
    const page = report.read(answer.body, place, query);
    return { ...page, drafts: identified(page.drafts, context), context, date: answer.date, now };
  }

  async #pageAt(cursor: Cursor): Promise<Page | HttpResponse> {
    const report = this.#reports[cursor.report];
    if (report === undefined) throw new TypeError("a cursor names no report");
    const fetched = await this.#fetch(report, cursor);
    if ("status" in fetched) return fetched;
    const { after } = cursor;
    const { drafts, context, now, refreshedAt, date } = fetched;
    const rest = after === null ? drafts : drafts.filter((each) => compare(each, after) > 0);
    const given = rest.slice(0, this.#options.query.limit);
    const asOf = this.#asOf(cursor, fetched);
    const next =
      rest.length > given.length
        ? this.#within(report, { ...cursor, asOf }, given, fetched)
        : this.#behind(report, { ...cursor, asOf }, fetched);
    const data = given.map((each) => recordOf(each, context));
    return { data, next, asOf, availableThrough: this.#availableThrough(refreshedAt, now), date };
  }

  #encode(cursor: Cursor): string {
    const text = encodeCursor(cursor, this.#options.api.name, this.#options.query);
    if (text === undefined) throw reportFault("its page token is longer than a cursor may be");
    return text;
  }

  /** Goes on behind the last record that was given, on the same page of the provider's. */
  #within(
    report: Report,
    cursor: Cursor,
    given: readonly IdentifiedDraft[],
    { drafts }: Fetched,
  ): Cursor {
    const last = given.at(-1);
    if (last === undefined) return cursor;
    const after = { start: last.start, id: last.id };
    const digest = digestOf(drafts, last.start);
    if (report.pages === "rows") return { ...cursor, after, digest };
    const size = this.#sizeFor(report, cursor, drafts);
    return { ...cursor, start: last.start, size, page: null, after, digest };
  }

  /** Goes on behind the provider's page: on its next one, or in the next report. */
  #behind(report: Report, cursor: Cursor, { next, drafts }: Fetched): Cursor | undefined {
    const { query } = this.#options;
    if (next === null || (report.pages === "buckets" && next.start >= query.end))
      return this.#begin(cursor.report + 1, cursor.asOf);
    // A token goes with the very query that it came from.
    const size = next.page === null ? this.#sizeFor(report, cursor, drafts) : cursor.size;
    return { ...cursor, ...next, size, after: null, digest: null };
  }

  /** The number of buckets that fill a page, by the rows just read. A bucket that does not fit is requested again. */
  #sizeFor(report: Report, { size }: Cursor, drafts: readonly IdentifiedDraft[]): number {
    const { most } = report.sizes(this.#options.query);
    const each = drafts.length / size;
    const fitting = each === 0 ? most : Math.floor(this.#options.query.limit / each);
    return Math.min(most, Math.max(1, fitting));
  }

  /**
   * `as_of`: the report's own instant, else the time of the first page. It changes if the report has changed since the last
   * page, so that the reading proves nothing by itself (P6).
   */
  #asOf({ asOf, after, digest }: Cursor, { drafts, refreshedAt, now }: Fetched): number {
    if (typeof refreshedAt === "number") return refreshedAt;
    if (asOf === 0) return now;
    return after !== null && digest !== digestOf(drafts, after.start) ? now : asOf;
  }

  /** The report's own instant, else now less the lag. A whole bucket, never in the future. */
  #availableThrough(refreshedAt: ReportPage["refreshedAt"], now: number): number {
    const { query, assumptions } = this.#options;
    const lag = query.dataset === "usage" ? assumptions.usageLagHours : assumptions.costsLagHours;
    const through = refreshedAt === null ? query.start : (refreshedAt ?? now - lag * HOUR);
    return floorTo(widthOf(query), Math.min(now, through));
  }
}

/** A digest of the ids and amounts of one bucket. */
function digestOf(drafts: readonly IdentifiedDraft[], start: number): string {
  const bucket = drafts
    .filter((each) => each.start === start)
    .map(({ id, draft }) => [id, draft.sums]);
  return hash("sha256", JSON.stringify(bucket), "base64url").slice(0, 12);
}
